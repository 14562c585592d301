"""Checkpoints: answers of a growth, kept so that another one can go on where it broke off.

A tree follows from the answers to the questions of its growth, and the same rows give the same answers. So a
growth that recalls the answers of an earlier one grows the same tree, without asking the rows again. A
checkpoint is a folder with a file for each message, written whole or not at all, and a file that says of
which growth they are. A file that was damaged since is left out: its answers are asked for again.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import struct
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from hornbeam import _core
from hornbeam._base.atomic import write_atomically
from hornbeam.data.columns import Column

WHICH = "growth.json"
_DIGEST = 32  # bytes that begin a file: the digest of the others
_RECORD = struct.Struct("<16sQ")  # key and number of bytes of an answer, which follows


class Checkpoint:
    """The answers of one growth in a folder."""

    def __init__(self, folder: str | os.PathLike[str], growth: str) -> None:
        self._folder = Path(folder)
        self._places: dict[bytes, tuple[Path, int, int]] = {}  # of answers: file, from where, how many bytes
        self._n_files = 0
        self._open(growth)

    def _open(self, growth: str) -> None:
        which = self._folder / WHICH
        self._folder.mkdir(parents=True, exist_ok=True)
        is_used = any(self._folder.iterdir())
        if is_used and not (which.exists() and which.read_bytes() == growth.encode()):
            raise ValueError(
                f"checkpoint={str(self._folder)!r} is not of this data, these parameters and this version of"
                " Hornbeam: name another folder, or remove it"
            )
        write_atomically(which, growth)
        for path in self._files():
            content = path.read_bytes()
            if hashlib.sha256(content[_DIGEST:]).digest() == content[:_DIGEST]:
                self._note(path, content)
            self._n_files = max(self._n_files, int(path.name.rpartition("-")[2]))

    def _files(self) -> list[Path]:
        return [path for path in self._folder.iterdir() if re.fullmatch(r"answers-\d+", path.name)]

    def _note(self, path: Path, content: bytes) -> None:
        at = _DIGEST
        while at < len(content):
            key, size = _RECORD.unpack_from(content, at)
            at += _RECORD.size
            self._places[key] = path, at, size
            at += size

    def recall(self, key: bytes) -> bytes | None:
        """The answer that was kept, if there is one."""
        if key not in self._places:
            return None
        path, at, size = self._places[key]
        with path.open("rb") as file:
            file.seek(at)
            return file.read(size)

    def keep(self, answers: Iterable[tuple[bytes, bytes]]) -> None:
        """Keep the answers to one message."""
        records = b"".join(_RECORD.pack(key, len(answer)) + answer for key, answer in answers)
        self._n_files += 1
        digest = hashlib.sha256(records).digest()
        write_atomically(self._folder / f"answers-{self._n_files:06d}", digest + records)

    def remove(self) -> None:
        """Remove the files, and the folder if nothing else is in it: the growth is over."""
        for path in (*self._files(), self._folder / WHICH):
            path.unlink(missing_ok=True)
        with suppress(OSError):
            self._folder.rmdir()


def growth_name(columns: Iterable[Column], options: Mapping[str, Any], fingerprint: int) -> str:
    """A name that differs for other rows, columns or parameters."""
    facts = [[repr(column) for column in columns], sorted(options.items()), fingerprint]
    text = json.dumps(
        facts, default=lambda value: value.tolist() if hasattr(value, "tolist") else repr(value)
    )
    return json.dumps({"growth": hashlib.sha256(text.encode()).hexdigest(), "hornbeam": _core.version()})


def _plain(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else repr(value)


def rows_fingerprint(arrays: Iterable[Any], n_rows: int) -> int:
    """A number that hardly ever is the same for other rows; the numbers of parts add up to that of all rows.

    >>> a, b = np.array([1.0, 2.0, 3.0]), np.array([7, 8, 9], dtype=np.int32)
    >>> whole = rows_fingerprint([a, b], 3)
    >>> whole == sum(rows_fingerprint([a[k : k + 1], b[k : k + 1]], 1) for k in (2, 0, 1)) % 2**64
    True
    """
    rows = np.zeros(n_rows, dtype=np.uint64)
    for array in arrays:
        bits = np.ascontiguousarray(array).view(f"<u{array.dtype.itemsize}").astype(np.uint64)
        rows = (rows ^ bits) * np.uint64(0x9E3779B97F4A7C15)
        rows ^= rows >> np.uint64(29)
    return int((rows * np.uint64(0xBF58476D1CE4E5B9) ^ rows >> np.uint64(32)).sum(dtype=np.uint64))
