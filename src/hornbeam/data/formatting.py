"""How values are written for people: numbers, dates, spans of time, categories; cells in columns.

One idea: the digits shown are the fewest that still name the value, so a printed threshold can be typed back.
Times are stored as numbers (ticks since 1970 or since zero); `Display` remembers how to turn them back.
"""

from __future__ import annotations

import datetime as dt
import json
import math
import re
from collections.abc import Callable, Container, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np

MISSING_TEXT = "Missing"

TICKS_PER_SECOND = {"us": 10**6, "ns": 10**9}
_TIME_DISPLAY = re.compile(r"(datetime64|timedelta64|time64)\[(us|ns)(?:, (.+))?\]")
_OFFSET = re.compile(r"([+-])(\d\d):?(\d\d)")
_EPOCH = dt.datetime(1970, 1, 1)


class Display(NamedTuple):
    """A display string taken apart: "datetime64[us, CET]" is ("datetime64", "us", "CET")."""

    family: str
    unit: str = ""
    zone: str = ""

    @property
    def is_time(self) -> bool:
        """Whether the numbers shown are ticks of time."""
        return self.unit != ""


@lru_cache(maxsize=256)
def parse_display(display: str) -> Display:
    """Take a display string apart; a display that is no time keeps its own word as the family.

    >>> parse_display("timedelta64[ns]")
    Display(family='timedelta64', unit='ns', zone='')
    >>> parse_display("int").is_time
    False
    """
    match = _TIME_DISPLAY.fullmatch(display)
    return Display(match[1], match[2], match[3] or "") if match else Display(display)


def value_text(value: float, display: str) -> str:
    """Write the number `value` of a numeric column that is shown as `display` says.

    >>> value_text(2.50, ""), value_text(1_700_000_000e6, "datetime64[us]")
    ('2.5', '2023-11-14T22:13:20')
    """
    if math.isnan(value):
        return MISSING_TEXT
    how = parse_display(display)
    if how.is_time and math.isfinite(value):
        return _TIME_TEXTS[how.family](math.floor(value), how)
    return _NUMBER_TEXTS.get(how.family, number_text)(value)


def number_text(value: float) -> str:
    """The fewest digits that read back as the same float64; whole numbers have no point.

    >>> number_text(3.0), number_text(0.1), number_text(1e-7)
    ('3', '0.1', '1e-07')
    """
    if float(value).is_integer() and abs(value) < 1e16:
        return str(int(value))
    return repr(float(value))


_NUMBER = re.compile(r"[-+]?(\d+([.,]\d*)?|[.,]\d+)(e[-+]?\d+)?", re.IGNORECASE)
_ANSWER = re.compile(r"true|false|yes|no|y|n|t|f|\".*", re.IGNORECASE)


def category_text(value: Any) -> str:
    """Write one category: text as it is, numbers with the fewest digits, dates as ISO.

    >>> category_text("red"), category_text(2.0), category_text(dt.date(2024, 5, 1))
    ('red', '2', '2024-05-01')
    """
    if isinstance(value, float):
        return number_text(value)
    if isinstance(value, dt.timedelta):
        return _span_text(value // dt.timedelta(microseconds=1), Display("timedelta64", "us"))
    if isinstance(value, dt.datetime) and value.time() == dt.time():
        return value.date().isoformat()
    if isinstance(value, (dt.date, dt.time)):
        return value.isoformat()
    return str(value)


def visible(text: str) -> str:
    r"""A name or a value as one line; in quotes if it is empty or has blanks at its ends, which are not seen.

    >>> visible("Revenue\n(EUR)"), visible(" Brno"), visible("")
    ('Revenue (EUR)', '" Brno"', '""')
    """
    text = _one_line(text)
    return text if text and text == text.strip() else f'"{text}"'


def class_text(value: Any, target: str | None = None) -> str:
    """A class for people: one that could be read as a count or a comparison is called a class.

    With the name of the target this stands in front of such classes, and of those that say nothing by
    themselves, such as yes and no.

    >>> class_text("died"), class_text(2), class_text("0.5"), class_text("<50"), class_text(True)
    ('died', 'class 2', 'class 0.5', 'class "<50"', 'True')
    >>> class_text("well", "num"), class_text(1, "num"), class_text("<50", "num"), class_text("no", "num")
    ('well', 'num = 1', 'num = "<50"', 'num = no')
    """
    text = visible(category_text(value))
    if not _NUMBER.fullmatch(text):
        compares = text[0] in "<>=≤≥≠!~" and any(map(str.isdigit, text))
        if text[0] == '"' or (any(map(str.isalpha, text)) and not compares):
            return f"{visible(target)} = {text}" if target and _ANSWER.fullmatch(text) else text
        text = f'"{text}"'
    return f"{visible(target)} = {text}" if target else f"class {text}"


def share_text(word: str, share: str) -> str:
    """A class, as `class_text` says it, and its share.

    >>> share_text("died", "81 %"), share_text("class 2", "65 %"), share_text("died", "")
    ('died 81 %', 'class 2 · 65 %', 'died')
    """
    if not share:
        return word
    return f"{word} · {share}" if word.startswith("class ") or " = " in word else f"{word} {share}"


def _one_line(text: str) -> str:
    """The text with a blank for what cannot be printed."""
    if text.isprintable():
        return text
    return re.sub(" +", " ", "".join(c if c.isprintable() else " " for c in text))


# What could be taken for a part of the sentence around a name or a value: separators and operators, a quote
# that seems to begin, the sign of missing values.
_UNCLEAR = re.compile(
    r'[",{}<>=≤≥≠∈∉→]|  |(^|[ (\[])[\'`]|[?∅]$|^other:|\(it is '
    r"|(^| )(and|AND|OR|THEN|or missing|is missing|is not missing)( |$)"
)


def unambiguous(text: str) -> str:
    r"""A name or a value as conditions print it: on one line, and in quotes where it could be misread.

    >>> print(unambiguous("petal width (cm)"), unambiguous("Brno, CZ"), unambiguous('5" disk'))
    petal width (cm) "Brno, CZ" "5\" disk"
    """
    line = _one_line(text)
    if line and line == line.strip() and not _UNCLEAR.search(line) and _has_pairs(line):
        return line
    return json.dumps(line, ensure_ascii=False)


def _has_pairs(text: str) -> bool:
    """Whether every bracket is closed."""
    depth = 0
    for character in text:
        depth += (character in "([") - (character in ")]")
        if depth < 0:
            return False
    return depth == 0


def zone_named(name: str) -> dt.tzinfo:
    """The time zone of that name or offset; UTC when this machine does not know it.

    >>> zone_named("+02:00").utcoffset(None)
    datetime.timedelta(seconds=7200)
    """
    offset = _OFFSET.fullmatch(name)
    if offset:
        span = dt.timedelta(hours=int(offset[2]), minutes=int(offset[3]))
        return dt.timezone(-span if offset[1] == "-" else span)
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return dt.UTC


def _single_text(value: float) -> str:
    """The fewest digits that read back as the same float32, for columns that hold float32."""
    with np.errstate(over="ignore"):
        single = np.float32(value)
    return number_text(float(str(single)) if float(single) == value else value)


def _decimal_text(value: float) -> str:
    return format(Decimal(number_text(value)), "f")


def _moment_text(ticks: int, how: Display) -> str:
    whole, part = divmod(ticks, TICKS_PER_SECOND[how.unit])
    try:
        moment = _EPOCH + dt.timedelta(seconds=whole)
        if how.zone:
            moment = moment.replace(tzinfo=dt.UTC).astimezone(zone_named(how.zone))
    except OverflowError:  # outside the years 1 to 9999
        return str(np.datetime64(whole, "s")) + _fraction(part, how)
    if part == 0 and moment.time() == dt.time():
        return moment.date().isoformat()
    clock = moment.isoformat(timespec="seconds")
    return clock[:19] + _fraction(part, how) + clock[19:]


def _span_text(ticks: int, how: Display) -> str:
    days, rest = divmod(abs(ticks), 86_400 * TICKS_PER_SECOND[how.unit])
    words = [f"{days} day{'s' * (days != 1)}"] if days else []
    if rest or not days:
        words.append(_clock_text(rest, how))
    return "-" * (ticks < 0) + " ".join(words)


def _clock_text(ticks: int, how: Display) -> str:
    whole, part = divmod(ticks, TICKS_PER_SECOND[how.unit])
    return f"{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}" + _fraction(part, how)


def _fraction(part: int, how: Display) -> str:
    """The digits after the second, without trailing zeros."""
    if part == 0:
        return ""
    return "." + str(TICKS_PER_SECOND[how.unit] + part)[1:].rstrip("0")


_NUMBER_TEXTS: dict[str, Callable[[float], str]] = {"float32": _single_text, "decimal": _decimal_text}
_TIME_TEXTS: dict[str, Callable[[int, Display], str]] = {
    "datetime64": _moment_text,
    "timedelta64": _span_text,
    "time64": _clock_text,
}


def aligned(rows: Sequence[Sequence[str]], right: Container[int] = ()) -> list[str]:
    r"""One line for each row of cells; the columns numbered in `right` are flush to the right.

    A column is as wide as its widest cell, two spaces apart from the next.

    >>> print(*aligned([["class", "rows"], ["no", "5"], ["yes", "9"]], right={1}), sep="\n")
    class  rows
    no        5
    yes       9
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if k in right else cell.ljust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
