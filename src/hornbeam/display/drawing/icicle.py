"""The icicle: the whole tree in one small picture.

One idea: a node is a bar under its parent, as wide as its records; its colour is what it predicts, the
opacity of the colour how sure it is. Hundreds of nodes fit where a few boxes would.
"""

from __future__ import annotations

import math

import numpy as np

from hornbeam.display.drawing import node_words
from hornbeam.display.drawing.canvas import Canvas
from hornbeam.display.drawing.drawing_context import DrawingContext, Entry, draw_legend, headline
from hornbeam.display.drawing.text_width import SMALL, TINY, TITLE, shortened, text_width
from hornbeam.tree.scores import digits
from hornbeam.tree.tree import Tree
from hornbeam.tree.words import percent

WIDTH = 1140.0
_MARGIN = 12.0
_TALLEST, _FLATTEST = 20.0, 3.0
_BARS = 175.0  # how high all rows of bars are together, if they fit
_NARROWEST = 0.35  # a bar thinner than this is still drawn so wide
_LEAST_TEXT = 24.0
_WEAKEST = 0.3  # the opacity of a class that has no larger share than chance
_LINE = 18.0  # of the legend
_SHADES, _SHADE = 4, 12.0  # how many strengths the legend shows, and how wide each is


def draw_icicle(context: DrawingContext, *, width: float | None, title: str | None) -> Canvas:
    """Return the drawing of a whole tree as an icicle."""
    tree = context.tree
    wide = WIDTH if width is None else float(width)
    room = wide - 2 * _MARGIN
    levels = tree.depth + 1
    row = min(_TALLEST, max(_FLATTEST, _BARS / levels))
    classes, words = context.legend(), headline(tree, title)
    lines = _legend_lines(classes, room)
    top = _MARGIN + 22 + _LINE * (len(lines) + 1)
    description = "Width is records, colour is the prediction, strength is purity."
    canvas = Canvas(wide, top + levels * row + _MARGIN, words, description)
    canvas.rect(0, 0, canvas.width, canvas.height, fill="page")
    canvas.text(_MARGIN, _MARGIN + 11, shortened(words, room, TITLE, bold=True), size=TITLE, bold=True)
    for k, line in enumerate(lines):
        draw_legend(canvas, line, _MARGIN + 17 + _LINE * k, _MARGIN)
    _draw_strengths(canvas, context, _MARGIN + 17 + _LINE * len(lines), room)
    left, right = _spans(tree)
    depths, opacities = tree.depths.tolist(), _opacities(context)
    for node in range(len(tree)):
        x, end = _MARGIN + left[node] * room, _MARGIN + right[node] * room
        y = top + depths[node] * row
        colour = "real" if tree.classes is None else context.colours[int(tree.label[node])]
        length = max(end - x - 0.5, _NARROWEST)
        bar = Canvas(length, row)
        bar.rect(0, 0, length, row - 0.6, fill=colour, opacity=opacities[node])
        words = _name(tree, node, length) if row >= 11.5 and length >= _LEAST_TEXT else ""
        bar.text(4, row / 2 + 3.2, words, size=TINY, fill=_letter_colour(colour, opacities[node]))
        canvas.place(bar, x, y, node_words.sentence(tree, node))
    return canvas


def _legend_lines(entries: list[Entry], room: float) -> list[list[Entry]]:
    """The colours of the classes, in as many lines as they need."""
    lines: list[list[Entry]] = [[]] if entries else []
    for entry in entries:
        if lines[-1] and sum(each[2] for each in (*lines[-1], entry)) > room:
            lines.append([])
        lines[-1].append(entry)
    return lines


def _draw_strengths(canvas: Canvas, context: DrawingContext, y: float, room: float) -> None:
    """Say what the strength of a colour and the width of a bar mean."""
    tree = context.tree
    if tree.classes is None:
        colour, weakest = "real", context.opacity(-math.inf)
        low, high = map(digits, context.extreme_answers)
        words = f"answer, from {low} to {high}"
    else:
        colour, weakest = "ink", _WEAKEST
        words = f"share of the class answered, from {percent(1 / max(len(tree.classes), 2))} or less to 100 %"
    words += "; width: records"
    for k in range(_SHADES):
        opacity = round(weakest + (1 - weakest) * k / (_SHADES - 1), 3)
        canvas.rect(_MARGIN + k * _SHADE, y + 1, _SHADE, 10, fill=colour, opacity=opacity)
    at = _SHADES * _SHADE + 5
    canvas.text(_MARGIN + at, y + 10, shortened(words, room - at, SMALL), size=SMALL, fill="ink")


def _name(tree: Tree, node: int, length: float) -> str:
    """What a bar is, if at least its beginning fits."""
    is_leaf = tree.first_child[node] < 0
    words = node_words.prediction(tree, node) if is_leaf else node_words.tested(tree, node)[1]
    fitting = shortened(words, length - 8, TINY)
    is_enough = len(fitting) >= min(7, len(words)) and text_width(fitting, TINY) <= length - 4
    return fitting if is_enough else ""


def _letter_colour(colour: str, opacity: float) -> str:
    """The colour of letters on a bar: only the darkest bars of the light set need white ones."""
    if opacity < 0.6:
        return "ink"
    return "on colour" if opacity > 0.88 and colour in ("class 0", "real") else "on bright"


def _spans(tree: Tree) -> tuple[list[float], list[float]]:
    """Where each node's bar begins and ends, as shares of the root's: siblings side by side."""
    weight = tree.weight.tolist()
    left, right = [0.0] * len(tree), [1.0] * len(tree)
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


def _opacities(context: DrawingContext) -> list[float]:
    """How strong each colour is: purity of classes above chance, or the mean between the extremes."""
    tree = context.tree
    if tree.classes is None:
        return [context.opacity(float(value)) for value in context.answers.tolist()]
    chance = 1 / max(len(tree.classes), 2)
    share = context.answers[np.arange(len(tree)), tree.label]
    return [
        float(a)
        for a in (_WEAKEST + (1 - _WEAKEST) * np.clip((share - chance) / (1 - chance), 0, 1)).round(3)
    ]
