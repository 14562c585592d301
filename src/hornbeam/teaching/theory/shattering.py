"""Shattering: in how many ways small trees can label some points, and which of them in every way.

One idea: a tree of k leaves labels the points on one side of its first test by one of i leaves, those on
the other by one of k - i. So the labelings of a set of points follow from those of smaller sets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from hornbeam._base.parameters import whole
from hornbeam._base.types import Longs
from hornbeam.data.shown_result import ShownResult
from hornbeam.data.table import Table
from hornbeam.teaching.smallest.consistent_count import partitions
from hornbeam.teaching.smallest.smallest_search import Problem, read_problem

MOST_POINTS = 14  # whose 2^14 labelings are kept for every set of points that tests reach


@dataclass(frozen=True, eq=False)
class Shattering(ShownResult):
    """In how many ways trees of some leaves label points.

    Attributes
    ----------
    n_points, leaves : how many points there are, and leaves a tree may have
    n_labelings : of the 2 ** n_points labelings by two classes those that such a tree gives
    shattered : whether these are all
    largest : the positions of the most points that are labeled in every way, the first of equally many
    """

    n_points: int
    leaves: int
    n_labelings: int
    shattered: bool
    largest: tuple[int, ...]

    def __str__(self) -> str:
        trees = f"trees of at most {self.leaves} {'leaf' if self.leaves == 1 else 'leaves'}"
        if self.shattered:
            return f"{trees} shatter the {self.n_points} points: all {self.n_labelings:,} labelings"
        return (
            f"{trees} give {self.n_labelings:,} of the {2**self.n_points:,} labelings of {self.n_points}"
            f" points; of these they shatter {len(self.largest)}: {', '.join(map(str, self.largest))}"
        )


def shattering(
    X: Any, leaves: int, *, split: Any = "binary", categorical_features: Any = "from_dtype"
) -> Shattering:
    """In how many ways trees of at most so many leaves label points by two classes.

    Points are shattered if every labeling is possible; the VC dimension of the trees is the size of the
    largest set of points, of all there could be, that they shatter. So a shattered set is a lower bound.

    Parameters
    ----------
    X : table of at most 14 different points
    leaves : int
        The most leaves of a tree.
    split, categorical_features : as for `hb.teaching.smallest_trees`

    Examples
    --------
    >>> cube = {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]}
    >>> print(shattering(cube, leaves=3))
    trees of at most 3 leaves give 14 of the 16 labelings of 4 points; of these they shatter 3: 0, 1, 2
    >>> print(shattering(cube, leaves=4))
    trees of at most 4 leaves shatter the 4 points: all 16 labelings
    """
    leaves = whole(leaves, "leaves", 1)
    problem = _points(X, split, categorical_features)
    m = len(problem.codes[0])
    everywhere = (1 << m) - 1
    labelings = _labelings(problem, m, min(leaves, m))[everywhere]
    return Shattering(m, leaves, len(labelings), len(labelings) == 1 << m, _largest(labelings, m))


def _points(X: Any, split: Any, categorical_features: Any) -> Problem:
    n_points = Table.learn(X, categorical_features).n_rows
    if not 1 <= n_points <= MOST_POINTS:
        raise ValueError(
            f"X has {n_points} points, but the labelings of 1 to {MOST_POINTS} are counted: take fewer rows"
        )
    try:
        return read_problem(X, list(range(n_points)), split, categorical_features, None)
    except ValueError as fault:
        if "same" not in str(fault):
            raise
        raise ValueError("X has two equal points, which no tree tells apart: leave one of them out") from None


def _labelings(problem: Problem, m: int, leaves: int) -> Mapping[int, Longs]:
    """The labelings of every set of points that tests reach: the points of one class; sets are bits."""
    codes = np.stack(problem.codes, axis=1)
    tests: dict[int, list[tuple[int, ...]]] = {}
    waiting = [(1 << m) - 1]
    while waiting:
        points = waiting.pop()
        if points in tests:
            continue
        rows = np.flatnonzero([points >> k & 1 for k in range(m)])
        parted = partitions(problem, codes, rows)
        tests[points] = [tuple(int((1 << part).sum()) for part in parts) for parts in parted]
        waiting += [part for parts in tests[points] for part in parts]
    by_leaves: list[dict[int, Longs]] = [{points: np.array([0, points]) for points in tests}]
    for k in range(2, leaves + 1):
        level = {}
        for points, of_points in tests.items():
            known = [by_leaves[0][points]]
            known += [_joined(by_leaves, parts, k) for parts in of_points if len(parts) <= k]
            level[points] = np.unique(np.concatenate(known))
        by_leaves.append(level)
    return by_leaves[-1]


def _joined(by_leaves: Sequence[Mapping[int, Longs]], parts: Sequence[int], leaves: int) -> Longs:
    """The labelings by trees of one first test: each of a branch with each of the others."""
    first, *others = parts
    if not others:
        return by_leaves[leaves - 1][first]
    joined = []
    for taken in range(1, leaves - len(others) + 1):
        rest = _joined(by_leaves, others, leaves - taken)
        joined.append((by_leaves[taken - 1][first][:, None] | rest[None, :]).ravel())
    return np.unique(np.concatenate(joined))


def _largest(labelings: Longs, m: int) -> tuple[int, ...]:
    """The most points on which every labeling occurs."""
    for size in range(m, 0, -1):
        if 1 << size > len(labelings):
            continue
        for points in combinations(range(m), size):
            if len(np.unique(labelings & sum(1 << k for k in points))) == 1 << size:
                return points
    return ()
