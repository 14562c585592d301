"""Gaps: how many rows of a table have no value where a test asks for one, by the branch they took."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hornbeam.tree.arrays import LEAF
from hornbeam.tree.routing import ALL_PATHS, arrays_for, branches
from hornbeam.tree.tree import Tree


def gap_counts(tree: Tree, X: Any) -> Mapping[int, int] | None:
    """Node -> rows that came here although the value asked for is missing; None without a table.

    >>> tree = Tree.from_nested({"column": "x", "<=": 1.5, "yes": "a", "no": "b", "missing_to": "no"})
    >>> gap_counts(tree, {"x": [1.0, None, 2.0, None]})
    {2: 2}
    """
    if X is None:
        return None
    n_rows, arrays = arrays_for(tree, X)
    plain = tree.replace(policy={**tree.policy, "missing": "all-paths"})
    found: dict[int, int] = {}
    waiting = [(0, np.arange(n_rows))]
    while waiting:
        node, rows = waiting.pop()
        if tree.kind[node] == LEAF or not len(rows):
            continue
        lost = branches(plain, node, arrays, rows) == ALL_PATHS
        branch = branches(tree, node, arrays, rows)
        everywhere = branch == ALL_PATHS
        for k, child in enumerate(tree.children(node)):
            here = (branch == k) | everywhere
            number = int(np.count_nonzero(here & lost))
            if number:
                found[child] = number
            waiting.append((child, rows[here]))
    return dict(sorted(found.items()))
