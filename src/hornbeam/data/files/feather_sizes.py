"""How much memory the record batches of a Feather file would take, found out before Arrow reads them.

Arrow unpacks every buffer to the size that the file declares, and ten kilobytes can declare gigabytes. So the
declarations are read first: the footer lists the blocks of the file, each begins with a message, each message
lists its buffers, and a compressed buffer begins with its unpacked size. All of these are tables of
FlatBuffers, of which the few things needed are read here.

The formats: "Arrow Columnar Format", section "IPC File Format", with File.fbs and Message.fbs, and the page
"FlatBuffer Internals" of FlatBuffers.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np

_MAGIC = b"ARROW1"
_CONTINUATION = 0xFFFFFFFF
_DICTIONARY_BATCH, _RECORD_BATCH = 2, 3  # types of messages
_BLOCK = np.dtype([("offset", "<i8"), ("metadata", "<i4"), ("padding", "<i4"), ("body", "<i8")])
_BUFFER = np.dtype([("offset", "<i8"), ("length", "<i8")])


@dataclass(frozen=True)
class _Table:
    """A table of FlatBuffers: `data` holds it, `place` is where it begins."""

    data: bytes
    place: int

    def field(self, number: int) -> int:
        """Where a field lies, 0 if it is absent."""
        fields = self.place - self._number("<i", self.place)
        is_there = 4 + 2 * number < self._number("<H", fields)
        offset = self._number("<H", fields + 4 + 2 * number) if is_there else 0
        return self.place + offset if offset else 0

    def number(self, number: int, form: str) -> int:
        """The number in a field, 0 if it is absent."""
        place = self.field(number)
        return self._number(form, place) if place else 0

    def table(self, number: int) -> _Table:
        """The table in a field."""
        place = self.field(number)
        return _Table(self.data, place + self._number("<I", place))

    def records(self, number: int, kind: np.dtype[np.void]) -> np.ndarray[tuple[int], np.dtype[np.void]]:
        """The records in a field, none if it is absent."""
        place = self.field(number)
        if not place:
            return np.empty(0, kind)
        start = place + self._number("<I", place)
        return np.frombuffer(self.data, kind, self._number("<I", start), start + 4)

    def _number(self, form: str, place: int) -> int:
        if place < 0:
            raise ValueError("a table of the file lies outside of it")
        value: int = struct.unpack_from(form, self.data, place)[0]
        return value


def batch_sizes(file: BinaryIO) -> Iterator[tuple[int, int]]:
    """Rows and unpacked bytes of each record batch of a Feather file, and 0 and bytes of each dictionary."""
    size = file.seek(0, 2)
    tail = _read(file, size - 10, 10)
    if tail[4:] != _MAGIC:
        raise ValueError("the end of the file is not that of a Feather file")
    length = int.from_bytes(tail[:4], "little")
    footer = _root(_read(file, size - 10 - length, length))
    n_buffers = 0
    for block in np.concatenate([footer.records(3, _BLOCK), footer.records(2, _BLOCK)]):
        offset, metadata = int(block["offset"]), int(block["metadata"])
        rows, batch = _batch(_read(file, offset, metadata))
        buffers = batch.records(2, _BUFFER)
        n_buffers += len(buffers)
        if n_buffers * _BUFFER.itemsize > size:
            raise ValueError("its blocks lie on top of each other")
        if rows < 0 or (buffers["length"] < 0).any():
            raise ValueError("a block of the file has a negative size")
        is_packed = batch.field(3) != 0
        unpacked = [_unpacked(file, offset + metadata, one, is_packed=is_packed) for one in buffers]
        yield rows, sum(unpacked)


def _batch(message: bytes) -> tuple[int, _Table]:
    """The rows of a message, 0 for a dictionary, and its record batch; its length stands before it."""
    start = 8 if int.from_bytes(message[:4], "little") == _CONTINUATION else 4
    root = _root(message[start:])
    kind = root.number(1, "<B")
    if kind not in (_DICTIONARY_BATCH, _RECORD_BATCH):
        raise ValueError(f"a block of the file is of the unknown type {kind}")
    header = root.table(2)
    return (header.number(0, "<q"), header) if kind == _RECORD_BATCH else (0, header.table(1))


def _unpacked(file: BinaryIO, body: int, buffer: np.void, *, is_packed: bool) -> int:
    length = int(buffer["length"])
    if not is_packed or length < 8:
        return length
    declared = int.from_bytes(_read(file, body + int(buffer["offset"]), 8), "little", signed=True)
    return length if declared < 0 else declared  # -1: this one is not packed


def _root(data: bytes) -> _Table:
    return _Table(data, struct.unpack_from("<I", data)[0])


def _read(file: BinaryIO, offset: int, length: int) -> bytes:
    if offset < 0 or length < 0:
        raise ValueError("a block of the file lies outside of it")
    file.seek(offset)
    data = file.read(length)
    if len(data) < length:
        raise ValueError("the file is cut short")
    return data
