"""Binning: a numeric column as a few ordered categories.

One idea: a bin ends where so many rows have gone by that the next share of 1 / n_bins is full; a value is
never torn apart. The bins depend on the values and their counts only, not on the order of the rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hornbeam._base.types import Floats, Longs


@dataclass(frozen=True)
class Cut:
    """A threshold with the neighbouring training values."""

    threshold: float
    low: float = math.nan
    high: float = math.nan


def midpoint(low: float, high: float) -> Cut:
    """The cut between two neighbouring values (K7): their midpoint, always below the upper one.

    >>> midpoint(1.0, 2.0)
    Cut(threshold=1.5, low=1.0, high=2.0)
    """
    middle = low + (high - low) / 2
    if not math.isfinite(middle):
        middle = low / 2 + high / 2
    return Cut(low if middle >= high else middle, low, high)


def quantile_cuts(values: Floats, counts: Longs, n_bins: int) -> tuple[Cut, ...]:
    """The cuts of at most `n_bins` bins of about equally many rows; of few values each has its own bin.

    Parameters
    ----------
    values, counts : the value of each row, none of them missing, and how often the row is repeated

    Examples
    --------
    >>> x = np.array([1.0, 1.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    >>> [cut.threshold for cut in quantile_cuts(x, np.ones(8, dtype=int), 4)]  # 1, 2, 3-4, 5-6
    [1.5, 2.5, 4.5]
    """
    distinct, rank = np.unique(values, return_inverse=True)
    if len(distinct) <= n_bins:
        ends: Sequence[int] = range(len(distinct) - 1)
    else:
        below = np.cumsum(np.bincount(rank.reshape(-1), weights=counts)).astype(np.int64)
        full = np.array([k * int(below[-1]) for k in range(1, n_bins)])
        first_full = np.unique(
            np.searchsorted(below * n_bins, full)
        )  # the first value at which a share is full
        ends = first_full[first_full < len(distinct) - 1].tolist()
    return tuple(midpoint(float(distinct[i]), float(distinct[i + 1])) for i in ends)


def bins(values: npt.NDArray[np.floating], cuts: Sequence[Cut]) -> Longs:
    """The bin of each value, -1 where it is missing.

    >>> bins(np.array([0.0, 1.5, 9.0, np.nan]), [Cut(1.5), Cut(2.5)])
    array([ 0,  0,  2, -1])
    """
    bin_of_row = np.searchsorted([cut.threshold for cut in cuts], values)
    return np.where(np.isnan(values), -1, bin_of_row).astype(np.int64)
