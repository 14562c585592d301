"""Pairing: whether a smaller tree is as good as the best one, judged row by row.

One idea: two prunings of one tree answer most rows alike, so the difference of their losses is known far
better than either loss. A smaller tree is as good if it loses no more than one standard error of that
difference.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from hornbeam import applying, routing
from hornbeam.arrays import Floats
from hornbeam.limits import counted_rows
from hornbeam.pruning.sample import known_codes, row_weights

if TYPE_CHECKING:
    from hornbeam.automatic.trials import Grown


def smallest_as_good(grown: Sequence[Grown], alpha: Floats, leaves: Floats, best: int) -> int:
    """The penalty of the fewest leaves that is as good as the best."""
    weight = np.concatenate([row_weights(each.held.target) for each in grown])
    n_rows = sum(counted_rows(each.held.target) for each in grown)
    base = _losses(grown, alpha[best])
    smaller = np.flatnonzero(leaves < leaves[best])
    for step in smaller[np.argsort(leaves[smaller], kind="stable")].tolist():
        if _as_good(_losses(grown, alpha[step]) - base, weight, n_rows):
            return int(step)
    return best


def _as_good(more: Floats, weight: Floats, n_rows: int) -> bool:
    """Whether what is lost more lies within a standard error of nothing."""
    order = np.lexsort((weight, more))  # the same sums for any order of the rows
    more, weight = more[order], weight[order]
    total = float(weight.sum())
    mean = float(weight @ more) / total
    spread = float(weight @ (more - mean) ** 2) / total
    return mean <= math.sqrt(spread / n_rows)


def _losses(grown: Sequence[Grown], alpha: float) -> Floats:
    """What each row held out loses by the trees pruned at a penalty: 1, or a squared distance."""
    found = []
    for each in grown:
        tree, held = each.at(alpha), each.held
        leaves = applying.leaves(tree, held.table)
        reached = applying.complete(tree, leaves, held.table.arrays if leaves.min() < 0 else None)
        if tree.task == "classes":
            found.append((routing.labels(tree, reached) != known_codes(tree, held.target)).astype(np.float64))
        else:
            assert held.target.values is not None
            found.append((held.target.values - routing.values(tree, reached, held.table.arrays)) ** 2)
    return np.concatenate(found)
