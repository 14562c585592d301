"""What kind each column of a CSV file is: guessed from a sample, then settled by all its values.

The head of the file and slices from further on are read as text and guessed (`kinds`). What was guessed is
what Arrow's reader is asked for; a column that it could not read so comes back as text and is guessed again
from all its values. What the user declared wins over any guess.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from hornbeam.data.files.column_types import shape_column
from hornbeam.data.files.csv_dialect import Dialect
from hornbeam.data.files.csv_parser import TEXT, options_for
from hornbeam.data.files.kinds import EXACT, LARGE, WORDS, Guess, guess
from hornbeam.data.files.request import ColumnDeclaration, ReadRequest
from hornbeam.data.files.source import HEAD, Source, arrow_bytes
from hornbeam.data.files.table_error import TableError
from hornbeam.data.files.text_columns import Writing, as_dictionary, used_values

_KINDS = {
    "whole": "numeric",
    "written": "numeric",
    "real": "numeric",
    "empty": "numeric",
    "date_text": "date",
}


def guess_columns(
    source: Source, request: ReadRequest, dialect: Dialect, names: Sequence[str]
) -> dict[int, Guess]:
    """A guess for each column from the head of the file and, for a long one, from slices further on."""
    head = source.head if source.is_whole else _whole_lines(source.head)
    sample = [_text_table(head, dialect, len(names))]
    if not source.is_whole:
        headless = replace(dialect, header=False, names_delimiter=False)
        sample += [_text_table(part, headless, len(names)) for part in _sample_slices(source, dialect)]
    tables = [table for table in sample if table is not None]
    if not tables:  # Arrow will say what is wrong when it reads the whole
        tables = [pa.table({str(j): pa.array([], TEXT) for j in range(len(names))})]
    whole = pa.concat_tables(tables)
    guesses = {}
    for j, name in enumerate(names):
        guesses[j] = _guess(as_dictionary(whole.column(j)), dialect)
        declared = request.declared.get(name)
        if declared is not None and declared.kind != _KINDS.get(guesses[j].kind, guesses[j].kind):
            guesses[j] = Guess("nominal")  # read as text, then as declared
    return guesses


def _guess(column: Any, dialect: Dialect) -> Guess:
    return guess(used_values(column), dialect.decimal or ".", dialect.missing)


def settle_column(
    column: Any, name: str, declared: ColumnDeclaration | None, guessed: Guess, dialect: Dialect
) -> tuple[Any, Guess]:
    """The column in the type a TableFile holds, and what it was taken for."""
    nominal = ColumnDeclaration("nominal")
    is_text = pa.types.is_dictionary(column.type)
    if is_text:
        column = as_dictionary(column)
        guessed = _guess(column, dialect)
    elif guessed.kind == "whole" and _is_large(column):
        return shape_column(column, name, nominal), replace(guessed, why=LARGE)
    kind = declared.kind if declared else _KINDS.get(guessed.kind, guessed.kind)
    marks = guessed.marks if dialect.missing is None else dialect.missing
    writing = writing_of(dialect, kind, [mark.strip() for mark in marks])
    if is_text and kind == "ordinal":
        column = column.cast(pa.string())  # the order in which values were met is none
    try:
        return shape_column(
            column, name, declared or ColumnDeclaration(kind, format=guessed.format), writing
        ), guessed
    except TableError:
        if declared or kind != "date":
            raise
        return shape_column(column, name, nominal, writing), replace(guessed, why="not all are dates")


def _is_large(column: Any) -> bool:
    bounds = pc.min_max(column).as_py()
    return bounds["max"] is not None and max(abs(bounds["min"]), abs(bounds["max"])) > EXACT


def writing_of(dialect: Dialect, kind: str, marks: Sequence[str]) -> Writing:
    """How cells of this kind are written; a sign such as - is no gap among categories unless given as one."""
    if kind in ("nominal", "ordinal") and dialect.missing is None:
        marks = [mark for mark in marks if mark in WORDS]
    return Writing(dialect.decimal or ".", tuple(marks), dialect.padded)


# Samples --------------------------------------------------------------------------------------------------
# A few pieces at even distances, cut at line ends. A piece that begins inside a quoted cell does not
# parse and is left out.

_PIECES = 8
_PIECE = 1 << 15


def _sample_slices(source: Source, dialect: Dialect) -> list[bytes]:
    """Pieces of whole lines from the rest of a file; none of one whose line ends are not single bytes."""
    if dialect.encoding.startswith(("utf-16", "utf-32")):
        return []
    pieces = []
    with source.open() as file:
        end = file.seek(0, 2)
        for k in range(1, _PIECES + 1):
            start = HEAD + (end - HEAD - _PIECE) * k // _PIECES
            if start <= HEAD:
                continue
            file.seek(start)
            piece = file.read(_PIECE)
            first, last = piece.find(b"\n"), piece.rfind(b"\n")
            if 0 <= first < last:
                pieces.append(piece[first + 1 : last + 1])
    return pieces


def _whole_lines(data: bytes) -> bytes:
    """The bytes up to the last end of a line."""
    return data[: data.rfind(b"\n") + 1] or data


def _text_table(data: bytes, dialect: Dialect, width: int) -> Any:
    """Some lines, every column as text; None if they do not parse."""
    options = options_for(
        replace(dialect, encoding="utf-8"), width, dict.fromkeys(range(width), TEXT), (), newlines=True
    )
    try:
        lines = data.decode(dialect.encoding).encode()
        return pacsv.read_csv(pa.BufferReader(arrow_bytes([lines])), **options)
    except (pa.ArrowException, UnicodeError):
        return None
