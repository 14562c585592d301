"""The boxes of nodes that test something: the rows at the node, drawn over what is tested.

A test by size (a threshold, several cuts, a weighted sum, an order of words) shows the rows on the column's
one axis, with the cut where it is. Classes are stacked bars; a real target is a scatter of it with the mean
of each branch as a line. Without rows each branch is one block over its interval, as high as its share of
the records.

A test by value (words, sets of words, one word against the rest, tuples, expressions) shows one lying bar for
each value, branches apart by a divider; the longest first, at most five, the rest counted. Without rows there
is one bar for each branch, from the branch's own records.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from hornbeam._base.types import Floats, Longs
from hornbeam.display.drawing import node_box
from hornbeam.display.drawing.canvas import Canvas
from hornbeam.display.drawing.drawing_context import DrawingContext, DrawnAxis
from hornbeam.display.drawing.node_box import INNER, PAD, WIDTH
from hornbeam.display.drawing.node_words import branch_words
from hornbeam.display.drawing.palette import stacked
from hornbeam.display.drawing.text_width import TINY, one_line, shortened, text_width
from hornbeam.display.rows_at_nodes import RowsAtNodes, count_cells, some_points
from hornbeam.tree.arrays import COLUMNS, EQUALS, EXPRESSION, HYPERPLANE, MULTIWAY, SUBSET
from hornbeam.tree.branches import branches_of_codes

_BARS_TALL, _SCATTER_TALL = 38.0, 58.0
_MOST_BARS = 5
_ROW = 13.0
_LABEL = 74.0  # the most a label takes


def _split_box(context: DrawingContext, node: int, box: Canvas, foot: float) -> Canvas:
    """The box of a test, its head and picture drawn, with the answer of the node at the foot."""
    words, share = node_box.mean_and_spread(context, node)
    node_box.draw_answer(box, foot, words, node_box.rows_and_number(context, node), share=share)
    if context.tree.classes is None:
        return node_box.framed(box, foot + 11)
    node_box.draw_strip(box, context, node, PAD, foot + 6, INNER)
    return node_box.framed(box, foot + 21)


# --- tests by size ------------------------------------------------------------------------------------------


def size_split(context: DrawingContext, node: int) -> Canvas:
    """Return the box of a test by size."""
    is_scatter = context.tree.task.has_spread
    tall = _SCATTER_TALL if is_scatter else _BARS_TALL
    box = Canvas(WIDTH, 0)
    top = node_box.draw_head(box, context, node)
    axis = context.axis_of_test(node)
    (_draw_scatter if is_scatter else _draw_bars)(context, node, box, axis, top)
    box.line(PAD, top + tall, PAD + INNER, top + tall, stroke="axis")
    for cut in context.cuts_of(node):
        node_box.draw_cut(box, axis.place(cut, PAD, INNER), top - 1, top + tall)
    return _split_box(context, node, box, top + tall + 23)


def _values_at(rows: RowsAtNodes, node: int) -> tuple[Floats, Longs, Floats]:
    """What the rows at a node have in what it tests, the rows, and their weights."""
    if rows.tree.kind[node] == HYPERPLANE:
        return rows.weighted_sum(node, node), *rows.at(node)
    return rows.column_at(int(rows.tree.column[node]), node)


def _branch_spans(context: DrawingContext, node: int, axis: DrawnAxis) -> list[tuple[float, float]]:
    """Where the intervals of the branches begin and end."""
    cuts = [axis.place(cut, PAD, INNER) for cut in context.cuts_of(node)]
    return list(pairwise([PAD, *cuts, PAD + INNER]))


def _draw_bars(context: DrawingContext, node: int, box: Canvas, axis: DrawnAxis, top: float) -> None:
    tree, colours = context.tree, context.colours
    if context.rows is None:
        spans = _branch_spans(context, node, axis)
        children = list(tree.children(node))[: len(spans)]
        counts = tree.weight[children][:, None] if tree.classes is None else tree.stats[children]
    else:
        spans, counts = node_box.bin_spans(axis, PAD, INNER), bin_counts(context, node, axis)
    if counts.shape[1] != len(colours):
        colours = ["other"]
    most = float(counts.sum(axis=1).max()) if len(counts) else 0.0
    if most > 0:
        node_box.draw_columns(box, spans, counts * (_BARS_TALL / most), colours, top + _BARS_TALL)


def bin_counts(context: DrawingContext, node: int, axis: DrawnAxis) -> Floats:
    """Return how many rows of each class are in each bin; all in one class if outcomes are not known."""
    assert context.rows is not None
    values, rows, weight = _values_at(context.rows, node)
    known = ~np.isnan(values)
    n_bins = len(axis.edges) - 1
    place = np.clip(np.searchsorted(axis.edges, values[known], side="left") - 1, 0, n_bins - 1)
    if context.rows.codes is None:
        return count_cells(place, np.zeros_like(place), weight[known], (n_bins, 1))
    return count_cells(place, context.rows.codes[rows[known]], weight[known], (n_bins, len(context.colours)))


def _draw_scatter(context: DrawingContext, node: int, box: Canvas, axis: DrawnAxis, top: float) -> None:
    """Draw at most 200 rows, or else the spread of each branch; and its mean over its interval."""

    def height(value: float) -> float:
        return top + _SCATTER_TALL - 3 - context.target_axis.place(value, 0, _SCATTER_TALL - 6)

    if context.rows is not None and context.rows.outcome is not None:
        values, rows, _ = _values_at(context.rows, node)
        pairs = some_points(values, context.rows.outcome[rows])
        points = [(axis.place(a, PAD, INNER), height(b)) for a, b in pairs]
        box.dots(points, fill="real", width=2.6, opacity=0.55)
    spans = _branch_spans(context, node, axis)
    for child, (start, end) in zip(context.tree.children(node), spans, strict=False):
        mean, spread = float(context.answers[child]), float(context.spreads[child])
        if not context.has_outcomes and spread > 0:
            above = height(mean + spread)
            box.rect(start, above, end - start, height(mean - spread) - above, fill="real", opacity=0.25)
        box.line(start, height(mean), end, height(mean), stroke="ink", width=1.6)


# --- tests by value -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ValueBar:
    """One value or branch: its words, its branch, its records by class or as count, mean and spread."""

    label: str
    branch: int
    size: float
    counts: Floats


def value_split(context: DrawingContext, node: int) -> Canvas:
    """Return the box of a test by value."""
    bars = _value_bars(context, node)
    shown = _largest_bars(bars)
    is_divided = int(context.tree.kind[node]) in (SUBSET, EQUALS) and context.rows is not None
    box = Canvas(WIDTH, 0)
    top = node_box.draw_head(box, context, node)
    label = min(_LABEL, max((text_width(one_line(bar.label), TINY) for bar in shown), default=0.0))
    start, room = PAD + label + 6, INNER - label - 6
    scale = room / (max((bar.size for bar in shown), default=0.0) or 1.0)
    for k, bar in enumerate(shown):
        if is_divided and k and shown[k - 1].branch != bar.branch:
            box.line(PAD, top + 2.5, PAD + INNER, top + 2.5, stroke="ink", width=1, dash=(3, 2))
            top += 5
        words = shortened(bar.label, label + 1, TINY)
        box.text(PAD + label, top + 9.5, words, size=TINY, fill="ink", anchor="end")
        if context.tree.classes is not None:
            _draw_classes(context, box, bar, start, top + 1.5, scale)
        else:
            _draw_mean(context, box, bar, start, top + 6.5, room, scale)
        top += _ROW
    if len(bars) > len(shown):
        box.text(PAD, top + 9.5, f"+{len(bars) - len(shown)} more", size=TINY, fill="muted")
        top += _ROW
    return _split_box(context, node, box, top + 18)


def _largest_bars(bars: list[ValueBar]) -> list[ValueBar]:
    """The largest, by branch, in each branch the longest first."""
    several = len({bar.branch for bar in bars}) < len(bars)
    if len(bars) == 2 and not several:  # yes before no
        return bars
    largest = sorted(bars, key=lambda bar: -bar.size)[:_MOST_BARS]
    return sorted(largest, key=lambda bar: (bar.branch if several else 0, -bar.size))


def _draw_classes(
    context: DrawingContext, canvas: Canvas, bar: ValueBar, x: float, y: float, scale: float
) -> None:
    counts = bar.counts.tolist()
    colours = context.colours if len(counts) == len(context.colours) else ["other"]
    node_box.draw_stack(canvas, [(colour, n * scale) for colour, n in stacked(counts, colours)], x, y, 9)
    if bar.size > 0:
        canvas.rect(x, y, bar.size * scale, 9, stroke="outline", stroke_width=0.7)


def _draw_mean(
    context: DrawingContext, canvas: Canvas, bar: ValueBar, x: float, y: float, room: float, scale: float
) -> None:
    """Draw a mean with its spread on the axis of the target; rows without outcomes as a plain bar."""
    if not context.tree.task.has_spread or len(bar.counts) < 3:
        canvas.rect(x, y - 4.5, bar.size * scale, 9, fill="other", stroke="outline", stroke_width=0.7)
        return
    canvas.line(x, y, x + room, y, stroke="axis")
    if bar.size > 0:
        mean, spread = float(bar.counts[1]), float(bar.counts[2])
        ends = (mean - spread, mean + spread, mean)
        low, high, at = (context.target_axis.place(value, x, room) for value in ends)
        canvas.rect(low, y - 3.5, max(high - low, 1), 7, fill="real", opacity=0.35)
        canvas.line(at, y - 4.5, at, y + 4.5, stroke="ink", width=2)


def _value_bars(context: DrawingContext, node: int) -> list[ValueBar]:
    """One bar for each value at the node, or for each branch if values cannot be counted."""
    tree, rows = context.tree, context.rows
    if rows is None or int(tree.kind[node]) in (COLUMNS, EXPRESSION):
        return [_branch_bar(context, node, child) for child in tree.children(node)]
    column = tree.columns[int(tree.column[node])]
    values, row, weight = rows.column_at(int(tree.column[node]), node)
    known = ~np.isnan(values)
    codes, row, weight = values[known].astype(np.int64), row[known], weight[known]
    n = len(column.categories)
    counts = count_cells(codes, np.zeros_like(codes), weight, (n, 1))
    sizes = counts[:, 0]
    if rows.codes is not None:
        counts = count_cells(codes, rows.codes[row], weight, (n, len(context.colours)))
    elif rows.outcome is not None:
        y = rows.outcome[row]
        safe = np.maximum(sizes, 1e-300)
        mean = np.bincount(codes, weights=weight * y, minlength=n) / safe
        square = np.bincount(codes, weights=weight * (y - mean[codes]) ** 2, minlength=n) / safe
        counts = np.stack([sizes, mean, np.sqrt(square)], axis=1)
    return [
        ValueBar(column.word(code), branch, float(sizes[code]), counts[code])
        for code, branch in enumerate(branches_of_codes(tree, node))
        if sizes[code] > 0
    ] or [_branch_bar(context, node, child) for child in tree.children(node)]


def _branch_bar(context: DrawingContext, node: int, child: int) -> ValueBar:
    tree = context.tree
    words = branch_words(tree, node, child)
    if tree.kind[node] == MULTIWAY:
        words = words.removeprefix("= ")
    counts = tree.stats[child]
    if tree.task.has_spread:
        counts = np.array([tree.weight[child], context.answers[child], context.spreads[child]])
    elif not tree.task.is_classes:
        counts = tree.weight[[child]]
    return ValueBar(words, child - int(tree.first_child[node]), float(tree.weight[child]), counts)
