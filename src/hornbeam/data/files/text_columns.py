"""Text columns converted: cells trimmed, marks of gaps made gaps, then numbers, booleans and dates.

One idea: a text column is a dictionary, distinct values and one code for each row. Only the values are read;
the codes then place what they became. So a million rows of ten values cost ten readings.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from hornbeam.data.cells import has_declared_order
from hornbeam.data.files.kinds import plain_numbers
from hornbeam.data.files.request import ColumnDeclaration
from hornbeam.data.files.table_error import TableError

_YES = ("true", "yes", "t", "y", "1", "on")
_NO = ("false", "no", "f", "n", "0", "off")
_REAL = r"^[+-]?((\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|(?i:inf|infinity|nan))$"


@dataclass(frozen=True)
class Writing:
    """How cells of text are written: the decimal sign, the marks of gaps, a space before each cell."""

    decimal: str = "."
    marks: tuple[str, ...] = ()
    padded: bool = False


_PLAIN = Writing()


def as_dictionary(column: Any) -> Any:
    """Text as one array of codes and distinct values (int32, string)."""
    if not pa.types.is_dictionary(column.type):
        column = column.cast(pa.string()).dictionary_encode()
    if isinstance(column, pa.ChunkedArray):
        column = column.unify_dictionaries().combine_chunks()
        if isinstance(column, pa.ChunkedArray):
            column = column.chunk(0) if column.num_chunks else pa.array([], column.type)
    values = column.dictionary.cast(pa.string())
    return pa.DictionaryArray.from_arrays(
        column.indices.cast(pa.int32()), values, ordered=column.type.ordered
    )


def with_declared_order(column: Any) -> Any:
    """The same codes and values, marked as a domain in declared order: by indices that are not of 32 bits.

    >>> with_declared_order(pa.array(["b", "a"]).dictionary_encode()).type.index_type
    DataType(int8)
    """
    if column.type.ordered:
        return column
    sizes = (pa.int8(), pa.int16(), pa.int64())
    small = next(size for size in sizes if len(column.dictionary) < 2 ** (size.bit_width - 1))
    return pa.DictionaryArray.from_arrays(column.indices.cast(small), column.dictionary)


def values_to_declare(column: Any) -> list[str]:
    """The values of a dictionary for a file that declares them: in declared order, otherwise sorted."""
    values: list[str] = column.chunk(0).dictionary.to_pylist() if column.num_chunks else []
    return values if has_declared_order(column.type) else sorted(values)


def used_values(column: Any) -> Any:
    """The distinct values that occur."""
    counts = pc.unique(column.indices.drop_null())
    return column.dictionary if len(counts) == len(column.dictionary) else column.dictionary.take(counts)


def relabel(column: Any, values: Any, writing: Writing) -> Any:
    """The column with its values trimmed if cells are padded, and marks of gaps as gaps."""
    trimmed = pc.utf8_trim_whitespace(values)
    is_gap = pc.is_in(trimmed, pa.array(writing.marks, pa.string()))
    if not writing.padded and not pc.any(is_gap).as_py() and values.null_count == 0:
        return column
    labels = trimmed if writing.padded else values
    return recode_values(column, pc.if_else(is_gap, pa.scalar(None, pa.string()), labels))


def recode_values(column: Any, labels: Any, domain: Any = None, *, ordered: bool = False) -> Any:
    """The column with value k replaced by `labels[k]`; what is not in the domain becomes a gap."""
    domain = pc.unique(labels.drop_null()) if domain is None else domain
    codes = pc.index_in(labels, domain)
    return pa.DictionaryArray.from_arrays(codes.take(column.indices), domain, ordered=ordered)


def read_numbers(column: Any, name: str, writing: Writing = _PLAIN) -> Any:
    """The numbers a text column writes: whole ones as int64 if none is missing its digits, else float64."""
    values = plain_numbers(_bare(column, writing), writing.decimal)[0]
    if writing.decimal != ".":
        values = pc.replace_substring(values, writing.decimal, ".")
    values = pc.replace_substring_regex(values, r"^\+", "")
    _refuse(values, pc.match_substring_regex(values, _REAL), column, name, "a number")
    for arrow_type in (pa.int64(), pa.float64()):
        try:
            return values.cast(arrow_type).take(column.indices)
        except pa.ArrowInvalid:
            continue
    raise TableError(f"column {name!r} holds numbers that cannot be read", f"say {name}=nominal")


def read_booleans(column: Any, name: str, writing: Writing = _PLAIN) -> Any:
    """True and false from the usual words for them."""
    values = pc.utf8_lower(_bare(column, writing))
    yes, no = (pc.is_in(values, pa.array(words)) for words in (_YES, _NO))
    _refuse(values, pc.or_(yes, no), column, name, "a yes or no")
    return pc.if_else(pc.is_null(values), pa.scalar(None, pa.bool_()), yes).take(column.indices)


def read_dates(column: Any, name: str, declared: ColumnDeclaration, writing: Writing = _PLAIN) -> Any:
    """Moments from ISO text, or by the format that was declared."""
    values = _bare(column, writing)
    if declared.format:
        moments = pc.strptime(values, format=declared.format, unit="us", error_is_null=True)
        _refuse(values, pc.is_valid(moments), column, name, f"a date such as {declared.format}")
        return moments.take(column.indices)
    zoned = pc.any(pc.match_substring_regex(values, r":.*(Z|[+-]\d\d(:?\d\d)?)$")).as_py()
    known = zoned or (values.null_count == len(values) and declared.zone)
    zone = declared.zone or "UTC" if known else None
    for unit in ("us", "ns"):
        try:
            return values.cast(pa.timestamp(unit, tz=zone)).take(column.indices)
        except pa.ArrowInvalid:
            continue
    raise TableError(
        f"column {name!r} is to hold dates, but not all of its cells are, such as {values[0].as_py()!r}",
        f"name the format, as in {name}=date(%d.%m.%Y)",
    )


def _bare(column: Any, writing: Writing) -> Any:
    """The distinct values, trimmed; marks and values that do not occur are null."""
    values = pc.utf8_trim_whitespace(column.dictionary)
    is_gap = pc.is_in(values, pa.array(writing.marks, pa.string()))
    return pc.if_else(is_gap, pa.scalar(None, pa.string()), values)


def _refuse(values: Any, good: Any, column: Any, name: str, what: str) -> None:
    bad = pc.and_(pc.is_valid(values), pc.invert(pc.fill_null(good, False)))  # noqa: FBT003
    if not pc.any(bad).as_py():
        return
    codes = pc.indices_nonzero(bad)
    rows = pc.indices_nonzero(pc.is_in(column.indices, codes.cast(pa.int32())))
    if len(rows) == 0:
        return
    row = rows[0].as_py()
    raise TableError(
        f"column {name!r} is to hold {what} in each cell, but row {row + 1} holds {column[row].as_py()!r}",
        f"mend it, name it as a missing mark (missing=), or say {name}=nominal",
    )
