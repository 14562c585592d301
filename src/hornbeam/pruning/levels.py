"""Passes over a tree from its deepest tests up to the root, and the cheapest pruning, which one pass finds.

All tests of one depth are decided together, by segmented sums over their children::

    tests   [ 3      5   ]       of one depth
    kids    [ 7 8 9  10 11 ]     their children, one after the other
    start   [ 0      3   ]       where the children of each begin

so a pass over the tree costs a few numpy calls for each level, and every node is looked at once.

What leaves cost adds up, so in the cheapest pruning a test stays exactly if its children, pruned as well as
can be, cost less than the node does as a leaf. Where both cost the same the leaf wins, hence of all cheapest
prunings the smallest is found; or, on request, the test stays.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hornbeam._base.types import AnyArray, Bools, Floats, Longs
from hornbeam.pruning.record import Decisions
from hornbeam.tree.tree import Tree


class Level(NamedTuple):
    """The tests of one depth, and their children."""

    tests: Longs
    kids: Longs
    start: Longs

    @property
    def sizes(self) -> Longs:
        """How many children each test has."""
        return np.diff(np.append(self.start, len(self.kids)))

    def where(self, mask: AnyArray) -> Level:
        """The tests of the mask, with their children."""
        if mask.all():
            return self
        count = self.sizes[mask]
        return Level(self.tests[mask], self.kids[np.repeat(mask, self.sizes)], np.cumsum(count) - count)

    def sums(self, values: AnyArray) -> AnyArray:
        """For each test the sum over its children."""
        return np.add.reduceat(values[self.kids], self.start, axis=0)

    def all(self, values: AnyArray) -> AnyArray:
        """For each test whether all of its children are true."""
        return np.logical_and.reduceat(values[self.kids], self.start)


def levels_up(tree: Tree) -> list[Level]:
    """The levels of a tree that have tests, from the deepest to the root.

    >>> inner = {"column": "b", "<=": 0.5, "yes": "p", "no": "q"}
    >>> tree = Tree.from_nested({"column": "a", "<=": 0.5, "yes": inner, "no": "p"})
    >>> [(level.tests.tolist(), level.kids.tolist()) for level in levels_up(tree)]
    [([1], [3, 4]), ([0], [1, 2])]
    """
    tests = np.flatnonzero(tree.first_child >= 0)
    depth = tree.depths[tests]
    order = np.argsort(depth, kind="stable")
    ends = np.cumsum(np.bincount(depth)) if len(tests) else np.empty(0, dtype=np.int64)
    levels = []
    for high, low in zip(ends[::-1], [*ends[-2::-1], 0], strict=False):
        here = tests[order[low:high]]
        count = tree.n_children[here].astype(np.int64)
        start = np.cumsum(count) - count
        kids = np.repeat(tree.first_child[here] - start, count) + np.arange(count.sum())
        levels.append(Level(here, kids, start))
    return levels


def tests_up(tree: Tree) -> Longs:
    """The tests of a tree in the order of `levels_up`.

    >>> inner = {"column": "b", "<=": 0.5, "yes": "p", "no": "q"}
    >>> tests_up(Tree.from_nested({"column": "a", "<=": 0.5, "yes": inner, "no": "p"}))
    array([1, 0])
    """
    tests = np.flatnonzero(tree.first_child >= 0)
    height = tree.depth - tree.depths[tests]
    short = height.astype(np.uint16) if tree.depth < 2**16 else height  # sorts in linear time
    return tests[np.argsort(short, kind="stable")]


def leaf_counts(tree: Tree) -> Longs:
    """How many leaves each node stands for as a leaf: 1, or one for each absent value that shares it.

    >>> from hornbeam.data.columns import Column
    >>> tree = Tree.from_nested({"column": "a", "branches": {"u": "p", "v": "q"}},
    ...                         columns=[Column("a", "nominal", ("u", "v", "w", "x"))])
    >>> leaf_counts(tree).tolist()
    [1, 1, 1, 2]
    """
    counts = np.ones(len(tree), dtype=np.int64)
    shared = np.flatnonzero(tree.absent >= 0)
    if len(shared):
        domain = np.array([len(column.categories) for column in tree.columns])[tree.column[shared]]
        present = np.diff(tree.map_offset)[shared]
        counts[tree.first_child[shared] + tree.absent[shared]] = domain - present
    return counts


def sums_up(tree: Tree, values: Floats) -> Floats:
    """What the leaves' values add up to at every node; the values of inner nodes are not read."""
    sums = values.copy()
    for level in levels_up(tree):
        sums[level.tests] = level.sums(sums)
    return sums


_TIE = 1e-12  # of a node's cost as a leaf: what is closer is equal, whatever the sums' rounding


class CheapestPruning(NamedTuple):
    """Which nodes become leaves; each test's cost as it is and as a leaf, in the order of examination.

    `total` is what the leaves of the pruned tree cost together.
    """

    leaf: Bools
    examined: Longs
    below: Floats
    own: Floats
    total: float

    def decisions(self, as_tree: str, as_leaf: str) -> Decisions:
        """The decisions, with these names for the two costs."""
        numbers = {as_tree: self.below, as_leaf: self.own}
        return Decisions(self.examined, self.leaf[self.examined].astype(np.int8), numbers)


def cheapest_pruning(
    tree: Tree, cost: Floats, *, ties: str = "prune", slack: Floats | float = 0.0
) -> CheapestPruning:
    """Find the cheapest pruning, given what each node costs as a leaf.

    Parameters
    ----------
    tree : Tree
    cost : the cost of each node as a leaf, what a leaf of the tree costs now included
    ties : {"prune", "keep"}
        What becomes of a test that costs the same either way.
    slack : differences up to this are rounding, too

    Examples
    --------
    >>> tree = Tree.from_nested({"column": "a", "<=": 0.5, "yes": "p", "no": "q"})
    >>> cheapest_pruning(tree, np.array([3.0, 1.0, 2.0])).leaf
    array([ True, False, False])
    >>> cheapest_pruning(tree, np.array([3.0, 1.0, 2.0]), ties="keep").leaf
    array([False, False, False])
    """
    best, below = cost.copy(), np.zeros(len(tree))
    leaf = np.zeros(len(tree), dtype=np.bool_)
    margin = _TIE * np.abs(cost) + slack
    for level in levels_up(tree):
        tests = level.tests
        below[tests] = total = level.sums(best)
        own, near = cost[tests], margin[tests]
        leaf[tests] = own <= total + near if ties == "prune" else own < total - near
        best[tests] = np.where(leaf[tests], own, total)
    order = tests_up(tree)
    return CheapestPruning(leaf, order, below[order], cost[order], float(best[0]))
