"""The candidates of a node as text: a test in words, and all of them as an aligned table.

A test is named as `hb.candidates` names it; a branch by its answer, `<=29.5`, `{a,b}`, `yes`. Numbers are
right-aligned, the bar is as long as the score; refused candidates come last, with the reason instead of
numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam._base.significance.contingency import p_text
from hornbeam.data.columns import Column
from hornbeam.data.formatting import MISSING_TEXT, aligned, number_text, visible
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
from hornbeam.tree.scores import MEASURES, p_digits, score_name
from hornbeam.tree.words import Signs, amount, signs_of, threshold_text

if TYPE_CHECKING:  # a candidate has its test in these words
    from hornbeam.editing.candidate import Candidate
    from hornbeam.editing.candidates import Candidates

_BAR = 14  # characters of the longest bar
_WIDEST = 30  # a longer test, or name, is cut short
_ASCII = str.maketrans({"−": "-", "·": "*", "²": "^2", "√": "sqrt", "½": "1/2"})


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
        texts = [
            "(" + ",".join(c.text(v) for c, v in zip(some, entry, strict=True)) + ")"
            for entry in split.tuples
        ]
        question = f"({','.join(c.name for c in some)})"
        if not split.sets:
            return question, tuple(texts)
        sides = [[t for t, to in zip(texts, split.sets, strict=True) if to == side] for side in (0, 1)]
        return question, tuple("{" + ",".join(side) + "}" for side in sides)
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


_CLASSES = ("gain", "gain_ratio", "gini", "chi2", "p")
_REAL = ("sdr", "variance", "r2", "f", "p")
# criterion -> the measure that is its score
OWN_MEASURE = {
    "entropy": "gain",
    "gain-ratio": "gain_ratio",
    "gini": "gini",
    "sd": "sdr",
    "variance": "variance",
}


def headings_of(*, real: bool) -> dict[str, str]:
    """The fields of a candidate that its table shows, and what they are called."""
    return {name: MEASURES[name] for name in (_REAL if real else _CLASSES)}


def table_text(candidates: Candidates, charset: str, width: int | None) -> str:
    """The table of a node's candidates; without its bars, and with fewer measures, where it is too wide."""
    # heading -> the field of a candidate that stands below it
    fields = {heading: name for name, heading in headings_of(real=candidates.is_real).items()}
    criterion, by_p = candidates.criterion, candidates.by_p
    own = "log_p" if by_p else OWN_MEASURE.get(criterion, "")
    if by_p:
        fields = {"p to choose by": own} | fields
    elif not own or any(one.score is not None and not _is_shown(one, own) for one in candidates):
        own = "score"
        fields = {"score" if criterion in OWN_MEASURE else score_name(criterion).score: own} | fields
    if any(one.missing for one in candidates):
        fields = fields | {"missing": "missing"}
    lines = _table_lines(candidates, fields, charset, "" if by_p else own)
    others = [heading for heading, name in fields.items() if name not in (own, "p", "missing")]
    while width is not None and max(map(len, lines), default=0) > width and others:
        lines = _table_lines(candidates, fields, charset, "")
        if max(map(len, lines)) > width:
            del fields[others.pop()]
    return "\n".join([*lines, *_refused_lines(candidates, charset)])


def _table_lines(
    candidates: Iterable[Candidate], fields: Mapping[str, str], charset: str, barred: str
) -> list[str]:
    """A line for each candidate that is not refused, below the headings; `barred` names what has bars."""
    signs, ranked = signs_of(charset), [one for one in candidates if one.rank is not None]
    if not ranked:
        return []
    wide = _column_width(candidates, signs)
    heads = [name.translate(_ASCII) if charset == "ascii" else name for name in fields]
    rows = [["", "column", "split", *heads]]
    for one in ranked:
        shown = [_value_text(one, name) for name in fields.values()]
        rows.append([_mark(one, charset), _cut(one.column, signs).ljust(wide), _split(one, signs), *shown])
    numbers = set(range(3, len(rows[0])))
    bars = _bars(ranked, charset) if barred else []
    if any(bars):  # after the number they show
        at = 4 + list(fields.values()).index(barred)
        numbers = {k if k < at else k + 1 for k in numbers}
        for row, bar in zip(rows, ["", *bars], strict=True):
            row.insert(at, bar)
    return aligned(rows, right=numbers)


def _refused_lines(candidates: Iterable[Candidate], charset: str) -> list[str]:
    signs, wide = signs_of(charset), _column_width(candidates, signs_of(charset))
    margin = max((len(_mark(one, charset)) for one in candidates if one.rank is not None), default=0)
    return [
        f"{_mark(one, charset).ljust(margin)}  {_cut(one.column, signs).ljust(wide)}  refused: {one.reason}"
        for one in candidates
        if one.rank is None
    ]


def _column_width(candidates: Iterable[Candidate], signs: Signs) -> int:
    widest = max((len(_cut(one.column, signs)) for one in candidates), default=0)
    return max(widest, len("column")) if any(one.rank is not None for one in candidates) else widest


def _value_text(one: Candidate, name: str) -> str:
    """A field of a candidate as the table shows it; nothing where it has no value."""
    value = getattr(one, "score" if name == "log_p" else name)
    if value is None or (name == "missing" and not value):
        return ""
    if name == "log_p":
        return p_text(value)
    if name == "p":
        return p_digits(value)
    if name in ("chi2", "f"):
        return "inf" if math.isinf(value) else f"{value:.1f}" if value < 1e6 else f"{value:.3g}"
    if name == "missing":
        return str(value)
    return f"{value:.4f}" if abs(value) < 1000 else amount(value)


def _mark(one: Candidate, charset: str) -> str:
    return "" if not one.chosen else ">" if charset == "ascii" else "▸"


def _is_shown(one: Candidate, name: str) -> bool:
    """Whether the score of a candidate is the measure in a field."""
    value = getattr(one, name)
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
