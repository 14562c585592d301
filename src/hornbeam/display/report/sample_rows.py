"""Sample: the rows a report describes, in the order of the leaves they reach.

One idea: with the rows sorted by leaf, from left to right, the rows of every node of the tree are one run::

    leaves       2 2 2 | 5 5 | 6 6 6 6
    node 1       [-----------]            nodes 3 and 4 hold 5 and 6, ...

so any summary of any node is a slice. Within a leaf rows are sorted by outcome, which makes every sum the
same whatever order the rows came in.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hornbeam._base.types import AnyArray, Floats, Longs
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.tree import apply
from hornbeam.tree.tree import Tree


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows at the nodes of a tree.

    Attributes
    ----------
    table : the rows, in the tree's codes
    codes, values : the class (-1: one the tree does not know) or the number of each row; the other is None
    row, weight : the entries: a row stands in every leaf it reaches, with its share of the row's weight
    start, end : of each node, its entries
    weights, copies : the weight of each row, and how often it stands for itself; None where all are 1
    """

    tree: Tree
    table: Table
    codes: Longs | None
    values: Floats | None
    row: Longs
    weight: Floats
    start: Longs
    end: Longs
    weights: Floats | None = None
    copies: Longs | None = None

    @cached_property
    def n_rows(self) -> int:
        """The number of rows that count, a row as often as it stands for itself."""
        some = slice(None) if self.weights is None else self.weights > 0
        return int(np.ones(self.table.n_rows)[some].sum() if self.copies is None else self.copies[some].sum())

    @cached_property
    def mass(self) -> Floats:
        """What each row counts for: its weight as often as it stands for itself."""
        found = np.ones(self.table.n_rows) if self.weights is None else self.weights
        return found if self.copies is None else found * self.copies

    @property
    def outcome(self) -> AnyArray:
        """What is to be answered: classes as codes, or numbers."""
        found = self.values if self.codes is None else self.codes
        assert found is not None
        return found

    def axis_values(self, array: AnyArray) -> AnyArray:
        """The values of the rows that count, between which an axis reaches."""
        return array if self.weights is None and self.copies is None else array[self.mass > 0]

    def at(self, node: int) -> tuple[Longs, Floats]:
        """The rows of a node and what they count for there."""
        here = slice(int(self.start[node]), int(self.end[node]))
        return self.row[here], self.weight[here]

    def effective(self, node: int) -> float:
        """How many plain rows those of a node say as much as: (Σw)²/Σw² of weights, the sum of counts."""
        rows, weight = self.at(node)
        if self.weights is None:
            return float(self.size[node])
        squares = float(weight @ self.weights[rows])
        return float(self.size[node]) ** 2 / squares if squares > 0 else 0.0

    @cached_property
    def size(self) -> Floats:
        """What the rows of each node count for, parts of rows added up."""
        total = np.concatenate(([0.0], np.cumsum(self.weight)))
        return np.round(total[self.end] - total[self.start], 9)

    @cached_property
    def counts(self) -> Floats:
        """The rows of each class at each node."""
        assert self.codes is not None
        width = len(self.tree.classes or ())
        found = np.zeros((len(self.tree), width))
        code = self.codes[self.row]
        for k in range(width):  # classes are few; a running sum turns runs of entries into differences
            total = np.concatenate(([0.0], np.cumsum(np.where(code == k, self.weight, 0.0))))
            found[:, k] = total[self.end] - total[self.start]
        return np.round(found, 9)


def sample_of(tree: Tree, X: Any, y: Any, who: str, sample_weight: Any = None, counts: Any = None) -> Sample:
    """The sample of a table and its outcomes; gaps go where they went when the tree was grown.

    >>> tree = Tree.from_nested({"column": "x", "<=": 1.5, "yes": "a", "no": "b"})
    >>> sample_of(tree, {"x": [2, 1, 3]}, ["b", "a", "a"], "Tree").counts
    array([[2., 1.],
           [1., 0.],
           [1., 1.]])
    """
    table = Table.match(X, tree.columns, who)
    codes: Longs | None = None
    values: Floats | None = None
    if tree.task == "classes":
        target = Target.classes_of(y, sample_weight, counts, n_rows=table.n_rows, estimator=who)
        place = {label: code for code, label in enumerate(tree.classes or ())}
        assert target.codes is not None
        known = [place.get(label, -1) for label in target.classes]
        codes = np.array(known, dtype=np.int64)[target.codes]
    else:
        target = Target.real_of(y, sample_weight, counts, n_rows=table.n_rows, estimator=who)
        values = target.values
    row, leaf, weight = apply.training_entries(tree, table, target, None)
    if target.weights is not None or target.counts is not None:  # what counts for nothing is not there
        there = weight > 0
        row, leaf, weight = row[there], leaf[there], weight[there]
    rank, first, last = _ranks(tree)
    outcome = values if codes is None else codes
    assert outcome is not None
    order = np.lexsort((weight, outcome[row], rank[leaf]))
    counted = np.concatenate(([0], np.cumsum(np.bincount(rank[leaf], minlength=int(last[0])))))
    ends = counted[first], counted[last]
    return Sample(tree, table, codes, values, row[order], weight[order], *ends, target.weights, target.counts)


def _ranks(tree: Tree) -> tuple[Longs, Longs, Longs]:
    """The place of each leaf from left to right; of each node the places its leaves begin and end at."""
    n = len(tree)
    rank, first, last = (np.zeros(n, dtype=np.int64) for _ in range(3))
    for k, leaf in enumerate(tree.leaves().tolist()):
        rank[leaf] = first[leaf] = k
        last[leaf] = k + 1
    for node in range(n - 1, -1, -1):  # children come after their parent
        children = tree.children(node)
        if children:
            first[node], last[node] = first[children[0]], last[children[-1]]
    return rank, first, last
