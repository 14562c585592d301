"""Which column is which: those the user calls categorical, and where learned columns stand in a new table.

One idea: a name that is not there is answered with the name that was probably meant.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hornbeam._base.parameters import did_you_mean
from hornbeam.data.columns import Column
from hornbeam.data.frames import Source, default_names


def nominal_mask(categorical_features: Any, source: Source) -> NDArray[np.bool_]:
    """Which columns the user calls categorical, by scikit-learn's rules: names, positions or a mask.

    >>> from hornbeam.data.frames import open_table
    >>> nominal_mask(["b"], open_table({"a": [1], "b": [2]}))
    array([False,  True])
    """
    mask = np.zeros(source.n_columns, dtype=bool)
    if categorical_features is None:
        return mask
    chosen = [] if isinstance(categorical_features, str) else list(categorical_features)
    if chosen and all(isinstance(item, (bool, np.bool_)) for item in chosen):
        if len(chosen) != source.n_columns:
            raise ValueError(
                f"categorical_features has {len(chosen)} booleans, but X has {source.n_columns} columns;"
                " give one for each column, or use names"
            )
        return np.array(chosen, dtype=bool)
    if isinstance(categorical_features, str) or not (_all_names(chosen) or _all_positions(chosen)):
        raise ValueError(
            f"categorical_features={categorical_features!r} must be 'from_dtype', None, or a list of column"
            " names, of positions or of booleans; put a single name in a list"
        )
    mask[[_place_of(item, source) for item in chosen]] = True
    return mask


def _all_names(chosen: Sequence[Any]) -> bool:
    return all(isinstance(item, str) for item in chosen)


def _all_positions(chosen: Sequence[Any]) -> bool:
    return all(isinstance(item, (int, np.integer)) and not isinstance(item, bool) for item in chosen)


def _place_of(name: Any, source: Source) -> int:
    if not isinstance(name, str):
        if not 0 <= name < source.n_columns:
            raise ValueError(
                f"categorical_features holds the position {name}, which must be one of 0 to"
                f" {source.n_columns - 1}, the columns of X"
            )
        return int(name)
    if source.names is None:
        raise ValueError(
            f"categorical_features names the column {name!r}, but X has no column names;"
            " pass positions or a boolean mask, or a table with names"
        )
    if name not in source.names:
        raise ValueError(
            f"categorical_features names the column {name!r}, which X does not have"
            f"{did_you_mean(name, source.names)}; its columns are {_listing(source.names)}"
        )
    return source.names.index(name)


def places_of(source: Source, columns: Sequence[Column], estimator: str) -> list[int]:
    """Where each learned column stands in X.

    >>> from hornbeam.data.frames import open_table
    >>> places_of(open_table({"a": [1], "b": [2]}), [Column("b", "numeric")], "Tree")
    [1]
    """
    by_position = list(range(len(columns)))
    if source.names is None:
        check_width(source.n_columns, columns, estimator)
        return by_position
    place_of = {name: place for place, name in enumerate(source.names)}
    wanted = tuple(column.name for column in columns)
    lost = [name for name in wanted if name not in place_of]
    if not lost:
        return [place_of[name] for name in wanted]
    if lost == list(wanted) and wanted == default_names(len(wanted)):  # learned from a table without names
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
