"""Stages: one progress over several pieces of work that follow each other.

One idea: each piece is told of as an equal share of the whole, so that a bar never goes back.
"""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[float], object]  # takes the share that is done, from 0 to 1; true means: stop


class Stages:
    """One progress over `n` pieces of work.

    >>> seen = []
    >>> stages = Stages(seen.append, 2)
    >>> for share in (0.0, 1.0):
    ...     stages.next()(share)
    >>> seen
    [0.0, 1.0]
    """

    def __init__(self, progress: Progress | None, n: int) -> None:
        if progress is not None and not callable(progress):
            raise TypeError(f"progress={progress!r} must be a function of the share that is done, or None")
        self.progress, self.n, self.done = progress, n, 0

    def next(self) -> Progress | None:
        """The progress of the next piece."""
        before, progress = self.done, self.progress
        self.done += 1
        if progress is None:
            return None
        return lambda share: progress((before + share) / self.n)
