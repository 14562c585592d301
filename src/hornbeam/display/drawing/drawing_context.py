"""What all boxes of one drawing share: the tree, the rows, the colours, the axes, the title and the legend.

One idea: a column has one axis and the target has one axis in the whole picture, so that the same place means
the same value in every box. Whoever sees the picture alone reads in its first lines how large the tree is,
how much of it is shown, and what the colours mean.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hornbeam._base.types import Floats
from hornbeam.data.formatting import class_text
from hornbeam.display.drawing.canvas import Canvas
from hornbeam.display.drawing.palette import OTHER, class_colours
from hornbeam.display.drawing.text_width import SMALL, one_line, shortened, text_width
from hornbeam.display.rows_at_nodes import RowsAtNodes
from hornbeam.tree import answers
from hornbeam.tree.annotations import by_node
from hornbeam.tree.arrays import HYPERPLANE, LEAF
from hornbeam.tree.branches import to_numbers
from hornbeam.tree.routing import branch_shares
from hornbeam.tree.tree import Tree
from hornbeam.tree.words import rows_text

BINS = 18
_FEW_WHOLE = 18  # so many whole numbers have a bar each
Entry = tuple[str, str, float]  # of the legend: a colour, words, and how much room both take
_LEGEND = 130.0  # the most a class takes in the line of colours


@dataclass(frozen=True)
class DrawnAxis:
    """An interval of values with the edges of its bins; `whole` if each bin is one value."""

    low: float
    high: float
    edges: Floats
    whole: bool = False

    def place(self, value: float, left: float, width: float) -> float:
        """Return where a value is on an axis drawn from `left`; what is outside is at the end."""
        share = (value - self.low) / (self.high - self.low)
        return left + width * min(max(share, 0.0), 1.0)


class DrawingContext:
    """One drawing's tree with what its boxes need to know in common."""

    def __init__(self, tree: Tree, rows: RowsAtNodes | None, *, node_ids: bool) -> None:
        self.tree, self.rows, self.node_ids = tree, rows, node_ids
        self.answers = tree.answers()
        self.colours = class_colours(tree) if tree.classes is not None else []
        self.annotations = {node: annotation_words(facts) for node, facts in by_node(tree).items()}
        self._axes: dict[int, DrawnAxis] = {}

    @property
    def has_outcomes(self) -> bool:
        """Whether rows with their outcomes were given."""
        return self.rows is not None and self.rows.outcome is not None

    @cached_property
    def spreads(self) -> Floats:
        """The standard deviation of the target at each node."""
        return answers.spreads(self.tree) if self.tree.task.has_spread else np.zeros(len(self.tree))

    @cached_property
    def target_axis(self) -> DrawnAxis:
        """The axis of a real target: all outcomes, or all leaves with their spread."""
        if self.rows is not None and self.rows.outcome is not None:
            low = high = self.rows.outcome
        else:
            leaf = self.tree.kind == LEAF
            low, high = (self.answers - self.spreads)[leaf], (self.answers + self.spreads)[leaf]
        return DrawnAxis(*_widened(float(low.min()), float(high.max())), np.empty(0))

    @cached_property
    def shares(self) -> Floats:
        """The share of each node among its siblings, which a row without the value is divided by."""
        return branch_shares(self.tree)

    @cached_property
    def extreme_answers(self) -> tuple[float, float]:
        """The smallest and the largest answer of a leaf."""
        means = self.answers[self.tree.kind == LEAF]
        return float(means.min()), float(means.max())

    def opacity(self, value: float) -> float:
        """Return how strong the colour of a mean is: light for the smallest, full for the largest."""
        low, high = self.extreme_answers
        return 1.0 if high == low else 0.25 + 0.75 * min(max((value - low) / (high - low), 0.0), 1.0)

    def axis_of_test(self, node: int) -> DrawnAxis:
        """Return the axis of what a node tests by size: of its column, or of its own weighted sum."""
        if self.tree.kind[node] != HYPERPLANE:
            return self.column_axis(int(self.tree.column[node]))
        values = np.empty(0) if self.rows is None else self.rows.weighted_sum(node, 0)
        cut, known = float(self.tree.threshold[node]), values[~np.isnan(values)]
        if not len(known):
            return DrawnAxis(cut - 1, cut + 1, np.linspace(cut - 1, cut + 1, BINS + 1))
        return _binned(known, float(known.min()), float(known.max()), [cut])

    def column_axis(self, column: int) -> DrawnAxis:
        """Return the axis of a column: the same in every box."""
        if column not in self._axes:
            self._axes[column] = self._new_column_axis(column)
        return self._axes[column]

    def _new_column_axis(self, number: int) -> DrawnAxis:
        column = self.tree.columns[number]
        if column.kind != "numeric":
            n = max(len(column.categories), 1)
            return DrawnAxis(-0.5, n - 0.5, np.arange(n + 1, dtype=np.float64) - 0.5, whole=True)
        nodes = np.flatnonzero(self.tree.column == number).tolist()
        cuts = [cut for node in nodes for cut in self.cuts_of(node)]
        values = np.empty(0) if self.rows is None else to_numbers(self.rows.table.arrays[number])
        values = values[~np.isnan(values)]
        low, high = column.low, column.high
        if len(values):
            low, high = float(values.min()), float(values.max())
        if math.isnan(low):
            low, high = (min(cuts), max(cuts)) if cuts else (0.0, 1.0)
        return _binned(values, low, high, cuts)

    def cuts_of(self, node: int) -> list[float]:
        """Return the finite cuts of a test by size, ascending."""
        return [cut for cut in self.tree.cuts(node).tolist() if math.isfinite(cut)]

    def legend(self) -> list[Entry]:
        """Return (colour, words, width) of the classes in their order; those without a colour as one."""
        classes = zip(self.tree.classes or (), self.colours, strict=True)
        entries = [
            (colour, shortened(class_text(c), _LEGEND, SMALL)) for c, colour in classes if colour != OTHER
        ]
        others = len(self.colours) - len(entries)
        if others:
            entries.append((OTHER, f"{others} other classes"))
        return [(colour, words, text_width(words, SMALL) + 28) for colour, words in entries]


def _binned(values: Floats, low: float, high: float, cuts: list[float]) -> DrawnAxis:
    """An axis over the values; where a few reach far out, it ends before them and its last bin takes them."""
    if len(values) and high - low < _FEW_WHOLE and (values == np.floor(values)).all():
        return DrawnAxis(low - 0.5, high + 0.5, np.arange(low, high + 2) - 0.5, whole=True)
    if len(values) > 20:
        inner_low, inner_high = np.quantile(values, [0.01, 0.99]).tolist()
        if inner_high > inner_low and high - low > 2.5 * (inner_high - inner_low):
            low, high = max(low, inner_low), min(high, inner_high)
    low, high = _widened(min([low, *cuts]), max([high, *cuts]))
    return DrawnAxis(low, high, np.linspace(low, high, BINS + 1))


def _widened(low: float, high: float) -> tuple[float, float]:
    """An interval of positive width."""
    if high > low:
        return low, high
    reach = abs(low) / 2 or 1.0
    return low - reach, high + reach


def annotation_words(facts: Mapping[str, Any]) -> str:
    """Return what people did to one node in a few words: a tree changed by hand should not look learned.

    >>> annotation_words({"forced": {"rank": 2, "of": 7}, "locked": True})
    '✎ chosen · rank 2 of 7 · locked'
    """
    words, forced = [], facts.get("forced")
    if forced:
        words.append("✎ chosen")
        if isinstance(forced, Mapping) and "rank" in forced:
            words.append(f"rank {forced['rank']} of {forced.get('of', '?')}")
    if facts.get("locked"):
        words.append("locked")
    return " · ".join(words)


def headline(tree: Tree, title: str | None, n_shown: int | None = None) -> str:
    """Return the first line: the title, how large the tree is, and how many nodes are shown if not all."""
    if title is not None and not isinstance(title, str):
        raise TypeError(f"title={title!r} must be text, or None for none")
    sizes = tree.statistics()
    leaves = "1 leaf" if sizes["leaves"] == 1 else f"{sizes['leaves']:,} leaves"
    facts = [f"{leaves}, depth {sizes['depth']}"]
    if not tree.uncounted:
        facts.insert(0, rows_text(int(tree.n_rows[0])))
    if n_shown is not None and n_shown < len(tree):
        facts.append(f"{n_shown} of {len(tree)} nodes shown")
    text = " · ".join(facts)
    return f"{one_line(title)} — {text}" if title else text


def draw_legend(canvas: Canvas, entries: list[Entry], y: float, x: float) -> None:
    """Draw the line of colours from a corner on."""
    for colour, words, width in entries:
        canvas.rect(x, y + 1, 10, 10, fill=colour, stroke="outline", stroke_width=0.7, radius=1)
        canvas.text(x + 15, y + 10, words, size=SMALL, fill="ink")
        x += width
