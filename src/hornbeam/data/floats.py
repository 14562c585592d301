"""Numbers and times as floats without ever merging two that differ, and the ranges of float columns.

Whole numbers: float64 holds every one up to 2**53 and only some beyond. When learning, a number it cannot
hold is refused, for two training values must not become one. When predicting, such a number is rounded *up*:
for every float t, `x <= t` exactly if `up(x) <= t`, so the answer stays exact.

Times: one tick is a microsecond, which float64 counts exactly for every whole second of 18,000 years and for
every microsecond from 1685 to 2255. Columns that need nanoseconds get them if float64 can hold those, and are
refused if not.

Ranges: the smallest and the largest value tell everything at once (range, a gap, infinity), so no array of a
column's size is ever made.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hornbeam.data.cells import Cells, family_of
from hornbeam.data.columns import Column, too_large
from hornbeam.data.formatting import parse_display

Ints = NDArray[np.integer[Any]]
Floats = NDArray[np.floating[Any]]
ToFloats = Callable[[Ints, str], Floats]

LARGEST_EXACT = 2**53  # beyond it float64 holds only some of the whole numbers


def exact_floats(whole: Ints, name: str) -> Floats:
    """The same numbers as floats, float32 where that is enough; an error if one would change.

    >>> exact_floats(np.array([1, 2**40]), "id")
    array([1.00000000e+00, 1.09951163e+12])
    """
    floats = nearest_floats(whole)
    changed = first_changed(whole, floats)
    if changed is not None:
        raise ValueError(too_large(name, whole[changed]))
    return floats


def first_changed(whole: Ints, floats: Floats) -> int | None:
    """The position of the first whole number that its float does not equal.

    >>> first_changed(np.array([1, 2**53 + 1]), np.array([1.0, 2.0**53]))
    1
    """
    if whole.dtype.itemsize < 8 or not _beyond_exact(whole):
        return None
    changed = np.flatnonzero(_back(floats, whole) != whole)
    return int(changed[0]) if len(changed) else None


def ceiling_floats(whole: Ints, name: str) -> Floats:
    """The smallest floats that are not below the numbers; `name` is there to match `exact_floats`.

    >>> int(ceiling_floats(np.array([2**53 + 1]), "id")[0]) - 2**53
    2
    """
    del name
    floats = nearest_floats(whole)
    if whole.dtype.itemsize < 8 or not _beyond_exact(whole):
        return floats
    too_low = (_back(floats, whole) < whole) & (floats <= _largest(whole))
    return np.where(too_low, np.nextafter(floats, np.inf), floats)


def ceiling_thousandths(whole: Ints) -> Floats:
    """The smallest floats that are not below `whole / 1000`: nanoseconds as microseconds.

    >>> ceiling_thousandths(np.array([2500]))
    array([2.5])
    """
    thousands, rest = np.divmod(whole, 1000)
    floats = thousands + rest / 1000
    return np.where((floats - thousands) * 1000 < rest, np.nextafter(floats, np.inf), floats)


def nearest_floats(whole: Ints) -> Floats:
    """The nearest floats, float32 where that is enough."""
    return whole.astype(np.float32 if whole.dtype.itemsize <= 2 else np.float64)


def _beyond_exact(whole: Ints) -> bool:
    return whole.size > 0 and (int(whole.max()) > LARGEST_EXACT or int(whole.min()) < -LARGEST_EXACT)


def _back(floats: Floats, whole: Ints) -> Ints:
    """The floats as whole numbers again; those that would overflow come back as the largest that does not."""
    back: Ints = np.minimum(floats, _largest(whole)).astype(whole.dtype)
    return back


def _largest(whole: Ints) -> float:
    """The largest float that is a whole number of this type: 2**63 and 2**64 are not."""
    return float(np.nextafter(float(np.iinfo(whole.dtype).max), 0))


TIMES = ("datetime64", "timedelta64", "time64")


def ticks_as_floats(times: Any, name: str) -> tuple[Floats, str]:
    """An Arrow array of times as ticks and the display that turns them back.

    >>> import datetime, pyarrow
    >>> ticks_as_floats(pyarrow.array([datetime.date(1970, 1, 2)]), "day")
    (array([8.64e+10]), 'datetime64[us]')
    """
    ticks, unit, family = _ticks(times, name)
    if unit == "ns" and not (ticks % 1000).any():
        ticks, unit = ticks // 1000, "us"
    floats = ticks.astype(np.float64)
    changed = first_changed(ticks, floats)
    if changed is not None:
        raise ValueError(
            f"column {name!r} holds times (row {changed}) finer than float64 can keep apart;"
            " round it to microseconds, or subtract a start"
        )
    zone = getattr(times.type, "tz", None)
    return with_gaps(floats, times), f"{family}[{unit}, {zone}]" if zone else f"{family}[{unit}]"


def match_ticks(times: Any, column: Column) -> Floats:
    """New times as ticks of a column that was learned before, rounded up where float64 is too coarse."""
    shown = parse_display(column.display)
    zone = getattr(times.type, "tz", None)
    if shown.family == "datetime64" and bool(shown.zone) != bool(zone):
        learned = f"in the time zone {shown.zone}" if shown.zone else "without a time zone"
        raise TypeError(
            f"column {column.name!r} was learned {learned}, but X has {zone or 'no time zone'} there;"
            " give both a zone or neither, for example with dt.tz_localize"
        )
    ticks, unit, _ = _ticks(times, column.name)
    if unit == shown.unit:
        floats = ceiling_floats(ticks, column.name)
    elif unit == "ns":
        floats = ceiling_thousandths(ticks)
    else:
        floats = ticks.astype(np.float64) * 1000
    return with_gaps(floats, times)


def in_microseconds(times: Any, name: str) -> Any:
    """An Arrow array of times in microseconds, the unit of Python's own times."""
    import pyarrow as pa

    if getattr(times.type, "unit", "") != "ns":
        return times
    try:
        return times.cast(_time_type(times.type, "us")[1])
    except pa.ArrowInvalid:
        raise ValueError(
            f"column {name!r} holds times finer than a microsecond, which cannot be categories; round them"
        ) from None


def _time_type(arrow_type: Any, unit: str) -> tuple[str, Any]:
    """The family of a type of times, and the type of the same family in another unit."""
    import pyarrow as pa

    if pa.types.is_duration(arrow_type):
        return "timedelta64", pa.duration(unit)
    if pa.types.is_time(arrow_type):
        return "time64", pa.time64(unit)
    return "datetime64", pa.timestamp(unit, tz=getattr(arrow_type, "tz", None))


def _ticks(times: Any, name: str) -> tuple[NDArray[np.int64], str, str]:
    """Ticks (zero where missing), their unit and the family of the times."""
    import pyarrow as pa

    unit = "ns" if getattr(times.type, "unit", "") == "ns" else "us"
    family, target = _time_type(times.type, unit)
    if isinstance(times, pa.ChunkedArray):
        times = times.combine_chunks()
    try:
        ticks = times.cast(target).cast(pa.int64()).fill_null(0).to_numpy()
    except pa.ArrowInvalid:
        raise ValueError(
            f"column {name!r} holds times too far from 1970 to count in microseconds; drop them or clip them"
        ) from None
    return ticks, unit, family


def to_floats(cells: Cells, name: str, whole: ToFloats = exact_floats) -> tuple[Floats, str]:
    """Numbers or times as float32 or float64, nan where missing, and how they are shown."""
    if isinstance(cells, np.ndarray):
        return _numpy_floats(cells, name, whole)
    import pyarrow as pa

    if family_of(cells) in TIMES:
        return ticks_as_floats(cells, name)
    if isinstance(cells, pa.ChunkedArray):
        cells = cells.combine_chunks()
    if pa.types.is_decimal(cells.type):
        return _decimal_floats(cells, name), "decimal"
    if pa.types.is_floating(cells.type):
        cells = cells.cast(pa.float32()) if pa.types.is_float16(cells.type) else cells
        return _numpy_floats(cells.to_numpy(zero_copy_only=False), name, whole)
    if pa.types.is_boolean(cells.type):
        cells = cells.cast(pa.uint8())
    floats, display = _numpy_floats(cells.fill_null(0).to_numpy(), name, whole)
    return with_gaps(floats, cells), display


def _numpy_floats(array: NDArray[Any], name: str, whole: ToFloats) -> tuple[Floats, str]:
    if array.dtype.kind in "iu":
        return whole(array, name), "int"
    is_short = array.dtype.itemsize <= 4
    floats: Floats = np.asarray(array, dtype=np.float32 if is_short else np.float64)
    display = "float32" if is_short else ""
    return floats if floats.flags.aligned else floats.copy(), display  # a field of records may lie anywhere


def _decimal_floats(cells: Any, name: str) -> Floats:
    """Decimals as the nearest float64, by way of their digits, which Arrow reads with correct rounding."""
    import pyarrow as pa

    floats: Floats = cells.cast(pa.string()).cast(pa.float64()).to_numpy(zero_copy_only=False)
    large = np.abs(floats) >= 2**53
    if large.any():
        for value in cells.filter(pa.array(large)).unique().to_pylist():
            if Decimal(float(value)) != value:
                raise ValueError(too_large(name, value))
    return floats


def with_gaps(floats: Floats, cells: Any) -> Floats:
    """The floats with nan where the Arrow array they come from has no value."""
    if not cells.null_count:
        return floats
    return np.where(np.asarray(cells.is_null()), floats.dtype.type(np.nan), floats)


FOLDED_WIDTH = 2048  # numbers in a folded row
BLOCK = 1 << 16  # numbers looked at in one go: they stay in the cache between the two readings


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
    low, high = float(np.minimum.reduce(values)), float(np.maximum.reduce(values))
    if not math.isnan(low):
        return make_range(low, high, has_missing=False)
    return make_range(float(np.fmin.reduce(values)), float(np.fmax.reduce(values)), has_missing=True)


def make_range(low: float, high: float, has_missing: bool) -> Range:  # noqa: FBT001 (a field, not a switch)
    """Make a range with one zero: whether numpy finds -0.0 or 0.0 the smallest depends on the row order."""
    return Range(low + 0.0, high + 0.0, has_missing)


def dense_ranges(dense: Floats) -> list[Range]:
    """The range of every column of a two-dimensional array.

    A row-major table is read as fewer, longer rows, because numpy compares long rows at memory speed::

        rows of 3 columns        a b c | a b c | a b c | a b c
        folded by 2              a b c   a b c | a b c   a b c      then the two halves are compared

    >>> dense_ranges(np.array([[1.0, 5.0], [3.0, 4.0]]))[1]
    Range(low=4.0, high=5.0, has_missing=False)
    """
    fold = dense.flags.c_contiguous and dense.size >= 2 * FOLDED_WIDTH
    extremes = _extremes if fold else _reduce
    lows, highs = extremes(dense, np.minimum, np.maximum)  # nan where there is a gap
    gaps = np.isnan(lows)
    if gaps.any():
        lows, highs = extremes(dense, np.fmin, np.fmax)  # gaps ignored
    return [make_range(*column) for column in zip(lows.tolist(), highs.tolist(), gaps.tolist(), strict=True)]


def _reduce(dense: Floats, least: np.ufunc, most: np.ufunc) -> tuple[Floats, Floats]:
    """Smallest and largest number of each column."""
    return least.reduce(dense, axis=0), most.reduce(dense, axis=0)


def _extremes(dense: Floats, least: np.ufunc, most: np.ufunc) -> tuple[Floats, Floats]:
    """Smallest and largest number of each column of a row-major array, one block after the other."""
    n_rows, n_columns = dense.shape
    fold = max(1, FOLDED_WIDTH // n_columns)
    tail = n_rows % fold
    folded = dense[: n_rows - tail].reshape(-1, fold * n_columns)
    step = max(1, BLOCK // folded.shape[1])
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
    if dense.size > FOLDED_WIDTH:
        with np.errstate(over="ignore", invalid="ignore"):
            if math.isfinite(np.add.reduce(dense, axis=None)):
                return None
    step = max(1, BLOCK // max(1, dense.shape[1]))
    for start in range(0, len(dense), step):
        infinite = np.isinf(dense[start : start + step])
        if infinite.any():
            row, column = np.argwhere(infinite)[0]
            return start + int(row), int(column)
    return None
