"""Records: a counterfactual as facts and in words.

One idea: what has to change is told as a condition (`Fare > 24.81`), what it may become as a value.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from hornbeam.data.columns import Column
from hornbeam.reading.boxes import Interval
from hornbeam.reading.counterfactuals.column_regions import Codes, Region, Span, price
from hornbeam.tree import words
from hornbeam.tree.branch_words import UNICODE, Signs, value_list


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
        That in words: `Fare > 24.81`.
    """

    column: str
    now: Any
    value: Any
    needed: Interval | tuple[Any, ...]
    text: str

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

    def text(self, signs: Signs = UNICODE) -> str:
        """In words: `Fare > 24.81 → died 93 %`."""
        when = " and ".join(change.text for change in self.changes)
        if signs is not UNICODE:
            when = when.replace("≤", "<=").replace("∈", "in").replace("…", "...")
        said = str(self.answer) if self.probability is not None else words.amount(float(self.answer))
        share = "" if self.probability is None else f" {words.percent(self.probability)}"
        return f"{when} {signs.arrow} {said}{share}"

    def to_dict(self) -> dict[str, Any]:
        """A dict that JSON can hold."""
        return {
            "changes": [
                {
                    "column": c.column,
                    "now": plain(c.now),
                    "value": plain(c.value),
                    "needed": _region(c.needed),
                    "text": c.text,
                }
                for c in self.changes
            ],
            "distance": self.distance,
            "row": {name: plain(value) for name, value in self.row.items()},
            "answer": plain(self.answer),
            "probability": self.probability,
            "leaves": list(self.leaves),
        }


def change_of(column: Column, now: Any, value: Any, region: Region, was: float) -> Change:
    """The change of a column into a region; `was` is its number or code."""
    if isinstance(region, Codes):
        codes = sorted(region.codes)
        names = [column.word(c) for c in codes]
        some = tuple(column.categories[c] for c in codes)
        text = f"{column.label} = {names[0]}" if len(names) == 1 else (
            f"{column.label} {UNICODE.within} {{{value_list(names, UNICODE)}}}"
        )  # fmt: skip
        return Change(column.name, now, value, some, text)
    assert isinstance(region, Span)
    needed = Interval(region.low, region.high, column.display)
    free = price(column, was, region) == (0, 0.0)  # only hyperplanes ask for the change
    if free or (not region.low_text and not region.high_text):
        shown = column.text(float(value)) if isinstance(value, Real) else str(value)
        return Change(column.name, now, value, needed, f"{column.label} = {shown}")
    if region.low_text and region.high_text:
        text = f"{region.low_text} < {column.label} {UNICODE.at_most} {region.high_text}"
    elif region.high_text:
        text = f"{column.label} {UNICODE.at_most} {region.high_text}"
    else:
        text = f"{column.label} {UNICODE.more} {region.low_text}"
    return Change(column.name, now, value, needed, text)


def _region(needed: Interval | tuple[Any, ...]) -> dict[str, Any]:
    """An interval or categories as JSON knows them; an end that is not there is null."""
    if isinstance(needed, Interval):
        return {"above": plain(needed.low), "up to": plain(needed.high)}
    return {"values": [plain(value) for value in needed]}


def plain(value: Any) -> Any:
    """A value as JSON knows it: what it has no word for becomes text, NaN and infinities null."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, str | bool | int | float) else str(value)
