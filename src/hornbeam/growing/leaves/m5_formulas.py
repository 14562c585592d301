"""M5's two formulas: the factor of errors and the smoothing of predictions (Quinlan 1992).

factor     (n + v) / (n - v)               n training rows, v parameters; Weka has (n + 2 v) / (n - v)
smoothed   (n p + k q) / (n + k)           p from a node of n rows below, q by the node's own model
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hornbeam.data.measure_checks import as_floats, as_given
from hornbeam.growing.leaves.fit_equations import FACTORS

_CAUTION = 10.0  # Weka's factor where there are no more rows than parameters


def m5_factor(n: Any, v: Any, factor: str = "quinlan") -> Any:
    """By what M5 multiplies the error that a model of v parameters makes on its n training rows.

    (n + v) / (n - v) by Quinlan, (n + 2 v) / (n - v) by Weka. With no more rows than parameters it is
    infinite; Weka's is 10 there. `n` and `v` are numbers or arrays.

    >>> round(m5_factor(20, 2), 6), m5_factor(6, 3), m5_factor(2, 2), m5_factor(21, 3, "weka")
    (1.222222, 3.0, inf, 1.5)
    """
    check_factor(factor)
    rows, size = as_floats(n, "n", "numbers of rows"), as_floats(v, "v", "numbers of parameters")
    if not ((rows >= 0).all() and (size >= 0).all()):
        raise ValueError(f"n={n!r} and v={v!r} must be numbers of at least 0: rows, and parameters")
    many = rows > size
    found = (rows + FACTORS[factor] * size) / np.where(many, rows - size, 1.0)
    return as_given(np.where(many, found, _CAUTION if factor == "weka" else np.inf))


def m5_smooth(p: Any, q: Any, n: Any, k: float = 15.0) -> Any:
    """The prediction M5 passes up from a node: (n p + k q) / (n + k).

    p comes from the node below, which has n training rows; q is what the node's own model says.

    >>> m5_smooth(10, 16, n=5)
    14.5
    """
    rows = as_floats(n, "n", "numbers of rows")
    if not (rows >= 0).all() or not k >= 0 or not (rows + k > 0).all():
        raise ValueError(f"n={n!r} and k={k!r} must be numbers of at least 0, not both 0")
    below, own = as_floats(p, "p", "predictions"), as_floats(q, "q", "predictions")
    return as_given((rows * below + k * own) / (rows + k))


def check_factor(factor: Any) -> None:
    """Raise unless the factor has one of the two names."""
    if not isinstance(factor, str) or factor not in FACTORS:
        raise ValueError(f"factor={factor!r} must be one of {', '.join(map(repr, FACTORS))}")
