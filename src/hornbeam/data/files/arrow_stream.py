"""Delimited text read by Arrow, so that no thread of Arrow needs Python when Python ends.

Arrow reads ahead on a thread of its own, and its threads let go of what they hold some time after the last
rows were taken. A thread that waits for Python while the interpreter shuts down aborts the process. So:

- Where the bytes come from a Python file (a packed file, a pipe) or are decoded, Arrow gets a copy of them in
  memory of its own, and errors stay here: none of its threads has anything of Python to let go of.
- Such a file can be told to end: every later read gives nothing, and what Arrow has read already is taken
  from it, after which its thread is done. This happens when a reader is left, and at exit for those that
  were not read to the end. Another thread waits for Arrow then, so that Ctrl-C reaches the one who waits for
  a pipe.
- The files last read stay, and at exit for ever: Arrow may be the last to hold one.
"""

from __future__ import annotations

import atexit
import codecs
import copy
import ctypes
import io
import threading
import time
from collections import deque
from collections.abc import Iterator
from queue import Empty, SimpleQueue
from typing import Any

import pyarrow as pa
import pyarrow.csv as pacsv

from hornbeam._base.worker_threads import Worker
from hornbeam.data.files.source import Source
from hornbeam.data.files.table_error import guarded

_PATIENCE = 1.0  # seconds until the threads look at each other
_LAST_READ = 30.0  # seconds for a read that has begun: on a busy machine it takes long to unpack a block
_LAST_LOOK = 0.2  # seconds at exit for the read that may follow an error


class ArrowFile:
    """Delimited text as Arrow reads it: a file of its own, or one that ends when nobody reads on."""

    def __init__(self, source: Source, options: dict[str, Any]) -> None:
        encoding = options["read_options"].encoding
        opened = source.open_arrow()
        self.options, self.handle, self.python = options, opened, None
        self._source = source
        if encoding != "utf8" or not isinstance(opened, pa.NativeFile):
            self.python = _EndableFile(opened, encoding, source.name)
            self.handle = pa.BufferedInputStream(pa.PythonFile(self.python, mode="r"), 1)  # copies the bytes
            self.options = options | {"read_options": copy.copy(options["read_options"])}
            self.options["read_options"].encoding = "utf8"
            _KEPT.append((self.handle, self.python))

    def check(self) -> None:
        """Raise what went wrong in a read."""
        if self.python is not None and self.python.error is not None:
            raise self.python.error

    def end(self) -> bool:
        """Let later reads give nothing; whether none is going on any more."""
        if self.python is None:
            return True
        self._source.end_waiting()
        return self.python.end(_LAST_READ)

    def close(self) -> None:
        """Close it."""
        (self.handle if self.python is None else self.python).close()


def read_whole(source: Source, options: dict[str, Any]) -> Any:
    """All rows as one table."""
    file = ArrowFile(source, options)
    try:
        table = pacsv.read_csv(file.handle, **file.options)
    except pa.ArrowException:
        file.check()
        raise
    finally:
        if file.end():
            file.close()
    file.check()
    return table


class ArrowStream:
    """The record batches of delimited text; a context, since reading must end when nobody reads on."""

    def __init__(self, source: Source, options: dict[str, Any]) -> None:
        self._file = ArrowFile(source, options)
        self._reader: Any = None
        _OPEN.add(self)  # before a thread begins: Ctrl-C may come between any two lines
        try:
            if self._file.python is None:
                self._reader = pacsv.open_csv(self._file.handle, **self._file.options)
            else:
                self._reader = _WaitedBatches(self._file)
                self._reader.open()
        except BaseException:
            self.end()
            raise

    def __enter__(self) -> Any:
        return self._reader

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """Close the file when Arrow reads no more of it."""
        if self._file.end():
            self._finish()
            self._file.close()
        self._reader = None
        _OPEN.discard(self)  # last: an end that is interrupted is made up for at exit

    def _finish(self) -> None:
        """Take what was read ahead."""
        if isinstance(self._reader, _WaitedBatches):
            self._reader.end()


class _WaitedBatches:
    """The batches of a reader of Arrow, which a thread waits for."""

    def __init__(self, file: ArrowFile) -> None:
        self.schema: Any = None
        self._file = file
        self._taken: SimpleQueue[Any] = SimpleQueue()
        self._room: SimpleQueue[None] = SimpleQueue()  # for what is read ahead
        self._room.put(None)
        self._is_over = False
        self._thread = Worker(self._take)

    def open(self) -> None:
        """Wait for the first bytes; raise what is wrong with them."""
        self._thread.start()
        self.schema = self._next()

    def __iter__(self) -> Iterator[Any]:
        while (batch := self._next()) is not None:
            yield batch

    def _next(self) -> Any:
        while True:
            try:
                item = self._taken.get(timeout=_PATIENCE)
            except Empty:
                continue
            self._room.put(None)
            if isinstance(item, BaseException):
                raise item
            return item

    def _take(self) -> None:
        """On the thread: the schema, the batches, None at the end; an error in the place of either."""
        try:
            reader = pacsv.open_csv(self._file.handle, **self._file.options)
            self._put(reader.schema)
            for batch in reader:
                self._file.check()  # the last row may have been cut by it
                self._put(batch)
            self._file.check()
            self._put(None)
        except BaseException as error:  # the one who waits for batches raises it
            python = self._file.python
            self._put(error if python is None or python.error is None else python.error)

    def _put(self, item: Any) -> None:
        while not self._is_over:
            try:
                self._room.get(timeout=_PATIENCE)
            except Empty:
                continue
            return self._taken.put(item)
        return None

    def end(self) -> None:
        """Let the thread take what was read ahead, and wait for its end."""
        self._is_over = True
        self._thread.wait()


class _EndableFile(io.RawIOBase):
    """A file in UTF-8 that another thread can end: later reads give nothing; an error ends it, too."""

    def __init__(self, file: Any, encoding: str, name: str) -> None:
        self._name = name
        self.error: BaseException | None = None
        self.gave_end = threading.Event()  # after which nobody reads on
        self._inner: Any = file
        self._decoder = None if encoding == "utf8" else codecs.getincrementaldecoder(encoding)()
        self._rest = b""  # decoded, not given yet
        self._is_over = False
        self._reading = threading.Lock()

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        with self._reading:
            data = b""
            try:
                if not self._is_over and self._inner is not None:
                    data = self._raw(size) if self._decoder is None else self._decoded(size)
            except BaseException as error:  # raised by the one who takes the rows
                self.error, self._is_over = error, True
            if not data:
                self.gave_end.set()
            return data

    def _raw(self, size: int) -> bytes:
        with guarded(self._name, "read", "check that it is complete"):
            data: bytes = self._inner.read(size)
            return data

    def _decoded(self, size: int) -> bytes:
        assert self._decoder is not None
        is_more = True
        while is_more and len(self._rest) < size:  # a small piece might be less than a line
            data = self._raw(size)
            is_more = bool(data)
            self._rest += self._decoder.decode(data, not is_more).encode()
        given, self._rest = self._rest[:size], self._rest[size:]
        return given

    def end(self, patience: float) -> bool:
        """Let later reads give nothing; whether none is going on any more."""
        self._is_over = True
        is_idle = self._reading.acquire(timeout=patience)
        if is_idle:
            self._reading.release()
        return is_idle

    def close(self) -> None:
        """Close the file; who reads on is given nothing."""
        if self._inner is not None:
            self._inner.close()
            self._inner = None


_KEPT: deque[tuple[Any, _EndableFile]] = deque(maxlen=16)
_OPEN: set[ArrowStream] = set()


def end_streams() -> None:
    """End what is still open."""
    for stream in list(_OPEN):
        stream.end()


@atexit.register
def _leave_to_arrow() -> None:
    """Before the interpreter shuts down: end what is open, and let nobody free what Arrow may hold."""
    end_streams()
    latest = time.monotonic() + _LAST_LOOK
    for handle, python in _KEPT:
        python.gave_end.wait(max(0.0, latest - time.monotonic()))
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(handle))
