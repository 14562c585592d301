"""Checks of what the measures accept: groups of counts, fractions, logarithm bases, numbers.

One idea: counts and probabilities are the same thing up to scale, so a group is any row of numbers of at
least 0 that are not all 0. What lies below 0 or above 1 by rounding only is moved to the border.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from hornbeam._base.parameters import is_number
from hornbeam._base.types import Floats
from hornbeam.data.frames import refuse_sparse
from hornbeam.data.weights_and_costs import check_some_row_counts, row_counts, sample_weights

ROUNDING = 1e-12  # a number this far outside its range, relative to the largest, is taken for rounding


def as_floats(values: Any, name: str, meaning: str) -> Floats:
    """Numbers as a float64 array of any shape; `meaning` says what they should have been."""
    refuse_sparse(values, name)
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "biuf":
            array = np.array(array.tolist(), dtype=np.float64 if array.dtype.kind == "O" else None)
        if array.dtype.kind not in "biuf" or _holds_text(values):
            raise TypeError
    except (TypeError, ValueError):
        raise TypeError(f"{name} must hold numbers, {meaning}, not {_kind(values)}") from None
    return array.astype(np.float64)


def numbers(values: Any, name: str) -> Floats:
    """One finite number for each row."""
    array = np.atleast_1d(as_floats(values, name, "one for each row"))
    if array.ndim != 1 or not len(array):
        raise ValueError(f"{name} must be a column of at least one number, but its shape is {array.shape}")
    wrong = np.flatnonzero(~np.isfinite(array))
    if len(wrong):
        fault = "is missing" if math.isnan(array[wrong[0]]) else "is infinite"
        raise ValueError(f"{name}[{wrong[0]}] {fault}; drop the rows without a finite number")
    return array


def non_negative(array: Floats, name: str, meaning: str) -> Floats:
    """The same numbers if all are finite and at least 0, and some are positive."""
    wrong = np.argwhere(~np.isfinite(array))
    largest = float(array.max()) if array.size and not len(wrong) else 0.0
    if not len(wrong):
        wrong = np.argwhere(array < -ROUNDING * max(largest, 0.0))
    if len(wrong):
        cell = tuple(wrong[0].tolist())
        index = ", ".join(map(str, cell))
        raise ValueError(f"{name}[{index}]={array[cell]:g} must be a finite number of at least 0, {meaning}")
    if largest <= 0:
        raise ValueError(f"{name} holds no positive number, so there is nothing to measure; give {meaning}")
    return np.maximum(array / _scale(largest), 0.0)


def group(counts: Any, name: str = "counts") -> Floats:
    """The counts or probabilities of one group, as a row; a dict gives its values."""
    meaning = "the counts or probabilities of the classes of one group"
    array = as_floats(list(counts.values()) if isinstance(counts, Mapping) else counts, name, meaning)
    if array.ndim != 1:
        raise ValueError(
            f"{name} must be one row of numbers, {meaning}, but its shape is {array.shape};"
            " for a fraction q use potential(q, ...), for a table of branches val_branches(table, ...)"
        )
    return non_negative(array, name, meaning)


def fractions(values: Any, name: str) -> Floats:
    """Numbers from 0 to 1, of any shape."""
    array = as_floats(values, name, "fractions from 0 to 1")
    wrong = array[~((array >= -ROUNDING) & (array <= 1 + ROUNDING))]
    if wrong.size:
        raise ValueError(
            f"{name}={wrong.flat[0]:g} must be a fraction from 0 to 1; divide counts by their sum"
        )
    return np.clip(array, 0.0, 1.0)


def number(value: Any, name: str, low: float, high: float) -> float:
    """One finite number within bounds, both included."""
    if not is_number(value) or not math.isfinite(value) or not low <= value <= high:
        span = f"from {low:g} to {high:g}" if math.isfinite(high) else f"of at least {low:g}"
        raise ValueError(f"{name}={value!r} must be a number {span}")
    return float(value)


def bits_per_unit(base: Any) -> float:
    """How many bits a logarithm of this base counts as one."""
    if not is_number(base) or not 1 < base < math.inf:
        raise ValueError(
            f"base={base!r} must be a number above 1: 2 for bits, math.e for nats, 10 for digits"
        )
    return math.log2(base)


def row_weight(sample_weight: Any, counts: Any, n_rows: int) -> Floats:
    """How much every row counts: sample_weight times counts, 1 where neither is given."""
    weights, repeats = sample_weights(sample_weight, n_rows), row_counts(counts, n_rows)
    check_some_row_counts(weights, repeats)
    weight = np.ones(n_rows) if weights is None else weights
    return weight if repeats is None else weight * repeats


def same_length(n: int, n_other: int, name: str, other: str) -> None:
    """Raise if two columns differ in length."""
    if n != n_other:
        raise ValueError(
            f"{name} has {n} rows and {other} has {n_other}; give one value of each for every row"
        )


def as_given(array: Any) -> Any:
    """A float for a single number, else the array."""
    return float(array) if np.ndim(array) == 0 else array


def _scale(largest: float) -> float:
    """A power of two by which numbers too large or too small to be added up safely are divided, else 1."""
    return 1.0 if 1e-200 < largest < 1e200 else 2.0 ** (math.frexp(largest)[1] - 1)


def _holds_text(values: Any) -> bool:
    array = np.asarray(values)
    return array.dtype.kind == "O" and any(isinstance(value, (str, bytes)) for value in array.flat)


def _kind(values: Any) -> str:
    first = next(iter(values), values) if hasattr(values, "__iter__") else values
    return f"{first!r}" if isinstance(first, (str, bytes)) or first is None else f"a {type(first).__name__}"


def weighted_mean(weight: Floats, values: Floats) -> float:
    """The mean of numbers by their weights, added up in one order: a matrix product's differs by machine.

    >>> weighted_mean(np.array([1.0, 3.0]), np.array([0.0, 1.0]))
    0.75
    """
    return float((weight * values).sum() / weight.sum())
