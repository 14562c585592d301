"""Several targets at once: the columns of y, each encoded by itself, with one weight for each row.

Whatever y is (an array, a table, a dict of columns, names of columns of X), it becomes named columns here; a
y of one column is none of this module's business.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, cast

import numpy as np

from hornbeam._base.types import AnyArray, Floats
from hornbeam.data.cells import is_pandas_series
from hornbeam.data.column_choice import column_mask
from hornbeam.data.encoding import LARGEST
from hornbeam.data.frames import as_frame, open_table, refuse_sparse
from hornbeam.data.target import Target, row_weights
from hornbeam.data.weights_and_costs import check_some_row_counts, class_factors

NamedColumns = list[tuple[str, Any]]


def target_names(X: Any, y: Any) -> list[str] | None:
    """The names of several columns of X, if y is that.

    >>> target_names({"size": [1, 2, 3], "price": [5, 6, 7], "days": [1, 0, 1]}, ["price", "days"])
    ['price', 'days']
    """
    if not isinstance(y, (list, tuple)) or not y or not all(isinstance(name, str) for name in y):
        return None
    try:
        source = open_table(X)
    except (TypeError, ValueError):
        return None  # whoever reads X says what is wrong
    known = source.names or ()
    are_names = all(name in known for name in y) and len(set(y)) == len(y)
    may_be_words = len(y) == source.n_rows or not any(name in known for name in y)
    if not are_names and may_be_words:
        return None
    column_mask("y", list(y), source)  # says which name is wrong
    if len(set(y)) < len(y):
        raise ValueError(f"y={y!r} names a column twice: name each target once")
    return list(y)


def part_columns(X: Any, names: Sequence[str]) -> tuple[Any, list[Any]]:
    """A table without some of its columns, and those columns.

    >>> part_columns({"age": [61, 70], "years": [2.5, 4.0], "died": [1, 0]}, ["years", "died"])
    ({'age': [61, 70]}, [[2.5, 4.0], [1, 0]])
    """
    column_mask("y", list(names), open_table(X))  # says which name is wrong
    if isinstance(X, Mapping):
        return {name: X[name] for name in X if name not in names}, [X[name] for name in names]
    if isinstance(X, Sequence) and X and isinstance(X[0], Mapping):
        rest = [{name: row[name] for name in row if name not in names} for row in X]
        return rest, [[row.get(name) for row in X] for name in names]
    frame = as_frame(X)
    return frame.drop(list(names)).to_native(), [frame[name].to_native() for name in names]


def with_targets(X: Any, y: Any, *row_columns: Any) -> tuple[Any, ...]:
    """X without the columns that y names, those columns, and columns of row weights that were named, too.

    >>> with_targets({"size": [1, 2, 3], "price": [5, 6, 7], "days": [1, 0, 1]}, ["price", "days"])
    ({'size': [1, 2, 3]}, {'price': [5, 6, 7], 'days': [1, 0, 1]})
    """
    names = target_names(X, y)
    if names is None:
        return X, y, *row_columns
    also = [name for name in row_columns if isinstance(name, str)]
    rest, columns = part_columns(X, [*names, *also])
    of_rows = dict(zip(also, columns[len(names) :], strict=True))
    y = columns[0] if len(names) == 1 else dict(zip(names, columns, strict=False))
    return rest, y, *(of_rows[c] if isinstance(c, str) else c for c in row_columns)


def named_columns(y: Any) -> NamedColumns | None:
    """The columns of y with their names, if there are several; those of an array are y0, y1, ...

    >>> [name for name, _ in named_columns([[1, 2], [3, 4]])], named_columns([1, 2])
    (['y0', 'y1'], None)
    """
    if y is None or isinstance(y, (str, bytes)):
        return None
    refuse_sparse(y, "y")
    if isinstance(y, Mapping):
        return _checked([(str(name), column) for name, column in y.items()]) if len(y) > 1 else None
    if is_pandas_series(y):
        return None
    given = getattr(y, "columns", None)  # of pandas: other frames have no name twice
    if given is not None and hasattr(given, "tolist"):
        _checked([(str(name), None) for name in given.tolist()])
    frame = None if isinstance(y, (np.ndarray, Sequence)) else as_frame(y)
    if frame is not None:
        if frame.shape[1] < 2:
            return None
        return _checked([(str(name), frame[:, k].to_native()) for k, name in enumerate(frame.columns)])
    array = _two_dimensions(y)
    if array is None or array.ndim != 2 or array.shape[1] < 2:
        return None
    return [(f"y{k}", array[:, k]) for k in range(array.shape[1])]


def _two_dimensions(y: Any) -> AnyArray | None:
    """Y as an array; None for a list of single values."""
    if not isinstance(y, Sequence):
        return y if isinstance(y, np.ndarray) else np.asarray(y) if hasattr(y, "__array__") else None
    if not len(y) or not isinstance(y[0], (Sequence, np.ndarray)) or isinstance(y[0], (str, bytes)):
        return None
    if isinstance(y[0], Mapping):
        return None
    try:
        array = np.asarray(y)
        # Words among numbers would make text of the numbers, and a gap among words a word.
        return np.asarray(y, dtype=object) if array.dtype.kind in "USO" else array
    except ValueError:
        sizes = sorted({len(row) if hasattr(row, "__len__") else 1 for row in y})
        raise ValueError(
            f"y has rows of {sizes[0]} to {sizes[-1]} values: give every row a value for each target"
        ) from None


def _checked(columns: NamedColumns) -> NamedColumns:
    names = [name for name, _ in columns]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"y has two columns called {twice!r}: give every target a name of its own")
    return columns


def reader_of_classes(
    y: Any, sample_weight: Any, counts: Any, class_weight: Any, *, row_costs: Any = None
) -> Callable[..., Target]:
    """What makes the target of a classification of y, of one column or several, once X is read."""
    columns = named_columns(y)
    if columns is None:
        return partial(Target.classes_of, y, sample_weight, counts, class_weight, row_costs=row_costs)
    _refuse("row_costs", row_costs, columns)
    return partial(classes_of_columns, columns, sample_weight, counts, class_weight)


def reader_of_reals(
    y: Any,
    sample_weight: Any,
    counts: Any,
    *,
    exposure: Any = None,
    most: float = LARGEST,
    least_range: float = 0.0,
) -> Callable[..., Target]:
    """The same for a regression; `least_range` as in `Target.real_of`, of one column only."""
    columns = named_columns(y)
    if columns is None:
        one = partial(Target.real_of, y, sample_weight, counts, exposure=exposure, most=most)
        return partial(one, least_range=least_range)
    _refuse("exposure", exposure, columns)
    return partial(reals_of_columns, columns, sample_weight, counts, most=most)


def _refuse(name: str, value: Any, columns: NamedColumns) -> None:
    if value is not None:
        raise ValueError(
            f"{name} is for one target, but y has {len(columns)}: leave it out, or fit one model for each"
        )


def classes_of_columns(
    columns: NamedColumns,
    sample_weight: Any = None,
    counts: Any = None,
    class_weight: Any = None,
    *,
    n_rows: int | None = None,
    estimator: str = "estimator",
) -> Target:
    """The target of a classification of several columns; the parameters are those of `Target.classes_of`.

    >>> target = classes_of_columns([("a", ["u", "v"]), ("b", [1, 0])])
    >>> [(one.name, one.classes) for one in target.outputs]
    [('a', ('u', 'v')), ('b', (0, 1))]
    """
    read = partial(Target.classes_of, n_rows=n_rows, estimator=estimator)
    outputs = [_named(name, partial(read, column), _CLASSES) for name, column in columns]
    return _joined(outputs, sample_weight, counts, class_weight)


def reals_of_columns(
    columns: NamedColumns,
    sample_weight: Any = None,
    counts: Any = None,
    *,
    n_rows: int | None = None,
    estimator: str = "estimator",
    most: float = LARGEST,
) -> Target:
    """The target of a regression of several columns; the parameters are those of `Target.real_of`."""
    read = partial(Target.real_of, n_rows=n_rows, estimator=estimator, most=most)
    outputs = [_named(name, partial(read, column), _REALS) for name, column in columns]
    return _joined(outputs, sample_weight, counts, None)


_CLASSES = "TreeClassifier learns classes: learn numbers with TreeRegressor"
_REALS = "TreeRegressor learns numbers: learn classes with TreeClassifier"


def _named(name: str, read: Callable[[], Target], instead: str) -> Target:
    """A target, or the error of its column with its name."""
    try:
        return replace(read(), name=name)
    except (ValueError, TypeError) as fault:
        sentence = str(fault)
        if "label type" in sentence or "needs numbers" in sentence:
            sentence += (
                f" ({instead}, or both at once with TreeOutputs)" if instead != _TASKS else f" ({instead})"
            )
        raise type(fault)(f"target {name!r}: {sentence}") from None


def _joined(outputs: list[Target], sample_weight: Any, counts: Any, class_weight: Any) -> Target:
    weights, repeats = row_weights(sample_weight, counts, outputs[0].n_rows)
    factors = _class_weights(outputs, class_weight, repeats)
    if factors is not None:
        weights = factors if weights is None else weights * factors
    if weights is not None and repeats is not None:
        check_some_row_counts(weights, repeats)
    return replace(outputs[0], weights=weights, counts=repeats, outputs=tuple(outputs))


def _class_weights(outputs: list[Target], class_weight: Any, repeats: Any) -> Floats | None:
    """What class_weight multiplies the weight of each row by: the product over the targets."""
    if class_weight is None:
        return None
    each = [class_weight] * len(outputs) if isinstance(class_weight, str) else class_weight
    if not isinstance(each, (list, tuple)) or len(each) != len(outputs):
        raise ValueError(
            f"class_weight={class_weight!r} must be 'balanced' or a list of {len(outputs)} dicts, one for"
            " each target"
        )
    product = np.ones(outputs[0].n_rows)
    for target, one in zip(outputs, each, strict=True):
        if one is not None:
            assert target.codes is not None
            factors = class_factors(one, target.codes, target.classes, repeats)
            product *= cast(Floats, factors)[target.codes]
    return product


def mixed_columns(
    columns: NamedColumns,
    sample_weight: Any = None,
    counts: Any = None,
    tasks: Mapping[str, str] | None = None,
    *,
    n_rows: int | None = None,
    estimator: str = "estimator",
) -> Target:
    """Several targets, of which text, truth values and categories are classes, and the others numbers.

    `tasks` says of some, by their names, that they are "classes" or "numbers".

    >>> target = mixed_columns([("a", ["u", "v"]), ("b", [1, 0]), ("c", [1, 0])], tasks={"c": "classes"})
    >>> [str(one.task) for one in target.outputs]
    ['classes', 'real', 'classes']
    """
    names = [name for name, _ in columns]
    if tasks is not None and not isinstance(tasks, Mapping):
        raise TypeError(
            f"tasks={tasks!r} must be a dict of names of targets to 'classes' or 'numbers', or None to tell"
            " by what they hold"
        )
    for name, task in (tasks or {}).items():
        if name not in names:
            raise ValueError(f"tasks names {name!r}, which is no target: the targets are {', '.join(names)}")
        if task not in ("classes", "numbers"):
            raise ValueError(f"tasks[{name!r}]={task!r} must be 'classes' or 'numbers'")
    outputs = []
    for name, column in columns:
        said = (tasks or {}).get(name)
        is_class = _holds_classes(column) if said is None else said == "classes"
        read: Callable[..., Target] = Target.classes_of if is_class else Target.real_of
        outputs.append(_named(name, partial(read, column, n_rows=n_rows, estimator=estimator), _TASKS))
    return _joined(outputs, sample_weight, counts, None)


_TASKS = "say in tasks which targets are classes"


def _holds_classes(column: Any) -> bool:
    """Whether a column holds text, truth values or categories."""
    values = np.asarray(column)
    if values.dtype.kind == "O":
        known = [value for value in values.tolist() if value is not None and value == value]
        return not known or not all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in known)
    dtype = str(getattr(column, "dtype", "")).lower()
    return values.dtype.kind not in "iuf" or dtype.startswith(("category", "categorical", "enum"))
