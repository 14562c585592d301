"""Cards of tests by value: words, sets of words, one word against the rest, tuples, expressions.

One idea: one lying bar for each value, branches apart by a divider; the longest first, at most five, the rest
counted. Without rows there is one bar for each branch, from the branch's own records.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from hornbeam._base.types import Floats
from hornbeam.display.drawing import card_pieces, card_words
from hornbeam.display.drawing.canvas import Surface
from hornbeam.display.drawing.card_pieces import INNER, PAD, TINY, Card
from hornbeam.display.drawing.card_words import branch_words
from hornbeam.display.drawing.drawing_context import Sheet
from hornbeam.display.drawing.palette import stacked
from hornbeam.display.drawing.split_head import top_of
from hornbeam.display.drawing.text_width import one_line, shortened, text_width
from hornbeam.tree.arrays import COLUMNS, EQUALS, EXPRESSION, MULTIWAY, SUBSET

_MOST = 5
_ROW = 13.0
_LABEL = 74.0  # the most a label takes


@dataclass(frozen=True)
class Bar:
    """One value or branch: its words, its branch, its records by class or as count, mean and spread."""

    label: str
    branch: int
    size: float
    counts: Floats


def by_value(sheet: Sheet, node: int) -> Card:
    """Return the card of a test by value."""
    tree = sheet.tree
    bars = _bars(sheet, node)
    ordered = _shown(bars)
    more = len(bars) - len(ordered)
    dividers = sum(a.branch != b.branch for a, b in pairwise(ordered))
    divided = _is_divided(sheet, node)
    tall = _ROW * (len(ordered) + (more > 0)) + (5 * dividers if divided else 0)
    head = top_of(sheet, node)
    top = head.height
    foot = top + tall + 18
    height = foot + (11 if tree.classes is None else 21)

    def paint(surface: Surface, x: float, y: float) -> None:
        card_pieces.frame(surface, x, y, height)
        head.paint(surface, x, y)
        _rows(sheet, surface, ordered, x + PAD, y + top, more, divided=divided)
        said, share = card_words.answer_and_share(tree, node)
        if tree.task == "real" and not tree.uncounted:
            said += f" ± {card_words.short(float(sheet.spreads[node]), 2)}"
        card_pieces.verdict_line(surface, x, y + foot, said, card_pieces.facts(sheet, node), share=share)
        if tree.classes is not None:
            card_pieces.strip(
                surface, x + PAD, y + foot + 6, INNER, 7, tree.stats[node].tolist(), sheet.colours
            )

    return Card(card_pieces.WIDTH, height, paint)


def _is_divided(sheet: Sheet, node: int) -> bool:
    return int(sheet.tree.kind[node]) in (SUBSET, EQUALS) and sheet.seen is not None


def _shown(bars: list[Bar]) -> list[Bar]:
    """The largest, by branch, in each branch the longest first."""
    keep = sorted(range(len(bars)), key=lambda k: (-bars[k].size, k))[:_MOST]
    several = len({bar.branch for bar in bars}) < len(bars)
    if len(bars) == 2 and not several:  # yes before no
        return bars
    return sorted((bars[k] for k in keep), key=lambda bar: (bar.branch if several else 0, -bar.size))


def _rows(
    sheet: Sheet, surface: Surface, bars: list[Bar], left: float, top: float, more: int, *, divided: bool
) -> None:
    label = min(_LABEL, max((text_width(one_line(bar.label), TINY) for bar in bars), default=0.0))
    start, room = left + label + 6, INNER - label - 6
    most = max((bar.size for bar in bars), default=0.0) or 1.0
    at = top
    previous: Bar | None = None
    for bar in bars:
        if divided and previous is not None and previous.branch != bar.branch:
            surface.line(left, at + 2.5, left + INNER, at + 2.5, stroke="ink", width=1, dash=(3, 2))
            at += 5
        words = shortened(bar.label, label + 1, TINY)
        surface.text(left + label, at + 9.5, words, size=TINY, fill="ink", anchor="end")
        if sheet.tree.classes is not None:
            _stack(sheet, surface, bar, start, at + 1.5, room / most)
        else:
            _level(sheet, surface, bar, start, at + 6.5, room, room / most)
        at += _ROW
        previous = bar
    if more:
        surface.text(left, at + 9.5, f"+{more} more", size=TINY, fill="muted")


def _stack(sheet: Sheet, surface: Surface, bar: Bar, x: float, y: float, scale: float) -> None:
    counts = bar.counts.tolist()
    colours = sheet.colours if len(counts) == len(sheet.colours) else ["other"]
    at = x
    for colour, amount in stacked(counts, colours):
        surface.rect(at, y, amount * scale, 9, fill=colour)
        at += amount * scale
    if bar.size > 0:
        surface.rect(x, y, bar.size * scale, 9, stroke="outline", stroke_width=0.7)


def _level(sheet: Sheet, surface: Surface, bar: Bar, x: float, y: float, room: float, scale: float) -> None:
    """A mean with its spread on the axis of the target; rows without outcomes as a plain bar."""
    if sheet.tree.task != "real" or len(bar.counts) < 3:
        surface.rect(x, y - 4.5, bar.size * scale, 9, fill="other", stroke="outline", stroke_width=0.7)
        return
    surface.line(x, y, x + room, y, stroke="axis")
    if bar.size > 0:
        mean, spread = float(bar.counts[1]), float(bar.counts[2])
        low, high = (sheet.target.place(mean + sign * spread, x, room) for sign in (-1, 1))
        surface.rect(low, y - 3.5, max(high - low, 1), 7, fill="real", opacity=0.35)
        at = sheet.target.place(mean, x, room)
        surface.line(at, y - 4.5, at, y + 4.5, stroke="ink", width=2)


def _bars(sheet: Sheet, node: int) -> list[Bar]:
    """One bar for each value at the node, or for each branch if values cannot be counted."""
    tree = sheet.tree
    if sheet.seen is None or int(tree.kind[node]) in (COLUMNS, EXPRESSION):
        return [_branch_bar(sheet, node, child) for child in tree.children(node)]
    number = int(tree.column[node])
    column = tree.columns[number]
    values, rows, weight = sheet.seen.values(number, node)
    known = ~np.isnan(values)
    codes, rows, weight = values[known].astype(np.int64), rows[known], weight[known]
    branch = _branch_of_codes(sheet, node)
    n = len(column.categories)
    sizes = np.bincount(codes, weights=weight, minlength=n)
    counts = sizes[:, None]
    if sheet.seen.outcome is not None and tree.classes is not None:
        width = len(tree.classes)
        place = codes * width + sheet.seen.outcome[rows]
        counts = np.bincount(place, weights=weight, minlength=n * width).reshape(n, width)
    elif sheet.seen.outcome is not None:
        y = sheet.seen.outcome[rows]
        safe = np.maximum(sizes, 1e-300)
        mean = np.bincount(codes, weights=weight * y, minlength=n) / safe
        square = np.bincount(codes, weights=weight * (y - mean[codes]) ** 2, minlength=n) / safe
        counts = np.stack([sizes, mean, np.sqrt(square)], axis=1)
    return [
        Bar(column.word(code), branch[code], float(sizes[code]), counts[code])
        for code in range(n)
        if sizes[code] > 0
    ] or [_branch_bar(sheet, node, child) for child in tree.children(node)]


def _branch_bar(sheet: Sheet, node: int, child: int) -> Bar:
    tree = sheet.tree
    words = branch_words(tree, node, child)
    if tree.kind[node] == MULTIWAY:
        words = words.removeprefix("= ")
    counts = tree.stats[child]
    if tree.task == "real":
        counts = np.array([tree.weight[child], sheet.answers[child], sheet.spreads[child]])
    elif tree.task == "density":
        counts = tree.weight[[child]]
    return Bar(words, child - int(tree.first_child[node]), float(tree.weight[child]), counts)


def _branch_of_codes(sheet: Sheet, node: int) -> dict[int, int]:
    tree = sheet.tree
    n = len(tree.columns[int(tree.column[node])].categories)
    if tree.kind[node] == EQUALS:
        return {code: int(code != int(tree.threshold[node])) for code in range(n)}
    codes, targets = tree.value_map(node)
    known = dict(zip(codes.tolist(), targets.tolist(), strict=True))
    return {code: known.get(code, int(tree.absent[node])) for code in range(n)}
