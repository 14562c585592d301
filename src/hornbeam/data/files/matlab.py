"""MATLAB's .mat files (versions 5 to 7): vectors of equal length are columns, alone or in one struct.

One idea: of what MATLAB can keep, only what forms a table is read: numbers, logicals, text, and cells of
these. scipy writes the files but does not read them here: its reader ends the whole process where values are
nested deeply.

The format: MathWorks, MAT-File Format. An element is a tag (type, number of bytes) and its bytes; an array
is an element of elements: its class, its sizes, its name, and then what it holds.
"""

from __future__ import annotations

import datetime as dt
import io
import re
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np
import pyarrow as pa

from hornbeam.data.files.column_types import raw_table, refuse_duplicates, table_slices
from hornbeam.data.files.csv_dialect import MAX_COLUMNS
from hornbeam.data.files.request import RawTable, ReadRequest
from hornbeam.data.files.source import Source, unpacked_bound
from hornbeam.data.files.table_error import TableError, guarded

_HINT = "save columns of equal length, as in save('t.mat', '-struct', 's', '-v7')"
_TABLE_HINT = "write s = table2struct(T, 'ToScalar', true); save('t.mat', '-struct', 's', '-v7')"
_HEADER = 128
_DESCRIPTION = b"MATLAB 5.0 MAT-file, written by Hornbeam".ljust(
    116
)  # without the time, which scipy writes there
_NUMBERS = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
_MATRIX, _PACKED = 14, 15
_TEXTS = {1: "utf-8", 2: "utf-8", 4: "utf-16", 16: "utf-8", 17: "utf-16", 18: "utf-32"}
_CELL, _STRUCT, _CHAR, _OPAQUE = 1, 2, 4, 17
_CLASSES = {6: "f8", 7: "f4", 8: "i1", 9: "u1", 10: "i2", 11: "u2", 12: "i4", 13: "u4", 14: "i8", 15: "u8"}
_LOGICAL, _COMPLEX = 0x200, 0x800
_DEPTH = 4  # a variable, a field, a cell, its text
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,62}")


@dataclass(frozen=True)
class _Array:
    """An array: its name, its sizes, and its values, column by column; None if no table can hold them.

    A struct has fields instead, those of its first element first.
    """

    name: str
    shape: tuple[int, ...]
    values: Any = None
    fields: list[_Array] | None = None

    @property
    def length(self) -> int:
        """How many rows it has: a vector may lie or stand."""
        return self.shape[1] if self.shape[0] == 1 else self.shape[0]


def read_matlab(source: Source, request: ReadRequest) -> RawTable:
    """The vectors of a file, or of the one struct in it, as columns."""
    with guarded(source.name, "read as MATLAB", _HINT), source.open() as file:
        data = file.read()
        variables = list(_variables(data, source.name))
        columns, left_out = _columns(variables, source.name)
        table = pa.table({name: pa.array(values, from_pandas=True) for name, values in columns})
        table = table.slice(0, request.limit)
        details = {"left_out": left_out} if left_out else {}
        return raw_table(table, request, source.name, details=details)


def stream_matlab(source: Source, request: ReadRequest, rows: int) -> Iterator[Any]:
    """The table in pieces; its columns lie one after the other, so it is read whole first."""
    yield from table_slices(read_matlab(source, request).table, rows)


# From arrays to columns -----------------------------------------------------------------------------------


def _columns(variables: list[_Array], name: str) -> tuple[list[tuple[str, Any]], list[str]]:
    """Names and values of the columns; the names of the variables that are none."""
    if len(variables) == 1 and variables[0].fields is not None:
        variables = _fields(variables[0])
    usable = [v for v in variables if v.values is not None and len(v.shape) == 2]
    lengths = Counter(v.length for v in usable if v.length > 0)
    if not lengths:
        raise TableError(f"{name} holds no columns: no vectors of numbers or text", _HINT)
    # The number of rows that most variables have; numbers alone are settings rather than tables of one row.
    n_rows = max(lengths, key=lambda n: (n > 1, lengths[n], n))
    columns = [column for v in usable if v.length == n_rows for column in _columns_of(v, n_rows)]
    if len(columns) > MAX_COLUMNS:
        raise TableError(f"{name} has more than {MAX_COLUMNS:,} columns", _HINT)
    refuse_duplicates([column for column, _ in columns], name)
    return columns, [v.name for v in variables if v.values is None or len(v.shape) > 2 or v.length != n_rows]


def _columns_of(array: _Array, n_rows: int) -> list[tuple[str, Any]]:
    """The columns of a vector or a matrix: those of a matrix are numbered."""
    assert array.values is not None
    width = prod(array.shape) // n_rows
    if width == 1:
        return [(array.name, array.values)]
    pieces = (array.values[k * n_rows : (k + 1) * n_rows] for k in range(width))
    return [(f"{array.name}_{k}", piece) for k, piece in enumerate(pieces, 1)]


def _fields(struct: _Array) -> list[_Array]:
    """The fields of one struct of columns, or of many structs that are rows."""
    held, n = struct.fields or [], prod(struct.shape)
    if n == 1:
        return held
    width = len(held) // max(n, 1)
    rows = [(held[j].name, held[j::width]) for j in range(width)]
    return [_Array(name, (n, 1), _cells(arrays)) for name, arrays in rows]


def _cells(arrays: list[_Array]) -> list[Any] | None:
    """What cells say: a text, a number, a logical each, None if empty; None if one of them holds more."""
    if any(array.values is None or len(array.values) > 1 for array in arrays):
        return None
    values = [next(iter(array.values), None) for array in arrays if array.values is not None]
    values = [value.item() if isinstance(value, np.generic) else value for value in values]
    return [None if value == "" else value for value in values]


# The arrays of a file -------------------------------------------------------------------------------------


def _variables(data: bytes, name: str) -> Iterator[_Array]:
    """The variables, but those that MATLAB keeps for itself."""
    order = {b"IM": "<", b"MI": ">"}.get(data[126:128])
    if data[:10] == b"MATLAB 7.3":
        raise TableError(f"{name} is of version 7.3 of MATLAB's files", "save it with '-v7'")
    if not data.startswith(b"MATLAB 5.0") or order is None:
        raise TableError(f"{name} is no MATLAB file of version 5 to 7", "save it with '-v7'")
    left = unpacked_bound(len(data))
    reader = _Elements(memoryview(data)[_HEADER:], order)
    while not reader.is_over:
        kind, content = reader.next()
        if kind == _PACKED:
            unpacked = _unpacked(content, left, name)
            left -= len(unpacked)
            kind, content = _Elements(memoryview(unpacked), order).next()
        if kind == _MATRIX and len(content):
            array = _array(content, order, _DEPTH)
            if array.name and not array.name.startswith("__"):  # without a name: what belongs to objects
                yield array


def _unpacked(packed: memoryview, most: int, name: str) -> bytes:
    unpacker = zlib.decompressobj()
    data = unpacker.decompress(packed, max(most, 1))
    if unpacker.unconsumed_tail:
        raise TableError(
            f"{name} unpacks to far more than its own size", "save it with '-v6' if you trust it"
        )
    return data


class _Elements:
    """The elements of some bytes, one after the other."""

    def __init__(self, data: memoryview, order: str) -> None:
        self.data, self.order, self.at = data, order, 0

    @property
    def is_over(self) -> bool:
        """Whether no element is left."""
        return self.at + 8 > len(self.data)

    def next(self) -> tuple[int, memoryview]:
        """The type and the bytes of the next element."""
        if self.is_over:
            raise TableError("the file ends in the middle of an array", "check that it is complete")
        kind, size = (int(n) for n in np.frombuffer(self.data, self.order + "u4", 2, self.at))
        start = self.at + 8
        if kind >> 16:  # four bytes or fewer stand in the tag itself
            kind, size, start = kind & 0xFFFF, kind >> 16, self.at + 4
            self.at += 8
        else:
            self.at = start + size + (-size % 8 if kind != _PACKED else 0)
        if size > len(self.data) - start or (start == self.at - 4 and size > 4):
            raise TableError("the file ends in the middle of an array", "check that it is complete")
        return kind, self.data[start : start + size]

    def numbers(self) -> Any:
        """The next element as numbers."""
        kind, content = self.next()
        if kind not in _NUMBERS:
            raise TableError(
                "an array of the file has no numbers where they belong", "check that it is whole"
            )
        dtype = np.dtype(self.order + _NUMBERS[kind])
        return np.frombuffer(content, dtype, len(content) // dtype.itemsize)


def _array(content: memoryview, order: str, depth: int) -> _Array:
    """An array and what is in it; its values are None where they belong to no table."""
    reader = _Elements(content, order)
    flags = int(reader.numbers()[:1].sum())
    kind = flags & 0xFF
    if kind == _OPAQUE:
        raise TableError("it holds a table, a string array or another object of MATLAB's own", _TABLE_HINT)
    shape = tuple(int(n) for n in reader.numbers())
    name = bytes(reader.next()[1]).decode("latin-1")
    if len(shape) < 2 or min(shape) < 0 or prod(shape) > len(content):  # a value takes a byte at least
        raise TableError(f"array {name!r} says that it has {shape} values", "check that it is complete")
    if kind in _CLASSES:
        return _Array(name, shape, _numbers(reader, kind, flags, prod(shape)))
    if kind == _CHAR:
        return _Array(name, (shape[0], 1), _texts(reader, order, shape))
    if kind == _CELL and depth > 0:
        return _Array(name, shape, _cells(_held(reader, [""] * prod(shape), order, depth - 1)))
    if kind == _STRUCT and depth > 0:
        names = _field_names(reader) * prod(shape)
        return _Array(name, shape, fields=_held(reader, names, order, depth - 1))
    return _Array(name, shape)


def _numbers(reader: _Elements, kind: int, flags: int, n: int) -> Any:
    if flags & _COMPLEX:
        return None
    values = reader.numbers() if n else np.zeros(0)
    if len(values) < n:
        raise TableError("an array of the file has fewer values than it says", "check that it is complete")
    native = np.dtype(_CLASSES[kind]).newbyteorder("=")
    return values[:n].astype(np.bool_ if flags & _LOGICAL else native)


def _texts(reader: _Elements, order: str, shape: tuple[int, ...]) -> list[str]:
    """The rows of an array of characters, without the spaces that make them equally long."""
    if prod(shape) == 0:
        return [""] * shape[0] if shape[0] <= 1 else []
    kind, content = reader.next()
    codec = _TEXTS.get(kind, "utf-8")
    wide = codec if codec == "utf-8" else f"{codec}-{'le' if order == '<' else 'be'}"
    text = bytes(content).decode(wide, "replace")
    rows = shape[0]
    return [text[k::rows].rstrip(" ") if rows > 1 else text for k in range(rows)]


def _field_names(reader: _Elements) -> list[str]:
    width = max(int(reader.numbers()[:1].sum()), 1)
    text = bytes(reader.next()[1])
    return [text[at : at + width].split(b"\0")[0].decode("latin-1") for at in range(0, len(text), width)]


def _held(reader: _Elements, names: list[str], order: str, depth: int) -> list[_Array]:
    """The arrays that cells or fields hold, by the name of each."""
    held = []
    for name in names:
        _, content = reader.next()
        inner = _array(content, order, depth) if len(content) else _Array("", (0, 0), [])
        held.append(replace(inner, name=name))
    return held


# Writing --------------------------------------------------------------------------------------------------


def write_matlab(table: Any, file: Any) -> None:
    """Write every column as a variable: numbers, logicals, or cells of text; dates as ISO text."""
    from scipy.io import savemat

    for name in table.column_names:
        if not _NAME.fullmatch(name):
            plain = re.sub(r"\W+", "_", name, flags=re.ASCII)
            plain = (plain if re.match("[A-Za-z]", plain) else f"x{plain}")[:63]
            raise TableError(
                f"column {name!r} has no name of MATLAB's: letters, digits and _, a letter first",
                f"call it {plain!r}, or write CSV",
            )
    if table.num_rows == 0:
        raise TableError("a table without rows has no columns in MATLAB", "write CSV")
    written = {
        name: _matlab(column, name) for name, column in zip(table.column_names, table.columns, strict=True)
    }
    packed = io.BytesIO()
    savemat(packed, written, do_compression=True, oned_as="column", long_field_names=True)
    file.write(_DESCRIPTION + packed.getvalue()[len(_DESCRIPTION) :])


def _matlab(column: Any, name: str) -> Any:
    kind, values = column.type, column.to_pylist()
    if pa.types.is_boolean(kind) and not column.null_count:
        return np.array(values, dtype=np.bool_)
    if pa.types.is_integer(kind) and max((abs(v) for v in values if v is not None), default=0) > 2**53:
        if column.null_count:
            raise TableError(
                f"column {name!r} has gaps, and whole numbers that MATLAB's double does not hold", "write CSV"
            )
        return np.array(values, dtype=np.uint64 if kind == pa.uint64() else np.int64)
    if pa.types.is_boolean(kind) or pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return np.array([np.nan if v is None else v for v in values], dtype=np.float64)
    if pa.types.is_decimal(kind):
        return np.array([np.nan if v is None else float(v) for v in values])
    texts = np.empty(len(column), dtype=object)
    texts[:] = [_text(value) for value in values]
    return texts


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value.isoformat() if isinstance(value, (dt.date, dt.time)) else str(value)
