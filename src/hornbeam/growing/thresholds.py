"""Thresholds at values of the training table, where C4.5 puts them (K7).

One idea: a threshold midway between two values of its node separates them as well anywhere down to the lower
one, so moving it to the largest training value not above it changes no training row's way, only what is
printed and where new rows go.
"""

from __future__ import annotations

import numpy as np

from hornbeam._base.types import Bools
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.tree.arrays import THRESHOLD
from hornbeam.tree.tree import Tree

_ROUNDING = 4  # units in the last place by which half a sum may be off


def at_values(tree: Tree, table: Table, target: Target) -> Tree:
    """The tree with every numeric threshold moved down to a value of the table's rows that count.

    >>> table, target = Table.learn({"x": [1.0, 2.0, 4.0]}), Target.classes_of(["a", "a", "b"])
    >>> tree = Tree.from_nested({"column": "x", "<=": 3.0, "yes": "a", "no": "b"}, columns=table.columns)
    >>> at_values(tree, table, target).text()
    'x[<=2: a | >2: b]'
    """
    numeric = np.array([column.kind == "numeric" for column in tree.columns], dtype=np.bool_)
    cuts = np.flatnonzero((tree.kind == THRESHOLD) & np.isfinite(tree.threshold))
    cuts = cuts[numeric[tree.column[cuts]]]
    if not len(cuts):
        return tree
    threshold, gap = tree.threshold.copy(), tree.gap.copy()
    counted = _counted(target)
    for column in np.unique(tree.column[cuts]).tolist():
        values = table.arrays[column] if counted is None else table.arrays[column][counted]
        values = np.unique(values[~np.isnan(values)]).astype(np.float64) + 0.0  # -0.0 becomes 0.0
        nodes = cuts[tree.column[cuts] == column]
        middle = tree.threshold[nodes]
        middle = middle + _ROUNDING * np.spacing(np.abs(middle))  # a value in the middle is not above it
        middle = np.where(middle < tree.gap[nodes, 1], middle, tree.threshold[nodes])
        place = np.maximum(np.searchsorted(values, middle, side="right") - 1, 0)
        threshold[nodes] = values[place]
        gap[nodes, 0], gap[nodes, 1] = values[place], values[np.minimum(place + 1, len(values) - 1)]
    return tree.replace(threshold=threshold, gap=gap)


def _counted(target: Target) -> Bools | None:
    """The rows of positive weight; None if all are."""
    found: Bools = np.ones(target.n_rows, dtype=np.bool_)
    for weights in (target.weights, target.counts):
        if weights is not None:
            found &= weights > 0
    return None if found.all() else found
