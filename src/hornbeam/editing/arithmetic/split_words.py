"""Texts: a test in words, and what leads to each of its branches.

One idea: a test is named as `hb.candidates` names it; a branch by its answer, `<=29.5`, `{a,b}`, `yes`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from hornbeam.data.columns import Column
from hornbeam.data.formatting import MISSING_TEXT, number_text
from hornbeam.editing.arithmetic.column_search import Found
from hornbeam.editing.arithmetic.node_rows import Place, column_names
from hornbeam.growing.candidates.interval_split import IntervalsSplit
from hornbeam.growing.candidates.node_splits import ExpressionSplit, MapSplit, PlaneSplit, Split, TupleSplit
from hornbeam.tree.words import cut as cut_text
from hornbeam.tree.words import threshold_text


@dataclass(frozen=True)
class Said:
    """A test in words: its column and kind, the question, the answers, where it cuts, the first values."""

    column: str
    test: str
    short: str
    answers: tuple[str, ...]
    threshold: float | None = None
    values: tuple[Any, ...] = ()


def said(place: Place, found: Found, k: int) -> Said:
    """The k-th test of a contender."""
    assert found.judged is not None
    name = column_names(place.growth, found.columns)
    if found.split is not None:
        told = _special(place, found.split)
        if told is not None:
            short, answers = told
            test = (
                short
                if len(found.columns) > 1 or isinstance(found.split, ExpressionSplit)
                else f"{name} {short}"
            )
            return Said(name, test, short, answers)
    column = place.growth.columns[found.columns[0]]
    options = found.judged.options
    if options.kind == "threshold":
        return _threshold(place, found, column, k)
    texts = [column.text(value) for value in found.bins.values.tolist()]
    if options.kind == "multiway":
        return Said(name, name, f"{len(texts)}-way", tuple(texts))
    members = options.first[k]
    values = tuple(column.categories[int(found.bins.values[m])] for m in members)
    if options.kind == "equals":
        text = texts[members[0]]
        return Said(name, f"{name}={text}", f"= {text}", ("yes", "no"), None, values)
    first = "{" + ",".join(texts[m] for m in members) + "}"
    rest = "{" + ",".join(text for m, text in enumerate(texts) if m not in members) + "}"
    return Said(name, f"{name} in {first}", f"in {first}", (first, rest), None, values)


def _threshold(place: Place, found: Found, column: Column, k: int) -> Said:
    assert found.judged is not None
    options, values = found.judged.options, found.bins.values
    assert options.cut is not None
    threshold = float(options.cut[k])
    if math.isinf(threshold):
        text = f"{column.name} is not missing"
        return Said(column.name, text, "is not missing", ("not missing", MISSING_TEXT), threshold)
    assert options.last is not None
    last = int(options.last[k])
    low, high = float(values[last]), float(values[last + 1]) if last + 1 < len(values) else math.inf
    if place.plan.split.threshold_at == "value" and column.kind == "numeric":
        low, threshold = (float(_value_below(place, found.columns[0], threshold, high)),) * 2
    text = threshold_text(column, threshold, (low, high))
    below = () if column.kind == "numeric" else column.categories[: math.ceil(threshold)]
    answers = (f"<={text}", f">{text}")
    return Said(column.name, f"{column.name}<={text}", f"<= {text}", answers, threshold, below)


def _value_below(place: Place, column: int, middle: float, high: float) -> float:
    """The largest value of the whole table that is not above a threshold (C4.5)."""
    values = place.growth.arrays[column]
    values = np.unique(values[~np.isnan(values)])
    up = middle + 4 * float(np.spacing(abs(middle)))
    place_of = np.searchsorted(values, up if up < high else middle, side="right")
    return float(values[max(int(place_of) - 1, 0)])


def _special(place: Place, split: Split) -> tuple[str, tuple[str, ...]] | None:
    """Question and answers of a test that is none of a plain column; None if it is one."""
    columns = place.growth.columns
    if isinstance(split, ExpressionSplit):
        return str(split.expression.text), ("yes", "no")
    if isinstance(split, TupleSplit):
        some = [columns[c] for c in split.tested]
        answers = tuple(
            "(" + ",".join(c.text(v) for c, v in zip(some, entry, strict=True)) + ")"
            for entry in split.tuples
        )
        return f"({','.join(c.name for c in some)})", answers
    if isinstance(split, PlaneSplit):
        text = cut_text(split.threshold, *split.gap)
        terms = " + ".join(
            f"{number_text(w)}*{columns[c].name}" for c, w in zip(split.tested, split.weights, strict=True)
        ).replace("+ -", "- ")
        return f"{terms}<={text}", (f"<={text}", f">{text}")
    if isinstance(split, IntervalsSplit):
        ends = [cut_text(cut.threshold, cut.low, cut.high) for cut in split.cuts]
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
