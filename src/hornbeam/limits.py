"""Limits: the numbers that stop growth, checked at the door and turned into what the core counts.

One idea: a number a user gives is checked once, here, with one sentence that says what is allowed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_random_state


def limits_of(estimator: Any, n_rows: int) -> dict[str, Any]:
    """The limits of an estimator as the core counts them; those that do not bind are left out."""
    out: dict[str, Any] = {}
    for name, core_name, least in (
        ("max_depth", "max_depth", 0),
        ("max_leaf_nodes", "max_leaves", 1),
        ("max_nodes", "max_nodes", 1),
    ):
        value = _whole_or_none(estimator, name, least)
        if value is not None:
            out[core_name] = min(value, 2**31 - 1)
    out["min_rows_split"] = _rows(estimator, "min_samples_split", n_rows, least=2)
    out["min_rows_leaf"] = _rows(estimator, "min_samples_leaf", n_rows, least=1)
    out["min_weight_fraction"] = _number(estimator, "min_weight_fraction_leaf", lambda x: 0 <= x <= 0.5, "from 0 to 0.5")
    out["min_impurity_decrease"] = _number(estimator, "min_impurity_decrease", lambda x: x >= 0, "0 or more")
    if estimator.min_gain is not None:
        out["min_gain"] = _number(estimator, "min_gain", lambda x: x == x, "a number, or None for no limit")
    for name in ("min_variation", "min_sd_share"):
        if hasattr(estimator, name):
            out[name] = _number(estimator, name, lambda x: x >= 0, "0 or more")
    return out


def _whole_or_none(estimator: Any, name: str, least: int) -> int | None:
    value = getattr(estimator, name)
    if value is None:
        return None
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise ValueError(f"{name}={value!r} must be a whole number of at least {least}, or None for no limit")
    return int(value)


def _rows(estimator: Any, name: str, n_rows: int, least: int) -> int:
    value = getattr(estimator, name)
    if isinstance(value, Integral) and not isinstance(value, bool) and value >= 1:
        return max(int(value), least)
    if isinstance(value, Real) and not isinstance(value, Integral) and 0 < value <= 1:
        return max(math.ceil(float(value) * n_rows), least)
    raise ValueError(
        f"{name}={value!r} must be a whole number of at least 1, or a share of the rows above 0 and up to 1.0"
    )


def _number(estimator: Any, name: str, allowed: Callable[[float], bool], words: str) -> float:
    value = getattr(estimator, name)
    if not isinstance(value, Real) or isinstance(value, bool) or math.isnan(value) or not allowed(float(value)):
        raise ValueError(f"{name}={value!r} must be {words}")
    return float(value)


def features_wanted(max_features: Any, n_columns: int) -> int:
    """How many columns a node searches; 0 stands for all.

    >>> features_wanted("sqrt", 20)
    4
    """
    if max_features is None:
        return 0
    if isinstance(max_features, str) and max_features in ("sqrt", "log2"):
        root = math.sqrt(n_columns) if max_features == "sqrt" else math.log2(n_columns)
        return max(1, int(root))
    if isinstance(max_features, Integral) and not isinstance(max_features, bool) and max_features >= 1:
        return min(int(max_features), n_columns)
    if isinstance(max_features, Real) and not isinstance(max_features, Integral) and 0 < max_features <= 1:
        return max(1, int(max_features * n_columns))
    raise ValueError(
        f"max_features={max_features!r} must be None, 'sqrt', 'log2', a whole number of at least 1, or a share"
        " of the columns above 0 and up to 1.0"
    )


def seed_of(random_state: Any) -> int:
    """A 63-bit seed from anything scikit-learn accepts as a random state.

    >>> seed_of(5) == seed_of(5)
    True
    """
    if random_state is None:
        return 0
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63 - 1))
    return int(check_random_state(random_state).randint(2**31 - 1))


def check_n_jobs(n_jobs: Any) -> None:
    """Raise unless `n_jobs` is a whole number other than 0, or None."""
    if n_jobs is None:
        return
    if not isinstance(n_jobs, Integral) or isinstance(n_jobs, bool) or n_jobs == 0:
        raise ValueError(f"n_jobs={n_jobs!r} must be a whole number other than 0, or None for all cores")
