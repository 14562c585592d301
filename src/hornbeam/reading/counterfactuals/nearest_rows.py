"""Counterfactuals: the smallest changes of a row after which a tree answers otherwise.

One idea: boxes come from the nearest on (`searching`); those whose answer is wanted are kept, each with a row
that truly gets the answer, which is asked for once more before it is given out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np

from hornbeam._base.parameters import did_you_mean
from hornbeam._base.types import AnyArray
from hornbeam.data.table import Table, one_row
from hornbeam.reading.counterfactuals.changes import Counterfactual, change_of
from hornbeam.reading.counterfactuals.column_regions import Codes, Span, plain_value
from hornbeam.reading.counterfactuals.nearest_boxes import Found, nearest_boxes
from hornbeam.reading.counterfactuals.partial_boxes import Narrowing
from hornbeam.reading.counterfactuals.weighted_sums import sum_of
from hornbeam.reading.raw_values import raw_value
from hornbeam.tree import routing
from hornbeam.tree.arrays import EXPRESSION
from hornbeam.tree.branch_words import tree_of
from hornbeam.tree.expressions.functions import refuse_functions
from hornbeam.tree.tree import Tree


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

    The result is exact: the nearest boxes of the tree's leaves in order, one for each box. With weighted
    sums, linear programmes find the nearest points of their sides, and whole numbers are taken as real ones
    there; categories that a sum has marks for are tried one by one.
    Where missing values follow all paths, leaves reached together answer together.

    Parameters
    ----------
    model : a fitted tree, a Tree, or the path of a saved one
        Not one with expressions (`Predicates`) other than weighted sums of numbers and of marks for
        categories, since their regions are no boxes, nor with equations in its leaves.
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
    held = check_fixed(tree, fixed)
    places = frozenset(k for k, column in enumerate(tree.columns) if column.name in held)
    narrowing = Narrowing(tree, arrays, places)
    found: list[Counterfactual] = []
    for near in nearest_boxes(narrowing):
        if near.point.changed == 0 or not _may_be(tree, near, wanted):
            continue
        one = _told(tree, narrowing, near, row)
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
        f"target={target!r} must be ('<=', value), ('>=', value) or an interval (low, high) of numbers"
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
    return wanted(
        float(tree.answers()[leaf]) if tree.classes is None else tree.classes[int(tree.label[leaf])]
    )


# --- telling ------------------------------------------------------------------------------------------------


def _changed(arrays: tuple[AnyArray, ...], new: Mapping[int, float]) -> tuple[AnyArray, ...]:
    """The row's arrays with new numbers and codes in some columns."""
    kinds = {"i": np.int32, "f": np.float64}
    return tuple(
        np.array([new[place]], dtype=kinds[array.dtype.kind]) if place in new else array
        for place, array in enumerate(arrays)
    )


def _told(tree: Tree, narrowing: Narrowing, near: Found, row: Any) -> Counterfactual:
    new = dict(near.point.values)
    values: dict[str, Any] = {}
    changes = []
    marked = {column for node, _ in near.box.sides for column in narrowing.sums[node].marks}
    for place, column in enumerate(tree.columns):
        now = raw_value(row, place, column.name)
        values[column.name] = now
        if place in new and new[place] != narrowing.values[place]:
            values[column.name] = plain_value(column, new[place])
            region = near.box.regions.get(place, Span())
            if place in marked:  # other categories of the region weigh something else
                region = Codes(frozenset({int(new[place])}))
            changes.append(change_of(column, now, values[column.name], region, narrowing.values[place]))
    answer, probability, leaves = _answer(tree, _changed(narrowing.arrays, new))
    return Counterfactual(tuple(changes), near.point.distance, values, answer, probability, leaves)


# --- the door -----------------------------------------------------------------------------------------------


def _check(tree: Tree) -> None:
    if tree.task == "density":
        raise ValueError(
            "model is a density tree, which has no answers to be changed: give one of classes or of numbers"
        )
    refuse_functions(tree.expressions)
    for node in np.flatnonzero(tree.kind == EXPRESSION).tolist():
        if sum_of(tree, node) is None:
            raise ValueError(
                f"node {node} tests the expression {tree.expressions[node]!r}, whose region is no box:"
                " counterfactuals need tests of columns, sets of columns or weighted sums"
            )
    if tree.has_models:
        raise ValueError(
            "leaves of this tree answer with equations, so its answer changes within a leaf:"
            " counterfactuals need leaves that answer with constants (leaf='constant')"
        )


def check_fixed(tree: Tree, fixed: Collection[str]) -> tuple[str, ...]:
    """The names of columns that may not change; a ValueError names one that is not there."""
    names = [column.name for column in tree.columns]
    given = (fixed,) if isinstance(fixed, str) else tuple(fixed)
    for name in given:
        if name not in names:
            hint = did_you_mean(name, names)
            raise ValueError(f"fixed names the column {name!r}{hint}: the columns are {', '.join(names)}")
    return given


def _whole(n: Any) -> int:
    if isinstance(n, bool) or not isinstance(n, Integral) or n < 1:
        raise ValueError(f"n={n!r} must be a whole number of at least 1")
    return int(n)
