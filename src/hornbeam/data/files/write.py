"""write_table: write any table to a file.

Whatever the table is (a TableFile, a data frame, an Arrow table, a dict of columns), it first becomes the
columns a TableFile holds; a format then writes those few types.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from hornbeam._base.atomic import atomic_file
from hornbeam._base.parameters import did_you_mean
from hornbeam.data.files.column_types import refuse_duplicates, shape_column
from hornbeam.data.files.formats import FORMATS, format_ending, format_named
from hornbeam.data.files.table_error import CHECK_DISK, TableError, guarded
from hornbeam.data.files.table_file import TableFile
from hornbeam.data.frames import as_frame, open_table


def write_table(
    data: Any,
    target: Any,
    *,
    format: str | None = None,  # noqa: A002 (the word users expect)
    delimiter: str = ",",
    escape_formulas: bool = False,
) -> None:
    """Write a table as csv, tsv, parquet, feather, arff, c45, xlsx, jsonl or mat.

    Parameters
    ----------
    data : TableFile, data frame, pyarrow table, dict of columns, list of dicts or 2-D array
    target : path or binary file
        c45 needs a path: it writes NAME.names and NAME.data.
    format : str, optional
        The ending of the path says it otherwise.
    delimiter : str
        For csv: the character between cells.
    escape_formulas : bool
        For csv, tsv and xlsx: put an apostrophe before text that a spreadsheet would run (= + - @).

    Examples
    --------
    >>> import io
    >>> import hornbeam as hb
    >>> file = io.BytesIO()
    >>> hb.write_table({"age": [30, None], "city": ["Brno", "Aš"]}, file, format="csv")
    >>> print(file.getvalue().decode())
    "age","city"
    30,"Brno"
    ,"Aš"
    <BLANKLINE>
    """
    name = _format(target, format)
    options = _options(name, delimiter, escape_formulas=escape_formulas)
    table = as_table(data)
    if name == "c45":
        FORMATS[name].function("write")(table, target, **options)
        return
    if hasattr(target, "write"):
        with guarded("the table", f"written as {name}"):
            FORMATS[name].function("write")(table, target, **options)
        return
    path = Path(os.fspath(target)).expanduser()
    with guarded(path.name, f"written as {name}", CHECK_DISK), atomic_file(path) as file:
        FORMATS[name].function("write")(table, file, **options)


def as_table(data: Any) -> Any:
    """Any table as an Arrow table with the types of a TableFile.

    >>> as_table({"a": ["x", None]}).column("a").null_count
    1
    """
    if isinstance(data, TableFile):
        return data.data
    with guarded("the table", "written"):
        if not isinstance(data, pa.Table):
            frame = None if isinstance(data, (Mapping, Sequence)) else as_frame(data)
            data = frame.to_arrow() if frame is not None else _from_columns(data)
        refuse_duplicates(list(map(str, data.column_names)), "the table")
        return pa.table(
            {str(n): shape_column(data.column(j), str(n)) for j, n in enumerate(data.column_names)}
        )


def _from_columns(data: Any) -> Any:
    source = open_table(data)
    names = source.column_names()
    return pa.table({name: pa.array(source.get(j), from_pandas=True) for j, name in enumerate(names)})


def _format(target: Any, format: str | None) -> str:  # noqa: A002
    if not isinstance(target, (str, os.PathLike)) and not hasattr(target, "write"):
        raise TableError(f"target={target!r} is no file", "give a path or a file opened in binary mode")
    if format is not None:
        return format_named(format)
    endings = Path(os.fspath(target)).suffixes if isinstance(target, (str, os.PathLike)) else []
    ending = endings[-1].lower() if endings else ""
    name = format_ending(ending)
    if not name:
        known = [e for entry in FORMATS.values() for e in entry.endings]
        raise TableError(
            f"the format of {target!r} is not clear{did_you_mean(ending, known)}",
            f"name it with format=, one of {', '.join(FORMATS)}",
        )
    return name


def _options(name: str, delimiter: str, *, escape_formulas: bool) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if name in ("csv", "tsv"):
        delimiter = "\t" if delimiter in ("tab", "\\t") or (name == "tsv" and delimiter == ",") else delimiter
        is_character = isinstance(delimiter, str) and len(delimiter) == 1 and ord(delimiter) < 128
        if not is_character or delimiter in "\"\r\n'":
            raise TableError(f"delimiter={delimiter!r} must be one character", "use ',', ';', '|' or 'tab'")
        options["delimiter"] = delimiter
    elif delimiter != ",":
        raise TableError(f"delimiter={delimiter!r} is no option of format={name!r}", "it is for csv and tsv")
    if name in ("csv", "tsv", "xlsx"):
        options["escape_formulas"] = escape_formulas
    elif escape_formulas:
        raise TableError(
            f"escape_formulas=True is no option of format={name!r}", "it is for csv, tsv and xlsx"
        )
    return options
