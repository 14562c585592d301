"""Plan: everything growth needs, resolved; and the limits, the numbers that stop growth.

An estimator's slots and numbers are turned into this record once; whatever method grows a tree
reads nothing else. A number that a user gives is checked once, here, with one sentence that
says what is allowed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

from hornbeam._base.parameters import is_number, is_whole
from hornbeam.growing.criteria import Criterion
from hornbeam.growing.leaves import Constant, LeafModel
from hornbeam.growing.missing import MissingPolicy
from hornbeam.growing.monotonic import Constraints
from hornbeam.growing.selections import Best, Selection
from hornbeam.growing.splits import Splitting

_LARGEST = 2**31 - 1  # what the core counts nodes with


@dataclass(frozen=True)
class Plan:
    """Criterion, splits, missing values, selection, leaves, limits, seed."""

    criterion: Criterion
    split: Splitting
    missing: MissingPolicy
    limits: Mapping[str, Any] = field(default_factory=dict)
    max_features: int = 0
    constraints: Constraints = field(default_factory=Constraints)
    seed: int = 0
    n_jobs: int | None = None
    selection: Selection = field(default_factory=Best)
    leaf: LeafModel = field(default_factory=Constant)
    method: str | None = (
        None  # how tests are chosen, by its name in `grower.METHODS`; None: as the parts need
    )


def limits_of(estimator: Any, n_rows: int) -> dict[str, Any]:
    """The limits of an estimator as the core counts them; those that do not bind are left out.

    `n_rows` is the number of rows a share is a share of.
    """
    out: dict[str, Any] = {}
    for name, core_name, least in (
        ("max_depth", "max_depth", 0),
        ("max_leaf_nodes", "max_leaves", 1),
        ("max_nodes", "max_nodes", 1),
    ):
        value = getattr(estimator, name, None)
        if value is not None:
            out[core_name] = _whole(name, value, least)
    out["min_rows_split"] = _rows(estimator, "min_samples_split", n_rows, least=2)
    out["min_rows_leaf"] = _rows(estimator, "min_samples_leaf", n_rows, least=1)
    if hasattr(estimator, "min_weight_fraction_leaf"):
        out["min_weight_fraction"] = _number(
            estimator, "min_weight_fraction_leaf", lambda x: 0 <= x <= 0.5, "a number from 0 to 0.5"
        )
    if estimator.min_gain is not None:
        out["min_gain"] = _number(estimator, "min_gain", lambda _: True, "a number, or None for no limit")
    for name in ("min_impurity_decrease", "min_variation", "min_sd_share"):
        if hasattr(estimator, name):
            out[name] = _number(estimator, name, _positive, "a number, 0 or more")
    return out


def _is_share(value: Any) -> bool:
    return is_number(value) and not isinstance(value, Integral) and 0 < value <= 1


def _positive(x: float) -> bool:
    return x >= 0


def _whole(name: str, value: Any, least: int) -> int:
    if not is_whole(value) or value < least:
        raise ValueError(f"{name}={value!r} must be a whole number of at least {least}, or None for no limit")
    return min(int(value), _LARGEST)


def _rows(estimator: Any, name: str, n_rows: int, least: int) -> int:
    value = getattr(estimator, name)
    if is_whole(value) and value >= 1:
        return min(max(int(value), least), 2**62)
    if _is_share(value):
        return max(math.ceil(float(value) * n_rows), least)
    raise ValueError(
        f"{name}={value!r} must be a whole number of at least 1, or a share of the rows above 0 and up to 1.0"
    )


def _number(estimator: Any, name: str, allowed: Callable[[float], bool], words: str) -> float:
    value = getattr(estimator, name)
    if not is_number(value) or not allowed(float(value)):
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
    if is_whole(max_features) and max_features >= 1:
        return 0 if max_features >= n_columns else int(max_features)
    if _is_share(max_features):
        return 0 if max_features == 1 else max(1, int(float(max_features) * n_columns))
    raise ValueError(
        f"max_features={max_features!r} must be None, 'sqrt', 'log2', a whole number of at least 1, or a"
        " share of the columns above 0 and up to 1.0"
    )


def check_n_jobs(n_jobs: Any) -> None:
    """Raise unless `n_jobs` is a whole number other than 0, or None."""
    if n_jobs is not None and (not is_whole(n_jobs) or n_jobs == 0):
        raise ValueError(f"n_jobs={n_jobs!r} must be a whole number other than 0, or None for all cores")
