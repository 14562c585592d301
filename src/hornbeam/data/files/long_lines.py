"""A text file in blocks of whole lines.

One idea: a line is never cut, so a block holds at least one; a line without an end in sight is refused before
it fills the memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from hornbeam.data.files.table_error import TableError

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
        ends = data.split(b"\n")
        for piece in ends[:-1]:
            if length + len(piece) > LONGEST_LINE:
                return line
            line, length = line + 1, 0
        length += len(ends[-1])
        if length > LONGEST_LINE:
            return line
    return None
