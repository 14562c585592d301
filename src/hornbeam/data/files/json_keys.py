"""How many different keys the objects of JSON lines have, found out before every key becomes a column.

One idea: a column takes memory for every row, so a small file in which each line has a key of its own would
fill any memory. A key is told by its length and by the eight bytes at its start, middle and end; keys that
differ elsewhere count once, so the number is never too large.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hornbeam._base.json_depth import without_escapes

_BLOCK = 1 << 20
_BLOCKS = 16  # of a longer text, so many blocks at even distances are looked at
_WIDTH = 8
_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # odd, with bits well spread


def n_keys(data: bytes, enough: int) -> int:
    r"""The number of different keys, at least; counting ends when there are more than `enough`.

    >>> n_keys(b'{"a": 1, "b": "x: y"}\n{"a": 2, "c" : 3}\n', 10)
    3
    """
    prints: NDArray[np.uint64] = np.empty(0, dtype=np.uint64)
    start = 0
    leap = max(0, len(data) // _BLOCKS - _BLOCK)
    while start < len(data) and len(prints) <= enough:
        end = data.find(b"\n", start + _BLOCK) + 1 or len(data)
        prints = np.union1d(prints, _prints(without_escapes(data[start:end])))
        start = data.find(b"\n", end + leap) + 1 or len(data) if leap else end
    return len(prints)


def _prints(block: bytes) -> NDArray[np.uint64]:
    """A number for each key of a block, made of its length and some of its bytes."""
    text = np.frombuffer(b" " * _WIDTH + block + b" " * 2 * _WIDTH, dtype=np.uint8)
    quote = np.flatnonzero(text == ord('"'))
    first, last = quote[0:-1:2] + 1, quote[1::2]
    after = text[last + 1]
    is_key = (after == ord(":")) | ((after == ord(" ")) & (text[last + 2] == ord(":")))
    first, last = first[is_key], last[is_key]
    size = last - first
    windows = np.ndarray((len(text) - _WIDTH + 1,), dtype="<u8", buffer=text, strides=(1,))
    short = 8 * np.clip(_WIDTH - size, 0, _WIDTH - 1).astype(np.uint64)  # bits behind the end of the key
    begin = windows[first] << short
    begin[size == 0] = 0
    middle = np.where(size > _WIDTH, windows[first + np.maximum(size - _WIDTH, 0) // 2], 0)
    end = np.where(size > _WIDTH, windows[last - _WIDTH], 0)
    prints: NDArray[np.uint64] = size.astype(np.uint64)
    for part in (begin, middle, end):
        prints = (prints ^ part) * _FACTOR
        prints ^= prints >> np.uint64(29)
    return prints
