"""Table: the user's columns, each with a kind, as the arrays a tree works on.

One idea: borrow. A two-dimensional float array is kept as it is (`dense`), a float column of a frame is a
view; only what is not a number yet is encoded, once. `learn` decides kinds and domains, `match` obeys them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any, TypeGuard, cast

import numpy as np
from numpy.typing import NDArray

from hornbeam.data.cells import family_of, is_declared
from hornbeam.data.column_choice import check_width, column_mask, excluded_columns, positions_of
from hornbeam.data.columns import Column, infinite_sentence
from hornbeam.data.date_text import dates_of_text
from hornbeam.data.encoding import (
    learn_column,
    learn_nominal,
    match_column,
    without_declaration,
)
from hornbeam.data.floats import (
    LARGEST_EXACT,
    ToFloats,
    ceiling_floats,
    dense_ranges,
    exact_floats,
    first_infinite,
    nearest_floats,
)
from hornbeam.data.frames import TableSource, is_series, open_table
from hornbeam.data.sparse import SparseArrays, learn_matrix, match_matrix

AnyArray = NDArray[Any]

_IS_NUMBER = attrgetter("is_number")


class Table:
    """Columns of equal length, ready for a tree.

    Attributes
    ----------
    columns : a Column for each
    n_rows : number of rows
    dense : the two-dimensional float32 or float64 array the table is, None if it is not one
    arrays : one array per column: floats (nan = missing) for a numeric one, else int32 codes (-1 = missing,
        -2 = a category that training never saw)

    Examples
    --------
    >>> table = Table.learn({"age": [30, 40, None], "city": ["Brno", "Aš", "Brno"]})
    >>> [column.kind for column in table.columns]
    ['numeric', 'nominal']
    >>> table.arrays[1]
    array([1, 0, 1], dtype=int32)
    >>> Table.match({"city": ["Plzeň", "Aš"], "age": [1, 2]}, table.columns).arrays[1]
    array([-2,  0], dtype=int32)
    """

    __slots__ = ("_arrays", "columns", "dense", "n_rows")

    def __init__(
        self,
        columns: Sequence[Column],
        n_rows: int,
        arrays: tuple[AnyArray, ...] | SparseArrays | None = None,
        dense: AnyArray | None = None,
    ) -> None:
        self.columns = tuple(columns)
        self.n_rows = n_rows
        self.dense = dense
        self._arrays = arrays

    @property
    def arrays(self) -> tuple[AnyArray, ...]:
        """One array per column; the columns of `dense` are views, made when first asked for."""
        if self._arrays is None:
            assert self.dense is not None
            self._arrays = tuple(self.dense[:, j] for j in range(self.dense.shape[1]))
        return cast("tuple[AnyArray, ...]", self._arrays)

    @property
    def sparse(self) -> SparseArrays | None:
        """The arrays, if they are the columns of a large sparse matrix."""
        return self._arrays if isinstance(self._arrays, SparseArrays) else None

    def __len__(self) -> int:
        return self.n_rows

    def __repr__(self) -> str:
        return f"Table({self.n_rows} rows: {', '.join(f'{c.name} {c.kind}' for c in self.columns)})"

    def take(self, rows: AnyArray) -> Table:
        """The table of some rows, by their positions; its columns are described as before.

        >>> Table.learn({"city": ["Aš", "Brno", "Cheb"]}).take(np.array([2, 0])).arrays
        (array([2, 0], dtype=int32),)
        """
        if self.dense is not None:  # whole rows are taken several times as fast where they lie in one piece
            whole = self.dense.flags.c_contiguous and rows.dtype.kind == "i"
            return Table(
                self.columns, len(rows), dense=self.dense.take(rows, axis=0) if whole else self.dense[rows]
            )
        if self.sparse is not None:
            return Table(self.columns, len(rows), self.sparse.take(rows))
        return Table(self.columns, len(rows), tuple(array[rows] for array in self.arrays))

    @classmethod
    def learn(
        cls, X: Any, categorical_features: Any = "from_dtype", exclude: Any = None, parse_dates: Any = None
    ) -> Table:
        """Take a training table: decide the kind and the domain of every column.

        Parameters
        ----------
        X : a pandas, polars or pyarrow table, a 2-D numpy array, a dict of columns or a list of dicts
        categorical_features : "from_dtype", or the columns to treat as nominal: names, positions, a boolean
            mask, or None for none; of the others, text and booleans stay nominal, ordered text ordinal
        exclude : the columns to leave out: names, positions, a boolean mask, or None for none
        parse_dates : the columns of text to read as dates, likewise; "auto" for all that are

        Examples
        --------
        >>> Table.learn(np.array([[1.0, 2.0], [3.0, 4.0]]), categorical_features=[1]).columns[1].categories
        (2.0, 4.0)
        """
        source = open_table(X)
        _refuse_empty(source)
        names = source.column_names()
        by_dtype = isinstance(categorical_features, str) and categorical_features == "from_dtype"
        automatic = isinstance(parse_dates, str) and parse_dates == "auto"
        none = np.zeros(source.n_columns, dtype=np.bool_)
        nominal, excluded, dates = none, none, none | automatic
        if not by_dtype and categorical_features is not None:
            nominal = column_mask("categorical_features", categorical_features, source)
        if exclude is not None:
            excluded = excluded_columns(exclude, source)
        if not automatic and parse_dates is not None:
            dates = column_mask("parse_dates", parse_dates, source)
        places = np.flatnonzero(~excluded).tolist()
        if source.sparse is not None:
            return cls(*learn_matrix(source.sparse, names, places, nominal))
        if _is_numeric(source.array) and not nominal[places].any():
            learn_array = _learn_dense if source.names is None else _learn_block
            table = learn_array(source, places)
            if table is not None:
                return table
        learned = []
        for j in places:
            name = names[j]
            cells = source.read(j, name)
            if dates[j] and not (automatic and nominal[j]):
                cells = _with_dates(cells, name, required=not automatic)
            if nominal[j]:
                learned.append(learn_nominal(cells, name))
            else:
                learned.append(learn_column(cells if by_dtype else without_declaration(cells), name))
        return cls([column for column, _ in learned], source.n_rows, tuple(array for _, array in learned))

    @classmethod
    def match(cls, X: Any, columns: Sequence[Column], estimator: str = "Tree") -> Table:
        """Take a table for prediction: the columns learned before, by name, or by position if X has no names.

        Parameters
        ----------
        X : a table as in `learn`; columns may come in any order, others are ignored
        columns : the columns of the training table
        estimator : who is asking, for the error messages

        Examples
        --------
        >>> columns = Table.learn({"city": ["Aš", "Brno"]}).columns
        >>> Table.match([{"city": "Brno", "age": 3}], columns).arrays
        (array([1], dtype=int32),)
        """
        if type(X) is Table and X.columns == tuple(columns):
            return X
        if (
            type(X) is np.ndarray
            and X.ndim == 2
            and X.dtype.char in "fd"
            and X.shape[1] == len(columns)
            and _is_ready(X)
            and _all_numbers(columns)
        ):
            return _match_dense(X, columns)
        source = open_table(X)
        positions = positions_of(source, columns, estimator)
        if source.sparse is not None and _all_numbers(columns):
            return cls(columns, source.n_rows, match_matrix(source.sparse, positions, columns))
        if _is_numeric(source.array) and _all_numbers(columns):
            if source.names is None:
                return _match_dense(
                    _float_array(source.array, source.column_names(), ceiling_floats), columns
                )
            block = _match_block(source, positions)
            if block is not None:
                return cls(columns, source.n_rows, dense=block)
        arrays = []
        for position, column in zip(positions, columns, strict=True):
            arrays.append(match_column(source.read(position, column.name), column))
        return cls(columns, source.n_rows, tuple(arrays))


def one_row(row: Any, columns: Sequence[Column], estimator: str = "Tree") -> Table:
    """A Table of one row from a pandas Series, a dict of values, a sequence of values or a one-row table.

    >>> columns = Table.learn({"age": [30.0, 40.0], "city": ["Aš", "Brno"]}).columns
    >>> one_row({"city": "Brno", "age": 33}, columns).arrays
    (array([33.]), array([1], dtype=int32))
    """
    if getattr(row, "ndim", None) == 1 and hasattr(row, "index") and hasattr(row, "to_dict"):
        row = row.to_dict()
    if isinstance(row, Mapping):
        row = {key: value if _is_column(value) else [value] for key, value in row.items()}
    elif _is_bare_row(row):
        values = list(row)
        check_width(len(values), columns, estimator)
        row = {column.name: [value] for column, value in zip(columns, values, strict=True)}
    table = Table.match(row, columns, estimator)
    if table.n_rows != 1:
        raise ValueError(f"one row is expected, but {table.n_rows} were given; pick one, such as X.iloc[0]")
    return table


def _is_column(value: Any) -> bool:
    is_single = isinstance(value, (str, bytes, Mapping)) or getattr(value, "ndim", 1) == 0
    return hasattr(value, "__len__") and not is_single


def _is_bare_row(row: Any) -> bool:
    """Whether this is a sequence of values without names."""
    if isinstance(row, (list, tuple)):
        return not any(isinstance(v, (Mapping, list, tuple)) or getattr(v, "ndim", 0) > 0 for v in row)
    return getattr(row, "ndim", None) == 1 or is_series(row)


def _is_numeric(array: AnyArray | None) -> TypeGuard[AnyArray]:
    return array is not None and array.dtype.kind in "fiu" and not isinstance(array, np.ma.MaskedArray)


def _all_numbers(columns: Sequence[Column]) -> bool:
    return all(map(_IS_NUMBER, columns))  # no generator: a prediction for one row waits for this


def _is_ready(array: AnyArray) -> bool:
    return array.dtype.isnative and array.flags.aligned


def _float_array(array: AnyArray, names: Sequence[str], whole: ToFloats) -> AnyArray:
    """The array itself if the core can read it, otherwise its numbers as float32 or float64."""
    array = np.asarray(array)
    if array.dtype.char in "fd":
        return array if _is_ready(array) else array.astype(array.dtype.newbyteorder("="))
    if array.dtype.kind == "f":
        return array.astype(np.float32 if array.dtype.itemsize < 4 else np.float64)
    return np.stack([whole(array[:, j], name) for j, name in enumerate(names)], axis=1)


def _learn_dense(source: TableSource, places: Sequence[int]) -> Table:
    """The table of an array's columns, all or some."""
    array, names = source.array, source.column_names()
    assert array is not None
    if len(places) < source.n_columns:
        array, names = array[:, places], tuple(names[j] for j in places)
    dense = _float_array(array, names, exact_floats)
    display = "int" if array.dtype.kind in "iu" else "float32" if dense.dtype == np.float32 else ""
    ranges = dense_ranges(dense)
    if any(span.is_infinite for span in ranges):
        row, column = first_infinite(dense) or (0, 0)
        raise ValueError(infinite_sentence(names[column], row))
    columns = [Column(name, "numeric", (), display, *span) for name, span in zip(names, ranges, strict=True)]
    return Table(columns, len(dense), dense=dense)


def _learn_block(source: TableSource, places: Sequence[int]) -> Table | None:
    """The table of a frame's numbers; None where a column has to be looked at alone."""
    block = _float_block(source)
    if block is None:
        return None
    names, ranges, columns = source.column_names(), dense_ranges(block), []
    for j in places:
        is_whole, span = source.dtypes[j].kind != "f", ranges[j]
        if span.is_infinite or (is_whole and max(-span.low, span.high) >= LARGEST_EXACT):
            return None  # there the fault is named
        display = "int" if is_whole else "float32" if block.dtype.char == "f" else ""
        columns.append(Column(names[j], "numeric", (), display, *span))
    arrays = tuple(block.T) if len(places) == len(names) else tuple(block[:, j] for j in places)
    return Table(columns, source.n_rows, arrays)


def _match_block(source: TableSource, positions: list[int]) -> AnyArray | None:
    """A frame's numbers at these places as one array; None where a column has to be looked at alone."""
    block = _float_block(source)
    if block is None:
        return None
    whole = [j for j in positions if source.dtypes[j].kind != "f"]
    if whole and not float(np.abs(block[:, whole]).max(initial=0.0)) < LARGEST_EXACT:
        return None
    block = block if positions == list(range(source.n_columns)) else block[:, positions]
    return None if first_infinite(block) else block


def _float_block(source: TableSource) -> AnyArray | None:
    """The numbers of a frame as the core can read them."""
    block = source.array
    assert block is not None
    if block.dtype.kind != "f":
        return nearest_floats(block)
    return block if block.dtype.char in "fd" and _is_ready(block) else None


def _match_dense(dense: AnyArray, columns: Sequence[Column]) -> Table:
    infinite = first_infinite(dense)
    if infinite:
        raise ValueError(infinite_sentence(columns[infinite[1]].name, infinite[0]))
    return Table(columns, len(dense), dense=dense)


def _with_dates(cells: Any, name: str, *, required: bool) -> Any:
    """Text that writes dates as those; other cells as they are, unless dates are required."""
    if family_of(cells) not in ("text", "dictionary") or is_declared(cells):
        return cells
    dates = dates_of_text(cells, name)
    if dates is None and required:
        raise ValueError(
            f"parse_dates names the column {name!r}, which holds text that is no date, or may be two: convert"
            " it first, for example with pandas.to_datetime and a format"
        )
    return cells if dates is None else dates


def _refuse_empty(source: TableSource) -> None:
    shape = (source.n_rows, source.n_columns)
    if 0 in shape:
        what = "sample(s)" if source.n_columns else "feature(s)"
        raise ValueError(f"Found array with 0 {what} (shape={shape}) while a minimum of 1 is required.")
