"""The terminal: colours, widths and characters of a stream, messages on stderr, progress bars.

One idea: colour is a property of a stream, decided once: by --color, by the environment (NO_COLOR,
FORCE_COLOR, TERM=dumb), by whether it is a terminal. Styles are plain ANSI codes.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import textwrap
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self, TextIO

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

_options = {"color": "auto"}  # what --color says in this run


def paint(text: str, style: str | None, *, on: bool) -> str:
    """Text in a style, if there is one and colour is on.

    >>> len(paint("14", "number", on=True)), paint("14", "number", on=False)
    (13, '14')
    """
    return f"\x1b[{STYLES[style]}m{text}\x1b[0m" if on and style and text else text


def set_colour(when: str) -> None:
    """Remember what --color says."""
    _options["color"] = when


def wants_colour(stream: TextIO) -> bool:
    """Whether a stream gets colours."""
    if _options["color"] != "auto":
        return _options["color"] == "always"
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
    columns = os.environ.get("COLUMNS", "")
    if columns.isdigit() and int(columns) > 0:
        return int(columns)
    return shutil.get_terminal_size().columns if is_terminal(stream) else None


# What is printed for signs that an encoding other than Unicode lacks.
ASCII_SIGNS = str.maketrans("✓×·–→±…▸²━╌", "*x-->~.>2#-")


@dataclass(frozen=True)
class Messages:
    """What a command tells the person who called it, on stderr; the answer itself goes to stdout."""

    quiet: bool = False
    verbose: bool = False

    def info(self, *words: str | tuple[str, str]) -> None:
        """A line of words; a pair is a text with its style. Nothing with --quiet."""
        if not self.quiet:
            write_line(sys.stderr, *words)

    def sentence(self, label: str, text: str) -> None:
        """A sentence behind a label, broken between words where the terminal ends."""
        room = max((width_of(sys.stderr) or 10**6) - len(label), 20)
        for k, line in enumerate(textwrap.wrap(text, room)):
            self.info(((" " * len(label) if k else label) + line, "dim"))

    def detail(self, *words: str | tuple[str, str]) -> None:
        """A line that is printed with --verbose only."""
        if self.verbose:
            self.info(*words)

    def warn(self, sentence: str) -> None:
        """A warning; printed even with --quiet."""
        write_line(sys.stderr, ("warning: ", "warning"), sentence)


def write_line(stream: TextIO, *words: str | tuple[str, str]) -> None:
    """One line of words to a stream, in its colours and characters."""
    click.echo(styled_line(stream, *words), file=stream, color=wants_colour(stream))


def fit_lines(stream: TextIO, groups: Sequence[Sequence[Any]], gap: str = "   ") -> list[str]:
    """Groups of words in one line if the terminal is wide enough, else a line for each."""
    length = sum(len(w if isinstance(w, str) else w[0]) for group in groups for w in group)
    width = width_of(stream)
    if width is None or length + len(gap) * (len(groups) - 1) <= width:
        return [gap.join(styled_line(stream, *group) for group in groups)]
    return [("  " if k else "") + styled_line(stream, *group) for k, group in enumerate(groups)]


def styled_line(stream: TextIO, *words: Any) -> str:
    """Words as the stream can carry them."""
    on = wants_colour(stream)
    text = "".join(word if isinstance(word, str) else paint(word[0], word[1], on=on) for word in words)
    return text if charset_of(stream) == "unicode" else text.translate(ASCII_SIGNS)


# ---- progress --------------------------------------------------------------------------------------------
#
# A bar appears when half a second has passed, so short work leaves no trace; with --verbose and no terminal,
# one line is printed for every doubling of the share that is done.


PATIENCE = 0.5  # seconds without a bar
_PAUSE = 0.1  # seconds between two drawings of it
_BAR_WIDTH = 40


class _StatusLine:
    """A line on stderr that is drawn over and over while work goes on, and erased in the end."""

    def __init__(self, messages: Messages, what: str) -> None:
        self._messages, self._what = messages, what
        self._start = self._drawn_at = time.monotonic()
        self._is_shown = is_terminal(sys.stderr) and os.environ.get("TERM") != "dumb" and not messages.quiet
        self._is_drawn = False

    @property
    def seconds(self) -> float:
        """Since the work began."""
        return time.monotonic() - self._start

    def _draw(self, *words: str | tuple[str, str]) -> None:
        now = time.monotonic()
        if self._is_shown and now - self._start > PATIENCE and now - self._drawn_at > _PAUSE:
            sys.stderr.write(f"\r{styled_line(sys.stderr, *words)}\x1b[K")
            sys.stderr.flush()
            self._is_drawn, self._drawn_at = True, now

    def _erase(self) -> None:
        if self._is_drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


class Progress(_StatusLine):
    """Shows how far one piece of work is; `Progress(...)` is a context, called with shares from 0 to 1."""

    def __init__(self, messages: Messages, what: str) -> None:
        super().__init__(messages, what)
        self._logged = self._last = 0.0  # the share of the last line, and of the last call
        self._tree = 1
        self._inside = self._stopped = False
        self._handler: Any = None

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._handler = signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __call__(self, share: float) -> bool:
        """Take the share that is done; the answer is whether the work is to stop."""
        self._inside = True
        try:
            self._show(share)
        finally:
            self._inside = False
        return self._stopped

    def _interrupt(self, number: int, frame: Any) -> None:  # noqa: ARG002 (a handler's signature)
        """Ctrl-C: while a share is taken, the work learns of it from the answer and keeps its tree."""
        if not self._inside or self._stopped:
            raise KeyboardInterrupt
        self._stopped = True

    def _show(self, share: float) -> None:
        if share < self._last - 0.5:
            self._tree += 1  # a second tree, as cross-validation grows them
        self._last = share
        if self._is_shown:
            label, percent = f"{self._label()} ", f" {100 * share:3.0f} % {self.seconds:.0f} s"
            width = min(_BAR_WIDTH, (width_of(sys.stderr) or 80) - len(label) - len(percent) - 1)
            done = "━" * round(share * max(width, 0))
            self._draw(label, (done, "bar"), ("╌" * (width - len(done)), "dim"), percent)
        elif self._messages.verbose and share >= max(2 * self._logged, 0.01):
            self._logged = share
            self._messages.detail((f"{self._label()}  {100 * share:.0f} %", "dim"))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._handler is not None:
            signal.signal(signal.SIGINT, self._handler)
        self._erase()
        if error is None:
            return
        from hornbeam.growing.interruption import GrowthInterrupted, GrowthKeyboardInterrupt

        done = f" ({100 * self._last:.0f} % done)" if self._last > 0 else ""
        sentence = f"interrupted while {self._label()}{done}: there is no answer"
        if isinstance(error, GrowthInterrupted):  # the answer to a growth that asked was Ctrl-C
            raise GrowthKeyboardInterrupt(sentence, error.tree, error.trees) from None
        if isinstance(error, KeyboardInterrupt):
            error.args = (sentence,)

    def _label(self) -> str:
        return self._what if self._tree == 1 else f"{self._what} (tree {self._tree})"


class RowCount(_StatusLine):
    """Shows how many rows are done, where nobody knows how many there will be; a context.

    `printing` says that the answer goes to stdout: nothing is shown if that is the terminal.
    """

    def __init__(self, messages: Messages, what: str, *, printing: bool) -> None:
        super().__init__(messages, what)
        self._is_shown = self._is_shown and not (printing and is_terminal(sys.stdout))
        self.n_rows = 0

    def __enter__(self) -> Self:
        return self

    def pieces(self, pieces: Iterable[Any]) -> Iterator[Any]:
        """The pieces of a table, as Arrow tables, whose rows are counted when the next piece is taken."""
        for piece in pieces:
            yield piece
            self.n_rows += piece.num_rows
            self._draw(f"{self._what}  {self.n_rows:,} rows")

    def __exit__(self, *_: object) -> None:
        self._erase()
