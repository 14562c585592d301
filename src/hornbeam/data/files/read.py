"""read_table and batches: a table file as a whole, or piece by piece in constant memory; the tab of "tsv".

Reading takes three steps, each of which can be overruled: which format, how it is written, what its columns
are. To read in pieces, the kinds of the columns must be known before the first value is read: they come from
a table read before, from the columns of a tree, or from a declaration.

From a CSV file to a saved model, the values change their form ten times:

 1. bytes of the file -> columns of an Arrow table, text as dictionaries (`csv_parser`)
 2. Arrow columns -> one Arrow array each, of a type that a TableFile holds, gaps as null (`column_types`)
 3. Arrow array -> numpy array: floats, or codes into the dictionary (`data.encoding`)
 4. codes into the dictionary -> codes into the sorted or declared domain (`data.encoding`)
 5. numpy arrays -> ranks and bins of the core (`growing.core`, C++)
 6. the core's nodes -> compact numpy arrays (C++)
 7. compact arrays -> arrays of the Tree with its side tables (`tree.arrays`)
 8. Tree -> lists and dicts of plain values (`io.save`)
 9. plain values -> JSON text
10. JSON text -> bytes, written at once (`_base.atomic`)

Only the sample that tells how a file is written is read as Python text and cells, and no value comes from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from hornbeam._base.parameters import did_you_mean
from hornbeam.data import READERS, named_table
from hornbeam.data.files.column_types import table_slices
from hornbeam.data.files.csv_dialect import checked_dialect
from hornbeam.data.files.formats import DELIMITED, FORMATS, format_named, format_of, refuse_options
from hornbeam.data.files.kinds import WORDS
from hornbeam.data.files.request import ColumnDeclaration, RawTable, ReadRequest, declarations
from hornbeam.data.files.source import Source
from hornbeam.data.files.table_error import TableError, guarded, list_names
from hornbeam.data.files.table_file import TableFile
from hornbeam.data.formatting import parse_display


def read_table(
    source: Any,
    *,
    format: str | None = None,  # noqa: A002 (the word users expect)
    delimiter: str | None = None,
    header: bool | None = None,
    decimal: str | None = None,
    quote: str | None = None,
    encoding: str | None = None,
    missing: Any = None,
    columns: Any = None,
    sheet: str | int | None = None,
    limit: int | None = None,
) -> TableFile:
    """A table from a file: how it is written and what its columns are is found out, shown and can be set.

    Parameters
    ----------
    source : path, "-", "demo:NAME" or binary file
        "-" is standard input; "demo:tennis" a table of the lectures. Files packed with gzip are unpacked.
    format : str, optional
        csv, tsv, parquet, feather, arff, c45, jsonl, xlsx or mat (MATLAB); found out from the file.
    delimiter, decimal, quote : str, optional
        For csv: the character between cells, "." or ",", and the quote ("" for none).
    header : bool, optional
        For csv and xlsx: whether the first row holds names.
    encoding : str, optional
        For text; utf-8, utf-16 and cp1252 are found out.
    missing : str or list of str, optional
        What marks a missing value. Found out in csv: "", ?, NA, null and the like, and signs such as "-" in
        columns of numbers.
    columns : str or dict, optional
        Kinds to use instead of the guesses: "age=numeric,zip=nominal,grade=ordinal(low<mid<high),id=drop".
    sheet : str or int, optional
        For xlsx: the name or the number (from 0) of the sheet; the first one otherwise.
    limit : int, optional
        Read only so many rows.

    Returns
    -------
    TableFile
        `data` is a pyarrow table for any function of Hornbeam; `facts` and `str()` tell what reading decided.

    Raises
    ------
    TableError
        With one sentence and a `hint`.

    Examples
    --------
    >>> import hornbeam as hb
    >>> sheet = hb.read_table("demo:tennis")
    >>> X, y, _, _ = sheet.split("Play")
    >>> model = hb.TreeClassifier().fit(X, y)
    >>> round(model.score(X, y), 2)
    1.0
    """
    texts = {"delimiter": delimiter, "header": header, "decimal": decimal, "quote": quote}
    options = {"format": format, **texts, "encoding": encoding, "missing": missing, "columns": columns}
    options["sheet"] = sheet
    about: dict[str, Any] = {"given": [name for name, value in options.items() if value is not None]}
    request = _read_request(options, limit)
    named = named_table(source)
    if named is not None:
        prefix, name = named
        about |= {"source": source, "format": prefix}
        refuse_options(prefix, options)
        raw = READERS[prefix](name, request)
    else:
        opened = Source(source)
        name = format_named(format) if format is not None else format_of(opened)
        about |= {"source": opened.name, "format": name}
        if name == "tsv" and delimiter is None:
            request = _read_request(options | {"delimiter": "tab"}, limit)
        _refuse_empty(opened)
        refuse_options(name, options)
        with guarded(opened.name, f"read as {FORMATS[name].words}"):
            raw = FORMATS[name].function("read")(opened, request)
    _check_declared(request.declared, raw, about["source"])
    declared = request.declared.items()
    whys = raw.whys | {name: "declared" for name, what in declared if what.kind != "drop"}
    date_formats = raw.formats | {name: what.format for name, what in declared if what.format}
    return TableFile(raw.table, about | raw.details, whys, raw.target, date_formats)


def _read_request(options: dict[str, Any], limit: Any) -> ReadRequest:
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 1):
        raise TableError(f"limit={limit!r} must be a whole number of at least 1, or None for all rows")
    chosen = {name: options[name] for name in DELIMITED if name != "encoding"}
    dialect = checked_dialect(**chosen)
    declared = declarations(options["columns"])
    return ReadRequest(declared, dialect, options["encoding"], options["sheet"], limit and min(limit, 2**62))


def _refuse_empty(source: Source) -> None:
    if not source.head:
        raise TableError(f"{source.name} is empty", "give a file with a header or at least one row")


def _check_declared(declared: dict[str, ColumnDeclaration] | Any, raw: RawTable, name: str) -> None:
    names = raw.table.column_names
    for column, what in declared.items():
        if column not in names and (what.kind != "drop" or column not in raw.dropped):
            raise TableError(
                f"columns names {column!r}, which {name} does not have{did_you_mean(column, names)}",
                f"its columns are {list_names(names)}",
            )
    if not names:
        raise TableError(f"{name} has no columns left", "drop fewer")
    if raw.table.num_rows == 0:
        raise TableError(f"{name} has columns but no rows", "give a file with at least one row")


def batches(source: Any, like: Any, *, rows: int = 65_536, **options: Any) -> Iterator[Any]:
    r"""The table in pieces, each a pyarrow table with the same columns.

    Parameters
    ----------
    source : as `read_table` takes it
    like : what the columns are
        `sheet.facts` of a table read before: the file is taken to be written the same way; `tree.columns` of
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
    >>> from hornbeam.data.files import batches
    >>> pieces = batches(io.BytesIO(b"a,b\n1,x\n2,y\n3,x\n"), "a=numeric", rows=2)
    >>> [piece["a"].to_pylist() for piece in pieces]
    [[1.0, 2.0], [3.0]]
    """
    if isinstance(rows, bool) or not isinstance(rows, int) or rows < 1:
        raise TableError(f"rows={rows!r} must be a whole number of at least 1")
    unknown = [name for name in options if name not in (*DELIMITED, "format", "columns", "sheet")]
    if unknown:
        raise TableError(
            f"{unknown[0]}= is no option of batches",
            f"its options are format, {', '.join(DELIMITED)}, columns, sheet",
        )
    request, name = _batch_request(like, options)
    named = named_table(source)
    if named is not None:
        return table_slices(READERS[named[0]](named[1], request).table, rows)
    opened = Source(source)
    _refuse_empty(opened)
    name = name or format_of(opened)
    if name == "tsv" and request.dialect.delimiter is None:
        request = replace(request, dialect=replace(request.dialect, delimiter="\t"))
    refuse_options(name, options)
    pieces: Iterator[Any] = FORMATS[name].function("stream")(opened, request, rows)
    return pieces


def _batch_request(like: Any, options: Mapping[str, Any]) -> tuple[ReadRequest, str]:
    """What to ask for, and the format if it is named."""
    findings = like if isinstance(like, Mapping) and isinstance(like.get("columns"), Mapping) else {}
    chosen = {name: options.get(name) for name in DELIMITED}
    for name in DELIMITED:
        is_known = name != "missing" or "missing" in findings.get("given", ())
        if chosen[name] is None and is_known:
            chosen[name] = findings.get(name)
    declared = kinds_like(findings["columns"] if findings else like) | declarations(options.get("columns"))
    encoding = chosen.pop("encoding")
    dialect = checked_dialect(**chosen)
    name = format_named(options["format"]) if options.get("format") is not None else ""
    marks = tuple(dict.fromkeys([*WORDS, *findings.get("missing", ())]))
    return ReadRequest(declared, dialect, encoding, options.get("sheet"), marks=marks), name


def kinds_like(like: Any) -> dict[str, ColumnDeclaration]:
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
        "give sheet.facts, the columns of a tree, or text such as 'age=numeric'",
    )


def _from_found(name: str, what: Any) -> ColumnDeclaration:
    if not isinstance(what, Mapping):
        return declarations({name: what})[name]
    values = tuple(what.get("values", ())) if what["kind"] in ("nominal", "ordinal") else ()
    zone = parse_display(what.get("type", "").replace("timestamp", "datetime64").replace("tz=", "")).zone
    return ColumnDeclaration(what["kind"], values, what.get("format", ""), zone, is_open=True)


def _from_column(column: Any) -> ColumnDeclaration:
    """What the cells of a column of a tree were before they became codes."""
    if column.kind == "numeric":
        display = parse_display(column.display)
        return ColumnDeclaration("date" if display.family == "datetime64" else "numeric", zone=display.zone)
    if column.categories and all(isinstance(value, bool) for value in column.categories):
        return ColumnDeclaration("boolean")
    if column.categories and all(isinstance(value, (int, float)) for value in column.categories):
        return ColumnDeclaration("numeric")  # categories that are numbers are met by numbers
    return ColumnDeclaration(column.kind, tuple(map(str, column.categories)), is_open=True)
