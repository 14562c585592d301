"""Errors of answers, the definition of overfitting, and the loss of logistic regression.

    error rate     share of rows with another class          mse     mean of (y - answer)^2
    log loss       mean of -ln P(true class), in nats        rmse    its root
                                                             mae     mean of |y - answer|

One idea: a model is judged on rows it has not seen. It is overfitted if another one is worse in training but
better on new rows; a tree that has memorised unrelated columns errs as often as two tosses of a coin differ.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from hornbeam._base.types import AnyArray, Floats
from hornbeam.data.measure_checks import (
    ROUNDING,
    as_floats,
    as_given,
    bits_per_unit,
    fractions,
    number,
    numbers,
    row_weight,
    same_length,
    weighted_mean,
)


def error_rate(y: Any, answers: Any, *, sample_weight: Any = None, counts: Any = None) -> float:
    """The share of rows whose answer is not their class.

    Parameters
    ----------
    y : column of classes
    answers : column of classes
        Labels, not probabilities: cut those first, `p > 0.5`.
    sample_weight, counts : column or None
        Weight and number of repetitions of each row.

    Examples
    --------
    >>> import numpy as np
    >>> p = np.array([0.8, 0.4, 0.3, 0.9])
    >>> error_rate([1, 0, 1, 1], p > 0.5)
    0.25
    """
    truth, labels = _labels(y, "y"), _labels(answers, "answers")
    same_length(len(truth), len(labels), "y", "answers")
    _refuse_probabilities(truth, labels)
    weight = row_weight(sample_weight, counts, len(truth))
    return weighted_mean(weight, np.array([float(a != b) for a, b in zip(truth, labels, strict=True)]))


def log_loss(
    y: Any,
    p: Any,
    *,
    classes: Sequence[Any] | None = None,
    base: float = math.e,
    sample_weight: Any = None,
    counts: Any = None,
) -> float:
    """The mean of -log P(true class), in nats unless `base` says otherwise.

    Parameters
    ----------
    y : column of classes, or one class
    p : probabilities
        One number for each row, the probability of the second class (of 1, of True); or a table with a column
        for each class, its rows adding up to 1.
    classes : sequence or None
        The classes in the order of the columns of p; None: those of y, sorted (0 and 1 for numbers 0 and 1).
    base : float
    sample_weight, counts : column or None
        Weight and number of repetitions of each row.

    Returns
    -------
    float
        Infinite if a true class was given no probability at all.

    Examples
    --------
    >>> round(log_loss([1, 0, 1, 1], [0.8, 0.4, 0.3, 0.9]), 6), round(log_loss(1, 0.8), 6)
    (0.510826, 0.223144)
    >>> round(log_loss(["a", "c"], [[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]], classes=["a", "b", "c"]), 6)
    0.458145
    """
    unit = bits_per_unit(base)
    truth = _labels([y] if np.ndim(y) == 0 else y, "y")
    table = _probabilities(p, len(truth))
    order = _class_order(truth, table.shape[1], classes)
    weight = row_weight(sample_weight, counts, len(truth))
    p_true = table[np.arange(len(truth)), [order[label] for label in truth]]
    counted = weight > 0
    with np.errstate(divide="ignore"):
        bits = -np.log2(p_true[counted])
    return weighted_mean(weight[counted], bits) / unit + 0.0  # a negative zero becomes zero


def mse(y: Any, answers: Any, *, sample_weight: Any = None, counts: Any = None) -> float:
    """Mean squared error of numbers; `sample_weight` and `counts` weigh the rows.

    >>> round(mse([1, 2, 4], [1, 3, 3]), 6)
    0.666667
    """
    away, weight = _differences(y, answers, sample_weight, counts)
    return weighted_mean(weight, away**2)


def rmse(y: Any, answers: Any, *, sample_weight: Any = None, counts: Any = None) -> float:
    """Root mean squared error of numbers; `sample_weight` and `counts` weigh the rows.

    >>> round(rmse([1, 2, 4], [1, 3, 3]), 6)
    0.816497
    """
    return math.sqrt(mse(y, answers, sample_weight=sample_weight, counts=counts))


def mae(y: Any, answers: Any, *, sample_weight: Any = None, counts: Any = None) -> float:
    """Mean absolute error of numbers; `sample_weight` and `counts` weigh the rows.

    >>> round(mae([1, 2, 4], [1, 3, 3]), 6)
    0.666667
    """
    away, weight = _differences(y, answers, sample_weight, counts)
    return weighted_mean(weight, np.abs(away))


def is_overfitted(h: Sequence[float], other: Sequence[float]) -> bool:
    """Whether `h` is overfitted with respect to `other`: better in training, worse on test rows.

    Parameters
    ----------
    h, other : pairs (training error, test error)

    Examples
    --------
    >>> is_overfitted((0.0, 0.37), (0.25, 0.25)), is_overfitted((0.1, 0.2), (0.1, 0.15))
    (True, False)
    """
    (training, test), (other_training, other_test) = _pair(h, "h"), _pair(other, "other")
    return training < other_training and test > other_test


def memorising_error(p: float) -> float:
    """2 p (1 - p): how often two independent labels of base rate `p` differ.

    That is the error on new rows of a tree that learned unrelated columns by heart; the majority leaf errs
    in a share min(p, 1 - p), which is never more.

    >>> memorising_error(0.25)
    0.375
    """
    rate = number(p, "p", 0.0, 1.0)
    return 2 * rate * (1 - rate)


# ---- reading rows ----------------------------------------------------------------------------------------


def _labels(values: Any, name: str) -> list[Any]:
    if isinstance(values, (str, bytes, dict)) or not hasattr(values, "__len__") or np.ndim(values) > 1:
        raise TypeError(f"{name} must be a column, one class for each row, not a {type(values).__name__}")
    labels: list[Any] = values.tolist() if hasattr(values, "tolist") else list(values)
    if not labels:
        raise ValueError(f"{name} has no rows; give at least one")
    for row, value in enumerate(labels):
        if value is None or type(value).__name__ == "NAType" or value != value:
            raise ValueError(f"{name}[{row}] is missing; drop the rows without a class")
    return labels


def _refuse_probabilities(truth: list[Any], answers: list[Any]) -> None:
    """Raise if answers are fractions, which look like probabilities, or text where classes are numbers."""
    known = set(truth)
    for row, value in enumerate(answers):
        if isinstance(value, float) and not value.is_integer() and value not in known:
            raise ValueError(
                f"answers[{row}]={value!r} is no class of y; cut probabilities first, such as p > 0.5"
            )
    if isinstance(truth[0], str) != isinstance(answers[0], str):
        raise TypeError(
            f"y holds {truth[0]!r} and answers {answers[0]!r}; both must be text, or both numbers"
        )


def _probabilities(p: Any, n_rows: int) -> Floats:
    table = fractions([p] if np.ndim(p) == 0 else p, "p")
    if table.ndim == 1:
        table = np.stack([1 - table, table], axis=1)
    if table.ndim != 2 or len(table) != n_rows:
        raise ValueError(
            f"p must have one row for each of the {n_rows} rows of y, but its shape is {np.shape(p)}"
        )
    off = np.flatnonzero(np.abs(table.sum(axis=1) - 1) > 1e-6)
    if len(off):
        raise ValueError(f"p[{off[0]}] adds up to {table[off[0]].sum():g}; the probabilities of a row make 1")
    return table


def _class_order(truth: list[Any], n_columns: int, classes: Sequence[Any] | None) -> dict[Any, int]:
    if classes is not None:
        names = list(classes)
    else:
        names = [0, 1] if n_columns == 2 and set(truth) <= {0, 1} else sorted(set(truth))
    if len(names) != n_columns:
        raise ValueError(
            f"p has the probabilities of {n_columns} classes, but there are {len(names)}"
            f" ({', '.join(map(repr, names[:8]))}); give `classes` in the order of the columns of p"
        )
    order = {name: place for place, name in enumerate(names)}
    unknown = [label for label in truth if label not in order]
    if unknown:
        raise ValueError(f"y holds {unknown[0]!r}, which is not among classes={names!r}")
    return order


def _differences(y: Any, answers: Any, sample_weight: Any, counts: Any) -> tuple[Floats, Floats]:
    truth, predicted = numbers(y, "y"), numbers(answers, "answers")
    same_length(len(truth), len(predicted), "y", "answers")
    return truth - predicted, row_weight(sample_weight, counts, len(truth))


def _pair(errors: Sequence[float], name: str) -> tuple[float, float]:
    array: AnyArray = as_floats(errors, name, "a pair (training error, test error)")
    if array.shape != (2,) or not (array >= -ROUNDING).all():
        raise ValueError(
            f"{name}={errors!r} must be a pair (training error, test error) of numbers of at least 0"
        )
    return float(array[0]), float(array[1])


# ---- logistic regression, for comparison with trees ------------------------------------------------------
#
#     sigma(z)  = 1 / (1 + e^-z)                                             the probability of class 1
#     loss      = -y ln sigma(theta.x) - (1 - y) ln(1 - sigma(theta.x))      cross entropy in nats
#     gradient  = (sigma(theta.x) - y) x
#     step      : theta <- theta + eta (y - sigma(theta.x)) x
#
# Cross entropy is the loss whose gradient is simply "answer minus truth". With several rows (x a table, y a
# column), loss and gradient are summed.


def logistic(x: Any) -> Any:
    """1 / (1 + e^-x), safe for large numbers; `x` is a number or an array.

    >>> logistic(0.0), logistic([-800.0, 800.0])
    (0.5, array([0., 1.]))
    """
    z = as_floats(x, "x", "the weighted sums")
    if np.isnan(z).any():
        raise ValueError("x holds nan; drop or fill the rows without a number")
    small = np.exp(-np.abs(z))  # at most 1, so nothing overflows
    return as_given(np.where(z >= 0, 1 / (1 + small), small / (1 + small)))


def logistic_loss(theta: Any, x: Any, y: Any) -> float:
    """The cross entropy, in nats, between the truth y and the answer sigma(theta.x).

    >>> round(logistic_loss([0.5, -1], [2, 1], 1), 6)
    0.693147
    """
    weights, table, truth = _check_rows(theta, x, y)
    z = table @ weights
    return float((np.logaddexp(0.0, z) - truth * z).sum())


def logistic_gradient(theta: Any, x: Any, y: Any) -> Floats:
    """The gradient (sigma(theta.x) - y) x of the loss in theta.

    Parameters
    ----------
    theta : sequence of numbers
        One weight for each input.
    x : sequence of numbers, or a table of rows
    y : 0 or 1 (or a probability), one for each row

    Examples
    --------
    >>> logistic_gradient([0.5, -1], [2, 1], 1)
    array([-1. , -0.5])
    """
    weights, table, truth = _check_rows(theta, x, y)
    gradient: Floats = (logistic(table @ weights) - truth) @ table
    return gradient


def logistic_step(theta: Any, x: Any, y: Any, eta: float = 0.1) -> Floats:
    """The weights theta after one step of length `eta` down the gradient; otherwise as for the gradient.

    >>> logistic_step([0.5, -1], [2, 1], 1, eta=0.1)
    array([ 0.6 , -0.95])
    """
    length = number(eta, "eta", 0.0, float("inf"))
    return numbers(theta, "theta") - length * logistic_gradient(theta, x, y)


def _check_rows(theta: Any, x: Any, y: Any) -> tuple[Floats, Floats, Floats]:
    weights = numbers(theta, "theta")
    table = np.atleast_2d(as_floats(x, "x", "the inputs of one row, or of several"))
    if table.ndim != 2 or table.shape[1] != len(weights):
        raise ValueError(
            f"x must have {len(weights)} numbers in a row, one for each of theta, but its shape is"
            f" {np.shape(x)}; add a column of ones for an intercept"
        )
    if not np.isfinite(table).all():
        raise ValueError("x holds nan or infinity; drop or fill such rows")
    truth = np.atleast_1d(fractions(y, "y"))
    if truth.shape != (len(table),):
        raise ValueError(f"y must hold one number for each of the {len(table)} rows, not {truth.shape}")
    return weights, table, truth
