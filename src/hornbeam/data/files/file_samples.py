"""Slices of a long file, so that a guess does not rest on its head alone.

One idea: a few pieces at even distances, cut at line ends. A piece that begins inside a quoted cell does not
parse and is left out.
"""

from __future__ import annotations

from hornbeam.data.files.csv_dialect import Dialect
from hornbeam.data.files.source import HEAD, Source

_PIECES = 8
_PIECE = 1 << 15


def slices(source: Source, dialect: Dialect) -> list[bytes]:
    """Pieces of whole lines from the rest of a file; none of one whose line ends are not single bytes."""
    if dialect.encoding.startswith(("utf-16", "utf-32")):
        return []
    found = []
    with source.open() as file:
        end = file.seek(0, 2)
        for k in range(1, _PIECES + 1):
            start = HEAD + (end - HEAD - _PIECE) * k // _PIECES
            if start <= HEAD:
                continue
            file.seek(start)
            piece = file.read(_PIECE)
            first, last = piece.find(b"\n"), piece.rfind(b"\n")
            if 0 <= first < last:
                found.append(piece[first + 1 : last + 1])
    return found
