"""Fit the lines of a tree to a width: break them where possible, shorten them where necessary.

One idea: equations and sets of values go on in the next line and lose nothing. Of a line that is still too
wide, what is easiest to do without goes first: bars, notes, the score, counts; then names are shortened in
the middle, where they differ least; only then is the end cut off.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import replace

from hornbeam.reading.lines import Line, Piece, Span

NARROWEST = 20
_INDENT = 6  # of a line that goes on in the next one
_BROKEN = ("term", "value")  # before these a line may be broken
_MOST_LINES = 4  # that a set of values may take; a longer one is shortened
_BELOW = {"├": "│", "└": " ", "─": " ", "`": " ", "-": " "}  # the rails below a line; | stays
_DROPPED = ("mark", "gain", "id", "more")  # in this order
# How short words may become at each step, and what is left out if that is not enough.
_STEPS = (
    ({"question": 12, "label": 12, "majority": 12, "branch": 16, "legend": 12}, "rows"),
    ({"question": 7, "label": 7, "majority": 7, "branch": 12, "legend": 7}, "share"),
    ({"question": 4, "label": 4, "majority": 4, "branch": 8, "legend": 4}, ""),
)


def narrow_lines(lines_with: Callable[[int], list[Line]], bars: int, width: int, dots: str) -> list[Line]:
    """The lines in at most `width` characters; bars get shorter in all lines, or go from all of them.

    `lines_with` gives the lines with bars of so many characters, 0: without.
    """
    without = [part for line in lines_with(0) for part in wrap_line(line, width)]
    for size in [each for each in (bars, 12, 8, 6) if 0 < each <= bars]:
        listed = [part for line in lines_with(size) for part in wrap_line(line, width)]
        tree = [line for line in listed if line.node >= 0]
        if len(tree) <= sum(line.node >= 0 for line in without) and all(
            len(line.text) <= width for line in listed
        ):
            return listed
    return [fit_line(line, width, dots) for line in without]


def wrap_line(line: Line, width: int) -> list[Line]:
    """The line, on several lines if it is too wide and holds an equation, values, or a sentence."""
    if len(line.text) > width and [span.role for span in line.spans] == ["legend"]:
        return [Line(line.node, "", ((Span(text, "legend"),),)) for text in textwrap.wrap(line.text, width)]
    spans = [part for span in line.spans if span.role != "rail" for part in _values(span)]
    if len(line.text) <= width or not any(span.role in _BROKEN for span in spans):
        return [line]
    lines = _broken(line, spans, width)
    is_equation = any(span.role == "term" for span in spans)
    return lines if is_equation or len(lines) <= _MOST_LINES else [line]


def _values(span: Span) -> list[Span]:
    """A set of values as one span for each, so that a line can be broken between them."""
    if span.role != "branch" or "{" not in span.text:
        return [span]
    first, *others = re.split(r"(?<=, )", span.text)
    return [replace(span, text=first), *(Span(text, "value") for text in others)]


def _broken(line: Line, spans: list[Span], width: int) -> list[Line]:
    """A line on several lines, broken between pieces, terms and values."""
    chunks: list[list[Span]] = []  # that stay together, what parts them from those before at their beginning
    for span in spans:
        if not chunks or span.text == "  " or (span.role in _BROKEN and chunks[-1][-1].text != "  "):
            chunks.append([])
        chunks[-1].append(span)
    rail = "".join(_BELOW.get(sign, sign) for sign in line.rail) + " " * _INDENT
    starts, lines = [line.rail], [list[Span]()]
    for chunk in chunks:
        length = sum(len(span.text) for span in (*lines[-1], *chunk))
        if lines[-1] and len(starts[-1]) + length > width:
            starts, lines = [*starts, rail], [*lines, []]
        lines[-1] += chunk if lines[-1] else [span for span in chunk if span.text.strip()]
    return [Line(line.node, start, (_trimmed(held),)) for start, held in zip(starts, lines, strict=True)]


def _trimmed(spans: list[Span]) -> Piece:
    """Spans without a blank at their end."""
    return (*spans[:-1], replace(spans[-1], text=spans[-1].text.rstrip()))


def fit_line(line: Line, width: int, dots: str) -> Line:
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


def shorten_text(text: str, width: int, dots: str) -> str:
    """The text without its middle, if it is too long.

    >>> shorten_text("mean corpuscular volume", 12, "..."), shorten_text("age", 12, "...")
    ('mean ...lume', 'age')
    """
    if len(text) <= width:
        return text
    length = max(width - len(dots), 1)
    front = (length + 1) // 2
    return (
        text[:front] + dots + text[len(text) - (length - front) :] if length > front else text[:front] + dots
    )


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
        piece[j] = replace(piece[j], text=shorten_text(piece[j].text, length - less, dots))
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
