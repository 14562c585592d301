"""What every card of one drawing shares: the tree, the rows, the colours, the axes.

One idea: a column has one axis and the target has one axis in the whole picture, so that the same place means
the same value on every card.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hornbeam._base.types import Floats
from hornbeam.display.drawing.annotation_marks import mark_words, marks_of
from hornbeam.display.drawing.palette import class_colours
from hornbeam.display.drawing.rows_at_nodes import Seen
from hornbeam.tree import answers
from hornbeam.tree.arrays import HYPERPLANE, INTERVALS, LEAF, THRESHOLD
from hornbeam.tree.routing import branch_shares
from hornbeam.tree.tree import Tree

BINS = 18
_FEW_WHOLE = 18  # so many whole numbers have a bar each


@dataclass(frozen=True)
class Axis:
    """An interval of values with the edges of its bins; `whole` if each bin is one value."""

    low: float
    high: float
    edges: Floats
    whole: bool = False

    def place(self, value: float, left: float, width: float) -> float:
        """Return where a value is on an axis drawn from `left`; what is outside is at the end."""
        share = (value - self.low) / (self.high - self.low)
        return left + width * min(max(share, 0.0), 1.0)


class Sheet:
    """One drawing's tree with what its cards need to know in common."""

    def __init__(self, tree: Tree, seen: Seen | None, *, node_ids: bool) -> None:
        self.tree, self.seen, self.node_ids = tree, seen, node_ids
        self.answers = tree.answers()
        self.colours = class_colours(tree) if tree.classes is not None else []
        self.marks = {node: mark_words(kept) for node, kept in marks_of(tree).items()}
        self._axes: dict[int, Axis] = {}

    @property
    def outcomes(self) -> bool:
        """Whether rows with their outcomes were given."""
        return self.seen is not None and self.seen.outcome is not None

    @cached_property
    def spreads(self) -> Floats:
        """The standard deviation of the target at each node."""
        return answers.spreads(self.tree) if self.tree.task == "real" else np.zeros(len(self.tree))

    @cached_property
    def target(self) -> Axis:
        """The axis of a real target: all outcomes, or all leaves with their spread."""
        if self.seen is not None and self.seen.outcome is not None:
            low, high = float(self.seen.outcome.min()), float(self.seen.outcome.max())
        else:
            leaf = self.tree.kind == LEAF
            low = float((self.answers - self.spreads)[leaf].min())
            high = float((self.answers + self.spreads)[leaf].max())
        return Axis(*_wide(low, high), np.empty(0))

    @cached_property
    def _extremes(self) -> tuple[float, float]:
        """The smallest and the largest answer of a leaf."""
        means = self.answers[self.tree.kind == LEAF]
        return float(means.min()), float(means.max())

    @cached_property
    def shares(self) -> Floats:
        """The share of each node among its siblings, which a row without the value is divided by."""
        return branch_shares(self.tree)

    def strength(self, value: float) -> float:
        """Return how strong the colour of a mean is: light for the smallest, full for the largest."""
        low, high = self._extremes
        return 1.0 if high == low else 0.25 + 0.75 * min(max((value - low) / (high - low), 0.0), 1.0)

    def axis(self, column: int) -> Axis:
        """Return the axis of a column: the same on every card."""
        if column not in self._axes:
            self._axes[column] = self._column_axis(column)
        return self._axes[column]

    def plane_axis(self, node: int) -> Axis:
        """Return the axis of a weighted sum, which only one node has."""
        values = self.sums(node, 0)
        cut = float(self.tree.threshold[node])
        known = values[~np.isnan(values)]
        if not len(known):
            return Axis(cut - 1, cut + 1, np.linspace(cut - 1, cut + 1, BINS + 1))
        return _binned(known, float(known.min()), float(known.max()), [cut])

    def sums(self, node: int, at: int) -> Floats:
        """Return the weighted sum that `node` tests, for the rows at the node `at`."""
        tree = self.tree
        if self.seen is None:
            return np.empty(0)
        total = np.zeros(len(self.seen.at(at)[0]))
        for k in range(int(tree.plane_offset[node]), int(tree.plane_offset[node + 1])):
            total = total + tree.plane_weight[k] * self.seen.values(int(tree.plane_column[k]), at)[0]
        return total

    def cuts_of(self, node: int) -> list[float]:
        """Return the finite cuts of a test by size, ascending."""
        kind = int(self.tree.kind[node])
        if kind == INTERVALS:
            found = self.tree.cuts(node).tolist()
        elif kind in (THRESHOLD, HYPERPLANE):
            found = [float(self.tree.threshold[node])]
        else:
            found = []
        return [cut for cut in found if math.isfinite(cut)]

    def _column_axis(self, number: int) -> Axis:
        column = self.tree.columns[number]
        if column.kind != "numeric":
            n = max(len(column.categories), 1)
            return Axis(-0.5, n - 0.5, np.arange(n + 1, dtype=np.float64) - 0.5, whole=True)
        nodes = np.flatnonzero(self.tree.column == number).tolist()
        cuts = [cut for node in nodes for cut in self.cuts_of(node)]
        values = np.empty(0) if self.seen is None else self.seen.everything(number)
        values = values[~np.isnan(values)]
        low, high = column.low, column.high
        if len(values):
            low, high = float(values.min()), float(values.max())
        if math.isnan(low):
            low, high = (min(cuts), max(cuts)) if cuts else (0.0, 1.0)
        return _binned(values, low, high, cuts)


def _binned(values: Floats, low: float, high: float, cuts: list[float]) -> Axis:
    """An axis over the values; where a few reach far out, it ends before them and its last bin takes them."""
    if len(values) and high - low < _FEW_WHOLE and (values == np.floor(values)).all():
        return Axis(low - 0.5, high + 0.5, np.arange(low, high + 2) - 0.5, whole=True)
    if len(values) > 20:
        inner_low, inner_high = np.quantile(values, [0.01, 0.99]).tolist()
        if inner_high > inner_low and high - low > 2.5 * (inner_high - inner_low):
            low, high = max(low, inner_low), min(high, inner_high)
    low, high = _wide(min([low, *cuts]), max([high, *cuts]))
    return Axis(low, high, np.linspace(low, high, BINS + 1))


def _wide(low: float, high: float) -> tuple[float, float]:
    """An interval of positive width."""
    if high > low:
        return low, high
    reach = abs(low) / 2 or 1.0
    return low - reach, high + reach
