"""How deep the values of a JSON text are nested, found out before a parser that recurses reads it.

One idea: only quotes and brackets matter, so all other bytes are dropped first, and brackets between quotes
do not count. Parsers of JSON, Arrow's too, call themselves at every bracket; of a text that is nested deeply
enough they die with the whole process.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MOST = 100  # what is nested deeper is no table and no model
_BLOCK = 1 << 22
_QUOTE = 2
_KINDS: NDArray[np.int8] = np.zeros(256, dtype=np.int8)
_KINDS[[ord("["), ord("{")]] = 1
_KINDS[[ord("]"), ord("}")]] = -1
_KINDS[ord('"')] = _QUOTE
_OTHERS = bytes(byte for byte in range(256) if not _KINDS[byte])


def too_deep(data: bytes, most: int = MOST) -> int | None:
    """Where the first bracket is that lies deeper than `most` others; None if there is none.

    >>> too_deep(b'{"a": [[1]]}', 2), too_deep(b'{"a": "[[[["}', 2)
    (7, None)
    """
    if data.count(b"[") + data.count(b"{") <= most:
        return None
    depth, quoted, start = 0, False, 0
    while start < len(data):
        end = _end_of_block(data, start)
        block = without_escapes(data[start:end])
        step, quotes = _steps(_KINDS[np.frombuffer(block.translate(None, _OTHERS), np.uint8)], quoted=quoted)
        after = depth + np.cumsum(step, dtype=np.int64)
        if len(after) and after.max() > most:
            offsets = np.flatnonzero(_KINDS[np.frombuffer(block, np.uint8)])
            return start + int(offsets[np.argmax(after > most)])
        depth = int(after[-1]) if len(after) else depth
        quoted ^= bool(quotes % 2)
        start = end
    return None


def without_escapes(text: bytes) -> bytes:
    """The text, of the same length, without quotes that are a part of a string."""
    return text.replace(b"\\\\", b"  ").replace(b'\\"', b"  ") if b"\\" in text else text


def _end_of_block(data: bytes, start: int) -> int:
    """The end of a block; never behind a backslash, whose meaning is in what follows."""
    end = start + _BLOCK
    while end < len(data) and data[end - 1] == ord("\\"):
        end += 1
    return end


def _steps(kinds: NDArray[np.int8], *, quoted: bool) -> tuple[NDArray[np.int8], int]:
    """+1 and -1 for brackets outside of strings, 0 for all else; and the number of quotes."""
    is_quote = kinds == _QUOTE
    inside = (np.cumsum(is_quote, dtype=np.int32) + quoted) & 1
    return np.where(is_quote | (inside == 1), np.int8(0), kinds), int(np.count_nonzero(is_quote))
