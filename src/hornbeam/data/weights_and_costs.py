"""Weights, costs and priors, checked: what each row and each class counts, and what mistakes cost.

Whatever form they are given in (arrays in class order, dicts or tables by class), they become plain arrays in
class order here, and every fault gets one sentence. Two kinds of row weight stay apart: `counts` says how
often a row is repeated and raises every number of rows; `sample_weight` and `class_weight` only scale a row's
share, so they are multiplied into one array.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hornbeam._base.parameters import did_you_mean
from hornbeam._base.types import Floats, Longs
from hornbeam.data.frames import as_frame, refuse_sparse


def sample_weights(sample_weight: Any, n_rows: int) -> Floats | None:
    """The weight of every row as float64, None if there is none; one number means the same for all.

    >>> sample_weights([1, 2, 0], 3)
    array([1., 2., 0.])
    """
    if sample_weight is None:
        return None
    if isinstance(sample_weight, Real):
        sample_weight = np.full(n_rows, float(sample_weight))
    weights = one_per_row(sample_weight, n_rows, "sample_weight")
    _refuse_all_zero(weights, "sample_weight holds only zero weights")
    return weights


def row_counts(counts: Any, n_rows: int) -> Longs | None:
    """How often every row is repeated as int64, None if there are no counts.

    >>> row_counts([3, 1.0], 2)
    array([3, 1])
    """
    if counts is None:
        return None
    values = one_per_row(counts, n_rows, "counts")
    broken = np.flatnonzero((values != np.floor(values)) | (values >= 2**53))
    if len(broken):
        raise ValueError(
            f"counts[{broken[0]}]={values[broken[0]]:g} must be a whole number of at least 0 and below"
            " 2**53, how often the row is repeated; use sample_weight for fractions"
        )
    _refuse_all_zero(values, "counts is zero in every row")
    return values.astype(np.int64)


def class_factors(
    class_weight: Any, codes: NDArray[np.int32], classes: Sequence[Any], counts: Longs | None
) -> Floats | None:
    """The weight of every class, None if there is none.

    "balanced" is scikit-learn's: rows / (classes x rows of the class), rows repeated as `counts` says.

    >>> class_factors("balanced", np.array([0, 0, 0, 1], dtype=np.int32), ["no", "yes"], None)
    array([0.66666667, 2.        ])
    """
    if class_weight is None:
        return None
    if isinstance(class_weight, str) and class_weight == "balanced":
        whole = np.ones(len(codes), np.int64) if counts is None else counts.astype(np.int64, copy=False)
        high, low = (np.bincount(codes, part, len(classes)) for part in divmod(whole, 1 << 26))
        sizes = (high * 2.0**26 + low).astype(np.float64)  # rounded once: in any order of the rows
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
    with np.errstate(over="ignore"):
        product: Floats = factors[codes] if weights is None else weights * factors[codes]
    _refuse_all_zero(product, "sample_weight times class_weight leaves only zero weights")
    return product


def check_some_row_counts(weights: Floats | None, counts: Longs | None) -> None:
    """Raise if every row has weight zero or is repeated zero times."""
    if weights is not None and counts is not None:
        with np.errstate(over="ignore"):
            _refuse_all_zero(weights * counts, "sample_weight times counts leaves only zero weights")


def one_per_row(values: Any, n_rows: int, name: str) -> Floats:
    """A checked float64 array with a finite number of at least 0 for every row."""
    refuse_sparse(values, name)
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a list or array of numbers, one for each row of X") from None
    if array.shape != (n_rows,):
        fault = f"{name}.shape == {array.shape}, expected {(n_rows,)}"
        raise ValueError(f"{fault}: {name} must hold one number for each row")
    wrong = np.flatnonzero(~(array >= 0) | np.isinf(array))
    if len(wrong):
        fault = f"{name}[{wrong[0]}]={array[wrong[0]]:g} must be a finite number of at least 0"
        raise ValueError(f"{fault}; give a row that should not count {name} 0")
    return array


def _refuse_all_zero(weights: NDArray[Any], fault: str) -> None:
    if not weights.any():
        raise ValueError(f"{fault}; at least one row must count")
    if (weights / len(weights)).sum() > np.finfo(np.float64).max / len(weights):
        raise ValueError("the weights of all rows together are beyond the range of float64; divide them")


def _named_factors(class_weight: Mapping[Any, Any], classes: Sequence[Any]) -> Floats:
    """Weights from a dict; a class it does not name has weight 1.

    A name that is no class is a mistake, unless every class is named: then it is a class this sample lacks.
    """
    unknown = [name for name in class_weight if name not in classes]
    if unknown and not all(name in class_weight for name in classes):
        fault = f"class_weight names {unknown[0]!r}, which is no class of y"
        raise ValueError(f"{fault}; the classes are {_listed(classes)}")
    for name, weight in class_weight.items():
        if not isinstance(weight, Real) or not (0 <= float(weight) < math.inf):
            raise ValueError(f"class_weight[{name!r}]={weight!r} must be a finite number of at least 0")
    return np.array([float(class_weight.get(name, 1.0)) for name in classes])


# Costs and priors ----------------------------------------------------------------------------------------


_WHERE = "costs[i, j] is the cost of answering class j where class i is true, in class order"


def cost_matrix(costs: Any, classes: Sequence[Any]) -> Floats | None:
    """The cost of answering each class (columns) where each class is true (rows); None if there is none.

    A dict `{true: {answered: cost}}`, or a pandas table labelled so, names pairs of classes; those it does
    not name cost 1.

    >>> cost_matrix({"ill": {"well": 10}}, ["ill", "well"])
    array([[ 0., 10.],
           [ 1.,  0.]])
    """
    if costs is None:
        return None
    refuse_sparse(costs, "costs")
    if hasattr(costs, "columns") and hasattr(costs, "index"):
        costs = {true: dict(costs.loc[true]) for true in costs.index}
    matrix = _named_costs(costs, classes) if isinstance(costs, Mapping) else _numbers("costs", costs, _WHERE)
    k = len(classes)
    if matrix.shape != (k, k):
        raise ValueError(
            f"costs has shape {matrix.shape}, but y has {k} classes ({_listed(classes)}), so it must be"
            f" {(k, k)}: {_WHERE}"
        )
    _refuse_cells(matrix, "costs")
    for i in np.flatnonzero(np.diag(matrix) != 0).tolist():
        raise ValueError(
            f"costs[{i}, {i}]={matrix[i, i]:g} must be 0: answering {classes[i]!r} where it is true is no"
            " mistake"
        )
    for i in np.flatnonzero((matrix == 0).all(axis=1) & (k > 1)).tolist():
        raise ValueError(
            f"costs has a row of zeros: no mistake about class {classes[i]!r} costs anything, so nothing is"
            " learned about it; give at least one a positive cost, or drop the rows of this class"
        )
    return matrix


def class_priors(priors: Any, classes: Sequence[Any]) -> Floats | None:
    """The share of each class before anything is known; None stands for its share of the training weight.

    >>> class_priors({"ill": 0.01, "well": 0.99}, ["ill", "well"]), class_priors("equal", ["a", "b"])
    (array([0.01, 0.99]), array([0.5, 0.5]))
    """
    k = len(classes)
    if priors is None or (isinstance(priors, str) and priors == "data"):
        return None
    if isinstance(priors, str):
        if priors != "equal":
            raise ValueError(
                f"priors={priors!r} is not known{did_you_mean(priors, ['data', 'equal'])}: use 'data',"
                " 'equal', a dict from class to probability, or an array in class order"
            )
        return np.full(k, 1.0 / k)
    if hasattr(priors, "to_dict") and hasattr(priors, "index"):
        priors = priors.to_dict()
    shares = _named_priors(priors, classes) if isinstance(priors, Mapping) else _numbers("priors", priors)
    if shares.shape != (k,):
        raise ValueError(
            f"priors has shape {shares.shape}, but y has {k} classes ({_listed(classes)}): give one"
            " probability for each, in class order"
        )
    for i in np.flatnonzero(~(shares > 0) | np.isinf(shares)).tolist():
        raise ValueError(
            f"priors of class {classes[i]!r} is {shares[i]:g}, but it must be a number above 0; to leave a"
            " class out, drop its rows"
        )
    if abs(shares.sum() - 1.0) > 1e-6:
        raise ValueError(
            f"priors sum to {shares.sum():g}, but the probabilities of all classes must sum to 1: divide them"
            " by their sum"
        )
    exact: Floats = shares / shares.sum()
    return exact


def costs_of_rows(row_costs: Any, n_rows: int, classes: Sequence[Any]) -> Floats:
    """The cost of answering each class (columns) for each row.

    >>> costs_of_rows({"yes": [0, 5], "no": [2, 0]}, 2, ["no", "yes"])
    array([[2., 0.],
           [0., 5.]])
    """
    refuse_sparse(row_costs, "row_costs")
    frame = None if isinstance(row_costs, (np.ndarray, Mapping, Sequence)) else as_frame(row_costs)
    if frame is not None:
        names = [_class_called(name, classes) for name in frame.columns]
        row_costs = {name: frame[:, j].to_numpy() for j, name in enumerate(names)}
    if isinstance(row_costs, Mapping):
        _refuse_unknown("row_costs", row_costs, classes)
        lacking = [label for label in classes if label not in row_costs]
        if lacking:
            raise ValueError(
                f"row_costs has no column for the class {lacking[0]!r}: give one for each class of y"
            )
        each = [_numbers(f"row_costs[{label!r}]", row_costs[label]) for label in classes]
        for label, column in zip(classes, each, strict=True):
            if column.shape != (n_rows,):
                raise ValueError(
                    f"row_costs[{label!r}] has shape {column.shape}, but X has {n_rows} rows: give one cost"
                    " for each"
                )
        row_costs = np.stack(each, axis=1)
    matrix = _numbers("row_costs", row_costs)
    if matrix.shape != (n_rows, len(classes)):
        raise ValueError(
            f"row_costs has shape {matrix.shape}, but X has {n_rows} rows and y {len(classes)} classes"
            f" ({_listed(classes)}): give {(n_rows, len(classes))}, the cost of answering each class for each"
            " row"
        )
    _refuse_cells(matrix, "row_costs")
    return matrix


def stakes(row_costs: Floats, codes: NDArray[np.int32]) -> tuple[NDArray[np.int32], Floats]:
    """The class each row is best answered with, and how much more the other answers cost on average.

    Of equally cheap answers the true class, else the first. Zadrozny, Langford & Abe (2003) weigh rows so.

    >>> stakes(np.array([[0.0, 4.0, 2.0], [7.0, 1.0, 1.0]]), np.array([0, 2], dtype=np.int32))
    (array([0, 2], dtype=int32), array([3., 3.]))
    """
    least = row_costs.min(axis=1)
    own = row_costs[np.arange(len(codes)), codes]
    best = np.where(own == least, codes, row_costs.argmin(axis=1)).astype(np.int32)
    others = max(row_costs.shape[1] - 1, 1)
    weight: Floats = (row_costs - least[:, None]).sum(axis=1) / others
    return best, weight


def _named_costs(costs: Mapping[Any, Any], classes: Sequence[Any]) -> Floats:
    matrix = 1.0 - np.eye(len(classes))
    code_of = {label: code for code, label in enumerate(classes)}
    _refuse_unknown("costs", costs, classes)
    for true, row in costs.items():
        if not isinstance(row, Mapping):
            raise TypeError(
                f"costs[{true!r}]={row!r} must be a dict from the class answered to its cost, as in"
                f" costs={{{true!r}: {{{_other(true, classes)!r}: 5}}}}"
            )
        _refuse_unknown(f"costs[{true!r}]", row, classes)
        for answered, cost in row.items():
            matrix[code_of[true], code_of[answered]] = _number(f"costs[{true!r}][{answered!r}]", cost)
    return matrix


def _named_priors(priors: Mapping[Any, Any], classes: Sequence[Any]) -> Floats:
    _refuse_unknown("priors", priors, classes)
    lacking = [label for label in classes if label not in priors]
    if lacking:
        raise ValueError(
            f"priors does not name the class {lacking[0]!r}: give the probability of every class,"
            f" {_listed(classes)}"
        )
    return np.array([_number(f"priors[{label!r}]", priors[label]) for label in classes])


def _numbers(name: str, values: Any, meaning: str = "") -> Floats:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        meaning = f": {meaning}" if meaning else ""
        raise ValueError(
            f"{name}={values!r} must be an array of numbers, or a dict by class{meaning}"
        ) from None


def _number(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or math.isnan(value):
        raise ValueError(f"{name}={value!r} must be a number, 0 or more")
    return float(value)


def _refuse_cells(matrix: Floats, name: str) -> None:
    wrong = np.argwhere(~(matrix >= 0) | np.isinf(matrix))
    if len(wrong):
        i, j = wrong[0].tolist()
        raise ValueError(f"{name}[{i}, {j}]={matrix[i, j]:g} must be a finite number of at least 0")


def _refuse_unknown(name: str, labels: Iterable[Any], classes: Sequence[Any]) -> None:
    unknown = [label for label in labels if label not in classes]
    if unknown:
        hint = did_you_mean(unknown[0], [label for label in classes if isinstance(label, str)])
        raise ValueError(
            f"{name} names {unknown[0]!r}, which is no class of y{hint}; the classes are {_listed(classes)}"
        )


def _class_called(name: str, classes: Sequence[Any]) -> Any:
    """The class a column of a table is called after: tables may know text only."""
    return next((label for label in classes if label == name or str(label) == name), name)


def _other(label: Any, classes: Sequence[Any]) -> Any:
    return next((one for one in classes if one != label), label)


def _listed(classes: Sequence[Any]) -> str:
    return ", ".join(map(repr, classes[:8])) + ", ..." * (len(classes) > 8)
