"""What the search for smallest trees looks at: the different rows of a table as codes, and its classes.

One idea: a tree cannot tell rows with the same inputs apart, so they are one row here; if their classes
differ, no tree is consistent and the table is refused at the door.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hornbeam._base.types import AnyArray, Floats, Ints, Longs
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


def read(X: Any, y: Any, split: Any, categorical_features: Any, counts: Any) -> Problem:
    """The problem of a table.

    >>> read({"a": ["u", "u", "v"]}, ["p", "p", "q"], "multiway", "from_dtype", None).classes
    array([0, 1], dtype=int32)
    """
    splitting = _one_column_at_a_time(split)
    table = Table.learn(X, categorical_features)
    splitting.check_columns(table.columns)
    target = Target.classes_of(y, None, counts, n_rows=table.n_rows, estimator="search")
    assert target.codes is not None
    rows = np.arange(table.n_rows) if target.counts is None else np.flatnonzero(target.counts > 0)
    encoded = [_encode(column, array[rows], rows) for column, array in _pairs(table)]
    first, group = _different([codes for codes, _ in encoded])
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
    gaps = np.isnan(array) if column.kind == "numeric" else array < 0
    if gaps.any():
        raise ValueError(
            f"column {column.name!r} has a missing value in row {int(rows[gaps.argmax()])}, but the smallest"
            " tree is defined for complete rows: fill the gaps in, for example with a category 'Missing', or"
            " leave the rows out"
        )
    if column.kind != "numeric":
        return array.astype(np.int32), np.empty(0)
    values, ranks = np.unique(array.astype(np.float64), return_inverse=True)
    return ranks.reshape(-1).astype(np.int32), values


def _different(codes: Sequence[Ints]) -> tuple[Longs, Longs]:
    """The first row of each kind, kinds in order of their codes; and the kind of every row."""
    _, first, group = np.unique(np.stack(codes, axis=1), axis=0, return_index=True, return_inverse=True)
    return first, group.reshape(-1)


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
