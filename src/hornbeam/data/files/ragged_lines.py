"""The sentence for a line that has more or fewer cells than the others.

One idea: Arrow reads in blocks and cannot say where it was; only when a file is refused is it walked through
once more, to name the line.
"""

from __future__ import annotations

import io

from hornbeam.data.files.csv_dialect import Dialect, csv_reader
from hornbeam.data.files.source import Source
from hornbeam.data.files.table_error import TableError


def ragged_sentence(source: Source, dialect: Dialect, width: int) -> TableError:
    """Name the first line whose number of cells is not `width`."""
    hint = "mend the line, or name the delimiter and the quote if they were guessed wrongly"
    where = "a line"
    count = ""
    if source.can_reopen:
        line, cells = _first(source, dialect, width)
        if line:
            where, count = f"line {line:,}", f"{cells:,} cell{'s' * (cells != 1)}"
    told = f"has {count} where {width:,} are expected" if count else f"does not have {width:,} cells"
    return TableError(f"{where} of {source.name} {told}", hint)


def _first(source: Source, dialect: Dialect, width: int) -> tuple[int, int]:
    with source.open() as file:
        text = io.TextIOWrapper(file, encoding=dialect.encoding, errors="replace", newline="")
        start = 1
        with csv_reader(text, dialect.delimiter or ",", dialect.quote or "") as reader:
            for row in reader:
                if row and len(row) != width:
                    return start, len(row)
                start = reader.line_num + 1
    return 0, 0
