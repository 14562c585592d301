"""Writing ARFF.

One idea: categories keep the declared order of their values, which is all ARFF can say of an order, or are
sorted; booleans become the categories false and true.
"""

from __future__ import annotations

import re
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from hornbeam.data.files.text_columns import values_to_declare
from hornbeam.data.files.text_rows import write_rows

_PLAIN = re.compile(r"[\w.+/:;=<>!&*()$#^~@-]+", re.ASCII)
_ESCAPES = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0", "%": "\\%"}
_SECONDS = ("%Y-%m-%dT%H:%M:%S", "yyyy-MM-dd'T'HH:mm:ss")


def write_arff(table: Any, file: Any) -> None:
    """Write a table as ARFF in UTF-8."""
    columns, dates, lines = {}, {}, ["@relation table", ""]
    for name in table.column_names:
        column = table.column(name)
        declared = "numeric"
        if pa.types.is_boolean(column.type):
            declared, column = "{false,true}", column.cast(pa.string()).dictionary_encode()
        elif pa.types.is_dictionary(column.type):
            column = pa.chunked_array([column.unify_dictionaries().combine_chunks()])
            values = values_to_declare(column)
            declared = "{" + ",".join(map(quoted, values)) + "}" if values else "string"
        elif pa.types.is_timestamp(column.type):
            column, dates[name], declared = _dates(column)
        elif pa.types.is_integer(column.type):
            declared = "integer"
        columns[name] = column
        lines.append(f"@attribute {quoted(name)} {declared}")
    file.write("\n".join([*lines, "", "@data", ""]).encode())
    write_rows(pa.table(columns), file, quoted, dates)


def quoted(text: str) -> str:
    r"""A name or value, in quotes if it needs them.

    >>> print(quoted("red"), quoted("it's 5%"))
    red 'it\'s 5\%'
    """
    if _PLAIN.fullmatch(text):
        return text
    return "'" + "".join(_ESCAPES.get(letter, letter) for letter in text) + "'"


def _dates(column: Any) -> tuple[Any, str, str]:
    """The column at the precision it needs, its strftime format and its declaration."""
    if column.type.tz is not None:
        column = column.cast(pa.timestamp("us", tz="UTC")).cast(pa.timestamp("us"))
    whole = pc.all(pc.equal(pc.subsecond(column), 0.0)).as_py()
    if whole is False:
        fraction = "SSS" if _is_exact(column, "ms") else "SSSSSS"
        column = column.cast(pa.timestamp("ms" if fraction == "SSS" else "us"))
        return column, _SECONDS[0], f'date "{_SECONDS[1]}.{fraction}"'
    return column.cast(pa.timestamp("s")), _SECONDS[0], f'date "{_SECONDS[1]}"'


def _is_exact(column: Any, unit: str) -> bool:
    try:
        column.cast(pa.timestamp(unit))
    except pa.ArrowInvalid:
        return False
    return True
