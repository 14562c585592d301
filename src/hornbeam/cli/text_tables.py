"""Grids: rows under heads as aligned text, CSV or Markdown.

One idea: a head says which entry of a row stands below it, on which side, and how it is spelled for people;
for machines numbers are written in full.
"""

from __future__ import annotations

import csv
import io
import math
import sys
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hornbeam.cli.terminal import ASCII_WORDS, charset_of, paint, wants_colour


@dataclass(frozen=True)
class Head:
    """A column of a grid: `key` of a row, spelled by `spell`, in a style."""

    title: str
    key: str = ""
    spell: Callable[[Any], str] | None = None
    style: str | None = None

    @property
    def entry(self) -> str:
        """Which entry of a row stands here."""
        return self.key or self.title


def short(value: Any) -> str:
    """A number with four digits for people; nothing for what is not there.

    >>> short(0.246749), short(14), short(None), short("a"), short(True)
    ('0.2467', '14', '', 'a', 'yes')
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}" if value == 0 or abs(value) < 1e4 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def percent(value: float | None, digits: int = 1) -> str:
    """A share in percent.

    >>> percent(0.8317), percent(1.0)
    ('83.2 %', '100 %')
    """
    if value is None or math.isnan(value):
        return ""
    text = f"{100 * value:.{digits}f}"
    return f"{text.rstrip('0').rstrip('.') if '.' in text and float(text) in (0, 100) else text} %"


def size_words(size: Mapping[str, Any]) -> list[Any]:
    """The leaves and the depth of a tree as words of a line.

    >>> size_words({"leaves": 1, "depth": 0})
    [('1', 'number'), ' leaf, depth ', ('0', 'number')]
    """
    leaves = " leaf, depth " if size["leaves"] == 1 else " leaves, depth "
    return [(str(size["leaves"]), "number"), leaves, (str(size["depth"]), "number")]


def text_lines(heads: Sequence[Head], rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Aligned columns below dim heads; numbers on the right."""
    coloured, translate = wants_colour(sys.stdout), charset_of(sys.stdout) == "ascii"
    cells = [[_spelled(head, row.get(head.entry)) for head in heads] for row in rows]
    if translate:
        cells = [[cell.translate(ASCII_WORDS) for cell in row] for row in cells]
    titles = [head.title.translate(ASCII_WORDS) if translate else head.title for head in heads]
    right = [_is_number(head, rows) for head in heads]
    widths = [
        max([cell_width(title), *(cell_width(row[k]) for row in cells)]) for k, title in enumerate(titles)
    ]
    found = [paint(_line(titles, widths, right), "dim", on=coloured)]
    for row in cells:
        painted = [
            _padded(cell, width, at_right=at_right)
            for cell, width, at_right in zip(row, widths, right, strict=True)
        ]
        styled = [
            paint(text, head.style, on=coloured) if head.style else text
            for text, head in zip(painted, heads, strict=True)
        ]
        found.append("  ".join(styled).rstrip())
    return found


def csv_lines(heads: Sequence[Head], rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Comma-separated values, numbers in full."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow([head.entry for head in heads])
    for row in rows:
        writer.writerow([_exact(row.get(head.entry)) for head in heads])
    return written.getvalue().splitlines()


def markdown_lines(heads: Sequence[Head], rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """A table of Markdown."""
    right = [_is_number(head, rows) for head in heads]
    lines = [[head.title or head.entry for head in heads]]
    lines.append(["---:" if at_right else "---" for at_right in right])
    lines += [[_spelled(head, row.get(head.entry)) for head in heads] for row in rows]
    return ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines]


def cell_width(text: str) -> int:
    """How many columns of a terminal a text takes.

    >>> cell_width("né"), cell_width("木")
    (2, 2)
    """
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) != 0 for c in text)


def shortened(line: str, width: int) -> str:
    """A line cut where the terminal ends.

    >>> shortened("whole numbers", 8), shortened("whole", 8)
    ('whole n…', 'whole')
    """
    return line if cell_width(line) <= width else line[: width - 1] + "…"


def _spelled(head: Head, value: Any) -> str:
    text = (head.spell or short)(value)
    return " ".join(text.split("\n")) if "\n" in text else text


def _exact(value: Any) -> Any:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return repr(value) if isinstance(value, float) else value


def _is_number(head: Head, rows: Sequence[Mapping[str, Any]]) -> bool:
    values = [row.get(head.entry) for row in rows]
    known = [v for v in values if v is not None]
    return bool(known) and all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in known)


def _padded(text: str, width: int, *, at_right: bool) -> str:
    space = " " * (width - cell_width(text))
    return space + text if at_right else text + space


def _line(texts: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    parts = zip(texts, widths, right, strict=True)
    return "  ".join(_padded(text, width, at_right=side) for text, width, side in parts).rstrip()
