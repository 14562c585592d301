"""Drawing rows from a density tree, in the kind of table it was learned from.

A leaf is drawn by its weight, then each value evenly along its side of the leaf's box. Values are
columns of an Arrow table until the end, which every kind of table can be made of.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import narwhals as nw
import numpy as np

from hornbeam._base.types import AnyArray, Floats, Longs
from hornbeam.data.columns import Column
from hornbeam.data.formatting import parse_display
from hornbeam.data.frames import as_frame
from hornbeam.tree.arrays import owners
from hornbeam.tree.density_boxes import boxes
from hornbeam.tree.tree import Tree

ARRAY, COLUMNS, RECORDS = "array", "columns", "records"


def container_of(X: Any) -> str:
    """What kind of table X is: an array, a dict of columns, a list of dicts, or the library of a frame.

    >>> container_of([{"x": 1}]), container_of([[1, 2]])
    ('records', 'array')
    """
    if isinstance(X, Mapping):
        return COLUMNS
    if isinstance(X, (list, tuple)):
        return RECORDS if X and isinstance(X[0], Mapping) else ARRAY
    frame = None if isinstance(X, np.ndarray) else as_frame(X)
    return ARRAY if frame is None else str(frame.implementation)


def draw(tree: Tree, n: int, rng: np.random.Generator) -> list[AnyArray]:
    """Some rows: an array of numbers or codes for each column."""
    leaves = np.flatnonzero(tree.first_child < 0)
    shares = tree.weight[leaves] / tree.weight[leaves].sum()
    leaf = leaves[rng.choice(len(leaves), size=n, p=shares)]
    low, high = _ends(tree, leaf)
    columns: list[AnyArray] = []
    for j, column in enumerate(tree.columns):
        part = rng.random(n)
        if column.kind == "numeric":
            values = low[:, j] + (high[:, j] - low[:, j]) * part
            columns.append(np.clip(values, low[:, j], high[:, j]))
            continue
        count = high[:, j] - low[:, j]
        pick = np.minimum(np.floor(part * count), count - 1).astype(np.int64)
        if column.kind == "ordinal":
            columns.append(np.rint(low[:, j] + 0.5).astype(np.int64) + pick)
        else:
            columns.append(_values_left(tree, j, leaf, pick))
    return columns


def _ends(tree: Tree, leaf: Longs) -> tuple[Floats, Floats]:
    """The box of each leaf drawn."""
    low, high = boxes(tree)
    return low[leaf], high[leaf]


def _values_left(tree: Tree, column: int, leaf: Longs, pick: Longs) -> Longs:
    """The value at the place `pick` among those a nominal column has left in each leaf."""
    source = np.full(len(tree), -1)  # the nearest node at or above each whose parent tests the column
    for nodes in tree.levels():
        tests = nodes[tree.first_child[nodes] >= 0]
        for branch in (0, 1):
            child = tree.first_child[tests] + branch
            source[child] = np.where(tree.column[tests] == column, child, source[tests])
    child = tree.first_child[owners(tree.map_offset)] + tree.map_branch
    order = np.argsort(child, kind="stable")
    start = np.searchsorted(child[order], np.arange(len(tree)))
    whole = source[leaf] < 0
    values: Longs = np.array(pick)
    values[~whole] = tree.map_code[order[start[source[leaf[~whole]]] + pick[~whole]]]
    return values


def as_table(tree: Tree, drawn: list[AnyArray], container: str) -> Any:
    """The rows drawn, as the kind of table the tree was learned from."""
    import pyarrow as pa

    names = [column.name for column in tree.columns]
    if container == ARRAY and all(column.is_number for column in tree.columns):
        return np.column_stack(drawn)
    table = pa.table(
        {name: _arrow(c, array) for name, c, array in zip(names, tree.columns, drawn, strict=True)}
    )
    if container not in (ARRAY, COLUMNS, RECORDS):
        return nw.from_arrow(table, backend=cast(Any, container)).to_native()
    for j, column in enumerate(tree.columns):
        if column.kind == "ordinal":  # only a frame knows the order of its categories
            table = table.set_column(j, column.name, table[j].cast(table[j].type.value_type))
    if container == RECORDS:
        return table.to_pylist()
    columns = {name: table[name].to_numpy() for name in names}
    if container == COLUMNS:
        return columns
    return np.column_stack([columns[name].astype(object) for name in names])


def _arrow(column: Column, array: AnyArray) -> Any:
    """A column of an Arrow table: numbers, times, values, or categories that have an order."""
    import pyarrow as pa

    if column.kind != "numeric":
        values = pa.DictionaryArray.from_arrays(
            pa.array(array.astype(np.int32)), pa.array(column.categories), ordered=column.kind == "ordinal"
        )
        return values if column.kind == "ordinal" else values.dictionary_decode()
    how = parse_display(column.display)
    if not how.is_time:
        return pa.array(array)
    ticks = pa.array(np.floor(array).astype(np.int64))
    if how.family == "datetime64":
        return ticks.cast(pa.timestamp(how.unit, tz=how.zone or None))
    return ticks.cast(pa.duration(how.unit) if how.family == "timedelta64" else pa.time64(how.unit))
