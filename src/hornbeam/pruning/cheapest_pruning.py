"""Cheapest: the pruning of a tree whose leaves cost least together, found in one pass from below.

One idea: what leaves cost adds up, so a test stays one exactly if its children, pruned as well as can be,
cost less than the node does as a leaf. Where both cost the same the leaf wins, hence of all cheapest prunings
the smallest is found; or, on request, the test stays.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hornbeam._base.types import Bools, Floats, Longs
from hornbeam.pruning.levels import levels_up
from hornbeam.pruning.record import Decisions
from hornbeam.tree.tree import Tree

_TIE = 1e-12  # of a node's cost as a leaf: what is closer is equal, whatever the sums' rounding


class Cheapest(NamedTuple):
    """Which nodes become leaves; each test's cost as it is and as a leaf, in the order of examination.

    `total` is what the leaves of the pruned tree cost together.
    """

    leaf: Bools
    examined: Longs
    below: Floats
    own: Floats
    total: float

    def decisions(self, as_tree: str, as_leaf: str) -> Decisions:
        """The decisions, with these names for the two costs."""
        numbers = {as_tree: self.below, as_leaf: self.own}
        return Decisions(self.examined, self.leaf[self.examined].astype(np.int8), numbers)


def cheapest(tree: Tree, cost: Floats, *, ties: str = "prune", slack: Floats | float = 0.0) -> Cheapest:
    """The cheapest pruning, given what each node costs as a leaf.

    Parameters
    ----------
    tree : Tree
    cost : the cost of each node as a leaf, what a leaf of the tree costs now included
    ties : {"prune", "keep"}
        What becomes of a test that costs the same either way.
    slack : differences up to this are rounding, too

    Examples
    --------
    >>> tree = Tree.from_nested({"column": "a", "<=": 0.5, "yes": "p", "no": "q"})
    >>> cheapest(tree, np.array([3.0, 1.0, 2.0])).leaf
    array([ True, False, False])
    >>> cheapest(tree, np.array([3.0, 1.0, 2.0]), ties="keep").leaf
    array([False, False, False])
    """
    best, leaf = cost.copy(), np.zeros(len(tree), dtype=np.bool_)
    margin = _TIE * np.abs(cost) + slack
    if ties == "keep":
        margin = -margin
    examined, below = [], []
    for level in levels_up(tree):
        tests = level.tests
        total = level.sums(best)
        cut = cost[tests] <= total + margin[tests] if ties == "prune" else cost[tests] < total + margin[tests]
        leaf[tests] = cut
        best[tests] = np.where(cut, cost[tests], total)
        examined.append(tests)
        below.append(total)
    if not examined:
        return Cheapest(leaf, np.empty(0, dtype=np.int64), np.empty(0), np.empty(0), float(cost[0]))
    order = np.concatenate(examined)
    return Cheapest(leaf, order, np.concatenate(below), cost[order], float(best[0]))
