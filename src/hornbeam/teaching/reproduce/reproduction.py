"""Reproduction: the facts of one table, or of all, as data first and as an aligned text second."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from hornbeam.teaching.reproduce.fact import WRONG, Fact

_WIDEST = 24  # a longer value stands on a line of its own
_HEADER = ("what", "where", "printed", "recomputed", "verdict")


@dataclass(frozen=True)
class Reproduction:
    """What a lecture prints about a table, beside what Hornbeam computes.

    Attributes
    ----------
    name : str
        The table, or "all".
    facts : tuple of Fact

    Examples
    --------
    >>> import hornbeam.teaching.reproduce as again
    >>> found = again.reproduce("cs178")
    >>> len(found), found.wrong, found.facts[1].printed, round(found.facts[1].value, 6)
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
