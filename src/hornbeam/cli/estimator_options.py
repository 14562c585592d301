"""From options to an estimator.

One idea: a recipe is the starting point, and every option replaces one thing of it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import click

from hornbeam.cli.exit_codes import usage_error
from hornbeam.cli.help_pages import choice_option, integer_option, pack_options
from hornbeam.cli.part_syntax import part_of, recipe_of

RECIPE = "auto"  # what `fit` does unless an option says otherwise
BASE_RECIPE = "cart"  # what slots change that are set without a recipe
TASKS = {"classify": "classes", "regress": "real", "density": "density"}

# Options and the slots or parameters of an estimator that they set.
SLOT_OPTIONS = {name: name for name in ("criterion", "selection", "split", "missing_rule", "leaf", "pruning")}
SLOT_OPTIONS["missing_rule"] = "missing"
LIMIT_OPTIONS = {"max_depth": "max_depth", "max_leaves": "max_leaf_nodes", "min_leaf": "min_samples_leaf"}


@dataclass(frozen=True)
class LearnerOptions:
    """What the options say about a learner."""

    recipe: str | None = None
    task: str | None = None
    slots: Mapping[str, str] = field(default_factory=dict)
    limits: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    jobs: int | None = None


def _pack_learner(values: Mapping[str, Any]) -> LearnerOptions:
    slots, limits = (
        {name: values[option] for option, name in options.items() if values[option] is not None}
        for options in (SLOT_OPTIONS, LIMIT_OPTIONS)
    )
    return LearnerOptions(values["recipe"], values["task"], slots, limits, values["seed"], values["jobs"])


learner_options = pack_options(
    "learner",
    ("recipe", "task", *SLOT_OPTIONS, *LIMIT_OPTIONS, "seed", "jobs"),
    _pack_learner,
    (
        click.option(
            "--recipe",
            metavar="NAME",
            help=f"Published algorithm, such as c45, chaid, m5.  [default: {RECIPE}, which chooses by"
            f" cross-validation; {BASE_RECIPE} where a slot below is set]",
        ),
        choice_option("--task", list(TASKS), help="Guessed from the target if not given."),
        click.option("--criterion", metavar="PART", help="gini, entropy, gain-ratio, variance, ..."),
        click.option("--selection", metavar="PART", help="best, average-gain, chi-square, conditional, ..."),
        click.option("--split", metavar="PART", help="binary, multiway, one-vs-rest, oblique, ..."),
        click.option(
            "--missing-rule", metavar="PART", help="learn, branch, all-paths, fractional, surrogates, ..."
        ),
        click.option("--leaf", metavar="PART", help="constant, linear, polynomial, quantiles."),
        click.option(
            "--pruning", metavar="PART", help="none, cost-complexity, error-based(confidence=0.1), ..."
        ),
        integer_option("--max-depth", help="Tests on any path."),
        integer_option("--max-leaves", help="Leaves of the grown tree."),
        integer_option("--min-leaf", help="Rows of every leaf."),
        integer_option("--seed", least=0, default=0, show_default=True, help="Of everything random."),
        click.option("--jobs", type=int, metavar="N", help="Threads.  [default: all]"),
    ),
)


def estimator_of(learner: LearnerOptions, task: str, default: str = RECIPE) -> Any:
    """The estimator that the options describe; `default` is the recipe unless they name one or set slots."""
    from hornbeam.estimators.recipes import RECIPES
    from hornbeam.estimators.slots import SLOTS

    parts = {slot: part_of(_flag_of(slot), text, SLOTS[slot]) for slot, text in learner.slots.items()}
    numbers = dict(learner.limits) | ({"n_jobs": learner.jobs} if learner.jobs is not None else {})
    if task == "density":
        return _density_estimator(learner, parts, numbers)
    if default == RECIPE and (parts or "max_leaf_nodes" in numbers):
        default = BASE_RECIPE
    name, params = recipe_of(learner.recipe or default, list(RECIPES))
    model = _from_recipe(name, RECIPES[name], dict(params) | parts | numbers, task)
    if learner.seed:  # for whatever in it draws
        seeds = [param for param in model.get_params() if param.endswith("random_state")]
        for param in seeds:
            model.set_params(**{param: learner.seed})
    return model


def _flag_of(slot: str) -> str:
    option = next(option for option, name in SLOT_OPTIONS.items() if name == slot)
    return f"--{option.replace('_', '-')}"


def _from_recipe(name: str, make: Callable[..., Any], params: dict[str, Any], task: str) -> Any:
    if "task" in inspect.signature(make).parameters:
        params["task"] = task
    try:
        model = make(**params)
    except TypeError as fault:
        raise click.UsageError(f"--recipe {name}: {fault}") from None
    if model._task != task:
        what = {"classes": "classes", "real": "numbers"}
        others = "m5, cart, rpart, chaid or ctree" if task == "real" else "cart, c45, id3, chaid, ..."
        raise usage_error(
            f"--recipe {name} predicts {what[model._task]}, and the target has {what[task]}",
            f"use --recipe {others}, or say --task",
        )
    return model


def _density_estimator(learner: LearnerOptions, parts: Mapping[str, Any], numbers: Mapping[str, Any]) -> Any:
    wrong = [_flag_of(slot) for slot in SLOT_OPTIONS.values() if slot in parts and slot != "pruning"]
    wrong += ["--recipe"] if learner.recipe else []
    if wrong:
        raise click.UsageError(
            f"{wrong[0]} does not go with --task density: a density tree has only --pruning"
        )
    import hornbeam as hb

    return hb.TreeDensity(**parts, **numbers, random_state=learner.seed)
