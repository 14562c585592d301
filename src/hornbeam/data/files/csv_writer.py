"""Writing CSV and TSV, through Arrow.

One idea: text is always quoted and gaps are always bare, so no cell can be taken for two; in a table of one
column a gap is a pair of quotes, because an empty line is no row.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

_FORMULA = r"^[=+\-@\t\r]"


def write_delimited(table: Any, file: Any, *, delimiter: str = ",", escape_formulas: bool = False) -> None:
    """Write a table as delimited text in UTF-8."""
    columns = {}
    for name in table.column_names:
        column = table.column(name)
        if pa.types.is_dictionary(column.type):
            column = column.cast(pa.string())
            if escape_formulas:
                column = harmless(column)
        columns[harmless(pa.array([name]))[0].as_py() if escape_formulas else name] = _written(column)
    table = pa.table(columns)
    if table.num_columns == 1 and table.column(0).null_count:
        table = pa.table({table.column_names[0]: pc.fill_null(table.column(0).cast(pa.string()), "")})
    pacsv.write_csv(table, file, pacsv.WriteOptions(delimiter=delimiter))


def harmless(texts: Any) -> Any:
    """Texts with an apostrophe before those that a spreadsheet would run.

    >>> harmless(pa.array(["=1+1", "a"])).to_pylist()
    ["'=1+1", 'a']
    """
    return pc.if_else(
        pc.match_substring_regex(texts, _FORMULA), pc.binary_join_element_wise("'", texts, ""), texts
    )


def _written(column: Any) -> Any:
    """A column of a type that Arrow's writer knows."""
    if pa.types.is_timestamp(column.type) and column.type.tz is not None:
        return pc.strftime(column.cast(pa.timestamp("us", tz="UTC")), format="%Y-%m-%dT%H:%M:%SZ")
    if pa.types.is_duration(column.type):
        return column.cast(pa.int64())
    return column
