"""Raw values: what the user wrote in one row, before it became numbers and codes.

One idea: a row may be a dict, a Series, a list or a table of one row; each is asked in its own way for one
column.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hornbeam.data.frames import open_table


def raw_value(row: Any, place: int, name: str) -> Any:
    """The value of one column as the user gave it; None where it is missing.

    >>> raw_value({"city": "Brno"}, 0, "city"), raw_value([None, 3.0], 1, "age")
    ('Brno', 3.0)
    """
    value = _found(row, place, name)
    return None if is_nothing(value) else value


def is_nothing(value: Any) -> bool:
    """Whether a value stands for no value."""
    return value is None or type(value).__name__ in ("NAType", "NaTType") or value != value


def _found(row: Any, place: int, name: str) -> Any:
    if getattr(row, "ndim", None) == 1 and hasattr(row, "to_dict"):
        row = row.to_dict()
    if isinstance(row, Mapping):
        value = row[name]
        return value[0] if isinstance(value, list | np.ndarray) else value
    if getattr(row, "ndim", None) == 1 or (isinstance(row, list | tuple) and not isinstance(row[0], Mapping)):
        return row[place] if not isinstance(row[0], list | tuple) else row[0][place]
    source = open_table(row)
    values = source.get(source.names.index(name) if source.names is not None else place)
    return next(iter(values))
