"""Columns to lines of text, for the formats that Arrow does not write.

One idea: only distinct categories are quoted, numbers are written by Arrow, and a line is one join of
columns; no loop runs over rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

_ROWS = 1 << 16


def write_rows(table: Any, file: Any, quote: Callable[[str], str], dates: dict[str, str]) -> None:
    """Write the rows: commas between cells, ? for gaps, `dates` by their strftime formats."""
    for start in range(0, table.num_rows, _ROWS):
        piece = table.slice(start, _ROWS)
        cells = [
            _cells(piece.column(j), quote, dates.get(name, "")) for j, name in enumerate(table.column_names)
        ]
        lines = pc.binary_join_element_wise(*cells, ",") if len(cells) > 1 else cells[0]
        file.write(("\n".join(lines.to_pylist()) + "\n").encode())


def _cells(column: Any, quote: Callable[[str], str], pattern: str) -> Any:
    if pa.types.is_dictionary(column.type):
        column = column.unify_dictionaries().combine_chunks()
        values = pa.array([quote(value) for value in column.dictionary.to_pylist()], pa.string())
        texts = values.take(column.indices)
    elif pattern:
        texts = pc.strftime(column, format=pattern)
    elif pa.types.is_time(column.type) or pa.types.is_duration(column.type):
        texts = column.cast(pa.int64()).cast(pa.string())
    else:
        texts = column.cast(pa.string())
    texts = texts.combine_chunks() if isinstance(texts, pa.ChunkedArray) else texts
    return pc.fill_null(texts, "?")
