"""C4.5's guard: only a column that gains at least the mean may win by its gain ratio (R60, R61)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any

from hornbeam.data.columns import Column
from hornbeam.growing.selections.base import Selection

_CORRECTIONS: Mapping[str | None, int] = {None: 0, "code": 1, "paper": 2}


class AverageGain(Selection):
    """As C4.5 chooses: the best gain ratio among the columns whose gain is at least the mean gain.

    Every column brings its test of the largest gain. A test is possible if `n_branches` of its branches
    hold `min_branch` cases; a threshold also leaves on either side a tenth of the known cases divided by
    the number of classes, at least `min_branch` and at most 25. The mean is taken over the possible tests,
    without nominal columns of very many values (0.3 times the rows or more) unless all columns are such. A
    test within 0.001 of the mean passes. With a criterion other than "gain-ratio" the largest gain wins,
    with the same guards. A node where no test is worth more than nothing is a leaf.

    Parameters
    ----------
    min_branch : float
        Cases that a branch must hold to count (C4.5's MINOBJS).
    n_branches : int
        How many branches must hold them.
    correction : "code", "paper" or None
        What a threshold pays for being one of many: log2(cuts tried) / cases, as release 8 of C4.5 computes
        it; log2(distinct values - 1) / cases, as its paper has it (Quinlan 1996); or nothing.

    Notes
    -----
    Cases are rows, or their fractions where `missing="fractional"`; `sample_weight` is scaled so that the
    whole table has as many cases as rows.

    Examples
    --------
    >>> import hornbeam as hb
    >>> X = {"A": ["a1", "a1", "a1", "a2", "a2"], "B": ["b1", "b2", "b2", "b2", "b2"]}
    >>> y, counts = ["p", "p", "n", "p", "n"], [2, 5, 3, 3, 7]
    >>> model = hb.TreeClassifier("gain-ratio", AverageGain(), split="multiway", max_depth=1)
    >>> model.fit(X, y, counts=counts).tree_.text()  # B has the larger ratio, but less than the mean gain
    'A[a1: p(3:7) | a2: n(7:3)]'
    """

    name, about = "average-gain", "C4.5: gain ratio among columns of at least mean gain"

    def __init__(self, min_branch: float = 2, n_branches: int = 2, correction: str | None = "code") -> None:
        self.min_branch = min_branch
        self.n_branches = n_branches
        self.correction = correction

    def check(self) -> None:
        """Raise if a number is out of its range."""
        given: Any = self.min_branch
        if isinstance(given, bool) or not isinstance(given, Real) or not 0 < float(given) < math.inf:
            raise ValueError(f"min_branch={given!r} must be a number above 0: cases that a branch holds")
        n: Any = self.n_branches
        if isinstance(n, bool) or not isinstance(n, Integral) or n < 1:
            raise ValueError(f"n_branches={self.n_branches!r} must be a whole number of at least 1")
        if not isinstance(self.correction, str | None) or self.correction not in _CORRECTIONS:
            raise ValueError(f"correction={self.correction!r} must be 'code', 'paper' or None")

    @staticmethod
    def corrected(gain: float, choices: int, cases: float) -> float:
        """The gain of a threshold that is one of `choices`, after its charge: gain - log2(choices) / cases.

        The choices are the cuts tried ("code") or the distinct values less one ("paper"). A threshold that
        is left with nothing is no candidate.

        >>> round(AverageGain.corrected(0.311278, 5, 8), 6)
        0.021037
        """
        if choices < 1 or not cases > 0:
            raise ValueError(f"choices={choices!r} and cases={cases!r} must be at least 1, and above 0")
        return gain - math.log2(choices) / cases

    def check_criterion(self, criterion: Any) -> None:
        """Raise for a real target: the charge for a threshold is in bits of classes."""
        if criterion.task != "classes":
            raise ValueError(
                f"selection='average-gain' goes with classes, not with criterion={criterion.name!r}:"
                " use selection='best'"
            )

    def core(self, columns: Sequence[Column]) -> dict[str, Any]:  # noqa: ARG002 (the same for all columns)
        """The choice as the core reads it."""
        return {
            "kind": 1,
            "correction": _CORRECTIONS[self.correction],
            "min_branch": float(self.min_branch),
            "n_branches": int(self.n_branches),
        }
