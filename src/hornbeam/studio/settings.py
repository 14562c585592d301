"""Settings: what a person chooses before and between edits, and the estimator that follows from it.

One idea: settings are plain values that JSON holds; everything else (which rows are held out, how a tree
grows) follows from them and the table.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from hornbeam._base.parameters import did_you_mean, is_number, is_whole
from hornbeam._base.types import Task
from hornbeam.editing.edit_context import LIMITS
from hornbeam.estimators.estimator_parameters import SLOTS
from hornbeam.estimators.recipes import RECIPES
from hornbeam.estimators.tree_estimators import TreeClassifier, TreeRegressor
from hornbeam.growing.selections import PriceAware

SLOT_NAMES = ("criterion", "selection", "split", "missing", "leaf", "search")
FIXED_RECIPES = tuple(name for name in RECIPES if name != "auto")  # those whose growth can be followed
FEW_ROWS = 200  # of fewer rows none are held out unless somebody asks


@dataclass(frozen=True)
class Settings:
    """What is learned, from which columns and rows, and how.

    Attributes
    ----------
    target : the column to predict, None until somebody chose one
    task : "classes" or "real"; None: guessed from the target
    kinds : column -> kind ("numeric", "nominal", "boolean", "date", "ordinal(a<b)") or its values in order
    exclude : columns that are no inputs
    weight, counts : columns with the weight of each row, and how often it stands for itself
    prices : column -> what asking for it costs
    monotone : column -> +1 or -1, the direction in which answers may go
    costs : true class -> answered class -> cost of the mistake
    held_out, seed : the share of rows that are not learned from, and the seed by which they are drawn
    recipe : the algorithm; None: plain CART-like growth
    criterion, selection, split, missing, leaf, search : parts by name that take the place of the recipe's
    limits : limits of growth by name
    """

    target: str | None = None
    task: str | None = None
    kinds: Mapping[str, Any] = field(default_factory=dict)
    exclude: tuple[str, ...] = ()
    weight: str | None = None
    counts: str | None = None
    prices: Mapping[str, float] = field(default_factory=dict)
    monotone: Mapping[str, int] = field(default_factory=dict)
    costs: Mapping[str, Mapping[str, float]] | None = None
    held_out: float = 0.0
    seed: int = 0
    recipe: str | None = None
    criterion: str | None = None
    selection: str | None = None
    split: str | None = None
    missing: str | None = None
    leaf: str | None = None
    search: str | None = None
    limits: Mapping[str, Any] = field(default_factory=dict)

    def to_plain(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return asdict(self) | {"exclude": list(self.exclude)}

    def changed(self, given: Mapping[str, Any]) -> Settings:
        """The settings with other values, each checked."""
        values = {}
        for name, value in given.items():
            if name not in _CHECKS:
                raise ValueError(
                    f"there is no setting {name!r}{did_you_mean(name, _CHECKS)}: settings are"
                    f" {', '.join(_CHECKS)}"
                )
            values[name] = _CHECKS[name](name, value)
        made = replace(self, **values)
        if "target" in values and "task" not in values and values["target"] != self.target:
            made = replace(made, task=None)
        return made

    def changes_from(self, other: Settings) -> list[str]:
        """The names of the settings that differ."""
        return [one.name for one in fields(self) if getattr(self, one.name) != getattr(other, one.name)]

    def estimator(self, task: Task, classes: tuple[Any, ...] = ()) -> Any:
        """The estimator that grows as the settings say; not fitted."""
        given = {slot: getattr(self, slot) for slot in SLOT_NAMES if getattr(self, slot) is not None}
        given |= dict(self.limits)
        if self.exclude:
            given["exclude"] = list(self.exclude)
        if self.prices:
            given["selection"] = PriceAware(dict(self.prices))
        if self.monotone:
            given["monotonic_cst"] = dict(self.monotone)
        if self.costs and task == Task.CLASSES:
            given["costs"] = _costs_by_class(self.costs, classes)
        if self.recipe is None:
            return (TreeClassifier if task == Task.CLASSES else TreeRegressor)(**given)
        make = RECIPES[self.recipe]
        model: Any = make(**({"task": task} if "task" in inspect.signature(make).parameters else {}))
        if model.task != task:
            what = "numbers" if task == Task.REAL else "classes"
            raise ValueError(
                f"recipe={self.recipe!r} does not learn {what}, which the target holds: choose another recipe"
            )
        return model.set_params(**given)


def recipes_for(task: Task) -> list[str]:
    """The recipes that learn classes, or numbers."""
    able = []
    for name in FIXED_RECIPES:
        make = RECIPES[name]
        if "task" in inspect.signature(make).parameters or make().task == task:
            able.append(name)
    return able


def _costs_by_class(costs: Mapping[str, Mapping[str, float]], classes: tuple[Any, ...]) -> dict[Any, Any]:
    """The costs under the classes themselves: in JSON every class is text."""
    label = {str(one): one for one in classes}
    for name in [*costs, *(inner for row in costs.values() for inner in row)]:
        if name not in label:
            raise ValueError(
                f"costs name the class {name!r}{did_you_mean(name, label)}: classes are {', '.join(label)}"
            )
    return {label[true]: {label[one]: cost for one, cost in row.items()} for true, row in costs.items()}


# ---- checks of what a request or a file brings -------------------------------------------------------------


def _text_or_none(name: str, value: Any) -> Any:
    if value is None or (isinstance(value, str) and value):
        return value
    raise ValueError(f"{name}={value!r} must be text, or null")


def _one_of(*known: str) -> Any:
    def check(name: str, value: Any) -> Any:
        if value is None or (isinstance(value, str) and value in known):
            return value
        hint = did_you_mean(value, known)
        raise ValueError(f"{name}={value!r} must be null or one of {', '.join(known)}{hint}")

    return check


def _names(name: str, value: Any) -> tuple[str, ...]:
    if isinstance(value, (list, tuple)) and all(isinstance(one, str) for one in value):
        return tuple(dict.fromkeys(value))
    raise ValueError(f"{name}={value!r} must be a list of column names")


def _by_name(what: str, accepts: Any) -> Any:
    def check(name: str, value: Any) -> dict[str, Any]:
        if isinstance(value, Mapping) and all(isinstance(one, str) for one in value):
            wrong = [one for one, inner in value.items() if not accepts(inner)]
            if not wrong:
                return dict(value)
            raise ValueError(f"{name}: {value[wrong[0]]!r} for {wrong[0]!r} must be {what}")
        raise ValueError(f"{name}={value!r} must be an object of {what} by name")

    return check


def _costs(name: str, value: Any) -> Any:
    if value is None:
        return None
    inner = _by_name("costs of 0 or more", lambda cost: is_number(cost) and cost >= 0)
    return {
        true: inner(name, row) for true, row in _by_name("rows of costs", _is_object)(name, value).items()
    }


def _share(name: str, value: Any) -> float:
    if is_number(value) and 0 <= value < 1:
        return float(value)
    raise ValueError(f"{name}={value!r} must be a share of the rows, from 0 to below 1")


def _seed(name: str, value: Any) -> int:
    if is_whole(value) and 0 <= value < 2**32:
        return int(value)
    raise ValueError(f"{name}={value!r} must be a whole number of at least 0")


def _limits(name: str, value: Any) -> dict[str, Any]:
    given: dict[str, Any] = _by_name("numbers", lambda one: one is None or is_number(one))(name, value)
    for limit in given:
        if limit not in LIMITS:
            raise ValueError(f"{name} has no {limit!r}{did_you_mean(limit, LIMITS)}: {', '.join(LIMITS)}")
    return {limit: number for limit, number in given.items() if number is not None}


def _is_object(value: Any) -> bool:
    return isinstance(value, Mapping)


def _is_kind(value: Any) -> bool:
    is_order = isinstance(value, list) and len(value) > 0 and all(isinstance(one, str) for one in value)
    return is_order or (isinstance(value, str) and bool(value))


_CHECKS: Mapping[str, Any] = {
    "target": _text_or_none,
    "task": _one_of("classes", "real"),
    "kinds": _by_name("a kind, or the values in order", _is_kind),
    "exclude": _names,
    "weight": _text_or_none,
    "counts": _text_or_none,
    "prices": _by_name("prices of 0 or more", lambda price: is_number(price) and price >= 0),
    "monotone": _by_name("1 or -1", lambda sign: sign in (1, -1)),
    "costs": _costs,
    "held_out": _share,
    "seed": _seed,
    "recipe": _one_of(*FIXED_RECIPES),
    **{slot: _one_of(*SLOTS[slot]) for slot in SLOT_NAMES},
    "limits": _limits,
}
