"""Every candidate of one column at one node. The one idea: sort the node's rows into buckets (one per present
value in order, then one of missing values if any); a candidate says which branch each bucket goes to.

    buckets    v0   v1   v2   missing
    branch      0    0    1    1          threshold between v1 and v2, missing values to the right

With missing="learn" the missing bucket joins a branch; with "branch" (and "all-paths", which trains alike)
it is a branch of its own, the last.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

Parts = tuple[tuple[int, ...], ...]  # bucket positions of each branch


@dataclass(frozen=True)
class Buckets:
    """The present values in order, and for every row of the node the position of its bucket."""

    values: list[float]
    of_row: np.ndarray
    has_missing: bool

    @property
    def size(self) -> int:
        return len(self.values) + self.has_missing

    @property
    def missing(self) -> int:
        return len(self.values)


@dataclass(frozen=True)
class Candidate:
    """A possible split: where each bucket goes, its name, its place in the order of K4 within the column."""

    column: int
    kind: str
    parts: Parts
    missing: int  # branch of missing values, -1: the node has none in this column
    order: tuple[Any, ...]
    threshold: float = math.nan  # equals: the code tested
    gap: tuple[float, float] | None = None


def buckets_of(values: np.ndarray) -> Buckets:
    """Sort the rows of a node by value."""
    known = ~np.isnan(values)
    present, positions = np.unique(values[known], return_inverse=True)
    of_row = np.full(len(values), len(present))
    of_row[known] = positions
    return Buckets(present.tolist(), of_row, not known.all())


def midpoint(low: float, high: float) -> float:
    """K7: halfway between the two decimals, always at least `low` and below `high`."""
    middle = float((Fraction(repr(float(low))) + Fraction(repr(float(high)))) / 2)
    if not low <= middle < high:
        middle = low / 2 + high / 2  # the sum could overflow
    return middle if low <= middle < high else low


def candidates_of(
    index: int, column: Mapping[str, Any], buckets: Buckets, missing: str
) -> Iterator[Candidate]:
    """Every candidate of a column, trivial ones included (the caller counts rows)."""
    if not buckets.values:
        return iter(())
    search = {"threshold": _thresholds, "equals": _equals, "multiway": _multiway, "subset": _subsets}[
        column["split"]
    ]
    return search(index, column, buckets, missing == "learn")


def place_missing(parts: Parts, b: Buckets, learn: bool) -> Iterator[tuple[Parts, int]]:
    """How missing values may follow known parts: not at all; each branch in turn; a branch of their own."""
    if not b.has_missing:
        yield parts, -1
    elif learn:
        for branch in range(len(parts)):
            yield tuple((*p, b.missing) if i == branch else p for i, p in enumerate(parts)), branch
    else:
        yield (*parts, (b.missing,)), len(parts)


def _known_or_missing(
    index: int, kind: str, b: Buckets, threshold: float, order: tuple[Any, ...]
) -> Candidate:
    known = tuple(range(len(b.values)))
    return Candidate(index, kind, (known, (b.missing,)), 1, order, threshold)


def _thresholds(index: int, column: Mapping[str, Any], b: Buckets, learn: bool) -> Iterator[Candidate]:
    n = len(b.values)
    for i in range(n - 1):
        low, high = b.values[i], b.values[i + 1]
        numeric = column["kind"] == "numeric"
        cut = midpoint(low, high) if numeric else low + 0.5
        known = tuple(range(i + 1)), tuple(range(i + 1, n))
        for parts, branch in place_missing(known, b, learn):
            yield Candidate(
                index, "threshold", parts, branch, (cut, branch), cut, (low, high) if numeric else None
            )
    if b.has_missing and (learn or n == 1):
        yield _known_or_missing(index, "threshold", b, math.inf, (math.inf, 1))


def _equals(index: int, column: Mapping[str, Any], b: Buckets, learn: bool) -> Iterator[Candidate]:
    n = len(b.values)
    if n == 1 and b.has_missing:
        yield _known_or_missing(index, "equals", b, b.values[0], (0,))
        return
    for i, value in enumerate(b.values):
        known = (i,), tuple(j for j in range(n) if j != i)
        for parts, branch in place_missing(known, b, learn):
            yield Candidate(index, "equals", parts, branch, (value, branch), value)


def _multiway(index: int, column: Mapping[str, Any], b: Buckets, learn: bool) -> Iterator[Candidate]:
    if len(b.values) == 1 and b.has_missing:
        yield _known_or_missing(index, "multiway", b, math.nan, (0,))
        return
    known = tuple((i,) for i in range(len(b.values)))
    for parts, branch in place_missing(known, b, learn):
        yield Candidate(index, "multiway", parts, branch, (branch,))


def _subsets(index: int, column: Mapping[str, Any], b: Buckets, learn: bool) -> Iterator[Candidate]:
    if len(b.values) == 1 and b.has_missing:
        yield _known_or_missing(index, "subset", b, math.nan, (0,))
        return
    own_branch = b.has_missing and not learn
    n = len(b.values) if own_branch else b.size
    for mask in range(2 ** (n - 1) - 1):  # bit j: bucket j + 1 joins bucket 0; all of them would be trivial
        first = (0, *(j for j in range(1, n) if mask >> (j - 1) & 1))
        second = tuple(j for j in range(1, n) if not mask >> (j - 1) & 1)
        order = (len(first), first)  # bucket positions compare as codes do, and missing comes last
        if own_branch:
            yield Candidate(index, "subset", (first, second, (b.missing,)), 2, order)
        else:
            branch = -1 if not b.has_missing else int(b.missing in second)
            yield Candidate(index, "subset", (first, second), branch, order)
