"""Times for the tests of exports: a tree that cuts at one, the forms of text, and times as ticks."""

from __future__ import annotations

import datetime as dt
from typing import Any

import hornbeam as hb
from hornbeam.data.columns import Column
from hornbeam.data.formatting import parse_display, zone_named
from hornbeam.io.export.time_values import ticks_of

CUT = dt.datetime(2024, 3, 1, 12, 30)
MICRO = dt.timedelta(microseconds=1)


def cut_tree(cut: Any = CUT, display: str = "datetime64[us]") -> hb.Tree:
    """Whether a time is at or before a cut; a gap follows both."""
    start = dt.datetime(1970, 1, 1)
    ticks = (cut - start) // MICRO if isinstance(cut, dt.datetime) else cut // MICRO
    nested = {"column": "when", "<=": float(ticks), "yes": "before", "no": "after", "missing": "gap"}
    return hb.Tree.from_nested(nested, [Column("when", "numeric", display=display)])


BEFORE = [
    *("2024-03-01 12:30", "2024-03-01T12:30", "2024-03-01 12:30:00", "2024-03-01T12:30:00"),
    *("2024-03-01 12:30:00.0", "2024-03-01T12:30:00.000000", "2024-03-01 12:30:00.000000000"),
    *("2024-03-01", "2024-03-01T12:29:59.999999", "2024-02-29T23:59", "0999-12-31", "2024-03-01 00:00"),
]
AFTER = [
    *("2024-03-01 12:30:00.000001", "2024-03-01T12:30:00.000001", "2024-03-01 12:30:00.000000001"),
    *("2024-03-01T12:31", "2024-03-01 12:30:01", "2024-03-02", "2024-03-02T00:00:00", "9999-12-31"),
]


def time_of_ticks(ticks: float, column: Column) -> Any:
    """The moment, or the time of day, of a number of microseconds."""
    how = parse_display(column.display)
    moment = dt.datetime(1970, 1, 1) + dt.timedelta(microseconds=int(ticks))
    if how.family == "time64":
        return moment.time()
    return moment.replace(tzinfo=dt.UTC).astimezone(zone_named(how.zone)) if how.zone else moment


def ticks_of_time(value: Any) -> float:
    """What the languages without times are given: microseconds since 1970, or since midnight."""
    return float(ticks_of(value)) if isinstance(value, (dt.date, dt.time)) else float(value)
