"""New rows near those of a table: a row with some of its values replaced by those of a row close to it.

A new row is written as the row that each of its values comes from, so that whatever the cells are (numbers,
text, categories, gaps) is taken over as it is, in a table of the same kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hornbeam._base.types import AnyArray, Floats, Longs
from hornbeam.data.frames import is_arrow_table, is_pandas_frame
from hornbeam.data.table import Table
from hornbeam.data.train_validation_test import take_rows

CANDIDATES = 20  # rows drawn at random, of which the closest is taken


def near_rows(table: Table, weight: Floats, n_new: int, seed: int) -> Longs:
    """For each new row and column the row that the value comes from: an array (new rows, columns).

    A row is drawn, as likely as its weight says, and another one close to it: the closest of 20 drawn at
    random. Each column takes the value of either, as likely as not. Two numbers are as far apart as the
    share of the rows between them, two categories 0 or 1, and so are a gap and a value.

    >>> table = Table.learn({"x": [1.0, 2.0, 9.0], "city": ["Brno", "Brno", "Cheb"]})
    >>> near_rows(table, np.ones(3), 2, seed=0).shape
    (2, 2)
    """
    random = np.random.default_rng(seed)
    n_columns = len(table.columns)
    upto = np.cumsum(weight)
    base = np.minimum(np.searchsorted(upto, random.random(n_new) * upto[-1], side="right"), len(weight) - 1)
    others = random.integers(0, table.n_rows, (n_new, CANDIDATES))
    distance = np.zeros((n_new, CANDIDATES))
    for column, array in zip(table.columns, table.arrays, strict=True):
        places = _places(array) if column.is_number else array.astype(np.float64)
        far = np.abs(places[others] - places[base][:, None])
        distance += far if column.is_number else np.minimum(far, 1.0)
    distance[others == base[:, None]] = np.inf  # no row is close to itself
    other = others[np.arange(n_new), np.argmin(distance, axis=1)]
    takes_other = random.random((n_new, n_columns)) < 0.5
    sources: Longs = np.where(takes_other, other[:, None], base[:, None])
    return sources


def _places(values: AnyArray) -> Floats:
    """The place of each number among all, from 0 to 1, equal ones in the middle; gaps are at 2."""
    known = ~np.isnan(values)
    ordered = np.sort(values[known])
    below, upto = np.searchsorted(ordered, values), np.searchsorted(ordered, values, side="right")
    return np.where(known, (below + upto) / max(2 * len(ordered), 1), 2.0)


def assemble_rows(X: Any, sources: Longs) -> Any:
    """The table, of the kind of X, whose cell in row i and column j is that of row `sources[i, j]` of X.

    >>> assemble_rows({"x": [1, 2, 3], "y": ["a", "b", "c"]}, np.array([[2, 0], [1, 1]]))
    {'x': [3, 2], 'y': ['a', 'b']}
    """
    columns = [sources[:, j] for j in range(sources.shape[1])]
    if isinstance(X, np.ndarray):
        return np.take_along_axis(X, sources, axis=0)
    if is_arrow_table(X):
        return type(X).from_arrays(
            [column.take(rows) for column, rows in zip(X.columns, columns, strict=True)], schema=X.schema
        )
    if is_pandas_frame(X):
        import pandas as pd

        taken = [X.iloc[:, j].take(rows).reset_index(drop=True) for j, rows in enumerate(columns)]
        return pd.concat(taken, axis=1)
    if isinstance(X, Mapping):
        return {name: take_rows(X[name], rows) for name, rows in zip(X, columns, strict=True)}
    if isinstance(X, list) and X and isinstance(X[0], Mapping):
        keys = list(dict.fromkeys(key for row in X for key in row))
        return [
            {key: X[i][key] for key, i in zip(keys, rows, strict=True) if key in X[i]}
            for rows in sources.tolist()
        ]
    if isinstance(X, list):
        return [[X[i][j] for j, i in enumerate(rows)] for rows in sources.tolist()]
    if hasattr(X, "get_columns"):  # polars
        return type(X)([column[rows] for column, rows in zip(X.get_columns(), columns, strict=True)])
    raise TypeError(
        f"X is of type {type(X).__name__!r}, of which no new rows can be made: use new_rows=0, or a pandas,"
        " polars or pyarrow table, a numpy array, a dict of columns or a list of dicts"
    )
