"""Target: what is to be learned, encoded, with the weights of the rows; and rows, a table with its target.

Everything later works on class codes or on float64 values; what the classes are called, and in which order
they stand (declared, else sorted), is kept here once.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hornbeam._base.types import Floats, Longs, Task
from hornbeam.data.cells import is_pandas_series, read_cells
from hornbeam.data.encoding import LARGEST, Codes, encode_classes, encode_reals, is_ordered
from hornbeam.data.frames import as_frame, refuse_sparse
from hornbeam.data.rates import exposed
from hornbeam.data.table import Table
from hornbeam.data.weights_and_costs import (
    check_some_row_counts,
    class_factors,
    costs_of_rows,
    multiply_weights,
    row_counts,
    sample_weights,
    stakes,
)


@dataclass(frozen=True, eq=False)
class Target:
    """The outcome of every training row and how much the row counts.

    Attributes
    ----------
    task : Task: classes, real or survival
    codes : int32 position of each row's class in `classes`, None for "real"
    values : float64 outcome of each row, None for "classes"
    classes : class labels as plain Python values in class order: declared order, otherwise sorted
    weights : float64 weight of each row (sample_weight x class_weight), None if all are 1
    counts : int64 repetitions of each row, None if all are 1
    labels : the same classes sorted, as a numpy array of y's own type: scikit-learn's `classes_`
    ordered : whether y declared that its classes have an order
    class_weights : float64 weight of each class that is part of `weights`, None if all are 1
    row_costs : float64 cost of answering each class for each row, None if every mistake costs the same
    times, exposure : survival: how long each row was observed, and how many events the hazard of all rows
        expects in that time; `values` are events over exposure, and a row weighs its exposure
    name, outputs : of one of several targets its name; and all of them, where there are several: this target
        is the first of them then, with the weights that they share (`hornbeam.data.target_columns`)

    Examples
    --------
    >>> target = Target.classes_of(["yes", "no", "yes"], class_weight={"yes": 2})
    >>> target.classes, target.codes, target.weights
    (('no', 'yes'), array([1, 0, 1], dtype=int32), array([2., 1., 2.]))
    """

    task: Task
    codes: Codes | None = None
    values: Floats | None = None
    classes: tuple[Any, ...] = ()
    weights: Floats | None = None
    counts: Longs | None = None
    labels: NDArray[Any] | None = None
    ordered: bool = False
    class_weights: Floats | None = None
    row_costs: Floats | None = None
    times: Floats | None = None
    exposure: Floats | None = None
    name: str = ""
    outputs: tuple[Target, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "task", Task(self.task))  # text stands for it

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.codes) if self.codes is not None else 0 if self.values is None else len(self.values)

    @property
    def n_counted(self) -> int:
        """The rows that take part: those of positive weight, as often as they are repeated (K3)."""
        repeats = self.counts if self.weights is None else self.copies[self.weights > 0]
        return self.n_rows if repeats is None else int(repeats.sum())

    @property
    def copies(self) -> Longs:
        """The repetitions of each row."""
        return np.ones(self.n_rows, dtype=np.int64) if self.counts is None else self.counts

    @property
    def row_weight(self) -> Floats:
        """The weight of each row, its repetitions counted."""
        weights = np.ones(self.n_rows) if self.weights is None else self.weights
        return weights if self.counts is None else weights * self.counts

    def take(self, rows: Longs) -> Target:
        """The target of some rows, by their positions; its classes stay, with rows or without.

        >>> target = Target.classes_of(["yes", "no", "yes"], counts=[2, 3, 4]).take(np.array([2, 0]))
        >>> target.codes, target.counts, target.classes
        (array([1, 1], dtype=int32), array([4, 2]), ('no', 'yes'))
        """
        names = ("codes", "values", "weights", "counts", "row_costs", "times", "exposure")
        held = {name: getattr(self, name) for name in names}
        taken = {name: array[rows] for name, array in held.items() if array is not None}
        return replace(self, **taken, outputs=tuple(one.take(rows) for one in self.outputs))

    @classmethod
    def classes_of(
        cls,
        y: Any,
        sample_weight: Any = None,
        counts: Any = None,
        class_weight: Any = None,
        *,
        row_costs: Any = None,
        n_rows: int | None = None,
        estimator: str = "estimator",
    ) -> Target:
        """The target of a classification.

        Parameters
        ----------
        y : one class for each row: text, whole numbers or booleans
        sample_weight, counts : weight and number of repetitions of each row
        class_weight : None, "balanced" or a dict from class to weight
        row_costs : the cost of answering each class (columns, in class order) for each row; a row whose
            answers all cost the same says nothing and takes no part
        n_rows : the number of rows of X, which y must match
        estimator : who is asking, for the error messages

        Examples
        --------
        >>> Target.classes_of([3, 1, 3]).classes
        (1, 3)
        """
        column = _one_column(y, estimator)
        _refuse_bytes(column)
        cells = read_cells(column, "y")
        _check_length(len(cells), n_rows)
        codes, classes, labels = encode_classes(cells)
        weights, repeats = row_weights(sample_weight, counts, len(codes))
        factors = costs = None
        if class_weight is not None:
            factors = class_factors(class_weight, codes, classes, repeats)
            weights = multiply_weights(weights, factors, codes)
        if row_costs is not None:
            costs = costs_of_rows(row_costs, len(codes), classes)
            weights = _of_some_stake(weights, costs, codes)
        if weights is not None and repeats is not None:
            check_some_row_counts(weights, repeats)
        if labels.dtype.kind == "O":
            labels = labels.astype(str if isinstance(y, Sequence) else _text_type(column))
        ordered = is_ordered(cells)
        return cls(Task.CLASSES, codes, None, classes, weights, repeats, labels, ordered, factors, costs)

    @classmethod
    def real_of(
        cls,
        y: Any,
        sample_weight: Any = None,
        counts: Any = None,
        *,
        exposure: Any = None,
        n_rows: int | None = None,
        estimator: str = "estimator",
        most: float = LARGEST,
        least_range: float = 0.0,
    ) -> Target:
        """The target of a regression: one number for each row; the other parameters as in `classes_of`.

        With `exposure` the values are y / exposure, and each row weighs its exposure. Numbers beyond `most`
        are refused, and numbers that differ by less than `least_range`, unless all are equal.

        >>> Target.real_of([1, 2.5]).values
        array([1. , 2.5])
        """
        cells = read_cells(_one_column(y, estimator), "y")
        _check_length(len(cells), n_rows)
        values = encode_reals(cells, most)
        refuse_narrow(values, least_range)
        weights, repeats = row_weights(sample_weight, counts, len(values))
        if exposure is not None:
            values, weights = exposed(values, weights, exposure, LARGEST)
        if weights is not None and repeats is not None:
            check_some_row_counts(weights, repeats)
        return cls(Task.REAL, values=values, weights=weights, counts=repeats)


def refuse_narrow(values: Floats, least_range: float) -> None:
    """Raise where numbers differ by so little that the squares of their differences vanish."""
    differ = float(values.max()) - float(values.min()) if least_range else 0.0
    if 0 < differ < least_range:
        raise ValueError(
            f"y varies by {differ:g} only, whose square float64 cannot hold: multiply y so that it varies by"
            f" {least_range:g} or more"
        )


def is_one_column(y: Any) -> bool:
    """Whether y is one column and no list, which could hold names: an array or a Series of one dimension.

    >>> is_one_column(np.array([1, 2])), is_one_column(["price", "days"])
    (True, False)
    """
    return getattr(y, "ndim", 0) == 1


def row_weights(sample_weight: Any, counts: Any, n_rows: int) -> tuple[Floats | None, Longs | None]:
    """The weights and the repetitions of the rows, each None where it is not given."""
    repeats = None if counts is None else row_counts(counts, n_rows)
    return None if sample_weight is None else sample_weights(sample_weight, n_rows), repeats


# One column -----------------------------------------------------------------------------------------------


def _one_column(y: Any, estimator: str) -> Any:
    """The one column of values y is; a table of one column is taken with scikit-learn's warning."""
    if y is None:
        raise ValueError(f"This {estimator} requires y to be passed, but the target y is None.")
    refuse_sparse(y, "y")
    is_column = isinstance(y, (np.ndarray, Sequence)) or is_pandas_series(y)
    frame = None if is_column else as_frame(y)
    if frame is not None:
        _refuse_several(frame.shape)
        _warn_column_vector()
        return frame[:, 0].to_native()
    if isinstance(y, (Mapping, str, bytes)) or not (hasattr(y, "__len__") or hasattr(y, "__array__")):
        raise ValueError(f"y should be a 1d array of one value per row, got {type(y).__name__!r} instead.")
    if isinstance(y, Sequence):
        y = _listed(y)
    elif not hasattr(y, "__len__"):
        y = np.asarray(y)
    if getattr(y, "ndim", 1) != 1:
        _refuse_several(y.shape)
        _warn_column_vector()
        return y.reshape(-1)
    return y


def _listed(y: Sequence[Any]) -> NDArray[Any]:
    """A list as an array; text stays objects, so that a gap among words stays a gap."""
    try:
        array = np.asarray(y)
    except ValueError:
        array = np.empty(len(y), dtype=object)
        array[:] = y
    return np.asarray(y, dtype=object) if array.dtype.kind in "US" else array


def _refuse_several(shape: tuple[int, ...]) -> None:
    if len(shape) != 2 or shape[1] != 1:
        raise ValueError(
            f"y should be a 1d array, got an array of shape {shape} instead: one target is needed here; give"
            " one column (TreeClassifier, TreeRegressor, TreeOutputs and forests learn several)"
        )


def _warn_column_vector() -> None:
    from sklearn.exceptions import DataConversionWarning

    warnings.warn(
        "A column-vector y was passed when a 1d array was expected. Please change the shape of y to"
        " (n_samples, ), for example using ravel().",
        DataConversionWarning,
        stacklevel=4,
    )


def _check_length(n_values: int, n_rows: int | None) -> None:
    if n_rows is not None and n_values != n_rows:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: {[n_rows, n_values]};"
            " X and y must have the same number of rows"
        )
    if n_values == 0:
        raise ValueError("Found array with 0 sample(s) (shape=(0,)) while a minimum of 1 is required for y.")


def _refuse_bytes(y: Any) -> None:
    dtype = getattr(y, "dtype", None)
    kind = getattr(dtype, "kind", "")
    values = y.array if is_pandas_series(y) else y
    if kind == "S" or (kind == "O" and len(y) and isinstance(values[0], bytes)):
        raise TypeError(
            "Support for labels represented as bytes is not supported. Convert the labels to a string or"
            " integer format."
        )


# Classes --------------------------------------------------------------------------------------------------


def _text_type(y: Any) -> Any:
    """The type of an array of text labels: text of fixed width if y is that, else objects."""
    dtype = getattr(y, "dtype", None)
    return dtype if isinstance(dtype, np.dtype) and dtype.kind == "U" else object


def _of_some_stake(weights: Floats | None, costs: Floats, codes: Codes) -> Floats | None:
    """Row weights without the rows whose answers all cost the same."""
    even = stakes(costs, codes)[1] == 0
    if not even.any() or costs.shape[1] == 1:
        return weights
    remaining: Floats = np.where(even, 0.0, 1.0 if weights is None else weights)
    if not remaining.any():
        raise ValueError(
            "row_costs are the same for all classes in every row that counts: nothing can be learned"
        )
    return remaining


class Rows(NamedTuple):
    """Rows with their outcomes."""

    table: Table
    target: Target


def counted_rows(target: Target) -> int:
    """The rows that take part: those of positive weight, as often as they are repeated (K3).

    >>> counted_rows(Target.real_of([1, 2, 3], sample_weight=[1, 0, 1], counts=[2, 2, 3]))
    5
    """
    return target.n_counted
