"""Spread of a real target: standard deviation and its reduction by splits; losses around medians and rates.

    S(T)       = sqrt(sum (y - mean)^2 / N)        population form: divided by N, not N - 1
    CV(T)      = S(T) / |mean|
    S(T, X)    = sum over values c of X of P(c) S(T | X = c)
    SDR(T, X)  = S(T) - S(T, X)

One idea: S plays for numbers the part that entropy plays for classes. About 2/3 of the values of a normal law
lie within one S of the mean (0.682689), 95 % within two (0.954500), 99.7 % within three (0.997300).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hornbeam._base.types import Floats
from hornbeam.data.measure_checks import number, numbers, row_weight, same_length
from hornbeam.data.rates import exposed, refuse_no_rate
from hornbeam.teaching.measures.count_table import branches_of


def mean(y: Any, *, sample_weight: Any = None, counts: Any = None) -> float:
    """The mean of a column, rows weighted by `sample_weight` times `counts`.

    >>> mean([1, 2, 4], counts=[2, 0, 1])
    2.0
    """
    return _mean(*_rows(y, sample_weight, counts))


def sd(y: Any, *, sample_weight: Any = None, counts: Any = None) -> float:
    """The standard deviation of a column in its population form, divided by N.

    Parameters
    ----------
    y : column of numbers
    sample_weight, counts : column or None
        Weight and number of repetitions of each row; they are multiplied.

    Examples
    --------
    >>> import hornbeam as hb
    >>> round(sd(hb.datasets.load("hours").y), 6)
    9.321086
    """
    return _sd(*_rows(y, sample_weight, counts))


def variation(y: Any, *, sample_weight: Any = None, counts: Any = None) -> float:
    """The coefficient of variation sd / |mean|: 0 if all values are equal, infinite around a mean of 0.

    The parameters are those of `sd`.

    >>> import hornbeam as hb
    >>> round(variation(hb.datasets.load("hours").y), 6)
    0.234282
    >>> variation([-1, 1]), variation([0, 0])
    (inf, 0.0)
    """
    rows = _rows(y, sample_weight, counts)
    deviation, center = _sd(*rows), abs(_mean(*rows))
    if deviation == 0:
        return 0.0
    return deviation / center if center > 0 else math.inf


def sd_after_split(
    x: Any, y: Any, *, sample_weight: Any = None, counts: Any = None, missing: str = "value"
) -> float:
    """S(T, X): the mean standard deviation of the branches, weighted by their rows.

    Parameters
    ----------
    x : column
        Which branch each row takes: every distinct value is one. For a cut pass `x <= t`.
    y : column of numbers
    sample_weight, counts : column or None
        Weight and number of repetitions of each row; they are multiplied.
    missing : {"value", "drop"}
        Rows without a value in x are a branch of their own, or are left out.

    Examples
    --------
    >>> import hornbeam as hb
    >>> hours = hb.datasets.load("hours")
    >>> round(sd_after_split(hours.X["Outlook"], hours.y), 6)
    7.658936
    """
    return _split(x, y, sample_weight, counts, missing)[1]


def sdr(x: Any, y: Any, *, sample_weight: Any = None, counts: Any = None, missing: str = "value") -> float:
    """Standard deviation reduction S(T) - S(T, X); never below 0. Parameters as in `sd_after_split`.

    >>> import hornbeam as hb
    >>> hours = hb.datasets.load("hours")
    >>> round(sdr(hours.X["Outlook"], hours.y), 6)
    1.66215
    """
    before, after = _split(x, y, sample_weight, counts, missing)
    return max(before - after, 0.0)


def _rows(y: Any, sample_weight: Any, counts: Any) -> tuple[Floats, Floats]:
    """Values and weights of the rows that weigh something."""
    values = numbers(y, "y")
    weight = row_weight(sample_weight, counts, len(values))
    return values[weight > 0], weight[weight > 0]


def _mean(values: Floats, weight: Floats) -> float:
    if values.min() == values.max():
        return float(values[0])
    scale = _scale(values)
    return math.fsum(values / scale * weight) / math.fsum(weight) * scale


def _sd(values: Floats, weight: Floats) -> float:
    if values.min() == values.max():
        return 0.0
    scale = _scale(values)
    scaled = values / scale
    away = scaled - _mean(scaled, weight)
    return math.sqrt(math.fsum(weight * away**2) / math.fsum(weight)) * scale


def _scale(values: Floats) -> float:
    """A power of two that brings the values near 1, so that no square overflows."""
    return 2.0 ** (math.frexp(float(np.abs(values).max()))[1] - 1)


def _split(x: Any, y: Any, sample_weight: Any, counts: Any, missing: str) -> tuple[float, float]:
    """Standard deviation before and after a split."""
    values = numbers(y, "y")
    branch, names = branches_of(x, missing)
    same_length(len(branch), len(values), "x", "y")
    weight = row_weight(sample_weight, counts, len(values))
    counted = (branch >= 0) & (weight > 0)
    if not counted.any():
        raise ValueError("missing='drop' leaves no row of positive weight; use missing='value'")
    values, branch, weight = values[counted], branch[counted], weight[counted]
    inside = 0.0
    for code in range(len(names)):
        rows = branch == code
        if rows.any():
            inside += math.fsum(weight[rows]) * _sd(values[rows], weight[rows])
    return _sd(values, weight), inside / math.fsum(weight)


# ---- losses around medians, quantiles and rates ----------------------------------------------------------
#
#     quantile(q)         the smallest y with a share q of the weight at or below it; at exactly q the middle
#     absolute deviation  sum w |y - median| / W
#     pinball(q)          sum w (q (y - m)+ + (1 - q) (m - y)+) / W      m the q-quantile
#     Poisson deviance    sum w (y ln(y / m) - y + m) / W                m the mean rate; half of the deviance
#
# Each is the least mean loss that one answer for all rows can have.


_TIE = 1e-12  # shares of the weight closer than this are equal


def quantile(y: Any, q: float = 0.5, *, sample_weight: Any = None, counts: Any = None) -> float:
    """The q-quantile of a column: what nodes grown by `Quantile(q)` answer.

    Parameters
    ----------
    y : column of numbers
    q : float
        A share above 0 and below 1; 0.5 is the median.
    sample_weight, counts : column or None
        Weight and number of repetitions of each row; they are multiplied.

    Examples
    --------
    >>> quantile([1, 2, 10, 20]), quantile([1, 2, 10, 20], 0.6), quantile([1, 9], counts=[3, 1])
    (6.0, 10.0, 1.0)
    """
    values, weight = _rows(y, sample_weight, counts)
    level = number(q, "q", 0.0, 1.0)
    if not 0 < level < 1:
        raise ValueError(f"q={q!r} must be above 0 and below 1, such as 0.9")
    order = np.argsort(values, kind="stable")
    values, upto = values[order], np.cumsum(weight[order]) / weight.sum()
    at = int(np.argmax(upto >= level - _TIE))
    if upto[at] <= level + _TIE and at + 1 < len(values):
        return float(values[at] + (values[at + 1] - values[at]) / 2)
    return float(values[at])


def pinball(y: Any, q: float = 0.5, *, sample_weight: Any = None, counts: Any = None) -> float:
    """The mean pinball loss of a column around its q-quantile; the parameters are those of `quantile`.

    >>> pinball([1, 2, 3, 4, 10], 0.75)  # the quantile is 4: 0.25 (3 + 2 + 1) and 0.75 x 6, over 5
    1.2
    """
    values, weight = _rows(y, sample_weight, counts)
    away = values - quantile(y, q, sample_weight=sample_weight, counts=counts)
    return float(np.average(np.maximum(q * away, (q - 1) * away), weights=weight))


def absolute_deviation(y: Any, *, sample_weight: Any = None, counts: Any = None) -> float:
    """The mean absolute deviation of a column from its median.

    >>> absolute_deviation([1, 2, 9, 10, 14])  # around 9
    4.2
    """
    return 2 * pinball(y, 0.5, sample_weight=sample_weight, counts=counts)


def poisson_deviance(y: Any, *, exposure: Any = None, sample_weight: Any = None, counts: Any = None) -> float:
    """Half the mean Poisson deviance of a column of events around its mean rate, per unit of exposure.

    >>> round(poisson_deviance([0, 2]), 6), poisson_deviance([2, 6], exposure=[1, 3])
    (0.693147, 0.0)
    """
    values = numbers(y, "y")
    rates, weights = exposed(values, row_weight(sample_weight, counts, len(values)), exposure, 1e150)
    refuse_no_rate(rates, weights, None)
    rate = float(np.average(rates, weights=weights))
    each = rates * np.log(np.where(rates > 0, rates / rate, 1.0)) - rates + rate
    return max(float(np.average(each, weights=weights)), 0.0)
