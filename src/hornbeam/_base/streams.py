"""Paths that name no ordinary file: pipes, terminals and devices, whose bytes can be read only once."""

from __future__ import annotations

import stat
from pathlib import Path


def is_stream(path: Path) -> bool:
    """Whether a path names something that can be read only once: a pipe, a terminal, another device.

    >>> is_stream(Path("/dev/null")), is_stream(Path("there is no such file"))
    (True, False)
    """
    try:
        kind = path.stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(kind) or stat.S_ISDIR(kind))


def shown_name(path: Path) -> str:
    """What a file is called in a sentence: its name; a number of the system's with its folder.

    >>> shown_name(Path("tables/a.csv")), shown_name(Path("/dev/fd/63"))
    ('a.csv', '/dev/fd/63')
    """
    return str(path) if path.parts[1:2] in (("dev",), ("proc",)) else path.name
