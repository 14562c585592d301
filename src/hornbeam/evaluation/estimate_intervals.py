"""How far an estimate may be off, from the rows it was computed on.

    share        Wilson (1927): (p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n)
    of shares    the mean of K independent shares: m ± √Σ(p - end)²/K, by their own ends (Zou & Donner 2008)
    mean         m ± t s/√n
    influence    value ± z √Σφ²,  φ being what each row moves the value by; where the value has ends, on a
                 scale without any (logit, log)
    paired       difference of two shares of the same rows (Bonett & Price 2012)
    folds        d ± t √((1/k + n_test/n_train) s²)  (Nadeau & Bengio 2003)

Rows with weights count as n = (Σw)²/Σw² rows (Kish 1965), so that every formula is the one for plain rows
when all weights are equal.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from hornbeam._base import error_limits
from hornbeam._base.parameters import is_number
from hornbeam._base.types import Floats
from hornbeam.tree.json_values import json_fields


@dataclass(frozen=True)
class Estimate:
    """A value with its interval; `low` and `high` are None where no interval is known."""

    value: float
    low: float | None = None
    high: float | None = None

    def to_dict(self) -> dict[str, float | None]:
        """As plain values; a number without end is None."""
        return json_fields(self, ("value", "low", "high"))

    def text(self, number: Callable[[float], str] = "{:.4f}".format) -> str:
        """The value, and between which bounds; `number` writes a number.

        >>> Estimate(0.83146, 0.78192, 0.87164).text()
        '0.8315  (0.7819 to 0.8716)'
        """
        if self.low is None or self.high is None:
            return number(self.value)
        return f"{number(self.value)}  ({number(self.low)} to {number(self.high)})"


def check_confidence(confidence: Any) -> float:
    """A confidence as a float; raise unless it lies between 0 and 1."""
    if not is_number(confidence) or not 0 < float(confidence) < 1:
        raise ValueError(f"confidence={confidence!r} must be a number above 0 and below 1, such as 0.95")
    return float(confidence)


def deviate(confidence: float) -> float:
    """The normal deviate of a two-sided interval.

    >>> round(deviate(0.95), 6)
    1.959964
    """
    return float(special.ndtri(0.5 + confidence / 2))


def student(confidence: float, df: float) -> float:
    """The deviate of Student's law; the normal one for very many degrees of freedom."""
    if df <= 0:
        return math.inf
    return float(special.stdtrit(df, 0.5 + confidence / 2))


def effective(weight: Floats) -> float:
    """How many plain rows weighted rows count as.

    >>> effective(np.array([1.0, 1.0, 2.0]))
    2.6666666666666665
    """
    squares = float(weight @ weight)
    return float(weight.sum()) ** 2 / squares if squares > 0 else 0.0


def wilson(share: float, n: float, confidence: float = 0.95) -> Estimate:
    """A share of n rows with Wilson's interval.

    >>> wilson(222 / 267, 267).text()
    '0.8315  (0.7819 to 0.8716)'
    """
    if not n > 0:
        return Estimate(share)
    low, high = error_limits.wilson(share, n, deviate(confidence))
    return Estimate(share, min(low, share), max(high, share))


def mean_of_shares(shares: Sequence[Estimate]) -> Estimate:
    """The mean of shares of different rows, whose distances to their ends are squared and added.

    >>> mean_of_shares([wilson(0.5, 10), wilson(0.0, 1)]).text()
    '0.2500  (0.1183 to 0.6680)'
    """
    mean = math.fsum(one.value for one in shares) / len(shares)
    below = math.hypot(*(one.value - one.low for one in shares if one.low is not None)) / len(shares)
    above = math.hypot(*(one.high - one.value for one in shares if one.high is not None)) / len(shares)
    return Estimate(mean, max(mean - below, 0.0), min(mean + above, 1.0))


def mean_of(values: Floats, weight: Floats, confidence: float) -> Estimate:
    """A weighted mean with Student's interval; none from fewer than two rows."""
    total, n = float(weight.sum()), effective(weight)
    mean = float(weight @ values) / total
    if n <= 1 or not np.isfinite(values).all():
        return Estimate(mean)
    spread = math.sqrt(float(weight @ (values - mean) ** 2) / total * n / (n - 1))
    half = student(confidence, n - 1) * spread / math.sqrt(n)
    return Estimate(mean, mean - half, mean + half)


def error_of(influence: Floats) -> float:
    """The standard error of a value that each row moves by so much; the moves add up to 0."""
    n = len(influence)
    return math.sqrt(float(influence @ influence) * n / (n - 1)) if n > 1 else math.nan


def within_unit(value: float, error: float, n: float, confidence: float) -> Estimate:
    """A value from 0 to 1 on the logit scale; at the ends, or without any error, as a share of n rows."""
    if not 0 < value < 1 or not error > 0:
        return wilson(min(max(value, 0.0), 1.0), n, confidence) if n > 0 else Estimate(value)
    half = deviate(confidence) * error / (value * (1 - value))
    middle = math.log(value / (1 - value))
    return Estimate(value, float(special.expit(middle - half)), float(special.expit(middle + half)))


def above_zero(value: float, error: float, confidence: float) -> Estimate:
    """A value of at least 0 on the log scale."""
    if not value > 0 or not math.isfinite(error):
        return Estimate(value)
    factor = math.exp(min(deviate(confidence) * error / value, 700.0))
    return Estimate(value, value / factor, value * factor)


def paired_shares(only_a: int, only_b: int, n: int, confidence: float) -> Estimate:
    """The share of b less that of a on the same n rows, of which some are only a's, and some only b's.

    One row is added to either, as Bonett and Price advise, so that no difference still has an interval.

    >>> paired_shares(2, 8, 50, 0.95).text()
    '0.1200  (-0.0114 to 0.2421)'
    """
    first, second = (only_a + 1) / (n + 2), (only_b + 1) / (n + 2)
    half = deviate(confidence) * math.sqrt((first + second - (second - first) ** 2) / (n + 2))
    value = (only_b - only_a) / n
    return Estimate(value, max(second - first - half, -1.0), min(second - first + half, 1.0))


def mcnemar(only_a: int, only_b: int) -> float:
    """The exact two-sided p of McNemar's test: whether a and b are right equally often.

    >>> round(mcnemar(2, 8), 4), mcnemar(0, 0)
    (0.1094, 1.0)
    """
    n, least = only_a + only_b, min(only_a, only_b)
    return min(1.0, 2 * float(special.bdtr(least, n, 0.5))) if n else 1.0


def over_folds(differences: Floats, ratio: float, confidence: float) -> tuple[Estimate, float]:
    """The mean difference over folds with the corrected resampled t interval, and its two-sided p.

    `ratio` is the number of test rows over that of training rows.

    >>> estimate, p = over_folds(np.array([0.01, 0.03, 0.02, 0.04, 0.0]), 0.25, 0.95)
    >>> estimate.text(), round(p, 6)
    ('0.0200  (-0.0094 to 0.0494)', 0.132419)
    """
    k = len(differences)
    mean = float(differences.mean())
    error = math.sqrt((1 / k + ratio) * float(differences.var(ddof=1)))
    if error == 0:
        return Estimate(mean, mean, mean), 1.0 if mean == 0 else 0.0
    half = student(confidence, k - 1) * error
    p = 2 * float(special.stdtr(k - 1, -abs(mean / error)))
    return Estimate(mean, mean - half, mean + half), p
