"""Logistic regression in four formulas, for comparison with trees.

    sigma(z)  = 1 / (1 + e^-z)                                             the probability of class 1
    loss      = -y ln sigma(theta.x) - (1 - y) ln(1 - sigma(theta.x))      cross entropy in nats
    gradient  = (sigma(theta.x) - y) x
    step      : theta <- theta + eta (y - sigma(theta.x)) x

One idea: cross entropy is the loss whose gradient is simply "answer minus truth". With several rows (x a
table, y a column), loss and gradient are summed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hornbeam._base.types import Floats
from hornbeam.data.measure_checks import as_floats, as_given, fractions, number, numbers


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
    weights, table, truth = _checked(theta, x, y)
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
    weights, table, truth = _checked(theta, x, y)
    gradient: Floats = (logistic(table @ weights) - truth) @ table
    return gradient


def logistic_step(theta: Any, x: Any, y: Any, eta: float = 0.1) -> Floats:
    """The weights theta after one step of length `eta` down the gradient; otherwise as for the gradient.

    >>> logistic_step([0.5, -1], [2, 1], 1, eta=0.1)
    array([ 0.6 , -0.95])
    """
    length = number(eta, "eta", 0.0, float("inf"))
    return numbers(theta, "theta") - length * logistic_gradient(theta, x, y)


def _checked(theta: Any, x: Any, y: Any) -> tuple[Floats, Floats, Floats]:
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
