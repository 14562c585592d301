"""Options: all tests of one column at a node, in the order in which ties are settled (K4).

One idea: a bin is what one value (or all gaps) adds up to, Stats and rows; a test puts bins together, so all
tests of a column are one array::

    bins of a column       S       M       L      gaps
    lanes                [2 0 2] [1 2 3] [1 1 2] [1 0 1]        class weights, and rows
    tests, "learn"       S+gaps | M+L,  S | M+L+gaps,  S+M+gaps | L,  S+M | L+gaps,  S+M+L | gaps
    tests, "branch"      S | M+L | gaps,  S+M | L | gaps
    tests, known only    S | M+L,  S+M | L
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from hornbeam._base.types import AnyArray, Floats, Longs
from hornbeam.data.columns import Column
from hornbeam.growing.candidates.possible_tests import _midpoints as midpoints
from hornbeam.growing.missing import MissingRule
from hornbeam.growing.stepwise_growth import Growth, Node

MOST_VALUES = 12  # of more values not every value set is tried, unless their order says enough


@dataclass(frozen=True)
class Bins:
    """The values of a column that rows of the node have, ascending, their lanes, and those of the gaps."""

    values: Floats
    lanes: Floats  # [values, width + 1], rows last
    gaps: Floats | None
    rule: MissingRule | None  # None: no gaps

    @property
    def left_out(self) -> Floats | None:
        """The gaps, where tests are judged without them."""
        return self.gaps if self.rule is not None and self.rule.known_only else None


@dataclass(frozen=True)
class Options:
    """The tests of a column.

    Attributes
    ----------
    kind : the kind of test
    lanes : [tests, branches, width + 1]; branches that a test does not have are zero
    missing : the branch of the gaps for each test, -1: none
    first : for each test the positions of the values of its first branch; () for cuts
    last : the position of the last value below each cut, None for other kinds
    cut : the thresholds; inf: known against missing. None for other kinds
    gaps : the lanes of the rows that are left out
    decrease : how much each test gains, where that is no function of the lanes
    """

    kind: str
    lanes: Floats
    missing: Longs
    first: tuple[tuple[int, ...], ...]
    bins: Bins
    cut: Floats | None = None
    last: Longs | None = None
    gaps: Floats | None = None
    decrease: Floats | None = None

    def __len__(self) -> int:
        return len(self.lanes)


def bins_of(growth: Growth, node: Node, x: AnyArray) -> Bins:
    """The bins of a column, whose values at the node's rows are `x`."""
    known = ~np.isnan(x) if x.dtype.kind == "f" else x >= 0
    values, place = np.unique(x[known], return_inverse=True)
    n = len(values)
    lanes = lanes_of(growth, node, known, place.reshape(-1), n)
    if known.all():
        return Bins(values.astype(np.float64), lanes, None, None)
    gaps = lanes_of(growth, node, ~known, np.zeros(int((~known).sum()), dtype=np.int64), 1)[0]
    return Bins(values.astype(np.float64), lanes, gaps, growth.plan.missing.core_rule)


def lanes_of(growth: Growth, node: Node, some: AnyArray, place: Longs, n: int) -> Floats:
    """Stats and rows of some of the node's rows by place."""
    rows = node.rows[some]
    stats = growth.tally(rows, node.weight[some], place, n)
    count = np.bincount(place, weights=growth.copies[rows], minlength=n)
    return np.concatenate([stats, count[:, None]], axis=1)


def thresholds(column: Column, b: Bins) -> Options:
    """Every cut between neighbouring values."""
    n = len(b.values)
    below, above = np.cumsum(b.lanes, axis=0)[:-1], np.cumsum(b.lanes[::-1], axis=0)[::-1][1:]
    low, high = b.values[:-1], b.values[1:]
    cut = midpoints(low, high) if column.kind == "numeric" else low + 0.5
    last = np.arange(n - 1)
    pairs = np.stack([below, above], axis=1)
    if b.rule == MissingRule.BRANCH and n > 1:
        pairs = _beside(pairs, b.gaps)
        missing = np.full(n - 1, 2)
    elif b.rule in (MissingRule.BRANCH, MissingRule.LEARN):
        assert b.gaps is not None
        joined = np.stack([below + b.gaps, above], axis=1), np.stack([below, above + b.gaps], axis=1)
        pairs = np.stack(joined, axis=1).reshape(-1, 2, b.lanes.shape[1])
        everything = np.stack([b.lanes.sum(axis=0), b.gaps])
        pairs = np.concatenate([pairs, everything[None]])
        cut, last = np.append(np.repeat(cut, 2), math.inf), np.append(np.repeat(last, 2), n - 1)
        missing = np.append(np.tile([0, 1], n - 1), 1)
    else:
        missing = np.full(n - 1, -1)
    return Options("threshold", pairs, missing, (), b, cut, last, b.left_out)


def equals(column: Column, b: Bins) -> Options:  # noqa: ARG001 (every kind is asked alike)
    """Every value against the others."""
    n = len(b.values)
    others = b.lanes.sum(axis=0) - b.lanes
    pairs, missing = np.stack([b.lanes, others], axis=1), np.full(n, -1)
    repeat = 1
    if b.rule == MissingRule.BRANCH and n > 1:
        pairs, missing = _beside(pairs, b.gaps), np.full(n, 2)
    elif b.rule == MissingRule.BRANCH:
        pairs, missing = _beside(pairs[:, :1], b.gaps), np.full(n, 1)
    elif b.rule == MissingRule.LEARN:
        joined = np.stack([pairs, pairs], axis=1)
        joined[:, 0, 0] += b.gaps
        joined[:, 1, 1] += b.gaps
        pairs, missing, repeat = joined.reshape(-1, 2, b.lanes.shape[1]), np.tile([0, 1], n), 2
    first = tuple((k,) for k in range(n) for _ in range(repeat))
    return Options("equals", pairs, missing, first, b, gaps=b.left_out)


def multiway(column: Column, b: Bins) -> Options:  # noqa: ARG001 (every kind is asked alike)
    """One branch for each value."""
    n = len(b.values)
    parts, missing = b.lanes[None], np.full(1, -1)
    if b.rule == MissingRule.BRANCH or (b.rule == MissingRule.LEARN and n == 1):
        parts, missing = _beside(parts, b.gaps), np.full(1, n)
    elif b.rule == MissingRule.LEARN:
        assert b.gaps is not None
        parts = np.repeat(parts, n, axis=0)
        parts[np.arange(n), np.arange(n)] += b.gaps
        missing = np.arange(n)
    return Options("multiway", parts, missing, tuple((0,) for _ in missing), b, gaps=b.left_out)


def subsets(column: Column, b: Bins) -> Options:  # noqa: ARG001 (every kind is asked alike)
    """Every set that holds the first value, against the others; gaps to be learned are one more value."""
    n, lanes = len(b.values), b.lanes
    if b.rule == MissingRule.BRANCH and n == 1:
        return Options("subset", _beside(lanes[None], b.gaps), np.full(1, 1), ((0,),), b)
    if b.rule == MissingRule.LEARN:
        assert b.gaps is not None
        lanes = np.concatenate([lanes, b.gaps[None]])
    m = len(lanes)
    sets = [(0, *more) for size in range(m - 1) for more in combinations(range(1, m), size)]
    return by_sets(b, lanes, sets)


def by_sets(b: Bins, lanes: Floats, sets: list[tuple[int, ...]]) -> Options:
    """Value sets, each against the others; `lanes` include the gaps where they are one more value."""
    inside = np.zeros((len(sets), len(lanes)))
    for k, members in enumerate(sets):
        inside[k, list(members)] = 1.0
    pairs = np.stack([inside @ lanes, (1.0 - inside) @ lanes], axis=1)
    missing = np.full(len(sets), -1)
    if b.rule == MissingRule.LEARN:
        missing = (1.0 - inside[:, -1]).astype(np.int64)
    elif b.rule == MissingRule.BRANCH:
        pairs, missing = _beside(pairs, b.gaps), np.full(len(sets), 2)
    n = len(b.values)
    first = tuple(tuple(k for k in members if k < n) for members in sets)
    return Options("subset", pairs, missing, first, b, gaps=b.left_out)


def in_order(share: Floats) -> list[tuple[int, ...]]:
    """The value sets that cut the values in the order of `share`, each the side of the first value."""
    order = np.argsort(share, kind="stable").tolist()
    sets = []
    for k in range(1, len(order)):
        side = set(order[:k])
        side = side if 0 in side else set(order[k:])
        sets.append(tuple(sorted(side)))
    return sorted(set(sets), key=lambda members: (len(members), members))


def _beside(parts: Floats, gaps: Floats | None) -> Floats:
    """The gaps as one more branch of every test."""
    assert gaps is not None
    own = np.broadcast_to(gaps, (len(parts), 1, parts.shape[2]))
    return np.concatenate([parts, own], axis=1)


OPTIONS_OF: Mapping[str, Callable[[Column, Bins], Options]] = {
    "threshold": thresholds,
    "subset": subsets,
    "equals": equals,
    "multiway": multiway,
}
