"""Rows of a file that declares its columns, in blocks of whole lines.

One idea: a block is read by Arrow if nothing in it needs care (quotes with escapes, comments, sparse rows);
if it does, or if Arrow cannot, its lines are taken one by one, which also names the line at fault.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from hornbeam.data.files.attributes import TEXT, Attribute, typed
from hornbeam.data.files.character_encoding import is_utf8, one_byte
from hornbeam.data.files.long_lines import line_blocks
from hornbeam.data.files.table_error import TableError

Cells = list[str | None]


@dataclass(frozen=True)
class Syntax:
    """How rows are written: what rules Arrow out, the quote it may use, how a line is taken apart."""

    careful: tuple[bytes, ...]
    quote: str
    line: Callable[[str, Sequence[Attribute]], tuple[Cells, float] | None]  # cells and weight; None: no row


@dataclass(frozen=True)
class Block:
    """Some rows: a table and, if any row has one, a weight for each."""

    table: Any
    weights: Any = None


def blocks(
    file: BinaryIO, attributes: Sequence[Attribute], syntax: Syntax, name: str, first_line: int = 1
) -> Iterator[Block]:
    """The rest of the file as Blocks."""
    for lines, line in line_blocks(file, name, first_line):
        if lines.strip():
            yield _block(lines, attributes, syntax, name, line)


def _block(data: bytes, attributes: Sequence[Attribute], syntax: Syntax, name: str, line: int) -> Block:
    if not is_utf8(data, is_whole=True):
        data = data.decode(one_byte(data)).encode()
    if not any(mark in data for mark in syntax.careful):
        try:
            return Block(_fast(data, attributes, syntax))
        except (pa.ArrowException, TableError):
            pass  # line by line, the culprit gets its name
    return _slow(data.decode(), attributes, syntax, name, line)


def _fast(data: bytes, attributes: Sequence[Attribute], syntax: Syntax) -> Any:
    quote = syntax.quote if syntax.quote.encode() in data else ""
    labels = [str(j) for j in range(len(attributes))]
    table = pacsv.read_csv(
        io.BytesIO(data),
        read_options=pacsv.ReadOptions(column_names=labels),
        parse_options=pacsv.ParseOptions(quote_char=quote or False),
        convert_options=pacsv.ConvertOptions(
            column_types={str(j): attribute.arrow_type for j, attribute in enumerate(attributes)},
            null_values=["?", " ?", "? "],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )
    columns = {}
    for j, attribute in enumerate(attributes):
        column = table.column(j)
        if column.type == TEXT:
            values = [chunk.dictionary for chunk in column.chunks]
            if any(_needs_care(v, attribute, syntax.quote) for v in values):
                raise TableError("needs care")
        columns[attribute.name] = typed(column, attribute)
    return pa.table(columns)


def _needs_care(values: Any, attribute: Attribute, quote: str) -> bool:
    """Whether text came out with a quote inside, or with spaces whose meaning depends on quotes."""
    odd = rf"{quote}|^\s|\s$" if attribute.kind != "nominal" else quote
    return bool(pc.any(pc.match_substring_regex(values, odd)).as_py())


def _slow(text: str, attributes: Sequence[Attribute], syntax: Syntax, name: str, line: int) -> Block:
    rows: list[Cells] = []
    lines: list[int] = []
    weights: list[float] = []
    for number, row in enumerate(text.split("\n"), line):
        try:
            found = syntax.line(row, attributes)
        except TableError as error:
            raise TableError(f"line {number:,} of {name}: {error}") from None
        if found is not None:
            rows.append(found[0])
            weights.append(found[1])
            lines.append(number)
    columns = {}
    for j, attribute in enumerate(attributes):
        cells = pa.array([row[j] for row in rows], pa.string())
        try:
            columns[attribute.name] = typed(cells, attribute)
        except TableError:
            _blame(cells, attribute, lines, name)
            raise
    weighted = any(weight != 1 for weight in weights)
    return Block(pa.table(columns), pa.array(weights, pa.float64()) if weighted else None)


def _blame(cells: Any, attribute: Attribute, lines: Sequence[int], name: str) -> None:
    """Raise the error of the first cell that cannot be typed, with its line."""
    for k in range(len(cells)):
        try:
            typed(cells[k : k + 1], attribute)
        except TableError:
            what = {"nominal": "one of its declared values", "date": "a date as declared"}
            raise TableError(
                f"line {lines[k]:,} of {name}: {cells[k].as_py()!r} in column {attribute.name!r}"
                f" is not {what.get(attribute.kind, 'a number')}",
                "mend the line or the declaration",
            ) from None
