"""Mass: how much each row of a table counts, where there is no target.

One idea: repetitions and weights stay apart (K3). Cross-validation only changes repetitions: a row that is
held out is repeated no times.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hornbeam._base.types import Bools, Floats, Longs
from hornbeam.data.weights import check_some_row_counts, row_counts, sample_weights


@dataclass(frozen=True)
class Mass:
    """The weights and repetitions of `n_rows` rows; None where all are 1.

    >>> mass = Mass.of(3, sample_weight=[1, 0, 2], counts=[2, 1, 1])
    >>> mass.n_counted, mass.each()
    (3, array([2., 0., 2.]))
    """

    n_rows: int
    weights: Floats | None = None
    counts: Longs | None = None

    @classmethod
    def of(cls, n_rows: int, sample_weight: Any = None, counts: Any = None) -> Mass:
        """The mass a user gives."""
        weights, repeats = sample_weights(sample_weight, n_rows), row_counts(counts, n_rows)
        check_some_row_counts(weights, repeats)
        return cls(n_rows, weights, repeats)

    @property
    def live(self) -> Bools:
        """The rows that count at all."""
        found = np.ones(self.n_rows, dtype=np.bool_)
        if self.weights is not None:
            found &= self.weights > 0
        if self.counts is not None:
            found &= self.counts > 0
        return found

    @property
    def n_counted(self) -> int:
        """The rows of positive weight, as often as they are repeated."""
        live = self.live
        return int(np.count_nonzero(live) if self.counts is None else self.counts[live].sum())

    def each(self) -> Floats:
        """The weight of each row, repetitions included."""
        found = np.ones(self.n_rows) if self.weights is None else self.weights
        return found if self.counts is None else found * self.counts

    def repeated(self, counts: Longs) -> Mass:
        """The same rows with other repetitions."""
        return replace(self, counts=counts)

    def take(self, rows: Longs) -> Mass:
        """Some of the rows."""
        weights = None if self.weights is None else self.weights[rows]
        return Mass(len(rows), weights, None if self.counts is None else self.counts[rows])

    def sums(self, place: Longs, n_places: int) -> Floats:
        """The weight at each place, the same for any order of the rows."""
        each = self.each()
        if self.weights is not None:  # sums of reals depend on their order: add them in that of their values
            order = np.lexsort((each, place))
            place, each = place[order], each[order]
        return np.bincount(place, weights=each, minlength=n_places).astype(np.float64, copy=False)
