"""Asked and Raw: what a format is asked for, and what it gives back.

One idea: every format is two or three functions between these two, so a new one needs to know nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hornbeam.data.files.csv_dialect import Dialect
from hornbeam.data.files.declared_columns import Declared
from hornbeam.data.files.kinds import WORDS


@dataclass(frozen=True)
class Asked:
    """What the user said about a file; None and empty where nothing was said."""

    declared: Mapping[str, Declared] = field(default_factory=dict)
    dialect: Dialect = field(default_factory=Dialect)
    encoding: str | None = None
    missing: tuple[str, ...] | None = None
    sheet: str | int | None = None
    limit: int | None = None
    marks: tuple[str, ...] = WORDS  # the marks of gaps when streaming, where none can be found out


@dataclass(frozen=True)
class Raw:
    """A table as a format gives it."""

    table: Any  # pyarrow.Table, its columns already shaped
    details: dict[str, Any] = field(default_factory=dict)  # how the file is written
    whys: dict[str, str] = field(default_factory=dict)
    target: str | None = None
    dropped: frozenset[str] = frozenset()  # columns the file has and the table has not
