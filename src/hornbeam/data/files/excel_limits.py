"""What is checked of an Excel workbook before its parser may have it.

One idea: a workbook is a zip archive of XML, and both can be small and unpack to anything. So the sizes that
the archive declares are bounded (zipfile never unpacks more than declared), a document type declaration,
which a workbook has no use for and entities need, is refused, and how often parts are read is counted.
"""

from __future__ import annotations

import io
import zipfile
from collections import Counter
from typing import Any, BinaryIO
from xml.parsers import expat

from hornbeam.data.files.table_error import TableError

_FREE = 1 << 20  # bytes that a workbook may always unpack to
_RATIO = 100  # beyond that: how many times its own size
_PARTS = 10_000
_PROLOG = 1 << 20  # bytes in which the first element of a part must begin
_TIMES = 6  # how often the same bytes may be read: once here, then for the size of a sheet and for its rows


class CountedFile(io.RawIOBase):
    """The bytes of a workbook, none of them read more than a few times.

    A workbook may name one part as a thousand sheets; every one of them would be read.
    """

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file, self._name = file, name
        self._times: Counter[int] = Counter()
        self.size = file.seek(0, io.SEEK_END)
        self.end_of_parts = self.size  # where the directory begins, once it is known
        self.fault: TableError | None = None
        file.seek(0)

    def readable(self) -> bool:
        """It is."""
        return True

    def seekable(self) -> bool:
        """It is."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """As in any file."""
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        """As in any file."""
        return self._file.tell()

    def readinto(self, out: Any) -> int:
        """Read, and count."""
        place = self._file.tell()
        self._times[place] += 1
        if self._times[place] > _TIMES and place < self.end_of_parts:
            self.fault = TableError(
                f"{self._name} names the same part as several sheets", "check where it comes from"
            )
            raise self.fault
        data = self._file.read(len(out))
        out[: len(data)] = data
        return len(data)


def check_archive(file: CountedFile, name: str) -> None:
    """Raise unless what the archive holds is of bearable size, and without a document type."""
    with zipfile.ZipFile(file) as archive:
        parts, file.end_of_parts = archive.infolist(), archive.start_dir
        unpacked, packed = sum(part.file_size for part in parts), sum(part.compress_size for part in parts)
        if unpacked > max(_FREE, _RATIO * file.size) or packed > file.size or len(parts) > _PARTS:
            raise TableError(
                f"{name} has {file.size:,} bytes and unpacks to {len(parts):,} parts of {unpacked:,} bytes",
                "open it with a program that you trust and save it as CSV",
            )
        for part in parts:
            with archive.open(part) as data:
                if _has_document_type(data):
                    raise TableError(
                        f"{part.filename} in {name} declares a document type, which no workbook needs",
                        "check where it comes from",
                    )


class _Seen(Exception):  # noqa: N818 (it ends the search, nothing is wrong)
    """The first element, or a document type, has begun."""


def _has_document_type(data: Any) -> bool:
    """Whether an XML text declares a document type before its first element."""
    has_type = False

    def declared(*_: Any) -> None:
        nonlocal has_type
        has_type = True
        raise _Seen

    def begun(*_: Any) -> None:
        raise _Seen

    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = declared
    parser.StartElementHandler = begun
    try:
        for _ in range(_PROLOG >> 12):
            block = data.read(1 << 12)
            parser.Parse(block, not block)
            if not block:
                break
    except (_Seen, expat.ExpatError):
        pass  # what is no XML, its reader will refuse
    return has_type
