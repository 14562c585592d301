"""How a delimited text file is written, found out from its first lines; Python's csv reader for that form.

One idea: a delimiter is right when it cuts every line into the same number of cells. A header is a line whose
cells are unlike the cells below them. Whatever the user says is taken as it is.
"""

from __future__ import annotations

import csv
import io
import re
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from hornbeam.data.files.kinds import SIGNS, WORDS, guess
from hornbeam.data.files.table_error import TableError
from hornbeam.data.files.text_bytes import LONGEST_LINE

DELIMITERS = ("\t", ";", "|", ",", " ")  # in order of preference where several cut evenly
MAX_COLUMNS = 100_000
_ONE_READER = threading.Lock()
_LINES = 200
_NAMED_DELIMITER = re.compile(r"sep=([^\w\s]|\t)(\r\n|\n|\r)", re.IGNORECASE)
_VOTERS = 100  # columns that vote on the header
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+", re.ASCII)
_MILLIONS = re.compile(r"\d,\d{3},\d{3}", re.ASCII)
_POINT_BEHIND = re.compile(r"\d,\d{3}\.\d", re.ASCII)
_COMMA_NUMBER = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?")
_POINT_NUMBER = re.compile(r"[+-]?\d*\.\d+([eE][+-]?\d+)?")
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?|[+-]?inf", re.IGNORECASE)


@dataclass(frozen=True)
class Dialect:
    """How cells, lines and numbers are written."""

    delimiter: str | None = None
    header: bool | None = None
    decimal: str | None = None
    quote: str | None = None  # "" for none
    encoding: str = "utf-8"
    padded: bool = False  # a space follows each delimiter
    missing: tuple[str, ...] | None = None  # the marks given by the user
    blank_lines: int = 0  # above the header
    names_delimiter: bool = False  # whether the first line is `sep=;`, as some spreadsheets write and read


def sniff(text: str, preset: Dialect, name: str, *, is_whole: bool) -> tuple[Dialect, list[list[str]]]:
    r"""The dialect, with what was asked for kept, and the first rows (the header, if there is one, included).

    >>> dialect, rows = sniff("a;b\n1,5;x\n2,5;y\n", Dialect(), "t.csv", is_whole=True)
    >>> dialect.delimiter, dialect.header, dialect.decimal
    (';', True, ',')
    """
    named = _NAMED_DELIMITER.match(text)
    if named is not None:
        text, delimiter = text[named.end() :], preset.delimiter or named[1]
        preset = replace(preset, delimiter=delimiter, names_delimiter=True)
    _refuse_wide(text, preset, name)
    quote = _quote(text) if preset.quote is None else preset.quote
    delimiter = preset.delimiter or _delimiter(text, quote, is_whole=is_whole)
    rows = cells(text, delimiter, quote, is_whole=is_whole)
    if not rows:
        raise TableError(f"{name} holds no rows", "give a file with a header or at least one row")
    padded = _is_padded(rows)
    bare = [[cell.strip() for cell in row] for row in rows]
    decimal = preset.decimal or _decimal(bare, delimiter)
    header = _has_header(bare, decimal) if preset.header is None else preset.header
    blank = text[: len(text) - len(text.lstrip("\r\n"))]
    return replace(
        preset,
        delimiter=delimiter,
        quote=quote,
        decimal=decimal,
        header=header,
        padded=padded,
        blank_lines=len(blank.splitlines()),
    ), rows


def cells(text: str, delimiter: str, quote: str, *, is_whole: bool) -> list[list[str]]:
    """The first rows of a text; a last line that may be cut off is left out."""
    rows: list[list[str]] = []
    with csv_reader(io.StringIO(text, newline=""), delimiter, quote) as reader:
        for row in reader:
            if row:
                rows.append(row)
            if len(rows) > _LINES:
                return rows[:_LINES]
    return rows if is_whole or len(rows) < 2 else rows[:-1]


@contextmanager
def csv_reader(text: Any, delimiter: str, quote: str) -> Iterator[Any]:
    """Python's reader of cells, for cells as long as a line may be; what it cannot read ends the rows.

    How long a cell may be is a setting of the whole process, so one reader at a time changes it.
    """
    with _ONE_READER:
        before = csv.field_size_limit(LONGEST_LINE)
        try:
            with suppress(csv.Error):
                yield csv.reader(
                    text,
                    delimiter=delimiter,
                    quotechar=quote or None,
                    quoting=csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE,
                )
        finally:
            csv.field_size_limit(before)


def _quote(text: str) -> str:
    double = len(re.findall(r'(?:^|[,;\t| ])"', text, re.MULTILINE))
    single = len(re.findall(r"(?:^|[,;\t|])'[^'\n]*'(?=$|[,;\t|\r])", text, re.MULTILINE))
    return "'" if single > 2 and double == 0 else '"'


def _delimiter(text: str, quote: str, *, is_whole: bool) -> str:
    best, best_share = ",", 0.0
    for delimiter in DELIMITERS:
        rows = cells(text, delimiter, quote, is_whole=is_whole)
        width, n = Counter(map(len, rows)).most_common(1)[0] if rows else (1, 0)
        if width < 2 or (delimiter == " " and (best_share > 0 or not _mostly_numbers(rows))):
            continue
        if n / len(rows) > best_share:
            best, best_share = delimiter, n / len(rows)
    return best


def _mostly_numbers(rows: list[list[str]]) -> bool:
    flat = [cell for row in rows for cell in row]
    return sum(_NUMBER.fullmatch(cell) is not None for cell in flat) * 2 >= len(flat)


def _is_padded(rows: list[list[str]]) -> bool:
    later = [cell for row in rows for cell in row[1:]]
    return bool(later) and sum(cell.startswith(" ") for cell in later) > 0.9 * len(later)


def _decimal(rows: list[list[str]], delimiter: str) -> str:
    """The decimal sign; a comma within cells between commas may as well stand between thousands."""
    flat = [cell for row in rows for cell in row]
    with_comma = [cell for cell in flat if _COMMA_NUMBER.fullmatch(cell)]
    thousands = (delimiter == "," or any(map(_MILLIONS.search, flat))) and all(
        map(_THOUSANDS.fullmatch, with_comma)
    )
    has_point = any(_POINT_NUMBER.fullmatch(cell) or _POINT_BEHIND.search(cell) for cell in flat)
    return "," if with_comma and not has_point and not thousands else "."


def _has_header(rows: list[list[str]], decimal: str) -> bool:
    """Each column votes: cells unlike those below speak for a header, cells like them against it."""
    first, rest = rows[0], rows[1:]
    if not rest:
        return all(not _is_value(cell) for cell in first)
    votes = 0
    for j, cell in enumerate(first[:_VOTERS]):
        below = sorted({row[j] for row in rest if j < len(row)})
        kind = guess(pa.array(below, pa.string()), decimal).kind
        if _is_value(cell):
            votes -= cell not in WORDS or kind != "empty"
        elif kind in ("whole", "real", "written", "boolean", "date", "date_text"):
            votes += 1 if guess(pa.array([cell]), decimal).kind != kind else -1
        elif cell in below:
            votes -= 1
    return votes > 0 or (votes == 0 and len(set(first)) == len(first))


def _is_value(cell: str) -> bool:
    return _NUMBER.fullmatch(cell) is not None or (cell != "" and (cell in WORDS or cell in SIGNS))


def _refuse_wide(text: str, preset: Dialect, name: str) -> None:
    line = text.split("\n", 1)[0]
    if max(map(line.count, ("\t", ";", "|", preset.delimiter or ",", ","))) >= MAX_COLUMNS:
        raise TableError(
            f"line 1 of {name} has more than {MAX_COLUMNS:,} cells, which is the most that are read",
            "write rows as lines and columns as cells, or name the delimiter",
        )


def checked_dialect(delimiter: Any, header: Any, decimal: Any, quote: Any, missing: Any) -> Dialect:
    r"""The dialect a user asks for, each word checked.

    >>> checked_dialect("tab", None, None, None, "NA").delimiter
    '\t'
    """
    words = {"tab": "\t", "comma": ",", "semicolon": ";", "space": " ", "pipe": "|", "\\t": "\t"}
    delimiter = words.get(delimiter, delimiter) if isinstance(delimiter, str) else delimiter
    is_character = isinstance(delimiter, str) and len(delimiter) == 1 and ord(delimiter) < 128
    if delimiter is not None and not is_character:
        raise TableError(f"delimiter={delimiter!r} must be one character", "use ',', ';', '|', ' ' or 'tab'")
    if header not in (None, True, False):
        raise TableError(f"header={header!r} must be True, False or None", "None finds it out")
    if decimal not in (None, ".", ","):
        raise TableError(f"decimal={decimal!r} must be '.' or ','", "None finds it out")
    if quote not in (None, "", '"', "'"):
        raise TableError(f"quote={quote!r} must be '\"', \"'\" or '' for none", "None finds it out")
    if decimal is not None and decimal == delimiter:
        raise TableError(f"delimiter and decimal are both {decimal!r}", "they must differ")
    return Dialect(delimiter, header, decimal, quote, missing=checked_marks(missing))


def checked_marks(missing: Any) -> tuple[str, ...] | None:
    """The marks of gaps a user names: one, or several; the empty cell is always one."""
    if missing is None:
        return None
    marks: Sequence[Any] = list(missing) if isinstance(missing, (list, tuple, set)) else [missing]
    if not all(isinstance(mark, str) for mark in marks):
        raise TableError(f"missing={missing!r} must be text or a list of texts", "write missing=['?', 'NA']")
    return tuple(dict.fromkeys(["", *marks]))
