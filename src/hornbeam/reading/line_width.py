"""Fitting: lines no wider than a page or a terminal.

One idea: what is easiest to do without goes first: bars, notes, the gain, counts; then names are shortened in
the middle, where they differ least; only then is the end cut off.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from hornbeam.reading.lines import Line, Piece, Span

NARROWEST = 20
_DROPPED = ("mark", "gain", "id", "more")  # in this order
# How short words may become at each step, and what is left out if that is not enough.
_STEPS = (
    ({"question": 12, "label": 12, "majority": 12, "branch": 16, "legend": 12}, "rows"),
    ({"question": 7, "label": 7, "majority": 7, "branch": 12, "legend": 7}, "share"),
    ({"question": 4, "label": 4, "majority": 4, "branch": 8, "legend": 4}, ""),
)


def narrowed(found: Callable[[int], list[Line]], bars: int, width: int, dots: str) -> list[Line]:
    """The lines in at most `width` characters; bars get shorter in all lines, or go from all of them.

    `found` gives the lines with bars of so many characters, 0: without.
    """
    for size in [each for each in (bars, 12, 8, 6) if 0 < each <= bars]:
        listed = found(size)
        if all(len(line.text) <= width for line in listed):
            return listed
    return [fitted(line, width, dots) for line in found(0)]


def fitted(line: Line, width: int, dots: str) -> Line:
    """The line in at most `width` characters."""
    for role in _DROPPED:
        if len(line.text) > width:
            line = _without(line, role)
    if len(line.text) > width and line.node >= 0:
        line = replace(line, pieces=tuple(_without_counts(piece) for piece in line.pieces))
    for least, dropped in _STEPS:
        line = _shorter(line, width, least, dots)
        if len(line.text) > width and dropped:
            line = _without(line, dropped)
    return line if len(line.text) <= width else _cut_off(line, width, dots)


def _without(line: Line, role: str) -> Line:
    return replace(line, pieces=tuple(piece for piece in line.pieces if piece[0].role != role))


def shortened(text: str, width: int, dots: str) -> str:
    """The text without its middle, if it is too long.

    >>> shortened("mean corpuscular volume", 12, "..."), shortened("age", 12, "...")
    ('mean ...lume', 'age')
    """
    if len(text) <= width:
        return text
    kept = max(width - len(dots), 1)
    front = (kept + 1) // 2
    return text[:front] + dots + text[len(text) - (kept - front) :] if kept > front else text[:front] + dots


def _shorter(line: Line, width: int, least: Mapping[str, int], dots: str) -> Line:
    """The line with its longest words shortened as far as needed, but not below `least` of their role."""
    while len(line.text) > width:
        spans = [
            (len(span.text) - least[span.role], i, j)
            for i, piece in enumerate(line.pieces)
            for j, span in enumerate(piece)
            if span.role in least and len(span.text) > least[span.role]
        ]
        if not spans:
            return line
        spare, i, j = max(spans)
        length = len(line.pieces[i][j].text)
        less = min(spare, len(line.text) - width, max(spare // 2, 1))
        piece = list(line.pieces[i])
        piece[j] = replace(piece[j], text=shortened(piece[j].text, length - less, dots))
        line = replace(line, pieces=(*line.pieces[:i], tuple(piece), *line.pieces[i + 1 :]))
    return line


def _without_counts(piece: Piece) -> Piece:
    """n=14 (5:9) without what stands in brackets."""
    if piece[0].role != "rows":
        return piece
    return (replace(piece[0], text=re.sub(r" \(.*\)", "", piece[0].text)),)


def _cut_off(line: Line, width: int, dots: str) -> Line:
    """The line without its end; rails that leave no room are shortened, too."""
    text = line.text[: max(width - len(dots), 0)] + dots
    if len(line.rail) >= width - len(dots):
        return Line(
            line.node, "", ((Span(dots + line.text[len(line.rail) :][: width - len(dots)], "more"),),)
        )
    return Line(line.node, line.rail, ((Span(text[len(line.rail) :], "more"),),))
