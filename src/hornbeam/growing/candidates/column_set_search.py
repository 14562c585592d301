"""The best test of a node among plain columns and sets of columns (R35).

One idea: the tuples of a set are numbered once, on all rows; at a node those present are a column of
categories.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hornbeam._base.types import Floats, Longs
from hornbeam.growing.candidates import axis_search
from hornbeam.growing.candidates.axis_search import Derived
from hornbeam.growing.candidates.node_splits import Proposal, TupleSplit
from hornbeam.growing.candidates.search import Search
from hornbeam.growing.splits.column_sets import ColumnSets
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
        for drawn in self.growth.draws(node, (*plain, *sets)):
            tried = [self.sets[k - first].derived(node, self.part.max_branches) for k in drawn if k >= first]
            derived = [each for each in tried if each is not None]
            found = axis_search.best(self.growth, node, [k for k in drawn if k < first], derived)
            if found is not None:
                return found
        return None


def numbered(growth: Growth, columns: tuple[int, ...]) -> _Set:
    """The tuples of a set of columns in all rows; sorted by the first column, then the second, ..."""
    values = np.stack([growth.numbers(column, np.arange(growth.n_rows)) for column in columns], axis=1)
    known = ~np.isnan(values).any(axis=1)
    place = np.full(growth.n_rows, -1, dtype=np.int64)
    tuples, place[known] = _unique_rows(values[known])
    return _Set(columns, tuples, place)


def _unique_rows(values: Floats) -> tuple[Floats, Longs]:
    found, place = np.unique(values, axis=0, return_inverse=True)
    return found, place.reshape(-1)
