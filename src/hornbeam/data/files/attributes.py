"""Files that declare their columns, as ARFF and C4.5 do: attributes, typed cells, rows read and written.

What is declared is obeyed: the declared values of a category, in their order, are its domain, and a value
outside it is an error that names the line. A block of whole lines is read by Arrow if nothing in it needs
care (quotes with escapes, comments, sparse rows); if it does, or if Arrow cannot, its lines are taken one by
one, which also names the line at fault. No loop over rows runs when writing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from hornbeam.data.files.request import ColumnDeclaration, ReadRequest
from hornbeam.data.files.source import arrow_bytes
from hornbeam.data.files.table_error import TableError
from hornbeam.data.files.text_bytes import is_utf8, line_blocks, one_byte
from hornbeam.data.files.text_columns import (
    as_dictionary,
    read_dates,
    read_numbers,
    recode_values,
    with_declared_order,
)

TEXT = pa.dictionary(pa.int32(), pa.string())


@dataclass(frozen=True)
class Attribute:
    """A declared column."""

    name: str
    kind: str  # numeric, integer, nominal, string, date, ignore
    values: tuple[str, ...] = ()
    format: str = ""

    @property
    def arrow_type(self) -> Any:
        """The type Arrow's reader is asked for."""
        return {"numeric": pa.float64(), "integer": pa.int64()}.get(self.kind, TEXT)

    @property
    def absent(self) -> str | None:
        """What a sparse row means by leaving the column out."""
        return {"nominal": self.values[0] if self.values else None, "string": None}.get(self.kind, "0")


def to_attribute_type(cells: Any, attribute: Attribute) -> Any:
    """Cells as read (numbers, or text) in the type of their attribute.

    >>> to_attribute_type(pa.array([" b", "a."]), Attribute("c", "nominal", ("b", "a"))).to_pylist()
    ['b', 'a']
    """
    if pa.types.is_floating(cells.type) or pa.types.is_integer(cells.type):
        return cells
    column = as_dictionary(cells)
    if attribute.kind in ("numeric", "integer"):
        values = read_numbers(column, attribute.name)
        return values if attribute.kind == "integer" else values.cast(pa.float64())
    if attribute.kind == "nominal":
        return _in_domain(column, attribute)
    if attribute.kind == "date":
        declared = ColumnDeclaration("date", format=attribute.format)
        moments = read_dates(column, attribute.name, declared)
        return moments.cast(pa.timestamp("us", tz=moments.type.tz))
    return pa.DictionaryArray.from_arrays(column.indices, column.dictionary)


def _in_domain(column: Any, attribute: Attribute) -> Any:
    domain = pa.array(attribute.values, pa.string())
    labels = column.dictionary
    known = pc.is_in(labels, domain)
    if not pc.all(known).as_py():
        labels = pc.if_else(known, labels, pc.utf8_trim_whitespace(labels))
        known = pc.is_in(labels, domain)
        bare = pc.replace_substring_regex(labels, r"\s*\.$", "")  # C4.5 lets a case end in a full stop
        labels = pc.if_else(pc.or_(known, pc.invert(pc.is_in(bare, domain))), labels, bare)
        bad = labels.filter(pc.and_(pc.is_valid(labels), pc.invert(pc.is_in(labels, domain))))
        if len(bad):
            raise TableError(
                f"column {attribute.name!r} holds {bad[0].as_py()!r}, which is not among its declared values",
                "declare it or mend it",
            )
    return with_declared_order(recode_values(column, labels, domain))


Cells = list[str | None]
Block = tuple[Any, Any]  # a table of some rows and, if any row has one, a weight for each


@dataclass(frozen=True)
class Syntax:
    """How rows are written: what rules Arrow's reader out, its quote, and how a line is split into cells."""

    careful: tuple[bytes, ...]
    quote: str
    line: Callable[[str, Sequence[Attribute]], tuple[Cells, float] | None]  # cells and weight; None: no row


def read_blocks(
    file: BinaryIO, attributes: Sequence[Attribute], syntax: Syntax, name: str, first_line: int = 1
) -> Iterator[Block]:
    """The rest of the file as Blocks."""
    for lines, line in line_blocks(file, name, first_line):
        if lines.strip():
            yield _block(lines, attributes, syntax, name, line)


def first_blocks(blocks: Iterable[Block], limit: int | None) -> list[Block]:
    """The blocks up to the one that holds row number `limit`; all if that is None."""
    first: list[Block] = []
    rows = 0
    for block in blocks:
        first.append(block)
        rows += block[0].num_rows
        if limit is not None and rows >= limit:
            break
    return first


def own_declarations(attributes: Sequence[Attribute], request: ReadRequest) -> ReadRequest:
    """The request for a stream: categories and dates that the file declares win over those of the user."""
    own = {a.name for a in attributes if a.kind in ("nominal", "date", "string")}
    declared = {
        n: d for n, d in request.declared.items() if n not in own or d.kind not in ("nominal", "date")
    }
    return replace(request, declared=declared)


def cell_count_error(n_cells: int, n_expected: int) -> TableError:
    """The sentence for a line with too few or too many cells."""
    return TableError(
        f"{n_cells} cell{'s' * (n_cells != 1)} where {n_expected} are expected", "mend the line"
    )


def _block(data: bytes, attributes: Sequence[Attribute], syntax: Syntax, name: str, line: int) -> Block:
    if not is_utf8(data, is_whole=True):
        data = data.decode(one_byte(data)).encode()
    if not any(mark in data for mark in syntax.careful):
        try:
            return _fast(data, attributes, syntax), None
        except (pa.ArrowException, TableError):
            pass  # line by line, the culprit gets its name
    return _slow(data.decode(), attributes, syntax, name, line)


def _fast(data: bytes, attributes: Sequence[Attribute], syntax: Syntax) -> Any:
    quote = syntax.quote if syntax.quote.encode() in data else ""
    labels = [str(j) for j in range(len(attributes))]
    table = pacsv.read_csv(
        pa.BufferReader(arrow_bytes([data])),
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
        columns[attribute.name] = to_attribute_type(column, attribute)
    return pa.table(columns)


def _needs_care(values: Any, attribute: Attribute, quote: str) -> bool:
    """Whether some text was read with a quote inside, or with spaces whose meaning depends on quotes."""
    odd = rf"{quote}|^\s|\s$" if attribute.kind != "nominal" else quote
    return bool(pc.any(pc.match_substring_regex(values, odd)).as_py())


def _slow(text: str, attributes: Sequence[Attribute], syntax: Syntax, name: str, line: int) -> Block:
    rows: list[Cells] = []
    lines: list[int] = []
    weights: list[float] = []
    for number, row in enumerate(text.split("\n"), line):
        try:
            parsed = syntax.line(row, attributes)
        except TableError as error:
            raise TableError(f"line {number:,} of {name}: {error}") from None
        if parsed is not None:
            rows.append(parsed[0])
            weights.append(parsed[1])
            lines.append(number)
    columns = {}
    for j, attribute in enumerate(attributes):
        cells = pa.array([row[j] for row in rows], pa.string())
        try:
            columns[attribute.name] = to_attribute_type(cells, attribute)
        except TableError:
            _blame(cells, attribute, lines, name)
            raise
    weighted = any(weight != 1 for weight in weights)
    return pa.table(columns), pa.array(weights, pa.float64()) if weighted else None


def _blame(cells: Any, attribute: Attribute, lines: Sequence[int], name: str) -> None:
    """Raise the error of the first cell that cannot be typed, with its line."""
    for k in range(len(cells)):
        try:
            to_attribute_type(cells[k : k + 1], attribute)
        except TableError:
            what = {"nominal": "one of its declared values", "date": "a date as declared"}
            raise TableError(
                f"line {lines[k]:,} of {name}: {cells[k].as_py()!r} in column {attribute.name!r}"
                f" is not {what.get(attribute.kind, 'a number')}",
                "mend the line or the declaration",
            ) from None


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
