"""ARFF, Weka's format: declared types and values, dense and sparse rows, weights.

One idea: the header says what everything is, so nothing is guessed and any file can be streamed. A quoted '?'
is a value, a bare ? is a gap.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from hornbeam.data.files.arff_header import QUOTED, read_header, unquoted
from hornbeam.data.files.arrow import raw_of, shaped, steady
from hornbeam.data.files.attributes import Attribute
from hornbeam.data.files.line_blocks import Block, Cells, Syntax, blocks
from hornbeam.data.files.request import Asked, Raw
from hornbeam.data.files.source import Source
from hornbeam.data.files.table_error import TableError, guarded

_CELL = re.compile(rf"\s*({QUOTED}|[^,\t]*?)\s*(,|\t|$)")
_WORD = re.compile(rf"\s*({QUOTED}|[^\s,]+)\s*,?")
_PAIR = re.compile(rf"\s*(\d+)\s+({QUOTED}|[^,]*?)\s*(,|$)")
_WEIGHT = re.compile(r"[,\s]\s*\{\s*([^{}]*)\s*\}\s*$")


def read_arff(source: Source, asked: Asked) -> Raw:
    """The whole of an ARFF file; its class is the attribute of that name, or the last one."""
    parts: list[Block] = []
    with guarded(source.name, "read as ARFF"), source.open() as file:
        attributes, line = read_header(file, source.name)
        rows = 0
        for block in blocks(file, attributes, _SYNTAX, source.name, line):
            parts.append(block)
            rows += block.table.num_rows
            if asked.limit is not None and rows >= asked.limit:
                break
        table = _joined(parts, attributes).slice(0, asked.limit)
        target = _target(attributes)
        whys = {a.name: "string" for a in attributes if a.kind == "string"}
        names = [a.name for a in attributes]
        weight = [name for name in table.column_names if name not in names]
        details = {"weight": weight[0]} if weight else {}
        whys |= dict.fromkeys(weight, "weights of the rows")
        return raw_of(table, asked, source.name, details=details, whys=whys, target=target)


def stream_arff(source: Source, asked: Asked, rows: int) -> Iterator[Any]:
    """Batches of an ARFF file, without weights."""
    with guarded(source.name, "read as ARFF"), source.open() as file:
        attributes, line = read_header(file, source.name)
        own = {a.name for a in attributes if a.kind in ("nominal", "date", "string")}
        declared = {
            n: d for n, d in asked.declared.items() if n not in own or d.kind not in ("nominal", "date")
        }
        asked = Asked(declared, asked.dialect, missing=asked.missing)
        for block in blocks(file, attributes, _SYNTAX, source.name, line):
            for start in range(0, block.table.num_rows, rows):
                yield steady(shaped(block.table.slice(start, rows), asked, source.name))


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
    found = _WEIGHT.search(line)
    if found and found.start() > 0:
        weight, line = _weight(found[1]), line[: found.start()].rstrip()
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
        found = pattern.match(line, at)
        if found is None:
            raise TableError("a quote is not closed or stands inside a value", "quote the whole value")
        cells.append(None if found[1] == "?" else unquoted(found[1]))
        at = found.end()
        end = found[found.lastindex or 1] if pattern is _CELL else ""
    return cells


def _sparse(line: str, attributes: Sequence[Attribute]) -> Cells:
    if not line.endswith("}"):
        raise TableError("a sparse row lacks its '}'", "close it")
    cells: Cells = [attribute.absent for attribute in attributes]
    inside = line[1:-1].strip()
    at = 0
    while at < len(inside):
        found = _PAIR.match(inside, at)
        if found is None or int(found[1]) >= len(attributes):
            raise TableError(f"{inside[at : at + 30]!r} is no position with a value", "write {1 0.5, 3 yes}")
        cells[int(found[1])] = None if found[2] == "?" else unquoted(found[2])
        at = found.end()
    return cells


_SYNTAX = Syntax((b"%", b"\\", b'"', b"{", b"\t"), "'", _line)
