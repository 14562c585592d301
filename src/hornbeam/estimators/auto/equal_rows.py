"""How many observations a group of equal rows counts for in an automatic tree.

A row of whole weight w, a row with count w and w equal rows must give the same tree, so all three are brought
into one form first. Which form is right depends on the table. Where the columns tell rows apart, equal rows
are copies of one observation: in different folds they would let a tree be judged on rows it has seen. They
are joined into one row of their joint weight. Where rows are combinations of few values, equal rows come
about by chance: each is an observation of its own, and so is each unit of a whole weight.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hornbeam._base.types import AnyArray, Floats, Longs
from hornbeam.data.folds import row_numbers, value_numbers
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.data.weights_and_costs import row_counts, sample_weights
from hornbeam.tree.refit import refit
from hornbeam.tree.tree import Tree

TargetOf = Callable[[int, Any, Any], Target]
COINCIDENCES = 0.25  # equals that a distinct row meets by chance, from which on equal rows are no copies
CONFLICTS = 0.05  # of the distinct rows of X have several classes: then equal rows are no copies, either
MOST = 2.0**53  # up to here whole numbers are exact


def observed(table: Table, target: Target, sample_weight: Any, counts: Any) -> tuple[Any, Any]:
    """The weights and counts to learn with in place of those given; the given ones if nothing changes.

    >>> table, target = Table.learn({"x": [0.1, 0.2, 0.2]}), Target.real_of([1.5, 3.5, 3.5])
    >>> observed(table, target, None, None)
    (array([1., 2., 0.]), None)
    >>> observed(table, target, [1, 1, 1], [4, 1, 0])
    (array([4., 1., 0.]), None)
    """
    weights, copies = sample_weights(sample_weight, table.n_rows), row_counts(counts, table.n_rows)
    total = (1.0 if weights is None else weights) * (np.ones(table.n_rows) if copies is None else copies)
    live = np.flatnonzero(total > 0)
    keys = row_numbers(table, target, 0)[live]
    order = live[np.lexsort((total[live], keys))]  # sorted, so that sums do not depend on the order of rows
    first = np.unique(np.sort(keys), return_index=True)[1]
    joined = len(first) < len(live) or (copies is not None and bool((copies[live] > 1).any()))
    whole = weights is not None and bool((total == np.rint(total)).all()) and float(total.sum()) < MOST
    if not (joined or whole):
        return sample_weight, counts
    if _repeat_by_chance(table, target, order[first]):
        return (None, total.astype(np.int64)) if whole else (sample_weight, counts)
    if not joined:
        return sample_weight, counts
    together: Floats = np.zeros(table.n_rows)
    together[order[first]] = np.add.reduceat(total[order], first)
    return together, None


def with_row_numbers(tree: Tree, table: Table, target: Target) -> Tree:
    """The tree with the number of rows of positive weight at each node, as they were given."""
    return tree.replace(n_rows=refit(tree, table, target).n_rows)


def _repeat_by_chance(table: Table, target: Target, rows: Longs) -> bool:
    """Whether equal rows come about by chance, judged by the distinct rows alone.

    If the columns were independent, a row would meet (D - 1) times the product of the columns' own shares of
    equal pairs. A real target counts as a column. Rows of X with several classes are no copies either.
    """
    some, goal = table.take(rows), target.take(rows)
    columns = [(column.kind, array) for column, array in zip(table.columns, some.arrays, strict=True)]
    if goal.values is not None:
        return _coincidences([*columns, ("numeric", goal.values)]) >= COINCIDENCES
    keys = value_numbers(some, 0)
    _, first, size = np.unique(keys, return_index=True, return_counts=True)
    if np.mean(size > 1) >= CONFLICTS:
        return True
    return _coincidences([(kind, array[first]) for kind, array in columns]) >= COINCIDENCES


def _coincidences(columns: list[tuple[str, AnyArray]]) -> float:
    """How many equals a row would have by chance among these distinct ones."""
    n = len(columns[0][1])
    if n < 2:
        return 0.0
    equals = float(n - 1)
    for kind, array in columns:
        size = np.unique(array, return_counts=True)[1].astype(np.float64)
        if kind == "numeric":  # of a number that is there once another row may never have the same
            equals *= float((size * (size - 1)).sum()) / (n * (n - 1))
        else:
            equals *= float((size**2).sum()) / n**2
    return equals


def observed_target(
    table: Table, weighing: tuple[Any, Any], target_of: TargetOf
) -> tuple[Target, Target, Any, Any]:
    """The target as it was given, and as it is learned, with its weights and counts."""
    given = target_of(table.n_rows, *weighing)
    weights, counts = observed(table, given, *weighing)
    if weights is weighing[0] and counts is weighing[1]:
        return given, given, weights, counts
    return given, target_of(table.n_rows, weights, counts), weights, counts
