"""Columns of any Arrow type as the few types a TableFile holds, by what is declared or by their own type.

    numeric   whole numbers, floats (nan becomes null), decimals
    nominal   dictionary of text, with 32-bit indices unless the order of its values is declared;
              ordinal: the same, ordered
    boolean   bool
    date      timestamp; other times of Arrow stay as they are

One idea: a declaration wins over the type, and the type over nothing; there is one function for each kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from hornbeam.data.cells import arrow_family, decode_arrow, has_declared_order
from hornbeam.data.files.request import ColumnDeclaration, RawTable, ReadRequest
from hornbeam.data.files.table_error import TableError
from hornbeam.data.files.text_columns import (
    Writing,
    as_dictionary,
    read_booleans,
    read_dates,
    read_numbers,
    recode_values,
    relabel,
    with_declared_order,
)
from hornbeam.data.frames import first_duplicate

_KINDS = {
    "number": "numeric",
    "bool": "boolean",
    "text": "nominal",
    "datetime64": "date",
    "timedelta64": "time",
    "time64": "time",
    "nothing": "numeric",
}
_EARLIEST, _LATEST = -62_135_596_800_000_000, 253_402_300_799_999_999  # microseconds of the years 1 to 9999

_DECIMALS = 400  # places of a decimal number, before or after the point


def shape_column(
    column: Any, name: str, declared: ColumnDeclaration | None = None, writing: Writing | None = None
) -> Any:
    """The column as one array of a type that a TableFile holds.

    >>> shape_column(pa.array(["b", "a"]), "letter").type.ordered
    False
    >>> shape_column(pa.array(["2", "1"]), "n", ColumnDeclaration("numeric")).to_pylist()
    [2, 1]
    """
    column = _plain(column, name)
    kind = declared.kind if declared else kind_of(column.type)
    return _SHAPES[kind](column, name, declared or ColumnDeclaration(kind), writing or Writing())


def kind_of(arrow_type: Any) -> str:
    """The kind a column of this Arrow type is by itself; "" for one that is no column of a table.

    >>> kind_of(pa.int8()), kind_of(pa.dictionary(pa.int8(), pa.string(), ordered=True))
    ('numeric', 'ordinal')
    """
    family = arrow_family(arrow_type)
    if family == "dictionary":
        return "ordinal" if arrow_type.ordered else "nominal"
    return _KINDS.get(family, "")


def _plain(column: Any, name: str) -> Any:
    if isinstance(column, pa.ChunkedArray) and not pa.types.is_dictionary(column.type):
        column = one_array(column)
    try:
        column = decode_arrow(column)
    except pa.ArrowException:
        raise TableError(
            f"column {name!r} holds bytes that are no text", f"leave it out, {name}=drop"
        ) from None
    if not kind_of(column.type):
        raise TableError(
            f"column {name!r} holds values within values ({column.type})", f"leave it out, {name}=drop"
        )
    if pa.types.is_decimal(column.type) and abs(column.type.scale) > _DECIMALS:
        raise TableError(
            f"column {name!r} holds decimals of {column.type.scale} places, which no float has",
            f"leave it out, {name}=drop",
        )
    return column


def one_array(column: Any) -> Any:
    """The values of all chunks in one array."""
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _is_text(column: Any) -> bool:
    inner = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    return bool(pa.types.is_string(inner) or pa.types.is_large_string(inner))


def _decoded(column: Any) -> Any:
    """A dictionary of numbers or times as those."""
    if not pa.types.is_dictionary(column.type):
        return column
    column = column.cast(column.type.value_type)
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def _numeric(column: Any, name: str, declared: ColumnDeclaration, writing: Writing) -> Any:
    del declared
    if _is_text(column):
        return read_numbers(as_dictionary(column), name, writing)
    column = _decoded(column)
    if pa.types.is_null(column.type):
        return column.cast(pa.float64())
    if pa.types.is_boolean(column.type):
        return column.cast(pa.uint8()).cast(pa.int64())
    if kind_of(column.type) != "numeric":
        raise TableError(
            f"column {name!r} holds {column.type}, not numbers", f"say {name}=date or {name}=nominal"
        )
    if pa.types.is_float16(column.type):
        column = column.cast(pa.float32())
    if pa.types.is_floating(column.type) and pc.any(pc.is_nan(column)).as_py():
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
    return column


def _nominal(column: Any, name: str, declared: ColumnDeclaration, writing: Writing) -> Any:
    if not _is_text(column):
        column = _text_of(_decoded(column), name)
    was_declared = pa.types.is_dictionary(column.type) and has_declared_order(column.type)
    column = as_dictionary(column)
    if writing.marks or writing.padded or column.dictionary.null_count:
        column = relabel(column, column.dictionary, writing)
    if not declared.values:
        coded = pa.DictionaryArray.from_arrays(column.indices, column.dictionary)
        return with_declared_order(coded) if was_declared else coded
    known = pa.array(declared.values, pa.string())
    new = column.dictionary.filter(pc.invert(pc.is_in(column.dictionary, known)))
    coded = recode_values(
        column, column.dictionary, pa.concat_arrays([known, new.take(pc.sort_indices(new))])
    )
    return coded if declared.is_open else with_declared_order(coded)


def _ordinal(column: Any, name: str, declared: ColumnDeclaration, writing: Writing) -> Any:
    is_dictionary = pa.types.is_dictionary(column.type)
    nominal = _nominal(column, name, declared, writing)
    values = nominal.dictionary
    if not declared.values and not is_dictionary:
        some = " < ".join(values[:3].to_pylist())
        raise TableError(
            f"column {name!r} is to be ordinal, but the order of its values is not known",
            f"write {name}=ordinal({some}) with all values, the lowest first",
        )
    extra = values[len(declared.values) :].to_pylist() if declared.values else []
    if extra and not declared.is_open:
        raise TableError(
            f"column {name!r} holds {extra[0]!r}, which is not among its ordered values", "add it or mend it"
        )
    return pa.DictionaryArray.from_arrays(nominal.indices.cast(pa.int32()), values, ordered=True)


def _boolean(column: Any, name: str, declared: ColumnDeclaration, writing: Writing) -> Any:
    del declared
    if pa.types.is_boolean(column.type):
        return column
    column = column if _is_text(column) else _text_of(_decoded(column), name)
    return read_booleans(as_dictionary(column), name, writing)


def _date(column: Any, name: str, declared: ColumnDeclaration, writing: Writing) -> Any:
    if _is_text(column):
        return read_dates(as_dictionary(column), name, declared, writing)
    column = _decoded(column)
    if pa.types.is_null(column.type):
        return column.cast(pa.timestamp("us"))
    if kind_of(column.type) != "date":
        if declared.format:
            return read_dates(as_dictionary(_text_of(column, name)), name, declared, writing)
        raise TableError(
            f"column {name!r} holds {column.type}, not dates", f"name their format, as in {name}=date(%Y%m%d)"
        )
    with suppress(pa.ArrowInvalid):
        moments = column.cast(pa.timestamp("us", tz=getattr(column.type, "tz", None)))
        bounds = pc.min_max(moments.cast(pa.int64())).as_py()
        if bounds["min"] is None or _EARLIEST <= bounds["min"] <= bounds["max"] <= _LATEST:
            return moments
    if getattr(column.type, "unit", "") == "ns":  # finer than a microsecond, so all between 1677 and 2262
        return column
    raise TableError(
        f"column {name!r} holds dates beyond the years 1 to 9999",
        f"mend them, or leave it out, {name}=drop",
    )


def _text_of(column: Any, name: str) -> Any:
    if pa.types.is_floating(column.type):  # 3.0 and 3 are one code
        with suppress(pa.ArrowInvalid):
            column = column.cast(pa.int64())
    try:
        return column.cast(pa.string())
    except pa.ArrowException:
        raise TableError(
            f"column {name!r} ({column.type}) cannot be text", f"leave it out, {name}=drop"
        ) from None


_SHAPES: Mapping[str, Callable[[Any, str, ColumnDeclaration, Writing], Any]] = {
    "numeric": _numeric,
    "nominal": _nominal,
    "ordinal": _ordinal,
    "boolean": _boolean,
    "date": _date,
    "time": lambda column, *_: column,
}


# Whole tables ---------------------------------------------------------------------------------------------
# Names are checked, what is declared is applied, and every column gets a type that a TableFile holds; the
# same for Parquet, Feather, JSON lines and Excel.


def raw_table(table: Any, request: ReadRequest, name: str, **rest: Any) -> RawTable:
    """What `shape_table` gives, as a format gives it back."""
    dropped = frozenset(map(str, table.column_names))
    return RawTable(shape_table(table, request, name), dropped=dropped, **rest)


def validate_table(table: Any) -> Any:
    """The table, once Arrow has found nothing wrong with it.

    Arrow believes binary files: offsets of a damaged one lead anywhere in memory, its text may be none.
    """
    table.validate(full=True)
    return table


def table_slices(table: Any, rows: int) -> Iterator[Any]:
    """The table in pieces of at most so many rows."""
    for start in range(0, table.num_rows, rows):
        yield table.slice(start, rows)


def shape_pieces(table: Any, request: ReadRequest, name: str, rows: int) -> Iterator[Any]:
    """The table in pieces of at most so many rows, each shaped, with whole numbers as floats."""
    for piece in table_slices(table, rows):
        yield whole_as_floats(shape_table(piece, request, name))


def whole_as_floats(table: Any) -> Any:
    """Whole numbers as floats: what is whole in one batch need not be in the next."""
    fields = [
        pa.field(field.name, pa.float64()) if pa.types.is_integer(field.type) else field
        for field in table.schema
    ]
    return table.cast(pa.schema(fields), safe=False)


def shape_table(table: Any, request: ReadRequest, name: str) -> Any:
    """The table with the columns that are not dropped, each shaped; marks of gaps apply if they were given.

    >>> shape_table(pa.table({"a": [1.5], "b": ["x"]}), ReadRequest(), "t").schema.types[1].value_type
    DataType(string)
    """
    names = list(map(str, table.column_names))
    refuse_duplicates(names, name)
    writing = Writing(marks=request.missing or ())
    columns = {}
    for column, values in zip(names, table.columns, strict=True):
        declared = request.declared.get(column)
        if declared is None or declared.kind != "drop":
            columns[column] = shape_column(values, column, declared, writing)
    return pa.table(columns)


# Names ----------------------------------------------------------------------------------------------------
# A name is what everything later asks for: a name that a CSV or Excel file gives twice gets a number;
# other formats refuse it.


def header_names(first: Sequence[str], *, has_header: bool) -> list[str]:
    """The names in the first row, trimmed; an empty one, as any without a header, becomes x and its position.

    >>> header_names(["", " age"], has_header=True)
    ['x0', 'age']
    """
    if not has_header:
        return [f"x{j}" for j in range(len(first))]
    return [cell.strip() or f"x{j}" for j, cell in enumerate(first)]


def unique_names(names: Sequence[str]) -> list[str]:
    """The names, a number behind each that stood there before.

    >>> unique_names(["a", "b", "a", "a", "a.2"])
    ['a', 'b', 'a.3', 'a.4', 'a.2']
    """
    unique: dict[str, None] = {}
    written = set(names)
    last_number: dict[str, int] = {}
    for name in names:
        number, new = last_number.get(name, 1), name
        while new in unique or (number > 1 and new in written):
            number += 1
            new = f"{name}.{number}"
        last_number[name] = number
        unique[new] = None
    return list(unique)


def renamed_columns(header: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """The names with a number behind those that stand there again, and what each of these was called.

    >>> renamed_columns(["a", "b", "a"])
    (['a', 'b', 'a.2'], {'a.2': 'a'})
    """
    names = unique_names(header)
    return names, {name: written for name, written in zip(names, header, strict=True) if name != written}


def refuse_duplicates(names: Sequence[str], name: str) -> None:
    """Raise an error if two columns have one name."""
    place = first_duplicate(names)
    if place is not None:
        raise TableError(
            f"{name} has two columns named {names[place]!r} (the second is number {place + 1})",
            "rename one of them; if the first line is no header, say header=False",
        )
