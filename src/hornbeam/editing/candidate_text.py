"""The candidates of a node as text: a test in words, and all of them as an aligned table.

A test is named as `hb.candidates` names it; a branch by its answer, `<=29.5`, `{a,b}`, `yes`. Numbers are
right-aligned, the bar is as long as the score; refused candidates come last, with the reason instead of
numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam._base.significance.contingency import p_text
from hornbeam.data.columns import Column
from hornbeam.data.formatting import MISSING_TEXT, number_text, visible
from hornbeam.growing.candidates.column_search import BestTest
from hornbeam.growing.candidates.node_rows import NodeRows, column_names
from hornbeam.growing.candidates.node_splits import (
    ExpressionSplit,
    IntervalsSplit,
    MapSplit,
    PlaneSplit,
    Split,
    TupleSplit,
)
from hornbeam.growing.thresholds import threshold_between
from hornbeam.tree.words import Signs, amount, signs_of, threshold_text

if TYPE_CHECKING:  # a candidate has its test in these words
    from hornbeam.editing.candidate import Candidate

_BAR = 14  # characters of the longest bar
_WIDEST = 30  # a longer test, or name, is cut short
_ASCII = str.maketrans({"−": "-", "·": "*", "²": "^2", "√": "sqrt", "½": "1/2", "χ": "chi", "↓": "-"})
_SHOWN = {"entropy": "gain", "gain-ratio": "ratio", "gini": "Gini ↓", "sd": "SDR", "variance": "variance ↓"}


@dataclass(frozen=True)
class TestWords:
    """A test in words: its column and kind, the question, the answers, where it cuts, the first values."""

    column: str
    test: str
    short: str
    answers: tuple[str, ...]
    threshold: float | None = None
    values: tuple[Any, ...] = ()


def words_of_test(node_rows: NodeRows, best: BestTest, k: int) -> TestWords:
    """The k-th test of a candidate."""
    assert best.scored is not None
    name = column_names(node_rows.growth, best.columns)
    if best.split is not None:
        words = _special(node_rows, best.split)
        if words is not None:
            short, answers = words
            test = (
                short
                if len(best.columns) > 1 or isinstance(best.split, ExpressionSplit)
                else f"{name} {short}"
            )
            return TestWords(name, test, short, answers)
    column = node_rows.growth.columns[best.columns[0]]
    tests = best.scored.tests
    if tests.kind == "threshold":
        return _threshold(node_rows, best, column, k)
    texts = [column.text(value) for value in best.buckets.values.tolist()]
    if tests.kind == "multiway":
        return TestWords(name, name, f"{len(texts)}-way", tuple(texts))
    members = tests.first[k]
    values = tuple(column.categories[int(best.buckets.values[m])] for m in members)
    if tests.kind == "equals":
        text = texts[members[0]]
        return TestWords(name, f"{name}={text}", f"= {text}", ("yes", "no"), None, values)
    first = "{" + ",".join(texts[m] for m in members) + "}"
    others = ",".join(text for m, text in enumerate(texts) if m not in members)
    rest = "{" + others + "}" if others else MISSING_TEXT  # all values against the gaps
    return TestWords(name, f"{name} in {first}", f"in {first}", (first, rest), None, values)


def _threshold(node_rows: NodeRows, best: BestTest, column: Column, k: int) -> TestWords:
    assert best.scored is not None
    tests, values = best.scored.tests, best.buckets.values
    assert tests.cut is not None
    threshold = float(tests.cut[k])
    if math.isinf(threshold):
        text = f"{column.name} is not missing"
        return TestWords(column.name, text, "is not missing", ("not missing", MISSING_TEXT), threshold)
    assert tests.last is not None
    last = int(tests.last[k])
    low, high = float(values[last]), float(values[last + 1]) if last + 1 < len(values) else math.inf
    place = node_rows.plan.threshold_at
    if column.kind == "numeric" and place == "value":
        threshold = _value_below(node_rows, best.columns[0], threshold, high)
    elif column.kind == "numeric" and high < math.inf:
        threshold = threshold_between(low, high, threshold, column, place)
    text = threshold_text(column, threshold)
    below = () if column.kind == "numeric" else column.categories[: math.ceil(threshold)]
    answers = (f"<={text}", f">{text}")
    return TestWords(column.name, f"{column.name}<={text}", f"<= {text}", answers, threshold, below)


def _value_below(node_rows: NodeRows, column: int, middle: float, high: float) -> float:
    """The largest value of the whole table that is not above a threshold (C4.5)."""
    values = node_rows.growth.arrays[column]
    values = np.unique(values[~np.isnan(values)])
    up = middle + 4 * float(np.spacing(abs(middle)))
    position = np.searchsorted(values, up if up < high else middle, side="right")
    return float(values[max(int(position) - 1, 0)])


def _special(node_rows: NodeRows, split: Split) -> tuple[str, tuple[str, ...]] | None:
    """Question and answers of a test that is none of a plain column; None if it is one."""
    columns = node_rows.growth.columns
    if isinstance(split, ExpressionSplit):
        return str(split.expression.text), ("yes", "no")
    if isinstance(split, TupleSplit):
        some = [columns[c] for c in split.columns]
        answers = tuple(
            "(" + ",".join(c.text(v) for c, v in zip(some, entry, strict=True)) + ")"
            for entry in split.tuples
        )
        return f"({','.join(c.name for c in some)})", answers
    if isinstance(split, PlaneSplit):
        text = number_text(split.threshold)
        terms = " + ".join(
            f"{number_text(w)}*{columns[c].name}" for c, w in zip(split.columns, split.weights, strict=True)
        ).replace("+ -", "- ")
        return f"{terms}<={text}", (f"<={text}", f">{text}")
    if isinstance(split, IntervalsSplit):
        column, place = columns[split.column], node_rows.plan.threshold_at
        ends = [
            threshold_text(column, threshold_between(cut.low, cut.high, cut.threshold, column, place))
            for cut in split.cuts
        ]
        inner = [f"({low}, {high}]" for low, high in pairwise(ends)]
        return f"{len(ends) + 1}-way", (f"<={ends[0]}", *inner, f">{ends[-1]}")
    if isinstance(split, MapSplit):
        column = columns[split.column]
        groups: dict[int, list[str]] = {}
        for code, branch in zip(split.codes, split.targets, strict=True):
            groups.setdefault(branch, []).append(column.text(code))
        answers = tuple("{" + ",".join(groups[branch]) + "}" for branch in sorted(groups))
        return (f"in {answers[0]}" if len(answers) == 2 else f"{len(answers)}-way"), answers
    return None


@dataclass(frozen=True)
class Heading:
    """A column of the table: its name, and how it shows a candidate."""

    name: str
    shows: Callable[[Candidate], str]


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


def _missing(one: Candidate) -> str:
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


def table_text(
    candidates: Sequence[Candidate], criterion: str, charset: str, *, real: bool, by_p: bool
) -> str:
    """The table of a node's candidates."""
    signs = signs_of(charset)
    headings = list(_REAL if real else _CLASSES)
    own = "" if by_p else _SHOWN.get(criterion, "")
    if by_p:
        headings.insert(
            0, Heading("p to choose by", lambda one: "" if one.score is None else p_text(one.score))
        )
    elif not own or any(one.score is not None and not _is_shown(one, own) for one in candidates):
        headings.insert(0, Heading("score", lambda one: _four(one.score)))
        own = "score"
    if not any(one.missing for one in candidates):
        headings.pop()
    ranked = [one for one in candidates if one.rank is not None]
    refused = [one for one in candidates if one.rank is None]
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
    lines = [_line(row, widths, bar, at) for row, bar in zip(cells, ["", *bars], strict=True)] if rows else []
    for one in refused:
        name = _cut(one.column, signs).ljust(widths[1])
        lines.append(f"{_mark(one, charset).ljust(widths[0])}  {name}  refused: {one.reason}")
    return "\n".join(lines)


def _mark(one: Candidate, charset: str) -> str:
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


def _is_shown(one: Candidate, own: str) -> bool:
    """Whether the score of a candidate is the measure of that name."""
    shown = {"gain": one.gain, "ratio": one.gain_ratio, "Gini ↓": one.gini, "SDR": one.sdr}
    value = shown.get(own, one.variance)
    assert one.score is not None
    return value is not None and math.isclose(value, one.score, rel_tol=1e-6, abs_tol=1e-9)


def _bars(ranked: Sequence[Candidate], charset: str) -> list[str]:
    scores = [0.0 if one.score is None else max(one.score, 0.0) for one in ranked]
    finite = [score for score in scores if math.isfinite(score)]
    most = max(finite, default=0.0)
    if most <= 0:
        return [""] * len(scores)
    block = "#" if charset == "ascii" else "█"
    return [
        block * (_BAR if math.isinf(s) else max(round(_BAR * s / most), 1 if s > 0 else 0)) for s in scores
    ]


def _split(one: Candidate, signs: Signs) -> str:
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


def work_text(candidates: Sequence[Candidate], charset: str) -> str:
    """The calculation of each candidate, its name in front of the first line."""
    signs = signs_of(charset)
    named = [(one, _cut(one.column, signs)) for one in candidates if one.work is not None]
    width = max((len(name) for _, name in named), default=0)
    lines = []
    for one, name in named:
        assert one.work is not None
        for k, text in enumerate(one.work.lines):
            lines.append(f"{(name if k == 0 else '').ljust(width)}  {text}")
    text = "\n".join(lines)
    return text.translate(_ASCII) if charset == "ascii" else text
