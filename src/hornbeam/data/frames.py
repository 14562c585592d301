"""Opening whatever table the user has, without reading it yet.

    numpy array, list of rows              no names; columns by position
    scipy.sparse matrix or array           likewise
    pandas, polars, pyarrow, narwhals      names of the frame
    dict of columns, list of dicts         names are the keys

A TableSource only borrows. Columns are read when Table asks for them, so a prediction touches only those it
needs. A frame of pandas is asked directly, since wrapping each of its columns takes longer than growing a
small tree.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hornbeam.data.cells import Cells, from_pandas, is_arrow, read_cells
from hornbeam.data.sparse import MOST_DENSE, SparseArrays, open_matrix

MOST_CELLS = 1 << 20  # of a frame that is taken at once: pandas may have to copy it

ONE_DIMENSION = (
    "Expected 2D array, got 1D array instead: Reshape your data either using array.reshape(-1, 1) if your"
    " data has a single feature or array.reshape(1, -1) if it contains a single sample."
)


@dataclass(frozen=True)
class TableSource:
    """A table opened but not read."""

    names: tuple[str, ...] | None  # None: columns are known by their position only
    n_rows: int
    n_columns: int
    get: Callable[[int], Any]  # the values of one column
    array: NDArray[Any] | None = None  # all of it as one two-dimensional numpy array, where that is at hand
    dtypes: tuple[np.dtype[Any], ...] = ()  # of the columns, where a frame has become an array
    stored: Callable[[int], Any] | None = None  # the array behind a column, where asking for that is faster
    sparse: SparseArrays | None = None  # the columns of a large sparse matrix

    def column_names(self) -> tuple[str, ...]:
        """The names, or x0, x1, ... for a table without."""
        return self.names if self.names is not None else default_names(self.n_columns)

    def read(self, j: int, name: str) -> Cells:
        """The cells of one column."""
        values = None if self.stored is None else self.stored(j)
        kind = type(values)
        is_plain = kind is np.ndarray or hasattr(kind, "codes") or hasattr(kind, "__arrow_array__")
        return from_pandas(values, name) if is_plain else read_cells(self.get(j), name)


def default_names(n_columns: int) -> tuple[str, ...]:
    """The names of the columns of a table without names.

    >>> default_names(3)
    ('x0', 'x1', 'x2')
    """
    return tuple(f"x{j}" for j in range(n_columns))


def open_table(X: Any) -> TableSource:
    """Open a table of any supported kind, or say in one sentence why it is none.

    >>> source = open_table({"age": [30, 40], "city": ["Brno", None]})
    >>> source.names, source.n_rows
    (('age', 'city'), 2)
    """
    if isinstance(X, np.ndarray):
        return _open_array(X)
    if is_arrow_table(X):  # as it is: a table file becomes numpy arrays without a data frame in between
        return TableSource(clean_names(X.column_names), X.num_rows, X.num_columns, X.column)
    if is_sparse(X):
        return _open_sparse(X)
    if isinstance(X, Mapping):
        return _open_columns(X)
    if isinstance(X, Sequence) and not isinstance(X, (str, bytes)):
        return _open_records(X) if len(X) and isinstance(X[0], Mapping) else _open_rows(X)
    if is_pandas_frame(X):
        return _open_pandas(X)
    frame = as_frame(X)
    if frame is not None:
        n_rows, n_columns = frame.shape
        return TableSource(clean_names(frame.columns), n_rows, n_columns, lambda j: frame[:, j].to_native())
    if getattr(X, "ndim", None) == 1 or is_series(X):
        raise ValueError(ONE_DIMENSION)
    if hasattr(X, "__array__"):
        return _open_array(np.asarray(X))
    raise TypeError(
        f"X is of type {type(X).__name__!r}, but it must be a table: a pandas, polars or pyarrow table, a"
        " two-dimensional numpy array, a dict of columns or a list of dicts"
    )


def is_sparse(data: Any) -> bool:
    """Whether this is a matrix or array of scipy.sparse; asking does not import scipy."""
    return hasattr(data, "toarray") and hasattr(data, "tocsr")


def refuse_sparse(data: Any, name: str) -> None:
    """Raise a TypeError if the data is a sparse matrix."""
    if is_sparse(data):
        raise TypeError(
            f"Sparse data was passed for {name}, but dense data is required; use '.toarray()' to convert it"
            " to a dense numpy array"
        )


def is_series(values: Any) -> bool:
    """Whether this is a column of a data frame library; narwhals is imported when first asked."""
    import narwhals as nw

    return nw.dependencies.is_into_series(values)


def is_arrow_table(X: Any) -> bool:
    """Whether this is an Arrow table; asking does not import pyarrow."""
    pa = sys.modules.get("pyarrow")
    return pa is not None and isinstance(X, pa.Table)


def is_pandas_frame(X: Any) -> bool:
    """Whether this is a data frame of pandas; asking does not import pandas."""
    pd = sys.modules.get("pandas")
    return pd is not None and isinstance(X, pd.DataFrame)


def import_pandas(otherwise: str) -> Any:
    """The module pandas, for a result that becomes a data frame; `otherwise` says what to do without it."""
    try:
        import pandas as pd
    except ImportError:
        raise ImportError(f"to_frame needs pandas: install it, or {otherwise}") from None
    return pd


def as_frame(X: Any) -> Any:
    """The narwhals frame of a data frame or Arrow table; None for what is no frame."""
    if is_arrow(X):
        return None
    import narwhals as nw

    if nw.dependencies.is_into_dataframe(X):
        # asked of the type: a data frame may have a column of this name
        names = X.column_names if hasattr(type(X), "column_names") else getattr(X, "columns", ())
        _refuse_duplicates(list(names))
        return nw.from_native(X, eager_only=True)
    lazy = nw.from_native(X, pass_through=True)
    if isinstance(lazy, nw.LazyFrame):
        if lazy.implementation.is_polars() or lazy.implementation.is_duckdb():
            return lazy.collect()  # on this machine; rows that may lie on others are not fetched unasked
        raise TypeError(
            f"X is of type {type(X).__name__!r}, whose rows are not in memory yet;"
            " call its collect() or compute() method first"
        )
    if hasattr(X, "__arrow_c_stream__") and not is_series(X):
        import pyarrow as pa

        return as_frame(pa.table(X))
    return None


def _open_pandas(X: Any) -> TableSource:
    """A frame of pandas; numbers that one type of numpy holds are taken at once, if they are few."""
    labels = X.columns.tolist()
    if not X.columns.is_unique:
        _refuse_duplicates(labels)
    names = clean_names(labels)
    n_rows, n_columns = X.shape
    get = (lambda j: X[names[j]]) if names == tuple(labels) else (lambda j: X.iloc[:, j])
    stored = getattr(X, "_get_column_array", None)  # pandas has no public name for it
    some = () if stored is None or n_columns == 0 else (stored(0).dtype,)  # those of all take a while
    is_small = n_rows * n_columns <= MOST_CELLS
    dtypes = tuple(X.dtypes.tolist()) if is_small and (not some or _have_one_type(some)) else ()
    if _have_one_type(dtypes):
        return TableSource(names, n_rows, n_columns, get, X.to_numpy(), dtypes)
    return TableSource(names, n_rows, n_columns, get, stored=stored)


_DOUBLES = frozenset(map(np.dtype, ("f8", "i8", "i4", "u4")))  # float64 holds them, large numbers apart


def _have_one_type(dtypes: Sequence[Any]) -> bool:
    """Whether columns of these types are numbers that a table of one type keeps apart."""
    if not dtypes or not all(isinstance(dtype, np.dtype) and dtype.kind in "fiu" for dtype in dtypes):
        return False
    types = set(dtypes)
    return len(types) == 1 or types <= _DOUBLES


def _open_array(array: NDArray[Any]) -> TableSource:
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported: X holds complex numbers")
    if array.dtype.names is not None:
        raise TypeError(
            "X is a structured array, but it must be a table of plain columns; pass a dict of its fields,"
            " {name: X[name] for name in X.dtype.names}"
        )
    if array.ndim < 2:
        raise ValueError(ONE_DIMENSION if array.ndim else ONE_DIMENSION.replace("1D array", "scalar array"))
    if array.ndim > 2:
        raise ValueError(f"Found array with dim {array.ndim}, while dim <= 2 is required: rows and columns")
    if isinstance(array, np.matrix):
        array = np.asarray(array)
    return TableSource(None, array.shape[0], array.shape[1], lambda j: array[:, j], array)


def _open_sparse(X: Any) -> TableSource:
    """A sparse matrix: an ordinary array if it is small; columns of a large one are arrays when asked for."""
    if X.ndim == 2 and X.dtype.kind in "fiub" and X.shape[0] * X.shape[1] <= MOST_DENSE:
        dense = X.toarray()
        return _open_array(dense.astype(np.uint8) if dense.dtype.kind == "b" else dense)
    arrays = SparseArrays(open_matrix(X))
    return TableSource(None, arrays.n_rows, len(arrays), arrays.__getitem__, sparse=arrays)


def _open_rows(rows: Sequence[Any]) -> TableSource:
    """A list of rows; numbers beside text stay numbers."""
    try:
        array = np.asarray(rows)
        if array.dtype.kind in "US":
            array = np.asarray(rows, dtype=object)
    except ValueError:
        raise ValueError(
            "X is a list of rows of different lengths; give every row the same number of values"
        ) from None
    return _open_array(array)


def _open_columns(columns: Mapping[Any, Any]) -> TableSource:
    names = clean_names(list(columns))
    values = list(columns.values())
    lengths = {name: _length(name, column) for name, column in zip(names, values, strict=True)}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"the columns of X have inconsistent lengths {lengths}; give each one value per row")
    return TableSource(names, next(iter(lengths.values()), 0), len(names), values.__getitem__)


def _length(name: str, column: Any) -> int:
    if isinstance(column, (str, bytes)) or not hasattr(column, "__len__") or getattr(column, "ndim", 1) == 0:
        raise ValueError(f"column {name!r} is the single value {column!r}; pass a list, one value per row")
    return len(column)


def _open_records(records: Sequence[Mapping[Any, Any]]) -> TableSource:
    """A list of dicts: a key that a dict does not have is a missing value of that row."""
    strangers = {type(record).__name__ for record in records if not isinstance(record, Mapping)}
    if strangers:
        raise TypeError(
            f"X is a list of dicts, but also holds {', '.join(sorted(strangers))}; make every row a dict"
        )
    keys = list(dict.fromkeys(key for record in records for key in record))

    def get(j: int) -> list[Any]:
        return [record.get(keys[j]) for record in records]

    return TableSource(clean_names(keys), len(records), len(keys), get)


def clean_names(names: Sequence[Any]) -> tuple[str, ...]:
    """Column names as text, all different; text and other names together are refused as scikit-learn does.

    >>> clean_names([0, 1])
    ('0', '1')
    """
    if set(map(type, names)) == {str} and len(set(names)) == len(names):
        return tuple(names)
    types = sorted({type(name).__qualname__ for name in names})
    if len(types) > 1 and any(isinstance(name, str) for name in names):
        raise TypeError(
            "Feature names are only supported if all input features have string names, but your input has"
            f" {types} as feature name / column name types; use X.columns = X.columns.astype(str)"
        )
    texts = [str(name) for name in names]
    _refuse_duplicates(texts)
    return tuple(texts)


def _refuse_duplicates(names: Sequence[Any]) -> None:
    place = first_duplicate(names)
    if place is not None:
        name = names[place]
        raise ValueError(f"X has more than one column named {name!r}; give each column its own name")


def first_duplicate(names: Sequence[Any]) -> int | None:
    """The place of the first name that stood there before; None if all differ.

    >>> first_duplicate(["a", "b", "a"])
    2
    """
    earlier: set[Any] = set()
    for place, name in enumerate(names):
        if name in earlier:
            return place
        earlier.add(name)
    return None
