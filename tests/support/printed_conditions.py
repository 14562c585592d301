"""A reader of printed conditions: `10 < age <= 29`, `city in {Brno, "Aš, CZ"} or missing`, `a - 2*b > 3`.

It is written from what people see, without the package's own parsers, so that tests can apply what is printed
to rows. A reader knows what a person knows: the names of the columns, which hold numbers or times, and the
values of the others in their order, and obeys the sentences below a text. A row is a dict; None is a missing
value.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any

import pandas as pd

Row = Mapping[str, Any]
Domains = Mapping[str, Any]  # the values of each column in order, or "number" or "time"

# Longer ones first; what stands at one place is the first of these that fits.
_OPERATORS = {
    " not in {": "not in",
    " ∉ {": "not in",
    " in {": "in",
    " ∈ {": "in",
    " in (": "within",
    " ∈ (": "within",
    "<=": "<=",
    "≤": "<=",
    "!=": "!=",
    "≠": "!=",
    ">": ">",
    "<": "<",
    "=": "=",
}
_NEVER = " is missing and not missing"
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_TERM = re.compile(r'\s*([-+]?)\s*(?:([\d.]+(?:e[-+]?\d+)?)\*)?("(?:[^"\\]|\\.)*"|[^-+*]+)')
_STRING = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`([^`]*)`""")


@cache
def outside_quotes(text: str) -> list[tuple[int, int]]:
    """(place, number of open brackets before it) of every character that stands in no quotes."""
    return list(_outside_quotes(text))


def _outside_quotes(text: str) -> Iterator[tuple[int, int]]:
    place, depth = 0, 0
    while place < len(text):
        before = text[place - 1] if place else " "
        if text[place] == '"' or (text[place] in "'`" and before in " ([{,=<>*+-"):
            end = place + 1
            while text[end] != text[place]:
                end += 2 if text[end] == "\\" and text[place] != "`" else 1
            place = end + 1
            continue
        depth -= text[place] in ")]"
        yield place, depth
        depth += text[place] in "(["
        place += 1


@cache
def split_outside(text: str, separator: str) -> list[str]:
    """The parts of a text between separators that stand neither in quotes nor in round brackets."""
    parts, start = [], 0
    for place, depth in outside_quotes(text):
        if depth == 0 and place >= start and text.startswith(separator, place):
            parts.append(text[start:place])
            start = place + len(separator)
    return [*parts, text[start:]]


@cache
def inside_brackets(text: str) -> str | None:
    """What stands in the round brackets around a whole text; None if there are none."""
    if not text.startswith("("):
        return None
    end = next((place for place, depth in outside_quotes(text) if text[place] == ")" and depth == 0), -1)
    return text[1:-1] if end == len(text) - 1 else None


def is_missing(value: Any) -> bool:
    """Whether a row has no value there, or one that is taken for none."""
    return (
        value is None
        or value is EVERYWHERE
        or value is pd.NaT
        or (isinstance(value, float) and value != value)
    )


@cache
def plain(text: str) -> str:
    """A name or a value without its quotes."""
    return str(json.loads(text)) if _QUOTED.fullmatch(text) else text


EVERYWHERE = object()  # a value that follows all branches of a test


class RowAsRead(dict[str, Any]):
    """A row as a reader takes it who knows the sentences below a text."""

    def __init__(self, reader: ConditionReader, row: Row, notes: Sequence[str]) -> None:
        said = "\n".join(notes)
        if "A value that no training row had" in said:
            unseen = None if "no training row had counts as missing." in said else EVERYWHERE
            row = {name: value if reader.is_known(name, row) else unseen for name, value in row.items()}
        super().__init__(row)
        self.reader, self.asked = reader, set[str]()
        self.is_divided = "'is missing' among them" in said

    def __getitem__(self, name: str) -> Any:
        self.asked.add(name)
        return super().__getitem__(name)

    def holds(self, text: str) -> bool:
        """Whether a printed condition, or several with `and` or AND between them, is true of the row."""
        return self.reader.truth(text.strip(), self) is True

    def is_known(self, question: str) -> bool:
        """Whether the row has values that training saw in the columns asked for."""
        return all(self.reader.is_known(name, self) for name in self.reader.names(question))


class ConditionReader:
    """What printed conditions say about rows of columns whose domains are known."""

    def __init__(self, domains: Domains, zones: Mapping[str, Any] = MappingProxyType({})) -> None:
        self.domains = {name: "time" if name in zones else domain for name, domain in domains.items()}
        self.zones = zones
        self._place, self.names = cache(self._place_of), cache(self._names_of)

    def as_said(self, row: Row, notes: Sequence[str] = ()) -> RowAsRead:
        """The row as it is read beside some sentences."""
        return RowAsRead(self, row, notes)

    def holds(self, text: str, row: Row) -> bool:
        """Whether a printed condition is true of a row, read without any sentences."""
        return self.as_said(row).holds(text)

    def is_known(self, name: str, row: Row) -> bool:
        """Whether a row has a value that training saw, or none, in a column."""
        is_listed = isinstance(self.domains[name], list)
        return row[name] is not EVERYWHERE and (
            not is_listed or is_missing(row[name]) or self._row_place(name, row) >= 0
        )

    def truth(self, text: str, row: RowAsRead) -> bool | None:
        """True, False, or None where a value that is needed is missing."""
        if text.endswith(" or missing"):
            row.asked.clear()
            core = self.truth(text.removesuffix(" or missing"), row)
            goes_everywhere = any(row[name] is EVERYWHERE for name in list(row.asked))
            return True if core is None and not goes_everywhere else core
        for separator in (" AND ", " and "):
            parts = split_outside(text, separator)
            if len(parts) > 1 and not text.endswith(_NEVER):
                truths = [self.truth(part, row) for part in parts]
                return False if False in truths else None if None in truths else True
        if text[:5] in ("not (", "NOT ("):
            truth = self._expression(text[5:-1], row)
            return None if truth is None else not truth
        inner = inside_brackets(text)
        if inner is not None:
            return self.truth(inner, row) if inner.endswith(" or missing") else self._expression(inner, row)
        for ending, wanted in ((_NEVER, None), (" is missing", True), (" is not missing", False)):
            if text.endswith(ending):
                values = [row[name] for name in self.names(text.removesuffix(ending))]
                if EVERYWHERE in values or (row.is_divided and any(map(is_missing, values))):
                    return None
                return any(map(is_missing, values)) is wanted
        return self._comparison(text, row)

    def _comparison(self, text: str, row: RowAsRead) -> bool | None:
        left, operator, right = _cut_at_operator(text)
        if operator == "<":
            name = self.names(_cut_at_operator(right)[0])[0]
            low = self._compared(name, ">", left, row)
            return low and self._comparison(right, row)
        names = self.names(left)
        if not names:
            total = self._sum(left, row)
            return None if total is None else (total <= float(right)) == (operator == "<=")
        if operator == "within":
            low, high = split_outside(right.removesuffix("]"), ",")
            above = self._compared(names[0], ">", low.strip(), row)
            return above and self._compared(names[0], "<=", high.strip(), row)
        if operator in ("<=", ">"):
            return self._compared(names[0], operator, right, row)
        values = [row[name] for name in names]  # all are asked
        if any(map(is_missing, values)):
            return None
        listed = [right]
        if operator in ("in", "not in"):
            listed = split_outside(right.removesuffix("}"), ",")
        elif right.startswith("other:"):
            listed = split_outside(right.removeprefix("other:"), ",")
        is_there = any(self._is_row(names, item.strip(), row) for item in listed)
        return is_there == (operator in ("in", "="))

    def _is_row(self, names: Sequence[str], text: str, row: Row) -> bool:
        """Whether a row has a value, or the values of a tuple."""
        inner = inside_brackets(text) if len(names) > 1 else None
        texts = [text] if inner is None else split_outside(inner, ",")
        pairs = zip(names, texts, strict=True)
        return all(self._place(name, value.strip()) == self._row_place(name, row) for name, value in pairs)

    def _compared(self, name: str, operator: str, text: str, row: Row) -> bool | None:
        if is_missing(row[name]):
            return None
        if not self.is_known(name, row):
            return False  # neither before nor after any other
        return (self._row_place(name, row) <= self._place(name, text)) == (operator == "<=")

    def _place_of(self, name: str, text: str) -> Any:
        """What a printed value of a column is compared as."""
        domain = self.domains[name]
        if domain == "number":
            return float(text)
        if domain == "time":
            return _ticks(text, self.zones.get(name))
        exact = [k for k, value in enumerate(domain) if str(value) == plain(text)]
        if len(exact) > 1:
            exact = [k for k in exact if isinstance(domain[k], str) == text.startswith('"')]
        near = [k for k, value in enumerate(domain) if " ".join(str(value).split()) == plain(text)]
        (place,) = exact or near
        return place

    def _row_place(self, name: str, row: Row) -> Any:
        domain = self.domains[name]
        if domain == "number":
            return float(row[name])
        if domain == "time":
            return _ticks(row[name])
        places = (
            k
            for k, v in enumerate(domain)
            if v == row[name] and isinstance(v, str) == isinstance(row[name], str)
        )
        return next(places, -1)

    def _names_of(self, text: str) -> list[str]:
        """The column that a text names, or the columns of a tuple; none for a sum."""
        inner = inside_brackets(text)
        texts = [text] if self._is_name(text) or inner is None else split_outside(inner, ",")
        if not all(map(self._is_name, texts)):
            texts = split_outside(text, ",")
        return [self._name(each.strip()) for each in texts] if all(map(self._is_name, texts)) else []

    def _is_name(self, text: str) -> bool:
        return any(plain(text.strip()) in (name, " ".join(name.split())) for name in self.domains)

    def _name(self, text: str) -> str:
        shown = plain(text)
        return (
            shown if shown in self.domains else next(n for n in self.domains if " ".join(n.split()) == shown)
        )

    def _sum(self, text: str, row: Row) -> float | None:
        """A weighted sum of columns, from the first term to the last."""
        total, place = 0.0, 0
        while place < len(text):
            term = _TERM.match(text, place)
            assert term is not None, text
            value = row[self._name(term[3].strip())]
            if is_missing(value):
                return None
            weight = float(term[2] or 1) * (-1 if term[1] == "-" else 1)
            total, place = total + weight * float(value), term.end()
        return total

    def _expression(self, text: str, row: Row) -> bool | None:
        """An expression, by Python's own arithmetic; missing if one of its columns is."""
        values: dict[str, Any] = {}

        def placeholder(match: re.Match[str]) -> str:
            if match[1] is None:
                return match[0]
            values[f"quoted_{len(values)}"] = row[match[1]]
            return f"quoted_{len(values) - 1}"

        code = compile(_STRING.sub(placeholder, text), "printed", "eval")
        values |= {name: row[name] for name in code.co_names if name in row}
        if any(map(is_missing, values.values())):
            return None
        return bool(eval(code, {"__builtins__": {}}, values))


@cache
def _cut_at_operator(text: str) -> tuple[str, str, str]:
    """The text before the first operator, that operator, and what follows it."""
    for place, depth in outside_quotes(text):
        written = next((sign for sign in _OPERATORS if text.startswith(sign, place)), None)
        if depth == 0 and written is not None:
            return text[:place].strip(), _OPERATORS[written], text[place + len(written) :].strip()
    raise AssertionError(f"{text!r} has no operator")


def _ticks(value: Any, zone: Any = None) -> int:
    """A moment, a span or a time of day in nanoseconds, as it is or as it is printed; a day in its zone."""
    if isinstance(value, str) and ("-" in value[1:] or "T" in value):
        value = pd.Timestamp(value)
        value = value.tz_localize(zone) if zone is not None and value.tz is None else value
    elif isinstance(value, str):
        return -pd.Timedelta(value[1:]).value if value.startswith("-") else int(pd.Timedelta(value).value)
    if isinstance(value, dt.time):
        value = pd.Timedelta(value.isoformat())
    return int(value.as_unit("ns").value)
