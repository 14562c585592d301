"""Answers: what a command prints on stdout, in the format that is asked for.

One idea: an answer is data first: a dict for JSON, with the name and version of its schema, and rows for CSV
and Markdown. The text for people is made from the same numbers.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import click

from hornbeam.cli.text_tables import Head, csv_lines, markdown_lines, text_lines

FORMATS = ("text", "json", "csv", "markdown")


@dataclass(frozen=True)
class Answer:
    """What a command found.

    Attributes
    ----------
    schema : such as "evaluate/1"; the number changes if the meaning of an entry does
    data : everything, as JSON can hold it
    heads, rows : the same as a table, or its most useful part
    text : lines for people; made from the rows if None
    """

    schema: str
    data: Mapping[str, Any]
    heads: Sequence[Head]
    rows: Sequence[Mapping[str, Any]]
    text: Callable[[], Sequence[str]] | None = None


def facts(schema: str, data: Mapping[str, Any], text: Callable[[], Sequence[str]] | None = None) -> Answer:
    """An answer of single facts: its table has a row for each."""
    rows = [{"what": name, "value": value} for name, value in _flat(data)]
    return Answer(schema, data, (Head("what"), Head("value")), rows, text)


def give(answer: Answer, form: str) -> None:
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


def formatted(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add --format, as the parameter `form`."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(FORMATS),
        default="text",
        show_default=True,
        help="How the answer is written.",
    )(function)


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
    found: list[tuple[str, Any]] = []
    for name, value in data.items():
        if isinstance(value, Mapping):
            found += _flat(value, f"{before}{name}.")
        elif isinstance(value, (list, tuple)):
            found.append((before + name, json.dumps(plain(value), ensure_ascii=False)))
        else:
            found.append((before + name, value))
    return found


def _text(answer: Answer) -> Sequence[str]:
    return text_lines(answer.heads, answer.rows) if answer.text is None else answer.text()


_LINES: Mapping[str, Callable[[Answer], Sequence[str]]] = {
    "text": _text,
    "json": lambda answer: [json_text(answer.schema, answer.data)],
    "csv": lambda answer: csv_lines(answer.heads, answer.rows),
    "markdown": lambda answer: markdown_lines(answer.heads, answer.rows),
}
