"""The head of a picture: its first line, and the line that says which colour is which class.

One idea: whoever sees a picture alone should know how large the tree is, how much of it is shown, and what
the colours mean.
"""

from __future__ import annotations

from hornbeam.display.drawing.canvas import Surface
from hornbeam.display.drawing.card_pieces import SMALL
from hornbeam.display.drawing.drawing_context import Sheet
from hornbeam.display.drawing.folded_nodes import Shown
from hornbeam.display.drawing.palette import OTHER
from hornbeam.display.drawing.text_width import one_line, shortened, text_width
from hornbeam.tree.tree import Tree
from hornbeam.tree.words import rows_text

_LEGEND = 130.0  # the most a class takes in the line of colours


def headline(tree: Tree, title: str | None, chosen: Shown | None = None) -> str:
    """Return the first line: the title, and how large the tree is."""
    sizes = tree.statistics()
    leaves = "1 leaf" if sizes["leaves"] == 1 else f"{sizes['leaves']:,} leaves"
    facts = [f"{leaves}, depth {sizes['depth']}"]
    if not tree.uncounted:
        facts.insert(0, rows_text(int(tree.n_rows[0])))
    if chosen is not None and chosen.folded:
        facts.append(f"{len(chosen.nodes)} of {len(tree)} nodes shown")
    text = " · ".join(facts)
    return f"{one_line(title)} — {text}" if title else text


def legend(sheet: Sheet) -> list[tuple[str, str, float]]:
    """(colour, words, width) of the classes in their order; those without a colour of their own as one."""
    if sheet.tree.classes is None:
        return []
    found = []
    for label, colour in zip(sheet.tree.classes, sheet.colours, strict=True):
        if colour != OTHER:
            words = shortened(str(label), _LEGEND, SMALL)
            found.append((colour, words, text_width(words, SMALL) + 28))
    others = len(sheet.colours) - len(found)
    if others:
        words = f"{others} other classes"
        found.append((OTHER, words, text_width(words, SMALL) + 28))
    return found


def draw_legend(surface: Surface, classes: list[tuple[str, str, float]], y: float, x: float) -> None:
    """Draw the line of colours from a corner on."""
    for colour, words, width in classes:
        surface.rect(x, y + 1, 10, 10, fill=colour, stroke="outline", stroke_width=0.7, radius=1)
        surface.text(x + 15, y + 10, words, size=SMALL, fill="ink")
        x += width
