"""Buckets: the rows that one column cannot tell apart, with the Stats of their targets.

One idea: whatever is asked about a column (a cut, a value set, a branch for each value) is a sum over its
buckets, so the rows are read once::

    rows      M n   S n   L y   M y   M y   S n   gap n   L n
    bucket      S       M       L      gaps
    Stats     [2 0]   [1 2]   [1 1]   [1 0]
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hornbeam._base.types import AnyArray, Bools, Floats, Longs
from hornbeam.data.target import Target


@dataclass(frozen=True)
class Buckets:
    """The values of a column that some row has, ascending; the Stats of their rows, and of the gaps."""

    values: Floats
    stats: Floats
    gaps: Floats | None
    mixed: Bools  # for each pair of neighbouring values: whether their rows have different targets

    @property
    def below(self) -> Floats:
        """Stats of the rows up to each value."""
        found: Floats = np.cumsum(self.stats, axis=0)
        return found

    @property
    def above(self) -> Floats:
        """Stats of the rows from each value; summed, not subtracted, so that nothing is left of a zero."""
        found: Floats = np.cumsum(self.stats[::-1], axis=0)[::-1]
        return found


class Tally:
    """The target of the rows that weigh something, ready to be added up.

    >>> from hornbeam.data.target import Target
    >>> tally = Tally(Target.classes_of(["n", "n", "y", "n"]))
    >>> tally.buckets(np.array([1.0, 1.0, 2.0, np.nan])).stats
    array([[2., 0.],
           [0., 1.]])
    """

    def __init__(self, target: Target) -> None:
        weight = np.ones(target.n_rows) if target.weights is None else target.weights
        weight = weight if target.counts is None else weight * target.counts
        self.rows = np.flatnonzero(weight > 0)
        self.weight: Floats = weight[self.rows]
        self.is_real = target.kind == "real"
        given = target.values if self.is_real else target.codes
        assert given is not None
        outcome = given[self.rows]
        self.width = 3 if self.is_real else len(target.classes)
        self.center = float(np.average(outcome, weights=self.weight)) if self.is_real else 0.0
        self.deviation = outcome.astype(np.float64) - self.center
        self.outcome: Longs = outcome.astype(np.int64)
        if self.is_real:
            self.outcome = np.unique(outcome, return_inverse=True)[1].reshape(-1)

    def buckets(self, array: AnyArray) -> Buckets:
        """Part the rows by their values in one column."""
        x = array[self.rows]
        known = ~np.isnan(x) if x.dtype.kind == "f" else x >= 0
        values, place = np.unique(x[known].astype(np.float64), return_inverse=True)
        bucket = np.full(len(x), len(values), dtype=np.int64)
        bucket[known] = place.reshape(-1)
        stats = self._tally(bucket, len(values) + 1)
        return Buckets(
            values, stats[:-1], None if known.all() else stats[-1], self._mixed(bucket, len(values))
        )

    def _tally(self, bucket: Longs, n_buckets: int) -> Floats:
        if not self.is_real:
            cells = bucket * self.width + self.outcome
            return _sums(cells, self.weight, n_buckets * self.width).reshape(n_buckets, self.width)
        moments = (self.weight, self.weight * self.deviation, self.weight * self.deviation**2)
        return np.stack([_sums(bucket, moment, n_buckets) for moment in moments], axis=1)

    def _mixed(self, bucket: Longs, n_values: int) -> Bools:
        low = np.full(n_values + 1, np.iinfo(np.int64).max)
        high = np.full(n_values + 1, -1)
        np.minimum.at(low, bucket, self.outcome)
        np.maximum.at(high, bucket, self.outcome)
        low, high = low[:n_values], high[:n_values]
        found: Bools = np.minimum(low[:-1], low[1:]) != np.maximum(high[:-1], high[1:])
        return found

    def weights(self, stats: Floats) -> Floats:
        """The weight of each of the Stats."""
        found: Floats = stats[..., 0] if self.is_real else stats.sum(axis=-1)
        return found

    def shown(self, stats: Floats) -> Floats:
        """Stats of y itself rather than of its deviation from the mean."""
        if not self.is_real:
            return stats
        w, s, q = np.moveaxis(stats, -1, 0)
        return np.stack([w, s + w * self.center, q + 2 * s * self.center + w * self.center**2], axis=-1)


def _sums(place: Longs, weights: Floats, n: int) -> Floats:
    return np.bincount(place, weights=weights, minlength=n).astype(np.float64, copy=False)
