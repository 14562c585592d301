"""The search itself: a Problem through the core, and the sentence if it is too large.

One idea: a size is a pair of prices, for a leaf and for a test, in one whole number: the first thing to be
small in the high bits, what settles ties in the low ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from hornbeam import _core
from hornbeam._base.parameters import did_you_mean
from hornbeam._base.types import AnyArray
from hornbeam.teaching.smallest.problem import Problem


@dataclass(frozen=True)
class Size:
    """What a tree is measured by: prices of leaf and test, and how to read the first thing off a sum."""

    leaf: int
    test: int
    shift: int

    def read(self, cost: int) -> int:
        """The size a cost stands for."""
        return cost >> self.shift


# Fewer than 2^10 tests and 2^21 leaves: see MOST_ROWS and MOST_VALUES.
SIZES: Mapping[str, Size] = {
    "leaves": Size(1 << 10, 1, 10),  # then tests
    "nodes": Size(1 << 10, (1 << 10) + 1, 10),  # then tests
    "tests": Size(1, 1 << 21, 21),  # then leaves
    "depth": Size(1 << 10, 1, 10),  # of the trees of least depth: leaves, then tests
}
COST, DEPTH, EVERY = range(3)  # the goals of the core


class SearchTooLargeError(ValueError):
    """The search for a smallest tree would take more than `max_cost`.

    Attributes
    ----------
    at_least, at_most : int
        The least size lies between these: what was proven, and the size of a tree grown greedily.
    expected : float
        A rough estimate of the cost of the whole search.
    """

    def __init__(self, message: str, at_least: int, at_most: int, expected: float) -> None:
        super().__init__(message)
        self.at_least, self.at_most, self.expected = at_least, at_most, expected

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.at_least, self.at_most, self.expected)


@dataclass(frozen=True)
class Graph:
    """The smallest trees of a problem: `rows[s]` are the rows of state s, state 0 all of them.

    The tests of state s are `test_offset[s]` up to `test_offset[s + 1]`; the children of test t are
    `child[child_offset[t]]` up to `child[child_offset[t + 1]]`, one for each branch that has rows. A state
    without tests is a leaf.
    """

    least: int
    n_sets: int
    rows: AnyArray
    test_offset: list[int]
    test_column: list[int]
    child_offset: list[int]
    child: list[int]

    def __len__(self) -> int:
        return len(self.rows)

    def tests(self, state: int) -> range:
        """The tests of a state."""
        return range(self.test_offset[state], self.test_offset[state + 1])

    def children(self, test: int) -> list[int]:
        """The states a test leads to."""
        return self.child[self.child_offset[test] : self.child_offset[test + 1]]


def size_named(size: Any) -> Size:
    """The measure of a name.

    >>> size_named("leaves").read(3 * 1024 + 2)
    3
    """
    if isinstance(size, str) and size in SIZES:
        return SIZES[size]
    raise ValueError(
        f"size={size!r} is not known{did_you_mean(size, SIZES)}: use one of {', '.join(map(repr, SIZES))}"
    )


def search(problem: Problem, size: str, max_cost: Any, *, goal: int, build: bool) -> Graph:
    """The smallest trees by a measure; with `build` false only their size."""
    measure = size_named(size)
    n_words = _words(len(problem.classes))
    found = _core.smallest(
        [
            (codes, kind, problem.n_codes(column))
            for column, (codes, kind) in enumerate(zip(problem.codes, problem.kinds, strict=True))
        ],
        problem.classes,
        len(problem.target.classes),
        {
            "leaf_cost": measure.leaf,
            "test_cost": measure.test,
            "goal": goal,
            "most_sets": max(_whole(max_cost) // n_words, 1),
            "build": build,
        },
    )
    if not found["finished"]:
        raise _too_large(problem, size, max_cost, found, n_words)
    return _graph(found, measure)


def _words(n_rows: int) -> int:
    """The width of a row set in words of 64 rows, as the core rounds it up."""
    return next(n for n in (1, 2, 4, 8, 16) if n_rows <= 64 * n)


def _whole(max_cost: Any) -> int:
    is_whole = (
        isinstance(max_cost, int | float) and not isinstance(max_cost, bool) and max_cost == int(max_cost)
    )
    if not is_whole or not 1 <= max_cost < 2**63:
        raise ValueError(
            f"max_cost={max_cost!r} must be a whole number of at least 1: how many sets of rows the search"
            " may keep, 10,000,000 by default"
        )
    return int(max_cost)


def _too_large(
    problem: Problem, size: str, max_cost: Any, found: Mapping[str, Any], n_words: int
) -> Exception:
    measure = SIZES[size]
    n = len(problem.classes)
    at_least, at_most = measure.read(found["cost"]), measure.read(found["cost_met"])
    if size == "depth":
        at_least, at_most = max(found["depth"], 1), max(found["depth"], n - 1)
    expected = max(n_words * min(found["expected"], problem.n_boxes), 2.0 * max_cost)
    known = f"between {at_least} and {at_most}" if size == "depth" else f"{at_least} to {at_most} {size}"
    return SearchTooLargeError(
        f"the search for the smallest tree of {n} different rows and {len(problem.codes)} columns was given"
        f" up at max_cost={int(max_cost):,}: the least size is {known}, and the whole search would cost about"
        f" {expected:.0e}; take fewer rows or columns, or raise max_cost (a million takes up to 50 MB and"
        " about a second)",
        at_least,
        at_most,
        expected,
    )


def _graph(found: Mapping[str, Any], measure: Size) -> Graph:
    lists: Callable[[str], list[int]] = lambda name: found[name].tolist()  # noqa: E731
    return Graph(
        found["depth"] if found["depth"] >= 0 else measure.read(found["cost"]),
        found["n_sets"],
        found["rows"].reshape(-1, found["n_words"]),
        lists("test_offset"),
        lists("test_column"),
        lists("child_offset"),
        lists("child"),
    )
