"""Where the rows of a studio come from: a file, a bundled table, an upload, or a data frame.

One idea: whatever it is can be read again with other kinds of columns, by `hornbeam.read_table`.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import threading
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from hornbeam.data.files import TableError, TableFile, read_table
from hornbeam.data.files.table_error import list_names

PROJECT, MODELS = "hornbeam-studio", ("hornbeam-tree", "hornbeam-forest")  # what files of both begin with
_START = 200  # bytes of a file in which it says so
MOST_ROWS, MOST_COLUMNS, LONGEST_CELL = 5_000_000, 2_000, 1 << 20
_BLOCK = 1 << 20


@dataclass(frozen=True, eq=False)
class DataSource:
    """A table that can be read again.

    Attributes
    ----------
    name : what people call it
    location : what `hornbeam.read_table` opens: the path of a file, "demo:NAME", or bytes
    reading : options of reading, other than the kinds of columns
    """

    name: str
    location: str | bytes
    reading: Mapping[str, Any] = field(default_factory=dict)
    frame: Any = field(default=None, repr=False)  # the Arrow table of a data frame, which needs no reading

    @classmethod
    def of(cls, given: Any, **reading: Any) -> DataSource:
        """The source of a path, "demo:NAME" or a data frame."""
        if isinstance(given, str) and given.startswith("demo:"):
            return cls(given, given, reading)
        if isinstance(given, (str, os.PathLike)):
            path = Path(given).expanduser()
            return cls(path.name, str(path), reading)
        if isinstance(given, TableFile):
            return cls(str(given.facts.get("source", "table")), b"", reading, given.data)
        return cls("table", b"", reading, _arrow_table(given))

    @property
    def path(self) -> Path | None:
        """The file, if it is one."""
        is_file = isinstance(self.location, str) and not self.location.startswith("demo:")
        return Path(str(self.location)) if is_file else None

    def read_ahead(self) -> None:
        """Read the table beside everything else, with the facts of its columns; the next `read` takes it."""
        ahead: Future[TableFile] = Future()
        vars(self)["_ahead"] = ahead

        def read() -> None:
            try:
                sheet = self._read_now({})
            except Exception as fault:  # raised where the table is taken
                ahead.set_exception(fault)
                return
            ahead.set_result(sheet)
            with contextlib.suppress(Exception):  # whoever asks for them later is told
                _ = sheet.facts  # the table keeps them, and they are what a page asks for first

        threading.Thread(target=read, name="hornbeam-studio-table", daemon=True).start()

    def read(self, kinds: Mapping[str, Any] | None = None) -> TableFile:
        """The table, its columns read as `kinds` says."""
        ahead = vars(self).pop("_ahead", None)  # taken once: a file may change before it is read again
        if ahead is not None and not kinds:
            sheet: TableFile = ahead.result()
            return sheet
        return self._read_now(kinds)

    def _read_now(self, kinds: Mapping[str, Any] | None) -> TableFile:
        if self.frame is not None and not kinds:
            return _within_limits(TableFile(self.frame, {"source": self.name, "format": "frame"}))
        location: Any = self.location
        if self.frame is not None:
            location = _named(_feather(self.frame), f"{self.name}.feather")
        elif isinstance(location, bytes):
            location = _named(location, self.name)
        return _within_limits(read_table(location, columns=dict(kinds or {}) or None, **self.reading))

    @cached_property
    def sha256(self) -> str | None:
        """The checksum of the bytes of a file or an upload; None for what has no bytes of its own."""
        if isinstance(self.location, bytes):
            return hashlib.sha256(self.location).hexdigest() if self.location else None
        if self.path is None:
            return None
        digest = hashlib.sha256()
        with self.path.open("rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
        return digest.hexdigest()

    def check_ahead(self) -> None:
        """Compute the checksum beside everything else: the first edit is saved with it, and is then quick."""

        def check() -> None:
            with contextlib.suppress(OSError):  # whoever asks for it later is told
                _ = self.sha256

        threading.Thread(target=check, name="hornbeam-studio-checksum", daemon=True).start()


def start_of_file(path: Path) -> bytes:
    """The first bytes of a file, by which a project and a model are known."""
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path.name!r} here")
    with path.open("rb") as file:
        return file.read(_START)


def is_project(start: bytes) -> bool:
    """Whether a file that begins so is a project of a studio."""
    return f'"{PROJECT}"'.encode() in start[:_START]


def is_model(start: bytes) -> bool:
    """Whether a file that begins so is a saved model."""
    return any(f'"{name}"'.encode() in start[:_START] for name in MODELS)


def _arrow_table(given: Any) -> Any:
    """A data frame, or a dict of columns, as an Arrow table whose columns are of types that files have."""
    import narwhals as nw
    import pyarrow as pa

    if isinstance(given, pa.Table):
        table = given
    elif isinstance(given, Mapping):
        table = pa.table({str(name): pa.array(list(column)) for name, column in given.items()})
    else:
        try:
            table = nw.from_native(given, eager_only=True).to_arrow()
        except TypeError:
            raise TypeError(
                f"a {type(given).__name__} is no table: give the path of a file, 'demo:tennis', a data frame"
                " of pandas or polars, an Arrow table, or a dict of columns"
            ) from None
    return read_table(_named(_feather(table), "table.feather")).data


def _feather(table: Any) -> bytes:
    import pyarrow.feather as feather

    written = io.BytesIO()
    feather.write_feather(table, written, compression="uncompressed")
    return written.getvalue()


def _named(content: bytes, name: str) -> io.BytesIO:
    """Bytes as a file that has a name, by which its format is known."""
    file = io.BytesIO(content)
    file.name = name
    return file


def _within_limits(sheet: TableFile) -> TableFile:
    """Refuse a table that is larger than a studio holds, or that has nothing in it."""
    rows, columns = sheet.data.num_rows, sheet.data.num_columns
    if rows > MOST_ROWS:
        raise TableError(f"the table has {rows:,} rows, and a studio takes {MOST_ROWS:,}", "draw a sample")
    if columns > MOST_COLUMNS:
        raise TableError(
            f"the table has {columns:,} columns, and a studio takes {MOST_COLUMNS:,}", "leave some out"
        )
    if rows < 1 or columns < 2:
        raise TableError(
            f"the table has {rows} rows and {columns} columns",
            f"a tree needs rows, a target and an input; it has {list_names(sheet.data.column_names)}",
        )
    for name in sheet.data.column_names:
        longest = _longest(sheet.data.column(name))
        if longest > LONGEST_CELL:
            raise TableError(
                f"a cell of the column {name!r} is {longest:,} bytes long, and a studio takes 1 MB",
                "leave the column out of the file",
            )
    return sheet


def _longest(column: Any) -> int:
    """The bytes of the longest text of a column."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    chunks = [chunk.dictionary for chunk in column.chunks] if pa.types.is_dictionary(kind) else column.chunks
    lengths = [
        pc.max(pc.binary_length(chunk)).as_py()
        for chunk in chunks
        if pa.types.is_string(chunk.type) or pa.types.is_large_string(chunk.type)
    ]
    return max((length for length in lengths if length is not None), default=0)
