"""Sparse matrices as columns of a table: what is not stored is zero, and is never written down.

A small matrix becomes an ordinary array. Of a large one the Table borrows the numbers (`SparseArrays`); a
column becomes an array when somebody asks for it, and only then. Growing looks at the cells (`Cells`): every
value other than zero that a column has is one, numbered by column and value, and a row is the list of its
cells.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hornbeam.data.columns import Column, infinite_sentence

AnyArray = NDArray[Any]

MOST_DENSE = 1 << 20  # cells of a matrix that becomes an ordinary array


class SparseArrays(Sequence[AnyArray]):
    """The columns of a sparse matrix; each becomes an array when it is asked for.

    Attributes
    ----------
    by_column : the matrix by columns (scipy's CSC), without stored zeros, float32 or float64
    n_rows : number of rows
    """

    def __init__(self, by_column: Any) -> None:
        self.by_column = by_column
        self.n_rows = int(by_column.shape[0])

    def __len__(self) -> int:
        return int(self.by_column.shape[1])

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return tuple(self[j] for j in range(*place.indices(len(self))))
        start, end = self.by_column.indptr[place], self.by_column.indptr[place + 1 or None]
        array = np.zeros(self.n_rows, dtype=self.by_column.dtype)
        array[self.by_column.indices[start:end]] = self.by_column.data[start:end]
        return array

    def take(self, rows: AnyArray) -> SparseArrays:
        """The columns of some rows."""
        return SparseArrays(self.by_column.tocsr()[rows].tocsc())


def open_matrix(X: Any) -> Any:
    """A sparse matrix by columns, whose numbers are floats and whose stored zeros are gone."""
    if X.ndim != 2:
        raise ValueError(f"Found array with dim {X.ndim}, while dim <= 2 is required: rows and columns")
    if X.dtype.kind == "c":
        raise ValueError("Complex data not supported: X holds complex numbers")
    if X.dtype.kind not in "fiub":
        raise TypeError(f"X is a sparse matrix of {X.dtype}, but it must hold numbers; use X.astype(float)")
    matrix = X.tocsc()
    kind = matrix.dtype if matrix.dtype.char in "fd" else _floats_for(matrix)
    if matrix.dtype != kind:
        matrix = matrix.astype(kind)
    own = matrix is not X and not np.shares_memory(matrix.data, X.data)
    if not matrix.has_canonical_format or not np.all(matrix.data):
        matrix = matrix if own else matrix.copy()
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
    return matrix


def _floats_for(matrix: Any) -> type[np.floating[Any]]:
    """The floats that hold every number of a matrix of whole numbers, bits or half floats."""
    if matrix.dtype.kind == "f":
        return np.float32 if matrix.dtype.itemsize < 4 else np.float64
    if matrix.dtype.kind in "iu" and matrix.nnz and int(abs(matrix.data).max()) > 2**53:
        raise ValueError(
            "X is a sparse matrix with whole numbers beyond 2**53, which 64-bit floats do not tell apart:"
            " scale them"
        )
    return np.float64


def refuse_odd_numbers(matrix: Any, name_of: Callable[[int], str]) -> None:
    """Raise if a matrix holds an infinite number, or a gap: what is not stored is zero, not missing."""
    odd = np.flatnonzero(~np.isfinite(matrix.data))
    if len(odd):
        place = int(odd[0])
        column = int(np.searchsorted(matrix.indptr, place, side="right")) - 1
        if np.isinf(matrix.data[place]):
            raise ValueError(infinite_sentence(name_of(column), int(matrix.indices[place])))
        raise ValueError(
            f"X is a large sparse matrix that holds NaN, first in column {name_of(column)!r}: what is not"
            " stored is zero, and nothing may be missing; fill in the gaps, or drop these columns"
        )


def learn_matrix(
    arrays: SparseArrays, names: Sequence[str], places: Sequence[int], nominal: AnyArray
) -> tuple[list[Column], int, SparseArrays]:
    """The columns of a large matrix, all or some, the number of rows, and the columns as arrays."""
    if nominal[places].any():
        raise ValueError(
            "categorical_features names columns of a large sparse matrix, which are numbers: leave it out, or"
            " give these columns in a data frame"
        )
    if len(places) < len(arrays):
        arrays, names = SparseArrays(arrays.by_column[:, places]), [names[j] for j in places]
    refuse_odd_numbers(arrays.by_column, names.__getitem__)
    display = "float32" if arrays.by_column.dtype == np.float32 else ""
    ends = zip(*(end.tolist() for end in ranges_of(arrays.by_column)), strict=True)
    columns = [Column(name, "numeric", (), display, *span) for name, span in zip(names, ends, strict=True)]
    return columns, arrays.n_rows, arrays


def match_matrix(arrays: SparseArrays, positions: list[int], columns: Sequence[Column]) -> SparseArrays:
    """The columns of a large matrix that a tree knows, as arrays."""
    if positions != list(range(len(arrays))):
        arrays = SparseArrays(arrays.by_column[:, positions])
    refuse_odd_numbers(arrays.by_column, lambda j: columns[j].name)
    return arrays


def ranges_of(matrix: Any) -> tuple[AnyArray, AnyArray]:
    """The smallest and the largest number of each column, zeros included."""
    n_rows, n_columns = matrix.shape
    stored = np.diff(matrix.indptr)
    low, high = np.zeros(n_columns), np.zeros(n_columns)
    some = np.flatnonzero(stored)
    if len(some):
        starts = matrix.indptr[some]
        low[some] = np.minimum.reduceat(matrix.data, starts)
        high[some] = np.maximum.reduceat(matrix.data, starts)
    has_zero = stored < n_rows
    return np.where(has_zero, np.minimum(low, 0.0), low), np.where(has_zero, np.maximum(high, 0.0), high)


class Cells:
    """The cells of a sparse matrix, as the core reads them.

    Attributes
    ----------
    for_core : the arrays by name: row_start and row_cells (the cells of each row), cell_start (the first cell
        of each column), below (how many cells of a column are below zero), cell_column and cell_value
    n_cells : number of cells
    """

    def __init__(self, matrix: Any) -> None:
        from scipy import sparse  # here: most tables are dense

        n_columns = matrix.shape[1]
        cell, first = _numbered(matrix)
        cell_column = np.searchsorted(matrix.indptr, first, side="right") - 1
        cell_value = matrix.data[first]
        by_row = sparse.csc_array((cell, matrix.indices, matrix.indptr), shape=matrix.shape).tocsr()
        cell_start = np.zeros(n_columns + 1, dtype=np.int32)
        np.cumsum(np.bincount(cell_column, minlength=n_columns), out=cell_start[1:])
        self.n_cells = len(first)
        self.for_core = {
            "row_start": by_row.indptr.astype(np.int64),
            "row_cells": by_row.data,
            "cell_start": cell_start,
            "below": np.bincount(cell_column[cell_value < 0], minlength=n_columns).astype(np.int32),
            "cell_column": cell_column.astype(np.int32),
            "cell_value": np.ascontiguousarray(cell_value),
        }


def _numbered(matrix: Any) -> tuple[AnyArray, AnyArray]:
    """The cell of each number stored by columns, and for each cell where its value is stored first."""
    stored = np.diff(matrix.indptr)
    some = np.flatnonzero(stored)
    starts = matrix.indptr[some]
    if not len(some):
        return np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int64)
    data = matrix.data
    if (
        np.minimum.reduceat(data, starts) == np.maximum.reduceat(data, starts)
    ).all():  # as of marks for words
        return np.repeat(np.arange(len(some), dtype=np.int32), stored[some]), starts.astype(np.int64)
    column = np.repeat(np.arange(len(stored), dtype=np.int32), stored)
    order = np.lexsort((data, column))
    values, columns = data[order], column[order]
    new = np.ones(len(order), dtype=np.bool_)
    new[1:] = (values[1:] != values[:-1]) | (columns[1:] != columns[:-1])
    cell = np.empty(len(order), dtype=np.int32)
    cell[order] = np.cumsum(new, dtype=np.int32) - 1
    return cell, order[new]
