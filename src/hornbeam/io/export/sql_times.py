"""Times in SQL: as values of their types, or in SQLite, which has none, as ISO text brought to one form.

Text of any other form, or a number, makes the query fail: SQLite would compare it in silence, and wrongly.
The standard dialect writes both ways in a CASE: `'1' = 1` is true where a quoted literal takes the type of
what it meets, and false in SQLite, where text equals no number.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Sequence

from hornbeam.data.columns import Column
from hornbeam.data.formatting import Display
from hornbeam.io.export.sql_dialects import SqlDialect, TimeType
from hornbeam.io.export.time_values import time_of

_DAY = "0000-00-00"
_CLOCKS = ("00:00", "00:00:00", "00:00:00.%")
_FINEST = "00:00:00.000000000"  # text is padded to this, so that every instant has one text
_UTC = ("UTC", "Etc/UTC", "GMT", "Etc/GMT", "+00:00")


class SqlTimes:
    """The conditions on the columns of times of a query; steps they need are appended to `stages`."""

    def __init__(
        self, columns: Sequence[Column], used: Sequence[int], stages: list[str], dialect: SqlDialect
    ) -> None:
        self.columns, self.stages, self.sql = columns, stages, dialect
        self.kinds: dict[int, Display] = {}
        self.texts: dict[int, str] = {}
        for column in used:
            how = time_of(columns[column])
            if how is not None:
                _refuse(columns[column].name, how, dialect)
                self.kinds[column] = how
                self.texts[column] = self._text(column, how) if dialect.text_times else ""

    def at_most(self, column: int, ticks: float) -> str:
        """Whether a time is at or before a number of ticks: unknown if it is missing."""
        if math.isinf(ticks):
            sign = "=" if ticks > 0 else "<>"
            return self._either(column, f"{sign} {self._typed(column)}", f"{sign} {self.texts[column]}")
        native, text = self._literals(column, ticks)
        return self._either(column, f"<= {native}", f"<= {text}")

    def among(self, column: int, ticks: Sequence[float]) -> str:
        """Whether a time is one of some: unknown if it is missing."""
        native, text = zip(*(self._literals(column, one) for one in ticks), strict=True)
        return self._either(column, f"IN ({', '.join(native)})", f"IN ({', '.join(text)})")

    def same(self, first: int, second: int) -> str:
        """Whether two columns hold the same time: unknown if one is missing."""
        return self._either(first, f"= {self._typed(second)}", f"= {self.texts[second]}")

    def _name(self, column: int) -> str:
        return f"r.{self.sql.name(self.columns[column].name)}"

    def _typed(self, column: int) -> str:
        return self._type(column).column.format(self._name(column))

    def _type(self, column: int) -> TimeType:
        return self.sql.times[_family(self.kinds[column])]

    def _either(self, column: int, native: str, text: str) -> str:
        typed, plain = f"{self._typed(column)} {native}", f"{self.texts[column]} {text}"
        if self.sql.typed_times and self.sql.text_times:
            return f"(CASE WHEN '1' = 1 THEN {typed} ELSE {plain} END)"
        return f"({typed})" if self.sql.typed_times else f"({plain})"

    def _literals(self, column: int, ticks: float) -> tuple[str, str]:
        """The last instant within a number of ticks, as a value of its type and as padded text."""
        how = self.kinds[column]
        try:
            moment = dt.datetime(1970, 1, 1) + dt.timedelta(microseconds=math.floor(ticks))
        except OverflowError:
            raise ValueError(
                f"the tree cuts column {self.columns[column].name!r} outside of the years 1 to 9999, which"
                " SQL cannot write: clip the column before learning"
            ) from None
        text = moment.isoformat(" ", "microseconds")
        if how.family == "time64":
            text = text[11:]
        return self._type(column).literal.format(text.removesuffix(".000000")), f"'{text}000'"

    def _text(self, column: int, how: Display) -> str:
        """The column as padded text, in two steps: in SQLite; NULL elsewhere."""
        dated = how.family == "datetime64"
        given = f"CAST({self._name(column)} AS VARCHAR)"
        plain = f"replace({given}, 'T', ' ')" if dated else given
        if how.zone:
            plain = f"replace(replace({plain}, 'Z', ''), '+00:00', '')"
        given_text = f"nullif({plain}, '')"
        if self.sql.typed_times:
            given_text = f"CASE WHEN '1' = 1 THEN NULL ELSE {given_text} END"
        part = self._stage(given_text)
        forms = [_DAY, *(f"{_DAY} {clock}" for clock in _CLOCKS)] if dated else _CLOCKS
        tests = [
            "(" + " OR ".join(f"{part} LIKE '{form.replace('0', '_')}'" for form in forms) + ")",
            f"ltrim(substr({part}, 1, {10 * dated}), '0123456789-') = ''",
            f"ltrim(substr({part}, {10 * dated + 1}), '0123456789:. ') = ''",
        ]
        if how.zone and how.zone not in _UTC:  # text without a zone may be local time
            tests.append(f"({given} LIKE '%Z' OR {given} LIKE '%+00:00')")
        full = f"{_DAY} {_FINEST}" if dated else _FINEST
        padded = f"substr({part} || substr('{full}', length({part}) + 1), 1, {len(full)})"
        # SQL has no word for an error, but this number has no absolute value, and it depends on the row, so
        # that no database works it out beforehand.
        failure = f"CAST(abs(CASE WHEN {part} = '' THEN 0 ELSE -9223372036854775807 - 1 END) AS VARCHAR)"
        cases = f"WHEN {part} IS NULL THEN NULL WHEN {' AND '.join(tests)} THEN {padded} ELSE {failure}"
        return self._stage(f"CASE {cases} END")

    def _stage(self, text: str) -> str:
        self.stages.append(text)
        return f"r.hb_part_{len(self.stages) - 1}"


def _family(how: Display) -> str:
    return how.family + "+" * bool(how.zone)


def _refuse(name: str, how: Display, dialect: SqlDialect) -> None:
    """Raise for times that databases have no common way to compare."""
    if how.family == "timedelta64":
        raise ValueError(
            f"column {name!r} holds spans of time, for which databases have no common type: learn from a"
            " column of numbers instead, such as seconds (dt.total_seconds() in pandas)"
        )
    if how.unit == "ns":
        raise ValueError(
            f"column {name!r} was learned in nanoseconds, which the times of databases do not keep: round it"
            " to microseconds before learning"
        )
    if _family(how) not in dialect.times:
        raise ValueError(
            f"column {name!r} holds times of day, for which this dialect of SQL has no type: learn from a"
            " column of numbers instead, such as seconds since midnight"
        )
