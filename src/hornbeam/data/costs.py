"""Costs of mistakes and shares of classes, checked: `costs`, `priors` and `row_costs`.

One idea: whatever form they are given in (arrays in class order, dicts or tables by class), they become plain
arrays in class order here, and every fault gets one sentence.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hornbeam._base.parameters import did_you_mean
from hornbeam._base.types import Floats
from hornbeam.data.frames import as_frame, refuse_sparse

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


def costs_of_rows(row_costs: Any, n_rows: int, classes: Sequence[Any]) -> Floats | None:
    """The cost of answering each class (columns) for each row; None if there is none.

    >>> costs_of_rows({"yes": [0, 5], "no": [2, 0]}, 2, ["no", "yes"])
    array([[2., 0.],
           [0., 5.]])
    """
    if row_costs is None:
        return None
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
