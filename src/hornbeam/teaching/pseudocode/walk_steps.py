"""What a walk through a listing consists of: steps, each a line with its words, variables and a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hornbeam.teaching.pseudocode.algorithms import Listing


@dataclass(frozen=True)
class WalkTable:
    """A table of a step: its caption, headings, rows of text, and the row that is marked (-1: none).

    The last cell of a row that is shorter than the headings fills the rest.
    """

    caption: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    marked: int = -1


@dataclass(frozen=True)
class WalkStep:
    """What happens at a line.

    Attributes
    ----------
    line : the number of the line in the listing
    say : what happens, in words
    values : the variables there, name and value
    table : candidates or branches, None where there are none
    operation : what the line does to the tree, None if nothing
    """

    line: int
    say: str
    values: tuple[tuple[str, str], ...] = ()
    table: WalkTable | None = None
    operation: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class NodeWalk:
    """The steps at a node.

    Attributes
    ----------
    listing : the algorithm, in the words of the present criterion
    node : the number of the node
    steps : a WalkStep for each line that is reached
    """

    listing: Listing
    node: int
    steps: tuple[WalkStep, ...]

    def __str__(self) -> str:
        said = {step.line: step.say for step in self.steps}
        lines = []
        for number, line in enumerate(self.listing.lines):
            lines.append(f"{'▸' if number in said else ' '} {'  ' * line.level}{line.text}")
            if number in said:
                lines.append(f"  {'  ' * line.level}    {said[number]}")
        return "\n".join(lines)
