"""ARFF, Weka's format: declared types and values, dense and sparse rows, weights.

One idea: the header says what everything is, so nothing is guessed and any file can be streamed. A quoted '?'
is a value, a bare ? is a gap. Names and values share one way of quoting, so one pattern finds both. Dates are
written in the letters of Java, which are turned into those of strptime.

The format: Weka's manual, chapter "ARFF".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.compute as pc

from hornbeam.data.files.attributes import (
    Attribute,
    Block,
    Cells,
    Syntax,
    cell_count_error,
    first_blocks,
    own_declarations,
    read_blocks,
    write_rows,
)
from hornbeam.data.files.column_types import raw_table, refuse_duplicates, shape_pieces
from hornbeam.data.files.request import RawTable, ReadRequest
from hornbeam.data.files.source import Source
from hornbeam.data.files.table_error import TableError, guarded
from hornbeam.data.files.text_bytes import decode_guessed
from hornbeam.data.files.text_columns import values_to_declare

# What is repeated is never given back (*+), so that no line takes longer than its length.
QUOTED = r"'(?:[^'\\]|\\.)*+'|\"(?:[^\"\\]|\\.)*+\""
_CELL = re.compile(rf"\s*+({QUOTED}|[^,\t]*+)(?:\s*+(,|$)|\s*(\t))")
_WORD = re.compile(rf"\s*({QUOTED}|[^\s,]+)\s*,?")
_PAIR = re.compile(rf"\s*+(\d++)\s++({QUOTED}|[^,]*+)\s*+(,|$)")


def read_arff(source: Source, request: ReadRequest) -> RawTable:
    """The whole of an ARFF file; its class is the attribute of that name, or the last one."""
    with guarded(source.name, "read as ARFF"), source.open() as file:
        attributes, line = read_header(file, source.name)
        blocks = read_blocks(file, attributes, _SYNTAX, source.name, line)
        table, weight = _joined(first_blocks(blocks, request.limit), attributes)
        whys = {a.name: "string" for a in attributes if a.kind == "string"}
        if weight:
            whys[weight] = "weights of the rows"
        return raw_table(
            table.slice(0, request.limit),
            request,
            source.name,
            details={"weight": weight} if weight else {},
            whys=whys,
            target=_target(attributes),
        )


def stream_arff(source: Source, request: ReadRequest, rows: int) -> Iterator[Any]:
    """Batches of an ARFF file, without weights."""
    with guarded(source.name, "read as ARFF"), source.open() as file:
        attributes, line = read_header(file, source.name)
        request = own_declarations(attributes, request)
        for table, _ in read_blocks(file, attributes, _SYNTAX, source.name, line):
            yield from shape_pieces(table, request, source.name, rows)


def _target(attributes: Sequence[Attribute]) -> str:
    named = [a.name for a in attributes if a.name.lower() == "class"]
    return named[0] if named else attributes[-1].name


def _joined(parts: Sequence[Block], attributes: Sequence[Attribute]) -> tuple[Any, str]:
    """One table, and the name of the column of weights, "" if there is none."""
    if not parts:
        return pa.table({a.name: pa.array([], a.arrow_type) for a in attributes}), ""
    table = pa.concat_tables([part for part, _ in parts], promote_options="permissive")
    if all(weights is None for _, weights in parts):
        return table, ""
    chunks = [pa.repeat(1.0, part.num_rows) if weights is None else weights for part, weights in parts]
    names = {a.name for a in attributes}
    name = next(name for name in ("weight", "row weight", "weight of the row") if name not in names)
    return table.append_column(name, pa.chunked_array(chunks)), name


def _line(line: str, attributes: Sequence[Attribute]) -> tuple[Cells, float] | None:
    line = line.strip()
    if not line or line.startswith("%"):
        return None
    line, weight = _split_weight(line)
    if line.startswith("{"):
        return _sparse(line, attributes), weight
    cells = _cells(line, _CELL)
    if len(cells) != len(attributes) and "," not in line:
        cells = _cells(line, _WORD)
    if len(cells) != len(attributes):
        raise cell_count_error(len(cells), len(attributes))
    return cells, weight


def _split_weight(line: str) -> tuple[str, float]:
    """The line without the weight in braces at its end, and that weight, 1 if there is none."""
    start = line.rfind("{")
    if start < 0 or line.find("}", start) != len(line) - 1:
        return line, 1.0
    cells = line[:start].rstrip()
    is_apart = len(cells) < start or cells.endswith(",")
    cells = cells.removesuffix(",").rstrip()
    return (cells, _weight(line[start + 1 : -1].lstrip())) if cells and is_apart else (line, 1.0)


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
        cells.append(_cell(match[1]))
        at = match.end()
        end = match[match.lastindex or 1] if pattern is _CELL else ""
    return cells


def _cell(text: str) -> str | None:
    text = text.strip()
    return None if text == "?" else unquote(text)


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
        cells[int(match[1])] = _cell(match[2])
        at = match.end()
    return cells


_SYNTAX = Syntax((b"%", b"\\", b'"', b"{", b"\t"), "'", _line)


# The header ------------------------------------------------------------------------------------------------

_ATTRIBUTE = re.compile(rf"@attribute\s+({QUOTED}|[^\s{{'\"]+)\s*(.+)", re.IGNORECASE | re.DOTALL)
_VALUE = re.compile(rf"\s*+({QUOTED}|[^,'\"]*+)\s*+(,|$)")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_CONTROL = {"n": "\n", "r": "\r", "t": "\t", "0": "\0"}
_KINDS = {"numeric": "numeric", "real": "numeric", "integer": "integer", "string": "string", "date": "date"}
_MOST = 1 << 24  # bytes of header
_ISO = re.compile(r"yyyy-MM-dd(('T'| )HH:mm(:ss(\.S+)?)?)?")
_LETTERS = {"yyyy": "%Y", "yy": "%y", "MM": "%m", "dd": "%d", "HH": "%H", "mm": "%M", "ss": "%S", "MMM": "%b"}
_LETTER = re.compile(r"'([^']*)'|([a-zA-Z])\2*|[^a-zA-Z']+")


def read_header(file: BinaryIO, name: str) -> tuple[list[Attribute], int]:
    """The attributes, and the number of the line after @data, where the file then stands."""
    attributes: list[Attribute] = []
    read = 0
    for number, raw in enumerate(iter(lambda: file.readline(_MOST), b""), 1):
        read += len(raw)
        if read > _MOST:
            break
        line = decode_guessed(raw).strip().lstrip("\ufeff")
        word = line.split(None, 1)[0].lower() if line else ""
        if word == "@data":
            return _checked(attributes, name), number + 1
        if word.startswith("@attribute"):
            attributes.append(_attribute(line, name, number))
        elif word.startswith("@end"):
            continue
        elif line and not line.startswith("%") and word != "@relation":
            raise TableError(
                f"line {number:,} of {name} is no part of an ARFF header: {line[:40]!r}",
                "a header has @relation, @attribute and @data lines",
            )
    raise TableError(f"{name} has no @data line", "check that it is a complete ARFF file")


def _checked(attributes: list[Attribute], name: str) -> list[Attribute]:
    if not attributes:
        raise TableError(f"{name} declares no attributes", "check that it is a complete ARFF file")
    refuse_duplicates([attribute.name for attribute in attributes], name)
    return attributes


def _attribute(line: str, name: str, number: int) -> Attribute:
    match = _ATTRIBUTE.fullmatch(line)
    if match is None:
        raise TableError(
            f"line {number:,} of {name} declares no attribute: {line[:60]!r}", "write @attribute NAME TYPE"
        )
    column, rest = unquote(match[1]), match[2].strip()
    if rest.startswith("{"):
        end = rest.rfind("}")
        if end < 0:
            raise TableError(
                f"line {number:,} of {name}: the values of {column!r} lack their '}}'", "close them"
            )
        return Attribute(column, "nominal", tuple(_values(rest[1:end], name, number)))
    word, _, after = rest.partition(" ")
    word = word.lower().split("\t")[0]
    if word not in _KINDS:
        what = "holds tables within a table" if word == "relational" else f"has the unknown type {word!r}"
        raise TableError(
            f"line {number:,} of {name}: attribute {column!r} {what}",
            "the types are numeric, integer, real, string, date and {values}",
        )
    pattern = unquote(after.strip()) if word == "date" and after.strip() else ""
    return Attribute(column, _KINDS[word], format=_strptime(pattern, name, number))


def _values(inside: str, name: str, number: int) -> list[str]:
    values: list[str] = []
    at = 0
    while at < len(inside) or not values:
        match = _VALUE.match(inside, at)
        if match is None:
            raise TableError(f"line {number:,} of {name}: a quote is not closed", "close it")
        if match[1].strip() or match[2]:
            values.append(unquote(match[1].strip()))
        if match.end() == at:
            break
        at = match.end()
    return list(dict.fromkeys(values))


def unquote(text: str) -> str:
    r"""A name or value without its quotes and escapes.

    >>> unquote(r"'it\'s'"), unquote("plain")
    ("it's", 'plain')
    """
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "'\"":
        text = text[1:-1]
        return _ESCAPE.sub(_escaped, text) if "\\" in text else text
    return text


def _escaped(match: re.Match[str]) -> str:
    word = match[1]
    return chr(int(word[1:], 16)) if len(word) == 5 else _CONTROL.get(word, word)


def _strptime(pattern: str, name: str, number: int) -> str:
    """Java's letters for a date as those of strptime; "" for ISO dates, which need none."""
    if not pattern or _ISO.fullmatch(pattern):
        return ""
    written = ""
    for piece in _LETTER.finditer(pattern):
        text = piece[0]
        if piece[1] is not None:
            written += piece[1].replace("%", "%%")
        elif piece[2] is None:
            written += text
        elif text in _LETTERS:
            written += _LETTERS[text]
        else:
            raise TableError(
                f"line {number:,} of {name}: the letters {text!r} in the date format {pattern!r} are unknown",
                f"use {', '.join(_LETTERS)}",
            )
    return written


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
