"""The header of an ARFF file: what its attributes are.

One idea: names and values share one way of quoting, so one pattern finds both. Dates are written in the
letters of Java, which are turned into those of strptime.

The format: Weka's manual, chapter "ARFF".
"""

from __future__ import annotations

import re
from typing import BinaryIO

from hornbeam.data.files.attributes import Attribute
from hornbeam.data.files.column_types import refuse_duplicates
from hornbeam.data.files.table_error import TableError
from hornbeam.data.files.text_bytes import decode_guessed

QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_ATTRIBUTE = re.compile(rf"@attribute\s+({QUOTED}|[^\s{{'\"]+)\s*(.+)", re.IGNORECASE | re.DOTALL)
_VALUE = re.compile(rf"\s*({QUOTED}|[^,'\"]*?)\s*(,|$)")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_CONTROL = {"n": "\n", "r": "\r", "t": "\t", "0": "\0"}
_KINDS = {"numeric": "numeric", "real": "numeric", "integer": "integer", "string": "string", "date": "date"}
_MOST = 1 << 24  # bytes of header
_ISO = re.compile(r"yyyy-MM-dd(('T'| )HH:mm(:ss(\.S+)?)?)?")
_LETTERS = {"yyyy": "%Y", "yy": "%y", "MM": "%m", "dd": "%d", "HH": "%H", "mm": "%M", "ss": "%S", "MMM": "%b"}
_LETTER = re.compile(r"'([^']*)'|([a-zA-Z])\2*|[^a-zA-Z']+")


def read_header(file: BinaryIO, name: str) -> tuple[list[Attribute], int]:
    """The attributes, and the number of the line after @data, where the file then stands."""
    attributes: list[Attribute] = []
    read = 0
    for number, raw in enumerate(iter(lambda: file.readline(_MOST), b""), 1):
        read += len(raw)
        if read > _MOST:
            break
        line = decode_guessed(raw).strip().lstrip("\ufeff")
        word = line.split(None, 1)[0].lower() if line else ""
        if word == "@data":
            return _checked(attributes, name), number + 1
        if word.startswith("@attribute"):
            attributes.append(_attribute(line, name, number))
        elif word.startswith("@end"):
            continue
        elif line and not line.startswith("%") and word != "@relation":
            raise TableError(
                f"line {number:,} of {name} is no part of an ARFF header: {line[:40]!r}",
                "a header has @relation, @attribute and @data lines",
            )
    raise TableError(f"{name} has no @data line", "check that it is a complete ARFF file")


def _checked(attributes: list[Attribute], name: str) -> list[Attribute]:
    if not attributes:
        raise TableError(f"{name} declares no attributes", "check that it is a complete ARFF file")
    refuse_duplicates([attribute.name for attribute in attributes], name)
    return attributes


def _attribute(line: str, name: str, number: int) -> Attribute:
    match = _ATTRIBUTE.fullmatch(line)
    if match is None:
        raise TableError(
            f"line {number:,} of {name} declares no attribute: {line[:60]!r}", "write @attribute NAME TYPE"
        )
    column, rest = unquote(match[1]), match[2].strip()
    if rest.startswith("{"):
        end = rest.rfind("}")
        if end < 0:
            raise TableError(
                f"line {number:,} of {name}: the values of {column!r} lack their '}}'", "close them"
            )
        return Attribute(column, "nominal", tuple(_values(rest[1:end], name, number)))
    word, _, after = rest.partition(" ")
    word = word.lower().split("\t")[0]
    if word not in _KINDS:
        what = "holds tables within a table" if word == "relational" else f"has the unknown type {word!r}"
        raise TableError(
            f"line {number:,} of {name}: attribute {column!r} {what}",
            "the types are numeric, integer, real, string, date and {values}",
        )
    pattern = unquote(after.strip()) if word == "date" and after.strip() else ""
    return Attribute(column, _KINDS[word], format=_strptime(pattern, name, number))


def _values(inside: str, name: str, number: int) -> list[str]:
    values: list[str] = []
    at = 0
    while at < len(inside) or not values:
        match = _VALUE.match(inside, at)
        if match is None:
            raise TableError(f"line {number:,} of {name}: a quote is not closed", "close it")
        if match[1] or match[2]:
            values.append(unquote(match[1]))
        if match.end() == at:
            break
        at = match.end()
    return list(dict.fromkeys(values))


def unquote(text: str) -> str:
    r"""A name or value without its quotes and escapes.

    >>> unquote(r"'it\'s'"), unquote("plain")
    ("it's", 'plain')
    """
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "'\"":
        text = text[1:-1]
        return _ESCAPE.sub(_escaped, text) if "\\" in text else text
    return text


def _escaped(match: re.Match[str]) -> str:
    word = match[1]
    return chr(int(word[1:], 16)) if len(word) == 5 else _CONTROL.get(word, word)


def _strptime(pattern: str, name: str, number: int) -> str:
    """Java's letters for a date as those of strptime; "" for ISO dates, which need none."""
    if not pattern or _ISO.fullmatch(pattern):
        return ""
    written = ""
    for piece in _LETTER.finditer(pattern):
        text = piece[0]
        if piece[1] is not None:
            written += piece[1].replace("%", "%%")
        elif piece[2] is None:
            written += text
        elif text in _LETTERS:
            written += _LETTERS[text]
        else:
            raise TableError(
                f"line {number:,} of {name}: the letters {text!r} in the date format {pattern!r} are unknown",
                f"use {', '.join(_LETTERS)}",
            )
    return written
