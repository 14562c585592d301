"""Columns that cost something to measure: cheap tests move towards the root (R62, R63)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

from hornbeam._base.parameters import did_you_mean
from hornbeam.data.columns import Column
from hornbeam.growing.selections.base import Selection

_FORMULAS: Mapping[str, int] = {"tan-schlimmer": 2, "nunez": 3}


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

    def __init__(
        self,
        prices: Mapping[str, float] | None = None,
        formula: str = "tan-schlimmer",
        w: float = 1.0,
        default: float = 1.0,
    ) -> None:
        self.prices = prices
        self.formula = formula
        self.w = w
        self.default = default

    def check(self) -> None:
        """Raise if a price is out of its range."""
        if not isinstance(self.formula, str) or self.formula not in _FORMULAS:
            raise ValueError(f"formula={self.formula!r} must be 'tan-schlimmer' or 'nunez'")
        if self.prices is not None and not isinstance(self.prices, Mapping):
            raise TypeError(f"prices={self.prices!r} must be a dict from column name to price")
        if not _is_number(self.w) or not 0 <= self.w <= 1:
            raise ValueError(f"w={self.w!r} must be a number from 0 to 1")
        most = 1.0 if self.formula == "tan-schlimmer" else math.inf
        words = "from 0 to 1" if most == 1 else "of 0 or more"
        for what, price in [("default", self.default), *self._named()]:
            if not _is_number(price) or not 0 <= price <= most or math.isinf(price):
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
                raise ValueError(
                    f"prices names the column {name!r}, which X does not have{did_you_mean(name, names)}:"
                    f" its columns are {', '.join(names)}"
                )
        return {
            "kind": _FORMULAS[self.formula],
            "price": [self.price(name) for name in names],
            "w": float(self.w),
        }


def _is_number(value: Any) -> bool:
    return not isinstance(value, bool) and isinstance(value, Real) and not math.isnan(value)
