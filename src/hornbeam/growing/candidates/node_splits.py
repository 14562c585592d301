"""Splits: what a node tests, while a tree grows node by node or is edited.

A Split says which branch each row takes (-1 where its value is missing), and writes itself into a Tree.
Where the rows go that it cannot place is decided in `hornbeam.growing.stepwise`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from hornbeam._base.significance.bins_and_halves import Cut, bins
from hornbeam._base.types import AnyArray, Floats, Longs
from hornbeam.tree.arrays import (
    COLUMNS,
    EQUALS,
    EXPRESSION,
    HYPERPLANE,
    INTERVALS,
    MULTIWAY,
    THRESHOLD,
    Pools,
)

if TYPE_CHECKING:
    from hornbeam.growing.stepwise_growth import Growth


class Split(ABC):
    """A test with `n_branches` answers; immutable."""

    kind: ClassVar[int]  # of arrays.KINDS
    columns: tuple[int, ...]  # those it looks at

    @property
    def n_branches(self) -> int:
        """The branches that some value chooses."""
        return 2

    @property
    def n_absent(self) -> int:
        """Values of the domain that no row of the node has; they share one empty child (K6)."""
        return 0

    @property
    def n_children(self) -> int:
        """The children it stores, without a branch for gaps."""
        return self.n_branches + (self.n_absent > 0)

    @property
    def uses_up(self) -> tuple[int, ...]:
        """The columns that are not tested again below (K10)."""
        return ()

    @abstractmethod
    def branches(self, growth: Growth, rows: Longs) -> Longs:
        """The branch of each of the growth's rows, -1 where a value is missing."""

    @abstractmethod
    def write(self, record: dict[str, Any], pools: Pools) -> None:
        """Put what the test is into the record of its node, and into the last entries of the pools."""


@dataclass(frozen=True)
class ColumnSplit(Split):
    """A test of one column."""

    column: int

    @property
    def columns(self) -> tuple[int, ...]:  # type: ignore[override]  # all splits are frozen
        """The column."""
        return (self.column,)


@dataclass(frozen=True)
class ThresholdSplit(ColumnSplit):
    """`x <= threshold` against `x > threshold`; an infinite threshold is "known" against "missing"."""

    threshold: float
    low: float = math.nan  # the neighbouring training values
    high: float = math.nan
    kind: ClassVar[int] = THRESHOLD

    def branches(self, growth: Growth, rows: Longs) -> Longs:
        """0 up to the threshold, 1 above."""
        x = growth.numbers(self.column, rows)
        return np.where(np.isnan(x), -1, x > self.threshold).astype(np.int64)

    def write(self, record: dict[str, Any], pools: Pools) -> None:  # noqa: ARG002 (a record is enough)
        """Column, threshold and its neighbours."""
        record |= {"column": self.column, "threshold": self.threshold, "gap": (self.low, self.high)}


@dataclass(frozen=True)
class EqualsSplit(ColumnSplit):
    """One category against the others."""

    code: int
    kind: ClassVar[int] = EQUALS

    def branches(self, growth: Growth, rows: Longs) -> Longs:
        """0 for the category, 1 for any other."""
        codes = growth.arrays[self.column][rows]
        return np.where(codes < 0, -1, codes != self.code).astype(np.int64)

    def write(self, record: dict[str, Any], pools: Pools) -> None:  # noqa: ARG002 (a record is enough)
        """Column and code."""
        record |= {"column": self.column, "threshold": float(self.code)}


@dataclass(frozen=True)
class MapSplit(Split):
    """Categories to branches: two sets (SUBSET), or one branch for each present category (MULTIWAY).

    `codes` are ascending; `n_absent` counts the categories of a multiway test that no row of the node has.
    """

    kind: int  # type: ignore[misc]
    column: int
    codes: tuple[int, ...]
    targets: tuple[int, ...]
    absent: int = 0

    @property
    def columns(self) -> tuple[int, ...]:  # type: ignore[override]  # all splits are frozen
        """The column."""
        return (self.column,)

    @property
    def n_branches(self) -> int:
        """The branches that some value chooses."""
        return max(max(self.targets) + 1, 2 if self.kind != MULTIWAY else 1)

    @property
    def n_absent(self) -> int:
        """Categories that share the empty child."""
        return self.absent

    @property
    def uses_up(self) -> tuple[int, ...]:
        """A multiway test uses up its column (K10)."""
        return self.columns if self.kind == MULTIWAY else ()

    def branches(self, growth: Growth, rows: Longs) -> Longs:
        """The branch of each row's category."""
        table = np.full(max(self.codes) + 2, -1, dtype=np.int64)  # the last entry is for code -1
        table[list(self.codes)] = self.targets
        branch: Longs = table[growth.arrays[self.column][rows]]
        return branch

    def write(self, record: dict[str, Any], pools: Pools) -> None:
        """Column and value map."""
        record["column"] = self.column
        if self.absent:
            record["absent"] = self.n_branches
        pools["map"][-1] += zip(self.codes, self.targets, strict=True)


@dataclass(frozen=True)
class PlaneSplit(Split):
    """A weighted sum of columns up to a threshold, or above it. `gap`: the neighbouring training sums."""

    columns: tuple[int, ...]
    weights: tuple[float, ...]
    threshold: float
    gap: tuple[float, float] = (math.nan, math.nan)
    kind: ClassVar[int] = HYPERPLANE

    def sums(self, growth: Growth, rows: Longs) -> Floats:
        """The weighted sum of each row, added up in the order in which a Tree does."""
        total = np.zeros(len(rows))
        for column, weight in zip(self.columns, self.weights, strict=True):
            total += weight * growth.numbers(column, rows)
        return total

    def branches(self, growth: Growth, rows: Longs) -> Longs:
        """0 up to the threshold, 1 above."""
        total = self.sums(growth, rows)
        return np.where(np.isnan(total), -1, total > self.threshold).astype(np.int64)

    def write(self, record: dict[str, Any], pools: Pools) -> None:
        """Threshold, and a weight for each column."""
        record |= {"threshold": self.threshold, "gap": self.gap}
        pools["plane"][-1] += zip(self.columns, self.weights, strict=True)


@dataclass(frozen=True)
class TupleSplit(Split):
    """Values of several columns together: a branch for each tuple (numbers, or codes), or for two sets."""

    columns: tuple[int, ...]
    tuples: tuple[tuple[float, ...], ...]
    sets: tuple[int, ...] = ()  # the branch of each tuple, where there are two
    kind: ClassVar[int] = COLUMNS

    @property
    def targets(self) -> tuple[int, ...]:
        """The branch of each tuple."""
        return self.sets or tuple(range(len(self.tuples)))

    @property
    def n_branches(self) -> int:
        """One for each tuple, or two."""
        return 2 if self.sets else len(self.tuples)

    @property
    def uses_up(self) -> tuple[int, ...]:
        """The columns of the set are used up below (as in K10), unless tuples share branches."""
        return () if self.sets else self.columns

    def branches(self, growth: Growth, rows: Longs) -> Longs:
        """The branch of each row's tuple; -1 if one of its values is missing, or the tuple is not listed."""
        given = np.stack([growth.numbers(column, rows) for column in self.columns], axis=1)
        branches = np.full(len(rows), -1, dtype=np.int64)
        for branch, values in zip(self.targets, self.tuples, strict=True):
            branches[(given == np.array(values)).all(axis=1)] = branch
        return branches

    def write(self, record: dict[str, Any], pools: Pools) -> None:  # noqa: ARG002 (all of it is in pools)
        """The columns, and the tuples with their branches."""
        pools["set"][-1] += [(column,) for column in self.columns]
        pools["tuple"][-1] += list(zip(self.targets, self.tuples, strict=True))


@dataclass(frozen=True, eq=False)
class ExpressionSplit(Split):
    """A predicate: true goes to the first branch, false to the second."""

    expression: Any  # what Expression.parse gives
    columns: tuple[int, ...]
    kind: ClassVar[int] = EXPRESSION

    def branches(self, growth: Growth, rows: Longs) -> Longs:
        """0 where it is true, 1 where it is false."""
        used = set(self.columns)
        here = [array[rows] if k in used else array[:0] for k, array in enumerate(growth.arrays)]
        true, missing = self.expression.evaluate(growth.columns, here)
        return np.where(missing, -1, ~true).astype(np.int64)

    def write(self, record: dict[str, Any], pools: Pools) -> None:  # noqa: ARG002 (the text is in the record)
        """The text."""
        record["expression"] = self.expression.text


@dataclass(frozen=True)
class Proposal:
    """A split that could be made at a node, and what it is worth.

    Attributes
    ----------
    split : Split
    gain : how much it lowers the impurity, per unit of the node's weight
    score : what is compared: the gain, the gain ratio, ...; becomes `Tree.gain`
    missing : the child for gaps; -1 if there is none, or if the missing rule decides
    facts : what else is to be kept about the test (a p-value, say), as plain values
    """

    split: Split
    gain: float
    score: float
    missing: int = -1
    facts: Mapping[str, Any] = field(default_factory=dict)


def from_core(arrays: Mapping[str, AnyArray], column: int, n_values: int) -> Split:
    """The test at the root of a tree the core made; `column` is its number here."""
    kind, threshold = int(arrays["kind"][0]), float(arrays["threshold"][0])
    if kind == THRESHOLD:
        low, high = arrays["gap"][0].tolist()
        return ThresholdSplit(column, threshold, low, high)
    if kind == EQUALS:
        return EqualsSplit(column, int(threshold))
    codes, targets = root_map(arrays)
    return MapSplit(kind, column, codes, targets, n_values - len(codes) if kind == MULTIWAY else 0)


def root_map(arrays: Mapping[str, AnyArray]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The codes at the root of a tree the core made, and the branch of each."""
    last = int(arrays["map_offset"][1])
    codes: Sequence[int] = arrays["map_code"][:last].tolist()
    return tuple(codes), tuple(arrays["map_branch"][:last].tolist())


@dataclass(frozen=True)
class IntervalsSplit(ColumnSplit):
    """Two or more cuts of a numeric or ordinal column, ascending."""

    cuts: tuple[Cut, ...]
    kind: ClassVar[int] = INTERVALS

    @property
    def n_branches(self) -> int:
        """One more than cuts."""
        return len(self.cuts) + 1

    def branches(self, growth: Growth, rows: Longs) -> Longs:
        """The number of cuts below each value."""
        return bins(growth.numbers(self.column, rows), self.cuts)

    def write(self, record: dict[str, Any], pools: Pools) -> None:
        """Column and cuts."""
        record["column"] = self.column
        pools["cut"][-1] += [(cut.threshold, cut.low, cut.high) for cut in self.cuts]


def cut_split(column: int, cuts: tuple[Cut, ...]) -> Split:
    """The split of a column at some cuts; without any, known values against missing ones."""
    if len(cuts) > 1:
        return IntervalsSplit(column, cuts)
    cut = cuts[0] if cuts else Cut(math.inf)
    return ThresholdSplit(column, cut.threshold, cut.low, cut.high)
