"""Colours of classes: six can be told apart by every eye, so from the seventh class on some share a grey."""

from __future__ import annotations

import numpy as np

from hornbeam._base.types import Floats

MOST = 6


def colours(counts: Floats) -> list[int]:
    """The colour of each class by number, -1 for grey: of two classes the rarer gets the second.

    >>> colours(np.array([2.0, 5.0]))
    [1, 0]
    >>> colours(np.array([9.0, 1.0, 8.0, 7.0, 6.0, 5.0, 4.0]))
    [0, -1, 1, 2, 3, 4, 5]
    """
    if len(counts) == 2:
        return [1, 0] if counts[0] < counts[1] else [0, 1]
    found = np.full(len(counts), -1)
    largest = np.sort(np.argsort(-counts, kind="stable")[:MOST])
    found[largest] = np.arange(len(largest))
    return [int(k) for k in found]


def groups(shades: list[int]) -> list[int]:
    """The colours that pictures stack, from the first to the last: one for each class, grey last.

    >>> groups([0, -1, 1, -1]), groups([1, 0])
    ([0, 1, -1], [1, 0])
    """
    return [shade for shade in shades if shade >= 0] + [-1] * (-1 in shades)
