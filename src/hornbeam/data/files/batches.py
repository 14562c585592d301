"""batches: a table file piece by piece, in constant memory.

One idea: what a column is must be known before its first value is read; so the kinds come from a table read
before, from the columns of a tree, or from a declaration, and only how the file is written is found out here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from hornbeam.data.files.csv_dialect import checked_dialect
from hornbeam.data.files.declared_columns import Declared, declarations
from hornbeam.data.files.formats import FORMATS, format_named, format_of, refuse_options
from hornbeam.data.files.kinds import WORDS
from hornbeam.data.files.request import Asked
from hornbeam.data.files.source import Source
from hornbeam.data.files.table_error import TableError
from hornbeam.data.formatting import parse_display
from hornbeam.data.named_tables import READERS, named_table

_OPTIONS = ("delimiter", "header", "decimal", "quote", "encoding", "missing")


def batches(source: Any, like: Any, *, rows: int = 65_536, **options: Any) -> Iterator[Any]:
    r"""The table in pieces, each a pyarrow table with the same columns.

    Parameters
    ----------
    source : as `read_table` takes it
    like : what the columns are
        `sheet.found` of a table read before: the file is taken to be written the same way; `tree.columns` of
        a model; or a declaration such as "age=numeric,zip=nominal". Columns that are not named are text.
    rows : the most rows in one piece
    **options
        format, delimiter, header, decimal, quote, encoding, missing, columns and sheet as in `read_table`.

    Yields
    ------
    pyarrow.Table

    Examples
    --------
    >>> import io
    >>> import hornbeam as hb
    >>> pieces = hb.tabular.batches(io.BytesIO(b"a,b\n1,x\n2,y\n3,x\n"), "a=numeric", rows=2)
    >>> [piece["a"].to_pylist() for piece in pieces]
    [[1.0, 2.0], [3.0]]
    """
    if isinstance(rows, bool) or not isinstance(rows, int) or rows < 1:
        raise TableError(f"rows={rows!r} must be a whole number of at least 1")
    unknown = [name for name in options if name not in (*_OPTIONS, "format", "columns", "sheet")]
    if unknown:
        raise TableError(
            f"{unknown[0]}= is no option of batches",
            f"its options are format, {', '.join(_OPTIONS)}, columns, sheet",
        )
    asked, name = _asked(like, options)
    named = named_table(source)
    if named is not None:
        return _slices(READERS[named[0]](named[1], asked).table, rows)
    opened = Source(source)
    if not opened.head:
        raise TableError(f"{opened.name} is empty", "give a file with a header or at least one row")
    name = name or format_of(opened)
    if name == "tsv" and asked.dialect.delimiter is None:
        asked = replace(asked, dialect=replace(asked.dialect, delimiter="\t"))
    refuse_options(name, options)
    return FORMATS[name].stream(opened, asked, rows)


def _slices(table: Any, rows: int) -> Iterator[Any]:
    for start in range(0, table.num_rows, rows):
        yield table.slice(start, rows)


def _asked(like: Any, options: Mapping[str, Any]) -> tuple[Asked, str]:
    """What to ask for, and the format if it is named."""
    found = like if isinstance(like, Mapping) and isinstance(like.get("columns"), Mapping) else {}
    chosen = {name: options.get(name) for name in _OPTIONS}
    for name in _OPTIONS:
        is_known = name != "missing" or "missing" in found.get("given", ())
        if chosen[name] is None and is_known:
            chosen[name] = found.get(name)
    declared = kinds_like(found["columns"] if found else like) | declarations(options.get("columns"))
    encoding = chosen.pop("encoding")
    dialect = checked_dialect(encoding="utf-8", **chosen)
    name = format_named(options["format"]) if options.get("format") is not None else ""
    marks = tuple(dict.fromkeys([*WORDS, *found.get("missing", ())]))
    return Asked(declared, dialect, encoding, dialect.missing, options.get("sheet"), marks=marks), name


def kinds_like(like: Any) -> dict[str, Declared]:
    """A declaration for each column of what `like` describes.

    >>> from hornbeam.data.columns import Column
    >>> kinds_like([Column("age", "numeric")])["age"].kind
    'numeric'
    """
    if isinstance(like, (str, type(None))):
        return declarations(like)
    if isinstance(like, Mapping):
        return {name: _from_found(name, what) for name, what in like.items()}
    if isinstance(like, Sequence) and all(hasattr(column, "categories") for column in like):
        return {column.name: _from_column(column) for column in like}
    raise TableError(
        f"like is of type {type(like).__name__!r}",
        "give sheet.found, the columns of a tree, or text such as 'age=numeric'",
    )


def _from_found(name: str, what: Any) -> Declared:
    if not isinstance(what, Mapping):
        return declarations({name: what})[name]
    values = tuple(what.get("values", ())) if what["kind"] in ("nominal", "ordinal") else ()
    zone = parse_display(what.get("type", "").replace("timestamp", "datetime64").replace("tz=", "")).zone
    return Declared(what["kind"], values, what.get("format", ""), zone, is_open=True)


def _from_column(column: Any) -> Declared:
    """What the cells of a column of a tree were before they became codes."""
    if column.kind == "numeric":
        display = parse_display(column.display)
        return Declared("date" if display.family == "datetime64" else "numeric", zone=display.zone)
    if column.categories and all(isinstance(value, bool) for value in column.categories):
        return Declared("boolean")
    if column.categories and all(isinstance(value, (int, float)) for value in column.categories):
        return Declared("numeric")  # categories that are numbers are met by numbers
    return Declared(column.kind, tuple(map(str, column.categories)), is_open=True)
