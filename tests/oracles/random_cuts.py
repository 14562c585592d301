"""The twin of random cuts: tests drawn by the documented numbers, and everything else as the twin does it.

root = grow(table)      # table["draws"] = {"seed": 7, "max_features": 2}; see problem.py for the rest
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from decimal import localcontext
from fractions import Fraction
from itertools import count
from typing import Any

from tests.oracles.candidates import Buckets, Candidate, Parts, place_missing
from tests.oracles.choose import TIE, Choice, node_impurity, score_all
from tests.oracles.impurity import DIGITS
from tests.oracles.problem import Problem
from tests.oracles.twin import Growth, Node, Open

MASK = 2**64 - 1
STEP = 0x9E3779B97F4A7C15
FACTOR = 0xD6E8FEB86659FD93


def mix(z: int) -> int:
    """The bits of a number mixed as splitmix64 does."""
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def child_key(key: int, branch: int) -> int:
    return (((key ^ (branch + 1)) * FACTOR) + 1) & MASK


def drawn_number(seed: int, key: int, column: int) -> int:
    node = mix((seed ^ (key * STEP)) & MASK)
    return mix((node + (column + 1) * STEP) & MASK)


def drawn_columns(seed: int, key: int, n_columns: int, wanted: int) -> Iterator[list[int]]:
    """The columns a node searches: as many as are wanted first, then one by one."""
    order, state = list(range(n_columns)), (seed ^ (key * STEP)) & MASK
    wanted = wanted or n_columns
    taken = 0
    while taken < n_columns:
        n = min(n_columns - taken, wanted if taken == 0 else 1)
        for i in range(taken, taken + n) if wanted < n_columns else ():
            state = (state + STEP) & MASK
            j = i + mix(state) % (n_columns - i)
            order[i], order[j] = order[j], order[i]
        yield order[taken : taken + n]
        taken += n


def drawn_cut(drawn: int, low: float, high: float) -> float:
    share = (drawn >> 11) / 2**53
    width = high - low
    cut = low + share * width if math.isfinite(width) else low * (1 - share) + high * share
    return max(low, cut) if cut < high else low


def short_cut(cut: float, low: float, high: float, below: float, above: float) -> float:
    """The shortest decimal within a thousandth of the range of the cut that parts the values alike."""
    near = (high - low) / 1000
    if not near > 1e-18 or not max(abs(low), abs(high)) < 1e18:
        return cut
    if below <= 0 < above and abs(cut) <= near:
        return 0.0
    for n in range(20, -23, -1):
        step = Fraction(10) ** n
        steps = round(Fraction(cut) / step)
        if abs(steps) > 10**15:
            break
        t = float(steps * step)
        if below <= t < above and abs(t - cut) <= near:
            return t
    return cut


def drawn_group(drawn: int, values: list[float]) -> tuple[int, ...]:
    """Positions of the values on the side of the first."""
    for turn in count():
        bits = (mix((drawn + turn * STEP + (int(v) + 1) * FACTOR) & MASK) & 1 for v in values[1:])
        first = (0, *(i for i, bit in enumerate(bits, start=1) if not bit))
        if len(first) < len(values):
            return first
    raise AssertionError


def tests_drawn(
    number: int, index: int, column: Mapping[str, Any], b: Buckets, learn: bool
) -> Iterator[Candidate]:
    """The test of one column, once for each place of the gaps."""
    kind, values = column["split"], b.values
    n = len(values)
    if n == 0 or (n == 1 and not b.has_missing):
        return
    if n == 1:
        threshold = math.inf if kind == "threshold" else math.nan
        yield Candidate(index, kind, ((0,), (1,)), 1, (number, 0), threshold)
        return
    threshold, gap = math.nan, None
    if kind == "threshold":
        cut = drawn_cut(number, values[0], values[-1])
        first = tuple(i for i in range(n) if values[i] <= cut)
        low, high = values[first[-1]], values[first[-1] + 1]
        if column["kind"] == "numeric":
            threshold, gap = short_cut(cut, values[0], values[-1], low, high), (low, high)
        else:
            threshold = math.floor(cut) + 0.5
    else:
        first = drawn_group(number, values)
    known: Parts = (first, tuple(i for i in range(n) if i not in first))
    for parts, branch in place_missing(known, b, learn):
        yield Candidate(index, kind, parts, branch, (number, branch), threshold, gap)


class RandomGrowth(Growth):
    """The twin's growth with a key for every node."""

    root_key = STEP

    def __init__(self, problem: Problem, seed: int, max_features: int) -> None:
        super().__init__(problem)
        self.seed, self.max_features = seed, max_features

    def best(self, o: Open) -> Choice | None:
        def offered(index: int, column: Mapping[str, Any], b: Buckets, missing: str) -> Iterator[Candidate]:
            number = drawn_number(self.seed, o.key, index)
            return tests_drawn(number, index, column, b, missing == "learn")

        p = self.problem
        for columns in drawn_columns(self.seed, o.key, len(p.columns), self.max_features):
            some = list(score_all(p, o.rows, o.removed, o.bounds, None, offered, columns))
            if not some:
                continue
            top = max(s.score for s in some)
            unit = abs(top) if p.plan.criterion == "gain-ratio" else node_impurity(p, o.rows)
            tied = [s for s in some if top - s.score <= TIE * unit]
            doubtful = any(TIE * unit / 1000 < top - s.score < TIE * unit * 1000 for s in some)
            return Choice(min(tied, key=lambda s: s.candidate.order), doubtful)
        return None

    def expand(self, o: Open) -> list[Open]:
        below = super().expand(o)
        for branch, child in enumerate(below):
            child.key = child_key(o.key, branch)
        return below


def with_draws(rng: Any, table: dict[str, Any], *, all_columns: bool = False) -> dict[str, Any]:
    """The table with random tests instead of the best ones: sets of values for all nominal columns."""
    for column in table["columns"]:
        if column["kind"] == "nominal":
            column["split"] = "subset"
    some = 0 if all_columns else int(rng.integers(0, len(table["columns"])))
    table["draws"] = {"seed": int(rng.integers(0, 2**62)), "max_features": some}
    return table


class DrawnTests:
    """For twins of `tests.oracles.losses`: the tests of all columns are drawn."""

    columns: list[Any]
    plan: Mapping[str, Any]
    seed: int

    def offered(self, node: Any, j: int, buckets: Buckets) -> Iterator[Candidate]:
        key = RandomGrowth.root_key
        for branch in node.path:
            key = child_key(key, branch)
        number = drawn_number(self.seed, key, j)
        return tests_drawn(number, j, self.columns[j], buckets, self.plan["missing"] == "learn")

    def place(self, candidate: Candidate) -> Any:
        return candidate.order


def grow(table: Mapping[str, Any]) -> Node:
    """The tree of a table by its plan and its draws."""
    with localcontext(DIGITS):
        return RandomGrowth(Problem(table), **table["draws"]).run()
