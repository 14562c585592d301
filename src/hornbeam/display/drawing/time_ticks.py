"""Ticks of an axis of time: where a picture writes dates, spans or clock times.

One idea: the column's numbers count microseconds or nanoseconds; ticks stand at whole days, hours or minutes
of them, dates at whole months and years, and are worded as the column words its values.
"""

from __future__ import annotations

import datetime as dt
import math
from typing import Any

from hornbeam.data.columns import Column
from hornbeam.data.formatting import parse_display

_DAY = 86_400
_STEPS = (
    *(
        1e-6,
        1e-5,
        1e-4,
        1e-3,
        1e-2,
        0.1,
        1,
        5,
        15,
        30,
        60,
        300,
        900,
        1800,
        3600,
        3 * 3600,
        6 * 3600,
        12 * 3600,
    ),
    *(days * _DAY for days in (1, 2, 7, 14, 30, 90, 180, 365)),
)  # in seconds
_MOST = 6
_EPOCH = dt.datetime(1970, 1, 1)


def time_ticks(column: Column, low: float, high: float) -> list[float]:
    """Return where to write values of a column of times between two of its numbers.

    >>> span = Column("wait", "numeric", display="timedelta64[us]")
    >>> [span.text(tick) for tick in time_ticks(span, 0.0, 4e9)]
    ['00:00:00', '00:15:00', '00:30:00', '00:45:00', '01:00:00']
    """
    how = parse_display(column.display)
    second = 1e9 if how.unit == "ns" else 1e6
    if how.family == "datetime64":
        found = _calendar(low / second, high / second)
        if found:
            return [tick * second for tick in found]
    ticks = high / second - low / second
    step = next((s for s in _STEPS if ticks / s <= _MOST), 365 * _DAY * math.ceil(ticks / _MOST / 365 / _DAY))
    first, last = math.ceil(low / second / step), math.floor(high / second / step)
    return [k * step * second for k in range(first, last + 1)]


def _calendar(low: float, high: float) -> list[float]:
    """Seconds since 1970 of round dates; none if matplotlib knows no dates so far away."""
    from matplotlib import dates

    calendar: Any = dates
    try:
        ends = [_EPOCH + dt.timedelta(seconds=end) for end in (low, high)]
    except OverflowError:
        return []
    ticks = calendar.AutoDateLocator(minticks=3, maxticks=_MOST).tick_values(*ends)
    seconds = [(calendar.num2date(tick).replace(tzinfo=None) - _EPOCH).total_seconds() for tick in ticks]
    return [tick for tick in seconds if low <= tick <= high]
