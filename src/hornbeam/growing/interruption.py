"""Growth that ends before it is finished: who stopped it, what is left of it, and limits of time.

One idea: whoever watches a growth is asked now and then whether to go on. The answer is kept, so that a stop
which nobody asked for is known to be Ctrl-C. What was grown so far is never lost: the exception carries it,
and `fit` leaves an estimator that is fitted with it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Any

from hornbeam._base.parameters import Progress, check_above, warn_user
from hornbeam.tree.tree import Tree


class GrowthStopped(BaseException):
    """The base class of both exceptions of a growth that was stopped; users catch one of the two.

    `tree` is the tree so far: nodes that were still open are leaves of it, so it can be shown and used. Where
    a forest was growing, `trees` are its trees that are finished, and `tree` is the first of them, or a tree
    so far.
    """

    def __init__(self, message: str, tree: Tree, trees: Sequence[Tree] = ()) -> None:
        super().__init__(message)
        self.tree = tree
        self.trees = trees

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.tree, self.trees)


class GrowthInterrupted(GrowthStopped, RuntimeError):  # noqa: N818 (nothing went wrong)
    """Growing was stopped by the progress callback; `tree` is the tree so far.

    It is an ordinary exception. Ctrl-C raises a KeyboardInterrupt that carries the tree as well. Either way
    the estimator is fitted with the tree so far, and its `partial_` is True. Where a forest was growing,
    `trees` are its trees that are finished.

    Examples
    --------
    >>> import hornbeam as hb, numpy as np
    >>> X = np.random.default_rng(0).normal(size=(300_000, 5))
    >>> model = hb.TreeRegressor()
    >>> try:
    ...     model.fit(X, X[:, 0] * X[:, 1], progress=lambda share: True)
    ... except hb.GrowthInterrupted as stopped:
    ...     print(model.partial_, model.tree_ == stopped.tree)
    True True
    """


class GrowthKeyboardInterrupt(GrowthStopped, KeyboardInterrupt):
    """Growing was stopped by Ctrl-C; `tree` is the tree so far, and the estimator is fitted with it.

    Users catch it as `KeyboardInterrupt`, so it is no public name: `except Exception` and
    `except hb.GrowthInterrupted` do not catch it.

    Examples
    --------
    >>> issubclass(GrowthKeyboardInterrupt, KeyboardInterrupt), issubclass(GrowthKeyboardInterrupt, Exception)
    (True, False)
    """


class PartialFitWarning(UserWarning):
    """The time limit of an estimator was over before its growth was finished.

    Examples
    --------
    >>> import hornbeam as hb, warnings
    >>> warnings.simplefilter("ignore", hb.PartialFitWarning)  # where partial trees are expected
    """


class Watcher:
    """A progress callback that remembers whether its answer was to stop, and is told no smaller share.

    Several trees may be grown one after the other, each from 0 to 1: what is told must not run backwards.

    >>> watcher = Watcher(lambda share: share > 0.5)
    >>> watcher(0.2), watcher(0.7), watcher.has_stopped
    (False, True, True)
    """

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._most = 0.0
        self.has_stopped = False

    def __call__(self, share: float) -> bool:
        """Ask the callback; the answer is whether to stop."""
        self._most = max(self._most, share)
        self.has_stopped = bool(self._progress(self._most))
        return self.has_stopped


def watched(progress: Progress | None) -> Watcher | None:
    """The callback as a Watcher, unless it is one; None stays None."""
    if progress is None or isinstance(progress, Watcher):
        return progress
    if not callable(progress):
        raise TypeError(
            f"progress={progress!r} must be a function of the share that is done, which answers whether to"
            " stop; None watches nothing"
        )
    return Watcher(progress)


def check_stopped(watcher: Watcher | None, tree: Tree) -> None:
    """Between two growths: raise if the answer at the end of the first was to stop.

    Small tables are grown before anybody asks, and many of them may follow each other.
    """
    if watcher is not None and watcher.has_stopped:
        raise GrowthInterrupted("growing was interrupted between two trees; `tree` is the first", tree)


def stop_growth(watcher: Watcher | None, message: str, tree: Tree, trees: Sequence[Tree] = ()) -> None:
    """Raise what an interrupted growth raises: it was the callback, or else Ctrl-C."""
    by_callback = watcher is not None and watcher.has_stopped
    raise (GrowthInterrupted if by_callback else GrowthKeyboardInterrupt)(message, tree, trees)


def clock() -> float:
    """Seconds of a clock that never goes back."""
    return time.monotonic()


class TimeLimit:
    """The time an estimator may take to fit, together with the callback of its caller.

    `progress` is what growing asks: the callback first, then the clock. `is_over` tells that the clock was
    the one to stop it.
    """

    def __init__(self, seconds: float | None, progress: Progress | None) -> None:
        if seconds is not None:
            check_above("time_limit", seconds, 0, "seconds after which growth is stopped; None is no limit")
        self._progress = progress
        self._end = math.inf if seconds is None else clock() + seconds
        self.is_over = False
        self.progress: Progress | None = progress if seconds is None else self._ask

    def _ask(self, share: float) -> bool:
        stops = self._progress is not None and bool(self._progress(share))
        self.is_over = not stops and clock() >= self._end
        return stops or self.is_over

    def end_fit(self, stopped: GrowthStopped | None, more: str = "") -> None:
        """At the end of `fit`: warn where the time was over, raise what else stopped the growth.

        `more` ends the warning: what there was no time for.
        """
        if stopped is None:
            return
        if not (self.is_over and isinstance(stopped, GrowthInterrupted)):
            raise stopped
        warn_user(
            "time_limit was over before growth was finished: the model answers with what was grown so far,"
            f" and its partial_ is True{more}",
            PartialFitWarning,
        )
