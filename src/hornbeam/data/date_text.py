"""Text that writes dates: in which format the values of a column do.

One idea: the whole column decides. 03/04/2024 may be a day in March or in April; one value such as 25/04/2024
settles it for all of them, and where none does, the answer is `UNCLEAR`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from hornbeam.data.cells import CodedCells

ISO = "iso"
UNCLEAR = "unclear"  # day and month could be either way round in every value

_ISO = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)([T ](\d\d):(\d\d)(:(\d\d)(\.\d{1,9})?)?(Z|[+-]\d\d(:?\d\d)?)?)?", re.ASCII
)
_YEAR_FIRST = re.compile(r"(\d{4})([./-])(\d{1,2})\2(\d{1,2})( \d{1,2}:\d\d(:\d\d)?)?", re.ASCII)
_YEAR_LAST = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4})( \d{1,2}:\d\d(:\d\d)?)?", re.ASCII)


def date_format(values: Iterable[str]) -> str | None:
    """`ISO`, a format of strptime that reads all values, `UNCLEAR`, or None for what are no dates.

    Between dots the day comes first, unless a value says otherwise.

    >>> date_format(["2024-05-01", "2024-05-02 12:00"]), date_format(["31.12.2024", "1.2.2025"])
    ('iso', '%d.%m.%Y')
    >>> date_format(["3/4/2024", "5/25/2024"]), date_format(["3/4/2024"]), date_format(["3.5", "4/5"])
    ('%m/%d/%Y', 'unclear', None)
    """
    values = list(values)
    if not values:
        return None
    for pattern, find_format in (
        (_ISO, _iso_format),
        (_YEAR_FIRST, _year_first_format),
        (_YEAR_LAST, _year_last_format),
    ):
        if pattern.fullmatch(values[0]):
            matches = [pattern.fullmatch(value) for value in values]
            known = [match for match in matches if match is not None]
            return find_format(known) if len(known) == len(values) else None
    return None


def dates_of_text(cells: Any, name: str) -> Any:
    """Text cells as Arrow timestamps; None unless every value is a date that no other column could change.

    Such are ISO dates, those with the year first, and those with the day first between dots.

    >>> import pyarrow as pa
    >>> dates_of_text(pa.array(["1.12.2024", None]), "day").to_pylist()
    [datetime.datetime(2024, 12, 1, 0, 0), None]
    >>> dates_of_text(pa.array(["1/12/2024"]), "day") is None
    True
    """
    from hornbeam.data.files.request import ColumnDeclaration
    from hornbeam.data.files.table_error import TableError
    from hornbeam.data.files.text_columns import as_dictionary, read_dates, used_values

    column = as_dictionary(cells.to_arrow() if isinstance(cells, CodedCells) else cells)
    form = date_format(used_values(column).drop_null().to_pylist())
    if form is None or not form.startswith((ISO, "%Y", "%d.")):
        return None
    try:
        return read_dates(column, name, ColumnDeclaration("date", format="" if form == ISO else form))
    except TableError:  # with and without a time zone
        return None


def _iso_format(matches: list[re.Match[str]]) -> str | None:
    return ISO if all(_is_date(m[1], m[2], m[3]) and _is_clock(m[5], m[6], m[8]) for m in matches) else None


def _year_first_format(matches: list[re.Match[str]]) -> str | None:
    clock = _clock_format(matches, 5)
    if clock is None or not all(_is_date(m[1], m[3], m[4]) for m in matches):
        return None
    return "%Y{0}%m{0}%d".format(matches[0][2]) + clock if len({m[2] for m in matches}) == 1 else None


def _year_last_format(matches: list[re.Match[str]]) -> str | None:
    clock, sign = _clock_format(matches, 5), matches[0][2]
    if clock is None or any(m[2] != sign for m in matches):
        return None
    day_first = all(_is_date(m[4], m[3], m[1]) for m in matches)
    month_first = all(_is_date(m[4], m[1], m[3]) for m in matches)
    if day_first and month_first and sign != ".":
        return UNCLEAR
    if not (day_first or month_first):
        return None
    return f"%d{sign}%m{sign}%Y{clock}" if day_first else f"%m{sign}%d{sign}%Y{clock}"


def _clock_format(matches: list[re.Match[str]], group: int) -> str | None:
    """The format of the time of day after the date; None if the values write it differently."""
    kinds = {
        "" if m[group] is None else " %H:%M:%S" if m[group].count(":") == 2 else " %H:%M" for m in matches
    }
    if len(kinds) > 1 or not all(m[group] is None or _is_clock(*m[group].split(":")) for m in matches):
        return None
    return kinds.pop()


def _is_date(year: str, month: str, day: str) -> bool:
    try:
        datetime(int(year), int(month), int(day))
    except ValueError:
        return False
    return True


def _is_clock(hour: str | None, minute: str | None, second: str | None = None) -> bool:
    return hour is None or (int(hour) < 24 and int(minute or 0) < 60 and int(second or 0) < 60)
