"""What a search for optimal trees asks the core: costs of answers, or numbers and their squared errors.

All costs are whole numbers of small units, so that a proof is not a matter of rounding.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from hornbeam import _core
from hornbeam._base.types import AnyArray, Floats, Longs
from hornbeam.growing.core import Progress
from hornbeam.growing.leaves import Constant
from hornbeam.growing.missing import MissingRule
from hornbeam.growing.plan import ONE_CLASS
from hornbeam.growing.searches import Optimal
from hornbeam.growing.stepwise_growth import Growth

_ENDLESS = 1e18  # seconds
_MOST_STEPS = 10
_LARGEST = 2**48  # what all rows may cost, in units
_MOST_SQUARES = 2**49  # the same for squared errors
_MOST_BOUNDS = 2**60  # the same for their bounds: squares of the whole range
_MOST_WEIGHT = 2**20  # the same for the weights of numbers
_MOST_PRICE = 2**55  # the same for the price of a leaf
_HUGE = 1e300  # a price above which every tree is one leaf, whatever the rows
_FINEST = 20  # weights that are whole after doubling them this often are counted exactly, in small units


class LeastCost(ABC):
    """The rows of a growth as the core's search for optimal trees reads them.

    `unit` units of cost make two to the `exponent`. Of trees that cost the same the smaller one is better: a
    leaf has a price of one unit more. `parts` are numbers of each row whose sums tell what a leaf costs.
    """

    unit: float
    exponent: int
    price: int
    parts: Longs
    rounding: int = 0  # how far a sum of costs may be from the core's

    def __init__(self, growth: Growth) -> None:
        self.growth = growth
        self.columns: list[tuple[AnyArray, bool, int]] = []
        for k, column in enumerate(growth.columns):
            values, ranks = growth.ranked(k)
            codes = np.ascontiguousarray(ranks, dtype=np.int32)
            self.columns.append(
                (codes, column.kind == "nominal", max(len(values), len(column.categories), 1))
            )

    @staticmethod
    def of(growth: Growth, price: float, depth: int) -> LeastCost:
        """The problem of a growth."""
        refuse(growth)
        return LeastSquares(growth, price, depth) if growth.is_real else LeastErrors(growth, price, depth)

    @abstractmethod
    def amount(self, cost: int) -> float:
        """A cost in the units of the rows' weights."""

    @abstractmethod
    def leaf_costs(self, parts: Longs) -> Longs:
        """What leaves cost whose rows' parts have these sums."""

    @abstractmethod
    def core_costs(self, rows: Longs | slice) -> tuple[int, Any, int]:
        """The number of answers, the costs of some rows, and what no tree of them is above."""

    def solve(
        self, rows: Longs | None, depth: int, progress: Progress | None = None, **options: Any
    ) -> list[dict[str, Any]]:
        """The core's answers for some rows (None: all): one, or with `path` one for each number of leaves."""
        growth, columns, copies = self.growth, self.columns, self.growth.copies
        if rows is not None:
            columns = [(np.ascontiguousarray(codes[rows]), nominal, n) for codes, nominal, n in columns]
            copies = copies[rows]
        n_answers, costs, most = self.core_costs(slice(None) if rows is None else rows)
        asked = {
            "n_answers": n_answers,
            "price": self.price,
            "max_depth": min(depth, growth.n_rows),  # no tree is deeper
            "max_leaves": 0,
            "path": False,
            "min_rows": int(growth.plan.limits.get("min_rows_leaf", 1)),
            "upper": most,
            "seconds": _ENDLESS,
            "max_gap": 0.0,
            "memory": 2**24,
            "n_threads": growth.n_threads,
            "orders": list(growth.plan.constraints.terms),
            "means": None if rows is not None else self._ordered_means(),
        }
        asked |= options
        try:
            return _core.optimal_trees(columns, costs, np.ascontiguousarray(copies), asked, progress)
        except MemoryError:
            sentence = (
                f"memory={asked['memory']:,} bytes cannot be had: let the search have less, such as '256MB'"
            )
            raise MemoryError(sentence) from None

    def _ordered_means(self) -> Longs | None:
        """Of each row its weight, and what it adds to each mean that columns order; None without any."""
        growth = self.growth
        if not growth.plan.constraints.functionals:
            return None
        added = [growth.weight]
        for kind, label in growth.plan.constraints.functionals:
            if growth.codes is None:
                assert growth.values is not None
                center = np.average(growth.values, weights=growth.weight)
                # Whole numbers stay whole, so that equal means are equal.
                each = growth.values - (np.rint(center) if np.ptp(growth.values) >= 1 else center)
            else:
                each = (growth.codes == label if kind == ONE_CLASS else growth.codes >= label).astype(float)
            added.append(growth.weight * each)
        # Their units do not matter: means of nodes are compared with each other.
        return np.ascontiguousarray(np.stack([_scaled(numbers) for numbers in added], axis=1).reshape(-1))


class LeastErrors(LeastCost):
    """Classes: `parts` are what each answer costs. `steps` units of cost are one of the rows' weights."""

    def __init__(self, growth: Growth, price: float, depth: int) -> None:
        super().__init__(growth)
        assert growth.codes is not None
        given = growth.plan.answer_costs
        mistake = 1.0 - np.eye(len(growth.classes))
        costs = growth.weight[:, None] * mistake[growth.codes] if given is None else given[growth.origin]
        costs, self.exponent = moderate(costs)
        price = min(times_power(price, -self.exponent), 1e200)  # more than all rows cost
        whole, self.unit = in_units(costs, price)
        self.steps: int = 2 ** min(depth, _MOST_STEPS) + 1  # all leaves together are less
        self.parts = whole * self.steps
        self.price = round(price * self.unit) * self.steps + 1

    def amount(self, cost: int) -> float:
        """A cost in the units of the rows' weights."""
        return times_power((cost // self.steps) / self.unit, self.exponent)

    def leaf_costs(self, parts: Longs) -> Longs:
        """What leaves cost whose rows' parts have these sums."""
        least: Longs = parts.min(axis=1)
        return least

    def core_costs(self, rows: Longs | slice) -> tuple[int, Any, int]:
        """The number of answers, the costs of some rows, and what no tree of them is above."""
        costs = self.parts[rows]
        most = int(costs.max(axis=1).sum()) + self.price + 1
        return costs.shape[1], np.ascontiguousarray(costs.reshape(-1)), most


class LeastSquares(LeastCost):
    """Numbers: `parts` are weight, weight times number, and weight times its square."""

    def __init__(self, growth: Growth, price: float, depth: int) -> None:
        super().__init__(growth)
        assert growth.values is not None
        (y, of_y), (weight, of_weight) = moderate(growth.values), moderate(growth.weight)
        self.exponent = 2 * of_y + of_weight
        exact = (weight % 1 == 0).all() and weight.sum() <= _MOST_WEIGHT
        weights_unit = 1.0 if exact else 2.0 ** math.floor(math.log2(_MOST_WEIGHT / float(weight.sum())))
        w = np.maximum(np.rint(weight * weights_unit), 1).astype(np.int64)
        price = min(times_power(price, -self.exponent), _HUGE)
        step = _finest_step(y, w, price * weights_unit)
        center = np.rint(np.average(y, weights=w) / step)
        number = (np.rint(y / step) - center).astype(np.int64)
        self.unit = weights_unit / step**2
        self.price = round(price * self.unit) + 1
        self.parts = np.stack([w, w * number, w * number**2], axis=1)
        self.number, self.w = np.ascontiguousarray(number), np.ascontiguousarray(w)
        self.rounding = growth.n_rows + 2 ** (min(depth, _FINEST) + 3)

    def amount(self, cost: int) -> float:
        """A cost in the units of the rows' weights, never above what it is."""
        return times_power(max(cost - self.rounding, 0) / self.unit, self.exponent)

    def leaf_costs(self, parts: Longs) -> Longs:
        """What leaves cost whose rows' parts have these sums."""
        weight, total, squares = parts.T
        mean_saves = np.rint(total.astype(np.float64) ** 2 / np.maximum(weight, 1)).astype(np.int64)
        left: Longs = np.maximum(squares - mean_saves, 0)
        return left

    def core_costs(self, rows: Longs | slice) -> tuple[int, Any, int]:
        """The number of answers, the costs of some rows, and what no tree of them is above."""
        both = np.ascontiguousarray(self.number[rows]), np.ascontiguousarray(self.w[rows])
        return 0, both, int(self.parts[rows, 2].sum()) + self.price + self.rounding


def _finest_step(y: Floats, weight: Longs, price: float) -> float:
    """The step in which numbers are counted: the finest for which sums of squares and prices are possible.

    >>> _finest_step(np.array([1.5, 2.0, 4.0]), np.array([1, 1, 1]), 0.0) < 1e-6
    True
    """
    squares = float((weight * (y - np.average(y, weights=weight)) ** 2).sum())
    bounds = float(weight.sum()) * float(np.ptp(y)) ** 2
    most = max(squares / _MOST_SQUARES, bounds / _MOST_BOUNDS, price / _MOST_PRICE)
    return 2.0 ** math.ceil(math.log2(most) / 2) if most > 0 else 1.0


def _scaled(numbers: Floats) -> Longs:
    """Numbers as whole ones that keep 60 bits of their sum.

    >>> _scaled(np.array([1.0, 3.0])).tolist() == [2**57, 3 * 2**57]
    True
    """
    total = float(np.abs(numbers).sum())
    shift = 60 - math.frexp(total)[1] if total > 0 else 0
    return np.rint(np.ldexp(numbers, shift)).astype(np.int64)


def refuse(growth: Growth) -> None:
    """Raise for what a search for least errors does not know."""
    because = _unknown_rows(growth) or _unknown_limit(growth)
    if because:
        raise ValueError(f"search={growth.plan.search!r} {because}")


def _unknown_rows(growth: Growth) -> str | None:
    plan, rows = growth.plan, np.arange(growth.n_rows)
    if growth.is_real and plan.criterion.name not in ("variance", "sd"):
        return f"finds least squared errors, not those of criterion={plan.criterion!r}: use 'variance'"
    if growth.is_real and not isinstance(plan.leaf, Constant):
        return f"finds the best constant leaves, not those of leaf={plan.leaf!r}: use leaf='constant'"
    if not {plan.split.kind(column) for column in growth.columns} <= {"threshold", "subset"}:
        return f"has tests of two branches, not those of split={plan.split!r}: use split='binary'"
    has_gaps = any(not growth.known(k, rows).all() for k in range(len(growth.columns)))
    if has_gaps and plan.missing.core_rule != MissingRule.LEARN:
        return f"sends gaps where they cost least, not by missing={plan.missing!r}: use missing='learn'"
    return None


_UNKNOWN_LIMITS = {  # by the core's name: what users call it, and the value that limits nothing
    "max_nodes": ("max_nodes", None),
    "min_weight_fraction": ("min_weight_fraction_leaf", 0.0),
    "min_impurity_decrease": ("min_impurity_decrease", 0.0),
    "min_gain": ("min_gain", None),
    "min_variation": ("min_variation", 0.0),
    "min_sd_share": ("min_sd_share", 0.0),
}


def _unknown_limit(growth: Growth) -> str | None:
    limits = growth.plan.limits
    if not isinstance(growth.plan.search, Optimal):
        return None
    if "max_depth" not in limits:
        return "needs max_depth: give a small one, such as max_depth=3"
    if growth.plan.max_features:
        return "looks at all columns: leave max_features out"
    if limits.get("min_rows_split", 2) > 2 * limits.get("min_rows_leaf", 1):
        return "does not keep min_samples_split: use min_samples_leaf"
    for name, (given, free) in _UNKNOWN_LIMITS.items():
        if limits.get(name, free) != free:
            return f"does not keep {given}: use max_depth, max_leaf_nodes, min_samples_leaf or a price"
    return None


def moderate(numbers: Floats) -> tuple[Floats, int]:
    """Numbers without a power of two that brings them too far from 1 to be squared, and its exponent.

    Mostly there is none. Two to the exponent times the numbers are those given, exactly.

    >>> moderate(np.array([1.0, 3.0])), moderate(np.array([0.0, 2.0**900]))
    ((array([1., 3.]), 0), (array([0. , 0.5]), 901))
    """
    largest = float(np.abs(numbers).max())
    exponent = 0 if largest == 0 or 1e-90 < largest < 1e90 else math.frexp(largest)[1]
    return (np.ldexp(numbers, -exponent) if exponent else numbers), exponent


def times_power(number: float, exponent: int) -> float:
    """A number times two to the exponent; infinite where it is beyond float64."""
    try:
        return math.ldexp(number, exponent)
    except OverflowError:
        return math.inf


def in_units(costs: Floats, price: float) -> tuple[Longs, float]:
    """Costs as whole numbers of units, and how many of them make 1: exact where that is possible.

    >>> in_units(np.array([[0.0, 1.5], [1.0, 0.0]]), 0.0)
    (array([[0, 3],
           [2, 0]]), 2.0)
    """
    total = float(costs.max(axis=1).sum()) + price
    for doubled in range(_FINEST):
        unit = float(2**doubled)
        if total * unit < _LARGEST and (costs * unit % 1 == 0).all() and price * unit % 1 == 0:
            return (costs * unit).astype(np.int64), unit
    unit = 2.0 ** math.floor(math.log2(_LARGEST / max(total, 1e-300)))
    return np.rint(costs * unit).astype(np.int64), unit
