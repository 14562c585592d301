"""The smallest consistent trees of a tiny table, by trying everything: the twin of
`hornbeam.teaching.smallest`.

One idea: rows are a frozenset of numbers, and the cheapest tree of a set within a depth is the least sum over
all tests, remembered and nothing else. No bounds, no order of search.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, product
from typing import Any

Rows = frozenset[int]
Cost = tuple[float, float]
Test = tuple[str, list[tuple[str, Rows]]]  # what is asked; each answer with the rows that give it

# What (leaves, tests) count for; the first of the two decides.
SIZES = {
    "leaves": lambda leaves, tests: (leaves, tests),
    "nodes": lambda leaves, tests: (leaves + tests, tests),
    "tests": lambda leaves, tests: (tests, leaves),
    "depth": lambda leaves, tests: (leaves, tests),
}


class Smallest:
    """A table whose columns are (kind of test, domain): "threshold", "equals", "subset" or "multiway".

    The domain of a numeric column is None; an ordinal one is cut by "threshold" and has a domain.
    """

    def __init__(
        self,
        X: Mapping[str, Sequence[Any]],
        y: Sequence[Any],
        kinds: Mapping[str, tuple[str, Sequence[Any] | None]],
        size: str = "leaves",
    ) -> None:
        self.X, self.y, self.kinds, self.size = X, y, kinds, size
        self.classes = sorted(set(y))
        self.all = frozenset(range(len(y)))
        self.cost = lru_cache(None)(self._cost)

    # ---- tests in the order of ties ------------------------------------------------------------------------

    def tests(self, rows: Rows) -> Iterator[Test]:
        for name, (kind, domain) in self.kinds.items():
            order = sorted(set(self.X[name])) if domain is None else list(domain)
            present = [v for v in order if any(self.X[name][i] == v for i in rows)]
            if len(present) >= 2:
                yield from getattr(self, f"_{kind}")(name, domain, present, rows)

    def having(self, name: str, values: Sequence[Any], rows: Rows) -> Rows:
        return frozenset(i for i in rows if self.X[name][i] in values)

    def _threshold(self, name: str, domain: Any, present: list[Any], rows: Rows) -> Iterator[Test]:
        for k in range(1, len(present)):
            cut = f"{(present[k - 1] + present[k]) / 2:g}" if domain is None else str(present[k - 1])
            low = self.having(name, present[:k], rows)
            yield name, [(f"<={cut}", low), (f">{cut}", rows - low)]

    def _equals(self, name: str, domain: Any, present: list[Any], rows: Rows) -> Iterator[Test]:
        for value in present[:1] if len(present) == 2 else present:
            yes = self.having(name, [value], rows)
            yield f"{name}={value}", [("yes", yes), ("no", rows - yes)]

    def _subset(self, name: str, domain: Any, present: list[Any], rows: Rows) -> Iterator[Test]:
        for size in range(len(present) - 1):
            for more in combinations(present[1:], size):
                one = [present[0], *more]
                two = [v for v in present if v not in one]
                yield (
                    name,
                    [("{" + ",".join(map(str, s)) + "}", self.having(name, s, rows)) for s in (one, two)],
                )

    def _multiway(self, name: str, domain: Any, present: list[Any], rows: Rows) -> Iterator[Test]:
        yield name, [(str(value), self.having(name, [value], rows)) for value in domain]

    # ---- costs ---------------------------------------------------------------------------------------------

    def is_leaf(self, rows: Rows) -> bool:
        return len({self.y[i] for i in rows}) <= 1

    def _cost(self, rows: Rows, depth: int) -> Cost:
        """The least cost of a tree of `rows` that is at most so deep."""
        if self.is_leaf(rows):
            return SIZES[self.size](1, 0)
        if depth == 0:
            return (math.inf, math.inf)
        return min(self.cost_of(test, depth) for test in self.tests(rows))

    def cost_of(self, test: Test, depth: int) -> Cost:
        costs = [SIZES[self.size](0, 1), *(self.cost(part, depth - 1) for _, part in test[1])]
        return tuple(map(sum, zip(*costs, strict=True)))  # type: ignore[return-value]

    def depth_for(self, rows: Rows, allowed: int) -> int:
        """The least depth at which a tree costs no more than at the depth allowed."""
        return next(d for d in range(allowed + 1) if self.cost(rows, d) == self.cost(rows, allowed))

    # ---- trees ---------------------------------------------------------------------------------------------

    def text(self) -> str:
        """The canonical text of the smallest tree."""
        deepest = len(self.y)
        if self.size == "depth":
            deepest = next(d for d in range(deepest + 1) if self.cost(self.all, d)[0] < math.inf)
        return self.text_of(self.all, deepest, self.all)

    def text_of(self, rows: Rows, allowed: int, parent: Rows) -> str:
        if self.is_leaf(rows):
            return self.leaf(rows, parent)
        depth = self.depth_for(rows, allowed)
        test = next(t for t in self.tests(rows) if self.cost_of(t, depth) == self.cost(rows, depth))
        branches = [f"{answer}: {self.text_of(part, depth - 1, rows)}" for answer, part in test[1]]
        return f"{test[0]}[{' | '.join(branches)}]"

    def texts(self, rows: Rows | None = None, parent: Rows | None = None) -> list[str]:
        """The canonical texts of all smallest trees, whatever their depth."""
        rows = self.all if rows is None else rows
        if self.is_leaf(rows):
            return [self.leaf(rows, parent or rows)]
        found = []
        for test in self.tests(rows):
            if self.cost_of(test, len(self.y)) == self.cost(rows, len(self.y)):
                below = [self.texts(part, rows) for _, part in test[1]]
                for subtrees in product(*below):
                    branches = [f"{a}: {s}" for (a, _), s in zip(test[1], subtrees, strict=True)]
                    found.append(f"{test[0]}[{' | '.join(branches)}]")
        return found

    def leaf(self, rows: Rows, parent: Rows) -> str:
        counts = [sum(self.y[i] == c for i in rows) for c in self.classes]
        voters = counts if rows else [sum(self.y[i] == c for i in parent) for c in self.classes]
        return f"{self.classes[voters.index(max(voters))]}({':'.join(map(str, counts))})"


@lru_cache(maxsize=100_000)
def smallest_by_subcubes(outputs: tuple[Any, ...]) -> tuple[int, int]:
    """The fewest leaves of a Boolean function, and how many trees have them, from the halves of its cube.

    The outputs are in the order of counting, so a variable halves them into blocks of equal length.
    """
    if len(set(outputs)) == 1:
        return 1, 1
    sizes = []
    block = len(outputs) // 2
    while block:
        starts = range(0, len(outputs), 2 * block)
        zero = tuple(output for k in starts for output in outputs[k : k + block])
        one = tuple(output for k in starts for output in outputs[k + block : k + 2 * block])
        (leaves, n), (more_leaves, m) = smallest_by_subcubes(zero), smallest_by_subcubes(one)
        sizes.append((leaves + more_leaves, n * m))
        block //= 2
    least = min(leaves for leaves, _ in sizes)
    return least, sum(n for leaves, n in sizes if leaves == least)
