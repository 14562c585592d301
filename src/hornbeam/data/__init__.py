"""From whatever the user has to a Table and a Target; and the tables that a prefix and a name stand for.

The tables of the lectures (`demo:tennis`) live in a room above this one, so `hornbeam/__init__` fills in
their reader when the package is imported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

# By prefix: a function of the name after the colon and of what is asked for (`hornbeam.data.files.request`).
READERS: dict[str, Callable[[str, Any], Any]] = {}


def named_table(source: Any) -> tuple[str, str] | None:
    """The prefix and the name of a table that is asked for in this way; None for any other source.

    >>> named_table("demo:tennis"), named_table("C:tennis.csv")
    (('demo', 'tennis'), None)
    """
    if not isinstance(source, str):
        return None
    prefix, colon, name = source.partition(":")
    return (prefix, name) if colon and prefix in READERS else None
