"""CSV and TSV: text cells with a delimiter between them.

One idea: a sample (the head of the file and slices from further on) decides what to tell Arrow's reader,
which does the work. A cell that contradicts the sample makes its column be read as text and judged by all its
values, so what is found hardly depends on where the sample lay.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from hornbeam.data.files.character_encoding import checked_encoding, decoded, encoding_of
from hornbeam.data.files.column_names import header_names
from hornbeam.data.files.column_types import shape
from hornbeam.data.files.csv_dialect import MAX_COLUMNS, Dialect, sniff
from hornbeam.data.files.csv_parser import (
    MOST_BYTES,
    TEXT,
    block_size,
    column_at_fault,
    is_cut_line,
    options_for,
    parsed,
    text_table,
    translated,
    whole_lines,
)
from hornbeam.data.files.declared_columns import Declared
from hornbeam.data.files.file_samples import slices
from hornbeam.data.files.kinds import LARGE, WORDS, Guess, guess
from hornbeam.data.files.long_lines import LONGEST_LINE
from hornbeam.data.files.request import Asked, Raw
from hornbeam.data.files.source import Source
from hornbeam.data.files.table_error import TableError
from hornbeam.data.files.text_columns import Writing, as_dictionary, used_values

_KINDS = {"whole": "numeric", "real": "numeric", "empty": "numeric"}
_EXACT = 2**53
_BLOCK = 1 << 20  # bytes; Arrow reads some blocks ahead


def read_delimited(source: Source, asked: Asked) -> Raw:
    """The whole of a delimited file."""
    source.keep()
    dialect, names, is_bare = _opening(source, asked)
    if is_bare:
        raise TableError(f"{source.name} has columns but no rows", "give a file with at least one row")
    is_whole = source.is_whole
    guesses = _guesses(source, asked, dialect, names, is_whole=is_whole)
    table, dialect = parsed(source, asked, dialect, names, guesses)
    arrays: list[Any] = []
    kinds: dict[str, str] = {}
    whys: dict[str, str] = {}
    marks: set[str] = set()
    for j, name in enumerate(names):
        declared = asked.declared.get(name)
        if declared is not None and declared.kind == "drop":
            continue
        array, found = _column(table.column(j), name, declared, guesses[j], dialect)
        marks.update(mark.strip() for mark in found.marks)
        arrays.append(array)
        kinds[name], whys[name] = found.kind, found.why
    data = pa.table(arrays, names=list(kinds))
    missing = sorted(marks) if dialect.missing is None else list(dialect.missing)
    return Raw(data, _details(dialect, missing), whys, dropped=frozenset(names) - set(kinds))


def stream_delimited(source: Source, asked: Asked, rows: int) -> Iterator[Any]:
    """Batches of a delimited file whose columns are declared; others are text.

    Arrow reads numbers fastest by itself. Where it cannot (+5 is one), the column is read as text from there
    on, which needs a file that can be opened again; of a stream, all columns are read as text at once.
    """
    dialect, names, is_bare = _opening(source, asked)
    if is_bare:
        return
    types = {j: _stream_type(asked.declared.get(name), source) for j, name in enumerate(names)}
    marks = asked.marks if asked.missing is None else asked.missing
    nulls = [*marks, *(" " + mark for mark in marks)]
    done, block = 0, block_size(source, _BLOCK)
    while True:
        options = options_for(dialect, len(names), types, nulls, newlines=True, block=block)
        try:
            with source.open_arrow() as file:
                for batch in _pieces(pacsv.open_csv(file, **options), done, rows):
                    yield _shaped_batch(batch, names, asked, dialect)
                    done += batch.num_rows
            return
        except (pa.ArrowInvalid, UnicodeError) as error:
            fault = column_at_fault(error, types)
            if source.can_reopen and fault is not None:
                types[fault] = TEXT
            elif source.can_reopen and is_cut_line(error) and block < MOST_BYTES:
                block = min(8 * block, MOST_BYTES)
            else:
                raise translated(error, source, names, dialect) from None


def _pieces(reader: Any, skip: int, rows: int) -> Iterator[Any]:
    """The batches of a reader behind the first `skip` rows, none longer than `rows`."""
    for batch in reader:
        start = min(skip, batch.num_rows)
        skip -= start
        while start < batch.num_rows:
            yield batch.slice(start, rows)
            start += rows


def _shaped_batch(batch: Any, names: Sequence[str], asked: Asked, dialect: Dialect) -> Any:
    arrays = {}
    for j, name in enumerate(names):
        declared = asked.declared.get(name) or Declared("nominal")
        if declared.kind != "drop":
            marks = asked.marks if asked.missing is None else asked.missing
            column = shape(batch.column(j), name, declared, _writing(dialect, declared.kind, marks))
            is_whole = pa.types.is_integer(column.type)  # in this batch; perhaps not in the next
            arrays[name] = column.cast(pa.float64(), safe=False) if is_whole else column
    return pa.table(arrays)


def _stream_type(declared: Declared | None, source: Source) -> Any:
    fast = declared is not None and declared.kind == "numeric" and source.can_reopen
    return pa.float64() if fast else TEXT


# Opening ----------------------------------------------------------------------------------------------------


def _opening(source: Source, asked: Asked) -> tuple[Dialect, list[str], bool]:
    """The dialect, the names, and whether there is nothing but a header."""
    if not source.head.strip(b"\r\n\t \xef\xbb\xbf"):
        raise TableError(f"{source.name} is empty", "give a file with a header or at least one row")
    source.look_on(lambda head: _tells(head, asked.dialect.delimiter))
    is_whole = source.is_whole
    encoding = (
        checked_encoding(asked.encoding)
        if asked.encoding
        else encoding_of(source.head, source.name, is_whole=is_whole)
    )
    dialect = replace(asked.dialect, encoding=encoding)
    text = decoded(source.head, encoding, source.name, is_whole=is_whole).lstrip("\ufeff")
    if "\0" in text:
        raise TableError(
            f"{source.name} holds bytes that are no text", "name its format (format=) or its encoding"
        )
    dialect, rows = sniff(text, dialect, source.name, is_whole=is_whole)
    names = header_names(rows[0], source.name, has_header=bool(dialect.header))
    if len(names) > MAX_COLUMNS:
        raise TableError(f"{source.name} has {len(names):,} columns, but at most {MAX_COLUMNS:,} are read")
    return dialect, names, is_whole and bool(dialect.header) and len(rows) == 1


def _tells(head: bytes, delimiter: str | None) -> bool:
    """Whether some lines are there, or a first one that has too many cells or is too long for a table."""
    if head.count(b"\n") + head.count(b"\r") > 1 or len(head) > LONGEST_LINE:
        return True
    return max(map(head.count, (*b"\t;|,", (delimiter or ",").encode()))) >= MAX_COLUMNS


# Guessing from a sample -------------------------------------------------------------------------------------


def _guesses(
    source: Source, asked: Asked, dialect: Dialect, names: Sequence[str], *, is_whole: bool
) -> dict[int, Guess]:
    """A guess for each column from the head of the file and, for a long one, from slices further on."""
    sample = [
        text_table(source.head if is_whole else whole_lines(source.head), dialect, len(names), is_head=True)
    ]
    if not is_whole:
        sample += [text_table(part, dialect, len(names), is_head=False) for part in slices(source, dialect)]
    tables = [table for table in sample if table is not None]
    if not tables:  # Arrow will say what is wrong when it reads the whole
        tables = [pa.table({str(j): pa.array([], TEXT) for j in range(len(names))})]
    whole = pa.concat_tables(tables)
    guesses = {}
    for j, name in enumerate(names):
        guesses[j] = guess(
            used_values(as_dictionary(whole.column(j))), dialect.decimal or ".", dialect.missing
        )
        declared = asked.declared.get(name)
        if declared is not None and declared.kind != _KINDS.get(guesses[j].kind, guesses[j].kind):
            guesses[j] = Guess("nominal")  # read as text, then as declared
    return guesses


# Reading ----------------------------------------------------------------------------------------------------


def _column(
    column: Any, name: str, declared: Declared | None, guessed: Guess, dialect: Dialect
) -> tuple[Any, Guess]:
    """The column in the type a Sheet holds, and what it was taken for."""
    is_text = pa.types.is_dictionary(column.type)
    if is_text:
        column = as_dictionary(column)
        guessed = guess(used_values(column), dialect.decimal or ".", dialect.missing)
    elif guessed.kind == "whole" and _is_large(column):
        return shape(column, name, Declared("nominal")), Guess("nominal", guessed.marks, LARGE)
    kind = declared.kind if declared else _KINDS.get(guessed.kind, guessed.kind)
    marks = guessed.marks if dialect.missing is None else dialect.missing
    writing = _writing(dialect, kind, [mark.strip() for mark in marks])
    what = declared or Declared(kind)
    why = "declared" if declared else guessed.why
    if is_text and kind == "ordinal":
        column = column.cast(pa.string())  # the order in which values were met is none
    try:
        return shape(column, name, what, writing), Guess(kind, guessed.marks, why)
    except TableError:
        if declared or kind != "date":
            raise
        return shape(column, name, Declared("nominal"), writing), Guess(
            "nominal", guessed.marks, "not all are dates"
        )


def _is_large(column: Any) -> bool:
    bounds = pc.min_max(column).as_py()
    return bounds["max"] is not None and max(abs(bounds["min"]), abs(bounds["max"])) > _EXACT


def _writing(dialect: Dialect, kind: str, marks: Sequence[str]) -> Writing:
    """How cells of this kind are written; a sign such as - is no gap among categories unless given as one."""
    if kind in ("nominal", "ordinal") and dialect.missing is None:
        marks = [mark for mark in marks if mark in WORDS]
    return Writing(dialect.decimal or ".", tuple(marks), dialect.padded)


def _details(dialect: Dialect, missing: Sequence[str]) -> dict[str, Any]:
    return {
        "encoding": dialect.encoding,
        "delimiter": dialect.delimiter,
        "header": dialect.header,
        "decimal": dialect.decimal,
        "quote": dialect.quote,
        "missing": list(missing),
    }
