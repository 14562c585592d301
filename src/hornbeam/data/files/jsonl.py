"""JSON lines: one object for each row.

One idea: Arrow reads the objects; a value that is itself an object or a list has no column to go to and is
refused by name. Values nested very deeply are refused before, since Arrow's parser does not survive them.
"""

from __future__ import annotations

import datetime as dt
import io
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as pajson
from numpy.typing import NDArray

from hornbeam._base.json_depth import MOST, too_deep, without_escapes
from hornbeam.data.files.column_types import raw_table, shape_table, table_slices, whole_as_floats
from hornbeam.data.files.csv_dialect import MAX_COLUMNS
from hornbeam.data.files.kinds import guess
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
        table = _table(data, source.name)
        whys = {name: "in no row" for name in table.column_names if pa.types.is_null(table[name].type)}
        request = replace(request, declared={**request.declared, **_dates(table, request)})
        return raw_table(table, request, source.name, whys=whys)


def stream_jsonl(source: Source, request: ReadRequest, rows: int) -> Iterator[Any]:
    """Batches of JSON lines, all with the columns that are declared and those of the first lines."""
    known = None
    with guarded(source.name, "read as JSON lines", _HINT), source.open() as file:
        for lines, first in line_blocks(file, source.name):
            if lines.strip():
                table = _table(_utf8(lines, source), source.name, first)
                known = known or _with_others(request, table)
                yield from _pieces(table, known, source.name, rows)


def _with_others(request: ReadRequest, table: Any) -> ReadRequest:
    """The request with the columns that nobody declared as text."""
    others = {
        name: ColumnDeclaration("nominal") for name in table.column_names if name not in request.declared
    }
    return replace(request, declared={**request.declared, **others})


def _pieces(table: Any, request: ReadRequest, name: str, rows: int) -> Iterator[Any]:
    names = [column for column, declared in request.declared.items() if declared.kind != "drop"]
    gaps = pa.nulls(table.num_rows)
    has = set(table.column_names)
    table = pa.table({column: table[column] if column in has else gaps for column in names})
    for piece in table_slices(table, rows):
        yield whole_as_floats(shape_table(piece, request, name))


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
    names = table.column_names
    for batch in table.to_batches(max_chunksize=1 << 14):
        columns = [_values(batch.column(j)) for j in range(len(names))]
        lines = [
            json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False)
            for row in zip(*columns, strict=True)
        ]
        file.write("".join(line + "\n" for line in lines).encode())


def _values(column: Any) -> list[Any]:
    if pa.types.is_dictionary(column.type):
        column = column.cast(pa.string())
    elif pa.types.is_decimal(column.type):
        column = column.cast(pa.float64())
    if pa.types.is_floating(column.type):
        column = pc.if_else(pc.is_finite(column), column, pa.scalar(None, column.type))
    return [_text(value) if isinstance(value, _TIMES) else value for value in column.to_pylist()]


_TIMES = (dt.date, dt.time, dt.timedelta)


def _text(value: Any) -> str:
    return str(value) if isinstance(value, dt.timedelta) else str(value.isoformat())


# Number of keys -------------------------------------------------------------------------------------------
# A column takes memory for every row, so a small file in which each line has a key of its own would
# fill any memory. A key is told by its length and by the eight bytes at its start, middle and end; keys that
# differ elsewhere count once, so the number is never too large.

_BLOCK = 1 << 20
_BLOCKS = 16  # of a longer text, so many blocks at even distances are looked at
_WIDTH = 8
_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # odd, with bits well spread


def n_keys(data: bytes, enough: int) -> int:
    r"""The number of different keys, at least; counting ends when there are more than `enough`.

    >>> n_keys(b'{"a": 1, "b": "x: y"}\n{"a": 2, "c" : 3}\n', 10)
    3
    """
    prints: NDArray[np.uint64] = np.empty(0, dtype=np.uint64)
    start = 0
    leap = max(0, len(data) // _BLOCKS - _BLOCK)
    while start < len(data) and len(prints) <= enough:
        end = data.find(b"\n", start + _BLOCK) + 1 or len(data)
        prints = np.union1d(prints, _prints(without_escapes(data[start:end])))
        start = data.find(b"\n", end + leap) + 1 or len(data) if leap else end
    return len(prints)


def _prints(block: bytes) -> NDArray[np.uint64]:
    """A number for each key of a block, made of its length and some of its bytes."""
    text = np.frombuffer(b" " * _WIDTH + block + b" " * 2 * _WIDTH, dtype=np.uint8)
    quote = np.flatnonzero(text == ord('"'))
    first, last = quote[0:-1:2] + 1, quote[1::2]
    after = text[last + 1]
    is_key = (after == ord(":")) | ((after == ord(" ")) & (text[last + 2] == ord(":")))
    first, last = first[is_key], last[is_key]
    size = last - first
    windows = np.ndarray((len(text) - _WIDTH + 1,), dtype="<u8", buffer=text, strides=(1,))
    short = 8 * np.clip(_WIDTH - size, 0, _WIDTH - 1).astype(np.uint64)  # bits behind the end of the key
    begin = windows[first] << short
    begin[size == 0] = 0
    middle = np.where(size > _WIDTH, windows[first + np.maximum(size - _WIDTH, 0) // 2], 0)
    end = np.where(size > _WIDTH, windows[last - _WIDTH], 0)
    prints: NDArray[np.uint64] = size.astype(np.uint64)
    for part in (begin, middle, end):
        prints = (prints ^ part) * _FACTOR
        prints ^= prints >> np.uint64(29)
    return prints
