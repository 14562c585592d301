"""Counterfactuals: the smallest changes of a row after which a tree answers otherwise.

One idea: boxes come from the nearest on (`searching`); those whose answer is wanted are kept, each with a row
that truly gets the answer, which is asked for once more before it is given out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from hornbeam import routing, wording
from hornbeam.arrays import EXPRESSION, AnyArray
from hornbeam.columns import Column
from hornbeam.parameters import did_you_mean
from hornbeam.reading._common import ASCII, UNICODE, Signs, tree_of, value_list
from hornbeam.reading.boxes import Interval
from hornbeam.reading.changing.boxes import Narrowing
from hornbeam.reading.changing.regions import Codes, Region, Span, plain_value, price
from hornbeam.reading.changing.searching import Found, nearest_boxes
from hornbeam.reading.raw import raw_value
from hornbeam.table import Table, one_row
from hornbeam.tree import Tree


@dataclass(frozen=True)
class Change:
    """One column that has to change.

    Attributes
    ----------
    column : str
    now : object
        Its value in the row, None if it is missing.
    value : object
        Its value in the changed row: the nearest that does.
    needed : Interval or tuple
        All that would do, the other changes being made: an interval of numbers, or categories.
    text : str
        That in words: `Fare > 24.81`.
    """

    column: str
    now: Any
    value: Any
    needed: Interval | tuple[Any, ...]
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Counterfactual:
    """A row near the given one that gets another answer.

    Attributes
    ----------
    changes : tuple of Change
    distance : float
    row : dict
        The changed row, column by column; what did not change is as it was given.
    answer : object
        What the model says of it.
    probability : float or None
        Of the class answered; None in a regression.
    leaves : tuple of int
        The leaves it reaches.
    """

    changes: tuple[Change, ...]
    distance: float
    row: dict[str, Any]
    answer: Any
    probability: float | None
    leaves: tuple[int, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that change."""
        return tuple(change.column for change in self.changes)

    def __str__(self) -> str:
        return self.text(UNICODE)

    def text(self, signs: Signs = UNICODE) -> str:
        """In words: `Fare > 24.81 → died 93 %`."""
        when = " and ".join(change.text for change in self.changes)
        if signs is not UNICODE:
            when = when.replace("≤", "<=").replace("∈", "in").replace("…", "...")
        said = str(self.answer) if self.probability is not None else wording.amount(float(self.answer))
        share = "" if self.probability is None else f" {wording.percent(self.probability)}"
        return f"{when} {signs.arrow} {said}{share}"

    def to_dict(self) -> dict[str, Any]:
        """A dict that JSON can hold."""
        return {
            "changes": [
                {"column": c.column, "now": _plain(c.now), "value": _plain(c.value), "text": c.text}
                for c in self.changes
            ],
            "distance": self.distance,
            "row": {name: _plain(value) for name, value in self.row.items()},
            "answer": _plain(self.answer),
            "probability": self.probability,
            "leaves": list(self.leaves),
        }


def counterfactuals(
    model: Any, row: Any, *, target: Any = None, fixed: Collection[str] = (), n: int = 3
) -> list[Counterfactual]:
    """The nearest rows that a tree answers otherwise: as few changed columns as possible, then as small ones.

    The distance of a change is |new - old| over the column's training range for a number (over 1 where the
    range is not known), the steps over the longest way for ordered categories, and 1 for another category or
    for a missing value that is filled in; distances add up. They are measured to the end of the interval that
    is needed; the value given lies in it, just inside where the end does not belong to it. Columns of whole
    numbers and of times go to the nearest whole number. A value never becomes missing, and never a
    combination that no branch of a test on several columns names.

    The result is exact: the nearest boxes of the tree's leaves in order, one for each box. With hyperplanes,
    linear programmes find the nearest points of their sides, and whole numbers are taken as real ones there.
    Where missing values follow all paths, leaves reached together answer together.

    Parameters
    ----------
    model : a fitted tree, or a Tree
        Not one with expressions (`Predicates`), whose regions are no boxes, nor with equations in its leaves.
    row : dict, pandas Series, table of one row, or sequence of values in column order
    target : object, optional
        The class wanted; for a regression `("<=", value)`, `(">=", value)` or an interval `(low, high)`.
        None: any other answer than now.
    fixed : names of columns that may not change
    n : int
        How many to find; fewer are returned if there are not so many.

    Returns
    -------
    list of Counterfactual
        Nearest first; empty if no change of the free columns leads to the target.

    Examples
    --------
    >>> import hornbeam as hb
    >>> tree = hb.Tree.from_nested({"column": "income", "<=": 30, "yes": "refused", "no":
    ...     {"column": "debts", "<=": 5, "yes": "granted", "no": "refused"}})
    >>> for found in hb.counterfactuals(tree, {"income": 25, "debts": 8}):
    ...     print(found, found.row)
    income > 30 and debts ≤ 5 → granted 100 % {'income': 30.01, 'debts': 5.0}
    """
    tree = tree_of(model)
    _check(tree)
    table = one_row(row, tree.columns)
    n_wanted = _whole(n)
    _, arrays = routing.arrays_for(tree, table)
    wanted = _wanted(tree, arrays, target)
    narrowing = Narrowing(tree, arrays, _places(tree, fixed))
    found: list[Counterfactual] = []
    for near in nearest_boxes(narrowing):
        if near.point.changed == 0 or not _may_be(tree, near, wanted):
            continue
        one = _told(tree, narrowing, near, row, arrays)
        if wanted(one.answer):
            found.append(one)
            if len(found) == n_wanted:
                break
    return found


# --- the answer wanted --------------------------------------------------------------------------------------

Wanted = Callable[[Any], bool]


def _wanted(tree: Tree, arrays: tuple[AnyArray, ...], target: Any) -> Wanted:
    """Whether an answer is what is wanted."""
    now = _answer(tree, arrays)[0]
    if target is None:
        return lambda answer: bool(answer != now)
    if tree.classes is not None:
        if target not in tree.classes:
            hint = did_you_mean(target, [str(c) for c in tree.classes])
            raise ValueError(
                f"target={target!r} must be one of the classes {', '.join(map(repr, tree.classes))}{hint}"
            )
        return lambda answer: bool(answer == target)
    if isinstance(target, tuple | list) and len(target) == 2 and isinstance(target[1], Real):
        first, second = target
        if first == "<=":
            return lambda answer: bool(answer <= second)
        if first == ">=":
            return lambda answer: bool(answer >= second)
        if isinstance(first, Real) and first <= second:
            return lambda answer: bool(first <= answer <= second)
    raise ValueError(
        f"target={target!r} must be ('<=', value), ('>=', value) or an interval (low, high) for a model of numbers"
    )


def _answer(tree: Tree, arrays: tuple[AnyArray, ...]) -> tuple[Any, float | None, tuple[int, ...]]:
    """What the tree says of one row, the probability of that, and the leaves reached."""
    found = routing.route(tree, Table(tree.columns, 1, arrays))
    leaves = tuple(found.leaf.tolist())
    if tree.classes is None:
        return float(routing.values(tree, found)[0]), None, leaves
    label = int(routing.labels(tree, found)[0])
    return tree.classes[label], float(routing.probabilities(tree, found)[0, label]), leaves


def _may_be(tree: Tree, near: Found, wanted: Wanted) -> bool:
    """Whether a box can have the answer: one leaf says it at once, several only when asked together."""
    if len(near.box.leaves) > 1:
        return True
    leaf = near.box.leaves[0]
    return wanted(float(tree.answers()[leaf]) if tree.classes is None else tree.classes[int(tree.label[leaf])])


# --- telling ------------------------------------------------------------------------------------------------


def _told(
    tree: Tree, narrowing: Narrowing, near: Found, row: Any, arrays: tuple[AnyArray, ...]
) -> Counterfactual:
    new = dict(near.point.values)
    values: dict[str, Any] = {}
    changes = []
    for place, column in enumerate(tree.columns):
        now = raw_value(row, place, column.name)
        values[column.name] = now
        if place in new and not _same(new[place], narrowing.values[place]):
            values[column.name] = plain_value(column, new[place])
            region = near.box.regions.get(place, Span())
            told = None if narrowing.is_gap(place) and now is None else now
            changes.append(_change(column, told, values[column.name], region, narrowing.values[place]))
    answer, probability, leaves = _answer(tree, routing.arrays_for(tree, one_row(values, tree.columns))[1])
    return Counterfactual(tuple(changes), near.point.distance, values, answer, probability, leaves)


def _same(a: float, b: float) -> bool:
    return a == b


def _change(column: Column, now: Any, value: Any, region: Region, was: float) -> Change:
    if isinstance(region, Codes):
        codes = sorted(region.codes)
        names = [column.text(c) for c in codes]
        some = tuple(column.categories[c] for c in codes)
        text = f"{column.name} = {names[0]}" if len(names) == 1 else (
            f"{column.name} {UNICODE.within} {{{value_list(names, UNICODE)}}}"
        )  # fmt: skip
        return Change(column.name, now, value, some, text)
    assert isinstance(region, Span)
    needed = Interval(region.low, region.high, column.display)
    free = price(column, was, region) == (0, 0.0)  # only hyperplanes ask for the change
    if free or (not region.low_text and not region.high_text):
        shown = column.text(float(value)) if isinstance(value, Real) else str(value)
        return Change(column.name, now, value, needed, f"{column.name} = {shown}")
    if region.low_text and region.high_text:
        text = f"{region.low_text} < {column.name} {UNICODE.at_most} {region.high_text}"
    elif region.high_text:
        text = f"{column.name} {UNICODE.at_most} {region.high_text}"
    else:
        text = f"{column.name} {UNICODE.more} {region.low_text}"
    return Change(column.name, now, value, needed, text)


def _plain(value: Any) -> Any:
    """A value as JSON knows it."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, str | bool | int | float) else str(value)


# --- the door -----------------------------------------------------------------------------------------------


def _check(tree: Tree) -> None:
    if tree.task == "density":
        raise ValueError("model is a density tree, which has no answers to be changed: give a model of classes or numbers")
    tests = np.flatnonzero(tree.kind == EXPRESSION)
    if len(tests):
        raise ValueError(
            f"node {int(tests[0])} tests the expression {tree.expressions[int(tests[0])]!r}, whose region is no box:"
            " counterfactuals need tests of columns, sets of columns or weighted sums"
        )
    if tree.has_models:
        raise ValueError(
            "leaves of this tree answer with equations, so its answer changes within a leaf: counterfactuals need"
            " leaves that answer with constants (leaf='constant')"
        )


def _places(tree: Tree, fixed: Collection[str]) -> frozenset[int]:
    names = [column.name for column in tree.columns]
    given = [fixed] if isinstance(fixed, str) else list(fixed)
    for name in given:
        if name not in names:
            hint = did_you_mean(name, names)
            raise ValueError(f"fixed names the column {name!r}{hint}: the columns are {', '.join(names)}")
    return frozenset(names.index(name) for name in given)


def _whole(n: Any) -> int:
    if isinstance(n, bool) or not isinstance(n, Integral) or n < 1:
        raise ValueError(f"n={n!r} must be a whole number of at least 1")
    return int(n)


__all__ = ["ASCII", "Change", "Counterfactual", "counterfactuals"]
