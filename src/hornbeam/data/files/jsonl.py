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

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as pajson

from hornbeam._base.json_depth import MOST, too_deep
from hornbeam.data.files.arrow import raw_of, shaped, steady
from hornbeam.data.files.character_encoding import encoding_of
from hornbeam.data.files.csv_dialect import MAX_COLUMNS
from hornbeam.data.files.declared_columns import Declared
from hornbeam.data.files.json_keys import n_keys
from hornbeam.data.files.kinds import guess
from hornbeam.data.files.long_lines import line_blocks
from hornbeam.data.files.request import Asked, Raw
from hornbeam.data.files.source import Source, unpacked_bound
from hornbeam.data.files.table_error import TableError, guarded

_HINT = 'every line must be one object, as in {"age": 30, "city": "Brno"}'


def read_jsonl(source: Source, asked: Asked) -> Raw:
    """The whole of a file of JSON lines."""
    with guarded(source.name, "read as JSON lines", _HINT), source.open() as file:
        data = _utf8(file.read(), source)
        if asked.limit is not None:
            data = b"\n".join(data.split(b"\n", asked.limit)[: asked.limit])
        table = _table(data, source.name)
        whys = {name: "in no row" for name in table.column_names if pa.types.is_null(table[name].type)}
        asked = replace(asked, declared={**asked.declared, **_dates(table, asked)})
        return raw_of(table, asked, source.name, whys=whys)


def stream_jsonl(source: Source, asked: Asked, rows: int) -> Iterator[Any]:
    """Batches of JSON lines, all with the columns that are declared and those of the first lines."""
    known = None
    with guarded(source.name, "read as JSON lines", _HINT), source.open() as file:
        for lines, first in line_blocks(file, source.name):
            if lines.strip():
                table = _table(_utf8(lines, source), source.name, first)
                known = known or _with_others(asked, table)
                yield from _pieces(table, known, source.name, rows)


def _with_others(asked: Asked, table: Any) -> Asked:
    """What is asked, with the columns that nobody declared as text."""
    others = {name: Declared("nominal") for name in table.column_names if name not in asked.declared}
    return replace(asked, declared={**asked.declared, **others})


def _pieces(table: Any, asked: Asked, name: str, rows: int) -> Iterator[Any]:
    kept = [column for column, declared in asked.declared.items() if declared.kind != "drop"]
    gaps = pa.nulls(table.num_rows)
    has = set(table.column_names)
    table = pa.table({column: table[column] if column in has else gaps for column in kept})
    for start in range(0, table.num_rows, rows):
        yield steady(shaped(table.slice(start, rows), asked, name))


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


def _dates(table: Any, asked: Asked) -> dict[str, Declared]:
    """The columns whose text is dates throughout: JSON has no type for them."""
    texts = [f.name for f in table.schema if f.name not in asked.declared and pa.types.is_string(f.type)]
    guesses = {name: guess(pc.unique(table[name].drop_null()), ".", ()) for name in texts}
    return {name: Declared("date") for name, found in guesses.items() if found.kind == "date"}


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
