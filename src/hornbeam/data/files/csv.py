"""CSV and TSV: text cells with a delimiter between them.

One idea: a sample (the head of the file and slices from further on) decides what to tell Arrow's reader,
which does the work. A cell that contradicts the sample makes its column be read as text and judged by all its
values, so what is found hardly depends on where the sample lay. `csv_dialect` finds out how the file is
written, `csv_column_kinds` what its columns are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from hornbeam.data.files.arrow_stream import ArrowStream
from hornbeam.data.files.column_types import (
    header_names,
    renamed_columns,
    shape_column,
    table_slices,
    whole_as_floats,
)
from hornbeam.data.files.csv_column_kinds import guess_columns, settle_column, writing_of
from hornbeam.data.files.csv_dialect import MAX_COLUMNS, Dialect, sniff
from hornbeam.data.files.csv_parser import (
    MOST_BYTES,
    TEXT,
    block_size,
    column_at_fault,
    explain_error,
    is_cut_line,
    options_for,
    parse_delimited,
)
from hornbeam.data.files.request import ColumnDeclaration, RawTable, ReadRequest
from hornbeam.data.files.source import Source
from hornbeam.data.files.table_error import TableError
from hornbeam.data.files.text_bytes import LONGEST_LINE, checked_encoding, decode_text, encoding_of

_BLOCK = 1 << 20  # bytes; Arrow reads some blocks ahead


def read_delimited(source: Source, request: ReadRequest) -> RawTable:
    """The whole of a delimited file."""
    source.keep()
    dialect, names, is_bare, renamed = _opening(source, request)
    if is_bare:
        raise TableError(f"{source.name} has columns but no rows", "give a file with at least one row")
    guesses = guess_columns(source, request, dialect, names)
    table, dialect = parse_delimited(source, request, dialect, names, guesses)
    columns: dict[str, Any] = {}
    whys: dict[str, str] = {}
    formats: dict[str, str] = {}
    marks: set[str] = set()
    for j, name in enumerate(names):
        declared = request.declared.get(name)
        if declared is None or declared.kind != "drop":
            columns[name], guessed = settle_column(table.column(j), name, declared, guesses[j], dialect)
            marks.update(mark.strip() for mark in guessed.marks)
            again = f"another column called {renamed[name]}" if name in renamed else ""
            whys[name] = "; ".join(filter(None, (again, guessed.why)))
            if guessed.format and declared is None:
                formats[name] = guessed.format
    details = {
        "encoding": dialect.encoding,
        "delimiter": dialect.delimiter,
        "header": dialect.header,
        "decimal": dialect.decimal,
        "quote": dialect.quote,
        "missing": sorted(marks) if dialect.missing is None else list(dialect.missing),
    }
    return RawTable(
        pa.table(columns), details, whys, dropped=frozenset(names) - set(columns), formats=formats
    )


def stream_delimited(source: Source, request: ReadRequest, rows: int) -> Iterator[Any]:
    """Batches of a delimited file whose columns are declared; others are text.

    Arrow reads numbers fastest by itself. Where it cannot (+5 is one), the column is read as text from there
    on, which needs a file that can be opened again; of a stream, all columns are read as text at once.
    """
    dialect, names, is_bare, _ = _opening(source, request)
    if is_bare:
        return
    declared = [request.declared.get(name) or ColumnDeclaration("nominal") for name in names]
    fast = source.can_reopen
    types = {j: pa.float64() if fast and d.kind == "numeric" else TEXT for j, d in enumerate(declared)}
    marks = request.marks if request.missing is None else request.missing
    writings = [writing_of(dialect, d.kind, marks) for d in declared]
    nulls = [*marks, *(" " + mark for mark in marks)]
    done, block = 0, block_size(source, _BLOCK)
    while True:
        options = options_for(dialect, len(names), types, nulls, newlines=True, block=block)
        try:
            with ArrowStream(source, options) as reader:
                for batch in _pieces(reader, done, rows):
                    columns = zip(names, batch.columns, declared, writings, strict=True)
                    yield whole_as_floats(
                        pa.table({n: shape_column(c, n, d, w) for n, c, d, w in columns if d.kind != "drop"})
                    )
                    done += batch.num_rows
            return
        except (pa.ArrowInvalid, UnicodeError) as error:
            fault = column_at_fault(error, types)
            if fast and fault is not None:
                types[fault] = TEXT
            elif fast and is_cut_line(error) and block < MOST_BYTES:
                block = min(8 * block, MOST_BYTES)
            else:
                raise explain_error(error, source, names, dialect) from None


def _pieces(reader: Any, skip: int, rows: int) -> Iterator[Any]:
    """The batches of a reader behind the first `skip` rows, none longer than `rows`."""
    for batch in reader:
        start = min(skip, batch.num_rows)
        skip -= start
        yield from table_slices(batch.slice(start), rows)


# Opening ----------------------------------------------------------------------------------------------------


def _opening(source: Source, request: ReadRequest) -> tuple[Dialect, list[str], bool, dict[str, str]]:
    """The dialect, the names of columns, whether the file is only a header, and names that occurred twice."""
    if not source.head.strip(b"\r\n\t \xef\xbb\xbf"):
        raise TableError(f"{source.name} is empty", "give a file with a header or at least one row")
    source.look_on(lambda head: _tells(head, request.dialect.delimiter))
    is_whole = source.is_whole
    encoding = (
        checked_encoding(request.encoding)
        if request.encoding
        else encoding_of(source.head, source.name, is_whole=is_whole)
    )
    dialect = replace(request.dialect, encoding=encoding)
    text = decode_text(source.head, encoding, source.name, is_whole=is_whole).lstrip("\ufeff")
    if "\0" in text:
        raise TableError(
            f"{source.name} holds bytes that are no text", "name its format (format=) or its encoding"
        )
    dialect, rows = sniff(text, dialect, source.name, is_whole=is_whole)
    names, renamed = renamed_columns(header_names(rows[0], has_header=bool(dialect.header)))
    if len(names) > MAX_COLUMNS:
        raise TableError(f"{source.name} has {len(names):,} columns, but at most {MAX_COLUMNS:,} are read")
    return dialect, names, is_whole and bool(dialect.header) and len(rows) == 1, renamed


def _tells(head: bytes, delimiter: str | None) -> bool:
    """Whether there are lines to read, or a first one that has too many cells or is too long for a table."""
    if head.count(b"\n") + head.count(b"\r") > 1 or len(head) > LONGEST_LINE:
        return True
    return max(map(head.count, (*b"\t;|,", (delimiter or ",").encode()))) >= MAX_COLUMNS


# Writing --------------------------------------------------------------------------------------------------
# Text is always quoted and gaps are always bare, so no cell can be taken for two; in a table of one
# column a gap is a pair of quotes, because an empty line is no row.

_FORMULA = r"^[=+\-@\t\r]"


def write_delimited(table: Any, file: Any, *, delimiter: str = ",", escape_formulas: bool = False) -> None:
    """Write a table as delimited text in UTF-8."""
    columns = {}
    for name in table.column_names:
        column = table.column(name)
        if pa.types.is_dictionary(column.type):
            column = column.cast(pa.string())
            if escape_formulas:
                column = defuse_formulas(column)
        columns[defuse_formulas(pa.array([name]))[0].as_py() if escape_formulas else name] = _written(column)
    table = pa.table(columns)
    if table.num_columns == 1 and table.column(0).null_count:
        table = pa.table({table.column_names[0]: pc.fill_null(table.column(0).cast(pa.string()), "")})
    pacsv.write_csv(table, file, pacsv.WriteOptions(delimiter=delimiter))


def defuse_formulas(texts: Any) -> Any:
    """Texts with an apostrophe before those that a spreadsheet would run.

    >>> defuse_formulas(pa.array(["=1+1", "a"])).to_pylist()
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
