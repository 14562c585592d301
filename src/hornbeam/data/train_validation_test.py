"""Parting rows into training, validation and test rows.

One idea: a row's place is drawn from what it holds and a seed, not from where it stands. Rows are dealt in
the order of a hash of their cells, so that the portions are the same whatever the order of the rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hornbeam._base.parameters import is_number, seed_of
from hornbeam._base.types import Longs, Task
from hornbeam.data.folds import row_numbers
from hornbeam.data.table import Table
from hornbeam.data.target import Target


class Portion(NamedTuple):
    """Some rows of the user's table: `X`, `y`, and their positions `rows` in the whole."""

    X: Any
    y: Any
    rows: Longs


class Portions(NamedTuple):
    """Training, validation and test rows."""

    train: Portion
    validation: Portion
    test: Portion


def train_validation_test(
    X: Any,
    y: Any = None,
    shares: Sequence[float] = (0.6, 0.2, 0.2),
    *,
    stratify: Any = None,
    random_state: Any = 0,
) -> Portions:
    """Part a table into training, validation and test rows.

    The training rows grow a tree, the validation rows select its size, the test rows judge what was selected.
    The parts depend on what the rows hold and on the seed, not on the order of the rows.

    Parameters
    ----------
    X : a pandas, polars or pyarrow table, a numpy array, a dict of columns or a list of dicts
    y : one outcome for each row, or None
    shares : three numbers that add up to 1
        The shares of training, validation and test rows; one that is 0 makes an empty part.
    stratify : one value for each row, or None
        Rows of each value are parted by the same shares; for classes give y.
    random_state : int, Generator, RandomState or None
        The seed.

    Returns
    -------
    Portions
        `train`, `validation` and `test`, each with `X`, `y` and `rows`, the positions in the whole table.

    Examples
    --------
    >>> parts = train_validation_test({"x": [1, 2, 3, 4, 5]}, list("aabbb"), (0.6, 0.2, 0.2))
    >>> [len(part.y) for part in parts]
    [3, 1, 1]
    >>> parts.train.X["x"], parts.train.y, parts.train.rows
    ([1, 2, 5], ['a', 'a', 'b'], array([0, 1, 4]))
    """
    chosen = rows_of_parts(X, y, shares, stratify=stratify, random_state=random_state)
    return Portions(
        *(Portion(take_rows(X, rows), None if y is None else take_rows(y, rows), rows) for rows in chosen)
    )


def rows_of_parts(
    X: Any, y: Any, shares: Sequence[float], *, stratify: Any = None, random_state: Any = 0
) -> list[Longs]:
    """The positions of the training, validation and test rows of `train_validation_test`."""
    sizes = _shares(shares)
    table = Table.learn(X)
    for name, values in (("y", y), ("stratify", stratify)):
        if values is not None and len(values) != table.n_rows:
            raise ValueError(f"X has {table.n_rows} rows and {name} has {len(values)}: give one for each row")
    groups = _groups(stratify, "stratify", table.n_rows)
    outcomes = _groups(y, "y", table.n_rows)
    target = Target(Task.REAL, values=outcomes.astype(np.float64))
    order = np.lexsort((row_numbers(table, target, seed_of(random_state)), groups))
    part = np.empty(table.n_rows, dtype=np.int64)
    part[order] = _dealt(np.bincount(groups), sizes)
    return [np.flatnonzero(part == k) for k in range(3)]


def _shares(shares: Any) -> NDArray[np.float64]:
    if isinstance(shares, np.ndarray):
        shares = shares.tolist()
    sound = isinstance(shares, (list, tuple)) and len(shares) == 3
    sound = sound and all(is_number(s) and 0 <= s <= 1 for s in shares)
    if not sound or abs(sum(shares) - 1) > 1e-9:
        raise ValueError(
            f"shares={shares!r} must be three numbers of at least 0 that add up to 1: the shares of training,"
            " validation and test rows"
        )
    return np.array(shares, dtype=np.float64)


def _groups(values: Any, name: str, n_rows: int) -> Longs:
    """A number for each distinct value, the same for any order of the rows; all 0 if there are none."""
    if values is None:
        return np.zeros(n_rows, dtype=np.int64)
    array = np.asarray(values.to_numpy() if hasattr(values, "to_numpy") else values)
    if array.ndim != 1:
        raise ValueError(f"{name} must hold one value for each row, but its shape is {array.shape}")
    if array.dtype.kind == "O":
        array = array.astype(str)
    return np.unique(array, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _dealt(sizes: Longs, shares: NDArray[np.float64]) -> Longs:
    """The part of each row, group after group; what rounding leaves over in one group goes on to the next."""
    parts = []
    due = np.zeros(3)
    for size in sizes.tolist():
        due += size * shares
        n_each = np.maximum(np.floor(due + 1e-9), 0).astype(np.int64)
        while n_each.sum() < size:  # the parts that lack most get the rest, the first of equals first
            n_each[int(np.argmax(due - n_each))] += 1
        while n_each.sum() > size:
            n_each[int(np.argmin(np.where(n_each > 0, due - n_each, np.inf)))] -= 1
        due -= n_each
        parts.append(np.repeat(np.arange(3), n_each))
    return np.concatenate(parts)


def take_rows(data: Any, rows: Longs) -> Any:
    """Some rows of a table or column as the same kind of thing.

    >>> take_rows({"x": [1, 2, 3]}, np.array([2, 0]))
    {'x': [3, 1]}
    """
    if isinstance(data, Mapping):
        return {name: take_rows(column, rows) for name, column in data.items()}
    if hasattr(data, "iloc"):
        return data.iloc[rows]
    if isinstance(data, (list, tuple, range)):
        kind = list if isinstance(data, range) else type(data)
        return kind(data[i] for i in rows.tolist())
    if hasattr(data, "take") and not isinstance(data, np.ndarray):  # pyarrow
        return data.take(rows)
    return data[rows]
