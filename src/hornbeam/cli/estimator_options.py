"""From options and a table to an estimator: which task, which columns, and which method.

One idea: a recipe is the starting point, and every option replaces one of its parameters. What is guessed
from a table (whether classes or numbers are to be learned, and which columns only name rows) is reported, and
can be overridden: by --task, and by --columns for a column that is to stay.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import click

from hornbeam._base.types import Task
from hornbeam.cli.exit_codes import unknown_choice, usage_error
from hornbeam.cli.inputs import ModelRows
from hornbeam.cli.options import option
from hornbeam.cli.part_syntax import part_of, recipe_of

RECIPE = "auto"  # what `fit` does unless an option says otherwise
BASE_RECIPE = "cart"  # what slots change that are set without a recipe
TASKS = {
    "classify": Task.CLASSES,
    "regress": Task.REAL,
    "survival": Task.SURVIVAL,
    "density": Task.DENSITY,
}

# Options that have another name than the slot or parameter of an estimator that they set.
RENAMED = {"missing_rule": "missing", "max_leaves": "max_leaf_nodes"}
RENAMED |= {"min_leaf": "min_samples_leaf", "jobs": "n_jobs"}


@dataclass(frozen=True)
class LearnerOptions:
    """What the options say about a learner."""

    section: ClassVar[str] = "Learning"
    recipe: str | None = option(
        f"Published algorithm, such as c45, chaid, m5.  [default: {RECIPE}, which chooses by"
        f" cross-validation; {BASE_RECIPE} where an option below chooses a method]",
        metavar="NAME",
    )
    task: str | None = option("Guessed from the target if not given.", type=click.Choice(list(TASKS)))
    criterion: str | None = option(
        "Split criterion: gini, entropy, gain-ratio, variance, ...", metavar="PART"
    )
    selection: str | None = option(
        "How the column is chosen: best, average-gain, chi-square, conditional, ...", metavar="PART"
    )
    split: str | None = option(
        "Kind of split: binary, multiway, one-vs-rest, random, oblique, ...", metavar="PART"
    )
    missing_rule: str | None = option(
        "Missing values: learn, branch, all-paths, fractional, surrogates, ...", metavar="PART"
    )
    leaf: str | None = option("Model in the leaves: constant, linear, polynomial, quantiles.", metavar="PART")
    pruning: str | None = option(
        "Pruning method: none, cost-complexity, error-based(confidence=0.1), ...", metavar="PART"
    )
    search: str | None = option(
        "How the whole tree is searched: greedy, lookahead, optimal(time_limit=60), ...", metavar="PART"
    )
    aim: str | None = option(
        "What auto chooses a tree of classes for: mixed, error, log-loss or auc.  [default: mixed]",
        metavar="NAME",
    )
    sums: bool | None = option("Let auto try tests that add up to three columns, too.")
    class_weight: tuple[str, ...] = option(
        "How much rows of a class weigh, or balanced; may be repeated.",
        default=(),
        show_default=False,
        metavar="CLASS=WEIGHT",
    )
    prior: tuple[str, ...] = option(
        "Share of a class among new rows, named for every class; may be repeated.",
        default=(),
        show_default=False,
        metavar="CLASS=SHARE",
    )
    cost: tuple[str, ...] = option(
        "What it costs to answer one class where another is true; others cost 1. May be repeated.",
        default=(),
        show_default=False,
        metavar="TRUE:ANSWER=COST",
    )
    increasing: tuple[str, ...] = option(
        "Column with which the answer may only rise; may be repeated.",
        default=(),
        show_default=False,
        metavar="COL",
    )
    decreasing: tuple[str, ...] = option(
        "Column with which the answer may only fall; may be repeated.",
        default=(),
        show_default=False,
        metavar="COL",
    )
    max_depth: int | None = option("Largest depth of the tree.")
    max_leaves: int | None = option("Largest number of leaves.")
    min_leaf: int | None = option("Fewest rows of a leaf.")
    seed: int = option("Random seed.", least=0, default=0)
    jobs: int | None = option("Number of threads.  [default: all]", type=int)
    time_limit: float | None = option(
        "Stop growing after so many seconds and keep the tree so far.",
        type=click.FloatRange(0, min_open=True),
        metavar="SECONDS",
    )

    def parameters(self) -> dict[str, Any]:
        """The slots and parameters of an estimator that the options set."""
        values = {RENAMED.get(option, option): value for option, value in asdict(self).items()}
        others = ("recipe", "task", "seed", *_CLASS_OPTIONS, "increasing", "decreasing")
        return {name: value for name, value in values.items() if value is not None and name not in others}

    def directions(self) -> dict[str, Any]:
        """Columns with which the answer may only rise or fall, as the parameter of an estimator."""
        both = sorted({*self.increasing} & {*self.decreasing})
        if both:
            raise usage_error(f"--increasing {both[0]} and --decreasing {both[0]}", "say one of them")
        signs = dict.fromkeys(self.increasing, 1) | dict.fromkeys(self.decreasing, -1)
        return {"monotonic_cst": signs} if signs else {}

    def class_parameters(self, labels: Sequence[Any]) -> dict[str, Any]:
        """Weights, priors and costs of classes, as parameters of an estimator; `labels` are the classes."""
        known = {str(label): label for label in labels}
        params: dict[str, Any] = {}
        if self.class_weight == ("balanced",):
            params["class_weight"] = "balanced"
        elif self.class_weight:
            params["class_weight"] = _numbers_of_classes("--class-weight", self.class_weight, known)
        if self.prior:
            params["priors"] = _numbers_of_classes("--prior", self.prior, known)
        for text in self.cost:
            pair, number = _named_number("--cost", text, "TRUE:ANSWER=COST")
            ways = [(pair[:k], pair[k + 1 :]) for k, letter in enumerate(pair) if letter == ":"] or [
                (pair, "")
            ]
            true, answer = next((way for way in ways if {*way} <= {*known}), ways[0])
            for name in (true, answer):
                _check_class("--cost", name, known)
            params.setdefault("costs", {}).setdefault(known[true], {})[known[answer]] = number
        return params


_CLASS_OPTIONS = ("class_weight", "prior", "cost")


def _named_number(flag: str, text: str, form: str) -> tuple[str, float]:
    """The name and the number of NAME=NUMBER."""
    name, sign, number = text.rpartition("=")
    try:
        return name, float(number if sign else "")
    except ValueError:
        raise usage_error(f"{flag} {text!r} must be {form}", "write a number after the last =") from None


def _numbers_of_classes(flag: str, texts: Sequence[str], known: Mapping[str, Any]) -> dict[Any, float]:
    named = dict(_named_number(flag, text, "CLASS=NUMBER") for text in texts)
    for name in named:
        _check_class(flag, name, known)
    return {known[name]: number for name, number in named.items()}


def _check_class(flag: str, name: str, known: Mapping[str, Any]) -> None:
    if name not in known:
        raise unknown_choice(f"{flag}: {name!r} is no class of the target", name, list(known))


def estimator_of(learner: LearnerOptions, task: Task, y: Any, default: str = RECIPE) -> Any:
    """The estimator that the options describe for targets like y, an Arrow array or None.

    `default` is the recipe unless they name one or set slots.
    """
    from hornbeam.estimators.estimator_parameters import SLOTS
    from hornbeam.estimators.recipes import RECIPES

    if task != Task.CLASSES and (learner.aim is not None or learner.sums):
        option = "--aim" if learner.aim is not None else "--sums"
        raise usage_error(f"{option} is for trees of classes", "leave it out, or say --task classify")
    of_classes = next((name for name in _CLASS_OPTIONS if getattr(learner, name)), None)
    if of_classes and task != Task.CLASSES:
        flag = f"--{of_classes.replace('_', '-')}"
        raise usage_error(f"{flag} is for trees of classes", "leave it out, or say --task classify")
    classes = learner.class_parameters(y.unique().to_pylist()) if of_classes else {}
    numbers = learner.parameters() | learner.directions() | classes
    parts = {
        slot: part_of(_flag_of(slot), numbers.pop(slot), SLOTS[slot]) for slot in SLOTS if slot in numbers
    }
    if task == Task.DENSITY:
        return _density_estimator(learner, parts, numbers)
    if task == Task.SURVIVAL and learner.recipe is None:
        return _survival_estimator(learner, parts, numbers)
    if default == RECIPE and (parts or {"max_leaf_nodes", "priors", "costs"} & {*numbers}):
        default = BASE_RECIPE
    search = parts.get("search")
    if default == BASE_RECIPE and search is not None and search.method != "core":
        default = search.name  # CART prunes, and has surrogates: neither goes with a proof
    name, params = recipe_of(learner.recipe or default, list(RECIPES))
    model = _from_recipe(name, RECIPES[name], dict(params) | parts | numbers, task)
    if learner.seed:  # for whatever in it draws
        seeds = [param for param in model.get_params() if param.endswith("random_state")]
        model.set_params(**dict.fromkeys(seeds, learner.seed))
    return model


def plain_estimator(learner: LearnerOptions, task: Task, y: Any) -> Any:
    """The tree that the options describe, without a recipe: what data read piece by piece can grow."""
    import hornbeam as hb
    from hornbeam.estimators.estimator_parameters import SLOTS

    if task == Task.DENSITY or learner.recipe is not None or learner.aim is not None or learner.sums:
        raise usage_error(
            "--memory grows trees of classes or numbers without --recipe, --aim and --sums",
            "leave them out, or leave --memory out to read all rows at once",
        )
    classes = learner.class_parameters(y.unique().to_pylist()) if task == Task.CLASSES else {}
    numbers = learner.parameters() | learner.directions() | classes
    parts = {
        slot: part_of(_flag_of(slot), numbers.pop(slot), SLOTS[slot]) for slot in SLOTS if slot in numbers
    }
    make = hb.TreeClassifier if task == Task.CLASSES else hb.TreeRegressor
    return make(**parts, **numbers, random_state=learner.seed or None)


def _flag_of(slot: str) -> str:
    return "--missing-rule" if slot == "missing" else f"--{slot}"


def _from_recipe(name: str, make: Callable[..., Any], params: dict[str, Any], task: Task) -> Any:
    if "task" in inspect.signature(make).parameters:
        params["task"] = task
    try:
        model = make(**params)
    except TypeError as fault:
        raise click.UsageError(f"--recipe {name}: {fault}") from None
    if model.task != task:
        what = {"classes": "classes", "real": "numbers", "survival": "survival times"}
        known = {"real": "m5, cart, rpart, chaid or ctree", "survival": "rpart or ctree"}
        others = known.get(task, "cart, c45, id3, chaid, ...")
        raise usage_error(
            f"--recipe {name} predicts {what[model.task]}, and the target has {what[task]}",
            f"use --recipe {others}, or say --task",
        )
    return model


def _density_estimator(learner: LearnerOptions, parts: Mapping[str, Any], numbers: Mapping[str, Any]) -> Any:
    wrong = [_flag_of(slot) for slot in parts if slot != "pruning"]
    wrong += ["--recipe"] if learner.recipe else []
    if wrong:
        raise click.UsageError(
            f"{wrong[0]} does not go with --task density: a density tree has only --pruning"
        )
    import hornbeam as hb

    return hb.TreeDensity(**parts, **numbers, random_state=learner.seed)


def _survival_estimator(learner: LearnerOptions, parts: Mapping[str, Any], numbers: Mapping[str, Any]) -> Any:
    """A survival tree, pruned by cross-validation unless an option says otherwise."""
    import hornbeam as hb

    usual = {} if "pruning" in parts else {"pruning": hb.parts.CostComplexity(rule="min")}
    return hb.TreeSurvival(**usual | dict(parts), **numbers, random_state=learner.seed)


# ---- what is guessed of a table --------------------------------------------------------------------------


def task_of(option: str | None, y: Any, event: str | None = None) -> Task:
    """What is to be learned: that of the option, survival with a column of events, or what y looks like."""
    if (option == "survival" and event is None) or (event is not None and option not in (None, "survival")):
        raise usage_error("survival times need --target TIME and --event COL", "give both, or another --task")
    if event is not None:
        return Task.SURVIVAL
    if option is not None:
        return TASKS[option]
    from hornbeam.data.guesses import guess_task

    return guess_task(y)


def identifiers(rows: ModelRows, task: Task, declared: str | None, exclude: Sequence[str] = ()) -> list[str]:
    """The columns that only name rows, beside those of `exclude`; those that --columns declares stay."""
    from hornbeam.data import guesses
    from hornbeam.data.files.request import declarations

    columns = rows.X.drop_columns([name for name in exclude if name in rows.X.column_names])
    y, like = (rows.y.column(0), Task.REAL) if task == Task.SURVIVAL else (rows.y, task)
    return guesses.identifiers(columns, y, like, declarations(declared), rows.weight, rows.counts)


def ignored_words(names: Sequence[str]) -> str:
    """What is printed about columns that only name rows."""
    return f"ignored as ids or free text: {', '.join(names)}" if names else ""
