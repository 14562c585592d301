"""Dialects of SQL: one table of what databases write differently.

One idea: the query is the same everywhere; names, literals, types of times and a few words are looked up in
the row of the dialect.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hornbeam._base.parameters import did_you_mean
from hornbeam.io.export.literals import plain_value


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _escaped(text: str) -> str:
    """Spark reads backslashes and ${variables} in a text: these signs are written by number, as quotes."""
    return "'" + text.replace("\\", "\\u005C").replace("'", "\\u0027").replace("$", "\\u0024") + "'"


def _bytes_if_odd(text: str) -> str:
    """MySQL reads backslashes or not, and other letters in the connection's character set: bytes are sure."""
    if text.isascii() and text.isprintable() and "\\" not in text and "'" not in text:
        return f"'{text}'"
    return f"_utf8mb4 X'{text.encode().hex()}'"


def _any_name(name: str) -> str:
    del name
    return ""


def _postgres_name(name: str) -> str:
    return "" if len(name.encode()) <= 63 else "names have at most 63 bytes"


def _mysql_name(name: str) -> str:
    is_plain = name == name.rstrip(" \t\n\v\f\r") and max(name, default="") <= "\uffff"
    if is_plain and len(name) <= 64:
        return ""
    return "names have at most 64 letters of Unicode's basic plane and no space at the end"


def _spark_name(name: str) -> str:
    return "Spark puts the value of a variable in the place of ${...}" if "${" in name else ""


@dataclass(frozen=True)
class TimeType:
    """How times of one kind are compared: the column, and a literal of the text of a moment."""

    literal: str
    column: str = "{}"


_TIMESTAMP, _TIME = TimeType("CAST('{}' AS TIMESTAMP)"), TimeType("CAST('{}' AS TIME)")
_ZONED = TimeType("CAST('{}+00:00' AS TIMESTAMP WITH TIME ZONE)")
_MYSQL_ZONED = TimeType(
    "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', '{}')", column="1000000 * UNIX_TIMESTAMP({})"
)


@dataclass(frozen=True)
class SqlDialect:
    """What one database writes in its own way.

    Attributes
    ----------
    quote : what names stand between
    text : a literal of a text
    number, infinity : a finite double and an infinite one with its sign
    materialized, step_end : what makes a step be worked out once, before and after it
    overflow_fails, underflow_fails : whether a result above or below the range of doubles is an error
    row_number : numbers for the rows of a table, in the order in which it gives them; none: a key is needed
    record, columns_of_record : a whole row as one value and its columns again; None: listed by name
    rows : "VALUES (...), (...)" or one SELECT for each row
    text_type : the type of text in a CAST
    text_column : a column of text, compared letter by letter
    typed_times, text_times : whether times have types, or are ISO text; both: the query finds out
    times : family of times, with "+" for those with a zone, to how they are compared; others are refused
    refuse_name : why a name cannot be one here; the empty text if it can
    """

    quote: str = '"'
    text: Callable[[str], str] = _quoted
    number: str = "{}"
    infinity: str = "{}9e999"
    materialized: str = " MATERIALIZED"
    step_end: str = ""
    overflow_fails: bool = False
    underflow_fails: bool = False
    row_number: str = "row_number() OVER ()"
    record: str | None = None
    columns_of_record: str = "r.hb_record.*"
    rows: str = "VALUES"
    text_type: str = "VARCHAR"
    text_column: str = "{}"
    typed_times: bool = True
    text_times: bool = False
    times: Mapping[str, TimeType] = field(default_factory=dict)
    refuse_name: Callable[[str], str] = _any_name

    def name(self, name: str) -> str:
        """An identifier between quotes.

        >>> print(DIALECTS["sqlite"].name('petal "width" cm'), DIALECTS["mysql"].name("width"))
        "petal ""width"" cm" `width`
        """
        refuse_null(name)
        reason = self.refuse_name(name)
        if reason:
            raise ValueError(
                f"the name {name!r} cannot be written in this dialect of SQL: {reason}; rename it"
            )
        return self.quote + name.replace(self.quote, 2 * self.quote) + self.quote

    def share_names(self, name: str, classes: Sequence[Any]) -> list[str]:
        """The columns of probabilities: by class, or numbered from 1 where the database would refuse one.

        It refuses some names, and those that differ in case only.

        >>> DIALECTS["postgres"].share_names("said", ["yes", "no"])
        ['said_yes', 'said_no']
        >>> DIALECTS["postgres"].share_names("said", ["yes", "n" * 60])
        ['said_1', 'said_2']
        """
        names = [f"{name}_{label}" for label in classes]
        if any(self.refuse_name(one) for one in names) or len({one.lower() for one in names}) < len(names):
            return [f"{name}_{k}" for k in range(1, len(names) + 1)]
        return names

    def value(self, value: Any) -> str:
        """A literal: text between single quotes, numbers exactly, TRUE and FALSE.

        >>> sqlite = DIALECTS["sqlite"]
        >>> print(sqlite.value("it's"), sqlite.value(True), sqlite.value(0.1))
        'it''s' TRUE 0.1e0
        """
        value = plain_value(value)
        if isinstance(value, bool):
            return "TRUE" if value else "FALSE"
        if isinstance(value, str):
            refuse_null(value)
            return self.text(value)
        return str(value) if isinstance(value, int) else self.double(value)

    def double(self, value: float) -> str:
        """A double, which no database takes for a decimal.

        >>> DIALECTS["duckdb"].double(2.5), DIALECTS["postgres"].double(2.5)
        ('2.5e0', "float8'2.5e0'")
        >>> DIALECTS["duckdb"].double(float("inf")), DIALECTS["postgres"].double(float("-inf"))
        ('9e999', "float8'-Infinity'")
        """
        if math.isinf(value):
            return self.infinity.format("-" if value < 0 else "")
        return self.number.format(_exponential(value))

    def compared(self, value: float) -> str:
        """A number that columns are compared with.

        Whole numbers beyond 2**53 are written as such: a column of integers would be rounded to doubles.

        >>> DIALECTS["postgres"].compared(0.5), DIALECTS["postgres"].compared(2.0**53)
        ("float8'0.5e0'", '9007199254740992')
        """
        is_large = 2.0**53 <= abs(value) < 2.0**63
        return str(int(value)) if is_large else self.double(value)

    @property
    def infinite(self) -> str:
        """What every number is at most, and NaN is not."""
        return self.double(math.inf)

    def table(self, name: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
        """A step that holds a table of constants; the first number of a column says that it holds doubles."""
        typed: set[int] = set()
        texts = [", ".join(self._cell(cell, k, typed) for k, cell in enumerate(row)) for row in rows]
        if self.rows == "VALUES":
            body = "VALUES\n" + ",\n".join(f"  ({text})" for text in texts)
        else:
            body = "\n  " + "\n  UNION ALL ".join(f"SELECT {text}" for text in texts)
        return f"{name}({', '.join(columns)}) AS ({body})"

    def _cell(self, cell: Any, column: int, typed: set[int]) -> str:
        if cell is None:
            return "NULL"
        if isinstance(cell, float) and math.isfinite(cell) and column in typed:
            return _exponential(cell)
        typed.add(column)
        return self.value(cell)


def _exponential(value: float) -> str:
    text = repr(float(value))
    return text if "e" in text else f"{text}e0"


def refuse_null(text: str) -> None:
    """Raise if a text holds a null character, which no database takes."""
    if "\x00" in text:
        raise ValueError(f"the text {text!r} holds a null character, which SQL cannot write: rename it")


_TYPED = {"datetime64": _TIMESTAMP, "datetime64+": _ZONED, "time64": _TIME}

DIALECTS: Mapping[str, SqlDialect] = {
    "standard": SqlDialect(text_times=True, times=_TYPED),
    "sqlite": SqlDialect(text_column="({} COLLATE BINARY)", typed_times=False, text_times=True, times=_TYPED),
    "duckdb": SqlDialect(
        record="hb_table",
        columns_of_record="unnest(r.hb_record)",
        text_column='(CAST({} AS VARCHAR) COLLATE "binary")',
        times=_TYPED,
    ),
    "postgres": SqlDialect(
        number="float8'{}'",
        infinity="float8'{}Infinity'",
        overflow_fails=True,
        underflow_fails=True,
        record="hb_table",
        columns_of_record="(r.hb_record).*",
        times=_TYPED,
        refuse_name=_postgres_name,
    ),
    "mysql": SqlDialect(
        quote="`",
        text=_bytes_if_odd,
        infinity="{}1.7976931348623157e308",  # its doubles are all finite
        materialized="",
        step_end=" LIMIT 18446744073709551615",  # steps without a limit are put into each other
        overflow_fails=True,
        row_number="",
        rows="SELECT",
        text_type="CHAR",
        text_column="CAST(CONVERT({} USING utf8mb4) AS BINARY)",
        times={
            "datetime64": TimeType("CAST('{}' AS DATETIME(6))"),
            "datetime64+": _MYSQL_ZONED,
            "time64": TimeType("CAST('{}' AS TIME(6))"),
        },
        refuse_name=_mysql_name,
    ),
    "spark": SqlDialect(
        quote="`",
        text=_escaped,
        infinity="{}double('Infinity')",
        materialized="",
        row_number="monotonically_increasing_id()",
        record="struct(hb_table.*)",
        text_type="STRING",
        times={
            "datetime64": TimeType("CAST('{}' AS TIMESTAMP_NTZ)"),
            "datetime64+": TimeType("CAST('{}+00:00' AS TIMESTAMP)"),
        },
        refuse_name=_spark_name,
    ),
}


def dialect_named(name: str) -> SqlDialect:
    """The row of a dialect; an unknown name is refused with those that there are.

    >>> dialect_named("duckdb").quote
    '"'
    """
    if name not in DIALECTS:
        raise ValueError(
            f"dialect={name!r} is not known{did_you_mean(name, DIALECTS)}: use one of"
            f" {', '.join(map(repr, DIALECTS))}"
        )
    return DIALECTS[name]
