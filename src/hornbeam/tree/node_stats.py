"""Stats: what a node says about its rows, and the one formula that merges those of several nodes.

======== ===================================================================================================
classes  the weight of each class
numbers  (weight, mean, squares), squares being the sum of w (y - mean)^2; of rates also the sum of w y ln y
density  (weight,)
======== ===================================================================================================

Nodes of numbers do not add up: their means are weighed, and squares grow by how far the means lie apart::

    W = sum w        M = sum w m / W        squares = sum (squares + w (m - M)^2)

Rows are summed by the core, exactly: a mean is the double nearest to the mean of the rows, in whatever order
they come and however far apart they lie.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam import _core
from hornbeam._base.types import AnyArray, Floats, Ints, Task

if TYPE_CHECKING:
    from hornbeam.tree.tree import Tree

_LARGEST = np.finfo(np.float64).max
_ROUNDING = 32 * np.finfo(np.float64).eps  # squares below this share of what they are the rest of are none


def stats_of_groups(group: AnyArray, n_groups: int, weight: Floats, values: Floats, width: int = 3) -> Floats:
    """The Stats of numbers by group: [groups, width], a width of 4 for rates.

    >>> stats_of_groups(np.array([0, 0, 1]), 2, np.array([1.0, 3.0, 2.0]), np.array([1.0, 5.0, 0.1]))
    array([[ 4. ,  4. , 12. ],
           [ 2. ,  0.1,  0. ]])
    """
    alone = np.full(n_groups, -1, dtype=np.int32)
    return _stats(alone, np.zeros(n_groups, dtype=np.int32), group, weight, values, width)


def stats_of_tree(tree: Tree, leaf: AnyArray, weight: Floats, values: Floats, width: int = 3) -> Floats:
    """The Stats of all nodes of a tree, from rows in its leaves."""
    return _stats(tree.first_child, tree.n_children, leaf, weight, values, width)


def _stats(
    first_child: Ints, n_children: Ints, leaf: AnyArray, weight: Floats, values: Floats, width: int
) -> Floats:
    weight, values = (np.ascontiguousarray(array, dtype=np.float64) for array in (weight, values))
    first, count, at = (
        np.ascontiguousarray(array, dtype=np.int32) for array in (first_child, n_children, leaf)
    )
    return _core.node_stats(first, count, at, weight, values, width == 4)


def row_sums(table: Floats) -> Floats:
    """The sum of each row, [..., columns] becomes [...]; of few columns by adding them, which is much faster.

    >>> row_sums(np.array([[1.0, 2.0], [3.0, 4.0]]))
    array([3., 7.])
    """
    if table.ndim < 2 or not 0 < table.shape[-1] < 8:  # from 8 on numpy adds in pairs
        sums: Floats = table.sum(axis=-1)
        return sums
    total = table[..., 0].copy()
    for column in range(1, table.shape[-1]):
        total += table[..., column]
    return total


def row_sums_with_rest(table: Floats) -> tuple[Floats, Floats]:
    """The sum of each row, and what rounding left of it.

    >>> row_sums_with_rest(np.array([[1.0, 1e-20]]))
    (array([1.]), array([1.e-20]))
    """
    total, rest = table[..., 0].copy(), np.zeros(table.shape[:-1])
    for column in range(1, table.shape[-1]):
        part = table[..., column]
        added = total + part
        own = added - total
        rest += (total - (added - own)) + (part - own)
        total = added
    return total, rest


def merge_stats(parts: Floats, task: str) -> Floats:
    """The Stats of groups taken together: [..., groups, width] becomes [..., width].

    >>> merge_stats(np.array([[1.0, 1.0, 0.0], [3.0, 5.0, 0.0]]), "real")
    array([ 4.,  4., 12.])
    """
    if not Task(task).is_real:
        return row_sums(np.swapaxes(parts, -1, -2))
    with np.errstate(over="ignore"):
        merged: Floats = parts.sum(axis=-2)
    merged[..., 1] = _mean(parts)
    merged[..., 2] = np.minimum(merged[..., 2] + squares_between(parts), _LARGEST)
    return merged


def squares_between(parts: Floats) -> Floats:
    """How far the means of groups lie apart: the sum of w (m - M)^2, [..., groups, width] becomes [...]."""
    with np.errstate(over="ignore"):
        between: Floats = (parts[..., 0] * (parts[..., 1] - _mean(parts)[..., None]) ** 2).sum(axis=-1)
    return np.minimum(between, _LARGEST)


def _mean(parts: Floats) -> Floats:
    """The mean of all groups, from that of the heaviest on: equal means have the same mean."""
    weight, means = parts[..., 0], parts[..., 1]
    total = weight.sum(axis=-1)
    share = weight / np.where(total > 0, total, 1.0)[..., None]
    first = np.take_along_axis(means, weight.argmax(axis=-1)[..., None], axis=-1)
    mean: Floats = first[..., 0] + (share * (means - first)).sum(axis=-1)
    return mean


def stats_of_sums(sums: Floats, center: float) -> Floats:
    """The Stats of numbers from sums that add up: (w, w (y - center), w (y - center)^2), whatever follows.

    >>> stats_of_sums(np.array([[2.0, 2.0, 10.0], [0.0, 0.0, 0.0]]), 3.0)
    array([[2., 4., 8.],
           [0., 0., 0.]])
    """
    stats = sums.astype(np.float64)
    weight, first, second = sums[..., 0], sums[..., 1], sums[..., 2]
    some = weight > 0
    away = np.divide(first, weight, out=np.zeros(weight.shape), where=some)
    squares = second - first * away
    stats[..., 1] = np.where(some, center + away, 0.0)
    stats[..., 2] = np.where(some & (squares > _ROUNDING * second), squares, 0.0)
    return stats


def without_center(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """What makes a Tree, from what made one before: sums around a center, where the target is a number."""
    changed = {name: value for name, value in arguments.items() if name != "center"}
    if "center" in arguments and arguments["task"] == Task.REAL:
        changed["stats"] = stats_of_sums(np.asarray(arguments["stats"]), float(arguments["center"]))
    return changed


def moderate(weight: Floats, impurity: Floats) -> Floats:
    """Weights times one power of two, where their products with impurities would be beyond a float.

    >>> moderate(np.array([4.0, 2.0]), np.array([1.0, 0.5]))
    array([4., 2.])
    >>> moderate(np.array([4.0, 2.0]), np.array([1e308, 0.0]))
    array([0.5 , 0.25])
    """
    largest = int(np.frexp(weight.max(initial=0.0))[1])
    if largest + int(np.frexp(impurity.max(initial=0.0))[1]) < 1000:
        return weight
    return np.ldexp(weight, -largest)
