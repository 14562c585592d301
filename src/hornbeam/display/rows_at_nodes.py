"""The rows that a picture or a report describes, in the order of the leaves they reach.

One idea: with the rows sorted by leaf, from left to right, the rows of every node of the tree are one run::

    leaves       2 2 2 | 5 5 | 6 6 6 6
    node 1       [-----------]            nodes 3 and 4 hold 5 and 6, ...

so any summary of any node is a slice. Within a leaf the rows of a report are sorted by outcome, which makes
every sum the same whatever order the rows came in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hornbeam._base.types import AnyArray, Bools, Floats, Longs, Task
from hornbeam.data.survival import survival_target, two_columns
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.data.weights_and_costs import row_counts, sample_weights
from hornbeam.tree import apply
from hornbeam.tree.answers import weighted_quantiles
from hornbeam.tree.arrays import EXPRESSION
from hornbeam.tree.branches import to_numbers
from hornbeam.tree.expressions.language import Expression
from hornbeam.tree.routing import arrays_for
from hornbeam.tree.tree import Tree


@dataclass(frozen=True, eq=False)
class RowsAtNodes:
    """Rows and perhaps their outcomes, arranged by the nodes of a tree.

    Attributes
    ----------
    table : the rows, in the tree's codes
    outcome : the class (-1: one the tree does not know) or the number of each row; None if not known
    row, weight : the entries: a row stands in every leaf it reaches, with its share of the row's weight
    start, end : of each node, its entries
    weights, copies : the weight of each row, and how often it stands for itself; None where all are 1
    """

    tree: Tree
    table: Table
    outcome: AnyArray | None
    row: Longs
    weight: Floats
    start: Longs
    end: Longs
    weights: Floats | None = None
    copies: Longs | None = None

    @property
    def codes(self) -> Longs | None:
        """The class of each row, None in a tree without classes."""
        return None if self.tree.classes is None else self.outcome

    @property
    def values(self) -> Floats | None:
        """The number to be predicted for each row, None in a tree of classes."""
        return self.outcome if self.tree.classes is None else None

    @cached_property
    def n_rows(self) -> int:
        """The number of rows that count, a row as often as it stands for itself."""
        copies = np.ones(self.table.n_rows) if self.copies is None else self.copies
        return int((copies if self.weights is None else copies[self.weights > 0]).sum())

    @cached_property
    def mass(self) -> Floats:
        """What each row counts for: its weight as often as it stands for itself."""
        weights = np.ones(self.table.n_rows) if self.weights is None else self.weights
        return weights if self.copies is None else weights * self.copies

    def axis_values(self, array: AnyArray) -> AnyArray:
        """Return the values of the rows that count, between which an axis reaches."""
        return array if self.weights is None and self.copies is None else array[self.mass > 0]

    def at(self, node: int) -> tuple[Longs, Floats]:
        """Return the rows of a node, with what they count for there; a row may come by several ways."""
        here = slice(int(self.start[node]), int(self.end[node]))
        return self.row[here], self.weight[here]

    def column_at(self, column: int, node: int) -> tuple[Floats, Longs, Floats]:
        """Return a node's values of a column (codes as numbers, NaN for missing), its rows, their weights."""
        rows, weight = self.at(node)
        return to_numbers(self.table.arrays[column][rows]), rows, weight

    def weighted_sum(self, node: int, at: int) -> Floats:
        """Return the weighted sum of columns that `node` tests, for the rows at the node `at`."""
        rows = self.at(at)[0]
        total = np.zeros(len(rows))
        for column, weight in self.tree.plane(node):
            total = total + weight * to_numbers(self.table.arrays[column][rows])
        return total

    def effective(self, node: int) -> float:
        """Return how many rows of weight 1 tell as much as a node's: (Σw)²/Σw², or the sum of counts."""
        rows, weight = self.at(node)
        if self.weights is None:
            return float(self.size[node])
        squares = float(weight @ self.weights[rows])
        return float(self.size[node]) ** 2 / squares if squares > 0 else 0.0

    @cached_property
    def size(self) -> Floats:
        """What the rows of each node count for, parts of rows added up."""
        return self._sums_at_nodes(self.weight)

    @cached_property
    def counts(self) -> Floats:
        """The rows of each class at each node."""
        assert self.codes is not None
        code, n_classes = self.codes[self.row], len(self.tree.classes or ())
        of_class = [self._sums_at_nodes(np.where(code == k, self.weight, 0.0)) for k in range(n_classes)]
        return np.stack(of_class, axis=1)

    def _sums_at_nodes(self, values: Floats) -> Floats:
        """The sum of the entries of each node; a running sum turns runs of entries into differences."""
        total = np.concatenate(([0.0], np.cumsum(values)))
        return np.round(total[self.end] - total[self.start], 9)

    def lack_values(self, rows: Longs, columns: Sequence[int]) -> Bools:
        """Return which rows lack a value of at least one of the columns."""
        lacking = np.zeros(len(rows), dtype=np.bool_)
        for column in columns:
            lacking |= np.isnan(to_numbers(self.table.arrays[column][rows]))
        return lacking

    def rows_without_answer(self, node: int, child: int) -> tuple[int, float]:
        """Return how many rows of a child could not answer its parent, and the least part of one that came.

        A row may be in several leaves below, so its weight is what all of them have of it; it is as many rows
        as its count says.
        """
        rows, weight = self.at(child)
        unanswered = self._cannot_answer(node, rows)
        if not unanswered.any():
            return 0, 1.0
        here, place = np.unique(rows[unanswered], return_inverse=True)
        came = np.bincount(place, weights=weight[unanswered])
        above, weight_above = self.at(node)
        there = np.isin(above, here)
        had = np.bincount(np.searchsorted(here, above[there]), weights=weight_above[there])
        n_rows = len(here) if self.copies is None else int(self.copies[here].sum())
        return n_rows, float((came / had).min())

    def _cannot_answer(self, node: int, rows: Longs) -> Bools:
        """Which rows cannot answer what a node tests, because a value is missing."""
        tested = self.tree.tested_columns(node)
        if self.tree.kind[node] != EXPRESSION:
            return self.lack_values(rows, tested)
        # the values of an expression that are known may decide already
        here = [array[rows] if k in tested else array[:0] for k, array in enumerate(self.table.arrays)]
        unknown: Bools = Expression.parse(self.tree.expressions[node]).evaluate(self.tree.columns, here)[1]
        return unknown

    def quartiles(self, node: int) -> list[float]:
        """Return the lower and the upper quartile of the outcomes of a node."""
        rows, weight = self.at(node)
        assert self.outcome is not None
        values = self.outcome[rows]
        if self.weights is not None:
            return weighted_quantiles(values, weight, (0.25, 0.75))
        repeated = values if self.copies is None else np.repeat(values, self.copies[rows])
        lower, upper = np.quantile(repeated, [0.25, 0.75]).tolist()
        return [lower, upper]


def rows_of_report(
    tree: Tree, X: Any, y: Any, who: str, sample_weight: Any = None, counts: Any = None
) -> RowsAtNodes:
    """Return the rows of a table with their outcomes; missing values go where they went in training.

    >>> tree = Tree.from_nested({"column": "x", "<=": 1.5, "yes": "a", "no": "b"})
    >>> rows_of_report(tree, {"x": [2, 1, 3]}, ["b", "a", "a"], "Tree").counts
    array([[2., 1.],
           [1., 0.],
           [1., 1.]])
    """
    if tree.task.is_survival:
        X, y = two_columns(X, y)
    table = Table.match(X, tree.columns, who)
    target = target_reader(tree)(y, sample_weight, counts, n_rows=table.n_rows, estimator=who)
    outcome = _outcome(tree, target)
    weights = target.weights if target.exposure is None else sample_weights(sample_weight, table.n_rows)
    return _arranged(tree, table, outcome, weights, target.counts, by_outcome=True)


def target_reader(tree: Tree) -> Callable[..., Target]:
    """Return what makes a target of the outcomes of rows, for trees of this task."""
    if tree.task.is_survival:
        return survival_target
    return Target.real_of if tree.classes is None else Target.classes_of


def rows_of_drawing(
    tree: Tree, X: Any, y: Any = None, sample_weight: Any = None, counts: Any = None
) -> RowsAtNodes:
    """Return the rows of a table, with outcomes if they are given and the tree knows all their classes."""
    n_rows, arrays = arrays_for(tree, X)
    if tree.task.is_survival and y is not None:
        y = two_columns(X, y)[1]
    outcome = None if y is None else outcome_of(tree, y, n_rows)
    weights, copies = sample_weights(sample_weight, n_rows), row_counts(counts, n_rows)
    table = Table(tree.columns, n_rows, arrays)
    return _arranged(tree, table, outcome, weights, copies, by_outcome=False)


def _arranged(
    tree: Tree,
    table: Table,
    outcome: AnyArray | None,
    weights: Floats | None,
    copies: Longs | None,
    *,
    by_outcome: bool,
) -> RowsAtNodes:
    """Rows sorted by the leaves that training would send them to."""
    target = Target(Task.REAL, values=np.zeros(table.n_rows), weights=weights, counts=copies)
    row, leaf, weight = apply.training_entries(tree, table, target, None)
    if weights is not None or copies is not None:  # what counts for nothing is left out
        counting = weight > 0
        row, leaf, weight = row[counting], leaf[counting], weight[counting]
    first, last = _leaf_ranges(tree)
    rank = first[leaf]
    order = np.lexsort((weight, outcome[row], rank) if by_outcome and outcome is not None else (rank,))
    ends = np.concatenate(([0], np.cumsum(np.bincount(rank, minlength=int(last[0])))))
    return RowsAtNodes(
        tree, table, outcome, row[order], weight[order], ends[first], ends[last], weights, copies
    )


def _leaf_ranges(tree: Tree) -> tuple[Longs, Longs]:
    """For each node, the first of its leaves and the one after the last; leaves count from left to right."""
    leaves = tree.leaves()
    rank = np.zeros(len(tree), dtype=np.int64)
    rank[leaves] = np.arange(len(leaves))
    first, last = rank.tolist(), (rank + 1).tolist()
    for node in range(len(tree) - 1, -1, -1):  # children come after their parent
        children = tree.children(node)
        if children:
            first[node], last[node] = first[children[0]], last[children[-1]]
    return np.array(first), np.array(last)


def outcome_of(tree: Tree, y: Any, n_rows: int) -> AnyArray:
    """Return class codes in the tree's order, or numbers; refuse classes that the tree does not know."""
    if tree.task.is_density:
        raise ValueError("y was given, but a density tree has no target: draw it with X alone")
    target = target_reader(tree)(y, n_rows=n_rows)
    unknown = [label for label in target.classes if label not in (tree.classes or ())]
    if tree.classes is not None and unknown:
        known = ", ".join(map(repr, tree.classes[:10]))
        raise ValueError(
            f"y holds the class {unknown[0]!r}, which the tree does not know: its classes are {known}"
        )
    return _outcome(tree, target)


def _outcome(tree: Tree, target: Target) -> AnyArray:
    """The numbers of a target, or its classes in the tree's codes, -1 where the tree does not know one.

    Of survival the time of each row, negative where it is censored.
    """
    if target.times is not None and target.values is not None:
        return np.where(target.values > 0, target.times, -target.times)
    if target.codes is None:
        assert target.values is not None
        return target.values
    code_of = {label: code for code, label in enumerate(tree.classes or ())}
    return np.array([code_of.get(label, -1) for label in target.classes], dtype=np.int64)[target.codes]


def count_cells(down: Longs, across: Longs, weight: Floats, shape: tuple[int, int]) -> Floats:
    """Return a table of what the rows at each pair of places count for.

    >>> count_cells(np.array([0, 1, 1]), np.array([2, 0, 0]), np.ones(3), (2, 3))
    array([[0., 0., 1.],
           [2., 0., 0.]])
    """
    height, width = shape
    counts = np.bincount(down * width + across, weights=weight, minlength=height * width)
    return counts.astype(np.float64).reshape(shape)


def some_points(x: Floats, y: Floats, most: int = 200) -> list[tuple[float, float]]:
    """Return at most so many points of those that have an x, the same ones for any order of the rows.

    >>> some_points(np.array([2.0, np.nan, 1.0]), np.array([5.0, 6.0, 7.0]))
    [(1.0, 7.0), (2.0, 5.0)]
    """
    known = np.flatnonzero(~np.isnan(x))
    known = known[np.lexsort((y[known], x[known]))]
    if len(known) > most:
        known = known[np.sort(np.random.default_rng(0).choice(len(known), most, replace=False))]
    return list(zip(x[known].tolist(), y[known].tolist(), strict=True))
