"""How much each row of a table counts where there is no target, and how rows are dealt to folds.

Repetitions and weights stay apart, since weights are no repetitions. Cross-validation only changes
repetitions: a row that is held out is repeated no times. Rows are put in the order of their values first and
dealt at random then, so that neither the order of the table's rows nor writing a repeated row once with a
count changes anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hornbeam._base.types import Bools, Floats, Longs
from hornbeam.data.table import Table
from hornbeam.data.weights import check_some_row_counts, row_counts, sample_weights


@dataclass(frozen=True)
class RowWeights:
    """The weights and repetitions of `n_rows` rows; None where all are 1.

    >>> weights = RowWeights.of(3, sample_weight=[1, 0, 2], counts=[2, 1, 1])
    >>> weights.n_counted, weights.each()
    (3, array([2., 0., 2.]))
    """

    n_rows: int
    weights: Floats | None = None
    counts: Longs | None = None

    @classmethod
    def of(cls, n_rows: int, sample_weight: Any = None, counts: Any = None) -> RowWeights:
        """Read the weights and counts that a user gives."""
        weights, repeats = sample_weights(sample_weight, n_rows), row_counts(counts, n_rows)
        check_some_row_counts(weights, repeats)
        return cls(n_rows, weights, repeats)

    @property
    def live(self) -> Bools:
        """The rows that count at all."""
        is_live = np.ones(self.n_rows, dtype=np.bool_)
        if self.weights is not None:
            is_live &= self.weights > 0
        if self.counts is not None:
            is_live &= self.counts > 0
        return is_live

    @property
    def n_counted(self) -> int:
        """The rows of positive weight, as often as they are repeated."""
        live = self.live
        return int(np.count_nonzero(live) if self.counts is None else self.counts[live].sum())

    def each(self) -> Floats:
        """The weight of each row, repetitions included."""
        weight = np.ones(self.n_rows) if self.weights is None else self.weights
        return weight if self.counts is None else weight * self.counts

    def repeated(self, counts: Longs) -> RowWeights:
        """The same rows with other repetitions."""
        return replace(self, counts=counts)

    def take(self, rows: Longs) -> RowWeights:
        """Some of the rows."""
        weights = None if self.weights is None else self.weights[rows]
        return RowWeights(len(rows), weights, None if self.counts is None else self.counts[rows])

    def sums(self, place: Longs, n_places: int) -> Floats:
        """The weight at each place, the same for any order of the rows."""
        each = self.each()
        if self.weights is not None:  # sums of reals depend on their order: add them in that of their values
            order = np.lexsort((each, place))
            place, each = place[order], each[order]
        return np.bincount(place, weights=each, minlength=n_places).astype(np.float64, copy=False)


_MOST_ROWS = 200_000_000  # repetitions are dealt one by one


def deal_folds(table: Table, weighting: RowWeights, n_folds: int, seed: int) -> Iterator[Longs]:
    """For each part, how many repetitions of each row are in it; no more parts than rows that count.

    >>> table = Table.learn({"x": [1.0, 2.0, 3.0]})
    >>> sum(deal_folds(table, RowWeights(3, counts=np.array([4, 0, 2])), 3, seed=0))
    array([4, 0, 2])
    """
    n = weighting.n_counted
    if n > _MOST_ROWS:
        raise ValueError(
            f"counts sum to {n}, but cross-validation deals at most {_MOST_ROWS} repetitions: use"
            " sample_weight, or pruning=CostComplexity(alpha=...)"
        )
    rows = np.flatnonzero(weighting.live)
    keys = [array[rows] for array in table.arrays]
    if weighting.weights is not None:
        keys.append(weighting.weights[rows])
    rows = rows[np.lexsort(keys[::-1])]
    if weighting.counts is not None:
        rows = np.repeat(rows, weighting.counts[rows])
    fold = np.random.default_rng(seed).permutation(n) % n_folds
    for k in range(min(n_folds, n)):
        yield np.bincount(rows[fold == k], minlength=weighting.n_rows)
