"""The pruning path of a density tree: the nested subtrees that are best at some price of a leaf.

    R(T) + alpha |leaves|,   R(T) = -sum (w / W)^2 / V over the leaves

One idea: every test has a strength, the alpha at which it collapses. A subtree is "the tests stronger than
alpha", so whatever adds up over leaves is known for all subtrees from one sorted sum over tests: opening a
test adds what its children have and takes away what it had as a leaf.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from hornbeam import _core
from hornbeam._base.types import Floats, Longs
from hornbeam.tree.density_boxes import levels, log_volumes
from hornbeam.tree.tree import Tree

_LARGEST = 1e290  # a loss beyond counts as this


@dataclass(frozen=True)
class PruningPath:
    """The subtrees of a density tree, from the whole tree to its root alone.

    Attributes
    ----------
    alpha : the prices from which on each subtree is the best: subtree k is, from alpha[k] up to alpha[k + 1]
    leaves : how many leaves it has
    loss : R of the subtree: minus the integral of the squared density
    score, error : cross-validated score of each subtree for a row, and its standard error; None without
    chosen : the place of the subtree taken
    """

    alpha: Floats
    leaves: Longs
    loss: Floats
    score: Floats | None = None
    error: Floats | None = None
    chosen: int = 0

    def as_dict(self) -> dict[str, Any]:
        """The same as plain lists."""
        return {
            name: value.tolist() if isinstance(value, np.ndarray) else value
            for name, value in self.__dict__.items()
        }


class Links:
    """The strengths of a tree's tests, in units of the loss of its root."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        log_volume = log_volumes(tree)
        share = tree.weight / tree.weight[0]
        self.log_root = float(log_volume[0])
        with np.errstate(over="ignore"):
            loss = np.exp(2 * np.log(share) - log_volume + log_volume[0])
        self.risk: Floats = -np.minimum(loss, _LARGEST)
        one = np.ones(len(tree), dtype=np.int64)
        self.strength = _core.weakest_links(tree.first_child, tree.n_children, self.risk, one)[0]
        tests = np.flatnonzero(tree.first_child >= 0)
        self.tests = tests[np.argsort(-self.strength[tests], kind="stable")]  # the strongest first

    def prices(self) -> Floats:
        """Where the subtree changes, ascending, the first is 0."""
        found: Floats = np.unique(np.append(self.strength[self.tests], 0.0))
        return found

    def at(self, prices: Floats, values: Floats) -> Floats:
        """The sum of `values` over the leaves of the subtree best at each price."""
        first = self.tree.first_child[self.tests]
        opened = values[first] + values[first + 1] - values[self.tests]
        sums = np.append(0.0, np.cumsum(opened)) + values[0]
        found: Floats = sums[np.searchsorted(-self.strength[self.tests], -prices, side="left")]
        return found

    def leaves(self, prices: Floats) -> Longs:
        """The number of leaves of each subtree."""
        return 1 + np.searchsorted(-self.strength[self.tests], -prices, side="left")

    def path(self) -> PruningPath:
        """The path, in the units of the table."""
        prices = self.prices()
        unit = math.exp(min(-self.log_root, 700.0))  # one over the volume of the root's box
        return PruningPath(prices * unit, self.leaves(prices), self.at(prices, self.risk) * unit)

    def collapsed(self, price: float) -> Tree:
        """The smallest subtree that is best at a price."""
        weak = (self.tree.first_child >= 0) & (self.strength <= price)
        return self.tree.collapse(weak) if weak.any() else self.tree


def summed_up(tree: Tree, values: Floats) -> Floats:
    """What leaves have, added up at every node; `values` is changed."""
    for nodes in reversed(list(levels(tree))):
        tests = nodes[tree.first_child[nodes] >= 0]
        first = tree.first_child[tests]
        values[tests] = values[first] + values[first + 1]
    return values
