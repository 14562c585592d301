"""The lectures' tables by name: `demo:tennis`.

One idea: a bundled table is read like a file, so what works on a demonstration works on your own table.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from hornbeam._base.parameters import did_you_mean
from hornbeam.data.files.arrow import raw_of
from hornbeam.data.files.request import Asked, Raw
from hornbeam.data.files.table_error import TableError
from hornbeam.teaching.datasets import load, names


def read_demo(name: str, asked: Asked) -> Raw:
    """A bundled table with its target as the last column, and its repetitions, if any, in `count`."""
    if name not in names():
        listed = f"the tables are {', '.join(names())}"
        if not name:
            raise TableError("demo: needs the name of a table", listed)
        raise TableError(f"there is no table demo:{name}{did_you_mean(name, names())}", listed)
    dataset = load(name)
    columns: dict[str, Any] = {}
    for column, values in dataset.X.items():
        columns[column] = _text(values) if dataset.kinds[column] == "nominal" else pa.array(values)
    if dataset.y is not None:
        columns[dataset.target] = pa.array(dataset.y) if dataset.task == "real" else _text(dataset.y)
    if dataset.counts is not None:
        columns["count"] = pa.array(dataset.counts)
    table = pa.table(columns).slice(0, asked.limit)
    whys = {"count": "how often the row stands for itself"} if dataset.counts is not None else {}
    details = {"description": dataset.description}
    return raw_of(table, asked, f"demo:{name}", details=details, whys=whys, target=dataset.target or None)


def _text(values: list[Any]) -> Any:
    return pa.array([None if value is None else str(value) for value in values], pa.string())
