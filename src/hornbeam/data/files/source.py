"""Source: where a table comes from, opened the same way for a path, standard input and a file object.

One idea: what can be opened again (an ordinary file) is, and what cannot (a pipe, named or not) is opened
once and either kept whole, when the whole table is wanted anyway, or passed on behind the few bytes already
looked at, when it is streamed.
"""

from __future__ import annotations

import gzip
import io
import os
import select
import stat
import sys
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, BinaryIO, cast

import pyarrow as pa

from hornbeam._base.atomic import is_stream, shown_name
from hornbeam.data.files.table_error import TableError, guarded

HEAD = 1 << 18  # bytes looked at to find out how a file is written
_GZIP = b"\x1f\x8b"
_FREE = 1 << 26  # bytes that a packed file may always unpack to
_MOST_SELECTED = 1024  # file numbers that `select` knows
_PATIENCE = 0.1  # seconds after which a thread that waits for a pipe looks whether anybody still reads
_RATIO = 250  # beyond that: how many times its own size


class Source:
    """Bytes with a name.

    Attributes
    ----------
    name : what error sentences call it
    path : the file, None for a stream, also for one that has a path
    head : the first bytes, unpacked
    is_whole : whether these are all
    packed : whether the bytes come out of gzip
    """

    def __init__(self, location: Any) -> None:
        self.path: Path | None = None
        self.packed = False
        self._stream: BinaryIO | None = None
        self._kept: Any = None  # a buffer of Arrow
        self._is_over = threading.Event()
        if isinstance(location, (str, os.PathLike)) and os.fspath(location) != "-":
            path = _checked_path(Path(os.fspath(location)).expanduser())
            self.name = shown_name(path)
            if is_stream(path):
                with guarded(self.name, "opened"):
                    opened = path.open("rb", buffering=0)
                self._take(opened, is_ours=True)
                return
            self.path = path
            with guarded(self.name, "opened"), self.path.open("rb") as file:
                self.packed = file.read(2) == _GZIP
            with guarded(self.name, "opened", "check that the file is complete"), self.open() as file:
                self.head = file.read(HEAD)
            self.is_whole = len(self.head) < HEAD
        else:
            stream = sys.stdin.buffer if isinstance(location, (str, os.PathLike)) else location
            self.name = "standard input" if stream is not location else _name_of(location)
            self._take(stream)

    def _take(self, stream: Any, *, is_ours: bool = False) -> None:
        if not hasattr(stream, "read"):
            raise TableError(
                f"source={stream!r} is no table file",
                "give a path, '-' for standard input, 'demo:NAME' or a file opened in binary mode",
            )
        with guarded(self.name, "read"):
            head = _read(stream, HEAD)
        if isinstance(head, str):
            raise TableError(f"{self.name} is opened as text", "open it in binary mode, open(path, 'rb')")
        chained: BinaryIO = io.BufferedReader(_Chained(head, stream, self._is_over, closes=is_ours), HEAD)
        if head[:2] == _GZIP:
            self.packed = True
            chained = cast(BinaryIO, _Bounded(chained, self.name))
            with guarded(self.name, "unpacked", "check that it is complete"):
                head = _read(chained, HEAD)
            chained = io.BufferedReader(_Chained(head, chained, self._is_over, closes=True), HEAD)
        self.head, self._stream = head, chained
        self.is_whole = len(head) < HEAD

    def look_on(self, enough: Callable[[bytes], bool]) -> None:
        """Look at more of the first bytes, twice as many each time, until they are enough or all."""
        while not self.is_whole and not enough(self.head):
            n_bytes = 2 * len(self.head)
            with guarded(self.name, "read", "check that it is complete"):
                if self.can_reopen:
                    with self.open() as file:
                        self.head = file.read(n_bytes)
                else:
                    assert self._stream is not None
                    self.head = _read(self._stream, n_bytes)
                    chained = _Chained(self.head, self._stream, self._is_over, closes=True)
                    self._stream = io.BufferedReader(chained, HEAD)
            self.is_whole = len(self.head) < n_bytes

    @property
    def suffixes(self) -> list[str]:
        """The endings of the file's name, lower-case, without that of packing."""
        endings = [ending.lower() for ending in Path(self.name).suffixes]
        return endings[:-1] if endings and endings[-1] in (".gz", ".gzip") else endings

    @property
    def can_reopen(self) -> bool:
        """Whether `open` gives the bytes from the start more than once."""
        return self.path is not None or self._kept is not None

    def open(self) -> BinaryIO:
        """The bytes from the start; a stream can be opened once, or after `keep`."""
        if self._kept is not None:
            return cast(BinaryIO, pa.BufferReader(self._kept))
        if self.path is None:
            assert self._stream is not None
            return self._stream
        if not self.packed:
            return self.path.open("rb")
        return cast(BinaryIO, io.BufferedReader(_Bounded(self.path.open("rb"), self.name), HEAD))

    @property
    def size(self) -> int:
        """How many bytes the file has as it is, or the stream once it is kept."""
        if self.path is not None:
            return self.path.stat().st_size
        return len(self.head) if self._kept is None else int(self._kept.size)

    def open_arrow(self) -> Any:
        """The same for Arrow, which reads a plain file faster by itself."""
        if self._kept is None and self.path is not None and not self.packed:
            return pa.OSFile(str(self.path))
        return self.open()

    def end_waiting(self) -> None:
        """Let a thread that waits for more bytes of a pipe, and every later read, come to the end."""
        self._is_over.set()

    def keep(self) -> None:
        """Hold the whole of what cannot be opened again at any place: a stream, a packed file."""
        if self._kept is None and (self.path is None or self.packed):
            with guarded(self.name, "read", "check that it is complete"), self.open() as file:
                self._kept = arrow_bytes(iter(lambda: file.read(HEAD), b""))


class _Chained(io.RawIOBase):
    """The bytes already read, then the rest of the stream; a stream that a caller gave stays open.

    A pipe may be silent for long, so nobody waits inside a read that nothing could end.
    """

    def __init__(self, head: bytes, rest: Any, is_over: threading.Event, *, closes: bool) -> None:
        self._head, self._rest, self._closes = io.BytesIO(head), rest, closes
        self._is_over, self._pipe = is_over, _pipe_of(rest)

    def readable(self) -> bool:
        return True

    def readinto(self, out: Any) -> int:
        data = self._head.read(len(out)) or self._more(len(out))
        out[: len(data)] = data
        return len(data)

    def _more(self, size: int) -> bytes:
        if self._pipe is None:
            return self._rest.read(size) or b""
        while not select.select([self._pipe], [], [], _PATIENCE)[0]:
            if self._is_over.is_set():
                return b""
        read = getattr(self._rest, "read1", self._rest.read)  # what is there, without waiting for all
        return b"" if self._is_over.is_set() else read(size) or b""

    def close(self) -> None:
        if self._closes:
            self._rest.close()
        super().close()


class _Bounded(io.RawIOBase):
    """What a gzip stream unpacks to, unless that is far more than what was read of it."""

    def __init__(self, packed: BinaryIO, name: str) -> None:
        self._packed, self._name = _Counted(packed), name
        self._file = gzip.GzipFile(fileobj=cast(BinaryIO, self._packed))
        self._unpacked = 0

    def readable(self) -> bool:
        return True

    def readinto(self, out: Any) -> int:
        data = self._file.read(len(out))
        self._unpacked += len(data)
        if self._unpacked > unpacked_bound(self._packed.n_bytes):
            raise TableError(
                f"{self._name} unpacks to far more than its own size", "unpack it first if you trust it"
            )
        out[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._file.close()
        self._packed.close()
        super().close()


class _Counted:
    """A file that knows how many bytes were read of it."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self.n_bytes = file, 0

    def read(self, n: int = -1) -> bytes:
        data = self._file.read(n)
        self.n_bytes += len(data)
        return data

    def close(self) -> None:
        self._file.close()


def arrow_bytes(pieces: Iterable[bytes]) -> Any:
    """Bytes as a buffer in memory of Arrow: one of Python's would need Python when Arrow lets go of it.

    >>> arrow_bytes([b"a,", b"b"]).to_pybytes()
    b'a,b'
    """
    memory = pa.BufferOutputStream()
    for piece in pieces:
        memory.write(piece)
    return memory.getvalue()


def _pipe_of(stream: Any) -> int | None:
    """The number of a pipe or terminal that can be waited for; None for whatever else is read."""
    try:
        number = stream.fileno()
        mode = os.fstat(number).st_mode
    except (AttributeError, OSError, ValueError):
        return None
    is_pipe = stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or stat.S_ISCHR(mode)
    return number if is_pipe and os.name == "posix" and number < _MOST_SELECTED else None


def unpacked_bound(packed: int) -> int:
    """How many bytes so many packed ones may unpack to."""
    return max(_FREE, _RATIO * packed)


def _read(stream: Any, n: int) -> Any:
    """Up to n bytes: a pipe may give fewer at a time."""
    head = stream.read(n)
    while isinstance(head, bytes) and 0 < len(head) < n:
        more = stream.read(n - len(head))
        if not more:
            break
        head += more
    return head


def _name_of(stream: Any) -> str:
    name = getattr(stream, "name", None)
    return Path(name).name if isinstance(name, str) else "the file"


def _checked_path(path: Path) -> Path:
    with guarded(str(path), "opened"):
        if path.is_dir():
            raise TableError(f"{path} is a folder, not a table file", "name a file in it")
        if not path.exists():
            near = _near(path)
            raise TableError(f"there is no file {path}{near}", "check the path")
    return path


def _near(path: Path) -> str:
    from hornbeam._base.parameters import did_you_mean

    if not path.parent.is_dir():
        return ""
    return did_you_mean(path.name, sorted(entry.name for entry in path.parent.iterdir())[:10_000])
