"""Asking: the options that several commands share, each written once.

One idea: options that belong together arrive as one thing: what the columns are for is an Outcome, and with
the model, the table and how it is read an Asked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

import click

from hornbeam.cli.output import formatted
from hornbeam.cli.table_options import Reading, reads


@dataclass(frozen=True)
class Outcome:
    """Which columns of a table are no inputs: the one to predict, the rows' weights, their counts."""

    target: str | None = None
    weight: str | None = None
    counts: str | None = None


@dataclass(frozen=True)
class Asked:
    """A model, and the table whose rows it is shown: None for those it was fitted on."""

    model: str
    data: str | None
    outcome: Outcome
    reading: Reading


def outcomes(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add --target, --weight and --counts; they arrive as one parameter, `outcome`."""

    @wraps(function)
    def packed(*args: Any, target: str | None, weight: str | None, counts: str | None, **params: Any) -> Any:
        return function(*args, outcome=Outcome(target, weight, counts), **params)

    wrapped: Callable[..., Any] = packed
    for option in (
        click.option("--counts", metavar="COL", help="Column of how often each row stands for itself."),
        click.option("--weight", metavar="COL", help="Column of the rows' weights."),
        click.option("-t", "--target", metavar="COL", help="Column to predict."),
    ):
        wrapped = option(wrapped)
    return wrapped


def shows_rows(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add MODEL, [DATA], what its columns are for, how it is read, and --format.

    All but --format arrive as one parameter, `asked`.
    """

    @wraps(function)
    def packed(
        *args: Any, model: str, data: str | None, outcome: Outcome, reading: Reading, **params: Any
    ) -> Any:
        return function(*args, asked=Asked(model, data, outcome, reading), **params)

    wrapped = outcomes(reads(formatted(packed)))
    return click.argument("model")(click.argument("data", required=False)(wrapped))


folds_seed = click.option(
    "--seed", type=click.IntRange(min=0), default=0, metavar="N", show_default=True, help="Of the folds."
)
confident = click.option(
    "--confidence",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Of the intervals.",
)
