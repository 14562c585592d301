"""Metrics: what is measured about answers, each with an interval.

    classes   accuracy, balanced_accuracy, auc, log_loss, brier
    numbers   rmse, mae, r2, bias

AUC is the probability that of two rows, one of the class and one not, the first gets the larger probability
of it (ties count a half). Its interval follows from what each row moves it by (DeLong, DeLong &
Clarke-Pearson 1988). With more than two classes it is the mean over the classes, each against the rest.

One idea: a metric is a function of answers; the table below is the list of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from hornbeam._base.types import Bools, Floats, Longs
from hornbeam.evaluation.estimate_intervals import (
    Estimate,
    above_zero,
    effective,
    error_of,
    mean_of,
    mean_of_shares,
    wilson,
    within_unit,
)
from hornbeam.evaluation.predictions import Answers

_LEAST = float(np.finfo(np.float64).eps)  # a probability of 0 is taken for this in the log loss


def row_log_loss(answers: Answers) -> Floats:
    """-ln P(true class) of each row."""
    assert answers.shares is not None
    own = answers.shares[np.arange(len(answers.truth)), answers.truth]
    found: Floats = -np.log(np.clip(own, _LEAST, 1.0))
    return found


def row_brier(answers: Answers) -> Floats:
    """The squared distance between probabilities and truth; of two classes half of it, as is usual."""
    assert answers.shares is not None
    truth = np.eye(len(answers.classes))[answers.truth]
    found: Floats = ((answers.shares - truth) ** 2).sum(axis=1)
    return found / 2 if len(answers.classes) <= 2 else found


def _accuracy(answers: Answers, confidence: float) -> Estimate:
    right = answers.truth == answers.said
    share = float(answers.weight[right].sum() / answers.weight.sum())
    return wilson(share, effective(answers.weight), confidence)


def _balanced(answers: Answers, confidence: float) -> Estimate:
    """The mean recall of the classes that occur; one of few rows widens the interval."""
    w, right = answers.weight, answers.truth == answers.said
    recalls = []
    for k in range(len(answers.classes)):
        own = answers.truth == k
        if (total := float(w[own].sum())) > 0:
            recalls.append(wilson(float(w[own & right].sum()) / total, effective(w[own]), confidence))
    return mean_of_shares(recalls)


def _log_loss(answers: Answers, confidence: float) -> Estimate:
    return _floored(mean_of(row_log_loss(answers), answers.weight, confidence))


def _brier(answers: Answers, confidence: float) -> Estimate:
    return _floored(mean_of(row_brier(answers), answers.weight, confidence))


def _floored(found: Estimate) -> Estimate:
    """A loss is never below 0."""
    return found if found.low is None else Estimate(found.value, max(found.low, 0.0), found.high)


def one_auc(score: Floats, own: Bools, weight: Floats) -> tuple[float, Floats]:
    """AUC of a score for the rows of a class, and what each row moves it by.

    >>> one_auc(np.array([0.1, 0.4, 0.35, 0.8]), np.array([False, False, True, True]), np.ones(4))[0]
    0.75
    """
    values, place = np.unique(score, return_inverse=True)
    place = place.reshape(-1)
    n = len(values)
    inside = np.bincount(place, weights=weight * own, minlength=n)
    outside = np.bincount(place, weights=weight * ~own, minlength=n)
    all_in, all_out = float(inside.sum()), float(outside.sum())
    beaten = (np.cumsum(outside) - outside / 2) / all_out  # by a row of the class with this score
    lost = (all_in - np.cumsum(inside) + inside / 2) / all_in  # to rows of the class
    auc = float(inside @ beaten) / all_in
    influence = np.where(own, weight * (beaten[place] - auc) / all_in, weight * (lost[place] - auc) / all_out)
    return auc, influence


def _auc(answers: Answers, confidence: float) -> Estimate | None:
    """None where only one class occurs."""
    assert answers.shares is not None
    w, k = answers.weight, len(answers.classes)
    asked = [1] if k == 2 else range(k)
    found, influence, smallest = [], np.zeros(len(w)), math.inf
    for label in asked:
        own = answers.truth == label
        if not w[own].sum() > 0 or not w[~own].sum() > 0:
            continue
        auc, moves = one_auc(answers.shares[:, label], own, w)
        found.append(auc)
        influence += moves
        smallest = min(smallest, effective(w[own]), effective(w[~own]))
    if not found:
        return None
    error = error_of(influence) / len(found)
    return within_unit(math.fsum(found) / len(found), error, smallest, confidence)


# ---- numbers -----------------------------------------------------------------------------------------------


def _residuals(answers: Answers) -> tuple[Floats, Floats]:
    """Truth less answer, and shares of the weight."""
    away: Floats = answers.truth - answers.said
    return away, answers.weight / answers.weight.sum()


def squared(answers: Answers) -> tuple[float, Floats]:
    """The mean squared error, and what each row moves it by."""
    away, share = _residuals(answers)
    mse = float(share @ away**2)
    return mse, share * (away**2 - mse)


def _rmse(answers: Answers, confidence: float) -> Estimate:
    mse, influence = squared(answers)
    root = math.sqrt(mse)
    return above_zero(root, error_of(influence) / (2 * root) if root > 0 else 0.0, confidence)


def _mae(answers: Answers, confidence: float) -> Estimate:
    away, _ = _residuals(answers)
    return _floored(mean_of(np.abs(away), answers.weight, confidence))


def _r2(answers: Answers, confidence: float) -> Estimate | None:
    """1 - MSE / variance, on the log scale of MSE / variance; None if all rows have the same truth."""
    share = answers.weight / answers.weight.sum()
    gap = answers.truth - float(share @ answers.truth)
    variance = float(share @ gap**2)
    if not variance > 0:
        return None
    mse, moves = squared(answers)
    influence = moves / variance - mse / variance**2 * share * (gap**2 - variance)
    rest = above_zero(mse / variance, error_of(influence), confidence)
    if rest.low is None or rest.high is None:
        return Estimate(1 - rest.value)
    return Estimate(1 - rest.value, 1 - rest.high, 1 - rest.low)


def _bias(answers: Answers, confidence: float) -> Estimate:
    away, _ = _residuals(answers)
    return mean_of(-away, answers.weight, confidence)


class Metric(NamedTuple):
    """How a metric is computed, how it is called, and whether more of it is better."""

    measure: Callable[[Answers, float], Estimate | None]
    about: str
    rising: bool


CLASS_METRICS: Mapping[str, Metric] = {
    "accuracy": Metric(_accuracy, "accuracy", rising=True),
    "balanced_accuracy": Metric(_balanced, "balanced accuracy", rising=True),
    "auc": Metric(_auc, "AUC", rising=True),
    "log_loss": Metric(_log_loss, "log loss", rising=False),
    "brier": Metric(_brier, "Brier score", rising=False),
}
REAL_METRICS: Mapping[str, Metric] = {
    "rmse": Metric(_rmse, "RMSE", rising=False),
    "mae": Metric(_mae, "MAE", rising=False),
    "r2": Metric(_r2, "R2", rising=True),
    "bias": Metric(_bias, "mean bias", rising=False),
}


def metrics_of(answers: Answers) -> Mapping[str, Metric]:
    """The metrics that answers of this kind have."""
    return REAL_METRICS if answers.is_real else CLASS_METRICS


def measured(answers: Answers, confidence: float) -> dict[str, Estimate]:
    """All metrics of some answers; those that have no meaning for them are left out."""
    answers = answers.canonical()
    found = {name: metric.measure(answers, confidence) for name, metric in metrics_of(answers).items()}
    return {name: value for name, value in found.items() if value is not None}


def confusion(answers: Answers) -> Floats:
    """The weight of every pair of true class (row) and answer (column)."""
    k = len(answers.classes)
    cells: Longs = answers.truth * k + answers.said
    return np.bincount(cells, weights=answers.weight, minlength=k * k).reshape(k, k).astype(np.float64)
