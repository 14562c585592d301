"""Readers of texts: expressions, options, dates, what a person types, logs of edits."""

from __future__ import annotations

import json
from functools import cache
from types import SimpleNamespace
from typing import Any

import click
import numpy as np
import pyarrow as pa
from tests.fuzz.attempts import attempt

import hornbeam as hb
from hornbeam.cli.commands import evaluate as evaluate_command
from hornbeam.cli.commands import explain as explain_command
from hornbeam.cli.exit_codes import Failure
from hornbeam.cli.part_syntax import parse_value, part_of, recipe_of
from hornbeam.data.columns import Column
from hornbeam.data.date_text import date_format, dates_of_text
from hornbeam.data.files import TableError
from hornbeam.data.files.kinds import guess
from hornbeam.data.files.request import declarations
from hornbeam.estimators.estimator_parameters import SLOTS
from hornbeam.tree.expressions.language import Expression

COLUMNS = (
    Column("x", "numeric"),
    Column("y", "numeric"),
    Column("colour", "nominal", ("blue", "red")),
    Column("other", "nominal", ("red", "green")),
    Column("ill", "nominal", (False, True)),
    Column("size", "ordinal", ("small", "mid", "large")),
    Column("petal width", "numeric"),
)


@cache
def _arrays() -> list[Any]:
    numbers, codes = [0.0, 1.5, -2.0, np.nan, np.inf], np.array([0, 1, -1, 0, 1], np.int32)
    return [np.array(numbers) if column.kind == "numeric" else codes for column in COLUMNS]


def read_expression(data: bytes) -> bool:
    """An expression: parsed, checked against columns, evaluated, and as a test of a tree."""
    text = data.decode("utf-8", "replace")
    done, expression = attempt(lambda: Expression.parse(text), ValueError)
    if not done or not attempt(lambda: expression.check(COLUMNS), ValueError)[0]:
        return False
    truth, missing = expression.evaluate(COLUMNS, _arrays())
    assert len(truth) == len(missing) == 5
    assert not (truth & missing).any()
    return True


def read_option_texts(data: bytes) -> bool:
    """Options of the command line: a slot and a part, a recipe, a value, a gate, declared columns."""
    text = data.decode("utf-8", "replace")
    option, _, rest = text.partition(" ")
    parse_value(rest)
    attempt(lambda: declarations(rest), TableError)
    attempt(lambda: evaluate_command._parse_gates((rest,)), click.UsageError)
    attempt(lambda: recipe_of(rest, ("id3", "c45", "cart")), click.UsageError)
    slot = option if option in SLOTS else "pruning"
    return attempt(lambda: part_of(f"--{slot}", rest, SLOTS[slot]), click.UsageError)[0]


def read_date_texts(data: bytes) -> bool:
    """Cells of one column, a line each: dates, numbers as people write them, what kind they are."""
    cells = data.decode("utf-8", "replace").split("\n")
    form = date_format(cells)
    dates_of_text(pa.array(cells, pa.string()), "day")
    values = pa.array(dict.fromkeys(cells), pa.string())
    guess(values)
    guess(values, ",")
    return form is not None


@cache
def _key_tree() -> hb.Tree:
    moments = np.array(["2024-01-01", "2024-06-01", "2025-01-01", "2025-06-01"] * 4, dtype="datetime64[s]")
    table = {
        "when": moments,
        "width": np.arange(16.0),
        "colour": ["red", "blue"] * 8,
        "ill": [True, False] * 8,
    }
    classes = [f"class {k // 4} {k % 4 // 2}" for k in range(16)]
    return hb.TreeClassifier().fit(table, classes).tree_


def read_answers(data: bytes) -> bool:
    """Lines that a person types: answers to a key, and a row as COL=VALUE."""
    lines = tuple(data.decode("utf-8", "replace").split("\n"))
    key = hb.key(_key_tree())
    for line in lines:
        if key.question is None:
            break
        attempt(lambda line=line: key.answer(line), ValueError)
    opened: Any = SimpleNamespace(tree=_key_tree())
    documented = (click.UsageError, Failure, ValueError)
    done, row = attempt(lambda: explain_command._parse_row(opened, lines), *documented)
    return done and attempt(lambda: str(hb.explain(_key_tree(), row)), ValueError, TypeError)[0]


@cache
def _tennis() -> Any:
    return hb.datasets.load("tennis")


def replay_log(data: bytes) -> bool:
    """A log of edits as JSON: replayed, printed and written as a script."""
    try:
        log = json.loads(data)
    except (ValueError, RecursionError):  # json's, and no part of Hornbeam
        return False
    if not isinstance(log, list) or len(log) > 6:
        return False
    tennis = _tennis()
    done, draft = attempt(lambda: hb.replay(log, hb.id3(), tennis.X, tennis.y), ValueError, TypeError)
    if done:
        str(draft)
        draft.script()
        json.dumps(draft.log)
    return done
