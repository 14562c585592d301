"""The pieces boxes of nodes are made of: frame, first lines, answer line, class strip, bars.

One idea: a box is a small drawing with its corner at (0, 0), which the picture puts in its place. The same
thing stands at the same place in every box, in the same size, and no text is smaller than nine pixels. A name
is not shortened while there is room below it: the score moves down first, and a formula is written out in up
to three lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from hornbeam._base.types import Floats
from hornbeam.display.drawing import node_words
from hornbeam.display.drawing.canvas import Canvas, rect_commands
from hornbeam.display.drawing.drawing_context import DrawingContext, DrawnAxis
from hornbeam.display.drawing.palette import stacked
from hornbeam.display.drawing.text_width import SMALL, TINY, TITLE, VERDICT, one_line, shortened, text_width
from hornbeam.tree.arrays import EXPRESSION, HYPERPLANE
from hornbeam.tree.scores import digits
from hornbeam.tree.tree import Tree

WIDTH = 200.0
PAD = 10.0
INNER = WIDTH - 2 * PAD
_PICTURE_TOP = 26.0
_LINE = 12.5
_MOST_LINES = 3


def framed(box: Canvas, height: float, *, bar: str | None = None, opacity: float = 1) -> Canvas:
    """Return what was drawn in a box on its frame, with a bar in a colour at the left edge for leaves."""
    frame = Canvas(WIDTH, height)
    frame.rect(0, 0, WIDTH, height, fill="card", stroke="border", radius=7)
    if bar is not None:
        r, k, end = 7.0, 0.45 * 7.0, 6.0
        corner = ("C", k, 0, 0, k, 0, r)
        lower = ("C", 0, height - k, k, height, r, height)
        sides = [("M", end, 0), ("L", r, 0), corner, ("L", 0, height - r), lower, ("L", end, height), ("Z",)]
        frame.path(sides, fill=bar, opacity=opacity)
    frame.root.items += box.root.items
    return frame


def draw_answer(
    box: Canvas, at: float, words: str, right: str, *, left: float = PAD, share: str = ""
) -> None:
    """Write the answer of a node and its share; its rows and number at the right end."""
    room = WIDTH - PAD - left - (text_width(right, SMALL) + 8 if right else 0)
    if share:  # "class 1 50 %" would read as two numbers
        share = f" · {share}" if words[-1:].isdigit() else f" {share}"
        room -= text_width(share, VERDICT, bold=True)
    box.text(left, at, shortened(words, room, VERDICT, bold=True) + share, size=VERDICT, bold=True)
    box.text(WIDTH - PAD, at, right, size=SMALL, fill="muted", anchor="end")


def mean_and_spread(context: DrawingContext, node: int) -> tuple[str, str]:
    """Return the answer of a node with the spread of a mean, and the share of a class."""
    words, share = node_words.answer_and_share(context.tree, node)
    if context.tree.task.has_spread and not context.tree.uncounted:
        words += f" ± {digits(float(context.spreads[node]), 2)}"
    return words, share


def rows_and_number(context: DrawingContext, node: int) -> str:
    """Return the rows and the number of a node, as far as wanted and known."""
    return " · ".join(filter(None, [node_words.rows_at(context.tree, node), node_number(context, node)]))


def node_number(context: DrawingContext, node: int) -> str:
    """Return the number of a node if wanted, after what people did to a leaf."""
    words = context.annotations.get(node, "") if context.tree.first_child[node] < 0 else ""
    return " · ".join(filter(None, [words, f"#{node}" if context.node_ids else ""]))


def draw_strip(canvas: Canvas, context: DrawingContext, node: int, x: float, y: float, width: float) -> None:
    """Draw the classes of a node as a stacked bar over the whole width, with a dark outline."""
    counts = context.tree.stats[node].tolist()
    total = sum(counts)
    if total > 0:
        pieces = stacked(counts, context.colours)
        draw_stack(canvas, [(colour, width * amount / total) for colour, amount in pieces], x, y, 7)
        canvas.rect(x, y, width, 7, stroke="outline", stroke_width=0.7, radius=1)


def draw_stack(
    canvas: Canvas, pieces: Sequence[tuple[str, float]], x: float, y: float, height: float
) -> None:
    """Draw the pieces of a lying bar, each a colour and a width in pixels, side by side."""
    for colour, width in pieces:
        canvas.rect(x, y, width, height, fill=colour)
        x += width


def draw_columns(
    canvas: Canvas, spans: Sequence[tuple[float, float]], heights: Floats, colours: Sequence[str], base: float
) -> None:
    """Draw upright bars between pairs of x, stacked by class from the base: heights[bar, class] in pixels."""
    merged: dict[str, Floats] = {}
    for k, colour in enumerate(colours):
        merged[colour] = merged[colour] + heights[:, k] if colour in merged else heights[:, k]
    low = np.full(len(spans), base)
    for colour, tall in merged.items():
        low = low - tall
        outlines = [
            command
            for (left, right), top, height in zip(spans, low, tall, strict=True)
            if height > 0.05
            for command in rect_commands(left, top, right - left, height)
        ]
        if outlines:
            canvas.path(outlines, fill=colour, stroke="outline", width=0.5)


def draw_cut(canvas: Canvas, x: float, top: float, base: float) -> None:
    """Draw a dashed line through a picture with a triangle under its axis."""
    canvas.line(x, top, x, base, stroke="ink", width=1.2, dash=(3, 2))
    canvas.path([("M", x - 4, base + 7), ("L", x + 4, base + 7), ("L", x, base + 1), ("Z",)], fill="ink")


def bin_spans(axis: DrawnAxis, left: float, width: float) -> list[tuple[float, float]]:
    """Return where the bins of an axis are drawn, a little apart if each is one value."""
    at = [axis.place(edge, left, width) for edge in axis.edges.tolist()]
    gap = min(2.0, (at[1] - at[0]) * 0.15) if axis.whole else 0.0
    return [(a + gap, b - gap) for a, b in pairwise(at)]


def draw_head(box: Canvas, context: DrawingContext, node: int) -> float:
    """Write the first lines of a split: what is tested, the score, what people did, a formula in lines.

    Returns where the picture of the split begins.
    """
    tree = context.tree
    sign, name = node_words.tested(tree, node)
    formula = _formula(tree, node)
    lines: tuple[str, ...] = ()
    if formula and text_width(f"{sign} {formula}", TITLE, bold=True) > INNER:
        name, lines = node_words.tested_names(tree, node), broken_lines(formula)
    elif formula:
        name = formula
    words, score = f"{sign} {name}", node_words.score(tree, node)
    annotation = context.annotations.get(node, "")
    box.text(PAD, 18, shortened(words, INNER, TITLE, bold=True), size=TITLE, bold=True)
    both = text_width(one_line(words), TITLE, bold=True) + text_width(score, SMALL) + 8
    # the score stands a line lower, beside what people did, if it has no room beside the name
    beside = both <= INNER
    lower = 13.0 if annotation or (score and not beside) else 0.0
    at = 18 + lower
    box.text(WIDTH - PAD, 18 if beside else at, score, size=SMALL, fill="muted", anchor="end")
    room = INNER if beside else INNER - text_width(score, SMALL) - 6
    box.text(PAD, at, shortened(annotation, room, TINY), size=TINY, fill="accent")
    for line in lines:
        at += _LINE
        box.text(PAD, at, line, size=TINY)
    return _PICTURE_TOP + lower + _LINE * len(lines)


def _formula(tree: Tree, node: int) -> str:
    """What a test computes, if that is more than a column; weights with three digits."""
    if tree.kind[node] == EXPRESSION:
        return one_line(tree.expressions[node])
    text = ""
    for column, weight in tree.plane(node) if tree.kind[node] == HYPERPLANE else ():
        name = one_line(tree.columns[column].name)
        size = "" if abs(weight) == 1 else f"{digits(abs(weight))}·"
        sign = "−" if weight < 0 else "+"
        text += f" {sign} {size}{name}" if text else f"{'−' * (weight < 0)}{size}{name}"
    return text


def broken_lines(text: str) -> tuple[str, ...]:
    """Return a text in at most three lines as wide as a box, the last one shortened if need be.

    >>> broken_lines("age > 40 and city == 'Brno' or not owner")
    ("age > 40 and city == 'Brno' or not", 'owner')
    """
    lines: list[str] = []
    words = text.split(" ")
    while words:
        taken = 1 if len(lines) < _MOST_LINES - 1 else len(words)
        while taken < len(words) and text_width(" ".join(words[: taken + 1]), TINY) <= INNER:
            taken += 1
        lines.append(shortened(" ".join(words[:taken]), INNER, TINY))
        words = words[taken:]
    return tuple(lines)
