"""Columns of dates, clock times or spans in exports: what their numbers count, and how a language is told.

One idea: a tree counts whole ticks from a start, microseconds since 1970 for most dates. A language that has
times of its own turns them into ticks or compares them as they are; one that has none is told the unit.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping

from hornbeam.data.columns import Column
from hornbeam.data.formatting import Display, parse_display

_EPOCH = dt.datetime(1970, 1, 1)
_TICK = dt.timedelta(microseconds=1)
_UNITS = {"us": "microseconds", "ns": "nanoseconds"}
_STARTS: Mapping[str, str] = {
    "datetime64": " since 1970-01-01",
    "time64": " since midnight",
    "timedelta64": "",
}


def time_of(column: Column) -> Display | None:
    """How the times of a column are counted, whether they are numbers or categories; None for other columns.

    >>> time_of(Column("day", "nominal", (dt.date(2024, 5, 1),)))
    Display(family='datetime64', unit='us', zone='')
    >>> time_of(Column("age", "numeric")) is None
    True
    """
    if column.kind == "numeric":
        how = parse_display(column.display)
        return how if how.is_time else None
    kinds = {_kind_of(value) for value in column.categories}
    return kinds.pop() if len(kinds) == 1 else None


def _kind_of(value: object) -> Display | None:
    if isinstance(value, dt.datetime):
        return Display("datetime64", "us", "" if value.tzinfo is None else str(value.tzinfo))
    if isinstance(value, dt.date):
        return Display("datetime64", "us")
    if isinstance(value, dt.time):
        return Display("time64", "us")
    return Display("timedelta64", "us") if isinstance(value, dt.timedelta) else None


def ticks_of(value: dt.date | dt.time | dt.timedelta) -> int:
    """A category that is a time in microseconds: since 1970, since midnight, or its length.

    >>> ticks_of(dt.date(1970, 1, 2)), ticks_of(dt.time(0, 0, 1))
    (86400000000, 1000000)
    """
    if isinstance(value, dt.timedelta):
        return value // _TICK
    if isinstance(value, dt.time):
        return (dt.datetime.combine(_EPOCH, value.replace(tzinfo=None)) - _EPOCH) // _TICK
    if not isinstance(value, dt.datetime):
        value = dt.datetime.combine(value, dt.time())
    if value.tzinfo is not None:
        value = value.astimezone(dt.UTC).replace(tzinfo=None)
    return (value - _EPOCH) // _TICK


def unit_words(how: Display) -> str:
    """What numbers of such times count, in words.

    >>> unit_words(Display("datetime64", "us", "Europe/Prague")), unit_words(Display("timedelta64", "ns"))
    ('microseconds since 1970-01-01 UTC', 'nanoseconds')
    """
    return _UNITS[how.unit] + _STARTS[how.family] + (" UTC" if how.zone else "")


def kind_words(column: Column) -> str:
    """What the values of a column are, for the first lines of a text: its kind, or what its numbers count.

    >>> kind_words(Column("age", "numeric", display="int")), kind_words(Column("day", "nominal", ("Mon",)))
    ('int', 'nominal')
    """
    how = time_of(column) if column.kind == "numeric" else None
    return unit_words(how) if how else column.display or column.kind
