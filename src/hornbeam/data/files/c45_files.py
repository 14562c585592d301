"""C4.5's pair of files: NAME.names declares, NAME.data holds the cases.

One idea: the entries of .names end in a full stop, so it is read as a list of entries, not of lines; the
class comes first there and last in the data.

The format: Quinlan, C4.5: Programs for Machine Learning (1993), appendix.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from hornbeam.data.files.arrow import raw_of, shaped, steady
from hornbeam.data.files.attributes import Attribute
from hornbeam.data.files.character_encoding import is_utf8, one_byte
from hornbeam.data.files.column_names import refuse_twins
from hornbeam.data.files.line_blocks import Cells, Syntax, blocks
from hornbeam.data.files.request import Asked, Raw
from hornbeam.data.files.source import Source
from hornbeam.data.files.table_error import TableError, guarded

# In each, an escaped character comes first, so that it is stepped over and never taken for a separator.
_COMMENT = re.compile(r"(\\.)|\|[^\n]*")
_END = re.compile(r"\\.|(\.(?=\s|$)|\n(?=[^\n]*(?<!\\):))")
_COLON = re.compile(r"\\.|(:)")
_COMMA = re.compile(r"\\.|(,)")
_ESCAPE = re.compile(r"\\(.)")
_KINDS = {"continuous": "numeric", "ignore": "ignore", "label": "ignore", "date": "date", "timestamp": "date"}


def read_c45(source: Source, asked: Asked) -> Raw:
    """The cases of NAME.data with the columns that NAME.names declares, those to ignore left out."""
    data, attributes, target = _opened(source)
    with guarded(data.name, "read as C4.5"), data.open() as file:
        tables, rows = [], 0
        for block in blocks(file, attributes, _SYNTAX, data.name):
            tables.append(block.table)
            rows += block.table.num_rows
            if asked.limit is not None and rows >= asked.limit:
                break
        if not tables:
            raise TableError(f"{data.name} holds no cases", "give a file with at least one row")
        table = pa.concat_tables(tables, promote_options="permissive").slice(0, asked.limit)
        return raw_of(table.select(_kept(attributes, asked)), asked, data.name, target=target)


def stream_c45(source: Source, asked: Asked, rows: int) -> Iterator[Any]:
    """Batches of the cases."""
    data, attributes, _ = _opened(source)
    own = {a.name for a in attributes if a.kind in ("nominal", "date", "string")}
    declared = {n: d for n, d in asked.declared.items() if n not in own or d.kind not in ("nominal", "date")}
    asked = Asked(declared, asked.dialect, missing=asked.missing)
    with guarded(data.name, "read as C4.5"), data.open() as file:
        for block in blocks(file, attributes, _SYNTAX, data.name):
            table = block.table.select(_kept(attributes, asked))
            for start in range(0, table.num_rows, rows):
                yield steady(shaped(table.slice(start, rows), asked, data.name))


def _kept(attributes: Sequence[Attribute], asked: Asked) -> list[str]:
    return [a.name for a in attributes if a.kind != "ignore" or a.name in asked.declared]


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
        raw = names_path.read_bytes()
        text = raw.decode() if is_utf8(raw, is_whole=True) else raw.decode(one_byte(raw))
        attributes, target = read_names(text, names_path.name)
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
    refuse_twins([attribute.name for attribute in attributes], name)
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
    for found in separator.finditer(text):
        if found[1] is not None and len(pieces) != most:
            pieces.append(text[start : found.start()])
            start = found.end()
    return [*pieces, text[start:]]


def _kept_escape(found: re.Match[str]) -> str:
    return found[1] or ""


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
        n = len(pieces)
        raise TableError(f"{n} cell{'s' * (n != 1)} where {len(attributes)} are expected", "mend the line")
    if attributes[-1].kind != "nominal" or _plain(pieces[-1]) not in attributes[-1].values:
        pieces[-1] = _split(_END, pieces[-1].strip())[0]
    return [None if piece.strip() in ("?", "N/A") else _plain(piece) for piece in pieces], 1.0


_SYNTAX = Syntax((b"|", b"\\", b"N/A"), "\x00", _line)
