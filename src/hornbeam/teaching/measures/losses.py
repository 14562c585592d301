"""Losses that judge regression trees beside the spread: around medians, quantiles and rates.

    quantile(q)         the smallest y with a share q of the weight at or below it; at exactly q the middle
    absolute deviation  sum w |y - median| / W
    pinball(q)          sum w (q (y - m)+ + (1 - q) (m - y)+) / W      m the q-quantile
    Poisson deviance    sum w (y ln(y / m) - y + m) / W                m the mean rate; half of the deviance

One idea: each is the least mean loss that one answer for all rows can have.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hornbeam._base.types import Floats
from hornbeam.data.measure_checks import number, numbers, row_weight
from hornbeam.data.weights import exposed, refuse_no_rate

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
    level = _share(q)
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
    mean = float(np.average(rates, weights=weights))
    each = rates * np.log(np.where(rates > 0, rates / mean, 1.0)) - rates + mean
    return max(float(np.average(each, weights=weights)), 0.0)


def _share(q: float) -> float:
    level = number(q, "q", 0.0, 1.0)
    if not 0 < level < 1:
        raise ValueError(f"q={q!r} must be above 0 and below 1, such as 0.9")
    return level


def _rows(y: Any, sample_weight: Any, counts: Any) -> tuple[Floats, Floats]:
    values = numbers(y, "y")
    weight = row_weight(sample_weight, counts, len(values))
    here = weight > 0
    return values[here], weight[here]
