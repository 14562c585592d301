"""The core called for smallest trees: one table in its form, and the graph that it answers with.

One idea: a tree cannot tell rows with the same inputs apart, so they are one row here; if their classes
differ, no tree is consistent and the table is refused. A size is a pair of prices, for a leaf and for a test,
in one whole number: what must be small in the high bits, what settles ties in the low ones.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hornbeam import _core
from hornbeam._base.parameters import did_you_mean
from hornbeam._base.types import AnyArray, Floats, Ints, Longs, distinct_rows
from hornbeam.data.columns import Column
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.growing.part import resolve
from hornbeam.growing.splits import Binary, Multiway, OneVsRest, PerColumn, Splitting
from hornbeam.tree.arrays import MULTIWAY, SUBSET, THRESHOLD
from hornbeam.tree.tree import KINDS

SPLITS: Mapping[str, type[Splitting]] = {part.name: part for part in (Binary, Multiway, OneVsRest)}
MOST_ROWS = 1024  # different rows
MOST_VALUES = {SUBSET: 16, MULTIWAY: 2048}  # of a column, by the kind of its tests


@dataclass(frozen=True)
class Problem:
    """A table ready to be searched.

    Attributes
    ----------
    table, target : as every learner sees them
    split : the kind of test for each column
    codes : for each column the code of each different row: the category, or the rank of the number
    values : for each column the numbers in order; empty for categories
    classes : the class of each different row
    """

    table: Table
    target: Target
    split: Splitting
    codes: tuple[Ints, ...]
    values: tuple[Floats, ...]
    classes: Ints

    @property
    def kinds(self) -> list[int]:
        """The kind of test of each column, as the Tree numbers them."""
        return [KINDS.index(self.split.kind(column)) for column in self.table.columns]

    def n_codes(self, column: int) -> int:
        """How many codes a column may have."""
        return len(self.table.columns[column].categories) or len(self.values[column])

    @property
    def n_boxes(self) -> float:
        """How many sets of rows a path of tests can lead to, at most."""
        log2 = sum(math.log2(self._boxes(column)) for column in range(len(self.codes)))
        return 2.0 ** min(log2, float(len(self.classes)), 1000.0)

    def _boxes(self, column: int) -> float:
        n, kind = self.n_codes(column), self.kinds[column]
        return n + 1.0 if kind == MULTIWAY else n * (n + 1) / 2 if kind == THRESHOLD else 2.0 ** min(n, 1000)


def read_problem(X: Any, y: Any, split: Any, categorical_features: Any, counts: Any) -> Problem:
    """The problem of a table.

    >>> read_problem({"a": ["u", "u", "v"]}, ["p", "p", "q"], "multiway", "from_dtype", None).classes
    array([0, 1], dtype=int32)
    """
    splitting = _one_column_at_a_time(split)
    table = Table.learn(X, categorical_features)
    splitting.check_columns(table.columns)
    target = Target.classes_of(y, None, counts, n_rows=table.n_rows, estimator="search")
    assert target.codes is not None
    rows = np.arange(table.n_rows) if target.counts is None else np.flatnonzero(target.counts > 0)
    encoded = [_encode(column, array[rows], rows) for column, array in _pairs(table)]
    first, group = distinct_rows([codes for codes, _ in encoded])
    classes = target.codes[rows]
    _refuse_contradiction(table, target, rows, first, group, classes)
    if len(set(classes.tolist())) == 1:
        first = first[:1]  # one leaf, however many rows there are
    problem = Problem(
        table,
        target,
        splitting,
        tuple(np.ascontiguousarray(codes[first]) for codes, _ in encoded),
        tuple(values for _, values in encoded),
        np.ascontiguousarray(classes[first]),
    )
    _refuse_large(problem)
    return problem


def _one_column_at_a_time(split: Any) -> Splitting:
    part = resolve("split", split, SPLITS, Splitting)
    if isinstance(part, (*SPLITS.values(), PerColumn)):
        return part
    raise ValueError(
        f"split={split!r} tests several columns together, but smallest trees are searched with tests of one"
        f" column: use one of {', '.join(map(repr, SPLITS))}, or PerColumn(...)"
    )


def _pairs(table: Table) -> list[tuple[Column, AnyArray]]:
    return list(zip(table.columns, table.arrays, strict=True))


def _encode(column: Column, array: AnyArray, rows: Longs) -> tuple[Ints, Floats]:
    """Codes, and what number each stands for."""
    missing = np.isnan(array) if column.kind == "numeric" else array < 0
    if missing.any():
        raise ValueError(
            f"column {column.name!r} has a missing value in row {int(rows[missing.argmax()])}, but the"
            " smallest tree is defined for complete rows: fill the gaps in, for example with a category"
            " 'Missing', or leave the rows out"
        )
    if column.kind != "numeric":
        return array.astype(np.int32), np.empty(0)
    values, ranks = np.unique(array.astype(np.float64), return_inverse=True)
    return ranks.reshape(-1).astype(np.int32), values


def _refuse_contradiction(
    table: Table, target: Target, rows: Longs, first: Longs, group: Longs, classes: Ints
) -> None:
    twin = first[group]  # the earliest row with the same inputs
    other = classes != classes[twin]
    if other.any():
        i, j = int(twin[other.argmax()]), int(other.argmax())
        inputs = ", ".join(
            f"{column.name}={column.text(float(array[rows[i]]))}" for column, array in _pairs(table)
        )
        labels = [target.classes[int(classes[k])] for k in (i, j)]
        raise ValueError(
            f"rows {int(rows[i])} and {int(rows[j])} have the same inputs ({inputs}) but the classes"
            f" {labels[0]!r} and {labels[1]!r}, so no tree is consistent with both: leave one out, or add a"
            " column that tells them apart"
        )


def _refuse_large(problem: Problem) -> None:
    n = len(problem.classes)
    if n > MOST_ROWS:
        raise ValueError(
            f"X has {n:,} different rows, but the smallest tree is searched for up to {MOST_ROWS:,}: there"
            f" would be up to {problem.n_boxes:.0e} sets of rows to look at; take fewer rows, or grow a small"
            " tree with TreeClassifier"
        )
    for number, (column, kind) in enumerate(zip(problem.table.columns, problem.kinds, strict=True)):
        values = problem.n_codes(number) if kind == MULTIWAY else len(set(problem.codes[number].tolist()))
        if values > MOST_VALUES.get(kind, values):
            raise ValueError(
                f"column {column.name!r} has {values:,} values, but {KINDS[kind]} tests are searched for up"
                f" to {MOST_VALUES[kind]:,}: use split='one-vs-rest', for this column at least (see"
                " hornbeam.parts.PerColumn), or merge values"
            )


# ---- the search ------------------------------------------------------------------------------------------


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
class SolutionGraph:
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


def search(problem: Problem, size: str, max_cost: Any, *, goal: int, build: bool) -> SolutionGraph:
    """The smallest trees by a measure; with `build` false only their size."""
    measure = size_named(size)
    n_words = _words(len(problem.classes))
    kinds = enumerate(zip(problem.codes, problem.kinds, strict=True))
    columns = [(codes, kind, problem.n_codes(column)) for column, (codes, kind) in kinds]
    options = {"leaf_cost": measure.leaf, "test_cost": measure.test, "goal": goal, "build": build}
    options["most_sets"] = max(_whole(max_cost) // n_words, 1)
    answer = _core.smallest(columns, problem.classes, len(problem.target.classes), options)
    if not answer["finished"]:
        raise _too_large(problem, size, max_cost, answer, n_words)
    lists = (answer[name].tolist() for name in ("test_offset", "test_column", "child_offset", "child"))
    least = answer["depth"] if answer["depth"] >= 0 else measure.read(answer["cost"])
    return SolutionGraph(least, answer["n_sets"], answer["rows"].reshape(-1, answer["n_words"]), *lists)


def _words(n_rows: int) -> int:
    """The width of a row set in words of 64 rows, as the core rounds it up."""
    return next(n for n in (1, 2, 4, 8, 16) if n_rows <= 64 * n)


def _whole(max_cost: Any) -> int:
    is_whole = isinstance(max_cost, int | float) and not isinstance(max_cost, bool) and max_cost % 1 == 0
    if not is_whole or not 1 <= max_cost < 2**63:
        raise ValueError(
            f"max_cost={max_cost!r} must be a whole number of at least 1: how many sets of rows the search"
            " may keep, 10,000,000 by default"
        )
    return int(max_cost)


def _too_large(
    problem: Problem, size: str, max_cost: Any, answer: Mapping[str, Any], n_words: int
) -> Exception:
    measure = SIZES[size]
    n = len(problem.classes)
    at_least, at_most = measure.read(answer["cost"]), measure.read(answer["cost_met"])
    if size == "depth":
        at_least, at_most = max(answer["depth"], 1), max(answer["depth"], n - 1)
    expected = max(n_words * min(answer["expected"], problem.n_boxes), 2.0 * max_cost)
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
