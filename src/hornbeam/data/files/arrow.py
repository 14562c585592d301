"""From an Arrow table of any origin to shaped columns.

One idea: names are checked, what is declared is applied, and every column gets a type that a Sheet holds; the
same for Parquet, Feather, JSON lines and Excel.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from hornbeam.data.files.column_names import refuse_twins
from hornbeam.data.files.column_types import shape
from hornbeam.data.files.request import Asked, Raw
from hornbeam.data.files.text_columns import Writing


def raw_of(table: Any, asked: Asked, name: str, **rest: Any) -> Raw:
    """What `shaped` gives, as a format gives it back."""
    return Raw(shaped(table, asked, name), dropped=frozenset(map(str, table.column_names)), **rest)


def sound(table: Any) -> Any:
    """The table, once Arrow has found nothing wrong with it.

    Arrow believes binary files: offsets of a damaged one lead anywhere in memory, its text may be none.
    """
    table.validate(full=True)
    return table


def steady(table: Any) -> Any:
    """Whole numbers as floats: what is whole in one batch need not be in the next."""
    whole = [pa.types.is_integer(field.type) for field in table.schema]
    columns = [
        column.cast(pa.float64(), safe=False) if is_whole else column
        for column, is_whole in zip(table.columns, whole, strict=True)
    ]
    return pa.table(columns, names=table.column_names)


def shaped(table: Any, asked: Asked, name: str) -> Any:
    """The table with the columns that are not dropped, each shaped; marks of gaps apply if they were given.

    >>> shaped(pa.table({"a": [1.5], "b": ["x"]}), Asked(), "t").schema.types[1].value_type
    DataType(string)
    """
    names = list(map(str, table.column_names))
    refuse_twins(names, name)
    writing = Writing(marks=asked.missing or ())
    columns = {}
    for j, column in enumerate(names):
        declared = asked.declared.get(column)
        if declared is None or declared.kind != "drop":
            columns[column] = shape(table.column(j), column, declared, writing)
    return pa.table(columns)
