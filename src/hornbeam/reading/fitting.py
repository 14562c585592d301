"""Fitting: lines no wider than a page or a terminal.

One idea: what is easiest to do without goes first: the bar, notes, the gain, counts; then names are shortened
in the middle, where they differ least; only then is the end cut off.
"""

from __future__ import annotations

import re
from dataclasses import replace

from hornbeam.reading.lines import Line, Piece, Span

NARROWEST = 20
_DROPPED = ("bar", "mark", "gain", "id", "more")  # in this order
_SHORTENED = ("question", "label", "branch", "legend")


def fitted(line: Line, width: int, dots: str) -> Line:
    """The line in at most `width` characters."""
    for role in _DROPPED:
        if len(line.text) <= width:
            return line
        if line.node >= 0:
            line = replace(line, pieces=tuple(p for p in line.pieces if p[0].role != role))
    if len(line.text) > width and line.node >= 0:
        line = replace(line, pieces=tuple(_without_counts(piece) for piece in line.pieces))
    for least in (12, 5):
        line = _shorter(line, width, least, dots)
    if len(line.text) <= width:
        return line
    for role in ("rows", "share"):
        if len(line.text) > width:
            line = replace(line, pieces=tuple(p for p in line.pieces if p[0].role != role))
    return line if len(line.text) <= width else _cut_off(line, width, dots)


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


def _shorter(line: Line, width: int, least: int, dots: str) -> Line:
    """The line with its longest words shortened as far as needed, but not below `least` characters."""
    while len(line.text) > width:
        spans = [
            (len(span.text), i, j)
            for i, piece in enumerate(line.pieces)
            for j, span in enumerate(piece)
            if span.role in _SHORTENED and len(span.text) > least
        ]
        if not spans:
            return line
        longest, i, j = max(spans)
        second = max([length for length, *_ in spans if length < longest], default=least)
        wanted = max(longest - (len(line.text) - width), second - 1, least)
        piece = list(line.pieces[i])
        piece[j] = replace(piece[j], text=shortened(piece[j].text, min(wanted, longest - 1), dots))
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
