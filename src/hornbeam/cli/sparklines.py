"""Bars and sparklines of plain characters.

One idea: length says it; an eighth of a block is the finest step, a `#` where blocks cannot be printed.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from hornbeam.cli.terminal import charset_of

_EIGHTHS = " ▏▎▍▌▋▊▉█"
_HEIGHTS = "▁▂▃▄▅▆▇█"
_ASCII_HEIGHTS = "_.-=+*%#"


def bar(share: float, width: int) -> str:
    """A bar of a share of the width, on stdout's characters.

    >>> bar(0.5, 4) in ("██", "##")
    True
    """
    share = min(max(share, 0.0), 1.0)
    if charset_of(sys.stdout) == "ascii":
        return "#" * round(share * width)
    eighths = round(share * width * 8)
    return "█" * (eighths // 8) + (_EIGHTHS[eighths % 8] if eighths % 8 else "")


def sparkline(values: Sequence[float]) -> str:
    """One character of a height for each value.

    >>> sparkline([1.0, 2.0]) in ("▁█", "_#")
    True
    """
    heights = _ASCII_HEIGHTS if charset_of(sys.stdout) == "ascii" else _HEIGHTS
    known = [v for v in values if v == v]
    if not known:
        return ""
    low, span = min(known), (max(known) - min(known)) or 1.0
    return "".join(" " if v != v else heights[round((v - low) / span * (len(heights) - 1))] for v in values)
