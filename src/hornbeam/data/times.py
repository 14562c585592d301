"""Dates, spans and clock times as numbers: ticks since 1970, since zero, since midnight.

One idea: one tick is a microsecond, which float64 counts exactly for every whole second of 18,000 years and
for every microsecond from 1685 to 2255. Columns that need nanoseconds get them if float64 can hold those, and
are refused if not.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hornbeam.data.columns import Column
from hornbeam.data.formatting import parse_display
from hornbeam.data.integers import ceiling_floats, ceiling_thousandths, first_changed

Floats = NDArray[np.floating[Any]]

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
    return _with_gaps(floats, times), f"{family}[{unit}, {zone}]" if zone else f"{family}[{unit}]"


def match_ticks(times: Any, column: Column) -> Floats:
    """New times as ticks of a column that was learned before, rounded up where float64 is too coarse."""
    wanted = parse_display(column.display)
    zone = getattr(times.type, "tz", None)
    if wanted.family == "datetime64" and bool(wanted.zone) != bool(zone):
        learned = f"in the time zone {wanted.zone}" if wanted.zone else "without a time zone"
        raise TypeError(
            f"column {column.name!r} was learned {learned}, but X has {zone or 'no time zone'} there;"
            " give both a zone or neither, for example with dt.tz_localize"
        )
    ticks, unit, _ = _ticks(times, column.name)
    if unit == wanted.unit:
        floats = ceiling_floats(ticks, column.name)
    elif unit == "ns":
        floats = ceiling_thousandths(ticks)
    else:
        floats = ticks.astype(np.float64) * 1000
    return _with_gaps(floats, times)


def in_microseconds(times: Any, name: str) -> Any:
    """An Arrow array of times in microseconds, the unit of Python's own times."""
    import pyarrow as pa

    if getattr(times.type, "unit", "") != "ns":
        return times
    targets = {
        "timestamp": lambda: pa.timestamp("us", tz=times.type.tz),
        "duration": lambda: pa.duration("us"),
        "time64": lambda: pa.time64("us"),
    }
    try:
        return times.cast(targets[str(times.type).split("[")[0]]())
    except pa.ArrowInvalid:
        raise ValueError(
            f"column {name!r} holds times finer than a microsecond, which cannot be categories; round them"
        ) from None


def _ticks(times: Any, name: str) -> tuple[NDArray[np.int64], str, str]:
    """Ticks (zero where missing), their unit and the family of the times."""
    import pyarrow as pa

    fine = getattr(times.type, "unit", "") == "ns"
    unit = "ns" if fine else "us"
    if pa.types.is_duration(times.type):
        family, target = "timedelta64", pa.duration(unit)
    elif pa.types.is_time(times.type):
        family, target = "time64", pa.time64(unit)
    else:
        family, target = "datetime64", pa.timestamp(unit, tz=getattr(times.type, "tz", None))
    if isinstance(times, pa.ChunkedArray):
        times = times.combine_chunks()
    try:
        ticks = times.cast(target).cast(pa.int64()).fill_null(0).to_numpy()
    except pa.ArrowInvalid:
        raise ValueError(
            f"column {name!r} holds times too far from 1970 to count in microseconds; drop them or clip them"
        ) from None
    return ticks, unit, family


def _with_gaps(floats: Floats, cells: Any) -> Floats:
    return with_gaps(floats, cells) if cells.null_count else floats


def with_gaps(floats: Floats, cells: Any) -> Floats:
    """The floats with nan where the Arrow array they come from has no value."""
    missing = np.asarray(cells.is_null())
    return np.where(missing, floats.dtype.type(np.nan), floats)
