"""Compare two trees from the root down: which tests the second has at the places of the first.

The roots are at the same place. Below, two nodes are at the same place if their parents are, test the same
column, and the branches that lead to them agree: both "at most" or both "more", wherever the two cuts lie;
otherwise branches are paired by the rows they take, the two that share most rows first. Where two tests
differ, nothing below them is compared.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hornbeam._base.types import Longs
from hornbeam.data.table import Table
from hornbeam.tree import apply, routing
from hornbeam.tree.arrays import EQUALS, LEAF, MULTIWAY, SUBSET, THRESHOLD
from hornbeam.tree.branches import branches_of_codes
from hornbeam.tree.tree import Tree

Columns = tuple[int, ...]  # that a node tests; () for a leaf


class Met(NamedTuple):
    """What another tree has at the place of a node.

    Attributes
    ----------
    node : the node of the first tree
    columns : what the other tree tests there
    cut : its threshold, where both tests are thresholds of one column
    same_side : the values that both tests send to the same branch, where both are tests on values; None if
        they are not
    """

    node: int
    columns: Columns
    cut: float | None = None
    same_side: tuple[int, ...] | None = None


class Places:
    """The nodes of a tree with the rows that reach them, to compare other trees with.

    Parameters
    ----------
    tree : the tree
    table : rows by which branches are matched
    weights : whole numbers, how much each row counts in that; None: all alike
    """

    def __init__(self, tree: Tree, table: Table, weights: Longs | None) -> None:
        self.tree, self.table, self.weights = tree, table, weights
        self.tested = {node: columns_at(tree, node) for node in range(len(tree))}
        self._rows, self._start, self._stop = _rows_by_node(tree, table)

    def compare(self, other: Tree) -> list[Met]:
        """What another tree has at the place of each node, as far as the two trees agree."""
        here_and_there = [(0, 0)]
        notes = []
        while here_and_there:
            here, there = here_and_there.pop()
            columns = columns_at(other, there)
            if not columns or columns != self.tested[here]:
                notes.append(Met(here, columns))
                continue
            branches = self._matched_branches(here, other, there)
            notes.append(Met(here, columns, *self._details(here, other, there, branches)))
            first, first_there = int(self.tree.first_child[here]), int(other.first_child[there])
            here_and_there += [(first + k, first_there + branch) for k, branch in branches.items()]
        return notes

    def _matched_branches(self, here: int, other: Tree, there: int) -> dict[int, int]:
        """For each branch of a test, the branch of the other tree's test of the same column."""
        n, n_there = int(self.tree.n_children[here]), int(other.n_children[there])
        cuts = self.tree.threshold[here], other.threshold[there]
        if self.tree.kind[here] == other.kind[there] == THRESHOLD and np.isfinite(cuts).all():
            return {k: k for k in range(min(n, n_there))}
        rows = self._rows[self._start[here] : self._stop[here]]
        ours = routing.branches(self.tree, here, self.table.arrays, rows)
        theirs = routing.branches(other, there, self.table.arrays, rows)
        shared: Longs = np.zeros((n, n_there), dtype=np.int64)
        known = (ours >= 0) & (theirs >= 0)
        weights = 1 if self.weights is None else self.weights[rows[known]]
        np.add.at(shared, (ours[known], theirs[known]), weights)
        return _pairs(shared)

    def _details(
        self, here: int, other: Tree, there: int, branches: dict[int, int]
    ) -> tuple[float | None, tuple[int, ...] | None]:
        """Where the other tree cuts the same column, or which values it has on the same side."""
        if self.tree.kind[here] == other.kind[there] == THRESHOLD:
            return float(other.threshold[there]), None
        if not {int(self.tree.kind[here]), int(other.kind[there])} <= {SUBSET, EQUALS, MULTIWAY}:
            return None, None
        pairs = zip(branches_of_codes(self.tree, here), branches_of_codes(other, there), strict=True)
        same = tuple(code for code, (k, branch) in enumerate(pairs) if k >= 0 and branches.get(k) == branch)
        return None, same


def _pairs(shared: Longs) -> dict[int, int]:
    """Rows and columns of a table paired, the largest numbers first, of equal ones the first; none by a 0.

    >>> _pairs(np.array([[200, 0], [110, 90]]))
    {0: 0, 1: 1}
    """
    left = shared.copy()
    pairs = {}
    while left.size and left.max() > 0:
        k, branch = (int(place) for place in np.unravel_index(int(np.argmax(left)), left.shape))
        pairs[k] = branch
        left[k], left[:, branch] = 0, 0
    return pairs


def columns_at(tree: Tree, node: int) -> Columns:
    """The columns that a node tests, in order; none for a leaf."""
    column = int(tree.column[node])
    return (column,) if column >= 0 else tuple(sorted(set(tree.tested_columns(node))))


def columns_of(tree: Tree) -> frozenset[int]:
    """The columns that a tree tests anywhere."""
    several = np.flatnonzero((tree.column < 0) & (tree.kind != LEAF)).tolist()
    sums = (column for node in several for column in tree.tested_columns(node))
    return frozenset([*np.unique(tree.column[tree.column >= 0]).tolist(), *sums])


def is_same_throughout(places: Places, other: Tree, notes: list[Met]) -> bool:
    """Whether another tree has the same tests of columns as the tree of these places, and no more."""
    agree = all(note.columns == places.tested[note.node] for note in notes)
    n_tests = sum(bool(note.columns) for note in notes)
    return agree and n_tests == places.tree.n_tests == other.n_tests


def _rows_by_node(tree: Tree, table: Table) -> tuple[Longs, list[int], list[int]]:
    """The rows so that those of each node stand together, and where they start and stop.

    Rows that follow several branches, since a value is missing, are left out.
    """
    leaf_of_row = apply.leaves(tree, table)
    rows = np.flatnonzero(leaf_of_row >= 0)
    order = np.array([node for node, _ in tree.walk()], dtype=np.int64)
    place = np.empty(len(tree), dtype=np.int64)
    place[order] = np.arange(len(tree))
    sizes = [1] * len(tree)  # of subtrees, each of which stands together in the order of the walk
    parents = tree.parent.tolist()
    for node in range(len(tree) - 1, 0, -1):
        sizes[parents[node]] += sizes[node]
    place_of_row = place[leaf_of_row[rows]]
    by_place = np.argsort(place_of_row, kind="stable")
    in_order = place_of_row[by_place]
    start = np.searchsorted(in_order, place)
    stop = np.searchsorted(in_order, place + np.array(sizes))
    return rows[by_place], start.tolist(), stop.tolist()
