"""All tests of one column at a node, in the order in which ties are settled (K4).

A bucket is what the rows of one value (or all gaps) add up to, and their number; a test puts buckets
together, so all tests of a column are one array::

    buckets of a column    S       M       L      gaps
    sums                 [2 0 2] [1 2 3] [1 1 2] [1 0 1]        class weights, and rows
    tests, "learn"       S+gaps | M+L,  S | M+L+gaps,  S+M+gaps | L,  S+M | L+gaps,  S+M+L | gaps
    tests, "branch"      S | M+L | gaps,  S+M | L | gaps
    tests, known only    S | M+L,  S+M | L
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from hornbeam._base.types import AnyArray, Bools, Floats, Longs, midpoint
from hornbeam.data.columns import Column
from hornbeam.growing.missing import MissingRule
from hornbeam.growing.stepwise_growth import Growth, Node

MOST_VALUES = 12  # of more values not every value set is tried, unless their order says enough


_FEW_ROWS = 16  # a node of fewer than one row for so many values of a column is sorted anew


@dataclass(frozen=True)
class Buckets:
    """The values of a column that rows of the node have, ascending, with the sums of their rows.

    values : the values, or codes
    sums : [values, width + 1]: what the rows of each add up to, and their number
    gaps : the sums of the rows without a value, None if there are none
    rule : what becomes of the gaps, None if there are none
    outcomes, position : the target of each row that has a value, and the position of that value
    """

    values: Floats
    sums: Floats
    gaps: Floats | None
    rule: MissingRule | None
    outcomes: AnyArray
    position: Longs

    def is_boundary(self, k: int) -> bool:
        """Whether the rows of a value and of the next one have different targets (Fayyad & Irani 1992)."""
        if self.outcomes.dtype.kind != "f":  # which classes a value has, its sums say already
            return bool(np.count_nonzero(self.sums[k : k + 2, :-1].any(axis=0)) > 1)
        low, high = self._ranges
        return bool(low[k : k + 2].min() != high[k : k + 2].max())

    @cached_property
    def _ranges(self) -> tuple[AnyArray, AnyArray]:
        """The least and the largest target of the rows of each value."""
        order = np.argsort(self.position, kind="stable")
        start = np.searchsorted(self.position[order], np.arange(len(self.values)))
        y = self.outcomes[order]
        return np.minimum.reduceat(y, start), np.maximum.reduceat(y, start)

    @property
    def left_out(self) -> Floats | None:
        """The gaps, where tests are scored without them."""
        return self.gaps if self.rule is not None and self.rule.known_only else None


@dataclass(frozen=True)
class ColumnTests:
    """The tests of a column.

    Attributes
    ----------
    kind : the kind of test
    sums : [tests, branches, width + 1]; branches that a test does not have are zero
    missing : the branch of the gaps for each test, -1: none
    first : for each test the positions of the values of its first branch; () for cuts
    last : the position of the last value below each cut, None for other kinds
    cut : the thresholds; inf: known against missing. None for other kinds
    gaps : the sums of the rows that are left out
    decrease : how much each test gains, where that is no function of the sums
    """

    kind: str
    sums: Floats
    missing: Longs
    first: tuple[tuple[int, ...], ...]
    buckets: Buckets
    cut: Floats | None = None
    last: Longs | None = None
    gaps: Floats | None = None
    decrease: Floats | None = None

    def __len__(self) -> int:
        return len(self.sums)


def buckets_of(growth: Growth, node: Node, x: AnyArray) -> Buckets:
    """The buckets of something whose values at the node's rows are `x`."""
    known = ~np.isnan(x) if x.dtype.kind == "f" else x >= 0
    values, position = np.unique(x[known], return_inverse=True)
    return _buckets(growth, node, known, values, position.reshape(-1))


def buckets_of_column(growth: Growth, node: Node, column: int) -> Buckets:
    """The buckets of a column; where its values are ranked already, no row has to be sorted."""
    if not growth.is_ranked(column) and 2 * len(node.rows) < growth.n_rows:
        return buckets_of(growth, node, growth.arrays[column][node.rows])
    values, ranks = growth.ranked(column)
    rank = ranks[node.rows]
    known = rank >= 0
    rank = rank[known]
    if _FEW_ROWS * len(rank) < len(values):  # sorting these few is less work than counting through all values
        some, position = np.unique(rank, return_inverse=True)
        return _buckets(growth, node, known, values[some], position.reshape(-1))
    present = np.bincount(rank, minlength=len(values)) > 0
    place = np.cumsum(present) - 1
    return _buckets(growth, node, known, values[present], place[rank])


def _buckets(growth: Growth, node: Node, known: Bools, values: AnyArray, position: Longs) -> Buckets:
    some: Any = slice(None) if known.all() else known
    sums = sums_of(growth, node, some, position, len(values))
    outcome = growth.codes if growth.values is None else growth.values
    assert outcome is not None
    outcomes = outcome[node.rows[some]]
    if isinstance(some, slice):
        return Buckets(values.astype(np.float64), sums, None, None, outcomes, position)
    gaps = sums_of(growth, node, ~known, np.zeros(int((~known).sum()), dtype=np.int64), 1)[0]
    rule = growth.plan.missing.core_rule
    return Buckets(values.astype(np.float64), sums, gaps, rule, outcomes, position)


def sums_of(growth: Growth, node: Node, some: Any, position: Longs, n: int) -> Floats:
    """What some of the node's rows add up to by position, and their number."""
    rows = node.rows[some]
    stats = growth.sums(rows, node.weight[some], position, n, node.center)
    count = np.bincount(position, weights=growth.copies[rows] if growth.repeats else None, minlength=n)
    return np.concatenate([stats, count[:, None]], axis=1)


def thresholds(column: Column, b: Buckets) -> ColumnTests:
    """Every cut between neighbouring values."""
    n = len(b.values)
    sums = np.ascontiguousarray(b.sums.T)  # numpy adds along rows many times as fast as along columns
    below, above = np.cumsum(sums, axis=1)[:, :-1].T, np.cumsum(sums[:, ::-1], axis=1)[:, ::-1][:, 1:].T
    low, high = b.values[:-1], b.values[1:]
    cut = midpoint(low, high) if column.kind == "numeric" else low + 0.5
    last = np.arange(n - 1)
    pairs = np.moveaxis(np.stack([below.T, above.T]), -1, 0)
    if b.rule == MissingRule.BRANCH and n > 1:
        pairs = _beside(pairs, b.gaps)
        missing = np.full(n - 1, 2)
    elif b.rule in (MissingRule.BRANCH, MissingRule.LEARN):
        assert b.gaps is not None
        joined = np.stack([below + b.gaps, above], axis=1), np.stack([below, above + b.gaps], axis=1)
        pairs = np.stack(joined, axis=1).reshape(-1, 2, b.sums.shape[1])
        everything = np.stack([b.sums.sum(axis=0), b.gaps])
        pairs = np.concatenate([pairs, everything[None]])
        cut, last = np.append(np.repeat(cut, 2), math.inf), np.append(np.repeat(last, 2), n - 1)
        missing = np.append(np.tile([0, 1], n - 1), 1)
    else:
        missing = np.full(n - 1, -1)
    return ColumnTests("threshold", pairs, missing, (), b, cut, last, b.left_out)


def equals(b: Buckets) -> ColumnTests:
    """Every value against the others."""
    n = len(b.values)
    others = b.sums.sum(axis=0) - b.sums
    pairs, missing = np.stack([b.sums, others], axis=1), np.full(n, -1)
    repeat = 1
    if b.rule == MissingRule.BRANCH and n > 1:
        pairs, missing = _beside(pairs, b.gaps), np.full(n, 2)
    elif b.rule == MissingRule.BRANCH:
        pairs, missing = _beside(pairs[:, :1], b.gaps), np.full(n, 1)
    elif b.rule == MissingRule.LEARN:
        joined = np.stack([pairs, pairs], axis=1)
        joined[:, 0, 0] += b.gaps
        joined[:, 1, 1] += b.gaps
        pairs, missing, repeat = joined.reshape(-1, 2, b.sums.shape[1]), np.tile([0, 1], n), 2
    first = tuple((k,) for k in range(n) for _ in range(repeat))
    return ColumnTests("equals", pairs, missing, first, b, gaps=b.left_out)


def multiway(b: Buckets) -> ColumnTests:
    """One branch for each value."""
    n = len(b.values)
    branches, missing = b.sums[None], np.full(1, -1)
    if b.rule == MissingRule.BRANCH or (b.rule == MissingRule.LEARN and n == 1):
        branches, missing = _beside(branches, b.gaps), np.full(1, n)
    elif b.rule == MissingRule.LEARN:
        assert b.gaps is not None
        branches = np.repeat(branches, n, axis=0)
        branches[np.arange(n), np.arange(n)] += b.gaps
        missing = np.arange(n)
    return ColumnTests("multiway", branches, missing, tuple((0,) for _ in missing), b, gaps=b.left_out)


def subsets(b: Buckets) -> ColumnTests:
    """Every set that holds the first value, against the others; gaps to be learned are one more value."""
    if b.rule == MissingRule.BRANCH and len(b.values) == 1:
        return ColumnTests("subset", _beside(b.sums[None], b.gaps), np.full(1, 1), ((0,),), b)
    n = len(b.values) + (b.rule == MissingRule.LEARN)
    return by_sets(b, [(0, *more) for size in range(n - 1) for more in combinations(range(1, n), size)])


def ordered_subsets(b: Buckets, share: Floats) -> ColumnTests:
    """The value sets that cut the values in the order of `share`, each the side of the first value."""
    order = np.argsort(share, kind="stable").tolist()
    sets = set()
    for k in range(1, len(order)):
        side = order[:k] if 0 in order[:k] else order[k:]
        sets.add(tuple(sorted(side)))
    return by_sets(b, sorted(sets, key=lambda members: (len(members), members)))


def sums_of_values(b: Buckets) -> Floats:
    """The sums of the values that sets are made of: gaps to be learned are one more value."""
    return b.sums if b.rule != MissingRule.LEARN or b.gaps is None else np.concatenate([b.sums, b.gaps[None]])


def by_sets(b: Buckets, sets: list[tuple[int, ...]]) -> ColumnTests:
    """Value sets, each against the others."""
    sums = sums_of_values(b)
    inside = np.zeros((len(sets), len(sums)))
    for k, members in enumerate(sets):
        inside[k, list(members)] = 1.0
    pairs = np.stack([inside @ sums, (1.0 - inside) @ sums], axis=1)
    missing = np.full(len(sets), -1)
    if b.rule == MissingRule.LEARN:
        missing = (1.0 - inside[:, -1]).astype(np.int64)
    elif b.rule == MissingRule.BRANCH:
        pairs, missing = _beside(pairs, b.gaps), np.full(len(sets), 2)
    n = len(b.values)
    first = tuple(tuple(k for k in members if k < n) for members in sets)
    return ColumnTests("subset", pairs, missing, first, b, gaps=b.left_out)


def _beside(branches: Floats, gaps: Floats | None) -> Floats:
    """The gaps as one more branch of every test."""
    assert gaps is not None
    own = np.broadcast_to(gaps, (len(branches), 1, branches.shape[2]))
    return np.concatenate([branches, own], axis=1)


VALUE_TESTS: Mapping[str, Callable[[Buckets], ColumnTests]] = {
    "subset": subsets,
    "equals": equals,
    "multiway": multiway,
}
