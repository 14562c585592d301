"""Delimited text read by Arrow piece by piece, so that no thread of Arrow needs Python when Python ends.

Arrow reads ahead on a thread of its own. Where the bytes come from a Python file (a packed file, a pipe) or
pass through a Python decoder, that thread runs Python code. If it does so while the interpreter shuts down,
the process aborts. So such a file can be told to end: every
later read gives nothing, and what Arrow has read already is taken from it, after which its thread is done.
This happens when a reader is left, and at exit for those that were not read to the end. Another thread waits
for Arrow then, so that Ctrl-C reaches the one who waits for a pipe.
"""

from __future__ import annotations

import atexit
import io
import queue
import threading
from collections import deque
from collections.abc import Iterator
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.csv as pacsv

from hornbeam.data.files.source import Source

_PATIENCE = 1.0  # seconds until the threads look at each other
_LAST_READ = 30.0  # seconds for a read that has begun: on a busy machine it takes long to unpack a block
_KEPT: deque[Any] = deque(maxlen=16)  # the files last read: their last owner must not be a thread of Arrow


class ArrowStream:
    """The record batches of delimited text; a context, since reading must end when nobody reads on."""

    def __init__(self, source: Source, options: dict[str, Any]) -> None:
        self._source = source
        is_plain = options["read_options"].encoding == "utf8"
        opened = source.open_arrow() if is_plain else source.open()
        self._file = opened if isinstance(opened, pa.NativeFile) else _EndableFile(opened)
        handle = opened if self._file is opened else pa.PythonFile(self._file, mode="r")
        _KEPT.append(handle)
        self._reader: Any = None
        _OPEN.add(self)  # before a thread begins: Ctrl-C may come between any two lines
        try:
            if self._file is opened:
                self._reader = pacsv.open_csv(handle, **options)
            else:
                self._reader = _WaitedBatches(handle, options)
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
        if isinstance(self._file, _EndableFile):
            self._source.end_waiting()
            if self._file.end(_LAST_READ):
                self._finish()
                self._file.close()
        else:
            self._file.close()
        self._reader = None
        _OPEN.discard(self)  # last: an end that is interrupted is made up for at exit

    def _finish(self) -> None:
        """Take what was read ahead."""
        if self._reader is not None:
            self._reader.end()


class _WaitedBatches:
    """The batches of a reader of Arrow, which a thread waits for."""

    def __init__(self, handle: Any, options: dict[str, Any]) -> None:
        self.schema: Any = None
        self._handle, self._options = handle, options
        self._taken: queue.Queue[Any] = queue.Queue(maxsize=1)
        self._is_over = False
        self._thread = threading.Thread(target=self._take, name="hornbeam-batches", daemon=True)

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
            except queue.Empty:
                continue
            if isinstance(item, BaseException):
                raise item
            return item

    def _take(self) -> None:
        """On the thread: the schema, the batches, None at the end; an error in the place of either."""
        try:
            reader = pacsv.open_csv(self._handle, **self._options)
            self._put(reader.schema)
            for batch in reader:
                self._put(batch)
            self._put(None)
        except BaseException as error:  # the one who waits for batches raises it
            self._put(error)

    def _put(self, item: Any) -> None:
        while not self._is_over:
            try:
                return self._taken.put(item, timeout=_PATIENCE)
            except queue.Full:
                continue
        return None

    def end(self) -> None:
        """Let the thread take what was read ahead, and wait for its end."""
        self._is_over = True
        if self._thread.ident is not None:  # it was started
            self._thread.join()


class _EndableFile(io.RawIOBase):
    """A file that another thread can end: later reads give nothing."""

    def __init__(self, file: BinaryIO) -> None:
        self._inner: BinaryIO | None = file
        self._is_over = False
        self._reading = threading.Lock()

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        with self._reading:
            return b"" if self._is_over or self._inner is None else self._inner.read(size)

    def end(self, patience: float) -> bool:
        """Let later reads give nothing; whether none is going on any more."""
        self._is_over = True
        is_idle = self._reading.acquire(timeout=patience)
        if is_idle:
            self._reading.release()
        return is_idle

    def close(self) -> None:
        if self._inner is not None:
            self._inner.close()
            self._inner = None
        super().close()


_OPEN: set[ArrowStream] = set()


@atexit.register
def end_streams() -> None:
    """End what is still open when the interpreter is about to shut down."""
    for stream in list(_OPEN):
        stream.end()
