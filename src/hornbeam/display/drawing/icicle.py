"""The icicle: the whole tree in one small picture.

One idea: a node is a bar under its parent, as wide as its records; its colour is what it predicts, the
strength of the colour how sure it is. Hundreds of nodes fit where a few cards would.
"""

from __future__ import annotations

import numpy as np

from hornbeam.display.drawing import card_words
from hornbeam.display.drawing.canvas import Surface
from hornbeam.display.drawing.card_pieces import TINY, TITLE
from hornbeam.display.drawing.drawing_context import Sheet
from hornbeam.display.drawing.picture_title import draw_legend, headline, legend
from hornbeam.display.drawing.text_width import shortened, text_width

WIDTH = 1140.0
_MARGIN = 12.0
_TALLEST, _FLATTEST = 20.0, 3.0
_BARS = 175.0  # how high all rows of bars are together, if they fit
_NARROWEST = 0.35  # a bar thinner than this is still drawn so wide
_LEAST_TEXT = 24.0


def icicle(sheet: Sheet, *, width: float | None, title: str | None) -> Surface:
    """Return the drawing of a whole tree as an icicle."""
    tree = sheet.tree
    wide = WIDTH if width is None else float(width)
    levels = tree.depth + 1
    row = min(_TALLEST, max(_FLATTEST, _BARS / levels))
    classes = legend(sheet)
    top = _MARGIN + 22 + (18 if classes else 0)
    surface = Surface(
        wide,
        top + levels * row + _MARGIN,
        headline(tree, title),
        "Width is records, colour is the prediction, strength is purity.",
    )
    surface.rect(0, 0, surface.width, surface.height, fill="page")
    surface.text(
        _MARGIN,
        _MARGIN + 11,
        shortened(surface.root.title, wide - 2 * _MARGIN, TITLE, bold=True),
        size=TITLE,
        bold=True,
    )
    draw_legend(surface, classes, _MARGIN + 17, _MARGIN)
    room = wide - 2 * _MARGIN
    left, right = _spans(sheet)
    depths = tree.depths.tolist()
    strengths = _strengths(sheet)
    for node in range(len(tree)):
        x, end = _MARGIN + left[node] * room, _MARGIN + right[node] * room
        y = top + depths[node] * row
        colour = "real" if tree.classes is None else sheet.colours[int(tree.label[node])]
        length = max(end - x - 0.5, _NARROWEST)
        with surface.group(card_words.sentence(tree, node)):
            surface.rect(x, y, length, row - 0.6, fill=colour, opacity=strengths[node])
            if row >= 11.5 and length >= _LEAST_TEXT:
                _name(sheet, node, surface, (x, y, length, row), colour, strengths[node])
    return surface


def _name(
    sheet: Sheet,
    node: int,
    surface: Surface,
    bar: tuple[float, float, float, float],
    colour: str,
    strength: float,
) -> None:
    """Write what a bar is, if at least its beginning fits."""
    tree = sheet.tree
    x, y, length, row = bar
    words = card_words.asked(tree, node)[1] if tree.first_child[node] >= 0 else card_words.verdict(tree, node)
    said = shortened(words, length - 8, TINY)
    if len(said) >= min(7, len(words)) and text_width(said, TINY) <= length - 4:
        surface.text(x + 4, y + row / 2 + 3.2, said, size=TINY, fill=_readable(colour, strength))


def _readable(colour: str, strength: float) -> str:
    """Return the colour of letters on a bar: only the darkest bars of the light set need white ones."""
    if strength < 0.6:
        return "ink"
    return "on colour" if strength > 0.88 and colour in ("class 0", "real") else "on bright"


def _spans(sheet: Sheet) -> tuple[list[float], list[float]]:
    """Return where each node's bar begins and ends, as shares of the root's: siblings side by side."""
    tree = sheet.tree
    weight = tree.weight.tolist()
    left, right = [0.0] * len(tree), [0.0] * len(tree)
    right[0] = 1.0
    for node in range(len(tree)):
        below = tree.children(node)
        total = sum(weight[child] for child in below)
        at = left[node]
        for child in below:
            share = weight[child] / total if total > 0 else 1 / len(below)
            left[child] = at
            at += share * (right[node] - left[node])
            right[child] = at
    return left, right


def _strengths(sheet: Sheet) -> list[float]:
    """Return how strong each colour is: purity of classes above chance, or the mean between the extremes."""
    tree = sheet.tree
    if tree.classes is None:
        return [sheet.strength(float(value)) for value in sheet.answers.tolist()]
    chance = 1 / max(len(tree.classes), 2)
    share = sheet.answers[np.arange(len(tree)), tree.label]
    found: list[float] = (0.3 + 0.7 * np.clip((share - chance) / (1 - chance), 0, 1)).round(3).tolist()
    return found
