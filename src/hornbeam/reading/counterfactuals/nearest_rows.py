"""Counterfactuals: the smallest changes of a row after which a tree answers otherwise.

One idea: best first. A box costs (columns changed, distance), and no box below it costs less; so the first
box taken out that is down at its leaves is the nearest there is. A box with hyperplanes comes back with its
true cost. Of the boxes whose answer is the target one row each is routed once more before it is given out.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache
from itertools import count, islice
from numbers import Integral, Real
from typing import Any

import numpy as np

from hornbeam._base.parameters import did_you_mean
from hornbeam._base.types import AnyArray
from hornbeam.data.table import Table, one_row
from hornbeam.reading.counterfactuals.changes import (
    Codes,
    Counterfactual,
    NumberRange,
    change_of,
    raw_values,
    user_value,
)
from hornbeam.reading.counterfactuals.partial_boxes import Narrowing, PartialBox
from hornbeam.reading.counterfactuals.planes import Point, most_changes, plain_point, points
from hornbeam.reading.counterfactuals.weighted_sums import weighted_sum
from hornbeam.tree import apply, routing
from hornbeam.tree.arrays import EXPRESSION
from hornbeam.tree.expressions.language import refuse_functions
from hornbeam.tree.hooks import tree_of
from hornbeam.tree.routing import Routing
from hornbeam.tree.tree import Tree

_MOST_BOXES = 200_000


NearBox = tuple[PartialBox, Point]  # a box down at its leaves, and its nearest point


def nearest_boxes(narrowing: Narrowing) -> Iterator[NearBox]:
    """All boxes with their nearest points, the nearest first; the row's own box is the first."""
    order = count()
    start = PartialBox({})
    waiting: list[tuple[int, float, int, PartialBox, Point | None, int]] = [
        (0, 0.0, next(order), start, None, 0)
    ]
    for taken in count():
        if not waiting:
            return
        if taken >= _MOST_BOXES:
            raise ValueError(
                f"more than {_MOST_BOXES} combinations of paths would have to be looked at, because missing"
                " values of the row follow all paths: fill in some of them, or name columns with fixed="
            )
        changed, _, _, box, point, size = heapq.heappop(waiting)
        if box.todo:
            for smaller in narrowing.below(box):
                heapq.heappush(
                    waiting, (smaller.changed, smaller.distance, next(order), smaller, None, smaller.changed)
                )
        elif point is not None:
            yield box, point
        elif not box.sides:
            there = plain_point(narrowing, box)
            if there is not None:
                yield box, there
        else:  # try one more column at a time: the points of this size now, the next size when its turn comes
            best = min(points(narrowing, box, size), key=lambda p: p.distance, default=None)
            if best is not None:
                heapq.heappush(waiting, (changed, best.distance, next(order), box, best, size))
            elif size < most_changes(narrowing, box):
                heapq.heappush(waiting, (size + 1, 0.0, next(order), box, None, size + 1))


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
    >>> for near in hb.counterfactuals(tree, {"income": 25, "debts": 8}):
    ...     print(near, near.row)
    income > 30 and debts ≤ 5 → granted 100 % {'income': 30.01, 'debts': 5.0}
    """
    tree = tree_of(model, for_rows=True)
    check_tree(tree)
    most = _whole(n)
    arrays = one_row(row, tree.columns).arrays
    near = nearest_changes(tree, row, arrays, _answer(tree, arrays)[0], target=target, fixed=fixed)
    return list(islice(near, most))


def nearest_changes(
    tree: Tree,
    row: Any,
    arrays: tuple[AnyArray, ...],
    answer: Any,
    *,
    target: Any = None,
    fixed: Collection[str] = (),
) -> Iterator[Counterfactual]:
    """The same one by one, for a row whose numbers and codes, and whose answer, are known.

    `check_tree` comes first.
    """
    is_target = _target_check(tree, answer, target)
    held = check_fixed(tree, fixed)
    places = frozenset(k for k, column in enumerate(tree.columns) if column.name in held)
    narrowing = Narrowing(tree, arrays, places)
    now = cache(lambda: raw_values(row, ((k, column.name) for k, column in enumerate(tree.columns))))
    near = (
        _describe(tree, narrowing, box, point, now())
        for box, point in nearest_boxes(narrowing)
        if point.changed and _may_be(tree, box, is_target)
    )
    return (one for one in near if is_target(one.answer))


# --- the answer wanted --------------------------------------------------------------------------------------

IsTarget = Callable[[Any], bool]


def _target_check(tree: Tree, now: Any, target: Any) -> IsTarget:
    """Whether an answer is what is wanted; `now` is that of the row."""
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
    leaves = apply.leaves(tree, Table(tree.columns, 1, arrays))
    reached = apply.complete_routing(tree, leaves, arrays if leaves[0] < 0 else None)
    answer, shares = answer_of_row(tree, reached, arrays)
    return answer, None if shares is None else shares[answer], tuple(reached.leaf.tolist())


def answer_of_row(
    tree: Tree, reached: Routing, arrays: tuple[AnyArray, ...]
) -> tuple[Any, dict[Any, float] | None]:
    """What a tree says of the one row that reached some leaves, and the probability of each class."""
    if tree.classes is None:
        return float(routing.values(tree, reached, arrays)[0]), None
    label, shares = int(routing.labels(tree, reached)[0]), routing.probabilities(tree, reached)[0]
    return tree.classes[label], dict(zip(tree.classes, shares.tolist(), strict=True))


def _may_be(tree: Tree, box: PartialBox, is_target: IsTarget) -> bool:
    """Whether a box can have the answer: one leaf says it at once, several only when asked together."""
    if len(box.leaves) > 1:
        return True
    leaf = box.leaves[0]
    return is_target(
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


def _describe(
    tree: Tree, narrowing: Narrowing, box: PartialBox, point: Point, now: Mapping[str, Any]
) -> Counterfactual:
    new = point.values
    values = dict(now)
    changes = []
    marked = {column for node, _ in box.sides for column in narrowing.sums[node].marks}
    for place, column in enumerate(tree.columns):
        if place in new and new[place] != narrowing.values[place]:
            values[column.name] = user_value(column, new[place])
            region = box.regions.get(place, NumberRange())
            if place in marked:  # other categories of the region weigh something else
                region = Codes(frozenset({int(new[place])}))
            changes.append(
                change_of(column, now[column.name], values[column.name], region, narrowing.values[place])
            )
    answer, probability, leaves = _answer(tree, _changed(narrowing.arrays, new))
    return Counterfactual(tuple(changes), point.distance, values, answer, probability, leaves)


# --- checks of the arguments --------------------------------------------------------------------------------


def check_tree(tree: Tree) -> None:
    """Refuse a tree whose answers do not change from box to box."""
    if tree.task.is_density:
        raise ValueError(
            "model is a density tree, which has no answers to be changed: give one of classes or of numbers"
        )
    refuse_functions(tree.expressions)
    for node in np.flatnonzero(tree.kind == EXPRESSION).tolist():
        if weighted_sum(tree, node) is None:
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
    fixed_names = (fixed,) if isinstance(fixed, str) else tuple(fixed)
    for name in fixed_names:
        if name not in names:
            hint = did_you_mean(name, names)
            raise ValueError(f"fixed names the column {name!r}{hint}: the columns are {', '.join(names)}")
    return fixed_names


def _whole(n: Any) -> int:
    if isinstance(n, bool) or not isinstance(n, Integral) or n < 1:
        raise ValueError(f"n={n!r} must be a whole number of at least 1")
    return int(n)
