"""Which columns of a table are meant: by the names, positions or mask of a parameter, or by a model.

A name that is not there is answered with the name that was probably meant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hornbeam._base.parameters import did_you_mean, is_whole
from hornbeam.data.columns import Column
from hornbeam.data.frames import TableSource, default_names, open_table

_WORDS = {
    "categorical_features": "'from_dtype', ",
    "parse_dates": "'auto', ",
}  # words that parameters of columns take


def column_mask(parameter: str, value: Any, source: TableSource) -> NDArray[np.bool_]:
    """Which columns the value of a parameter means, by scikit-learn's rules: names, positions or a mask.

    >>> column_mask("categorical_features", ["b"], open_table({"a": [1], "b": [2]}))
    array([False,  True])
    """
    mask = np.zeros(source.n_columns, dtype=bool)
    if value is None:
        return mask
    chosen = [] if isinstance(value, str) else list(value)
    if chosen and all(isinstance(item, (bool, np.bool_)) for item in chosen):
        if len(chosen) != source.n_columns:
            raise ValueError(
                f"{parameter} has {len(chosen)} booleans, but X has {source.n_columns} columns;"
                " give one for each column, or use names"
            )
        return np.array(chosen, dtype=bool)
    has_names = all(isinstance(item, str) for item in chosen)
    if isinstance(value, str) or not (has_names or all(map(is_whole, chosen))):
        raise ValueError(
            f"{parameter}={value!r} must be {_WORDS.get(parameter, '')}None, or a list of column"
            " names, of positions or of booleans; put a single name in a list"
        )
    mask[[_position_of(parameter, item, source) for item in chosen]] = True
    return mask


def _position_of(parameter: str, name: Any, source: TableSource) -> int:
    if not isinstance(name, str):
        if not 0 <= name < source.n_columns:
            raise ValueError(
                f"{parameter} holds the position {name}, which must be one of 0 to"
                f" {source.n_columns - 1}, the columns of X"
            )
        return int(name)
    if source.names is None:
        raise ValueError(
            f"{parameter} names the column {name!r}, but X has no column names;"
            " pass positions or a boolean mask, or a table with names"
        )
    if name not in source.names:
        raise ValueError(
            f"{parameter} names the column {name!r}, which X does not have"
            f"{did_you_mean(name, source.names)}; its columns are {_listing(source.names)}"
        )
    return source.names.index(name)


def excluded_columns(exclude: Any, source: TableSource) -> NDArray[np.bool_]:
    """Which columns the parameter `exclude` leaves out; those of a table without names may be called x0, x1.

    >>> excluded_columns(["x1"], open_table([[1, 2, 3]]))
    array([False,  True, False])
    """
    mask = column_mask("exclude", exclude, replace(source, names=source.column_names()))
    if source.n_columns and mask.all():
        raise ValueError(f"exclude={exclude!r} leaves no column to learn from")
    return mask


def without_excluded(X: Any, exclude: Any, n_columns: int) -> Any:
    """Rows for a model of so many columns: a table without names loses those that training left out.

    A table with names keeps them, since columns that a model does not know are ignored.

    >>> without_excluded([[1, 2, 3]], ["x1"], 2)
    array([[1, 3]])
    """
    if exclude is None or not isinstance(X, (np.ndarray, Sequence)):
        return X
    source = open_table(X)
    if source.array is None or source.n_columns == n_columns:
        return X
    return source.array[:, ~excluded_columns(exclude, source)]


def positions_of(source: TableSource, columns: Sequence[Column], estimator: str) -> list[int]:
    """Where each learned column stands in X.

    >>> positions_of(open_table({"a": [1], "b": [2]}), [Column("b", "numeric")], "Tree")
    [1]
    """
    by_position = list(range(len(columns)))
    if source.names is None:
        check_width(source.n_columns, columns, estimator)
        return by_position
    position_of = {name: position for position, name in enumerate(source.names)}
    learned = tuple(column.name for column in columns)
    lost = [name for name in learned if name not in position_of]
    if not lost:
        return [position_of[name] for name in learned]
    if lost == list(learned) and learned == default_names(len(learned)):  # learned from a table without names
        check_width(source.n_columns, columns, estimator)
        return by_position
    others = f" (nor {_listing(lost[1:])})" if len(lost) > 1 else ""
    hint = did_you_mean(lost[0], source.names)
    raise ValueError(
        f"X has no column {lost[0]!r}{hint}{others}, which {estimator} was fitted"
        f" with; the columns of X are {_listing(source.names)}"
    )


def check_width(n_columns: int, columns: Sequence[Column], estimator: str) -> None:
    """Raise scikit-learn's error if a table without names is too narrow or too wide."""
    if n_columns != len(columns):
        raise ValueError(
            f"X has {n_columns} features, but {estimator} is expecting {len(columns)} features as input."
        )


def _listing(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:8])
    return shown + (f" and {len(names) - 8} more" if len(names) > 8 else "")
