"""By how much the losses of rows rise when the values of one column are shuffled.

One idea: dealing the values of a column of the encoded table leaves everything else as it is, so it works for
numbers, categories and missing values alike. A row whose path never tests a column gets the same answer
whatever its value, so only the other rows are answered again. In a tree such a row goes the same way up to
the first test of the column, however its value is dealt: the core takes it there once, and on from there with
every value dealt to it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hornbeam import _core
from hornbeam._base.types import AnyArray, Bools, Floats, Longs
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.evaluation import predictions
from hornbeam.evaluation.metrics import RowLoss
from hornbeam.evaluation.predictions import Answers
from hornbeam.tree import apply, routing
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.equations import used_columns
from hornbeam.tree.routing import Routing
from hornbeam.tree.tree import Tree


class ColumnDealer:
    """Deals the values of columns to the rows that a model has answered.

    `before` are the answers for the rows as they are; every seed is one way of dealing.
    """

    def __init__(
        self, model: Any, table: Table, target: Target, before: Answers, loss: RowLoss, seeds: AnyArray
    ) -> None:
        self.model, self.table, self.target, self.before, self.loss = model, table, target, before, loss
        self.unpermuted, self.matters = loss(before), columns_met(model, table)
        self.orders = [np.random.default_rng(seed).permutation(table.n_rows) for seed in seeds.tolist()]
        tree: Any = model if isinstance(model, Tree) else getattr(model, "tree_", None)
        plain = tree is not None and is_plain(tree)
        self.leaf_losses = LeafLosses(tree, table, before, loss) if plain else None

    def rises(self, column: int) -> tuple[Longs, Floats]:
        """The rows whose answer a column may change, and, for each way of dealing, by how much their losses
        rise.
        """
        rows = np.flatnonzero(self.matters[:, column])
        if not len(rows):
            return rows, np.empty((len(self.orders), 0))
        if self.leaf_losses is not None:
            losses = self.leaf_losses.dealt(rows, column, self.orders)
        else:
            losses = np.array([self._losses(rows, column, order[rows]) for order in self.orders])
        losses -= self.unpermuted[rows]
        return rows, losses

    def _losses(self, rows: Longs, column: int, source: Longs) -> Floats:
        permuted = Table(self.table.columns, len(rows), _dealt(self.table, rows, column, source))
        return self.loss(predictions.answers_of(self.model, permuted, self.target.take(rows)))


def _dealt(table: Table, rows: Longs, column: int, source: Longs) -> tuple[AnyArray, ...]:
    """The columns of some rows, one of them with the values of the rows of `source`."""
    return tuple(array[source if k == column else rows] for k, array in enumerate(table.arrays))


def is_plain(tree: Tree) -> bool:
    """Whether the core knows the tests of a tree, and its leaves are constant."""
    return apply.compiled(tree).known and not tree.has_models


class LeafLosses:
    """The losses of rows in the leaves of one tree that the core knows.

    Of classes there is a table of them for every leaf and true class; a row on several leaves is answered by
    all of them.
    """

    def __init__(self, tree: Tree, table: Table, before: Answers, loss: RowLoss) -> None:
        self.tree, self.table, self.before, self.loss = tree, table, before, loss
        self.place = np.array([before.classes.index(label) for label in tree.classes or ()], dtype=np.int64)
        n = len(tree)
        self.each = Routing(np.arange(n + 1), np.arange(n, dtype=np.int32), np.ones(n))
        self.of_class: Floats = np.array(
            [
                loss(self._answers(self.each, np.full(n, truth), np.ones(n)))
                for truth in range(len(before.classes))
            ]
        )

    def dealt(self, rows: Longs, column: int, orders: list[Longs]) -> Floats:
        """The losses of rows with the values of a column in some orders; a row for each order."""
        arrays, threads = list(self.table.arrays), apply.threads_for(len(rows) * len(orders), None)
        leaves = _core.apply_dealt(apply.tests(self.tree), arrays, column, rows, orders, threads)
        truth, weight = self.before.truth[rows], self.before.weight[rows]
        if len(self.of_class):
            losses: Floats = self.of_class[truth, leaves]
        else:
            values = routing.values(self.tree, self.each)[leaves]
            losses = np.array([self.loss(Answers((), truth, one, None, weight)) for one in values])
        which, place = np.nonzero(leaves < 0)  # rows that follow all paths
        if len(place):
            source = np.concatenate([orders[k][rows[place[which == k]]] for k in range(len(orders))])
            some = _dealt(self.table, rows[place], column, source)
            reached = apply.complete_routing(self.tree, leaves[which, place], some)
            losses[which, place] = self.loss(self._answers(reached, truth[place], weight[place]))
        return losses

    def _answers(self, reached: Routing, truth: AnyArray, weight: Floats) -> Answers:
        """The answers of the leaves reached, in the class order of the others."""
        if self.tree.classes is None:
            return Answers((), truth, routing.values(self.tree, reached), None, weight)
        shares = np.zeros((reached.n_rows, len(self.before.classes)))
        shares[:, self.place] = routing.probabilities(self.tree, reached)
        labels = self.place[routing.labels(self.tree, reached)]
        return Answers(self.before.classes, truth, labels, shares, weight)


def columns_on_path(tree: Tree) -> Bools:
    """For each node, the columns used on the way there: by tests, surrogates or the node's equation.

    >>> inner = {"column": "b", "<=": 2, "yes": "q", "no": "r"}
    >>> columns_on_path(Tree.from_nested({"column": "a", "<=": 1, "yes": "p", "no": inner})).tolist()
    [[False, False], [True, False], [True, False], [True, True], [True, True]]
    """
    tested = np.zeros((len(tree), len(tree.columns)), dtype=bool)  # at the node itself
    plain = tree.column >= 0
    tested[plain, tree.column[plain]] = True
    for node in np.flatnonzero((tree.kind != LEAF) & ~plain).tolist():
        tested[node, list(tree.tested_columns(node))] = True
    tested[np.repeat(np.arange(len(tree)), np.diff(tree.surrogate_offset)), tree.surrogate_column] = True
    used = np.zeros_like(tested)
    for nodes in tree.levels()[1:]:
        parents = tree.parent[nodes]
        used[nodes] = used[parents] | tested[parents]
    for node in tree.leaf_models:
        used[node, used_columns(tree, node)] = True
    return used


def columns_met(model: Any, table: Table) -> Bools:
    """For each row, the columns whose value may matter to the model's answer."""
    trees = [model] if isinstance(model, Tree) else getattr(model, "trees_", None) or [model.tree_]
    matters = np.zeros((table.n_rows, len(table.columns)), dtype=bool)
    for tree in trees:
        used, leaves = columns_on_path(tree), apply.leaves(tree, table)
        matters |= np.where((leaves < 0)[:, None], used.any(axis=0), used[leaves])  # -1: all paths
    return matters
