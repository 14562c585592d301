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
    from hornbeam.tree.tree import Tree


def boxes(tree: Tree) -> tuple[Floats, Floats]:
    """The lower and the upper ends of the boxes: a row for each node, a column for each column.

    NaN stands for a column the boxes say nothing about.
    """
    if not len(tree.box_column):
        raise ValueError("this density tree has no boxes: give box_offset, box_column, box_low and box_high")
    _refuse_unknown_boxes(tree)
    low, high = (np.full((len(tree), len(tree.columns)), np.nan) for _ in range(2))
    owner = owners(tree.box_offset)
    low[owner, tree.box_column], high[owner, tree.box_column] = tree.box_low, tree.box_high
    for nodes in tree.levels()[1:]:
        inherited = low[tree.parent[nodes]], high[tree.parent[nodes]]
        _narrow(tree, nodes, *inherited)
        for ends, others in zip((low, high), inherited, strict=True):
            ends[nodes] = np.where(np.isnan(ends[nodes]), others, ends[nodes])
    return low, high


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
    with np.errstate(over="ignore", under="ignore"):
        volume: Floats = sides(*boxes(tree)).prod(axis=1)
    return volume


def log_volumes(tree: Tree) -> Floats:
    """The natural logarithm of each volume, which is finite whatever the units."""
    log_volume: Floats = np.log(sides(*boxes(tree))).sum(axis=1)
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


def _refuse_unknown_boxes(tree: Tree) -> None:
    above = tree.kind[tree.parent[1:]]
    unknown = (above != THRESHOLD) & (above != SUBSET) & (np.diff(tree.box_offset)[1:] == 0)
    if unknown.any():
        raise ValueError(
            f"node {int(np.argmax(unknown)) + 1} of this density tree has no box, which does not follow"
            " from the test above it: give box_column, box_low and box_high for it"
        )


def _narrow(tree: Tree, nodes: Longs, low: Floats, high: Floats) -> None:
    """Cut the boxes of parents, handed down to their children, as the parents' tests say."""
    parent = tree.parent[nodes]
    kind, column, branch = tree.kind[parent], tree.column[parent], nodes - tree.first_child[parent]
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
