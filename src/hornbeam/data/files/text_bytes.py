"""The bytes of text files: which encoding they are in, and blocks of whole lines.

A byte order mark says the encoding; without one, bytes that are valid UTF-8 are UTF-8, and others are the
one-byte code of Western Europe, which is said in what was found. A line is never cut, so a block holds at
least one; a line without an end in sight is refused before it fills the memory.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import BinaryIO

from hornbeam.data.files.table_error import TableError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_NOT_IN_CP1252 = frozenset(b"\x81\x8d\x8f\x90\x9d")


def encoding_of(head: bytes, name: str, *, is_whole: bool = True) -> str:
    r"""The encoding of a text whose first bytes these are.

    >>> encoding_of("Plzeň".encode(), "a.csv"), encoding_of(b"caf\xe9", "a.csv")
    ('utf-8', 'cp1252')
    """
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding
    if b"\0" in head:
        wide = _without_mark(head)
        if wide:
            return wide
        raise TableError(
            f"{name} holds bytes that are no text",
            "name its format if it is one of the binary ones (format=)",
        )
    return "utf-8" if is_utf8(head, is_whole=is_whole) else one_byte(head)


def is_utf8(data: bytes, *, is_whole: bool) -> bool:
    """Whether the bytes are UTF-8; a text that goes on may be cut within a character.

    >>> is_utf8("ň".encode()[:1], is_whole=False), is_utf8("ň".encode()[:1], is_whole=True)
    (True, False)
    """
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data, is_whole)
    except UnicodeDecodeError:
        return False
    return True


def one_byte(data: bytes) -> str:
    """The one-byte code that can hold these bytes: that of Windows, or Latin-1 if it cannot."""
    return "latin-1" if _NOT_IN_CP1252.intersection(data) else "cp1252"


def decode_guessed(data: bytes) -> str:
    """The text of bytes that are UTF-8 or a one-byte code."""
    return data.decode("utf-8" if is_utf8(data, is_whole=True) else one_byte(data))


def decode_text(data: bytes, encoding: str, name: str, *, is_whole: bool) -> str:
    """The text of the bytes, or a sentence if they are written otherwise.

    >>> decode_text(b"a", "utf-8", "a.csv", is_whole=True)
    'a'
    """
    try:
        return codecs.getincrementaldecoder(encoding)().decode(data, is_whole)
    except UnicodeError:
        raise TableError(
            f"{name} is not written in {encoding}", "name another encoding (encoding=)"
        ) from None


def checked_encoding(encoding: str) -> str:
    """The encoding a user names, if there is one of that name.

    >>> checked_encoding("UTF8")
    'utf-8'
    """
    try:
        codec = codecs.lookup(encoding)
        codec.decode(b"")
    except (LookupError, TypeError, ValueError):
        raise TableError(
            f"encoding={encoding!r} is not known", "use a name such as 'utf-8', 'cp1252' or 'utf-16'"
        ) from None
    return codec.name


def _without_mark(head: bytes) -> str:
    """UTF-16 without a mark: plain letters have a zero on one side."""
    pairs = head[: len(head) // 2 * 2]
    even, odd = pairs[0::2].count(0), pairs[1::2].count(0)
    enough = len(pairs) * 0.3
    if odd > enough and even == 0:
        return "utf-16-le"
    return "utf-16-be" if even > enough and odd == 0 else ""


LONGEST_LINE = 1 << 26  # bytes
_BLOCK = 1 << 22


def line_blocks(file: BinaryIO, name: str, first_line: int = 1) -> Iterator[tuple[bytes, int]]:
    r"""Blocks of whole lines, without the last line end, and the number of the first line of each.

    >>> import io
    >>> list(line_blocks(io.BytesIO(b"a\nb\nc"), "t.csv"))
    [(b'a\nb', 1), (b'c', 3)]
    """
    rest, line = bytearray(), first_line
    while data := file.read(_BLOCK):
        end = data.rfind(b"\n")
        if end < 0:
            rest += data
        else:
            whole = bytes(rest) + data[:end]
            yield whole, line
            line += whole.count(b"\n") + 1
            rest = bytearray(data[end + 1 :])
        if len(rest) > LONGEST_LINE:
            raise long_line(name, line)
    if rest:
        yield bytes(rest), line


def long_line(name: str, line: int | None) -> TableError:
    """The sentence for a line that is too long to be a row."""
    where = "a line" if line is None else f"line {line:,}"
    return TableError(
        f"{where} of {name} is more than {LONGEST_LINE:,} bytes long, which is the most that is read",
        "check that every row is a line, and that quotes are closed",
    )


def longest_line(file: BinaryIO) -> int | None:
    """The number of the first line that is too long to be a row; None if there is none."""
    line, length = 1, 0
    while data := file.read(_BLOCK):
        for k, piece in enumerate(data.split(b"\n")):
            line, length = (line + 1, len(piece)) if k else (line, length + len(piece))
            if length > LONGEST_LINE:
                return line
    return None
