"""Cards of tests by size: a threshold, several cuts, a weighted sum, an order of words.

One idea: the rows at the node on the column's one axis, with the cut where it is. Classes are stacked bars; a
real target is a scatter of it with the mean of each branch as a line. Without rows each branch is one block
over its interval, as high as its share of the records.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from hornbeam._base.types import Floats
from hornbeam.display.drawing import card_pieces, card_words
from hornbeam.display.drawing.canvas import Surface
from hornbeam.display.drawing.card_pieces import INNER, PAD, Card
from hornbeam.display.drawing.drawing_context import Axis, Sheet
from hornbeam.display.drawing.rows_at_nodes import sampled
from hornbeam.display.drawing.split_head import top_of
from hornbeam.tree.arrays import HYPERPLANE

_TALL, _TALLER = 38.0, 58.0


def by_size(sheet: Sheet, node: int) -> Card:
    """Return the card of a test by size."""
    tree = sheet.tree
    scatter = tree.task == "real"
    tall = _TALLER if scatter else _TALL
    head = top_of(sheet, node)
    top = head.height
    base = top + tall
    foot = base + 23
    height = foot + (11 if tree.classes is None else 21)

    def paint(surface: Surface, x: float, y: float) -> None:
        card_pieces.frame(surface, x, y, height)
        head.paint(surface, x, y)
        axis = sheet.plane_axis(node) if tree.kind[node] == HYPERPLANE else sheet.axis(int(tree.column[node]))
        left = x + PAD
        if scatter:
            _scatter(sheet, node, surface, axis, left, y + top, tall)
        else:
            _bars(sheet, node, surface, axis, left, y + base, tall)
        card_pieces.baseline(surface, left, y + base)
        for cut in sheet.cuts_of(node):
            card_pieces.cut_mark(surface, axis.place(cut, left, INNER), y + top - 1, y + base)
        said, share = card_words.answer_and_share(tree, node)
        if tree.task == "real" and not tree.uncounted:
            said += f" ± {card_words.short(float(sheet.spreads[node]), 2)}"
        card_pieces.verdict_line(surface, x, y + foot, said, card_pieces.facts(sheet, node), share=share)
        if tree.classes is not None:
            card_pieces.strip(surface, left, y + foot + 6, INNER, 7, tree.stats[node].tolist(), sheet.colours)

    return Card(card_pieces.WIDTH, height, paint)


def values_at(sheet: Sheet, node: int) -> tuple[Floats, Any, Floats]:
    """Return what the rows at a node have in what it tests, the rows, and their weights."""
    assert sheet.seen is not None
    if sheet.tree.kind[node] == HYPERPLANE:
        rows, weight = sheet.seen.at(node)
        return sheet.sums(node, node), rows, weight
    return sheet.seen.values(int(sheet.tree.column[node]), node)


def _bars(
    sheet: Sheet, node: int, surface: Surface, axis: Axis, left: float, base: float, tall: float
) -> None:
    if sheet.seen is None:
        spans, counts, colours = _blocks(sheet, node, axis, left)
    else:
        spans, colours = card_pieces.spans_of(axis, left, INNER), sheet.colours
        counts = _counts(sheet, node, axis)
        if counts.shape[1] != len(colours):
            colours = ["other"]
    most = float(counts.sum(axis=1).max()) if len(counts) else 0.0
    if most > 0:
        card_pieces.columns_of(surface, spans, counts * (tall / most), colours, base)


def _counts(sheet: Sheet, node: int, axis: Axis) -> Floats:
    """Return how many rows of each class are in each bin; all in one class if outcomes are not known."""
    assert sheet.seen is not None
    values, rows, weight = values_at(sheet, node)
    known = ~np.isnan(values)
    n_bins, width = len(axis.edges) - 1, len(sheet.colours) if sheet.outcomes else 1
    place = np.clip(np.searchsorted(axis.edges, values[known], side="left") - 1, 0, n_bins - 1)
    if sheet.outcomes and sheet.tree.classes is not None:
        assert sheet.seen.outcome is not None
        place = place * width + sheet.seen.outcome[rows[known]]
    found: Floats = np.bincount(place, weights=weight[known], minlength=n_bins * width).astype(np.float64)
    return found.reshape(n_bins, width)


def _blocks(
    sheet: Sheet, node: int, axis: Axis, left: float
) -> tuple[list[tuple[float, float]], Floats, list[str]]:
    """Return the interval of each branch, and its records by class."""
    tree = sheet.tree
    places = [axis.place(cut, left, INNER) for cut in sheet.cuts_of(node)]
    ends = [left, *places, left + INNER]
    spans = list(pairwise(ends))
    children = list(tree.children(node))[: len(spans)]
    if tree.classes is None:
        return spans, tree.weight[children][:, None], ["other"]
    return spans, tree.stats[children], sheet.colours


def _scatter(
    sheet: Sheet, node: int, surface: Surface, axis: Axis, left: float, top: float, tall: float
) -> None:
    """Draw at most 200 rows, or else the spread of each branch; and its mean over its interval."""
    tree = sheet.tree

    def high(value: float) -> float:
        return top + tall - 3 - sheet.target.place(value, 0, tall - 6)

    if sheet.seen is not None and sheet.seen.outcome is not None:
        values, rows, _ = values_at(sheet, node)
        pairs = sampled(values, sheet.seen.outcome[rows])
        points = [(axis.place(a, left, INNER), high(b)) for a, b in pairs]
        surface.dots(points, fill="real", width=2.6, opacity=0.55)
    ends = [left, *(axis.place(cut, left, INNER) for cut in sheet.cuts_of(node)), left + INNER]
    for child, start, end in zip(tree.children(node), ends[:-1], ends[1:], strict=False):
        mean, spread = float(sheet.answers[child]), float(sheet.spreads[child])
        if not sheet.outcomes and spread > 0:
            above = high(mean + spread)
            surface.rect(start, above, end - start, high(mean - spread) - above, fill="real", opacity=0.25)
        at = high(mean)
        surface.line(start, at, end, at, stroke="ink", width=1.6)
