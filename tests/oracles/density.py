"""The slow, obvious twin of density trees: every cut of every node in exact fractions.

One idea: write the loss down as in the paper, R = -(w / W)^2 / V, and let fractions do the rest.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any

import numpy as np

Side = tuple[Fraction, Fraction]


@dataclass
class Rows:
    """A small table: `kind` and values of each column, the box, weights and repetitions of the rows."""

    kinds: list[str]
    values: list[list[Any]]
    box: list[Any]  # numeric: (low, high); else the number of categories
    weights: list[Fraction]
    counts: list[int]
    max_depth: int = 99
    min_split: int = 2
    min_leaf: int = 1
    total: Fraction = field(init=False)

    def __post_init__(self) -> None:
        self.total = sum((w * c for w, c in zip(self.weights, self.counts, strict=True)), Fraction(0))

    def weight(self, rows: list[int]) -> Fraction:
        """The weight of some rows."""
        return sum((self.weights[i] * self.counts[i] for i in rows), Fraction(0))

    def number(self, rows: list[int]) -> int:
        """Rows, as often as they are repeated."""
        return sum(self.counts[i] for i in rows)


@dataclass(frozen=True)
class Box:
    """A side for each column: an interval, or the values left."""

    sides: tuple[Any, ...]

    def size(self, j: int) -> Fraction:
        """Length, or number of values; a point has size 1."""
        side = self.sides[j]
        if isinstance(side, frozenset):
            return Fraction(len(side))
        return side[1] - side[0] if side[1] > side[0] else Fraction(1)

    def volume(self) -> Fraction:
        """The product of the sides."""
        found = Fraction(1)
        for j in range(len(self.sides)):
            found *= self.size(j)
        return found

    def with_side(self, j: int, side: Any) -> Box:
        """The same box with another side."""
        return Box((*self.sides[:j], side, *self.sides[j + 1 :]))


def root_box(table: Rows) -> Box:
    """The box of the whole table."""
    sides: list[Any] = []
    for kind, given in zip(table.kinds, table.box, strict=True):
        if kind == "numeric":
            sides.append((Fraction(given[0]), Fraction(given[1])))
        elif kind == "ordinal":
            sides.append((Fraction(-1, 2), Fraction(2 * given - 1, 2)))
        else:
            sides.append(frozenset(range(given)))
    return Box(tuple(sides))


def loss(table: Rows, rows: list[int], box: Box) -> Fraction:
    """R(t)."""
    return -((table.weight(rows) / table.total) ** 2) / box.volume()


def cuts(table: Rows, j: int, rows: list[int], box: Box) -> list[tuple[Any, Any, Box, Box, list[int]]]:
    """(place in K4's order, test, two boxes, rows of the first) of every cut of a column."""
    x = table.values[j]
    present = sorted({x[i] for i in rows})
    found: list[Any] = []
    if table.kinds[j] == "nominal":
        order = sorted(present, key=lambda v: (table.weight([i for i in rows if x[i] == v]), v))
        absent = box.sides[j] - set(present)
        for k in range(1, len(order)):
            rare = frozenset(order[:k]) | absent
            first = rare if present[0] in rare else box.sides[j] - rare
            inside = sorted(first & set(present))
            boxes = box.with_side(j, first), box.with_side(j, box.sides[j] - first)
            found.append(((len(inside), inside), ("in", frozenset(first)), *boxes))
    else:
        for low, high in pairwise(present):
            places = [Fraction(low) + (Fraction(high) - Fraction(low)) / 2]
            if table.kinds[j] == "ordinal":
                places = [Fraction(2 * v + 1, 2) for v in range(low, high)]
            for at in places:
                side = box.sides[j]
                if side[0] < at < side[1]:
                    boxes = box.with_side(j, (side[0], at)), box.with_side(j, (at, side[1]))
                    found.append(((at,), ("<=", at), *boxes))
    out = []
    for place, test, one, other in found:
        below = [i for i in rows if (x[i] in test[1] if test[0] == "in" else x[i] <= test[1])]
        above = [i for i in rows if i not in set(below)]
        if min(table.number(below), table.number(above)) >= table.min_leaf:
            out.append((place, test, one, other, below))
    return out


def grow(table: Rows, rows: list[int] | None = None, box: Box | None = None, depth: int = 0) -> Any:
    """Nested tuples: a leaf is (rows, density), a test (column, test, gain, first node, second node)."""
    rows = (
        [i for i in range(len(table.counts)) if table.counts[i] and table.weights[i]]
        if rows is None
        else rows
    )
    box = box or root_box(table)
    n = table.number(rows)
    leaf = (n, table.weight(rows) / table.total / box.volume())
    if depth >= table.max_depth or n < table.min_split:
        return leaf
    best: list[Any] = []
    for j in range(len(table.kinds)):
        for place, test, one, other, below in cuts(table, j, rows, box):
            above = [i for i in rows if i not in set(below)]
            score = -loss(table, below, one) - loss(table, above, other)
            best.append((score, (j, place), (test, one, other, below, above)))
    if not best:
        return leaf
    top = max(score for score, _, _ in best)
    score, (j, _), (test, one, other, below, above) = min(
        (c for c in best if top - c[0] <= top / 10**12), key=lambda c: c[1]
    )
    kids = (grow(table, below, one, depth + 1), grow(table, above, other, depth + 1))
    return (j, test, score + loss(table, rows, box), *kids)


def best_of_all_sets(table: Rows, j: int) -> Fraction:
    """The best score of the root over every division of a nominal column's values into two sets."""
    box = root_box(table)
    rows = list(range(len(table.counts)))
    domain, found = sorted(box.sides[j]), Fraction(0)
    for size in range(1, len(domain)):
        for some in combinations(domain, size):
            below = [i for i in rows if table.values[j][i] in some]
            above = [i for i in rows if table.values[j][i] not in some]
            if below and above:
                one, other = frozenset(some), frozenset(domain) - frozenset(some)
                score = -loss(table, below, box.with_side(j, one)) - loss(
                    table, above, box.with_side(j, other)
                )
                found = max(found, score)
    return found


def random_rows(rng: np.random.Generator) -> Rows:
    """A table of a few rows, few values, ties, constant columns, repetitions and weights.

    The box of a numeric column is the range of the rows that count, or [-1, 6].
    """
    n = int(rng.integers(1, 13))
    weights = [Fraction(1)] * n
    if rng.random() < 0.4:
        weights = [Fraction(int(w)) / 4 for w in rng.integers(0, 5, n)]
    counts = rng.integers(0, 4, n).tolist() if rng.random() < 0.4 else [1] * n
    if not any(w * c for w, c in zip(weights, counts, strict=True)):
        weights[0], counts[0] = Fraction(1), 1
    kinds, values, box = [], [], []
    for _ in range(int(rng.integers(1, 4))):
        kinds.append(str(rng.choice(["numeric", "numeric", "ordinal", "nominal"])))
        if kinds[-1] == "numeric":
            values.append((rng.integers(0, int(rng.integers(1, 9)), n) / 2).tolist())
            live = [x for x, w, c in zip(values[-1], weights, counts, strict=True) if w * c]
            box.append((min(live), max(live)) if rng.random() < 0.6 else (-1.0, 6.0))
        else:
            box.append(int(rng.integers(1, 6)))
            values.append(rng.integers(0, box[-1], n).tolist())
    limits = [int(rng.choice(some)) for some in ([99, 99, 1, 2, 3], [2, 2, 4], [1, 1, 2, 3])]
    return Rows(kinds, values, box, weights, counts, *limits)
