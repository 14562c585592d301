"""The metrics of answers, each with an interval; and the differences of two models' answers.

    classes   accuracy, balanced_accuracy, auc, log_loss, brier
    numbers   rmse, mae, r2, bias
    survival  concordance, integrated_brier (`hornbeam.evaluation.survival_metrics`)

AUC is the probability that of two rows, one of the class and one not, the first gets the larger probability
of it (ties count a half). Its interval follows from what each row moves it by (DeLong, DeLong &
Clarke-Pearson 1988). With more than two classes it is the mean over the classes, each against the rest.

A metric is a function of answers; CLASS_METRICS and REAL_METRICS list them. The difference of two models on
the same rows has its own interval: a row moves it by the difference of its two losses, and rows that both
models answer alike move nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple, TypeVar

import numpy as np

from hornbeam._base.parameters import did_you_mean
from hornbeam._base.types import Bools, Floats, Longs, Task
from hornbeam.evaluation import estimate_intervals as intervals
from hornbeam.evaluation.estimate_intervals import Estimate
from hornbeam.evaluation.predictions import Answers
from hornbeam.evaluation.survival_metrics import concordance_estimate, integrated_estimate

T = TypeVar("T")
Measure = Callable[[Answers, float], Estimate | None]
Difference = Callable[[Answers, Answers, float], tuple[Estimate, float | None]]

_LEAST = float(np.finfo(np.float64).eps)  # a probability of 0 is taken for this in the log loss


def row_log_loss(answers: Answers) -> Floats:
    """-ln P(true class) of each row."""
    assert answers.shares is not None
    own = answers.shares[np.arange(len(answers.truth)), answers.truth]
    losses: Floats = -np.log(np.clip(own, _LEAST, 1.0))
    return losses


def row_brier(answers: Answers) -> Floats:
    """The squared distance between probabilities and truth; of two classes half of it, as is usual."""
    assert answers.shares is not None
    truth = np.eye(len(answers.classes))[answers.truth]
    distances: Floats = ((answers.shares - truth) ** 2).sum(axis=1)
    return distances / 2 if len(answers.classes) <= 2 else distances


def _accuracy(answers: Answers, confidence: float) -> Estimate:
    right = answers.truth == answers.predicted
    share = float(answers.weight[right].sum() / answers.weight.sum())
    return intervals.wilson(share, intervals.effective(answers.weight), confidence)


def _balanced(answers: Answers, confidence: float) -> Estimate:
    """The mean recall of the classes that occur; one of few rows widens the interval."""
    w, right = answers.weight, answers.truth == answers.predicted
    recalls = []
    for k in range(len(answers.classes)):
        own = answers.truth == k
        if (total := float(w[own].sum())) > 0:
            recalls.append(
                intervals.wilson(float(w[own & right].sum()) / total, intervals.effective(w[own]), confidence)
            )
    return intervals.mean_of_shares(recalls)


def row_errors(answers: Answers) -> Floats:
    """1 for each row answered wrongly."""
    wrong: Floats = (answers.truth != answers.predicted).astype(np.float64)
    return wrong


def row_distances(answers: Answers) -> Floats:
    """How far the answer is from the truth."""
    distances: Floats = np.abs(answers.truth - answers.predicted)
    return distances


def row_squares(answers: Answers) -> Floats:
    """The squared distance between answer and truth."""
    squares: Floats = (answers.truth - answers.predicted) ** 2
    return squares


RowLoss = Callable[[Answers], Floats]


def _mean_loss(loss: RowLoss) -> Measure:
    """The metric that is the mean loss of the rows; it is never below 0."""

    def measure(answers: Answers, confidence: float) -> Estimate:
        mean = intervals.mean_of(loss(answers), answers.weight, confidence)
        return mean if mean.low is None else replace(mean, low=max(mean.low, 0.0))

    return measure


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
    below = (np.cumsum(outside) - outside / 2) / all_out  # share of the other rows below each score
    above = (all_in - np.cumsum(inside) + inside / 2) / all_in  # share of the class above each score
    auc = float(inside @ below) / all_in
    influence = np.where(own, weight * (below[place] - auc) / all_in, weight * (above[place] - auc) / all_out)
    return auc, influence


def _auc(answers: Answers, confidence: float) -> Estimate | None:
    """None where only one class occurs."""
    assert answers.shares is not None
    w, k = answers.weight, len(answers.classes)
    aucs, influence, smallest = [], np.zeros(len(w)), math.inf
    for label in [1] if k == 2 else range(k):
        own = answers.truth == label
        if not w[own].sum() > 0 or not w[~own].sum() > 0:
            continue
        auc, moves = one_auc(answers.shares[:, label], own, w)
        aucs.append(auc)
        influence += moves
        smallest = min(smallest, intervals.effective(w[own]), intervals.effective(w[~own]))
    if not aucs:
        return None
    error = intervals.error_of(influence) / len(aucs)
    return intervals.within_unit(math.fsum(aucs) / len(aucs), error, smallest, confidence)


# ---- numbers -----------------------------------------------------------------------------------------------


def squared_error(answers: Answers) -> tuple[float, Floats]:
    """The mean squared error, and what each row moves it by."""
    squares, share = row_squares(answers), answers.weight / answers.weight.sum()
    mse = float(share @ squares)
    return mse, share * (squares - mse)


def _rmse(answers: Answers, confidence: float) -> Estimate:
    mse, influence = squared_error(answers)
    root = math.sqrt(mse)
    return intervals.above_zero(
        root, intervals.error_of(influence) / (2 * root) if root > 0 else 0.0, confidence
    )


def _r2(answers: Answers, confidence: float) -> Estimate | None:
    """1 - MSE / variance, on the log scale of MSE / variance; None if all rows have the same truth."""
    share = answers.weight / answers.weight.sum()
    gap = answers.truth - float(share @ answers.truth)
    variance = float(share @ gap**2)
    if not variance > 0:
        return None
    mse, moves = squared_error(answers)
    influence = moves / variance - mse / variance**2 * share * (gap**2 - variance)
    rest = intervals.above_zero(mse / variance, intervals.error_of(influence), confidence)
    if rest.low is None or rest.high is None:
        return Estimate(1 - rest.value)
    return Estimate(1 - rest.value, 1 - rest.high, 1 - rest.low)


def _bias(answers: Answers, confidence: float) -> Estimate:
    return intervals.mean_of(answers.predicted - answers.truth, answers.weight, confidence)


def metric_named(name: str, metrics: Mapping[str, T]) -> T:
    """Look up a metric; raise a ValueError that lists the metrics there are."""
    if name in metrics:
        return metrics[name]
    known = ", ".join(metrics)
    raise ValueError(
        f"the metric {name!r} is not known here{did_you_mean(name, metrics)}: use one of {known}"
    )


def confusion(answers: Answers) -> Floats:
    """The weight of every pair of true class (row) and answer (column)."""
    k = len(answers.classes)
    cells: Longs = answers.truth * k + answers.predicted
    return np.bincount(cells, weights=answers.weight, minlength=k * k).reshape(k, k).astype(np.float64)


# ---- differences of two models on the same rows ------------------------------------------------------------


def align_classes(first: Answers, second: Answers) -> tuple[Answers, Answers]:
    """Give both the classes of the first, then those that only the second knows."""
    classes = first.classes + tuple(label for label in second.classes if label not in first.classes)
    return first.recode(classes), second.recode(classes)


def canonical_rows(first: Answers, second: Answers) -> tuple[Longs, Longs]:
    """The rows that count; and those in an order that depends on their contents only."""
    rows = np.flatnonzero(first.weight > 0)
    shares = [] if first.shares is None or second.shares is None else [*first.shares.T, *second.shares.T]
    keys = [key[rows] for key in (*shares, second.predicted, first.predicted, first.weight, first.truth)]
    return rows, rows[np.lexsort(keys)]


def _accuracy_difference(a: Answers, b: Answers, confidence: float) -> tuple[Estimate, float | None]:
    right_a, right_b = a.truth == a.predicted, b.truth == b.predicted
    only_a, only_b = int((right_a & ~right_b).sum()), int((right_b & ~right_a).sum())
    if (a.weight == a.weight[0]).all():
        difference = intervals.paired_shares(only_a, only_b, len(a.truth), confidence)
    else:
        difference = intervals.mean_of(right_b.astype(np.float64) - right_a, a.weight, confidence)
    return difference, intervals.mcnemar(only_a, only_b)


def _mean_difference(loss: RowLoss) -> Difference:
    """The mean difference of the rows' losses, and the p of Student's paired test."""

    def difference(a: Answers, b: Answers, confidence: float) -> tuple[Estimate, float | None]:
        rises = loss(b) - loss(a)
        mean = intervals.mean_of(rises, a.weight, confidence)
        moves = a.weight / a.weight.sum() * (rises - mean.value)
        return mean, _two_sided(mean.value, intervals.error_of(moves))

    return difference


def _two_sided(value: float, error: float) -> float | None:
    if math.isnan(error):
        return None
    if error == 0:
        return 1.0 if value == 0 else 0.0
    return math.erfc(abs(value / error) / math.sqrt(2))


def _rmse_difference(a: Answers, b: Answers, confidence: float) -> tuple[Estimate, float | None]:
    (mse_a, moves_a), (mse_b, moves_b) = squared_error(a), squared_error(b)
    root_a, root_b = math.sqrt(mse_a), math.sqrt(mse_b)
    value = root_b - root_a
    moves = np.zeros(len(moves_a))
    moves += moves_b / (2 * root_b) if root_b > 0 else 0.0
    moves -= moves_a / (2 * root_a) if root_a > 0 else 0.0
    error = intervals.error_of(moves)
    if math.isnan(error):
        return Estimate(value), None
    half = intervals.deviate(confidence) * error
    return Estimate(value, value - half, value + half), _two_sided(value, error)


class Metric(NamedTuple):
    """How a metric is computed, how it is called, whether more of it is better, and how two models differ."""

    measure: Measure
    about: str
    rising: bool
    difference: Difference | None = None


CLASS_METRICS: Mapping[str, Metric] = {
    "accuracy": Metric(_accuracy, "accuracy", rising=True, difference=_accuracy_difference),
    "balanced_accuracy": Metric(_balanced, "balanced accuracy", rising=True),
    "auc": Metric(_auc, "AUC", rising=True),
    "log_loss": Metric(
        _mean_loss(row_log_loss), "log loss", rising=False, difference=_mean_difference(row_log_loss)
    ),
    "brier": Metric(_mean_loss(row_brier), "Brier score", rising=False),
}
REAL_METRICS: Mapping[str, Metric] = {
    "rmse": Metric(_rmse, "RMSE", rising=False, difference=_rmse_difference),
    "mae": Metric(_mean_loss(row_distances), "MAE", rising=False, difference=_mean_difference(row_distances)),
    "r2": Metric(_r2, "R2", rising=True),
    "bias": Metric(_bias, "mean bias", rising=False),
}


SURVIVAL_METRICS: Mapping[str, Metric] = {
    "concordance": Metric(concordance_estimate, "concordance", rising=True),
    "integrated_brier": Metric(integrated_estimate, "integrated Brier", rising=False),
}
METRICS: Mapping[str, Mapping[str, Metric]] = {
    Task.CLASSES: CLASS_METRICS,
    Task.REAL: REAL_METRICS,
    Task.SURVIVAL: SURVIVAL_METRICS,
}


def metrics_of(answers: Answers) -> Mapping[str, Metric]:
    """The metrics that answers of this kind have."""
    if answers.grid is not None:
        return SURVIVAL_METRICS
    return REAL_METRICS if answers.is_real else CLASS_METRICS


def measure(answers: Answers, confidence: float) -> dict[str, Estimate]:
    """Compute all metrics of some answers; those that have no meaning for them are left out."""
    answers = answers.canonical()
    estimates = {name: metric.measure(answers, confidence) for name, metric in metrics_of(answers).items()}
    return {name: value for name, value in estimates.items() if value is not None}
