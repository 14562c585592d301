"""Answers on stdout: tables as aligned text, CSV, Markdown or JSON, with bars and sparklines.

One idea: an answer is data first: a dict for JSON, with the name and version of its schema, and rows for CSV
and Markdown. The text for people is made from the same numbers; for machines numbers are written in full.
"""

from __future__ import annotations

import csv
import io
import json
import math
import sys
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TextIO

import click

from hornbeam.cli.terminal import ASCII_SIGNS, charset_of, paint, styled_line, wants_colour, width_of

FORMATS = ("text", "json", "csv", "markdown")


@dataclass(frozen=True)
class Answer:
    """What a command has to say.

    Attributes
    ----------
    schema : such as "evaluate/1"; the number changes if the meaning of an entry does
    data : everything, as JSON can hold it
    heads, rows : the same as a table, or its most useful part
    text : lines for people; made from the rows if None
    """

    schema: str
    data: Mapping[str, Any]
    headers: Sequence[Header]
    rows: Sequence[Mapping[str, Any]]
    text: Callable[[], Sequence[str]] | None = None


def facts_answer(
    schema: str, data: Mapping[str, Any], text: Callable[[], Sequence[str]] | None = None
) -> Answer:
    """An answer of single facts: its table has a row for each."""
    rows = [{"what": name, "value": value} for name, value in _flat(data)]
    return Answer(schema, data, (Header("what"), Header("value")), rows, text)


def result_data(result: Any) -> dict[str, Any]:
    """The data of a result of the library without the name of its schema: an answer has its own."""
    return {name: value for name, value in result.to_dict().items() if name != "schema"}


def column_rows(columns: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Columns as a list of rows."""
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def print_answer(answer: Answer, form: str) -> None:
    """Print an answer on stdout: text in its encoding, anything for machines in UTF-8."""
    lines = _LINES[form](answer)
    if form != "text":
        write_bytes(lines)
        return
    for line in lines:
        click.echo(line, file=sys.stdout, color=True)  # colours were decided when the line was made


def write_bytes(lines: Sequence[str]) -> None:
    """Lines on stdout in UTF-8, whatever the terminal's encoding: what machines read must not lose a sign."""
    sys.stdout.flush()
    sys.stdout.buffer.write(("\n".join(lines) + "\n").encode("utf-8", errors="surrogateescape"))
    sys.stdout.buffer.flush()


def plain(value: Any) -> Any:
    """A value as JSON can hold it: numbers of numpy as Python's, what is no number as null.

    >>> plain({"a": (1.0, math.nan)})
    {'a': [1.0, None]}
    """
    if isinstance(value, Mapping):
        return {str(name): plain(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, (str, bool, int)):
        return value
    return str(value)


def json_text(schema: str, data: Mapping[str, Any]) -> str:
    """The answer as one line of JSON."""
    return json.dumps({"schema": f"hornbeam/{schema}", **plain(data)}, ensure_ascii=False)


def _flat(data: Mapping[str, Any], before: str = "") -> list[tuple[str, Any]]:
    """Single facts by their path; lists as JSON."""
    facts: list[tuple[str, Any]] = []
    for name, value in data.items():
        if isinstance(value, Mapping):
            facts += _flat(value, f"{before}{name}.")
        else:
            if isinstance(value, (list, tuple)):
                value = json.dumps(plain(value), ensure_ascii=False)
            facts.append((f"{before}{name}", value))
    return facts


def _text(answer: Answer) -> Sequence[str]:
    return text_lines(answer.headers, answer.rows) if answer.text is None else answer.text()


_LINES: Mapping[str, Callable[[Answer], Sequence[str]]] = {
    "text": _text,
    "json": lambda answer: [json_text(answer.schema, answer.data)],
    "csv": lambda answer: csv_lines(answer.headers, answer.rows),
    "markdown": lambda answer: markdown_lines(answer.headers, answer.rows),
}


# ---- rows under headers ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Header:
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
    """The leaves, the depth and the reading size of a tree as words of a line.

    >>> size_words({"leaves": 1, "depth": 0, "reading_size": 1})
    [('1', 'number'), ' leaf, depth ', ('0', 'number'), ', reading size ', ('1', 'number')]
    """
    leaves = " leaf, depth " if size["leaves"] == 1 else " leaves, depth "
    words: list[Any] = [(str(size["leaves"]), "number"), leaves, (str(size["depth"]), "number")]
    return [*words, ", reading size ", (str(size["reading_size"]), "number")]


def explained_size(size: Mapping[str, Any], stream: TextIO) -> list[Any]:
    """The same with what the reading size counts, where there is room to say so."""
    is_narrow = (width_of(stream) or _NARROW) < _NARROW
    return size_words(size) + ([] if is_narrow else [(" (tests and answers)", "dim")])


def text_lines(headers: Sequence[Header], rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Aligned columns below dim headers; numbers on the right."""
    coloured, is_ascii = wants_colour(sys.stdout), charset_of(sys.stdout) == "ascii"
    cells = [[header.title for header in headers]]
    cells += [[_spelled(header, row.get(header.entry)) for header in headers] for row in rows]
    if is_ascii:
        cells = [[cell.translate(ASCII_SIGNS) for cell in row] for row in cells]
    widths = [max(map(cell_width, column)) for column in zip(*cells, strict=True)]
    right = [_is_number(header, rows) for header in headers]
    first, *others = [[_padded(*cell) for cell in zip(row, widths, right, strict=True)] for row in cells]
    lines = [paint("  ".join(first).rstrip(), "dim", on=coloured)]
    for row in others:
        row[-1] = row[-1].rstrip()  # blanks at the end of a line would begin another in a narrow terminal
        styled = [paint(text, header.style, on=coloured) for text, header in zip(row, headers, strict=True)]
        lines.append("  ".join(styled).rstrip())
    return lines


_NARROW = 60  # characters of a terminal
_REMARKS = 20  # where remarks that go on in the next line begin


def narrow_lines(text: str) -> list[str]:
    """Lines whose last remarks go on in the next line where the terminal is too narrow for them."""
    width, lines = width_of(sys.stdout), list[str]()
    for line in styled_line(sys.stdout, text).splitlines():
        remarks = list[str]()
        while width is not None and len(line) > width and "    " in line[_REMARKS:].strip():
            line, _, remark = line.rpartition("    ")
            remarks.insert(0, remark)
        lines += [line, " " * _REMARKS + "    ".join(remarks)] if remarks else [line]
    return lines


def csv_lines(headers: Sequence[Header], rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Comma-separated values, numbers in full."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow([head.entry for head in headers])
    for row in rows:
        writer.writerow([_exact(row.get(head.entry)) for head in headers])
    return written.getvalue().splitlines()


def markdown_lines(headers: Sequence[Header], rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """A table of Markdown."""
    right = [_is_number(head, rows) for head in headers]
    lines = [[head.title or head.entry for head in headers]]
    lines.append(["---:" if at_right else "---" for at_right in right])
    lines += [[_spelled(head, row.get(head.entry)) for head in headers] for row in rows]
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


def _spelled(head: Header, value: Any) -> str:
    text = (head.spell or short)(value)
    return " ".join(text.split("\n")) if "\n" in text else text


def _exact(value: Any) -> Any:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return repr(value) if isinstance(value, float) else value


def _is_number(head: Header, rows: Sequence[Mapping[str, Any]]) -> bool:
    values = [row.get(head.entry) for row in rows]
    known = [v for v in values if v is not None]
    return bool(known) and all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in known)


def _padded(text: str, width: int, at_right: bool) -> str:  # noqa: FBT001 (called with a row of flags)
    space = " " * (width - cell_width(text))
    return space + text if at_right else text + space


# ---- bars: length says it; an eighth of a block is the finest step, a # where blocks cannot be printed


_EIGHTHS = " ▏▎▍▌▋▊▉█"
_HEIGHTS = "▁▂▃▄▅▆▇█"
_ASCII_HEIGHTS = "_.-=+*%#"


def bar(share: float, width: int) -> str:
    """A bar of a share of the width, on stdout's characters.

    >>> bar(0.5, 4) in ("██", "##")
    True
    """
    share = min(max(share, 0.0), 1.0)
    if charset_of(sys.stdout) == "ascii":
        return "#" * round(share * width)
    eighths = round(share * width * 8)
    return "█" * (eighths // 8) + (_EIGHTHS[eighths % 8] if eighths % 8 else "")


def sparkline(values: Sequence[float]) -> str:
    """One character of a height for each value.

    >>> sparkline([1.0, 2.0]) in ("▁█", "_#")
    True
    """
    heights = _ASCII_HEIGHTS if charset_of(sys.stdout) == "ascii" else _HEIGHTS
    known = [v for v in values if v == v]
    if not known:
        return ""
    low, span = min(known), (max(known) - min(known)) or 1.0
    return "".join(" " if v != v else heights[round((v - low) / span * (len(heights) - 1))] for v in values)


def tree_text(tree: Any, *, full: bool = False, **options: Any) -> str:
    """A tree as `hb.show` prints it, as the terminal can: its letters, colours and, unless `full`, width."""
    from hornbeam.reading.line_widths import NARROWEST
    from hornbeam.reading.show import show

    width = None if full else width_of(sys.stdout)
    return show(
        tree,
        charset=charset_of(sys.stdout),
        width=None if width is None else max(width, NARROWEST),
        color="always" if wants_colour(sys.stdout) else "never",
        **options,
    )
