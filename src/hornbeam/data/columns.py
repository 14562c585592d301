"""Column: what a tree remembers of one input column, enough to read new values and to print old ones.

One idea: a tree only ever sees numbers. A numeric column gives its values, the others give codes, which are
positions in `categories`; the Column is the dictionary between those numbers and what a person wrote.
"""

from __future__ import annotations

import datetime as dt
import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from decimal import Decimal
from functools import cached_property
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np

from hornbeam.data.formatting import (
    MISSING_TEXT,
    category_text,
    parse_display,
    unambiguous,
    value_text,
    zone_named,
)

KINDS = ("numeric", "ordinal", "nominal")
UNSEEN = -2  # the code of a category that is not in the domain; -1 is a missing value


@dataclass(frozen=True, eq=False)
class Column:
    """One named input column: its kind, its domain and how its numbers are shown.

    Parameters
    ----------
    name : the column's name; columns of a nameless array are called x0, x1, ...
    kind : "numeric" (thresholds), "ordinal" (ordered categories) or "nominal" (categories without order)
    categories : the domain in order, as plain Python values; empty for a numeric column
    display : how numbers are shown: "" as they are, "int", "float32", "decimal", or a time such as
        "datetime64[us, Europe/Prague]", "timedelta64[us]", "time64[us]" (the numbers then count that unit)
    low, high : the range of the training values of a numeric column, nan where there was none
    has_missing : whether a gap was seen in training

    Examples
    --------
    >>> colour = Column("colour", "nominal", ("blue", "red"))
    >>> colour.text(1)
    'red'
    >>> Column.from_dict(colour.to_dict()) == colour
    True
    """

    name: str
    kind: str
    categories: tuple[Any, ...] = ()
    display: str = ""
    low: float = math.nan
    high: float = math.nan
    has_missing: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise TypeError(f"name={self.name!r} of a column must be text; use {str(self.name)!r}")
        if self.kind not in KINDS:
            raise ValueError(f"kind={self.kind!r} of column {self.name!r} must be one of {', '.join(KINDS)}")

    def text(self, value: float) -> str:
        """What a person reads for `value`: a number, a date, or the category of a code.

        A cut between two codes of an ordinal column (code + 0.5) gives the last category below it.

        >>> Column("when", "numeric", display="datetime64[us]").text(0.0)
        '1970-01-01'
        """
        if self.kind == "numeric":
            return value_text(value, self.display)
        if math.isnan(value) or value < 0:
            return MISSING_TEXT
        return category_text(self.categories[math.floor(value)])

    def word(self, value: float) -> str:
        """The same for running text: one line, in quotes where it could be misread."""
        if self.kind == "numeric" or math.isnan(value) or value < 0:
            return self.text(value)
        return self._words[math.floor(value)]

    @cached_property
    def _words(self) -> tuple[str, ...]:
        """The words of the categories; of two that look the same, texts are in quotes, with escapes."""
        words = [unambiguous(category_text(category)) for category in self.categories]
        times = Counter(words)
        return tuple(
            json.dumps(category) if times[word] > 1 and isinstance(category, str) else word
            for word, category in zip(words, self.categories, strict=True)
        )

    @cached_property
    def label(self) -> str:
        """The name for running text: one line, in quotes where it could be misread."""
        return unambiguous(self.name)

    @cached_property
    def is_time(self) -> bool:
        """Whether the numbers of this column are dates, spans or clock times."""
        return self.kind == "numeric" and "[" in self.display and parse_display(self.display).is_time

    @cached_property
    def is_number(self) -> bool:
        """Whether the numbers of this column are the values themselves, not codes or ticks of time."""
        return self.kind == "numeric" and not self.is_time

    @cached_property
    def code_of(self) -> dict[Any, int]:
        """The code of every category; equal numbers of other types (1, 1.0) find the same one."""
        return {category: code for code, category in enumerate(self.categories)}

    def to_dict(self) -> dict[str, Any]:
        """A dict that json can write and `from_dict` reads back without loss.

        >>> Column("age", "numeric", low=18.0, high=99.0).to_dict()["low"]
        18.0
        """
        return {
            "name": self.name,
            "kind": self.kind,
            "categories": [_category_to_json(category) for category in self.categories],
            "display": self.display,
            "low": _float_to_json(self.low),
            "high": _float_to_json(self.high),
            "has_missing": self.has_missing,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Column:
        """The Column that `to_dict` wrote.

        >>> Column.from_dict({"name": "age", "kind": "numeric"}).low
        nan
        """
        return cls(
            name=data["name"],
            kind=data["kind"],
            categories=tuple(_category_from_json(item) for item in data.get("categories", ())),
            display=data.get("display", ""),
            low=_float_from_json(data.get("low")),
            high=_float_from_json(data.get("high")),
            has_missing=bool(data.get("has_missing", False)),
        )

    def _key(self) -> tuple[Any, ...]:
        low, high = _float_to_json(self.low), _float_to_json(self.high)  # nan, which equals nothing, as None
        return (self.name, self.kind, self.categories, self.display, low, high, self.has_missing)

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Column) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}  # without what is cached


def _float_to_json(value: float) -> float | str | None:
    if math.isnan(value):
        return None
    return float(value) if math.isfinite(value) else str(float(value))


def _float_from_json(value: float | str | None) -> float:
    return math.nan if value is None else float(value)


def _category_to_json(value: Any) -> Any:
    """Text, whole numbers, booleans and finite floats as they are; the rest as {type: text}."""
    if isinstance(value, dt.datetime):
        zone = value.tzinfo.key if isinstance(value.tzinfo, ZoneInfo) else ""
        return {"datetime": value.isoformat()} | ({"zone": zone} if zone else {})
    if isinstance(value, dt.timedelta):
        return {"timedelta": value // dt.timedelta(microseconds=1)}
    if isinstance(value, dt.date):
        return {"date": value.isoformat()}
    if isinstance(value, dt.time):
        return {"time": value.isoformat()}
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": str(value)}
    if isinstance(value, (str, int, float)):
        return value
    raise TypeError(
        f"category {value!r} of type {type(value).__name__!r} cannot be saved;"
        " text, numbers, booleans, dates and times can"
    )


def _category_from_json(item: Any) -> Any:
    if not isinstance(item, dict):
        return item
    if "datetime" in item:
        moment = dt.datetime.fromisoformat(item["datetime"])
        return moment.astimezone(zone_named(item["zone"])) if "zone" in item else moment
    if "timedelta" in item:
        return dt.timedelta(microseconds=item["timedelta"])
    if "date" in item:
        return dt.date.fromisoformat(item["date"])
    if "time" in item:
        return dt.time.fromisoformat(item["time"])
    return float(item["float"])


# Values --------------------------------------------------------------------------------------------------


def plain(value: Any) -> Any:
    """One category as a plain Python value, None if it is missing; what has no plain form becomes its text.

    >>> plain(np.int64(3)), plain(b"yes"), plain(Decimal("1.5")), plain(float("nan"))
    (3, 'yes', 1.5, None)
    """
    if isinstance(value, np.generic):
        value = value.item()
    if is_missing(value):
        return None
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, float):
        return value + 0.0  # one zero, not two
    if isinstance(value, int):
        return value
    if hasattr(value, "nanosecond") or hasattr(value, "nanoseconds"):  # the times of pandas
        if getattr(value, "nanosecond", 0) or getattr(value, "nanoseconds", 0):
            return str(value)
        return value.to_pydatetime() if hasattr(value, "to_pydatetime") else value.to_pytimedelta()
    return value if isinstance(value, (dt.date, dt.timedelta, dt.time)) else str(value)


def is_missing(value: Any) -> bool:
    """Whether a value stands for none."""
    if value is None:
        return True
    try:
        return bool(value != value)  # nan and NaT differ from themselves
    except (TypeError, ValueError):  # pandas' NA refuses to be a truth value, an array has several
        return type(value).__name__ == "NAType"


# Columns that cannot be used ------------------------------------------------------------------------------


def too_large(name: str, value: object) -> str:
    """The sentence for whole numbers that float64 cannot keep apart."""
    return (
        f"column {name!r} holds whole numbers such as {value} that float64 cannot keep apart (beyond 2**53);"
        " divide or shift it, or pass it as text or as a category"
    )


def refuse_mixed_zones(values: Iterable[Any], name: str) -> None:
    """Raise if some of a column's times have a zone and others have none: nobody knows when those were."""
    zones = {value.tzinfo is None for value in values if hasattr(value, "tzinfo") and not is_missing(value)}
    if len(zones) > 1:
        raise TypeError(
            f"column {name!r} mixes times with and without a time zone; give all of them one, for example by"
            " pandas.to_datetime(..., utc=True)"
        )


def unusable(name: str, types: Iterable[type]) -> TypeError:
    """The error for cells that are neither a number nor text, or not all of one type."""
    words = sorted({t.__name__ for t in types})
    if len(words) == 1:
        return TypeError(
            f"column {name!r} holds values of type {words[0]!r}, but a cell argument must be a string or a"
            " number (or a boolean, category, date or time); convert or drop it"
        )
    return TypeError(
        f"column {name!r} mixes values of the types {', '.join(map(repr, words))}, but every cell argument"
        " must be a string or a number and all cells of a column alike; convert it, say with astype(str)"
    )


def infinite_sentence(name: str, row: int) -> str:
    """The sentence for an infinite number."""
    return (
        f"column {name!r} holds infinity or a value too large for float64 (row {row});"
        " replace it by a large number, or by NaN if it is missing"
    )
