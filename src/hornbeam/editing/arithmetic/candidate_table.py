"""Tables: contenders as aligned text, with a bar for the score.

One idea: numbers are right-aligned, the bar is as long as the score; who was refused comes last, with the
reason instead of numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hornbeam._base.significance.contingency import p_text
from hornbeam.data.formatting import visible
from hornbeam.editing.arithmetic.candidate import Contender
from hornbeam.tree.words import Signs, amount, signs_of

_BAR = 14  # characters of the longest bar
_WIDEST = 30  # a longer test, or name, is cut short
_ASCII = str.maketrans({"−": "-", "·": "*", "²": "^2", "√": "sqrt", "½": "1/2", "χ": "chi", "↓": "-"})


@dataclass(frozen=True)
class Heading:
    """A column of the table: its name, and how it shows a contender."""

    name: str
    shows: Callable[[Contender], str]


def _four(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.4f}" if abs(value) < 1000 else amount(value)


def _one(value: float | None) -> str:
    if value is None:
        return ""
    return "inf" if math.isinf(value) else f"{value:.1f}" if value < 1e6 else f"{value:.3g}"


def _p(value: float | None) -> str:
    return "" if value is None else "<.001" if value < 0.001 else f"{value:.3f}"


def _missing(one: Contender) -> str:
    return str(one.missing) if one.missing else ""


_CLASSES = (
    Heading("gain", lambda one: _four(one.gain)),
    Heading("ratio", lambda one: _four(one.gain_ratio)),
    Heading("Gini ↓", lambda one: _four(one.gini)),
    Heading("χ²", lambda one: _one(one.chi2)),
    Heading("p", lambda one: _p(one.p)),
    Heading("missing", _missing),
)
_REAL = (
    Heading("SDR", lambda one: _four(one.sdr)),
    Heading("variance ↓", lambda one: _four(one.variance)),
    Heading("R²", lambda one: _four(one.r2)),
    Heading("F", lambda one: _one(one.f)),
    Heading("p", lambda one: _p(one.p)),
    Heading("missing", _missing),
)
_SHOWN = {"entropy": "gain", "gain-ratio": "ratio", "gini": "Gini ↓", "sd": "SDR", "variance": "variance ↓"}


def table_text(
    contenders: Sequence[Contender], criterion: str, charset: str, *, real: bool, by_p: bool
) -> str:
    """The table of a node's contenders."""
    signs = signs_of(charset)
    headings = list(_REAL if real else _CLASSES)
    own = "" if by_p else _SHOWN.get(criterion, "")
    if by_p:
        headings.insert(
            0, Heading("p to choose by", lambda one: "" if one.score is None else p_text(one.score))
        )
    elif not own or any(one.score is not None and not _is_shown(one, own) for one in contenders):
        headings.insert(0, Heading("score", lambda one: _four(one.score)))
        own = "score"
    if not any(one.missing for one in contenders):
        headings.pop()
    ranked = [one for one in contenders if one.rank is not None]
    refused = [one for one in contenders if one.rank is None]
    heads = [name.translate(_ASCII) if charset == "ascii" else name for name in (h.name for h in headings)]
    rows = [
        [_mark(one, charset), _cut(one.column, signs), _split(one, signs), *(h.shows(one) for h in headings)]
        for one in ranked
    ]
    cells = [["", "column", "split", *heads], *rows] if rows else [["", "", "", *heads]]
    widths = [max(len(row[k]) for row in cells) for k in range(len(cells[0]))]
    widths[1] = max([widths[1], *(len(_cut(one.column, signs)) for one in refused)])
    bars = _bars(ranked, charset) if not by_p else [""] * len(ranked)
    at = next((4 + k for k, h in enumerate(headings) if h.name == own), None) if any(bars) else None
    found = [_line(row, widths, bar, at) for row, bar in zip(cells, ["", *bars], strict=True)] if rows else []
    for one in refused:
        name = _cut(one.column, signs).ljust(widths[1])
        found.append(f"{_mark(one, charset).ljust(widths[0])}  {name}  refused: {one.reason}")
    return "\n".join(found)


def _mark(one: Contender, charset: str) -> str:
    return "" if not one.chosen else ">" if charset == "ascii" else "▸"


def _line(cells: Sequence[str], widths: Sequence[int], bar: str, at: int | None) -> str:
    """One line: the first three cells to the left, numbers to the right, the bar before cell `at`."""
    padded = [
        cell.ljust(width) if k < 3 else cell.rjust(width)
        for k, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    if at is not None:
        padded.insert(at, bar.ljust(_BAR))
    return "  ".join(padded).rstrip()


def _is_shown(one: Contender, own: str) -> bool:
    """Whether the score of a contender is the measure of that name."""
    shown = {"gain": one.gain, "ratio": one.gain_ratio, "Gini ↓": one.gini, "SDR": one.sdr}
    value = shown.get(own, one.variance)
    assert one.score is not None
    return value is not None and math.isclose(value, one.score, rel_tol=1e-6, abs_tol=1e-9)


def _bars(ranked: Sequence[Contender], charset: str) -> list[str]:
    scores = [0.0 if one.score is None else max(one.score, 0.0) for one in ranked]
    finite = [score for score in scores if math.isfinite(score)]
    most = max(finite, default=0.0)
    if most <= 0:
        return [""] * len(scores)
    block = "#" if charset == "ascii" else "█"
    return [
        block * (_BAR if math.isinf(s) else max(round(_BAR * s / most), 1 if s > 0 else 0)) for s in scores
    ]


def _split(one: Contender, signs: Signs) -> str:
    short = one.short
    if short.startswith("<= "):
        short = f"{signs.at_most} {short[3:]}"
    elif short.startswith("in {"):
        short = f"{signs.within} {short[3:]}"
    return _cut(short, signs)


def _cut(text: str, signs: Signs) -> str:
    text = visible(text)
    if len(text) <= _WIDEST:
        return text
    head = (_WIDEST - len(signs.dots)) // 2
    return text[:head] + signs.dots + text[-(_WIDEST - head - len(signs.dots)) :]


def work_text(contenders: Sequence[Contender], charset: str) -> str:
    """The calculation of each contender, its name in front of the first line."""
    signs = signs_of(charset)
    named = [(one, _cut(one.column, signs)) for one in contenders if one.work is not None]
    width = max((len(name) for _, name in named), default=0)
    lines = []
    for one, name in named:
        assert one.work is not None
        for k, text in enumerate(one.work.lines):
            lines.append(f"{(name if k == 0 else '').ljust(width)}  {text}")
    text = "\n".join(lines)
    return text.translate(_ASCII) if charset == "ascii" else text
