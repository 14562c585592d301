"""read_table: any table file as a Sheet.

One idea: three steps, each of which can be overruled: which format, how it is written, what its columns are.
"""

from __future__ import annotations

from typing import Any

from hornbeam._base.parameters import did_you_mean
from hornbeam.data.files.csv_dialect import checked_dialect
from hornbeam.data.files.declared_columns import Declared, declarations
from hornbeam.data.files.formats import FORMATS, format_named, format_of, refuse_options
from hornbeam.data.files.request import Asked, Raw
from hornbeam.data.files.source import Source
from hornbeam.data.files.table_error import TableError, guarded
from hornbeam.data.files.table_file import Sheet
from hornbeam.data.named_tables import READERS, named_table


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
) -> Sheet:
    """A table from a file: how it is written and what its columns are is found out, shown and can be set.

    Parameters
    ----------
    source : path, "-", "demo:NAME" or binary file
        "-" is standard input; "demo:tennis" a table of the lectures. Files packed with gzip are unpacked.
    format : str, optional
        csv, tsv, parquet, feather, arff, c45, jsonl or xlsx; found out from the file.
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
    Sheet
        `data` is a pyarrow table for any function of Hornbeam; `found` and `str(sheet)` tell what was found.

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
    given = {
        "format": format,
        "delimiter": delimiter,
        "header": header,
        "decimal": decimal,
        "quote": quote,
        "encoding": encoding,
        "missing": missing,
        "columns": columns,
        "sheet": sheet,
    }
    about: dict[str, Any] = {"given": [name for name, value in given.items() if value is not None]}
    asked = _asked(given, limit)
    named = named_table(source)
    if named is not None:
        prefix, name = named
        about |= {"source": source, "format": prefix}
        refuse_options(prefix, given)
        raw = READERS[prefix](name, asked)
    else:
        opened = Source(source)
        name = format_named(format) if format is not None else format_of(opened)
        about |= {"source": opened.name, "format": name}
        if name == "tsv" and delimiter is None:
            asked = _asked(given | {"delimiter": "tab"}, limit)
        _refuse_empty(opened)
        refuse_options(name, given)
        with guarded(opened.name, f"read as {FORMATS[name].words}"):
            raw = FORMATS[name].read(opened, asked)
    _check_declared(asked.declared, raw, about["source"])
    return Sheet(
        raw.table, about | raw.details, raw.whys | _declared_whys(asked), raw.target, _formats(asked)
    )


def _asked(given: dict[str, Any], limit: Any) -> Asked:
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 1):
        raise TableError(f"limit={limit!r} must be a whole number of at least 1, or None for all rows")
    dialect = checked_dialect(
        given["delimiter"], given["header"], given["decimal"], given["quote"], "utf-8", given["missing"]
    )
    return Asked(
        declarations(given["columns"]), dialect, given["encoding"], dialect.missing, given["sheet"], limit
    )


def _refuse_empty(source: Source) -> None:
    if not source.head:
        raise TableError(f"{source.name} is empty", "give a file with a header or at least one row")


def _declared_whys(asked: Asked) -> dict[str, str]:
    return {name: "declared" for name, what in asked.declared.items() if what.kind != "drop"}


def _formats(asked: Asked) -> dict[str, str]:
    return {name: what.format for name, what in asked.declared.items() if what.format}


def _check_declared(declared: dict[str, Declared] | Any, raw: Raw, name: str) -> None:
    names = raw.table.column_names
    for column, what in declared.items():
        if column not in names and (what.kind != "drop" or column not in raw.dropped):
            raise TableError(
                f"columns names {column!r}, which {name} does not have{did_you_mean(column, names)}",
                f"its columns are {', '.join(map(repr, names[:20]))}" + ", …" * (len(names) > 20),
            )
    if not names:
        raise TableError(f"{name} has no columns left", "drop fewer")
    if raw.table.num_rows == 0:
        raise TableError(f"{name} has columns but no rows", "give a file with at least one row")
