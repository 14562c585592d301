"""The least cost of any tree of a depth, by trying every test: the twin of the search for optimal trees.

Rows are lists of values (None is missing); `costs[i][a]` is what answer a costs for row i; of numbers,
`costs[i]` is a weight and the number. Slow and plain: for tables of a dozen rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any

INFINITE = float("inf")


def cheapest_answer(costs: Sequence[Sequence[float]]) -> float:
    """What the best of all answers costs."""
    return min(sum(answers) for answers in zip(*costs, strict=True))


def squared_error(rows: Sequence[Sequence[float]]) -> float:
    """What the mean costs of numbers with weights: the sum of squared differences."""
    weight = sum(w for w, _ in rows)
    mean = sum(w * y for w, y in rows) / weight
    return sum(w * (y - mean) ** 2 for w, y in rows)


def least_cost(
    rows: Sequence[Sequence[Any]],
    costs: Sequence[Sequence[float]],
    nominal: Sequence[bool],
    depth: int,
    min_rows: int = 1,
    price: float = 0.0,
    leaves: int | None = None,
    leaf_cost: Callable[[Sequence[Sequence[float]]], float] = cheapest_answer,
) -> float:
    """What the best tree of some leaves costs: its answers on the rows, and a price for each leaf."""
    if len(rows) < min_rows:
        return INFINITE
    best = leaf_cost(costs) + price
    if depth == 0 or leaves == 1:
        return best
    for left in partitions(rows, nominal):
        sides = [[i for i in range(len(rows)) if (i in left) == first] for first in (True, False)]
        for shares in [(None, None)] if leaves is None else [(n, leaves - n) for n in range(1, leaves)]:
            total = 0.0
            for side, share in zip(sides, shares, strict=True):
                some, their_costs = [rows[i] for i in side], [costs[i] for i in side]
                total += least_cost(some, their_costs, nominal, depth - 1, min_rows, price, share, leaf_cost)
            best = min(best, total)
    return best


def partitions(rows: Sequence[Sequence[Any]], nominal: Sequence[bool]) -> Iterator[set[int]]:
    """The rows that each possible test sends left; both sides have rows."""
    for column, is_nominal in enumerate(nominal):
        values = [row[column] for row in rows]
        known = sorted({value for value in values if value is not None})
        tests: list[set[Any]] = []
        if is_nominal:
            for size in range(1, len(known) + 1):
                tests += [set(chosen) for chosen in combinations(known, size)]
        else:
            tests = [set(known[: k + 1]) for k in range(len(known))]
        for test in tests:
            for gaps_left in (False, True) if None in values else (False,):
                left = {i for i, value in enumerate(values) if value in test or (value is None and gaps_left)}
                if 0 < len(left) < len(rows):
                    yield left


def least_ordered_cost(
    rows: Sequence[Sequence[Any]],
    costs: Sequence[Sequence[float]],
    nominal: Sequence[bool],
    depth: int,
    min_rows: int,
    price: float,
    means: Sequence[tuple[float, ...]],
    orders: Sequence[tuple[int, int, int]],
    leaf_cost: Callable[[Sequence[Sequence[float]]], float] = cheapest_answer,
) -> float:
    """The same where means of leaves are ordered: `means` are a row's weight and what it adds to each mean.

    (column, mean, sign): no leaf with a known value above a threshold passes one below it the wrong way.
    """

    def trees(here: list[int], levels: int) -> list[tuple[float, list[tuple[float, ...]]]]:
        """The cost of every tree of some rows, and the means of its leaves."""
        if len(here) < min_rows:
            return []
        sums = [sum(means[i][f] for i in here) for f in range(len(means[0]))]
        leaf = tuple(total / sums[0] for total in sums[1:])
        every = [(leaf_cost([costs[i] for i in here]) + price, [leaf])]
        for column in range(len(nominal)) if levels else ():
            alone = [[rows[i][column]] for i in here]
            for left in partitions(alone, [nominal[column]]):
                sides = [[i for k, i in enumerate(here) if (k in left) == first] for first in (True, False)]
                known = [any(rows[i][column] is not None for i in side) for side in sides]
                signs = [(mean, sign) for c, mean, sign in orders if c == column and all(known)]
                for cost, some in trees(sides[0], levels - 1):
                    for more, others in trees(sides[1], levels - 1):
                        if all(s * a[m] <= s * b[m] for m, s in signs for a in some for b in others):
                            every.append((cost + more, some + others))
        return every

    return min((cost for cost, _ in trees(list(range(len(rows))), depth)), default=INFINITE)
