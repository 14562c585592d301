"""Weights of rows: sample_weight, counts and class_weight, checked.

One idea: two kinds of weight stay apart. `counts` says how often a row is repeated and raises every number of
rows; `sample_weight` and `class_weight` only scale a row's share, so they are multiplied into one array.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hornbeam.data.frames import refuse_sparse

Floats = NDArray[np.float64]


def sample_weights(sample_weight: Any, n_rows: int) -> Floats | None:
    """The weight of every row as float64, None if there is none; one number means the same for all.

    >>> sample_weights([1, 2, 0], 3)
    array([1., 2., 0.])
    """
    if sample_weight is None:
        return None
    if isinstance(sample_weight, Real):
        sample_weight = np.full(n_rows, float(sample_weight))
    weights = _one_per_row(sample_weight, n_rows, "sample_weight")
    _refuse_all_zero(weights, "sample_weight holds only zero weights")
    return weights


def row_counts(counts: Any, n_rows: int) -> NDArray[np.int64] | None:
    """How often every row is repeated as int64, None if there are no counts.

    >>> row_counts([3, 1.0], 2)
    array([3, 1])
    """
    if counts is None:
        return None
    values = _one_per_row(counts, n_rows, "counts")
    broken = np.flatnonzero((values != np.floor(values)) | (values >= 2**53))
    if len(broken):
        raise ValueError(
            f"counts[{broken[0]}]={values[broken[0]]:g} must be a whole number of at least 0, the number of"
            " times the row is repeated; use sample_weight for fractions"
        )
    _refuse_all_zero(values, "counts is zero in every row")
    return values.astype(np.int64)


def class_factors(
    class_weight: Any, codes: NDArray[np.int32], classes: Sequence[Any], counts: NDArray[np.int64] | None
) -> Floats | None:
    """The weight of every class, None if there is none.

    "balanced" is scikit-learn's: rows / (classes x rows of the class), rows repeated as `counts` says.

    >>> class_factors("balanced", np.array([0, 0, 0, 1], dtype=np.int32), ["no", "yes"], None)
    array([0.66666667, 2.        ])
    """
    if class_weight is None:
        return None
    if isinstance(class_weight, str) and class_weight == "balanced":
        sizes = np.bincount(codes, weights=counts, minlength=len(classes)).astype(np.float64)
        shares = len(classes) * sizes
        factors: Floats = np.divide(sizes.sum(), shares, out=np.zeros_like(shares), where=shares > 0)
        return factors
    if not isinstance(class_weight, Mapping):
        raise ValueError(
            f"class_weight={class_weight!r} must be None, 'balanced' or a dict from class to weight"
        )
    return _named_factors(class_weight, classes)


def multiply_weights(
    weights: Floats | None, factors: Floats | None, codes: NDArray[np.int32]
) -> Floats | None:
    """Row weights times class weights; None if neither is given.

    >>> multiply_weights(None, np.array([1.0, 5.0]), np.array([1, 0, 1], dtype=np.int32))
    array([5., 1., 5.])
    """
    if factors is None:
        return weights
    product: Floats = factors[codes] if weights is None else weights * factors[codes]
    _refuse_all_zero(product, "sample_weight times class_weight leaves only zero weights")
    return product


def check_some_row_counts(weights: Floats | None, counts: NDArray[np.int64] | None) -> None:
    """Raise if every row has weight zero or is repeated zero times."""
    if weights is not None and counts is not None:
        _refuse_all_zero(weights * counts, "sample_weight times counts leaves only zero weights")


def exposed(
    values: Floats, weights: Floats | None, exposure: Any, largest: float
) -> tuple[Floats, Floats | None]:
    """Rates per unit of exposure, and row weights times exposure.

    >>> exposed(np.array([3.0, 1.0]), None, [2.0, 0.5], 1e150)
    (array([1.5, 2. ]), array([2. , 0.5]))
    """
    if exposure is None:
        return values, weights
    each = _one_per_row(exposure, len(values), "exposure")
    none = np.flatnonzero(each == 0)
    if len(none):
        raise ValueError(
            f"exposure[{none[0]}]=0 must be above 0, since nothing can happen without exposure: drop the row"
        )
    with np.errstate(over="ignore"):
        rates: Floats = values / each
    far = np.flatnonzero(~(np.abs(rates) <= largest))
    if len(far):
        raise ValueError(
            f"y[{far[0]}] / exposure[{far[0]}] is beyond {largest:g}, whose square float64 cannot hold: use"
            " a larger unit of exposure"
        )
    return rates, each if weights is None else weights * each


def refuse_no_rate(values: Floats | None, weights: Floats | None, counts: NDArray[np.int64] | None) -> None:
    """Raise unless all values are at least 0, and a row that counts has a positive one."""
    assert values is not None
    negative = np.flatnonzero(values < 0)
    if len(negative):
        raise ValueError(
            "Some value(s) of y are negative which is not allowed for Poisson regression:"
            f" y[{negative[0]}]={values[negative[0]]:g}; use criterion='variance'"
        )
    taken = values if weights is None else values * (weights > 0)
    if not (taken if counts is None else taken * (counts > 0)).any():
        raise ValueError(
            "Sum of y is not strictly positive which is necessary for Poisson regression: no row that counts"
            " has a positive y; use criterion='variance'"
        )


def _one_per_row(values: Any, n_rows: int, name: str) -> Floats:
    """A checked float64 array with a finite number of at least 0 for every row."""
    refuse_sparse(values, name)
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a list or array of numbers, one for each row of X") from None
    if array.shape != (n_rows,):
        raise ValueError(
            f"{name}.shape == {array.shape}, expected {(n_rows,)}: {name} must hold one number for each row"
        )
    wrong = np.flatnonzero(~(array >= 0) | np.isinf(array))
    if len(wrong):
        raise ValueError(
            f"{name}[{wrong[0]}]={array[wrong[0]]:g} must be a finite number of at least 0;"
            f" give a row that should not count {name} 0"
        )
    return array


def _refuse_all_zero(weights: NDArray[Any], fault: str) -> None:
    if not weights.any():
        raise ValueError(f"{fault}; at least one row must count")


def _named_factors(class_weight: Mapping[Any, Any], classes: Sequence[Any]) -> Floats:
    """Weights from a dict; a class it does not name has weight 1.

    A name that is no class is a mistake, unless every class is named: then it is a class this sample lacks.
    """
    unknown = [name for name in class_weight if name not in classes]
    if unknown and not all(name in class_weight for name in classes):
        raise ValueError(
            f"class_weight names {unknown[0]!r}, which is no class of y; the classes are"
            f" {', '.join(repr(name) for name in classes[:8])}{', ...' * (len(classes) > 8)}"
        )
    for name, weight in class_weight.items():
        if not isinstance(weight, Real) or not (0 <= float(weight) < math.inf):
            raise ValueError(f"class_weight[{name!r}]={weight!r} must be a finite number of at least 0")
    return np.array([float(class_weight.get(name, 1.0)) for name in classes])
