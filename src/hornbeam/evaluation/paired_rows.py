"""Pairing: two models' answers to the same rows, and what one gains on the other, row by row.

One idea: a row moves a difference by the difference of its losses; rows that both answer alike move nothing.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hornbeam._base.types import Floats, Longs
from hornbeam.evaluation.estimate_intervals import (
    Estimate,
    deviate,
    error_of,
    mcnemar,
    mean_of,
    paired_shares,
)
from hornbeam.evaluation.metrics import row_log_loss, squared
from hornbeam.evaluation.predictions import Answers


def in_one_order(first: Answers, second: Answers) -> tuple[Answers, Answers]:
    """Both with the classes of the first, then those that only the second knows."""
    if first.is_real or first.classes == second.classes:
        return first, second
    classes = first.classes + tuple(label for label in second.classes if label not in first.classes)
    return _recoded(first, classes), _recoded(second, classes)


def _recoded(answers: Answers, classes: tuple[Any, ...]) -> Answers:
    assert answers.shares is not None
    place = np.array([classes.index(label) for label in answers.classes], dtype=np.int64)
    shares = np.zeros((len(answers.truth), len(classes)))
    shares[:, place] = answers.shares
    return Answers(classes, place[answers.truth], place[answers.said], shares, answers.weight)


def canonical(first: Answers, second: Answers) -> tuple[Longs, Longs]:
    """The rows that count; and those in an order that depends on their contents only."""
    rows = np.flatnonzero(first.weight > 0)
    shares = [] if first.shares is None or second.shares is None else [*first.shares.T, *second.shares.T]
    keys = [key[rows] for key in (*shares, second.said, first.said, first.weight, first.truth)]
    return rows, rows[np.lexsort(keys)]


def _accuracy(a: Answers, b: Answers, confidence: float) -> tuple[Estimate, float | None]:
    right_a, right_b = a.truth == a.said, b.truth == b.said
    only_a, only_b = int((right_a & ~right_b).sum()), int((right_b & ~right_a).sum())
    if (a.weight == a.weight[0]).all():
        found = paired_shares(only_a, only_b, len(a.truth), confidence)
    else:
        found = mean_of(right_b.astype(np.float64) - right_a, a.weight, confidence)
    return found, mcnemar(only_a, only_b)


def _mean(differences: Floats, weight: Floats, confidence: float) -> tuple[Estimate, float | None]:
    """The mean difference and the p of Student's paired test."""
    found = mean_of(differences, weight, confidence)
    moves = weight / weight.sum() * (differences - found.value)
    return found, _two_sided(found.value, error_of(moves))


def _two_sided(value: float, error: float) -> float | None:
    if math.isnan(error):
        return None
    if error == 0:
        return 1.0 if value == 0 else 0.0
    return math.erfc(abs(value / error) / math.sqrt(2))


def _log_loss(a: Answers, b: Answers, confidence: float) -> tuple[Estimate, float | None]:
    return _mean(row_log_loss(b) - row_log_loss(a), a.weight, confidence)


def _mae(a: Answers, b: Answers, confidence: float) -> tuple[Estimate, float | None]:
    return _mean(np.abs(b.truth - b.said) - np.abs(a.truth - a.said), a.weight, confidence)


def _rmse(a: Answers, b: Answers, confidence: float) -> tuple[Estimate, float | None]:
    (mse_a, moves_a), (mse_b, moves_b) = squared(a), squared(b)
    root_a, root_b = math.sqrt(mse_a), math.sqrt(mse_b)
    value = root_b - root_a
    moves = np.zeros(len(moves_a))
    moves += moves_b / (2 * root_b) if root_b > 0 else 0.0
    moves -= moves_a / (2 * root_a) if root_a > 0 else 0.0
    error = error_of(moves)
    if math.isnan(error):
        return Estimate(value), None
    half = deviate(confidence) * error
    return Estimate(value, value - half, value + half), _two_sided(value, error)


CLASS_PAIRS = {"accuracy": _accuracy, "log_loss": _log_loss}
REAL_PAIRS = {"rmse": _rmse, "mae": _mae}
