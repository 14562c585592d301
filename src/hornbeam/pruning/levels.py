"""Levels: a tree from its deepest tests up to the root, a level of nodes at a time.

One idea: all tests of one depth are decided together, by segmented sums over their children::

    tests   [ 3      5   ]       of one depth
    kids    [ 7 8 9  10 11 ]     their children, one after the other
    start   [ 0      3   ]       where the children of each begin

so a pass over the tree costs a few numpy calls for each level, and every node is looked at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hornbeam._base.types import AnyArray, Floats, Longs
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
        count = self.sizes
        kept = count[mask]
        return Level(self.tests[mask], self.kids[np.repeat(mask, count)], np.cumsum(kept) - kept)

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
    found = []
    for high, low in zip(ends[::-1], [*ends[-2::-1], 0], strict=False):
        here = tests[order[low:high]]
        count = tree.n_children[here].astype(np.int64)
        start = np.cumsum(count) - count
        kids = np.repeat(tree.first_child[here] - start, count) + np.arange(count.sum())
        found.append(Level(here, kids, start))
    return found


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
    """How many leaves each node stands for as a leaf: 1, or one for each absent value that shares it (K8).

    >>> from hornbeam.data.columns import Column
    >>> tree = Tree.from_nested({"column": "a", "branches": {"u": "p", "v": "q"}},
    ...                         columns=[Column("a", "nominal", ("u", "v", "w", "x"))])
    >>> leaf_counts(tree).tolist()
    [1, 1, 1, 2]
    """
    found = np.ones(len(tree), dtype=np.int64)
    shared = np.flatnonzero(tree.absent >= 0)
    if len(shared):
        domain = np.array([len(column.categories) for column in tree.columns])[tree.column[shared]]
        present = np.diff(tree.map_offset)[shared]
        found[tree.first_child[shared] + tree.absent[shared]] = domain - present
    return found


def sums_up(tree: Tree, values: Floats) -> Floats:
    """What the leaves' values add up to at every node; what inner nodes hold is not read."""
    found = values.copy()
    for level in levels_up(tree):
        found[level.tests] = level.sums(found)
    return found
