"""ARFF, Weka's format: declared types and values, dense and sparse rows, weights.

One idea: the header says what everything is, so nothing is guessed and any file can be streamed. A quoted '?'
is a value, a bare ? is a gap.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from hornbeam.data.files.arff_header import QUOTED, read_header, unquote
from hornbeam.data.files.attributes import (
    Attribute,
    Block,
    Cells,
    Syntax,
    first_blocks,
    read_blocks,
    shape_pieces,
    write_rows,
)
from hornbeam.data.files.column_types import raw_table
from hornbeam.data.files.request import RawTable, ReadRequest
from hornbeam.data.files.source import Source
from hornbeam.data.files.table_error import TableError, guarded
from hornbeam.data.files.text_columns import values_to_declare

_CELL = re.compile(rf"\s*({QUOTED}|[^,\t]*?)\s*(,|\t|$)")
_WORD = re.compile(rf"\s*({QUOTED}|[^\s,]+)\s*,?")
_PAIR = re.compile(rf"\s*(\d+)\s+({QUOTED}|[^,]*?)\s*(,|$)")
_WEIGHT = re.compile(r"[,\s]\s*\{\s*([^{}]*)\s*\}\s*$")


def read_arff(source: Source, request: ReadRequest) -> RawTable:
    """The whole of an ARFF file; its class is the attribute of that name, or the last one."""
    with guarded(source.name, "read as ARFF"), source.open() as file:
        attributes, line = read_header(file, source.name)
        parts = first_blocks(file, attributes, _SYNTAX, source.name, line, request.limit)
        table = _joined(parts, attributes).slice(0, request.limit)
        target = _target(attributes)
        whys = {a.name: "string" for a in attributes if a.kind == "string"}
        names = [a.name for a in attributes]
        weight = [name for name in table.column_names if name not in names]
        details = {"weight": weight[0]} if weight else {}
        whys |= dict.fromkeys(weight, "weights of the rows")
        return raw_table(table, request, source.name, details=details, whys=whys, target=target)


def stream_arff(source: Source, request: ReadRequest, rows: int) -> Iterator[Any]:
    """Batches of an ARFF file, without weights."""
    with guarded(source.name, "read as ARFF"), source.open() as file:
        attributes, line = read_header(file, source.name)
        tables = (block.table for block in read_blocks(file, attributes, _SYNTAX, source.name, line))
        yield from shape_pieces(tables, attributes, request, source.name, rows)


def _target(attributes: Sequence[Attribute]) -> str:
    named = [a.name for a in attributes if a.name.lower() == "class"]
    return named[0] if named else attributes[-1].name


def _joined(parts: Sequence[Block], attributes: Sequence[Attribute]) -> Any:
    if not parts:
        return pa.table({a.name: pa.array([], a.arrow_type) for a in attributes})
    table = pa.concat_tables([part.table for part in parts], promote_options="permissive")
    if all(part.weights is None for part in parts):
        return table
    ones = [
        pa.array([1.0] * p.table.num_rows, pa.float64()) if p.weights is None else p.weights for p in parts
    ]
    names = {a.name for a in attributes}
    name = next(name for name in ("weight", "row weight", "weight of the row") if name not in names)
    return table.append_column(name, pa.chunked_array(ones))


def _line(line: str, attributes: Sequence[Attribute]) -> tuple[Cells, float] | None:
    line = line.strip()
    if not line or line.startswith("%"):
        return None
    weight = 1.0
    match = _WEIGHT.search(line)
    if match and match.start() > 0:
        weight, line = _weight(match[1]), line[: match.start()].rstrip()
    if line.startswith("{"):
        return _sparse(line, attributes), weight
    cells = _cells(line, _CELL)
    if len(cells) != len(attributes) and "," not in line:
        cells = _cells(line, _WORD)
    if len(cells) != len(attributes):
        n = len(cells)
        raise TableError(f"{n} cell{'s' * (n != 1)} where {len(attributes)} are expected", "mend the line")
    return cells, weight


def _weight(text: str) -> float:
    try:
        weight = float(text)
    except ValueError:
        weight = -1.0
    if not 0 <= weight < float("inf"):
        raise TableError(f"{{{text}}} is no weight", "a weight is a number of zero or more")
    return weight


def _cells(line: str, pattern: re.Pattern[str]) -> Cells:
    cells: Cells = []
    at, end = 0, ","
    while at < len(line) or end in (",", "\t"):
        match = pattern.match(line, at)
        if match is None:
            raise TableError("a quote is not closed or stands inside a value", "quote the whole value")
        cells.append(None if match[1] == "?" else unquote(match[1]))
        at = match.end()
        end = match[match.lastindex or 1] if pattern is _CELL else ""
    return cells


def _sparse(line: str, attributes: Sequence[Attribute]) -> Cells:
    if not line.endswith("}"):
        raise TableError("a sparse row lacks its '}'", "close it")
    cells: Cells = [attribute.absent for attribute in attributes]
    inside = line[1:-1].strip()
    at = 0
    while at < len(inside):
        match = _PAIR.match(inside, at)
        if match is None or int(match[1]) >= len(attributes):
            raise TableError(f"{inside[at : at + 30]!r} is no position with a value", "write {1 0.5, 3 yes}")
        cells[int(match[1])] = None if match[2] == "?" else unquote(match[2])
        at = match.end()
    return cells


_SYNTAX = Syntax((b"%", b"\\", b'"', b"{", b"\t"), "'", _line)


# Writing --------------------------------------------------------------------------------------------------
# Categories keep the declared order of their values, which is all ARFF can say of an order, or are
# sorted; booleans become the categories false and true.

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
            declared = "{" + ",".join(map(quote_value, values)) + "}" if values else "string"
        elif pa.types.is_timestamp(column.type):
            column, dates[name], declared = _dates(column)
        elif pa.types.is_integer(column.type):
            declared = "integer"
        columns[name] = column
        lines.append(f"@attribute {quote_value(name)} {declared}")
    file.write("\n".join([*lines, "", "@data", ""]).encode())
    write_rows(pa.table(columns), file, quote_value, dates)


def quote_value(text: str) -> str:
    r"""A name or value, in quotes if it needs them.

    >>> print(quote_value("red"), quote_value("it's 5%"))
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
