"""Spread: standard deviation, coefficient of variation and standard deviation reduction of a real target.

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
from hornbeam.data.measure_checks import numbers, row_weight, same_length
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
    kept = (branch >= 0) & (weight > 0)
    if not kept.any():
        raise ValueError("missing='drop' leaves no row of positive weight; use missing='value'")
    values, branch, weight = values[kept], branch[kept], weight[kept]
    inside = 0.0
    for code in range(len(names)):
        rows = branch == code
        if rows.any():
            inside += math.fsum(weight[rows]) * _sd(values[rows], weight[rows])
    return _sd(values, weight), inside / math.fsum(weight)
