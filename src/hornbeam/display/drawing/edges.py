"""The edges of a drawn tree: as wide as the records that pass, with the branch in words where it arrives.

One idea: edges leave a card side by side and never thinner than can be seen, so that records can be followed
from the root; grey, because colour is for classes. What missing values do is written on the edge they take.
"""

from __future__ import annotations

from dataclasses import dataclass

from hornbeam.display.drawing import card_words
from hornbeam.display.drawing.canvas import Command, Surface
from hornbeam.display.drawing.card_pieces import SMALL
from hornbeam.display.drawing.drawing_context import Sheet
from hornbeam.display.drawing.text_width import shortened, text_width

THINNEST, WIDEST = 1.4, 18.0
PILL_HEIGHT = 17.0
MOST_PILL = 190.0


@dataclass(frozen=True)
class Edge:
    """An edge to a child: its words, the mark of missing values, its width, and whether only gaps take it."""

    words: str
    gaps: str
    width: float
    dashed: bool

    @property
    def length(self) -> float:
        """How wide its label is."""
        inner = text_width(self.words, SMALL, bold=self.dashed)
        return inner + (text_width(self.gaps, SMALL, bold=True) + 5 if self.gaps else 0) + 14


def edge(sheet: Sheet, parent: int, child: int, most: float = MOST_PILL) -> Edge:
    """Return the edge from a node to its child."""
    tree = sheet.tree
    share = float(tree.weight[child] / tree.weight[0]) if tree.weight[0] > 0 else 0.0
    dashed = card_words.is_gap_branch(tree, parent, child)
    words = card_words.branch_words(tree, parent, child)
    gaps = gap_words(sheet, parent, child)
    if dashed:
        words, gaps = f"missing{f' · {gaps[2:]}' if gaps.startswith('∅ ') else ''}", ""
    room = most - 14 - (text_width(gaps, SMALL, bold=True) + 5 if gaps else 0)
    return Edge(shortened(words, room, SMALL), gaps, max(THINNEST, WIDEST * share), dashed)


def gap_words(sheet: Sheet, parent: int, child: int) -> str:
    """Return `∅ 90` where 90 rows without a value went, `∅ ×0.93` where a part of each did, or nothing."""
    tree = sheet.tree
    tested = tree.tested_columns(parent)
    if sheet.seen is not None:
        n_lost, part = sheet.seen.lost(parent, child)
        if n_lost == 0:
            return ""
        whole = part > 1 - 1e-9
        return f"∅ {n_lost:,}" if whole else f"∅ ×{card_words.short(float(sheet.shares[child]), 2)}"
    if not any(tree.columns[column].has_missing for column in tested):
        return ""
    branch = child - int(tree.first_child[parent])
    if tree.policy["missing"] == "fractional":
        return f"∅ ×{card_words.short(float(sheet.shares[child]), 2)}"
    return "∅" if tree.missing[parent] == branch and tree.policy["missing"] != "all-paths" else ""


def draw_curve(
    surface: Surface, start: tuple[float, float], end: tuple[float, float], made: Edge, *, down: bool
) -> None:
    """Draw the curve of an edge."""
    (x1, y1), (x2, y2) = start, end
    middle = (y1 + y2) / 2 if down else (x1 + x2) / 2
    bend: Command = ("C", x1, middle, x2, middle, x2, y2) if down else ("C", middle, y1, middle, y2, x2, y2)
    dash = (5.0, 4.0) if made.dashed else None
    surface.path([("M", x1, y1), bend], stroke="edge", width=made.width, dash=dash)


def draw_pill(surface: Surface, x: float, y: float, made: Edge) -> None:
    """Draw the label of an edge around the point (x, y)."""
    left = x - made.length / 2
    surface.rect(
        left,
        y - PILL_HEIGHT / 2,
        made.length,
        PILL_HEIGHT,
        fill="pill",
        stroke="axis",
        radius=PILL_HEIGHT / 2,
    )
    fill = "accent" if made.dashed else "ink"
    surface.text(left + 7, y + 3.6, made.words, size=SMALL, fill=fill, bold=made.dashed)
    surface.text(
        left + made.length - 7, y + 3.6, made.gaps, size=SMALL, fill="accent", anchor="end", bold=True
    )
