"""Recalling: the directions that a first tree tested, offered at every node of a second one.

One idea: a table has few directions that matter, and each is found best where little else is left to do, far
from the root. In the units of the columns a direction means the same at every node.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hornbeam._base.types import Floats
from hornbeam.growing.candidates.node_splits import Split
from hornbeam.growing.oblique.point_cloud import Cloud
from hornbeam.growing.stepwise_growth import Node

_MOST = 16  # directions that are recalled
_ALIKE = 0.9995  # cosine above which two directions of the same columns are one
_GRAIN = 2.0**-20  # directions are multiples of this, so that rounding in the last bits does not show


@dataclass(frozen=True)
class Line:
    """A weighted sum of columns, in their units."""

    columns: tuple[int, ...]
    weights: Floats

    def is_like(self, other: Line, ranges: Floats) -> bool:
        """Whether both are nearly the same sum of columns that have these ranges in the table."""
        if self.columns != other.columns:
            return False
        unit = ranges[list(self.columns)]
        one, two = self.weights * unit, other.weights * unit
        return float((one * two).sum()) ** 2 > _ALIKE**2 * float((one**2).sum()) * float((two**2).sum())

    def direction(self, cloud: Cloud) -> Floats | None:
        """The sum in the standard units of a node; None if a column is constant there, or not looked at."""
        if not set(self.columns) <= set(cloud.columns):
            return None
        places = [cloud.columns.index(column) for column in self.columns]
        found = np.zeros(len(cloud.columns))
        found[places] = self.weights * cloud.scale[places]
        found = np.round(found / np.abs(found).max() / _GRAIN) * _GRAIN
        return found if np.count_nonzero(found) > 1 else None


def recall(root: Node, lines: Mapping[Split, Line], ranges: Floats) -> list[Line]:
    """The sums that a tree tests, those first that gain most on most rows; `lines` are the sums of its
    splits before they were rounded, `ranges` those of the columns in the table.
    """
    known: list[tuple[Line, float, float]] = []  # a sum, what it is worth there, and those like it together
    open_nodes = [root]
    while open_nodes:
        node = open_nodes.pop()
        open_nodes += reversed(node.children)
        line = None if node.proposal is None else lines.get(node.proposal.split)
        if node.proposal is None or line is None:
            continue
        worth = node.n_rows * node.proposal.gain
        place = next((k for k, (other, _, _) in enumerate(known) if other.is_like(line, ranges)), None)
        if place is None:
            known.append((line, worth, worth))
        else:
            other, top, together = known[place]
            known[place] = (line if worth > top else other, max(worth, top), together + worth)
    known.sort(key=lambda one: -one[2])
    return [line for line, _, _ in known[:_MOST]]


def offered(lines: Sequence[Line], cloud: Cloud, most: int) -> list[Floats]:
    """What is recalled, as directions of a node of at most so many columns."""
    found = [line.direction(cloud) for line in lines]
    return [one for one in found if one is not None and np.count_nonzero(one) <= most]
