"""The support of a density: the root's box, given by the user or taken from the data.

One idea: outside its support a density is zero, so the box must hold every training row, and a column that
has only one value is a point.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hornbeam._base.parameters import did_you_mean
from hornbeam._base.types import AnyArray, Bools, Floats
from hornbeam.data.cells import read_cells
from hornbeam.data.columns import Column
from hornbeam.data.encoding import match_column
from hornbeam.data.table import Table

Ends = tuple[float, float]


def root_box(table: Table, live: Bools, support: Any) -> tuple[Floats, Floats]:
    """The lower and upper ends of the box that holds the rows that count, as `hornbeam.tree.density_boxes`
    writes sides.

    >>> table = Table.learn({"x": [1.0, 3.0], "colour": ["red", "blue"]})
    >>> root_box(table, np.array([True, True]), {"x": (0, 10)})
    (array([0., 0.]), array([10.,  2.]))
    """
    given = _given(support, table.columns)
    found = [_side(table, j, live, given.get(j)) for j in range(len(table.columns))]
    low, high = np.array(found, dtype=np.float64).T
    return low, high


def inside(table: Table, low: Floats, high: Floats) -> Bools:
    """Which rows lie in a box; a category training never saw lies in none."""
    if table.dense is not None:
        return np.asarray(((table.dense >= low) & (table.dense <= high)).all(axis=1), dtype=np.bool_)
    found = np.ones(table.n_rows, dtype=np.bool_)
    for column, array, a, b in zip(table.columns, table.arrays, low, high, strict=True):
        found &= (array >= a) & (array <= b) if column.kind == "numeric" else array >= 0
    return found


def refuse_gaps(table: Table) -> None:
    """Raise if a value is missing: without it nobody knows in which box the row lies."""
    for column, array in zip(table.columns, table.arrays, strict=True):
        gap = np.isnan(array) if column.kind == "numeric" else array == -1
        if gap.any():
            raise ValueError(
                f"Input X contains NaN: column {column.name!r} has no value in row {int(np.argmax(gap))}, and"
                " a density tree needs every value; drop the row, fill the gap, or make it a category"
            )


def _given(support: Any, columns: Sequence[Column]) -> dict[int, Any]:
    """What the user gives for each column, by position."""
    if support is None:
        return {}
    if isinstance(support, Mapping):
        return {_place(name, columns): ends for name, ends in support.items()}
    if isinstance(support, (list, tuple, np.ndarray)):
        if len(columns) == 1 and len(support) == 2 and np.ndim(support[0]) == 0:
            return {0: tuple(support)}
        if len(support) == len(columns):
            return {j: ends for j, ends in enumerate(support) if ends is not None}
    raise ValueError(
        f"support={support!r} must be None for the range of the data, a dict from column to (low, high), or a"
        f" list of one pair (or None) for each of the {len(columns)} columns"
    )


def _place(name: Any, columns: Sequence[Column]) -> int:
    names = [column.name for column in columns]
    if isinstance(name, (int, np.integer)) and not isinstance(name, bool) and 0 <= name < len(columns):
        return int(name)
    if name in names:
        return names.index(name)
    raise ValueError(
        f"support names the column {name!r}, which X does not have{did_you_mean(name, names)}; its columns"
        f" are {', '.join(map(repr, names[:8]))}{', ...' * (len(names) > 8)}"
    )


def _side(table: Table, j: int, live: Bools, given: Any) -> Ends:
    column, array = table.columns[j], table.arrays[j]
    if column.kind != "numeric":
        if given is not None:
            raise ValueError(
                f"support[{column.name!r}]={given!r} is for a column of numbers, but this one is"
                f" {column.kind}: its support are its categories; declare them in the table"
            )
        n = len(column.categories)
        return (0.0, float(n)) if column.kind == "nominal" else (-0.5, n - 0.5)
    low, high = _range(array, live)
    if given is not None:
        ends = _ends(column, given)
        if low < ends[0] or high > ends[1]:
            outside = live & ((array < ends[0]) | (array > ends[1]))
            row = int(np.argmax(outside))
            raise ValueError(
                f"support[{column.name!r}]={given!r} leaves out the value {column.text(float(array[row]))} of"
                f" row {row}: widen it, or drop the row"
            )
        low, high = ends
    if not math.isfinite(high - low):
        raise ValueError(
            f"column {column.name!r} reaches from {low:g} to {high:g}, which is wider than float64 can"
            " measure: divide it by a number"
        )
    return low, high


def _range(array: AnyArray, live: Bools) -> Ends:
    known = array if live.all() else array[live]
    return float(known.min()), float(known.max())


def _ends(column: Column, given: Any) -> Ends:
    """Both ends as numbers of the column; times are given as times."""
    fault = (
        f"support[{column.name!r}]={given!r} must be a pair (low, high) of finite values with low below high"
    )
    if isinstance(given, (str, bytes, Mapping)) or not hasattr(given, "__len__") or len(given) != 2:
        raise ValueError(fault)
    try:
        low, high = match_column(read_cells(list(given), column.name), column).tolist()
    except (TypeError, ValueError):
        raise ValueError(fault) from None
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ValueError(fault)
    return low, high
