"""One bundled table as text, and where the tables come from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

POSIK = "P. Pošík, lecture 'Decision Trees'"
LI = "Shuai Li, VE445 lecture 9 'Decision Tree'"
MANSOUR = "Lecture notes on decision trees after Y. Mansour"
POCZOS = "B. Póczos, CMU 10-701 lecture 23 'Decision Trees'"
KERRIGAN = "G. Kerrigan, UCI CS178 lecture 18 'Decision Trees'"


@dataclass(frozen=True)
class Entry:
    """One table as text; `read` turns the words of a column into values, `numeric` names measured columns."""

    header: str
    rows: str
    target: str
    source: str
    description: str
    read: Mapping[str, Callable[[str], Any]] = field(default_factory=dict)
    numeric: tuple[str, ...] = ()


def truth(word: str) -> bool:
    """True or False."""
    return word == "True"


def or_gap(word: str) -> str | None:
    """The word itself, None for a dash."""
    return None if word == "-" else word
