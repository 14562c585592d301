"""C4.5's pair of files: NAME.names declares, NAME.data holds the cases.

One idea: the entries of .names end in a full stop, so it is read as a list of entries, not of lines; the
class comes first there and last in the data.

The format: Quinlan, C4.5: Programs for Machine Learning (1993), appendix.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from hornbeam._base.atomic import atomic_files
from hornbeam.data.files.attributes import (
    Attribute,
    Cells,
    Syntax,
    cell_count_error,
    first_blocks,
    own_declarations,
    read_blocks,
    write_rows,
)
from hornbeam.data.files.column_types import raw_table, refuse_duplicates, shape_pieces
from hornbeam.data.files.request import RawTable, ReadRequest
from hornbeam.data.files.source import Source
from hornbeam.data.files.table_error import CHECK_DISK, TableError, guarded
from hornbeam.data.files.text_bytes import decode_guessed
from hornbeam.data.files.text_columns import values_to_declare

# In each, an escaped character comes first, so that it is stepped over and never taken for a separator.
_COMMENT = re.compile(r"(\\.)|\|[^\n]*")
_END = re.compile(r"\\.|(\.(?=\s|$)|\n(?=[^\n]*(?<!\\):))")
_COLON = re.compile(r"\\.|(:)")
_COMMA = re.compile(r"\\.|(,)")
_ESCAPE = re.compile(r"\\(.)")
_KINDS = {"continuous": "numeric", "ignore": "ignore", "label": "ignore", "date": "date", "timestamp": "date"}


def read_c45(source: Source, request: ReadRequest) -> RawTable:
    """The cases of NAME.data with the columns that NAME.names declares, those to ignore left out."""
    data, attributes, target = _opened(source)
    with guarded(data.name, "read as C4.5"), data.open() as file:
        blocks = read_blocks(file, attributes, _SYNTAX, data.name)
        tables = [table for table, _ in first_blocks(blocks, request.limit)]
        if not tables:
            raise TableError(f"{data.name} holds no cases", "give a file with at least one row")
        table = pa.concat_tables(tables, promote_options="permissive").slice(0, request.limit)
        return raw_table(table.select(_used_names(attributes, request)), request, data.name, target=target)


def stream_c45(source: Source, request: ReadRequest, rows: int) -> Iterator[Any]:
    """Batches of the cases."""
    data, attributes, _ = _opened(source)
    with guarded(data.name, "read as C4.5"), data.open() as file:
        names = _used_names(attributes, request)
        request = own_declarations(attributes, request)
        for table, _ in read_blocks(file, attributes, _SYNTAX, data.name):
            yield from shape_pieces(table.select(names), request, data.name, rows)


def _used_names(attributes: Sequence[Attribute], request: ReadRequest) -> list[str]:
    return [a.name for a in attributes if a.kind != "ignore" or a.name in request.declared]


def _opened(source: Source) -> tuple[Source, list[Attribute], str]:
    if source.path is None:
        raise TableError("C4.5 keeps a table in two files", "give the path of NAME.names or NAME.data")
    names_path = source.path.with_suffix(".names")
    is_names = source.path.suffix.lower() == ".names"
    cases = Source(source.path.with_suffix(".data")) if is_names else source
    with guarded(names_path.name, "read as C4.5"):
        if not names_path.exists():
            raise TableError(
                f"there is no file {names_path.name} beside {source.name}", "it declares the columns"
            )
        attributes, target = read_names(decode_guessed(names_path.read_bytes()), names_path.name)
    return cases, attributes, target


def read_names(text: str, name: str) -> tuple[list[Attribute], str]:
    r"""The attributes in the order of the data, and the name of the class.

    >>> read_names("yes, no.\nage: continuous.\ncolour: red, blue.", "t.names")[0][1].values
    ('red', 'blue')
    """
    text = _COMMENT.sub(_kept_escape, text).replace("\r\n", "\n").lstrip("\ufeff")
    entries = [entry.strip() for entry in _split(_END, text) if entry.strip()]
    if not entries:
        raise TableError(f"{name} declares no classes", "begin it with the classes, as in: yes, no.")
    classes = _list(entries[0])
    attributes = [_attribute(entry, name) for entry in entries[1:]]
    if not attributes:
        raise TableError(f"{name} declares no columns", "write NAME: continuous. or NAME: value, value.")
    named = [attribute.name for attribute in attributes]
    if len(classes) == 1 and classes[0] in named:  # the class is one of the columns
        target = classes[0]
    else:
        target = "class" if "class" not in named else "class of the case"
        attributes.append(Attribute(target, "nominal", tuple(classes)))
    refuse_duplicates([attribute.name for attribute in attributes], name)
    return attributes, target


def _attribute(entry: str, name: str) -> Attribute:
    pieces = _split(_COLON, entry, 1)
    if len(pieces) != 2 or not pieces[1].strip():
        raise TableError(
            f"{name}: {entry[:60]!r} declares no column", "write NAME: continuous. or NAME: value, value."
        )
    column, rest = _plain(pieces[0]), pieces[1].strip()
    word = rest.lower()
    if word in _KINDS:
        return Attribute(column, _KINDS[word])
    if re.fullmatch(r"discrete\s+\d+", word) or word == "discrete":
        return Attribute(column, "string")
    return Attribute(column, "nominal", tuple(dict.fromkeys(_list(rest))))


def _list(text: str) -> list[str]:
    return [_plain(piece) for piece in _split(_COMMA, text.strip())]


def _split(separator: re.Pattern[str], text: str, most: int = -1) -> list[str]:
    pieces: list[str] = []
    start = 0
    for match in separator.finditer(text):
        if match[1] is not None and len(pieces) != most:
            pieces.append(text[start : match.start()])
            start = match.end()
    return [*pieces, text[start:]]


def _kept_escape(match: re.Match[str]) -> str:
    return match[1] or ""


def _plain(text: str) -> str:
    return _ESCAPE.sub(r"\1", " ".join(text.split()))


def _line(line: str, attributes: Sequence[Attribute]) -> tuple[Cells, float] | None:
    line = _COMMENT.sub(_kept_escape, line).strip()
    if not line:
        return None
    pieces = _split(_COMMA, line)
    if len(pieces) == len(attributes) + 1 and not pieces[-1].strip(" ."):
        pieces.pop()
    if len(pieces) != len(attributes):
        raise cell_count_error(len(pieces), len(attributes))
    if attributes[-1].kind != "nominal" or _plain(pieces[-1]) not in attributes[-1].values:
        pieces[-1] = _split(_END, pieces[-1].strip())[0]
    return [None if piece.strip() in ("?", "N/A") else _plain(piece) for piece in pieces], 1.0


_SYNTAX = Syntax((b"|", b"\\", b"N/A"), "\x00", _line)


# Writing --------------------------------------------------------------------------------------------------
# The last column is the class, as in the format itself; text with commas, full stops, colons or bars
# has a backslash before each.

_SPECIAL = re.compile(r"([\\,|:.?])")


def write_c45(table: Any, target: Any) -> None:
    """Write NAME.names and NAME.data; the last column must be categories."""
    if not isinstance(target, (str, os.PathLike)):
        raise TableError("C4.5 keeps a table in two files", "give a path, such as 'weather.names'")
    if table.num_columns < 2:
        raise TableError("C4.5 needs a column and a class after it", "add the class as the last column")
    columns = {name: _categories(table.column(name)) for name in table.column_names}
    *names, last = table.column_names
    if not pa.types.is_dictionary(columns[last].type):
        raise TableError(
            f"the last column, {last!r}, is the class of C4.5 and must be categories",
            "put the class last, as text",
        )
    lines = [_listed(columns[last], last) + "."]
    for name in names:
        kind = _listed(columns[name], name) if pa.types.is_dictionary(columns[name].type) else "continuous"
        lines.append(f"{escape_value(name)}: {kind}.")
    path = Path(os.fspath(target)).expanduser()
    with guarded(path.name, "written as C4.5", CHECK_DISK):
        pair = path.with_suffix(".names"), path.with_suffix(".data")
        with atomic_files(*pair) as (names_file, data_file):
            names_file.write(("\n".join(lines) + "\n").encode())
            write_rows(pa.table(columns), data_file, escape_value, {})


def escape_value(text: str) -> str:
    r"""A name or value with a backslash before what has a meaning.

    >>> print(escape_value("a.b, c"))
    a\.b\, c
    """
    if text != " ".join(text.split()) or not text:
        raise TableError(
            f"the text {text[:40]!r} cannot be written for C4.5", "it keeps no spaces at the ends or twice"
        )
    return "N\\/A" if text == "N/A" else _SPECIAL.sub(r"\\\1", text)  # bare, it is a gap in C5.0


def _categories(column: Any) -> Any:
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.string()).dictionary_encode()
    if pa.types.is_timestamp(column.type):
        raise TableError("C4.5 has no dates", "drop the column, or write it as numbers")
    if pa.types.is_dictionary(column.type):
        return pa.chunked_array([column.unify_dictionaries().combine_chunks()])
    return column


def _listed(column: Any, name: str) -> str:
    values = values_to_declare(column)
    if not values:
        raise TableError(f"column {name!r} has no values", "drop it")
    return ", ".join(map(escape_value, values))
