"""Impurities, twice: fast in float64 to discard the hopeless, and to 60 digits to decide between the rest.

A group of rows is its Stats: the class weights, or (w, sum wy, sum wyy) for a real target. The one idea:
everything is written as *total* impurity T = weight x impurity, so that a split decreases impurity by

    decrease = (T(parent) - sum of T(children)) / weight(parent)

    gini      sum w_k o_k / W                 w_k: weight of class k; o_k = W - w_k
    entropy   sum w_k log2(1 + o_k / w_k)
    root      1/2 sum sqrt(w_k o_k)
    error     min o_k
    variance  Q - S^2 / W                     of (W, S, Q) = (w, sum wy, sum wyy)
    sd        sqrt(W Q - S^2)

gain-ratio has the impurity of entropy; its score is the decrease over the entropy of the branch weights.
"""

from __future__ import annotations

from decimal import Context, Decimal
from functools import lru_cache

import numpy as np

CLASS_CRITERIA = ("gini", "entropy", "gain-ratio", "root", "error")
REAL_CRITERIA = ("variance", "sd")
DIGITS = Context(prec=60)


def float_total(criterion: str, stats: np.ndarray) -> np.ndarray:
    """T of every group of an array of Stats (last axis: the Stats), in float64. Empty groups give 0."""
    if criterion in REAL_CRITERIA:
        weight, first, second = stats[..., 0], stats[..., 1], stats[..., 2]
        safe = np.where(weight > 0, weight, 1.0)
        spread: np.ndarray = np.maximum(second - first * first / safe, 0.0)
        return spread if criterion == "variance" else np.sqrt(spread * weight)
    others = stats @ (1.0 - np.eye(stats.shape[-1]))
    if criterion == "error":
        return others.min(axis=-1)
    if criterion == "root":
        return 0.5 * np.sqrt(stats * others).sum(axis=-1)
    if criterion == "gini":
        weight = stats.sum(axis=-1)
        return (stats * others).sum(axis=-1) / np.where(weight > 0, weight, 1.0)
    safe = np.where(stats > 0, stats, 1.0)
    with np.errstate(over="ignore"):
        ratio = np.minimum(np.where(stats > 0, others, 0.0) / safe, np.finfo(np.float64).max)
    return (stats * np.log1p(ratio)).sum(axis=-1) / np.log(2.0)


@lru_cache(maxsize=200_000)
def _log2(n: int) -> Decimal:
    return DIGITS.divide(DIGITS.ln(Decimal(n)), _LN2)


def _log2_of_ratio(whole: int, part: int) -> Decimal:
    """log2(whole / part); where the part is nearly all, by the series of ln(1 + x): logarithms cancel."""
    rest = whole - part
    if rest * 10**20 >= part:
        return _log2(whole) - _log2(part)
    x = Decimal(rest) / part
    return (x - x * x / 2 + x**3 / 3) / _LN2


@lru_cache(maxsize=200_000)
def _sqrt(n: int) -> Decimal:
    return DIGITS.sqrt(Decimal(n))


_LN2 = DIGITS.ln(Decimal(2))


def exact_total(criterion: str, stats: tuple[int, ...]) -> Decimal:
    """T of one group whose Stats are whole numbers, to 60 digits. Call within `localcontext(DIGITS)`."""
    if criterion in REAL_CRITERIA:
        weight, first, second = stats
        spread = weight * second - first * first
        return Decimal(spread) / weight if criterion == "variance" else _sqrt(spread)
    weight = sum(stats)
    if criterion == "error":
        return Decimal(weight - max(stats))
    if criterion == "root":
        return sum((_sqrt(w * (weight - w)) for w in stats), Decimal(0)) / 2
    if criterion == "gini":
        return Decimal(sum(w * (weight - w) for w in stats)) / weight
    return sum((w * _log2_of_ratio(weight, w) for w in stats if w > 0), Decimal(0))


def is_pure(criterion: str, stats: tuple[int, ...]) -> bool:
    """One class only, or one value of y only."""
    if criterion in REAL_CRITERIA:
        return stats[0] * stats[2] == stats[1] * stats[1]
    return sum(w > 0 for w in stats) <= 1
