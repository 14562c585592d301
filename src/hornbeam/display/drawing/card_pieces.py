"""The pieces cards are made of: frame, first line, verdict line, class strip, stacked bars.

One idea: the same thing stands at the same place on every card, in the same size, and no text is smaller than
nine pixels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from hornbeam._base.types import Floats
from hornbeam.display.drawing import card_words
from hornbeam.display.drawing.canvas import Command, Surface, boxes_path
from hornbeam.display.drawing.drawing_context import Axis, Sheet
from hornbeam.display.drawing.palette import stacked
from hornbeam.display.drawing.text_width import shortened, text_width

WIDTH = 200.0
PAD = 10.0
INNER = WIDTH - 2 * PAD
TITLE, VERDICT, SMALL, TINY = 12.5, 12.0, 10.0, 9.5
PICTURE_TOP = 26.0


@dataclass(frozen=True)
class Card:
    """The box of one node: its size, and how it is painted with its corner at some place."""

    width: float
    height: float
    paint: Callable[[Surface, float, float], None]


def frame(
    surface: Surface, x: float, y: float, height: float, *, bar: str | None = None, opacity: float = 1
) -> None:
    """Draw the outline of a card, with a bar in a colour at its left edge for leaves."""
    surface.rect(x, y, WIDTH, height, fill="card", stroke="border", radius=7)
    if bar is not None:
        r, end = 7.0, x + 6.0
        k = 0.45 * r
        commands: list[Command] = [
            ("M", end, y),
            ("L", x + r, y),
            ("C", x + k, y, x, y + k, x, y + r),
            ("L", x, y + height - r),
            ("C", x, y + height - k, x + k, y + height, x + r, y + height),
            ("L", end, y + height),
            ("Z",),
        ]
        surface.path(commands, fill=bar, opacity=opacity)


def verdict_line(
    surface: Surface, x: float, at: float, words: str, right: str, *, left: float = PAD, share: str = ""
) -> None:
    """Write the answer of a node and its share; its rows and number at the right end."""
    room = WIDTH - PAD - left - (text_width(right, SMALL) + 8 if right else 0)
    if share:  # "class 1 50 %" would read as two numbers
        share = f" · {share}" if words[-1:].isdigit() else f" {share}"
        room -= text_width(share, VERDICT, bold=True)
    surface.text(x + left, at, shortened(words, room, VERDICT, bold=True) + share, size=VERDICT, bold=True)
    surface.text(x + WIDTH - PAD, at, right, size=SMALL, fill="muted", anchor="end")


def facts(sheet: Sheet, node: int) -> str:
    """Return the rows and the number of a node, as far as wanted and known."""
    words = [card_words.rows_at(sheet.tree, node), number(sheet, node)]
    return " · ".join(filter(None, words))


def number(sheet: Sheet, node: int) -> str:
    """Return the number of a node if wanted, after the marks of a leaf."""
    mark = sheet.marks.get(node, "") if sheet.tree.first_child[node] < 0 else ""
    return " · ".join(filter(None, [mark, f"#{node}" if sheet.node_ids else ""]))


def strip(
    surface: Surface,
    x: float,
    y: float,
    width: float,
    height: float,
    counts: Sequence[float],
    colours: Sequence[str],
) -> None:
    """Draw a stacked bar over the whole width, classes in their order, with a dark outline."""
    total = sum(counts)
    if total <= 0:
        return
    at = x
    for colour, amount in stacked(counts, colours):
        piece = width * amount / total
        surface.rect(at, y, piece, height, fill=colour)
        at += piece
    surface.rect(x, y, width, height, stroke="outline", stroke_width=0.7, radius=1)


def columns_of(
    surface: Surface,
    bars: Sequence[tuple[float, float]],
    heights: Floats,
    colours: Sequence[str],
    base: float,
) -> None:
    """Draw upright bars between pairs of x, stacked by class from the base: heights[bar, class] in pixels."""
    merged: dict[str, Floats] = {}
    for k, colour in enumerate(colours):
        merged[colour] = merged[colour] + heights[:, k] if colour in merged else heights[:, k]
    low = np.full(len(bars), base)
    for colour, tall in merged.items():
        boxes = [
            (left, low[i] - tall[i], right - left, tall[i])
            for i, (left, right) in enumerate(bars)
            if tall[i] > 0.05
        ]
        low = low - tall
        if boxes:
            surface.path(boxes_path(boxes), fill=colour, stroke="outline", width=0.5)


def cut_mark(surface: Surface, x: float, top: float, base: float) -> None:
    """Draw a dashed line through a picture with a triangle under its axis."""
    surface.line(x, top, x, base, stroke="ink", width=1.2, dash=(3, 2))
    surface.path([("M", x - 4, base + 7), ("L", x + 4, base + 7), ("L", x, base + 1), ("Z",)], fill="ink")


def baseline(surface: Surface, x: float, base: float, width: float = INNER) -> None:
    """Draw the line an axis is."""
    surface.line(x, base, x + width, base, stroke="axis")


def spans_of(axis: Axis, left: float, width: float) -> list[tuple[float, float]]:
    """Return where the bins of an axis are drawn, a little apart if each is one value."""
    at = [axis.place(edge, left, width) for edge in axis.edges.tolist()]
    gap = min(2.0, (at[1] - at[0]) * 0.15) if axis.whole else 0.0
    return [(a + gap, b - gap) for a, b in pairwise(at)]
