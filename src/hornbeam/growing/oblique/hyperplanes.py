"""Formulas: a direction in standard units -> a hyperplane in the units of the columns, as short as it can be.

One idea: what counts is which rows lie on either side. Weights are rounded to the fewest digits that keep
every row of the node on its side, and the threshold is the midpoint of the two sums next to it (K7). Sums
are taken as a Tree takes them, so a row goes in prediction where it went in training. Sums that differ by
rounding alone are never parted.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from hornbeam._base.types import Bools, Floats, Longs, midpoint
from hornbeam.data.formatting import number_text
from hornbeam.growing.candidates.node_splits import (
    EqualsSplit,
    ExpressionSplit,
    PlaneSplit,
    Split,
    ThresholdSplit,
)
from hornbeam.growing.oblique.direction_scores import DirectionScorer
from hornbeam.growing.stepwise_growth import Growth
from hornbeam.growing.thresholds import placed
from hornbeam.tree.arrays import HYPERPLANE
from hornbeam.tree.expressions.from_tree import is_expressible, name_text, value_text
from hornbeam.tree.expressions.language import Expression

_ROUNDING = 2.0**-44  # of the largest terms: sums closer than this are equal
_LARGEST = 1e300  # larger sums could overflow
_MOST_DIGITS = 15


def plane(
    growth: Growth,
    rows: Longs,
    judge: DirectionScorer,
    columns: tuple[int, ...],
    weights: Floats,
    below: int | None = None,
) -> Split | None:
    """The hyperplane of the best cut of a weighted sum of columns, or of that with so many of the known rows
    below it; None if there is none. A sum of one column is a plain threshold.
    """
    weights, turned = _signed(weights)
    x = [growth.numbers(column, rows) for column in columns]
    known = ~np.isnan(x).any(axis=0)
    x = [values[known] for values in x]
    if not known.any() or not weights.all():  # a weight may be too small beside another
        return None
    largest = sum(abs(w) * float(np.abs(v).max()) for w, v in zip(weights.tolist(), x, strict=True))
    if largest > _LARGEST:
        return None
    least = _ROUNDING * largest
    ranks = np.full(len(rows), np.nan)
    ranks[known] = _ranks(_sums(weights.tolist(), x), least)
    if below is not None:
        above = _above(ranks[known], len(x[0]) - below if turned else below)
    else:
        threshold = judge.threshold(ranks)
        above = None if threshold is None else ranks[known] > threshold
    if above is None:
        return None
    if len(columns) == 1:
        low, high = float(x[0][~above].max()), float(x[0][above].min())
        return ThresholdSplit(columns[0], float(midpoint(low, high)), low, high)
    return _rounded(columns, weights, x, above, least)


def _sums(weights: list[float], x: list[Floats]) -> Floats:
    """The weighted sums, added up in the order in which a Tree does."""
    total = np.zeros(len(x[0]))
    for weight, values in zip(weights, x, strict=True):
        total += weight * values
    return total


def _signed(weights: Floats) -> tuple[Floats, bool]:
    """The weights with the largest 1 or -1, and the first of them positive; whether they were turned."""
    scaled: Floats = weights / np.abs(weights).max()
    return (scaled, False) if scaled[0] > 0 else (-scaled, True)


def _above(ranks: Floats, below: int) -> Bools | None:
    """The rows above the cut that leaves so many below; None if equal sums lie on both sides."""
    order = np.sort(ranks)
    return ranks > order[below - 1] if order[below] > order[below - 1] else None


def _ranks(sums: Floats, least: float) -> Floats:
    """The rank of each sum; sums that are next to each other and closer than `least` share one."""
    order = np.argsort(sums, kind="stable")
    ranks = np.empty(len(sums))
    ranks[order] = np.concatenate(([0.0], np.cumsum(np.diff(sums[order]) > least)))
    return ranks


def _rounded(
    columns: tuple[int, ...], weights: Floats, x: list[Floats], above: Bools, least: float
) -> PlaneSplit:
    """The hyperplane with the shortest weights, first of all of them alike, then of each."""
    given: list[float] = weights.tolist()
    shorter = [_shorter(weight) for weight in given]
    alike = (list(some) for some in zip(*shorter, strict=True))
    best = next((some for some in alike if _gap(some, x, above, least) is not None), given)
    for k, tries in enumerate(shorter):
        for weight in tries:
            if weight == best[k] or _gap([*best[:k], weight, *best[k + 1 :]], x, above, least) is not None:
                best[k] = weight
                break
    gap = _gap(best, x, above, 0.0)
    assert gap is not None
    return PlaneSplit(columns, tuple(best), float(midpoint(*gap)), gap)


def _shorter(weight: float) -> list[float]:
    """What may stand for a weight: 1 or -1, then the weight in one digit, in two, ..."""
    return [math.copysign(1.0, weight), *(float(f"{weight:.{n}g}") for n in range(1, _MOST_DIGITS + 1))]


def _gap(weights: list[float], x: list[Floats], above: Bools, least: float) -> tuple[float, float] | None:
    """The largest sum below and the smallest above; None if the sides are not apart."""
    total = _sums(weights, x)
    low, high = float(total[~above].max()), float(total[above].min())
    return (low, high) if high - low > least else None


def indicators_of(growth: Growth) -> tuple[tuple[int, int], ...]:
    """(column, code) of every value that some row has; of two values the second alone, since it says all."""
    indicators = []
    for number, column in enumerate(growth.columns):
        if column.kind == "nominal" and is_expressible(column):
            codes = np.unique(growth.arrays[number])
            codes = codes[codes >= 0]
            indicators += [(number, int(code)) for code in (codes[1:] if len(codes) == 2 else codes)]
    return tuple(indicators)


def written(growth: Growth, split: Split | None) -> Split | None:
    """The split as a Tree can keep it: a sum with indicators as an expression, one of them as a value."""
    first = len(growth.columns)
    if isinstance(split, ThresholdSplit) and split.column >= first:
        return EqualsSplit(*growth.indicators[split.column - first])
    if isinstance(split, PlaneSplit) and max(split.columns) >= first:
        expression = Expression.parse(_text(growth, _placed(growth, split)))
        return ExpressionSplit(expression, expression.columns_in(growth.columns))
    return split


def _placed(growth: Growth, split: PlaneSplit) -> PlaneSplit:
    """The sum with its threshold where the plan wants those of sums, since an expression keeps no margin."""
    one = np.array([split.threshold]), np.array([split.gap])
    no_column = np.array([-1])
    moved = placed(growth.plan.threshold_at, growth.columns, np.array([HYPERPLANE]), no_column, *one)
    return replace(split, threshold=float(moved[0]))


def _text(growth: Growth, split: PlaneSplit) -> str:
    """A sum up to its threshold; values of one column that weigh the same stand together."""
    terms: dict[tuple[int, float], list[int]] = {}
    first = len(growth.columns)
    for tested, weight in zip(split.columns, split.weights, strict=True):
        column, code = (tested, -1) if tested < first else growth.indicators[tested - first]
        terms.setdefault((column, weight), []).append(code)
    if len(terms) == 1:  # values of one column that weigh the same: the sum is above where one of them is
        (((column, _), codes),) = terms.items()
        return f"not {_term(growth, column, codes)}"
    text = ""
    for (column, weight), codes in terms.items():
        sign = ("-" if weight < 0 else "") if not text else (" - " if weight < 0 else " + ")
        factor = "" if abs(weight) == 1 else f"{number_text(abs(weight))} * "
        text += sign + factor + _term(growth, column, codes)
    return f"{text} <= {number_text(split.threshold)}"


def _term(growth: Growth, number: int, codes: list[int]) -> str:
    column = growth.columns[number]
    name = name_text(column.name)
    if codes == [-1]:
        return name
    values = [value_text(column.categories[code]) for code in codes]
    return f"({name} == {values[0]})" if len(values) == 1 else f"({name} in ({', '.join(values)}))"
