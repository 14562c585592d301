"""Talk: what a run says on stderr beside its answer, and how both may look.

One idea: colour is a property of a stream, decided once: what was asked for (--color), what the environment
says (NO_COLOR, FORCE_COLOR, TERM=dumb), whether it is a terminal. Styles are plain ANSI codes, so that
printing needs no library.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TextIO

import click

# Words, not colours, are used elsewhere; the terminal's own palette keeps them readable on light and dark.
STYLES = {
    "strong": "1",
    "dim": "2",
    "number": "1;36",
    "good": "32",
    "bad": "1;31",
    "missing": "35",
    "bar": "34",
    "error": "1;31",
    "warning": "33",
}

_asked: dict[str, str] = {"color": "auto"}  # what --color said in this run


def paint(text: str, style: str, *, on: bool) -> str:
    """Text in a style, if colour is on.

    >>> len(paint("14", "number", on=True)), paint("14", "number", on=False)
    (13, '14')
    """
    return f"\x1b[{STYLES[style]}m{text}\x1b[0m" if on and text else text


def ask_for_colour(when: str) -> None:
    """Remember what --color said."""
    _asked["color"] = when


def wants_colour(stream: TextIO) -> bool:
    """Whether a stream gets colours."""
    if _asked["color"] != "auto":
        return _asked["color"] == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return os.environ.get("TERM") != "dumb" and is_terminal(stream)


def is_terminal(stream: TextIO) -> bool:
    """Whether a person may be looking at the stream."""
    return hasattr(stream, "isatty") and stream.isatty()


def charset_of(stream: TextIO) -> str:
    """The characters a stream can carry: "unicode" if its encoding is one of Unicode, else "ascii"."""
    encoding = (getattr(stream, "encoding", None) or "ascii").lower().replace("-", "").replace("_", "")
    return "unicode" if encoding.startswith("utf") else "ascii"


def width_of(stream: TextIO) -> int | None:
    """The columns of a terminal, or what COLUMNS says; None where lines may be as long as they like."""
    said = os.environ.get("COLUMNS", "")
    if said.isdigit() and int(said) > 0:
        return int(said)
    return shutil.get_terminal_size().columns if is_terminal(stream) else None


ASCII_WORDS = str.maketrans(
    {"✓": "*", "×": "x", "·": "-", "–": "-", "→": ">", "±": "~", "…": ".", "▸": ">", "²": "2"}
)


@dataclass(frozen=True)
class Talk:
    """What a command says to the person who called it; the answer itself goes to stdout."""

    quiet: bool = False
    verbose: bool = False

    @property
    def coloured(self) -> bool:
        """Whether stderr is coloured."""
        return wants_colour(sys.stderr)

    def say(self, *words: str | tuple[str, str]) -> None:
        """A line of words; a pair is a text with its style. Nothing with --quiet."""
        if not self.quiet:
            write_line(sys.stderr, *words)

    def detail(self, *words: str | tuple[str, str]) -> None:
        """A line that is said with --verbose only."""
        if self.verbose:
            self.say(*words)

    def warn(self, sentence: str) -> None:
        """A warning; said even with --quiet."""
        write_line(sys.stderr, ("warning: ", "warning"), sentence)


def write_line(stream: TextIO, *words: str | tuple[str, str]) -> None:
    """One line of words to a stream, in its colours and characters."""
    click.echo(line_of(stream, *words), file=stream, color=wants_colour(stream))


def lines_of(stream: TextIO, groups: Sequence[Sequence[Any]], gap: str = "   ") -> list[str]:
    """Groups of words in one line if the terminal is wide enough, else a line for each."""
    length = sum(len(w if isinstance(w, str) else w[0]) for group in groups for w in group)
    width = width_of(stream)
    if width is None or length + len(gap) * (len(groups) - 1) <= width:
        return [gap.join(line_of(stream, *group) for group in groups)]
    return [("  " if k else "") + line_of(stream, *group) for k, group in enumerate(groups)]


def line_of(stream: TextIO, *words: Any) -> str:
    """Words as the stream can carry them."""
    on = wants_colour(stream)
    text = "".join(word if isinstance(word, str) else paint(word[0], word[1], on=on) for word in words)
    return text if charset_of(stream) == "unicode" else text.translate(ASCII_WORDS)
