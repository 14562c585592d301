"""Attribute: a column that the file itself declares, as ARFF and C4.5 do; and its cells in that type.

One idea: what is declared is obeyed. The declared values of a category, in their order, are its domain; a
value outside it is an error that names the line.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from hornbeam.data.files.declared_columns import Declared
from hornbeam.data.files.table_error import TableError
from hornbeam.data.files.text_columns import Writing, as_dictionary, recoded, with_declared_order
from hornbeam.data.files.text_columns import dates as read_dates
from hornbeam.data.files.text_columns import numbers as read_numbers

TEXT = pa.dictionary(pa.int32(), pa.string())


@dataclass(frozen=True)
class Attribute:
    """A declared column."""

    name: str
    kind: str  # numeric, integer, nominal, string, date, ignore
    values: tuple[str, ...] = ()
    format: str = ""

    @property
    def arrow_type(self) -> Any:
        """The type Arrow's reader is asked for."""
        return {"numeric": pa.float64(), "integer": pa.int64()}.get(self.kind, TEXT)

    @property
    def absent(self) -> str | None:
        """What a sparse row means by leaving the column out."""
        return {"nominal": self.values[0] if self.values else None, "string": None}.get(self.kind, "0")


def typed(cells: Any, attribute: Attribute) -> Any:
    """Cells as read (numbers, or text) in the type of their attribute.

    >>> typed(pa.array([" b", "a."]), Attribute("c", "nominal", ("b", "a"))).to_pylist()
    ['b', 'a']
    """
    return _TYPED[attribute.kind](cells, attribute)


def _numeric(cells: Any, attribute: Attribute) -> Any:
    if pa.types.is_floating(cells.type) or pa.types.is_integer(cells.type):
        return cells
    found = read_numbers(as_dictionary(cells), attribute.name, Writing(), Declared("numeric"))
    return found if attribute.kind == "integer" else found.cast(pa.float64())


def _nominal(cells: Any, attribute: Attribute) -> Any:
    column = as_dictionary(cells)
    domain = pa.array(attribute.values, pa.string())
    labels = column.dictionary
    known = pc.is_in(labels, domain)
    if not pc.all(known).as_py():
        trimmed = pc.utf8_trim_whitespace(labels)
        labels = pc.if_else(known, labels, trimmed)
        known = pc.is_in(labels, domain)
        bare = pc.replace_substring_regex(labels, r"\s*\.$", "")  # C4.5 lets a case end in a full stop
        labels = pc.if_else(pc.or_(known, pc.invert(pc.is_in(bare, domain))), labels, bare)
        bad = labels.filter(pc.and_(pc.is_valid(labels), pc.invert(pc.is_in(labels, domain))))
        if len(bad):
            raise TableError(
                f"column {attribute.name!r} holds {bad[0].as_py()!r}, which is not among its declared values",
                "declare it or mend it",
            )
    return with_declared_order(recoded(column, labels, domain))


def _text(cells: Any, attribute: Attribute) -> Any:
    del attribute
    column = as_dictionary(cells)
    return pa.DictionaryArray.from_arrays(column.indices, column.dictionary)


def _date(cells: Any, attribute: Attribute) -> Any:
    declared = Declared("date", format=attribute.format)
    found = read_dates(as_dictionary(cells), attribute.name, Writing(), declared)
    return found.cast(pa.timestamp("us", tz=found.type.tz))


_TYPED: dict[str, Callable[[Any, Attribute], Any]] = {
    "numeric": _numeric,
    "integer": _numeric,
    "nominal": _nominal,
    "string": _text,
    "date": _date,
    "ignore": _text,
}
