"""Facts: numbers and words of a lecture beside those computed again, their verdicts, and a table of them.

One idea: a number printed with decimals, or in percent, stands for every number that rounds to it: it is
wrong only if the value computed again lies more than half a unit of its last digit away.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from itertools import groupby
from typing import Any

from hornbeam.data.shown_result import TabularResult

AGREES, ROUNDED, WRONG, UNPRINTED = "agrees", "rounded", "slide is wrong", "not printed"
VERDICTS = (AGREES, ROUNDED, WRONG, UNPRINTED)

_NUMBER = re.compile(r"([-+]?\d+(?:\.(\d+))?)(%?)")
_FRACTION = re.compile(r"\d+/\d+")
_EXACT = 1e-9  # nearer than this, two numbers are equal


@dataclass(frozen=True)
class Fact:
    """One fact of a lecture, printed and computed again.

    Attributes
    ----------
    table : str
        The name `reproduce` takes.
    what : str
    where : str
        The lecture and the slide.
    printed : str
        As on the slide; empty where the slide prints nothing (or the picture is lost).
    value : float, int, bool or str
        Computed again.
    verdict : {"agrees", "rounded", "slide is wrong", "not printed"}
        "rounded": equal to the digits printed.
    erratum : str
        The erratum that concerns it, such as "E5"; see the page of errata.
    """

    table: str
    what: str
    where: str
    printed: str
    value: Any
    verdict: str
    erratum: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The fact as a plain dict."""
        return asdict(self)

    @property
    def recomputed(self) -> str:
        """The value as text: six decimals, percent where the slide prints percent."""
        return value_text(self.value, in_percent=self.printed.endswith("%"))


def verdict(printed: str, value: Any) -> str:
    """Whether what is printed is right.

    >>> verdict("0.84", 0.844361), verdict("0.35", 0.344361), verdict("23%", 0.234282), verdict("1/6", 1 / 6)
    ('rounded', 'slide is wrong', 'rounded', 'agrees')
    """
    if not printed:
        return UNPRINTED
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return AGREES if str(value).casefold() == printed.casefold() else WRONG
    if printed.startswith(">"):
        return AGREES if value > float(printed[1:]) else WRONG
    number, slack = _parse_printed(printed)
    away = abs(float(value) - number)
    if away <= _EXACT:
        return AGREES
    return ROUNDED if away <= slack + _EXACT else WRONG


def _parse_printed(printed: str) -> tuple[float, float]:
    """The number printed, and half a unit of its last digit; a whole number is meant exactly."""
    if _FRACTION.fullmatch(printed):
        return float(Fraction(printed)), 0.0
    match = _NUMBER.fullmatch(printed)
    assert match, f"{printed!r} is no number"
    number, decimals, percent = match.groups()
    if not decimals and not percent:
        return float(number), 0.0
    scale = 0.01 if percent else 1.0
    return float(number) * scale, 0.5 * 10.0 ** -len(decimals or "") * scale


def value_text(value: Any, *, in_percent: bool = False) -> str:
    """A value with up to six decimals.

    >>> value_text(0.25), value_text(0.234282, in_percent=True), value_text(3), value_text("body")
    ('0.25', '23.4282%', '3', 'body')
    """
    if not isinstance(value, float):
        return str(value)
    decimals = f"{100 * value:.4f}" if in_percent else f"{value:.6f}"
    short = decimals.rstrip("0").rstrip(".") if "." in decimals else decimals
    return f"{'0' if short == '-0' else short}{'%' if in_percent else ''}"


# ---- all facts of a table --------------------------------------------------------------------------------


_WIDEST = 24  # a longer value stands on a line of its own
_HEADER = ("what", "where", "printed", "recomputed", "verdict")


@dataclass(frozen=True)
class Reproduction(TabularResult):
    """What a lecture prints about a table, beside what Hornbeam computes.

    Attributes
    ----------
    name : str
        The table, or "all".
    facts : tuple of Fact

    Examples
    --------
    >>> import hornbeam as hb
    >>> lecture = hb.teaching.reproduce("cs178")
    >>> len(lecture), lecture.wrong, lecture.facts[1].printed, round(lecture.facts[1].value, 6)
    (6, [], '0.333', 0.333333)
    """

    name: str
    facts: tuple[Fact, ...]

    def __len__(self) -> int:
        return len(self.facts)

    def __iter__(self) -> Iterator[Fact]:
        return iter(self.facts)

    @property
    def wrong(self) -> list[Fact]:
        """The facts whose slide is wrong."""
        return [fact for fact in self.facts if fact.verdict == WRONG]

    @property
    def errata(self) -> list[str]:
        """The errata these facts concern, in order."""
        return sorted({fact.erratum for fact in self.facts if fact.erratum}, key=lambda name: int(name[1:]))

    def columns(self) -> dict[str, list[Any]]:
        """A row for each fact: what, where, printed, recomputed, verdict and erratum."""
        names = ("table", "what", "where", "printed", "recomputed", "verdict", "erratum")
        return {name: [getattr(fact, name) for fact in self.facts] for name in names}

    def shown_tables(self) -> list[Mapping[str, Sequence[Any]]]:
        """The columns that say something: the table only if there are several."""
        told = {name: values for name, values in self.columns().items() if set(values) - {None, ""}}
        if len(set(told.get("table", []))) == 1:
            del told["table"]
        return [told]

    def to_dict(self) -> dict[str, Any]:
        """A plain dict that JSON can hold."""
        return {"name": self.name, "facts": [fact.to_dict() for fact in self.facts]}

    def __str__(self) -> str:
        tables = groupby(self.facts, key=lambda fact: fact.table)
        return "\n\n".join(_section(name, list(facts)) for name, facts in tables)


def _section(name: str, facts: list[Fact]) -> str:
    rows = [_HEADER, *map(_row, facts)]
    widths = [max(len(row[k]) for row in rows) for k in range(len(_HEADER))]
    below = ["-" * (sum(widths) + 2 * len(widths) - 2), *(_below(fact) for fact in facts)]
    lines = [name]
    for row, more in zip(rows, below, strict=True):
        lines.append("  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip())
        lines += [more] if more else []
    return "\n".join(lines)


def _row(fact: Fact) -> tuple[str, ...]:
    verdict = f"{fact.verdict} ({fact.erratum})" if fact.erratum else fact.verdict
    return (fact.what, fact.where, fact.printed or "-", "below" if _below(fact) else fact.recomputed, verdict)


def _below(fact: Fact) -> str:
    """What is too long for a column: trees."""
    return f"    {fact.recomputed}" if len(fact.recomputed) > _WIDEST else ""
