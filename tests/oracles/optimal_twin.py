"""The least cost of any tree of a depth, by trying every test: the twin of the search for optimal trees.

Rows are lists of values (None is missing); `costs[i][a]` is what answer a costs for row i. Slow and plain:
for tables of a dozen rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

INFINITE = float("inf")


def least_cost(
    rows: Sequence[Sequence[Any]],
    costs: Sequence[Sequence[float]],
    nominal: Sequence[bool],
    depth: int,
    min_rows: int = 1,
    price: float = 0.0,
) -> float:
    """What the best tree costs: its answers on the rows, and a price for each leaf."""
    if len(rows) < min_rows:
        return INFINITE
    best = min(sum(answers) for answers in zip(*costs, strict=True)) + price
    if depth == 0:
        return best
    for left in partitions(rows, nominal):
        sides = [[i for i in range(len(rows)) if (i in left) == first] for first in (True, False)]
        total = sum(
            least_cost([rows[i] for i in side], [costs[i] for i in side], nominal, depth - 1, min_rows, price)
            for side in sides
        )
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
