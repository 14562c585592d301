"""What a user says about a table file, and what the reader of its format returns.

Every format is two or three functions from a request to a raw table, so a new one needs to know nothing else.
Columns are declared as in `age=numeric,zip=nominal,grade=ordinal(low<mid<high),id=drop`: a kind and, where
the kind needs them, its values in order or the format of its dates. A name with a comma, an equals sign or a
quote stands in quotes, with a quote inside it doubled.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hornbeam._base.parameters import did_you_mean
from hornbeam.data.files.csv_dialect import Dialect
from hornbeam.data.files.kinds import WORDS
from hornbeam.data.files.table_error import TableError


@dataclass(frozen=True)
class ReadRequest:
    """What the user said about a file; None and empty where nothing was said."""

    declared: Mapping[str, ColumnDeclaration] = field(default_factory=dict)
    dialect: Dialect = field(default_factory=Dialect)
    encoding: str | None = None
    sheet: str | int | None = None
    limit: int | None = None
    marks: tuple[str, ...] = WORDS  # the marks of gaps when streaming, where none can be found out

    @property
    def missing(self) -> tuple[str, ...] | None:
        """The marks of gaps that the user named."""
        return self.dialect.missing


@dataclass(frozen=True)
class RawTable:
    """A table as a format gives it."""

    table: Any  # pyarrow.Table, its columns already shaped
    details: dict[str, Any] = field(default_factory=dict)  # how the file is written
    whys: dict[str, str] = field(default_factory=dict)
    target: str | None = None
    dropped: frozenset[str] = frozenset()  # columns the file has and the table has not
    formats: dict[str, str] = field(default_factory=dict)  # of dates that are not ISO


KINDS = ("numeric", "nominal", "ordinal", "boolean", "date", "drop")
_ALIASES = {
    "number": "numeric",
    "continuous": "numeric",
    "categorical": "nominal",
    "category": "nominal",
    "text": "nominal",
    "bool": "boolean",
    "datetime": "date",
    "timestamp": "date",
    "ignore": "drop",
}
# What is repeated is never given back (*+), so that no text takes longer than its length.
_QUOTED = r"'(?:[^']|'')*+'|\"(?:[^\"]|\"\")*+\""
_ITEM = re.compile(
    rf"\s*+({_QUOTED}|[^=,]*+)\s*+=\s*+([A-Za-z]++)\s*+(?:\(((?:{_QUOTED}|[^()'\"])*+)\))?\s*+(,|$)"
)
_VALUE = re.compile(rf"\s*+({_QUOTED}|[^<'\"]*+)\s*+(<|$)")
_EXAMPLE = "write columns='age=numeric,grade=ordinal(low<mid<high),id=drop'"


@dataclass(frozen=True)
class ColumnDeclaration:
    """What one column is to be read as."""

    kind: str
    values: tuple[str, ...] = ()  # the domain in order
    format: str = ""  # of dates, as strptime takes it
    zone: str = ""  # of dates, where it is known before
    is_open: bool = False  # whether values that are not in the domain are let in, behind it


def declarations(columns: Any) -> dict[str, ColumnDeclaration]:
    """What is declared, from text, a mapping of names to kinds, or None.

    >>> declarations("age=numeric, grade=ordinal(low<mid<high)")["grade"].values
    ('low', 'mid', 'high')
    >>> declarations({"zip": "nominal"})
    {'zip': ColumnDeclaration(kind='nominal', values=(), format='', zone='', is_open=False)}
    """
    if columns is None:
        return {}
    if isinstance(columns, str):
        return _from_text(columns)
    if isinstance(columns, Mapping):
        return {str(name): _from_value(str(name), value) for name, value in columns.items()}
    raise TableError(f"columns={columns!r} must be text or a dict of names and kinds", _EXAMPLE)


def _from_text(text: str) -> dict[str, ColumnDeclaration]:
    declared: dict[str, ColumnDeclaration] = {}
    at = 0
    while at < len(text):
        item = _ITEM.match(text, at)
        if item is None or not item[1].strip():
            raise TableError(f"columns: {text[at : at + 40]!r} is no name=kind", _EXAMPLE)
        name = _bare(item[1].strip())
        if name in declared:
            raise TableError(f"columns names {name!r} twice", "say one kind for it")
        declared[name] = _declared(name, item[2], item[3])
        at = item.end()
    return declared


def _from_value(name: str, value: Any) -> ColumnDeclaration:
    if isinstance(value, ColumnDeclaration):
        return value
    if isinstance(value, str):
        item = _ITEM.match(f"x={value}")
        if item is None or item.end() != len(value) + 2:
            raise TableError(f"columns: {value!r} for {name!r} is no kind", f"use one of {', '.join(KINDS)}")
        return _declared(name, item[2], item[3])
    if isinstance(value, Sequence) and value:
        return ColumnDeclaration("ordinal", tuple(map(str, value)))
    raise TableError(
        f"columns: {value!r} for {name!r} is no kind",
        f"use one of {', '.join(KINDS)}, or a list of values in order",
    )


def _declared(name: str, word: str, inside: str | None) -> ColumnDeclaration:
    kind = _ALIASES.get(word.lower(), word.lower())
    if kind not in KINDS:
        raise TableError(
            f"columns: {word!r} for {name!r} is no kind{did_you_mean(word, KINDS)}",
            f"use one of {', '.join(KINDS)}",
        )
    if inside is None:
        return ColumnDeclaration(kind)
    if kind == "date":
        return ColumnDeclaration(kind, format=_bare(inside.strip()))
    if kind not in ("ordinal", "nominal"):
        raise TableError(f"columns: {kind} for {name!r} takes nothing in parentheses", f"write {name}={kind}")
    values = tuple(_values(inside))
    if len(values) < 1 or "" in values or len(set(values)) != len(values):
        raise TableError(
            f"columns: the values of {name!r} must be different and not empty",
            f"write {name}={kind}(low<mid<high)",
        )
    return ColumnDeclaration(kind, values)


def _values(inside: str) -> list[str]:
    values, at = [], 0
    while True:
        item = _VALUE.match(inside, at)
        if item is None:
            raise TableError(f"columns: {inside!r} is no list of values in order", _EXAMPLE)
        values.append(_bare(item[1].strip()))
        at = item.end()
        if item[2] == "":
            return values


def _bare(text: str) -> str:
    """The text without its quotes."""
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1].replace(text[0] * 2, text[0])
    return text
