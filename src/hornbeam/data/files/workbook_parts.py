"""The parts of an Excel workbook, checked before openpyxl reads them.

A workbook is a zip archive of XML, and both can be small and unpack to anything. So the sizes that the
archive declares are bounded (zipfile never unpacks more than declared), a document type declaration, which a
workbook has no use for and entities need, is refused, and how often parts are read is counted. A formula
whose value nobody has computed would be read as a gap, so it is refused, too.
"""

from __future__ import annotations

import contextlib
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
_TIMES = 6  # how often the same bytes may be read: twice here, then for the size of a sheet and its rows


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

    seekable = readable

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """As in any file."""
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        """As in any file."""
        return self._file.tell()

    def readinto(self, out: Any) -> int:
        """Read, and count."""
        offset = self._file.tell()
        self._times[offset] += 1
        if self._times[offset] > _TIMES and offset < self.end_of_parts:
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


class _Begun(Exception):  # noqa: N818 (it ends the search, nothing is wrong)
    """The first element, or a document type, has begun; nothing after it may be parsed."""


def _has_document_type(data: Any) -> bool:
    """Whether an XML text declares a document type before its first element."""

    def begin(*name_and_more: Any) -> None:
        raise _Begun(len(name_and_more) > 2)  # a document type has four arguments, an element two

    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = parser.StartElementHandler = begin
    try:
        for _ in range(_PROLOG >> 12):
            block = data.read(1 << 12)
            parser.Parse(block, not block)
            if not block:
                break
    except _Begun as begun:
        return bool(begun.args[0])
    except expat.ExpatError:
        pass  # what is no XML, its reader will refuse
    return False


def check_formulas(file: CountedFile, sheet: str, part: str) -> None:
    """Raise if the sheet has formulas without the values that a spreadsheet program stores beside them."""
    with zipfile.ZipFile(file) as archive:
        if part.lstrip("/") not in archive.namelist():
            return
        data = archive.read(part.lstrip("/"))
    if b"<f" not in data:
        return
    n, first = _formulas_without_values(data)
    if n:
        raise TableError(
            f"sheet {sheet!r} has {n:,} formulas without a stored value, the first in cell {first}",
            "open the workbook in a spreadsheet program, save it and read it again",
        )


def _formulas_without_values(data: bytes) -> tuple[int, str]:
    """How many cells have a formula but no value, and the name of the first; empty text is a value.

    >>> _formulas_without_values(b'<r><c r="A1"><f>1+1</f><v/></c><c r="B1" t="str"><f>""</f><v/></c></r>')
    (1, 'A1')
    """
    names: list[str] = []
    cell = {"r": "", "t": "", "f": False, "v": False}
    inside = [""]

    def begin(tag: str, attributes: dict[str, str]) -> None:
        inside[0] = tag.rpartition(":")[2]
        if inside[0] == "c":
            cell.update({"r": attributes.get("r", "?"), "t": attributes.get("t", ""), "f": False, "v": False})
        elif inside[0] == "f":
            cell["f"] = True

    def text(_: str) -> None:
        cell["v"] = cell["v"] or inside[0] == "v"

    def end(tag: str) -> None:
        inside[0] = ""
        if tag.rpartition(":")[2] == "c" and cell["f"] and not cell["v"] and cell["t"] != "str":
            names.append(str(cell["r"]))

    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.CharacterDataHandler, parser.EndElementHandler = begin, text, end
    with contextlib.suppress(expat.ExpatError):  # what is no XML, its reader will refuse
        parser.Parse(data, bool(data))
    return len(names), names[0] if names else ""
