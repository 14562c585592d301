"""Metrics: how good the answers about some rows are, each number with an interval where one is known.

One idea: every metric is a mean over rows or a share of rows, so its interval follows from the rows' spread:
Wilson's for a share, the normal one for a mean, Newcombe's (2006) for the area under the ROC curve.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from hornbeam.arrays import Floats, Longs

Z = 1.959963984540054  # of a two-sided interval of 95 %
_LEAST = 1e-15  # a probability of 0 for what happened is taken as this, or no logarithm would exist


@dataclass(frozen=True)
class Metric:
    """A number about some rows; `low` and `high` are NaN where no interval is known."""

    name: str
    value: float
    low: float = math.nan
    high: float = math.nan


def wilson(hits: float, n: float) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson 1927).

    >>> low, high = wilson(222, 267)
    >>> round(low, 4), round(high, 4)
    (0.7819, 0.8716)
    """
    if n <= 0:
        return math.nan, math.nan
    share, z2 = hits / n, Z * Z
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = Z / (1 + z2 / n) * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)


def class_metrics(true: Longs, answered: Longs, shares: Floats) -> list[Metric]:
    """Accuracy, log loss and AUC of answers about classes; a true class of -1 is one the tree does not know.

    >>> shares = np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]])
    >>> found = class_metrics(np.array([0, 1, 1]), np.array([0, 1, 0]), shares)
    >>> [(m.name, round(m.value, 4)) for m in found]
    [('accuracy', 0.6667), ('log loss', 0.4149), ('AUC', 1.0)]
    """
    n = len(true)
    hits = int((true == answered).sum())
    given = np.where(true >= 0, shares[np.arange(n), np.maximum(true, 0)], 0.0)
    found = [
        Metric("accuracy", hits / n, *wilson(hits, n)),
        _mean("log loss", -np.log(np.maximum(given, _LEAST))),
    ]
    if shares.shape[1] == 2:
        found.append(_area(shares[:, 1], true == 1, "AUC"))
    else:
        areas = [_area(shares[:, k], true == k, "AUC").value for k in range(shares.shape[1])]
        known = [area for area in areas if not math.isnan(area)]
        found.append(Metric("AUC, mean over classes", sum(known) / len(known) if known else math.nan))
    return found


def number_metrics(true: Floats, answered: Floats) -> list[Metric]:
    """Root mean squared error, mean absolute error and R² of answers that are numbers.

    >>> found = number_metrics(np.array([1.0, 2.0, 4.0]), np.array([1.0, 3.0, 4.0]))
    >>> [(m.name, round(m.value, 3)) for m in found]
    [('RMSE', 0.577), ('MAE', 0.333), ('R²', 0.786)]
    """
    squared = _mean("RMSE", (true - answered) ** 2)
    ends = [math.sqrt(max(v, 0.0)) for v in (squared.value, squared.low, squared.high)]
    spread = float(np.var(np.sort(true)))
    # 0 - 0 is no answer: outcomes that are all the same leave nothing to explain
    share = 1 - squared.value / spread if spread > 0 else math.nan
    return [Metric("RMSE", *ends), _mean("MAE", np.abs(true - answered)), Metric("R²", share)]


def _mean(name: str, losses: Floats) -> Metric:
    losses = np.sort(losses)  # the same sum whatever order the rows came in
    n, mean = len(losses), float(losses.mean())
    half = Z * float(losses.std(ddof=1)) / math.sqrt(n) if n > 1 else math.nan
    return Metric(name, mean, max(0.0, mean - half) if half == half else half, mean + half)


def _area(score: Floats, positive: np.ndarray, name: str) -> Metric:
    """The chance that a row of the class scores higher than one of another, ties counted half."""
    p, q = int(positive.sum()), int((~positive).sum())
    if not p or not q:
        return Metric(name, math.nan)
    area = (float(rankdata(score)[positive].sum()) - p * (p + 1) / 2) / (p * q)
    low, high = _area_end(area, 0.0, p, q), _area_end(area, 1.0, p, q)
    return Metric(name, area, low, high)


def _area_end(area: float, end: float, p: int, q: int) -> float:
    """The end of the interval of an area towards 0 or 1: where the area found is 1.96 deviations away.

    With the variance of Hanley and McNeil (1982) at the end itself, so that an area of 1 is not taken for
    certain (Newcombe 2006, method 5).
    """
    inner, outer = area, end
    for _ in range(60):
        theta = (inner + outer) / 2
        more = ((p + q) / 2 - 1) * ((1 - theta) / (2 - theta) + theta / (1 + theta))
        far = abs(area - theta) > Z * math.sqrt(theta * (1 - theta) * (1 + more) / (p * q))
        inner, outer = (inner, theta) if far else (theta, outer)
    return outer
