"""What a change of one column costs, which value it becomes, and a counterfactual as facts and in words.

One idea: what of a column lies in a box is an interval of numbers or a set of codes. Both know the price of
moving a value into them: the distance over the training range for numbers, the steps over the longest way
for ordered categories, 1 for other categories and for a gap that has to be filled. What has to change is
worded as a condition (`Fare > 24.81`), what it may become as a value.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from hornbeam._base.types import AnyArray
from hornbeam.data.columns import Column
from hornbeam.data.formatting import class_text, parse_display, share_text, zone_named
from hornbeam.data.frames import open_table
from hornbeam.reading.boxes import Interval
from hornbeam.tree import words
from hornbeam.tree.json_values import json_fields, json_value
from hornbeam.tree.words import UNICODE, Signs


@dataclass(frozen=True)
class NumberRange:
    """Numbers with low < x <= high; the texts name the ends as people read them."""

    low: float = -math.inf
    high: float = math.inf
    low_text: str = ""
    high_text: str = ""

    def meet(self, other: NumberRange) -> NumberRange | None:
        """What both have; None for nothing."""
        low = (self.low, self.low_text) if self.low >= other.low else (other.low, other.low_text)
        high = (self.high, self.high_text) if self.high <= other.high else (other.high, other.high_text)
        return NumberRange(low[0], high[0], low[1], high[1]) if low[0] < high[0] else None

    def holds(self, x: float) -> bool:
        """Whether a number is in it."""
        return self.low < x <= self.high


@dataclass(frozen=True)
class Codes:
    """Some categories of a column, by their codes."""

    codes: frozenset[int]

    def meet(self, other: Codes) -> Codes | None:
        """What both have; None for nothing."""
        both = self.codes & other.codes
        return Codes(both) if both else None

    def holds(self, x: float) -> bool:
        """Whether a code is in it."""
        return x in self.codes


@dataclass(frozen=True)
class Gap:
    """A gap that is left as it is."""


GAP = Gap()
Region = NumberRange | Codes | Gap


def everything(column: Column) -> NumberRange | Codes:
    """The region that says nothing."""
    return NumberRange() if column.kind == "numeric" else Codes(frozenset(range(len(column.categories))))


def value_at(arrays: tuple[AnyArray, ...], place: int) -> float:
    """The number or code of a column in the one row; NaN, -1 or -2 for a gap."""
    return float(arrays[place][0])


def scale_of(column: Column) -> float:
    """What a step of 1 is divided by: the training range of a number, the longest way of ordered categories.

    >>> scale_of(Column("age", "numeric", low=20.0, high=60.0)), scale_of(Column("x", "numeric"))
    (40.0, 1.0)
    """
    if column.kind == "numeric":
        span = column.high - column.low
        return span if math.isfinite(span) and span > 0 else 1.0
    return float(max(len(column.categories) - 1, 1)) if column.kind == "ordinal" else 1.0


def price(column: Column, value: float, region: Region) -> tuple[int, float] | None:
    """(columns changed, distance) of moving a value into a region; None if it cannot be moved."""
    if isinstance(region, Gap):
        return 0, 0.0
    gap = math.isnan(value) or (column.kind != "numeric" and value < 0)
    if not gap and region.holds(value):
        return 0, 0.0
    to = nearest(column, value, region)
    if to is None:
        return None
    if gap:
        return 1, 1.0
    if isinstance(region, Codes):
        return 1, abs(to - value) / scale_of(column) if column.kind == "ordinal" else 1.0
    if is_whole(column):
        return 1, abs(to - value) / scale_of(column)
    return 1, (region.low - value if value <= region.low else value - region.high) / scale_of(column)


def is_whole(column: Column) -> bool:
    """Whether a numeric column holds whole numbers or ticks of time."""
    return column.kind == "numeric" and (column.display == "int" or column.is_time)


def nearest(column: Column, value: float, region: NumberRange | Codes) -> float | None:
    """The number or code in a region that is nearest to a value; from a gap, to the middle of training.

    Of a region that is open below it is a number just inside, of few digits. None if there is no such value:
    no whole number in the interval of a column of whole numbers.
    """
    if isinstance(region, Codes):
        if region.holds(value):
            return value
        if column.kind == "ordinal":
            middle = value if value >= 0 else (len(column.categories) - 1) / 2
            return float(min(region.codes, key=lambda c: (abs(c - middle), c)))
        return float(min(region.codes))
    if math.isnan(value):
        value = (column.low + column.high) / 2 if math.isfinite(column.low + column.high) else 0.0
        value = float(math.floor(value)) if is_whole(column) else value
    if region.holds(value):
        return value
    if is_whole(column):
        to = math.floor(region.low) + 1.0 if value <= region.low else float(math.floor(region.high))
        return to if region.holds(to) else None
    return _below(region, column) if value > region.high else _above(region, column)


def _below(region: NumberRange, column: Column) -> float:
    """The upper end, or the last single precision number in the region."""
    if column.display != "float32":
        return region.high
    single = np.float32(region.high)
    if float(single) > region.high:
        single = np.nextafter(single, np.float32(-np.inf))
    return float(single) if region.holds(float(single)) else region.high


def _above(region: NumberRange, column: Column) -> float:
    """A number just above the lower end: of the fewest digits within a thousandth of the range."""
    slack = scale_of(column) / 1000 if math.isfinite(column.low) else max(abs(region.low), 1.0) / 1000
    top = min(region.high, region.low + slack)
    for digits in range(17):
        step = 10.0**digits
        number = math.floor(region.low * step + 1.0) / step if abs(region.low) * step < 1e15 else math.nan
        if region.low < number <= top and (
            column.display != "float32" or float(np.float32(number)) > region.low
        ):
            return number
    kind = np.float32 if column.display == "float32" else np.float64
    low = kind(region.low)
    number = float(low if float(low) > region.low else np.nextafter(low, kind(np.inf)))
    return number if region.holds(number) else float(np.nextafter(region.low, np.inf))


def user_value(column: Column, number: float) -> Any:
    """What a person writes for a number or code: the category, a whole number, a float, a date.

    >>> user_value(Column("city", "nominal", ("Brno", "Cheb")), 1.0)
    'Cheb'
    """
    if column.kind != "numeric":
        return column.categories[int(number)]
    if not column.is_time:
        return int(number) if column.display == "int" and number.is_integer() else number
    how = parse_display(column.display)
    ticks = int(number)
    if how.family == "timedelta64" or (how.family == "datetime64" and not how.zone):
        return np.array(ticks, dtype=f"{how.family}[{how.unit}]")[()]
    micros = ticks // (1000 if how.unit == "ns" else 1)
    moment = dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + dt.timedelta(microseconds=micros)
    return moment.astimezone(zone_named(how.zone)) if how.family == "datetime64" else moment.time()


def raw_value(row: Any, place: int, name: str) -> Any:
    """The value of one column as the user gave it; None where it is missing.

    >>> raw_value({"city": "Brno"}, 0, "city"), raw_value([None, 3.0], 1, "age")
    ('Brno', 3.0)
    """
    return raw_values(row, [(place, name)])[name]


def raw_values(row: Any, columns: Iterable[tuple[int, str]]) -> dict[str, Any]:
    """The values of some columns, by name, as the user gave them; None where one is missing."""
    cell = _cells(row)
    values = {name: cell(place, name) for place, name in columns}
    return {name: None if is_nothing(value) else value for name, value in values.items()}


def is_nothing(value: Any) -> bool:
    """Whether a value stands for no value."""
    return value is None or type(value).__name__ in ("NAType", "NaTType") or value != value


def _cells(row: Any) -> Callable[[int, str], Any]:
    """What gives the value of a column by its place and name, whatever a row is made of."""
    if getattr(row, "ndim", None) == 1 and hasattr(row, "to_dict"):
        row = row.to_dict()
    if isinstance(row, Mapping):
        return lambda _, name: value[0] if isinstance(value := row[name], list | np.ndarray) else value
    if getattr(row, "ndim", None) == 1 or (isinstance(row, list | tuple) and not isinstance(row[0], Mapping)):
        cells = row if not isinstance(row[0], list | tuple) else row[0]
        return lambda place, _: cells[place]
    source = open_table(row)
    places = None if source.names is None else {name: k for k, name in enumerate(source.names)}
    return lambda place, name: next(iter(source.get(place if places is None else places[name])))


@dataclass(frozen=True)
class Change:
    """One column that has to change.

    Attributes
    ----------
    column : str
    now : object
        Its value in the row, None if it is missing.
    value : object
        Its value in the changed row: the nearest that does.
    needed : Interval or tuple
        All that would do, the other changes being made: an interval of numbers, or categories.
    text : str
        That in words: `Fare > 24.81`; of many categories the first ones, and how many there are.
    whole : str
        The same with every category.
    """

    column: str
    now: Any
    value: Any
    needed: Interval | tuple[Any, ...]
    text: str
    whole: str = ""

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Counterfactual:
    """A row near the given one that gets another answer.

    Attributes
    ----------
    changes : tuple of Change
    distance : float
    row : dict
        The changed row, column by column; what did not change is as it was given.
    answer : object
        What the model says of it.
    probability : float or None
        Of the class answered; None in a regression.
    leaves : tuple of int
        The leaves it reaches.
    """

    changes: tuple[Change, ...]
    distance: float
    row: dict[str, Any]
    answer: Any
    probability: float | None
    leaves: tuple[int, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that change."""
        return tuple(change.column for change in self.changes)

    def __str__(self) -> str:
        return self.text(UNICODE)

    def text(self, signs: Signs = UNICODE, target: str | None = None, *, full: bool = False) -> str:
        """In words: `Fare > 24.81 → died 93 %`; with the name of the target `→ survived = 1 · 93 %`.

        `full`: sets of values are whole.
        """
        when = " and ".join((full and change.whole) or change.text for change in self.changes)
        if signs is not UNICODE:
            when = when.replace("≤", "<=").replace("…", "...")
        if self.probability is None:
            return f"{when} {signs.arrow} {words.amount(float(self.answer))}"
        answer = share_text(class_text(self.answer, target), words.percent(self.probability))
        return f"{when} {signs.arrow} {answer}"

    def to_dict(self) -> dict[str, Any]:
        """A dict that JSON can hold."""
        return {
            "changes": [
                json_fields(change, ("column", "now", "value"))
                | {"needed": _region(change.needed), "text": change.text}
                for change in self.changes
            ],
            "distance": self.distance,
            **json_fields(self, ("row", "answer", "probability", "leaves")),
        }


def change_of(column: Column, now: Any, value: Any, region: Region, was: float) -> Change:
    """The change of a column into a region; `was` is its number or code."""
    if isinstance(region, Codes):
        codes = sorted(region.codes)
        named = [column.word(c) for c in codes]
        whole = words.values_text(column.label, named, UNICODE)
        text = words.values_text(column.label, named, UNICODE, brief=True)
        return Change(column.name, now, value, tuple(column.categories[c] for c in codes), text, whole)
    assert isinstance(region, NumberRange)
    needed = Interval(region.low, region.high, column.display)
    free = price(column, was, region) == (0, 0.0)  # only hyperplanes ask for the change
    if free or (not region.low_text and not region.high_text):
        shown = column.text(float(value)) if isinstance(value, Real) else str(value)
        return Change(column.name, now, value, needed, f"{column.label} = {shown}")
    text = words.interval_text(column.label, region.low_text, region.high_text, UNICODE)
    return Change(column.name, now, value, needed, text)


def _region(needed: Interval | tuple[Any, ...]) -> dict[str, Any]:
    """An interval or categories as JSON knows them; an end that is not there is null."""
    if isinstance(needed, Interval):
        return {"above": json_value(needed.low), "up to": json_value(needed.high)}
    return {"values": json_value(needed)}
