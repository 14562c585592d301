"""One function for each reader of foreign bytes: it reads them, uses what was read, and lets only faults out.

A target returns whether its bytes were accepted. What a reader is documented to raise (`TableError` for
tables, `ValueError` for models and texts, usage errors of the command line) is an answer, not a fault. A
fault is any other exception, and one that a sentence only hides: an accident such as a `KeyError` in
Hornbeam's own code, whose text helps nobody.
"""

from __future__ import annotations

import gzip
import io
import tempfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
from tests.fuzz.attempts import attempt
from tests.fuzz.text_targets import (
    read_answers,
    read_date_texts,
    read_expression,
    read_option_texts,
    replay_log,
)
from tests.oracles import json_files
from tests.oracles.json_files import outcome_of, same
from tests.support.broken_files import survives

import hornbeam as hb
from hornbeam.data.files import TableError, batches
from hornbeam.data.files.request import declarations

# Tables ---------------------------------------------------------------------------------------------------


def read_bytes(data: bytes, **options: Any) -> bool:
    """Read a table at once and in pieces; where both succeed, the number of rows is the same."""
    return _read_twice(lambda: io.BytesIO(data), **options)


def _read_twice(opened: Callable[[], Any], **options: Any) -> bool:
    done, sheet = attempt(lambda: hb.read_table(opened(), **options), TableError)
    like: Any = None
    if done:
        str(sheet)
        like = sheet.facts
    again = {name: value for name, value in options.items() if name != "limit"}
    streamed, pieces = attempt(lambda: list(batches(opened(), like, rows=3, **again)), TableError)
    if done and streamed and "limit" not in options:
        rows = sum(piece.num_rows for piece in pieces)
        assert rows == sheet.data.num_rows, f"{rows} rows in pieces, {sheet.data.num_rows} at once"
    return done


CHOICES: Mapping[str, Sequence[Any]] = {
    "delimiter": (None, ",", ";", "tab"),
    "header": (None, True, False),
    "decimal": (None, ".", ","),
    "quote": (None, '"', "'", ""),
    "encoding": (None, "utf-8", "latin-1", "utf-16", "cp1252", "utf-7", "idna"),
    "missing": (None, "NA", ["?", "-"]),
    "limit": (None, 1, 2),
}


def read_csv_with_options(data: bytes) -> bool:
    """A first line with a digit for each option and the declared columns, then the file."""
    first, _, rest = data.partition(b"\n")
    digits, _, columns = first.decode("utf-8", "replace").partition(" ")
    options: dict[str, Any] = {}
    for (name, choices), digit in zip(CHOICES.items(), digits, strict=False):
        options[name] = choices[ord(digit) % len(choices)]
    if columns:
        options["columns"] = columns
        attempt(lambda: declarations({"x": columns}), TableError)
    options = {name: value for name, value in options.items() if value is not None}
    return read_bytes(rest, format="csv", **options)


BETWEEN_FILES = b"\n=====\n"


@cache
def _folder() -> Path:
    """A folder that lasts as long as the process; C4.5 keeps a table in two files."""
    folder = tempfile.TemporaryDirectory(prefix="hornbeam-fuzz-")
    _folder.kept = folder  # type: ignore[attr-defined]
    return Path(folder.name)


def read_c45_pair(data: bytes) -> bool:
    """NAME.names, a line of equals signs, NAME.data."""
    names, _, cases = data.partition(BETWEEN_FILES)
    path = _folder() / "t.names"
    path.write_bytes(names)
    path.with_suffix(".data").write_bytes(cases)
    return _read_twice(lambda: path)


def read_packed(data: bytes) -> bool:
    """Any format, as it is and inside gzip."""
    read_bytes(gzip.compress(data, 1, mtime=0))
    return read_bytes(data)


PARTS_OF_WORKBOOK = ("xl/worksheets/sheet1.xml", "xl/sharedStrings.xml", "xl/styles.xml", "xl/workbook.xml")


@cache
def workbook_parts() -> dict[str, bytes]:
    """The parts of a small workbook."""
    table = pa.table({"a": [1.5, 2.0], "b": ["x", "y"], "c": pa.array([0, 10**15], pa.timestamp("us"))})
    path = _folder() / "template.xlsx"
    hb.write_table(table, path)
    with zipfile.ZipFile(path) as archive:
        return {part: archive.read(part) for part in archive.namelist()}


def read_parts_of_workbook(data: bytes) -> bool:
    """XML of some parts of a workbook, the others as usual: behind the archive and its checksums."""
    given = dict(zip(PARTS_OF_WORKBOOK, data.split(BETWEEN_FILES), strict=False))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for part, content in {**workbook_parts(), **{k: v for k, v in given.items() if v}}.items():
            archive.writestr(part, content)
    return read_bytes(packed.getvalue(), format="xlsx")


# Models ---------------------------------------------------------------------------------------------------


def load_model(data: bytes) -> bool:
    """A model file behind its checksum; what loads must predict, and print, without a fault.

    Its text is parsed as by the twin, or refused with the same sentence.
    """
    from hornbeam.io.load import parsed, read

    (document, said), (wanted, sentence) = outcome_of(parsed, data), outcome_of(json_files.parsed, data)
    assert said == sentence, f"{said!r}, but the twin says {sentence!r}"
    assert same(document, wanted), "the text is parsed as something else than by the twin"
    attempt(lambda: survives(data))
    return attempt(lambda: read(data, "model.tree.json", edited=True), ValueError)[0]


# The table of readers -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reader:
    """A target, the longest input that is tried, and words that its inputs are made of."""

    target: Callable[[bytes], bool]
    longest: int
    words: tuple[str, ...] = ()


_CELLS = ("NA", "?", "true", "1e308", "2024-01-31", "31.12.2024", "$1,234.5", "12 %", "0x1", '""', "inf")
_KEYS = (
    '"op"',
    '"node"',
    '"split"',
    '"on"',
    '"at"',
    '"grow"',
    '"regrow"',
    '"move"',
    '"regroup"',
    '"collapse"',
)

READERS: Mapping[str, Reader] = {
    "expression": Reader(
        read_expression,
        300,
        ("and ", "or ", "not ", " in ", "**", "<=", "!=", "`petal width`", "colour", "'red'", "size", "ill"),
    ),
    "options": Reader(
        read_option_texts,
        200,
        (
            "error-based(",
            "confidence=",
            "ordinal(",
            "=date(%d.%m.%Y)",
            "=numeric",
            "none",
            "{a: 1}",
            "[a, b]",
        ),
    ),
    "model": Reader(
        load_model, 20_000, ("null", "true", '"type"', '"value"', '"inf"', "-1", "1e300", "[[]]")
    ),
    "dates": Reader(read_date_texts, 300, _CELLS),
    "answers": Reader(read_answers, 300, ("unknown", "when=", "width=", "colour=red", "2024-02-30", "nan")),
    "csv": Reader(read_bytes, 2_000, (*_CELLS, "\\xef\\xbb\\xbf", "\\xff\\xfe", ";", "\\x09", "\\x0d\\x0a")),
    "csv-options": Reader(read_csv_with_options, 1_000, (*_CELLS, "=nominal", "=ordinal(a<b)", "=date(%s)")),
    "jsonl": Reader(
        lambda data: read_bytes(data, format="jsonl"), 1_000, (*_CELLS, '{"a": ', "null", "\\\\u0000", "[1]")
    ),
    "arff": Reader(
        lambda data: read_bytes(data, format="arff"),
        1_500,
        (
            "@attribute",
            "@data",
            "numeric",
            "date",
            "string",
            "{a,b}",
            "yyyy-MM-dd",
            "{0 1}",
            "?",
            "\\\\u0041",
        ),
    ),
    "c45": Reader(
        read_c45_pair, 1_500, ("continuous.", "ignore.", "discrete 5.", "=====", "\\\\,", "?", "|")
    ),
    "packed": Reader(
        read_packed, 2_000, ("PAR1", "ARROW1", "FEA1", "PK\\x03\\x04", "\\x1f\\x8b", "@relation")
    ),
    "xlsx": Reader(lambda data: read_bytes(data, format="xlsx"), 8_000, ("PK\\x03\\x04", "PK\\x01\\x02")),
    "xlsx-parts": Reader(
        read_parts_of_workbook,
        6_000,
        (
            "<c r=",
            "t='inlineStr'",
            "t='d'",
            "t='e'",
            "t='b'",
            "<v>",
            "<si><t>",
            "numFmtId=",
            "</row>",
            "A1048577",
        ),
    ),
    "parquet": Reader(lambda data: read_bytes(data, format="parquet"), 6_000, ("PAR1",)),
    "feather": Reader(lambda data: read_bytes(data, format="feather"), 6_000, ("ARROW1",)),
    "mat": Reader(lambda data: read_bytes(data, format="mat"), 2_000, ("MATLAB 5.0", "IM", "\\x0e\\x00")),
    "replay": Reader(replay_log, 500, _KEYS),
}
