"""Writing C4.5's pair of files.

One idea: the last column is the class, as in the format itself; text with commas, full stops, colons or bars
has a backslash before each.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pyarrow as pa

from hornbeam._base.atomic import atomic_files
from hornbeam.data.files.table_error import CHECK_DISK, TableError, guarded
from hornbeam.data.files.text_columns import values_to_declare
from hornbeam.data.files.text_rows import write_rows

_SPECIAL = re.compile(r"([\\,|:.?])")


def write_c45(table: Any, target: Any) -> None:
    """Write NAME.names and NAME.data; the last column must be categories."""
    if not isinstance(target, (str, os.PathLike)):
        raise TableError("C4.5 keeps a table in two files", "give a path, such as 'weather.names'")
    if table.num_columns < 2:
        raise TableError("C4.5 needs a column and a class after it", "add the class as the last column")
    columns = {name: _categories(table.column(name)) for name in table.column_names}
    *names, last = table.column_names
    if not pa.types.is_dictionary(columns[last].type):
        raise TableError(
            f"the last column, {last!r}, is the class of C4.5 and must be categories",
            "put the class last, as text",
        )
    lines = [_listed(columns[last], last) + "."]
    for name in names:
        kind = _listed(columns[name], name) if pa.types.is_dictionary(columns[name].type) else "continuous"
        lines.append(f"{escaped(name)}: {kind}.")
    path = Path(os.fspath(target)).expanduser()
    with guarded(path.name, "written as C4.5", CHECK_DISK):
        pair = path.with_suffix(".names"), path.with_suffix(".data")
        with atomic_files(*pair) as (names_file, data_file):
            names_file.write(("\n".join(lines) + "\n").encode())
            write_rows(pa.table(columns), data_file, escaped, {})


def escaped(text: str) -> str:
    r"""A name or value with a backslash before what has a meaning.

    >>> print(escaped("a.b, c"))
    a\.b\, c
    """
    if text != " ".join(text.split()) or not text:
        raise TableError(
            f"the text {text[:40]!r} cannot be written for C4.5", "it keeps no spaces at the ends or twice"
        )
    return "N\\/A" if text == "N/A" else _SPECIAL.sub(r"\\\1", text)  # bare, it is a gap in C5.0


def _categories(column: Any) -> Any:
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.string()).dictionary_encode()
    if pa.types.is_timestamp(column.type):
        raise TableError("C4.5 has no dates", "drop the column, or write it as numbers")
    if pa.types.is_dictionary(column.type):
        return pa.chunked_array([column.unify_dictionaries().combine_chunks()])
    return column


def _listed(column: Any, name: str) -> str:
    values = values_to_declare(column)
    if not values:
        raise TableError(f"column {name!r} has no values", "drop it")
    return ", ".join(map(escaped, values))
