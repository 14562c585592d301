"""The range of columns of numbers, and whether something infinite hides in them.

One idea: the smallest and the largest value tell everything at once (range, a gap, infinity), so nothing of
a column's size is ever made. A row-major table is read as fewer, longer rows, because numpy compares long
rows at memory speed:

    rows of 3 columns        a b c | a b c | a b c | a b c
    folded by 2              a b c   a b c | a b c   a b c      then the two halves are compared
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_FOLDED_WIDTH = 2048  # numbers in a folded row
_BLOCK = 1 << 16  # numbers looked at in one go: they stay in the cache between the two readings

Floats = NDArray[np.floating[Any]]


class Range(NamedTuple):
    """Smallest and largest value, nan where there is none, and whether there was a gap."""

    low: float
    high: float
    has_missing: bool

    @property
    def is_infinite(self) -> bool:
        """Whether an end of the range is infinite."""
        return math.isinf(self.low) or math.isinf(self.high)


def column_range(values: Floats) -> Range:
    """The range of one column of numbers.

    >>> column_range(np.array([2.0, np.nan, -1.0]))
    Range(low=-1.0, high=2.0, has_missing=True)
    """
    if len(values) == 0:
        return Range(math.nan, math.nan, has_missing=False)
    low, high = float(values.min()), float(values.max())
    if not math.isnan(low):
        return _range(low, high, has_missing=False)
    return _range(float(np.fmin.reduce(values)), float(np.fmax.reduce(values)), has_missing=True)


def _range(low: float, high: float, has_missing: bool) -> Range:  # noqa: FBT001 (a field, not a switch)
    """Make a range with one zero: whether numpy finds -0.0 or 0.0 the smallest depends on the row order."""
    return Range(low + 0.0, high + 0.0, has_missing)


def dense_ranges(dense: Floats) -> list[Range]:
    """The range of every column of a two-dimensional array.

    >>> dense_ranges(np.array([[1.0, 5.0], [3.0, 4.0]]))[1]
    Range(low=4.0, high=5.0, has_missing=False)
    """
    if not dense.flags.c_contiguous or dense.size < 2 * _FOLDED_WIDTH:
        return [column_range(dense[:, j]) for j in range(dense.shape[1])]
    lows, highs = _extremes(dense, np.minimum, np.maximum)  # nan where there is a gap
    gaps = np.isnan(lows)
    if gaps.any():
        lows, highs = _extremes(dense, np.fmin, np.fmax)  # gaps ignored
    return [_range(*column) for column in zip(lows.tolist(), highs.tolist(), gaps.tolist(), strict=True)]


def _extremes(dense: Floats, least: np.ufunc, most: np.ufunc) -> tuple[Floats, Floats]:
    """Smallest and largest number of each column of a row-major array, one block after the other."""
    n_rows, n_columns = dense.shape
    fold = max(1, _FOLDED_WIDTH // n_columns)
    tail = n_rows % fold
    folded = dense[: n_rows - tail].reshape(-1, fold * n_columns)
    step = max(1, _BLOCK // folded.shape[1])
    low, high = folded[0].copy(), folded[0].copy()
    for start in range(0, len(folded), step):
        block = folded[start : start + step]
        least(low, least.reduce(block, axis=0), out=low)
        most(high, most.reduce(block, axis=0), out=high)
    rest = dense[n_rows - tail :]
    lows = np.concatenate([low.reshape(fold, n_columns), rest])
    highs = np.concatenate([high.reshape(fold, n_columns), rest])
    return least.reduce(lows, axis=0), most.reduce(highs, axis=0)


def first_infinite(dense: Floats) -> tuple[int, int] | None:
    """Row and column of the first infinite number of a two-dimensional array, None if there is none.

    A sum is finite only if every number is, so one sum usually settles it; a gap (nan) needs a closer look.

    >>> first_infinite(np.array([[1.0, np.nan], [2.0, np.inf]]))
    (1, 1)
    """
    if dense.size > _FOLDED_WIDTH:
        with np.errstate(over="ignore", invalid="ignore"):
            if math.isfinite(np.add.reduce(dense, axis=None)):
                return None
    step = max(1, _BLOCK // max(1, dense.shape[1]))
    for start in range(0, len(dense), step):
        infinite = np.isinf(dense[start : start + step])
        if infinite.any():
            row, column = np.argwhere(infinite)[0]
            return start + int(row), int(column)
    return None
