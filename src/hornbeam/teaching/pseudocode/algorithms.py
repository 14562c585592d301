"""The algorithms of the lectures as pseudo-code, and which of them an estimator follows."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from hornbeam._base.types import Task
from hornbeam.growing.plan import Plan
from hornbeam.growing.selections import AverageGain, Best
from hornbeam.growing.splits import Binary, Multiway, OneVsRest, YesNo

OTHER = "induction"  # the listing of whatever is none of the others


@dataclass(frozen=True)
class ListingLine:
    """A line of a listing: its text, how far it is indented, and what happens there."""

    text: str
    level: int
    on: tuple[str, ...]


@dataclass(frozen=True)
class Listing:
    """An algorithm line by line.

    Attributes
    ----------
    name, title, source : by what it is called, for programs and for people, and where it is from
    recipe : the recipe that grows so; None for the general form
    lines : its lines
    """

    name: str
    title: str
    source: str
    recipe: str | None
    lines: tuple[ListingLine, ...]

    def line_of(self, *events: str) -> int | None:
        """The first line of the first event that happens at any line; None if there is none."""
        for event in events:
            for number, line in enumerate(self.lines):
                if event in line.on:
                    return number
        return None

    def filled(self, words: Mapping[str, str]) -> Listing:
        """The listing with words in the place of {measure} and the like."""
        lines = tuple(ListingLine(line.text.format(**words), line.level, line.on) for line in self.lines)
        return Listing(self.name, self.title, self.source, self.recipe, lines)

    def __str__(self) -> str:
        return "\n".join("  " * line.level + line.text for line in self.lines)


@cache
def listings() -> Mapping[str, Listing]:
    """All listings by name.

    >>> print(listings()["buildtree"])
    BuildTree(D):
      P ← ClassProbabilityVector(D)
      if LeafCondition(D, P, node): return leaf with P
      (j, t) ← FindBestSplit(D), by the {impurity}
      D_L ← rows with x_j ≤ t;  D_R ← rows with x_j > t
      children ← BuildTree(D_L), BuildTree(D_R)
    """
    given = tomllib.loads((files(__package__) / "listings.toml").read_text(encoding="utf-8"))
    return {name: _listing(name, **one) for name, one in given.items()}


def _listing(
    name: str, title: str, source: str, lines: list[dict[str, Any]], recipe: str | None = None
) -> Listing:
    made = tuple(
        ListingLine(line["text"], line.get("level", 0), tuple(line.get("on", "").split())) for line in lines
    )
    return Listing(name, title, source, recipe, made)


def listing_of(plan: Plan) -> Listing:
    """The listing that a plan of growth follows, by its criterion, selection and kind of splits."""
    return listings()[_name_of(plan)]


def _name_of(plan: Plan) -> str:
    criterion, selection, split = plan.criterion.name, plan.selection, plan.split
    if isinstance(selection, AverageGain):
        return "c45"
    if not isinstance(selection, Best):
        return OTHER
    if isinstance(split, OneVsRest):
        return "buildtree"
    if isinstance(split, YesNo):
        return "dt"
    if isinstance(split, Multiway) and criterion == "entropy":
        return "id3" if plan.limits.get("min_gain", 0.0) > 0 else "builddt"
    if isinstance(split, Binary) and (plan.criterion.task == Task.REAL or criterion in ("gini", "entropy")):
        return "cart"
    return OTHER
