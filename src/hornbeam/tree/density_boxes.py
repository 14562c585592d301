"""The boxes of a density tree: where each node lies, and how large it is.

One idea: only the root's box is stored. Every test cuts its node's box in two, so the others follow level by
level; a box a node has of its own goes before. The side of a box is

==========  ==========================================================================================
numeric     ``[low, high]``, its length; a column of one value is a point, whose size is 1
ordinal     ``[i - 0.5, j + 0.5]`` for the categories i to j: their number
nominal     ``[0, k]`` for k values left: their number
==========  ==========================================================================================

so the volume of a box is a length, area, ... times a number of combinations of values.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from hornbeam._base.types import AnyArray, Bools, Floats, Longs
from hornbeam.data.columns import UNSEEN
from hornbeam.tree.arrays import SUBSET, THRESHOLD, owners
from hornbeam.tree.shape import remember

if TYPE_CHECKING:
    from hornbeam.tree.shape import TreeShape
    from hornbeam.tree.tree import Tree


def levels(tree: TreeShape) -> Iterator[Longs]:
    """The nodes of each depth, from the root down.

    >>> from hornbeam.tree.tree import Tree
    >>> tree = Tree.from_nested({"column": "x", "<=": 1.5, "yes": "a", "no": "b"})
    >>> [nodes.tolist() for nodes in levels(tree)]
    [[0], [1, 2]]
    """
    nodes = np.zeros(1, dtype=np.int64)
    while len(nodes):
        yield nodes
        tests = nodes[tree.first_child[nodes] >= 0]
        nodes = _children(tree, tests)[0]


def boxes(tree: Tree) -> Iterator[tuple[Longs, Floats, Floats]]:
    """The nodes of each depth with the lower and upper ends of their boxes: a row each, a column per column.

    NaN stands for a column the boxes say nothing about.
    """
    if not len(tree.box_column):
        raise ValueError("this density tree has no boxes: give box_offset, box_column, box_low and box_high")
    low, high = (np.full((1, len(tree.columns)), np.nan) for _ in range(2))
    nodes = np.zeros(1, dtype=np.int64)
    _put_own_boxes(tree, nodes, low, high)
    while len(nodes):
        yield nodes, low, high
        tests = np.flatnonzero(tree.first_child[nodes] >= 0)
        nodes, place, branch = _children(tree, nodes[tests])
        low, high = low[tests[place]], high[tests[place]]
        _narrow(tree, nodes, branch, low, high)
        _put_own_boxes(tree, nodes, low, high)


def sides(low: Floats, high: Floats) -> Floats:
    """The size of each side; 1 for a point, and for a column the box says nothing about."""
    length: Floats = high - low
    return np.where(length > 0, length, 1.0)


def volumes(tree: Tree) -> Floats:
    """The volume of each node's box.

    >>> from hornbeam.tree.tree import Tree
    >>> half = {"column": "x", "<=": 4, "box": {"x": [0, 10]}, "yes": {"n": 3}, "no": {"n": 1}}
    >>> volumes(Tree.from_nested(half, task="density"))
    array([10.,  4.,  6.])
    """
    volume = np.ones(len(tree))
    with np.errstate(over="ignore", under="ignore"):
        for nodes, low, high in boxes(tree):
            volume[nodes] = sides(low, high).prod(axis=1)
    return volume


def log_volumes(tree: Tree) -> Floats:
    """The natural logarithm of each volume, which is finite whatever the units."""
    log_volume = np.zeros(len(tree))
    for nodes, low, high in boxes(tree):
        log_volume[nodes] = np.log(sides(low, high)).sum(axis=1)
    return log_volume


def log_densities(tree: Tree) -> Floats:
    """The natural logarithm of the density in each node; kept with the tree."""
    with np.errstate(divide="ignore"):
        return remember(
            tree, "_log_densities", lambda: np.log(tree.weight) - np.log(tree.weight[0]) - log_volumes(tree)
        )


def rows_outside(tree: Tree, arrays: Sequence[AnyArray]) -> Iterator[tuple[int, Bools]]:
    """The columns of the root's box, each with the rows that lie outside it: there the density is 0."""
    for k in range(int(tree.box_offset[1])):
        column = int(tree.box_column[k])
        values = arrays[column]
        if values.dtype.kind == "f":
            yield column, (values < tree.box_low[k]) | (values > tree.box_high[k])
        else:
            yield column, values == UNSEEN


def _children(tree: TreeShape, tests: Longs) -> tuple[Longs, Longs, Longs]:
    """The children of some tests in order, the place of the test of each, and its branch."""
    count = tree.n_children[tests].astype(np.int64)
    place = np.repeat(np.arange(len(tests)), count)
    branch = np.arange(len(place)) - np.repeat(np.cumsum(count) - count, count)
    return tree.first_child[tests].astype(np.int64)[place] + branch, place, branch


def _put_own_boxes(tree: Tree, nodes: Longs, low: Floats, high: Floats) -> None:
    """Put in the boxes that nodes have of their own."""
    for row in np.flatnonzero(tree.box_offset[nodes + 1] > tree.box_offset[nodes]).tolist():
        span = slice(int(tree.box_offset[nodes[row]]), int(tree.box_offset[nodes[row] + 1]))
        low[row, tree.box_column[span]] = tree.box_low[span]
        high[row, tree.box_column[span]] = tree.box_high[span]


def _narrow(tree: Tree, nodes: Longs, branch: Longs, low: Floats, high: Floats) -> None:
    """Cut the boxes of parents, handed down to their children, as the parents' tests say."""
    parent = tree.parent[nodes]
    kind, column = tree.kind[parent], tree.column[parent]
    has_box = tree.box_offset[nodes + 1] > tree.box_offset[nodes]
    strange = (kind != THRESHOLD) & (kind != SUBSET) & ~has_box
    if strange.any():
        raise ValueError(
            f"node {int(nodes[np.argmax(strange)])} of this density tree has no box, which does not follow"
            " from the test above it: give box_column, box_low and box_high for it"
        )
    for side, ends in ((0, high), (1, low)):  # a cut is the upper end of the first branch
        cut = np.flatnonzero((kind == THRESHOLD) & (branch == side))
        known = cut[~np.isnan(ends[cut, column[cut]])]
        ends[known, column[known]] = tree.threshold[parent[known]]
    picked = np.flatnonzero(kind == SUBSET)
    if len(picked):
        values = value_counts(tree)[nodes[picked]]
        high[picked, column[picked]] = low[picked, column[picked]] + values


def value_counts(tree: Tree) -> Longs:
    """How many values lead to each node from a test of values; kept with the tree."""

    def count() -> Longs:
        return np.bincount(tree.first_child[owners(tree.map_offset)] + tree.map_branch, minlength=len(tree))

    return remember(tree, "_value_counts", count)
