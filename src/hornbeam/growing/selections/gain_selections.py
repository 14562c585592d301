"""Selections that compare what columns gain: the best score, C4.5's guard, gains weighed by prices."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from hornbeam._base.parameters import check_above, is_number
from hornbeam.data.columns import Column
from hornbeam.growing.part import Part, check_whole, no_such_column

_CORRECTIONS: Mapping[str | None, int] = {None: 0, "code": 1, "paper": 2}
_FORMULAS: Mapping[str, int] = {"tan-schlimmer": 2, "nunez": 3}


class Selection(Part):
    """How the winning split is picked among the candidates of a node."""

    method: ClassVar[str] = "core"  # the method of growing that can do it

    def check_criterion(self, criterion: Any) -> None:
        """Raise a ValueError if the choice does not go with the criterion."""

    def core(self, columns: Sequence[Column]) -> dict[str, Any]:  # noqa: ARG002 (the same for all columns)
        """The choice as the core reads it."""
        return {"kind": 0}


class Best(Selection):
    """The best score wins; within 1e-12 of the node's impurity the first column, then the first cut.

    Examples
    --------
    >>> import hornbeam as hb
    >>> robots = hb.datasets.load("robots")
    >>> model = hb.TreeClassifier("entropy", selection="best", split="multiway").fit(robots.X, robots.y)
    >>> model.tree_.columns[model.tree_.column[0]].name
    'body'
    """

    name, about = "best", "the best score over all columns"


@dataclass(eq=False, repr=False)
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

    min_branch: float = 2
    n_branches: int = 2
    correction: str | None = "code"

    def check(self) -> None:
        """Raise if a number is out of its range."""
        check_above("min_branch", self.min_branch, 0, "cases that a branch holds")
        check_whole("n_branches", self.n_branches, 1)
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
        if not criterion.task.is_classes:
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
            "n_branches": min(int(self.n_branches), 2**31 - 1),
        }


@dataclass(eq=False, repr=False)
class PriceAware(Selection):
    """The gain of a test is weighed against the price of its column.

    ================  ==================================  ==========================
    formula           score                               prices
    ================  ==================================  ==========================
    "tan-schlimmer"   gain^2 / price                      from 0 to 1
    "nunez"           (2^gain - 1) / (price + 1)^w        0 or more
    ================  ==================================  ==========================

    At price 0 Tan and Schlimmer's score is infinite if the test gains anything, else 0.

    Parameters
    ----------
    prices : dict from column name to price
    formula : "tan-schlimmer" or "nunez"
    w : float from 0 to 1
        How much the price counts in "nunez": 0 not at all, 1 fully.
    default : float
        The price of a column that `prices` does not name.

    Notes
    -----
    It goes with every criterion that is a gain: all but "gain-ratio". `Tree.gain` keeps the gain itself.

    Examples
    --------
    >>> import hornbeam as hb
    >>> tennis = hb.datasets.load("tennis")
    >>> prices = {"Outlook": 0.9, "Temperature": 0.1, "Humidity": 0.3, "Wind": 0.1}
    >>> cheap = hb.TreeClassifier("entropy", PriceAware(prices), split="multiway", max_depth=1)
    >>> cheap.fit(tennis.X, tennis.y).tree_.text()
    'Humidity[High: No(4:3) | Normal: Yes(1:6)]'
    >>> round(PriceAware(prices).score(0.246750, "Outlook"), 6)
    0.067651
    """

    name, about = "price-aware", "gain against the price of the column"

    prices: Mapping[str, float] | None = None
    formula: str = "tan-schlimmer"
    w: float = 1.0
    default: float = 1.0

    def check(self) -> None:
        """Raise if a price is out of its range."""
        if not isinstance(self.formula, str) or self.formula not in _FORMULAS:
            raise ValueError(f"formula={self.formula!r} must be 'tan-schlimmer' or 'nunez'")
        if self.prices is not None and not isinstance(self.prices, Mapping):
            raise TypeError(f"prices={self.prices!r} must be a dict from column name to price")
        if not is_number(self.w) or not 0 <= self.w <= 1:
            raise ValueError(f"w={self.w!r} must be a number from 0 to 1")
        most = 1.0 if self.formula == "tan-schlimmer" else math.inf
        words = "from 0 to 1" if most == 1 else "of 0 or more"
        for what, price in [("default", self.default), *self._named()]:
            if not is_number(price) or not 0 <= price <= most or math.isinf(price):
                raise ValueError(f"{what}={price!r} must be a price {words} for formula={self.formula!r}")

    def _named(self) -> list[tuple[str, Any]]:
        return [(f"prices[{name!r}]", price) for name, price in (self.prices or {}).items()]

    def check_criterion(self, criterion: Any) -> None:
        """Raise for a criterion that is no gain."""
        if criterion.name == "gain-ratio":
            raise ValueError(
                "selection=PriceAware(...) weighs a gain against a price, and criterion='gain-ratio' is no"
                " gain: use criterion='entropy'"
            )

    def price(self, column: str) -> float:
        """The price of a column."""
        return float((self.prices or {}).get(column, self.default))

    def score(self, gain: float, column: str) -> float:
        """What a test of `column` that gains `gain` is ranked by."""
        self.check()
        price = self.price(column)
        if self.formula == "nunez":
            bits = gain * math.log(2.0)
            return math.expm1(bits) / (price + 1.0) ** self.w if bits < 700 else math.inf
        if price > 0:
            return gain * gain / price
        return math.inf if gain > 0 else 0.0

    def core(self, columns: Sequence[Column]) -> dict[str, Any]:
        """The choice as the core reads it; a price for each column."""
        names = [column.name for column in columns]
        for name in self.prices or {}:
            if name not in names:
                raise no_such_column("prices names the column", name, names)
        return {
            "kind": _FORMULAS[self.formula],
            "price": [self.price(name) for name in names],
            "w": float(self.w),
        }
