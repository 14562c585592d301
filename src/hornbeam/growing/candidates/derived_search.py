"""The best test of a node among plain columns and derived ones: predicates and sets of columns.

A predicate is evaluated, and the tuples of a set are numbered, once and on all rows; at a node a predicate is
a column of two values, and the tuples present are a column of categories.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hornbeam._base.types import Floats, Longs
from hornbeam.growing.candidates.axis_search import Derived, Search
from hornbeam.growing.candidates.node_splits import ExpressionSplit, Proposal, TupleSplit
from hornbeam.growing.splits.extra_tests import ColumnSets, Predicates
from hornbeam.growing.stepwise_growth import Growth, Node


@dataclass(frozen=True)
class _Set:
    """A set of columns: the tuples of its values in order, and the place of each row's tuple, -1 with a
    gap.
    """

    columns: tuple[int, ...]
    tuples: Floats
    place: Longs

    def derived(self, node: Node, most: int) -> Derived | None:
        """The test at a node; None if too many tuples are there, or none."""
        place = self.place[node.rows]
        present = np.flatnonzero(np.bincount(place[place >= 0], minlength=len(self.tuples)))
        if not 0 < len(present) <= most:
            return None
        branch = np.where(place < 0, -1, np.searchsorted(present, place))
        return Derived(TupleSplit(self.columns, tuple(map(tuple, self.tuples[present].tolist()))), branch)


class SetSearch(Search):
    """Columns first, then sets in their order."""

    def __init__(self, growth: Growth, part: ColumnSets) -> None:
        super().__init__(growth, part)
        self.sets = [numbered(growth, columns) for columns in part.sets_in(growth.columns, growth.arrays)]

    def propose(self, node: Node) -> Proposal | None:
        """The node's best split (K4), None if it has no candidate."""
        first = len(self.growth.columns)
        plain = self.part.plain_columns(node.usable)
        usable = set(node.usable)
        sets = [first + k for k, some in enumerate(self.sets) if usable.issuperset(some.columns)]
        return self.best_drawn(node, (*plain, *sets))

    def derived(self, node: Node, number: int) -> Derived | None:
        """The test of a set at a node; None if too many tuples are there, or none."""
        return self.sets[number].derived(node, self.part.max_branches)


def numbered(growth: Growth, columns: tuple[int, ...]) -> _Set:
    """The tuples of a set of columns in all rows; sorted by the first column, then the second, ..."""
    values = np.stack([growth.numbers(column, np.arange(growth.n_rows)) for column in columns], axis=1)
    known = ~np.isnan(values).any(axis=1)
    place = np.full(growth.n_rows, -1, dtype=np.int64)
    tuples, number = np.unique(values[known], axis=0, return_inverse=True)
    place[known] = number.reshape(-1)
    return _Set(columns, tuples, place)


class PredicateSearch(Search):
    """Columns first, then predicates in the order given."""

    def __init__(self, growth: Growth, part: Predicates) -> None:
        super().__init__(growth, part)
        tests = part.tests(growth.columns)
        rows = np.arange(growth.n_rows)
        self.splits = [ExpressionSplit(test, test.columns_in(growth.columns)) for test in tests]
        self.branches = [split.branches(growth, rows) for split in self.splits]

    def propose(self, node: Node) -> Proposal | None:
        """The node's best split (K4), None if it has no candidate."""
        first = len(self.growth.columns)
        plain = self.part.plain_columns(node.usable)
        return self.best_drawn(node, (*plain, *range(first, first + len(self.splits))))

    def derived(self, node: Node, number: int) -> Derived:
        """The test of a predicate at a node."""
        return Derived(self.splits[number], self.branches[number][node.rows])
