"""From options to an estimator.

One idea: a recipe is the ground, every option replaces one thing of it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import Any

import click

from hornbeam.cli.part_syntax import part_of, recipe_of

RECIPE = "auto"  # what `fit` does unless told otherwise
GROUND = "cart"  # what slots change that are set without a recipe
TASKS = {"classify": "classes", "regress": "real", "density": "density"}

SLOT_OPTIONS = {
    "criterion": "criterion",
    "selection": "selection",
    "split": "split",
    "missing_rule": "missing",
    "leaf": "leaf",
    "pruning": "pruning",
}


@dataclass(frozen=True)
class Wish:
    """What the options ask of a learner."""

    recipe: str | None = None
    task: str | None = None
    slots: Mapping[str, str] = field(default_factory=dict)
    limits: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    jobs: int | None = None


_OPTIONS = (
    click.option(
        "--recipe",
        metavar="NAME",
        help=f"Published algorithm, such as c45, chaid, m5.  [default: {RECIPE}, which chooses by"
        f" cross-validation; {GROUND} where a slot below is set]",
    ),
    click.option("--task", type=click.Choice(list(TASKS)), help="Guessed from the target if not given."),
    click.option("--criterion", metavar="PART", help="gini, entropy, gain-ratio, variance, ..."),
    click.option("--selection", metavar="PART", help="best, average-gain, chi-square, conditional, ..."),
    click.option("--split", metavar="PART", help="binary, multiway, one-vs-rest, oblique, ..."),
    click.option(
        "--missing-rule", metavar="PART", help="learn, branch, all-paths, fractional, surrogates, ..."
    ),
    click.option("--leaf", metavar="PART", help="constant, linear, polynomial, quantiles."),
    click.option("--pruning", metavar="PART", help="none, cost-complexity, error-based(confidence=0.1), ..."),
    click.option("--max-depth", type=click.IntRange(min=1), metavar="N", help="Tests on any path."),
    click.option("--max-leaves", type=click.IntRange(min=1), metavar="N", help="Leaves of the grown tree."),
    click.option("--min-leaf", type=click.IntRange(min=1), metavar="N", help="Rows of every leaf."),
    click.option(
        "--seed",
        type=click.IntRange(min=0),
        default=0,
        metavar="N",
        show_default=True,
        help="Of everything random.",
    ),
    click.option("--jobs", type=int, metavar="N", help="Threads.  [default: all]"),
)


def learns(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of learning; they arrive as one parameter, `wish`."""

    @wraps(function)
    def packed(*args: Any, **params: Any) -> Any:
        slots = {slot: params.pop(option) for option, slot in SLOT_OPTIONS.items()}
        limits = {
            "max_depth": params.pop("max_depth"),
            "max_leaf_nodes": params.pop("max_leaves"),
            "min_samples_leaf": params.pop("min_leaf"),
        }
        wish = Wish(
            params.pop("recipe"),
            params.pop("task"),
            {slot: text for slot, text in slots.items() if text is not None},
            {name: value for name, value in limits.items() if value is not None},
            params.pop("seed"),
            params.pop("jobs"),
        )
        return function(*args, wish=wish, **params)

    wrapped: Callable[..., Any] = packed
    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return wrapped


def estimator_of(wish: Wish, task: str, ground: str = RECIPE) -> Any:
    """The estimator that the options describe; `ground` is the recipe unless they name one or set slots."""
    from hornbeam.estimators.slots import SLOTS

    names = {slot: option.replace("_", "-") for option, slot in SLOT_OPTIONS.items()}
    parts = {slot: part_of(f"--{names[slot]}", text, SLOTS[slot]) for slot, text in wish.slots.items()}
    numbers = dict(wish.limits) | ({"n_jobs": wish.jobs} if wish.jobs is not None else {})
    if task == "density":
        return _density(wish, parts, numbers)
    from hornbeam.estimators.recipes import RECIPES

    if ground == RECIPE and (parts or "max_leaf_nodes" in numbers):
        ground = GROUND
    name, params = recipe_of(wish.recipe or ground, list(RECIPES))
    return _seeded(_from_recipe(name, RECIPES[name], params, parts | numbers, task), wish.seed)


def _from_recipe(
    name: str, make: Callable[..., Any], params: Mapping[str, Any], others: Mapping[str, Any], task: str
) -> Any:
    takes = inspect.signature(make).parameters
    both = dict(params) | dict(others)
    if "task" in takes:
        both["task"] = task
    try:
        made = make(**both)
    except TypeError as fault:
        raise click.UsageError(f"--recipe {name}: {fault}") from None
    if made._task != task:
        what = {"classes": "classes", "real": "numbers"}
        wrong = click.UsageError(
            f"--recipe {name} predicts {what[made._task]}, and the target has {what[task]}"
        )
        other = "m5, cart, rpart, chaid or ctree" if task == "real" else "cart, c45, id3, chaid, ..."
        wrong.hint = f"use --recipe {other}, or say --task"  # type: ignore[attr-defined]
        raise wrong
    return made


def _density(wish: Wish, parts: Mapping[str, Any], numbers: Mapping[str, Any]) -> Any:
    wrong = [f"--{option.replace('_', '-')}" for option, slot in SLOT_OPTIONS.items() if slot in parts]
    wrong = [option for option in wrong if option != "--pruning"] + (["--recipe"] if wish.recipe else [])
    if wrong:
        raise click.UsageError(
            f"{wrong[0]} does not go with --task density: a density tree has only --pruning"
        )
    import hornbeam as hb

    return hb.TreeDensity(**parts, **numbers, random_state=wish.seed)


def _seeded(model: Any, seed: int) -> Any:
    """The estimator with a seed for whatever in it draws."""
    if seed:
        for name in model.get_params():
            if name.endswith("random_state"):
                model.set_params(**{name: seed})
    return model
