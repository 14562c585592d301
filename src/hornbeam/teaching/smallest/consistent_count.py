"""How many consistent trees a table has, not only smallest ones.

One idea: a tree of some rows is a leaf if they are of one class, and otherwise any test that parts them with
any trees of its branches. So the trees of a set of rows are the sum over its tests of the product over their
branches; sets that occur again are counted once. Numbers are exact, however long.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np

from hornbeam._base.types import Ints
from hornbeam.teaching.smallest.smallest_search import Problem, read_problem
from hornbeam.tree.arrays import EQUALS, MULTIWAY, SUBSET, THRESHOLD

MOST_SETS = 200_000  # of rows, that are looked at


def count_consistent_trees(
    X: Any,
    y: Any,
    *,
    split: Any = "binary",
    categorical_features: Any = "from_dtype",
    counts: Any = None,
    max_sets: int = MOST_SETS,
) -> int:
    """How many trees answer every row of a table right and stop where all rows are of one class.

    Parameters
    ----------
    X, y, split, categorical_features, counts : as for `hb.teaching.smallest_trees`
    max_sets : int
        How many different sets of rows are looked at before giving up.

    Examples
    --------
    >>> count_consistent_trees({"x": [0, 1, 2, 3]}, ["p", "q", "p", "q"])
    5
    >>> import hornbeam as hb
    >>> xor = hb.datasets.load("xor2")
    >>> count_consistent_trees(xor.X, xor.y, split="multiway", categorical_features=xor.categorical)
    2
    """
    problem = read_problem(X, y, split, categorical_features, counts)
    codes = np.stack(problem.codes, axis=1)
    known: dict[bytes, int] = {}
    # A set is counted once its branches are; until then it waits on the stack, so that nothing recurses.
    start = np.arange(len(problem.classes))
    stack = [start]
    while stack:
        rows = stack[-1]
        name = rows.tobytes()
        if name in known:
            stack.pop()
            continue
        if (problem.classes[rows] == problem.classes[rows[0]]).all():
            known[name] = 1
            continue
        tests = list(partitions(problem, codes, rows))
        waiting = [part for parts in tests for part in parts if part.tobytes() not in known]
        if waiting:
            stack += waiting
            if len(known) + len(waiting) > max_sets:
                raise ValueError(
                    f"the trees of this table branch over more than max_sets={max_sets} sets of rows: take"
                    " fewer rows or columns, or a larger max_sets"
                )
            continue
        total = 0
        for parts in tests:
            product = 1
            for part in parts:
                product *= known[part.tobytes()]
            total += product
        known[name] = total
    return known[start.tobytes()]


def partitions(problem: Problem, codes: Ints, rows: Any) -> Iterator[list[Any]]:
    """The rows parted by every test that parts them."""
    for column, kind in enumerate(problem.kinds):
        values = codes[rows, column]
        present = np.unique(values)
        if len(present) < 2:
            continue
        if kind == MULTIWAY:
            yield [rows[values == value] for value in present]
        elif kind == THRESHOLD:
            for value in present[:-1]:
                yield [rows[values <= value], rows[values > value]]
        elif kind == EQUALS:
            for value in present[: 1 if len(present) == 2 else None]:
                yield [rows[values == value], rows[values != value]]
        else:
            assert kind == SUBSET
            for size in range(len(present) - 1):  # the first value is always on the first side
                for others in combinations(present[1:].tolist(), size):
                    first = np.isin(values, [present[0], *others])
                    yield [rows[first], rows[~first]]
