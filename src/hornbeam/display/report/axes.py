"""Axes: where the values of a column lie between 0 and 1, the same at every node.

One idea: pictures of one column share one axis, so that a cut is at the same place wherever the column is
tested. A numeric column is divided into equal bins once; a node then only counts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from hornbeam._base.types import AnyArray, Floats, Longs
from hornbeam.data.columns import Column
from hornbeam.tree.words import amount

BINS = 20


@dataclass(frozen=True, eq=False)
class Axis:
    """Numbers from `low` to `high` in `bins` equal bins; NaN and missing codes are in bin -1."""

    low: float
    high: float
    bins: int = BINS

    @classmethod
    def of(cls, values: Floats, low: float = math.nan, high: float = math.nan, bins: int = BINS) -> Axis:
        """The axis of some values, at least from `low` to `high`.

        >>> Axis.of(np.array([1.0, np.nan, 3.0]), low=0.0)
        Axis(low=0.0, high=3.0, bins=20)
        """
        known = values[np.isfinite(values)]
        ends = [v for v in (low, high) if math.isfinite(v)]
        if len(known):
            ends += [float(known.min()), float(known.max())]
        return cls(min(ends, default=0.0), max(ends, default=1.0), bins)

    def place(self, value: float) -> float:
        """Where a value is, from 0 to 1; the middle if all values are the same."""
        if not self.low < self.high:
            return 0.5
        return round(min(max((value - self.low) / (self.high - self.low), 0.0), 1.0), 4)

    def bin_of(self, values: Floats) -> Longs:
        """The bin of each value, -1 where it is missing.

        >>> Axis(0.0, 10.0, 5).bin_of(np.array([0.0, 1.9, 2.0, 10.0, np.nan]))
        array([ 0,  0,  1,  4, -1])
        """
        missing = np.isnan(values)
        if not self.low < self.high:
            return np.where(missing, -1, self.bins // 2)
        share = (np.where(missing, self.low, values) - self.low) / (self.high - self.low)
        found = np.clip((share * self.bins).astype(np.int64), 0, self.bins - 1)
        return np.where(missing, -1, found)


def numbers(array: AnyArray) -> Floats:
    """A column of a Table as doubles; missing and never seen codes are NaN."""
    if array.dtype.kind == "f":
        return array.astype(np.float64, copy=False)
    return np.where(array < 0, np.nan, array.astype(np.float64))


def axis_of(column: Column, array: AnyArray) -> Axis:
    """The axis of a numeric column."""
    return Axis.of(numbers(array), column.low, column.high)


def value_text(column: Column, value: float) -> str:
    """A value of a column for people: few digits of a number, a date, a category."""
    return amount(value) if column.is_number else column.text(value)


def ends_text(column: Column, axis: Axis) -> list[str]:
    """The two ends of an axis in words."""
    return [value_text(column, axis.low), value_text(column, axis.high)]


def rounded(values: Any) -> list[Any]:
    """Counts as whole numbers where they are, else with two decimals.

    >>> rounded(np.array([2.0, 0.333333, 3.0000001]))
    [2, 0.33, 3]
    """
    short = (round(float(v), 2) for v in np.asarray(values).tolist())
    return [int(v) if v.is_integer() else v for v in short]
