"""Progress: a bar on a terminal for work that lasts, nothing otherwise.

One idea: the bar appears when half a second has passed, so short work leaves no trace; with --verbose and no
terminal one line is said for every doubling of the share that is done.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from hornbeam.cli.terminal import Talk, is_terminal

PATIENCE = 0.5  # seconds without a bar


class Progress:
    """Shows how far one piece of work is; `Progress(...)` is a context, called with shares from 0 to 1."""

    def __init__(self, talk: Talk, what: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._talk, self._what, self._clock = talk, what, clock
        self._start = clock()
        lively = is_terminal(sys.stderr) and os.environ.get("TERM") != "dumb"
        self._shown = lively and not talk.quiet
        self._said = 0.0
        self._bar: Any = None
        self._task: Any = None
        self._round = 1
        self._last = 0.0
        self._inside = self._stopped = False
        self._before: Any = None

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._interrupted)
        return self

    def __call__(self, share: float) -> bool:
        """Take the share that is done; the answer is whether the work is to stop."""
        self._inside = True
        try:
            self._told(share)
        finally:
            self._inside = False
        return self._stopped

    def _interrupted(self, number: int, frame: Any) -> None:  # noqa: ARG002 (a handler's signature)
        """Ctrl-C: while a share is being told, the work hears of it as an answer and keeps its tree."""
        if not self._inside or self._stopped:
            raise KeyboardInterrupt
        self._stopped = True

    def _told(self, share: float) -> None:
        if share < self._last - 0.5:
            self._round += 1  # a second tree, as cross-validation grows them
        self._last = share
        if self._shown and self._clock() - self._start > PATIENCE:
            self._draw(share)
        elif self._talk.verbose and not self._shown and share >= max(2 * self._said, 0.01):
            self._said = share
            self._talk.detail((f"{self._label()}  {100 * share:.0f} %", "dim"))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
        if self._bar is not None:
            self._bar.stop()
        if isinstance(error, KeyboardInterrupt):
            done = f" ({100 * self._last:.0f} % done)" if self._last > 0 else ""
            error.args = (f"interrupted while {self._label()}{done}: there is no answer",)

    @property
    def seconds(self) -> float:
        """Since the work began."""
        return self._clock() - self._start

    def _label(self) -> str:
        return self._what if self._round == 1 else f"{self._what} (tree {self._round})"

    def _draw(self, share: float) -> None:
        if self._bar is None:
            self._bar = _rich_bar(self._talk)
            self._task = self._bar.add_task(self._label(), total=1.0)
            self._bar.start()
        self._bar.update(self._task, completed=share, description=self._label())


class RowCount:
    """Shows how many rows are done, where nobody knows how many there will be; a context, to be called.

    `printing` says that the answer goes to stdout: nothing is shown if that is the terminal.
    """

    def __init__(self, talk: Talk, what: str, *, printing: bool) -> None:
        self._what, self._start = what, time.monotonic()
        lively = is_terminal(sys.stderr) and os.environ.get("TERM") != "dumb"
        self._shown = lively and not talk.quiet and not (printing and is_terminal(sys.stdout))
        self._drawn = False

    def __enter__(self) -> Self:
        return self

    def __call__(self, n_rows: int) -> None:
        """Take the number of rows that are done."""
        if self._shown and time.monotonic() - self._start > PATIENCE:
            sys.stderr.write(f"\r{self._what}  {n_rows:,} rows\x1b[K")
            sys.stderr.flush()
            self._drawn = True

    def __exit__(self, *_: object) -> None:
        if self._drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def _rich_bar(talk: Talk) -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as RichProgress

    plain = not talk.coloured
    console = Console(
        file=sys.stderr,
        no_color=plain,
        force_terminal=True,
        legacy_windows=False,
    )
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    return RichProgress(*columns, console=console, transient=True)
