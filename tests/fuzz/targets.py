"""One function for each reader of foreign bytes: it reads them, uses what was read, and lets only faults out.

A target returns whether its bytes were accepted. What a reader is documented to raise (`TableError` for
tables, `ValueError` for models and texts, usage errors of the command line) is an answer, not a fault. A
fault is any other exception, and one that a sentence only hides: an accident such as a `KeyError` in
Hornbeam's own code, whose text helps nobody.
"""

from __future__ import annotations

import gzip
import io
import json
import linecache
import tempfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import numpy as np
import pyarrow as pa
from tests.oracles import json_files
from tests.oracles.json_files import outcome_of, same
from tests.support.broken_files import survives

import hornbeam as hb
from hornbeam.cli.commands import evaluate as evaluate_command
from hornbeam.cli.commands import explain as explain_command
from hornbeam.cli.exit_codes import Failure
from hornbeam.cli.part_syntax import parse_value, part_of, recipe_of
from hornbeam.data.columns import Column
from hornbeam.data.date_text import date_format, dates_of_text
from hornbeam.data.files import TableError, batches
from hornbeam.data.files.kinds import guess
from hornbeam.data.files.request import declarations
from hornbeam.estimators.estimator_parameters import SLOTS
from hornbeam.tree.expressions.language import Expression

PACKAGE = str(Path(hb.__file__).parent)
ACCIDENTS = (ArithmeticError, AssertionError, AttributeError, LookupError, NameError, RuntimeError, TypeError)


class HiddenAccidentError(Exception):
    """A documented exception that was made of an accident in Hornbeam's own code."""


def attempt(read: Callable[[], Any], *documented: type[Exception]) -> tuple[bool, Any]:
    """Whether reading succeeded, and what was read; what is documented to be raised is no fault."""
    try:
        return True, read()
    except documented as fault:
        accident = fault.__context__
        if accident is not None and _is_accident(accident):
            raise HiddenAccidentError(f"{type(accident).__name__} became {fault}") from accident
        _check_sentence(fault)
        return False, None


def _check_sentence(fault: Exception) -> None:
    said = str(fault)
    assert said.strip(), f"{type(fault).__name__} without a sentence"
    quotes_a_file = isinstance(fault, TableError)
    assert not quotes_a_file or len(said) < 5_000, f"a sentence of {len(said):,} letters"


def _is_accident(fault: BaseException) -> bool:
    """Whether an exception happened in a line of Hornbeam that does not raise it on purpose."""
    if not isinstance(fault, ACCIDENTS):
        return False
    place = fault.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    if place is None:
        return False
    file = place.tb_frame.f_code.co_filename
    return file.startswith(PACKAGE) and not linecache.getline(file, place.tb_lineno).strip().startswith(
        "raise"
    )


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


# Texts ----------------------------------------------------------------------------------------------------

COLUMNS = (
    Column("x", "numeric"),
    Column("y", "numeric"),
    Column("colour", "nominal", ("blue", "red")),
    Column("other", "nominal", ("red", "green")),
    Column("ill", "nominal", (False, True)),
    Column("size", "ordinal", ("small", "mid", "large")),
    Column("petal width", "numeric"),
)


@cache
def _arrays() -> list[Any]:
    numbers, codes = [0.0, 1.5, -2.0, np.nan, np.inf], np.array([0, 1, -1, 0, 1], np.int32)
    return [np.array(numbers) if column.kind == "numeric" else codes for column in COLUMNS]


def read_expression(data: bytes) -> bool:
    """An expression: parsed, checked against columns, evaluated, and as a test of a tree."""
    text = data.decode("utf-8", "replace")
    done, expression = attempt(lambda: Expression.parse(text), ValueError)
    if not done or not attempt(lambda: expression.check(COLUMNS), ValueError)[0]:
        return False
    truth, missing = expression.evaluate(COLUMNS, _arrays())
    assert len(truth) == len(missing) == 5
    assert not (truth & missing).any()
    return True


def read_option_texts(data: bytes) -> bool:
    """Options of the command line: a slot and a part, a recipe, a value, a gate, declared columns."""
    text = data.decode("utf-8", "replace")
    option, _, rest = text.partition(" ")
    parse_value(rest)
    attempt(lambda: declarations(rest), TableError)
    attempt(lambda: evaluate_command._parse_gates((rest,)), click.UsageError)
    attempt(lambda: recipe_of(rest, ("id3", "c45", "cart")), click.UsageError)
    slot = option if option in SLOTS else "pruning"
    return attempt(lambda: part_of(f"--{slot}", rest, SLOTS[slot]), click.UsageError)[0]


def read_date_texts(data: bytes) -> bool:
    """Cells of one column, a line each: dates, numbers as people write them, what kind they are."""
    cells = data.decode("utf-8", "replace").split("\n")
    form = date_format(cells)
    dates_of_text(pa.array(cells, pa.string()), "day")
    values = pa.array(dict.fromkeys(cells), pa.string())
    guess(values)
    guess(values, ",")
    return form is not None


@cache
def _key_tree() -> hb.Tree:
    moments = np.array(["2024-01-01", "2024-06-01", "2025-01-01", "2025-06-01"] * 4, dtype="datetime64[s]")
    table = {
        "when": moments,
        "width": np.arange(16.0),
        "colour": ["red", "blue"] * 8,
        "ill": [True, False] * 8,
    }
    classes = [f"class {k // 4} {k % 4 // 2}" for k in range(16)]
    return hb.TreeClassifier().fit(table, classes).tree_


def read_answers(data: bytes) -> bool:
    """Lines that a person types: answers to a key, and a row as COL=VALUE."""
    lines = tuple(data.decode("utf-8", "replace").split("\n"))
    key = hb.key(_key_tree())
    for line in lines:
        if key.question is None:
            break
        attempt(lambda line=line: key.answer(line), ValueError)
    opened: Any = SimpleNamespace(tree=_key_tree())
    documented = (click.UsageError, Failure, ValueError)
    done, row = attempt(lambda: explain_command._parse_row(opened, lines), *documented)
    return done and attempt(lambda: str(hb.explain(_key_tree(), row)), ValueError, TypeError)[0]


@cache
def _tennis() -> Any:
    return hb.datasets.load("tennis")


def replay_log(data: bytes) -> bool:
    """A log of edits as JSON: replayed, printed and written as a script."""
    try:
        log = json.loads(data)
    except (ValueError, RecursionError):  # json's, and no part of Hornbeam
        return False
    if not isinstance(log, list) or len(log) > 6:
        return False
    tennis = _tennis()
    done, draft = attempt(lambda: hb.replay(log, hb.id3(), tennis.X, tennis.y), ValueError, TypeError)
    if done:
        str(draft)
        draft.script()
        json.dumps(draft.log)
    return done


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
    "replay": Reader(replay_log, 500, _KEYS),
}
