"""Fact: one number or word of a lecture beside the one computed again, and the verdict between them.

One idea: a number printed with decimals, or in percent, stands for every number that rounds to it: it is
wrong only if the value computed again lies more than half a unit of its last digit away.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

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


def fact(table: str, what: str, where: str, printed: str, value: Any, erratum: str = "") -> Fact:
    """A Fact with its verdict."""
    return Fact(table, what, where, printed, value, verdict(printed, value), erratum)


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
    number, slack = _parsed(printed)
    away = abs(float(value) - number)
    if away <= _EXACT:
        return AGREES
    return ROUNDED if away <= slack + _EXACT else WRONG


def _parsed(printed: str) -> tuple[float, float]:
    """The number printed, and half a unit of its last digit; a whole number is meant exactly."""
    if _FRACTION.fullmatch(printed):
        return float(Fraction(printed)), 0.0
    found = _NUMBER.fullmatch(printed)
    assert found, f"{printed!r} is no number"
    if not found[2] and not found[3]:
        return float(found[1]), 0.0
    scale = 0.01 if found[3] else 1.0
    return float(found[1]) * scale, 0.5 * 10.0 ** -len(found[2] or "") * scale


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
