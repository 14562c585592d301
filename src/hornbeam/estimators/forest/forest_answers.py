"""Asking: rows to what the trees answer together.

One idea: every tree adds its answers to one array, in the order of the trees, so the sum is the same for any
number of threads. Rows that follow all paths in a tree, and trees with tests of other kinds, take the way
single trees take.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hornbeam import _core
from hornbeam._base.types import AnyArray, Floats, Ints
from hornbeam.data.table import Table
from hornbeam.estimators.forest.tree_sequence import Packed, Trees
from hornbeam.tree import apply, routing
from hornbeam.tree.apply import n_threads
from hornbeam.tree.tree import Tree

_FEW = 10_000  # rows that one thread takes to their leaves sooner than several are started


def sheet_of(table: Table) -> AnyArray | None:
    """The table as one array of numbers; None if it has columns that are no numbers."""
    if table.dense is not None:
        return table.dense
    if not table.columns or not all(column.is_number for column in table.columns):
        return None
    return np.stack(table.arrays, axis=1)


class Question:
    """Rows as every tree of a forest can read them.

    Parameters
    ----------
    trees : the forest
    X : the rows: a Table that matches the trees, or anything a Table can be made of
    estimator : who is asking, for the error messages
    n_jobs : threads
    """

    def __init__(self, trees: Trees, X: Any, estimator: str, n_jobs: int | None) -> None:
        self.trees = trees
        columns = trees.columns
        self._given, self._estimator = X, estimator
        self._table: Table | None = None  # None: every tree has columns of its own
        self._sheet: AnyArray | None = None
        if isinstance(X, Table) or columns is not None:
            self._table = X if isinstance(X, Table) else Table.match(X, columns or (), estimator)
            self._sheet = sheet_of(self._table)
        self.n_rows = self._table_of(trees[0]).n_rows if self._table is None else self._table.n_rows
        self._threads = 1 if self.n_rows < _FEW else n_threads(n_jobs)

    def _table_of(self, tree: Tree) -> Table:
        if self._table is not None:
            return self._table
        return Table.match(self._given, tree.columns, self._estimator)

    def leaves(self, i: int) -> Ints:
        """The leaf of each row in tree i; of several the heaviest."""
        packed, leaves = self._walked(i, "value" if self.trees.task == "real" else "mean")
        return leaves if packed is not None else self._routed(self.trees[i]).heaviest()

    def answers(self, i: int, how: str) -> Floats:
        """What tree i answers for each row: shares, a vote, or a value, as `how` says."""
        packed, leaves = self._walked(i, how)
        if packed is not None:
            return packed.answers.take(leaves, axis=0)
        tree = self.trees[i]
        found = self._routed(tree)
        if how == "vote":
            return np.eye(len(tree.classes or ()))[routing.labels(tree, found)]
        return routing.probabilities(tree, found) if how == "mean" else routing.values(tree, found)[:, None]

    def _walked(self, i: int, how: str) -> tuple[Packed | None, Ints]:
        """The packed tree and the leaf of each row; no tree if it is not packed or a row takes all paths."""
        if self._sheet is not None:
            packed = self.trees.packed(i, self._sheet.dtype.char, how)
            if packed is not None:
                leaves, _ = _core.apply_dense(packed.nodes, self._sheet, self._threads)
                if leaves.min() >= 0:
                    return packed, leaves
        return None, np.empty(0, dtype=np.int32)

    def mean(self, how: str) -> Floats:
        """The mean of what the trees answer."""
        total = self.answers(0, how).copy()
        for i in range(1, len(self.trees)):
            total += self.answers(i, how)
        total /= len(self.trees)
        return total

    def _routed(self, tree: Tree) -> routing.Routing:
        table = self._table_of(tree)
        leaves = apply.leaves(tree, table, self._threads)
        return apply.complete_routing(tree, leaves, table.arrays if leaves.min() < 0 else None)
