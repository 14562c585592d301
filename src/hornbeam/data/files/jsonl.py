"""JSON lines: one object for each row.

One idea: Arrow reads the objects; a value that is itself an object or a list has no column to go to and is
refused by name. Values nested very deeply are refused before, since Arrow's parser does not survive them.
"""

from __future__ import annotations

import datetime as dt
import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as pajson

from hornbeam._base.json_depth import MOST, too_deep, without_escapes
from hornbeam.data.files.column_types import raw_table, shape_pieces
from hornbeam.data.files.csv_dialect import MAX_COLUMNS
from hornbeam.data.files.kinds import LARGE, guess
from hornbeam.data.files.request import ColumnDeclaration, RawTable, ReadRequest
from hornbeam.data.files.source import Source, unpacked_bound
from hornbeam.data.files.table_error import TableError, guarded
from hornbeam.data.files.text_bytes import encoding_of, line_blocks

_HINT = 'every line must be one object, as in {"age": 30, "city": "Brno"}'


def read_jsonl(source: Source, request: ReadRequest) -> RawTable:
    """The whole of a file of JSON lines."""
    with guarded(source.name, "read as JSON lines", _HINT), source.open() as file:
        data = _utf8(file.read(), source)
        if request.limit is not None:
            data = b"\n".join(data.split(b"\n", request.limit)[: request.limit])
        read = _table(data, source.name)
        whys = {name: "in no row" for name in read.column_names if pa.types.is_null(read[name].type)}
        table = _with_every_digit(read, data, request)
        whys |= {name: LARGE for name in table.column_names if table[name].type != read[name].type}
        request = replace(request, declared={**request.declared, **_dates(table, request)})
        return raw_table(table, request, source.name, whys=whys)


def stream_jsonl(source: Source, request: ReadRequest, rows: int) -> Iterator[Any]:
    """Batches of JSON lines, all with the columns that are declared and those of the first lines."""
    known = None
    with guarded(source.name, "read as JSON lines", _HINT), source.open() as file:
        for lines, first in line_blocks(file, source.name):
            if lines.strip():
                lines = _utf8(lines, source)
                table = _with_every_digit(_table(lines, source.name, first), lines, request)
                if known is None:  # what nobody declared is text
                    texts = {name: ColumnDeclaration("nominal") for name in table.column_names}
                    known = replace(request, declared={**request.declared, **texts, **request.declared})
                yield from shape_pieces(_known_columns(table, known), known, source.name, rows)


def _known_columns(table: Any, request: ReadRequest) -> Any:
    """The table with the columns of the request that are not dropped; gaps where a block has none of them."""
    gaps = pa.nulls(table.num_rows)
    columns = dict(zip(table.column_names, table.columns, strict=True))
    names = [name for name, declared in request.declared.items() if declared.kind != "drop"]
    return pa.table({name: columns.get(name, gaps) for name in names})


def _utf8(data: bytes, source: Source) -> bytes:
    encoding = encoding_of(source.head, source.name, is_whole=source.is_whole)
    return data if encoding == "utf-8" else data.decode(encoding).encode()


def _table(data: bytes, name: str, first_line: int = 1) -> Any:
    if not data.lstrip().startswith(b"{"):
        raise TableError("the first line is no object", _HINT)
    deep = too_deep(data)
    if deep is not None:
        line = first_line + data.count(b"\n", 0, deep)
        raise TableError(f"line {line:,} of {name} has values nested more than {MOST} deep", _HINT)
    _refuse_many_keys(data, name)
    block = max(len(data) + 1, 1 << 16) if len(data) < 1 << 30 else 1 << 26
    return pajson.read_json(io.BytesIO(data), read_options=pajson.ReadOptions(block_size=block))


class _Digits(str):
    """A whole number as it is written: a very long one is no number to Python either."""


def _with_every_digit(table: Any, data: bytes, request: ReadRequest) -> Any:
    """The table with whole numbers beyond 64 bits as text: Arrow makes floats of them, all the same one."""
    for j, field in enumerate(table.schema):
        declared = request.declared.get(field.name, ColumnDeclaration("")).kind
        if declared == "numeric" or not pa.types.is_floating(field.type):
            continue
        if (pc.max(pc.abs(table[j])).as_py() or 0.0) < 2.0**63:
            continue
        rows = [json.loads(line, parse_int=_Digits) for line in data.split(b"\n") if line.strip()]
        values = [row.get(field.name) for row in rows]
        if len(values) == len(table) and {type(value) for value in values} <= {_Digits, type(None)}:
            table = table.set_column(j, field.name, pa.array(values, pa.string()))
    return table


def _refuse_many_keys(data: bytes, name: str) -> None:
    lines = data.count(b"\n") + (not data.endswith(b"\n"))
    most = min(MAX_COLUMNS, unpacked_bound(len(data)) // (8 * lines))  # a cell takes eight bytes
    if n_keys(data, most) > most:
        raise TableError(
            f"the {lines:,} lines of {name} have more than {most:,} different keys, too many for columns",
            "check that the lines are rows of one table",
        )


def _dates(table: Any, request: ReadRequest) -> dict[str, ColumnDeclaration]:
    """The columns whose text is dates throughout: JSON has no type for them."""
    texts = [f.name for f in table.schema if f.name not in request.declared and pa.types.is_string(f.type)]
    guesses = {name: guess(pc.unique(table[name].drop_null()), ".", ()) for name in texts}
    return {name: ColumnDeclaration("date") for name, guessed in guesses.items() if guessed.kind == "date"}


def write_jsonl(table: Any, file: Any) -> None:
    """Write a table as JSON lines; dates as ISO text, gaps as null."""
    for batch in table.to_batches(max_chunksize=1 << 14):
        for row in zip(*map(_values, batch.columns), strict=True):
            line = json.dumps(dict(zip(table.column_names, row, strict=True)), ensure_ascii=False)
            file.write(line.encode() + b"\n")


def _values(column: Any) -> list[Any]:
    if pa.types.is_dictionary(column.type):
        column = column.cast(pa.string())
    elif pa.types.is_decimal(column.type):
        column = column.cast(pa.float64())
    if pa.types.is_floating(column.type):
        column = pc.if_else(pc.is_finite(column), column, pa.scalar(None, column.type))
    return [_time_text(value) for value in column.to_pylist()]


def _time_text(value: Any) -> Any:
    if isinstance(value, dt.timedelta):
        return str(value)
    return value.isoformat() if isinstance(value, (dt.date, dt.time)) else value


# Number of keys -------------------------------------------------------------------------------------------
# A column takes memory for every row, so a small file in which each line has a key of its own would fill any
# memory.

_BLOCK = 1 << 20
_BLOCKS = 16  # of a longer text, so many blocks at even distances are looked at
_STRING = re.compile(rb'"([^"]*)" ?(:?)')


def n_keys(data: bytes, enough: int) -> int:
    r"""The number of different keys, at least; counting ends when there are more than `enough`.

    >>> n_keys(b'{"a": 1, "b": "x: y"}\n{"a": 2, "c" : 3}\n', 10)
    3
    """
    keys: set[bytes] = set()
    start = 0
    leap = max(0, len(data) // _BLOCKS - _BLOCK)
    while start < len(data) and len(keys) <= enough:
        end = data.find(b"\n", start + _BLOCK) + 1 or len(data)
        strings = _STRING.findall(without_escapes(data[start:end]))
        keys.update(text for text, colon in strings if colon)
        start = data.find(b"\n", end + leap) + 1 or len(data) if leap else end
    return len(keys)
