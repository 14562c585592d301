"""Formulas: a direction in standard units -> a hyperplane in the units of the columns, as short as it can be.

One idea: what counts is which rows lie on either side. Weights are rounded to the fewest digits that keep
every row of the node on its side, and the threshold is the midpoint of the two sums next to it (K7). Sums
are taken as a Tree takes them, so a row goes in prediction where it went in training. Sums that differ by
rounding alone are never parted.
"""

from __future__ import annotations

import math

import numpy as np

from hornbeam._base.types import Bools, Floats, Longs
from hornbeam.growing.candidates.node_splits import PlaneSplit, Split, ThresholdSplit
from hornbeam.growing.oblique.direction_scores import Judge
from hornbeam.growing.stepwise_growth import Growth

_ROUNDING = 2.0**-44  # of the largest terms: sums closer than this are equal
_LARGEST = 1e300  # larger sums could overflow
_MOST_DIGITS = 15


def plane(
    growth: Growth,
    rows: Longs,
    judge: Judge,
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
        return ThresholdSplit(columns[0], _midpoint(low, high), low, high)
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
    found = np.empty(len(sums))
    found[order] = np.concatenate(([0.0], np.cumsum(np.diff(sums[order]) > least)))
    return found


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
    return PlaneSplit(columns, tuple(best), _midpoint(*gap), gap)


def _shorter(weight: float) -> list[float]:
    """What may stand for a weight: 1 or -1, then the weight in one digit, in two, ..."""
    return [math.copysign(1.0, weight), *(float(f"{weight:.{n}g}") for n in range(1, _MOST_DIGITS + 1))]


def _gap(weights: list[float], x: list[Floats], above: Bools, least: float) -> tuple[float, float] | None:
    """The largest sum below and the smallest above; None if the sides are not apart."""
    total = _sums(weights, x)
    low, high = float(total[~above].max()), float(total[above].min())
    return (low, high) if high - low > least else None


def _midpoint(low: float, high: float) -> float:
    middle = low + (high - low) / 2
    return middle if middle < high else low
