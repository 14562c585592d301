"""Contributions along the path: how the answer changed from node to node on the way of one row.

One idea: every test moves the answer from its node's to its child's; the difference is credited to the
column it tests, in equal parts to several (Saabas 2014). It adds up, but says nothing about columns tested
higher up that would have done as well; Shapley values do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hornbeam._base.types import AnyArray, Floats
from hornbeam.reading.shap.branch_shares import follow
from hornbeam.tree import equations
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.tree import Tree


@dataclass(frozen=True)
class Contributions:
    """What each column adds to the answer; `base`, the values and `rest` add up to it.

    `rest` is what no column is credited with: votes of leaves, the bounds and smoothing of equations.
    """

    base: float
    columns: dict[str, float]
    rest: float = 0.0

    @property
    def total(self) -> float:
        """What they add up to."""
        return self.base + sum(self.columns.values()) + self.rest

    def largest_first(self) -> list[tuple[str, float]]:
        """The columns that add something, the largest first."""
        some = [(name, value) for name, value in self.columns.items() if abs(value) > 1e-12]
        return sorted(some, key=lambda pair: -abs(pair[1]))


def path_contributions(
    tree: Tree, arrays: tuple[AnyArray, ...], says: Floats, answer: float
) -> Contributions:
    """The contributions along the way(s) of the one row; `says` is what each node answers."""
    found = follow(tree, arrays, np.zeros(1, dtype=np.int64))
    columns = {column.name: 0.0 for column in tree.columns}
    reach = np.zeros(len(tree))
    reach[0] = 1.0
    for node in range(len(tree)):
        if reach[node] == 0:
            continue
        if tree.kind[node] == LEAF:
            for place in equations.used_columns(tree, node):
                told = equations.column_terms(tree, node, place, arrays[place])[0]
                gaps = sum(
                    tree.term_gap[t] for t in equations.terms_of(tree, node) if tree.term_column[t] == place
                )
                columns[tree.columns[place].name] += float(reach[node] * (told - gaps))
            continue
        children = tree.children(node)
        parts = found.part[children.start : children.stop, 0]
        reach[children.start : children.stop] = reach[node] * parts
        moved = reach[node] * (float(parts @ says[children.start : children.stop]) - says[node])
        tested = tree.tested_columns(node)
        for place in tested:
            columns[tree.columns[place].name] += float(moved) / len(tested)
    base = float(says[0])
    return Contributions(base, columns, answer - base - sum(columns.values()))
