"""Meeting: which rows are asked for a column on their way through a tree.

One idea: a row whose way never asks for a column gets the same answer whatever stands there, so only the
others need be asked again when the column's values are dealt anew.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hornbeam._base.types import Bools
from hornbeam.data.table import Table
from hornbeam.tree import apply
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.equations import used_columns
from hornbeam.tree.tree import Tree


def along(tree: Tree) -> Bools:
    """For each node, the columns that a row there was asked for: by tests, surrogates or the node's equation.

    >>> inner = {"column": "b", "<=": 2, "yes": "q", "no": "r"}
    >>> along(Tree.from_nested({"column": "a", "<=": 1, "yes": "p", "no": inner})).tolist()
    [[False, False], [True, False], [True, False], [True, True], [True, True]]
    """
    asks = np.zeros((len(tree), len(tree.columns)), dtype=bool)  # at the node itself
    for node in np.flatnonzero(tree.kind != LEAF).tolist():
        asks[node, list(tree.tested_columns(node))] = True
        asks[node, tree.surrogate_column[tree.surrogate_offset[node] : tree.surrogate_offset[node + 1]]] = (
            True
        )
    found = np.zeros_like(asks)
    for node in range(1, len(tree)):  # parents come first
        parent = int(tree.parent[node])
        found[node] = found[parent] | asks[parent]
    for node in tree.leaf_models:
        found[node, used_columns(tree, node)] = True
    return found


def met(model: Any, table: Table) -> Bools:
    """For each row, the columns whose value may matter to the model's answer."""
    trees = [model] if isinstance(model, Tree) else getattr(model, "trees_", None) or [model.tree_]
    found = np.zeros((table.n_rows, len(table.columns)), dtype=bool)
    for tree in trees:
        ways, leaves = along(tree), apply.leaves(tree, table)
        found |= np.where((leaves < 0)[:, None], ways.any(axis=0), ways[leaves])  # -1: all paths
    return found
