"""The top of a split's card: what is asked, its score, what people said about it, a formula that is longer.

One idea: a name is not shortened while there is room below it: the score moves down before the name gives
way, and a formula is written out in up to three lines.
"""

from __future__ import annotations

from dataclasses import dataclass

from hornbeam.display.drawing import card_words
from hornbeam.display.drawing.canvas import Surface
from hornbeam.display.drawing.card_pieces import INNER, PAD, PICTURE_TOP, SMALL, TINY, TITLE, WIDTH
from hornbeam.display.drawing.drawing_context import Sheet
from hornbeam.display.drawing.text_width import one_line, shortened, text_width
from hornbeam.tree.arrays import EXPRESSION, HYPERPLANE
from hornbeam.tree.tree import Tree

_LINE = 12.5
_MOST_LINES = 3


@dataclass(frozen=True)
class Top:
    """The first lines of a card: what is asked, the score, a mark, the lines of a formula."""

    words: str
    score: str
    mark: str
    lines: tuple[str, ...]

    @property
    def lower(self) -> float:
        """How far below the name the score stands: a line, if there is a mark or no room beside the name."""
        both = text_width(one_line(self.words), TITLE, bold=True) + text_width(self.score, SMALL) + 8
        return 13.0 if self.mark or (self.score and both > INNER) else 0.0

    @property
    def height(self) -> float:
        """Where the picture of the split begins."""
        return PICTURE_TOP + self.lower + _LINE * len(self.lines)

    def paint(self, surface: Surface, x: float, y: float) -> None:
        """Write the lines of a card whose corner is at (x, y)."""
        words = shortened(self.words, INNER, TITLE, bold=True)
        surface.text(x + PAD, y + 18, words, size=TITLE, bold=True)
        at = y + 18 + self.lower
        surface.text(x + WIDTH - PAD, at, self.score, size=SMALL, fill="muted", anchor="end")
        room = INNER - text_width(self.score, SMALL) - 6
        surface.text(x + PAD, at, shortened(self.mark, room, TINY), size=TINY, fill="accent")
        for line in self.lines:
            at += _LINE
            surface.text(x + PAD, at, line, size=TINY)


def top_of(sheet: Sheet, node: int) -> Top:
    """Return the first lines of a split's card."""
    tree = sheet.tree
    mark, name = card_words.asked(tree, node)
    formula = _formula(tree, node)
    lines: tuple[str, ...] = ()
    if formula and text_width(f"{mark} {formula}", TITLE, bold=True) > INNER:
        name = ", ".join(tree.columns[column].name for column in tree.tested_columns(node))
        lines = broken(formula)
    elif formula:
        name = formula
    return Top(f"{mark} {name}", card_words.score(tree, node), sheet.marks.get(node, ""), lines)


def _formula(tree: Tree, node: int) -> str:
    """Return what a test computes, if that is more than a column."""
    if tree.kind[node] == EXPRESSION:
        return one_line(tree.expressions[node])
    return plane_words(tree, node) if tree.kind[node] == HYPERPLANE else ""


def plane_words(tree: Tree, node: int) -> str:
    """Return a weighted sum with three digits for each weight."""
    text = ""
    for k in range(int(tree.plane_offset[node]), int(tree.plane_offset[node + 1])):
        weight, name = float(tree.plane_weight[k]), one_line(tree.columns[int(tree.plane_column[k])].name)
        size = "" if abs(weight) == 1 else f"{card_words.short(abs(weight))}·"
        sign = "−" if weight < 0 else "+"
        text += f" {sign} {size}{name}" if text else f"{'−' * (weight < 0)}{size}{name}"
    return text


def broken(text: str) -> tuple[str, ...]:
    """Return a text in at most three lines as wide as a card, the last one shortened if need be.

    >>> broken("age > 40 and city == 'Brno' or not owner")
    ("age > 40 and city == 'Brno' or not", 'owner')
    """
    lines: list[str] = []
    words = text.split(" ")
    while words and len(lines) < _MOST_LINES - 1:
        taken = 1
        while taken < len(words) and text_width(" ".join(words[: taken + 1]), TINY) <= INNER:
            taken += 1
        lines.append(shortened(" ".join(words[:taken]), INNER, TINY))
        words = words[taken:]
    if words:
        lines.append(shortened(" ".join(words), INNER, TINY))
    return tuple(lines)
