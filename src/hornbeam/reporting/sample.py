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

from hornbeam import applying
from hornbeam.arrays import AnyArray, Floats, Longs
from hornbeam.table import Table
from hornbeam.target import Target
from hornbeam.tree import Tree


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows at the nodes of a tree.

    Attributes
    ----------
    table : the rows, in the tree's codes
    codes, values : the class (-1: one the tree does not know) or the number of each row; the other is None
    row, weight : the entries: a row stands in every leaf it reaches, with its share
    start, end : of each node, its entries
    """

    tree: Tree
    table: Table
    codes: Longs | None
    values: Floats | None
    row: Longs
    weight: Floats
    start: Longs
    end: Longs

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self.table.n_rows

    @property
    def outcome(self) -> AnyArray:
        """What is to be answered: classes as codes, or numbers."""
        found = self.values if self.codes is None else self.codes
        assert found is not None
        return found

    @cached_property
    def whole(self) -> bool:
        """Whether every row stands in one leaf."""
        return bool((self.weight == 1.0).all())

    def at(self, node: int) -> tuple[Longs, Floats]:
        """The rows of a node and their shares."""
        here = slice(int(self.start[node]), int(self.end[node]))
        return self.row[here], self.weight[here]

    @cached_property
    def size(self) -> Floats:
        """The rows of each node, parts of rows added up."""
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


def sample_of(tree: Tree, X: Any, y: Any, who: str) -> Sample:
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
        target = Target.classes_of(y, n_rows=table.n_rows, estimator=who)
        place = {label: code for code, label in enumerate(tree.classes or ())}
        assert target.codes is not None
        known = [place.get(label, -1) for label in target.classes]
        codes = np.array(known, dtype=np.int64)[target.codes]
    else:
        target = Target.real_of(y, n_rows=table.n_rows, estimator=who)
        values = target.values
    row, leaf, weight = applying.training_entries(tree, table, target, None)
    rank, first, last = _ranks(tree)
    outcome = values if codes is None else codes
    assert outcome is not None
    order = np.lexsort((weight, outcome[row], rank[leaf]))
    counted = np.concatenate(([0], np.cumsum(np.bincount(rank[leaf], minlength=int(last[0])))))
    return Sample(tree, table, codes, values, row[order], weight[order], counted[first], counted[last])


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
