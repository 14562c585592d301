"""What rows given to a drawing say at each node: which rows are there, with which weight and outcome.

One idea: sorted by the leaf they reach, leaves from left to right, the rows of every node are one slice.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from hornbeam._base.types import AnyArray, Bools, Floats, Longs
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.data.weights import row_counts, row_weights
from hornbeam.tree import apply
from hornbeam.tree.arrays import EXPRESSION
from hornbeam.tree.expressions.language import Expression
from hornbeam.tree.routing import arrays_for
from hornbeam.tree.tree import Tree


class Seen:
    """Rows and perhaps their outcomes, arranged by the nodes of a tree.

    Attributes
    ----------
    outcome : class codes or real values by row, None without y
    """

    def __init__(
        self, tree: Tree, X: Any, y: Any = None, sample_weight: Any = None, counts: Any = None
    ) -> None:
        self.tree = tree
        table = X if isinstance(X, Table) else Table.match(X, tree.columns)
        self.n_rows, self.columns = arrays_for(tree, table)
        self.outcome = None if y is None else outcome_of(tree, y, self.n_rows)
        self.weights, self.copies = row_weights(sample_weight, self.n_rows), row_counts(counts, self.n_rows)
        nothing = Target("real", values=np.zeros(self.n_rows), weights=self.weights, counts=self.copies)
        whole = Table(tree.columns, self.n_rows, self.columns)
        row, leaf, weight = apply.training_entries(tree, whole, nothing)
        if self.weights is not None or self.copies is not None:  # what counts for nothing is not there
            there = weight > 0
            row, leaf, weight = row[there], leaf[there], weight[there]
        rank = self._leaf_order[0][leaf]
        order = np.argsort(rank, kind="stable")
        self._row, self._weight = row[order], weight[order]
        ends = np.concatenate(([0], np.cumsum(np.bincount(rank, minlength=len(tree)))))
        self._first, self._last = ends[self._leaf_order[0]], ends[self._leaf_order[1]]

    @cached_property
    def _leaf_order(self) -> tuple[Longs, Longs]:
        """The leaves under each node are those from the first number to before the second."""
        first = np.zeros(len(self.tree), dtype=np.int64)
        leaves = self.tree.leaves()
        first[leaves] = np.arange(len(leaves))
        last = first + 1
        starts, ends = first.tolist(), last.tolist()
        for node in range(len(self.tree) - 1, -1, -1):
            below = self.tree.children(node)
            if below:
                starts[node], ends[node] = starts[below[0]], ends[below[-1]]
        return np.array(starts), np.array(ends)

    def at(self, node: int) -> tuple[Longs, Floats]:
        """Return the rows that reach a node, with their weights; a row may come by several ways."""
        span = slice(int(self._first[node]), int(self._last[node]))
        return self._row[span], self._weight[span]

    def values(self, column: int, node: int) -> tuple[Floats, AnyArray, Floats]:
        """Return a node's values of a column (codes as numbers, NaN for gaps), its rows, their weights."""
        rows, weight = self.at(node)
        return numbers_of(self.columns[column][rows]), rows, weight

    def lost(self, node: int, child: int) -> tuple[int, float]:
        """Return how many rows of a child could not answer its parent, and the least part of one that came.

        A row may be in several leaves below, so its weight is what all of them have of it; it is as many rows
        as its count says.
        """
        rows, weight = self.at(child)
        gaps = self._gaps(node, rows)
        if not gaps.any():
            return 0, 1.0
        here, place = np.unique(rows[gaps], return_inverse=True)
        came = np.bincount(place, weights=weight[gaps])
        above, weight_above = self.at(node)
        there = np.isin(above, here)
        had = np.bincount(np.searchsorted(here, above[there]), weights=weight_above[there])
        n_rows = len(here) if self.copies is None else int(self.copies[here].sum())
        return n_rows, float((came / had).min())

    def _gaps(self, node: int, rows: Longs) -> Bools:
        """Which rows cannot answer what a node asks, because a value is missing."""
        tested = self.tree.tested_columns(node)
        if self.tree.kind[node] == EXPRESSION:  # what is known may decide already
            here = [array[rows] if k in tested else array[:0] for k, array in enumerate(self.columns)]
            gaps: Bools = Expression.parse(self.tree.expressions[node]).evaluate(self.tree.columns, here)[1]
            return gaps
        found = np.zeros(len(rows), dtype=bool)
        for column in tested:
            found |= np.isnan(numbers_of(self.columns[column][rows]))
        return found

    def quarters(self, node: int) -> list[float]:
        """Return the lower and the upper quartile of the outcomes of a node."""
        rows, weight = self.at(node)
        assert self.outcome is not None
        values = self.outcome[rows]
        if self.weights is None:
            found: list[float] = np.quantile(
                values if self.copies is None else np.repeat(values, self.copies[rows]), [0.25, 0.75]
            ).tolist()
            return found
        order = np.lexsort((weight, values))
        below = np.cumsum(weight[order])
        places = np.searchsorted(below, np.array([0.25, 0.75]) * below[-1] * (1 - 1e-12))
        return [float(v) for v in values[order][places]]

    def everything(self, column: int) -> Floats:
        """Return a column of all rows, NaN for gaps."""
        return numbers_of(self.columns[column])


def sampled(x: Floats, y: Floats, most: int = 200) -> list[tuple[float, float]]:
    """Return at most so many points of those without a gap, the same ones for any order of the rows.

    >>> sampled(np.array([2.0, np.nan, 1.0]), np.array([5.0, 6.0, 7.0]))
    [(1.0, 7.0), (2.0, 5.0)]
    """
    known = np.flatnonzero(~np.isnan(x))
    known = known[np.lexsort((y[known], x[known]))]
    if len(known) > most:
        known = known[np.sort(np.random.default_rng(0).choice(len(known), most, replace=False))]
    return list(zip(x[known].tolist(), y[known].tolist(), strict=True))


def numbers_of(values: AnyArray) -> Floats:
    """Return values or codes as numbers, gaps as NaN."""
    if values.dtype.kind == "f":
        return values.astype(np.float64)
    return np.where(values < 0, np.nan, values.astype(np.float64))


def outcome_of(tree: Tree, y: Any, n_rows: int) -> AnyArray:
    """Return class codes in the tree's order, or numbers."""
    if tree.task == "density":
        raise ValueError("y was given, but a density tree has no target: draw it with X alone")
    if tree.classes is None:
        values = Target.real_of(y, n_rows=n_rows).values
        assert values is not None
        return values
    target = Target.classes_of(y, n_rows=n_rows)
    place = {label: code for code, label in enumerate(tree.classes)}
    unknown = [label for label in target.classes if label not in place]
    if unknown:
        known = ", ".join(map(repr, tree.classes[:10]))
        raise ValueError(
            f"y holds the class {unknown[0]!r}, which the tree does not know: its classes are {known}"
        )
    assert target.codes is not None
    return np.array([place[label] for label in target.classes])[target.codes]
