"""Replacing, anew: the same search for trees whose nodes answer with more than their mean or class.

One idea: quantiles, rates and equations are no running sums that move with the rows. So each candidate is
made: at one depth all tests are replaced by the subtree of their k-th child at once (the subtrees have no row
in common), the tree that gives is fitted to the training rows, and the held rows say what it costs at each of
the tests. That takes as many fits as the tree has levels and branches.
"""

from __future__ import annotations

import numpy as np

from hornbeam._base.sums import sums_by_place
from hornbeam._base.types import Bools, Floats, Longs
from hornbeam.data.target import Rows
from hornbeam.pruning.base import Fill
from hornbeam.pruning.best_replacements import Found, in_training
from hornbeam.pruning.child_replacement import Replaced
from hornbeam.pruning.child_replacement_stepwise import decisions_of
from hornbeam.pruning.child_subtrees import cheapest_child
from hornbeam.pruning.levels import Level, leaf_counts, levels_up
from hornbeam.pruning.record import KEEP, RAISE, TO_LEAF
from hornbeam.pruning.sample_risks import reached, sample_costs
from hornbeam.tree.apply import evaluate_nodes
from hornbeam.tree.routing import arrays_for
from hornbeam.tree.subtrees import number_nodes, place_nodes
from hornbeam.tree.tree import Tree

_TIE = 1e-12


def replaced_anew(tree: Tree, training: Rows, held: Rows, fill: Fill | None = None) -> Replaced:
    """Search with candidates that are fitted to the training rows; `fill` gives them their equations."""
    if tree.has_models and fill is None:
        raise ValueError(
            "a subtree that moves up needs equations for other rows, which the estimator's leaf model fits"
            " and a Tree does not know: give the fitted model, or use 'reduced-error'"
        )
    search = _Search(tree, training, held, fill)
    found = [search.decide(level) for level in levels_up(tree)]
    moved = int((search.stand != np.arange(len(tree))).sum())
    small = search.fitted()[0] if moved else tree.collapse(search.ended & (tree.first_child >= 0))
    return Replaced(small, decisions_of(found), moved)


class _Search:
    """A tree on its way to be pruned; `stand` names the node in each place, `ended` the leaves by now."""

    def __init__(self, tree: Tree, training: Rows, held: Rows, fill: Fill | None) -> None:
        self.tree, self.training, self.held, self.fill = tree, training, held, fill
        self.stand = np.arange(len(tree))
        self.ended: Bools = tree.first_child < 0
        self.size = leaf_counts(tree)
        sample = sample_costs(tree, *held)
        self.leaf, self.weight, self.slack = sample.cost, sample.weight, sample.slack
        self.now = np.where(sample.weight > 0, sample.cost, 0.0)  # of what stands in each place
        self.columns = arrays_for(tree, held.table)[1]

    def decide(self, level: Level) -> Found:
        """Decide about the tests of one level, those below having been decided."""
        tests = level.tests
        kept, leaf = level.sums(self.now), np.where(self.weight[tests] > 0, self.leaf[tests], 0.0)
        margin = _TIE * leaf + self.slack[tests]
        state = (self.stand, self.ended, self.size)
        raised, child = cheapest_child(self.tree, state, tests, leaf > 0, margin, self._tried)
        to_leaf = leaf <= np.minimum(kept, raised) + margin
        to_child = ~to_leaf & (raised <= kept + margin)
        self.now[tests] = np.where(to_leaf, leaf, np.where(to_child, raised, kept))
        self.size[tests] = 1 + level.sums(self.size)
        self.size[tests[to_leaf]] = 1
        self.size[tests[to_child]] = self.size[child[to_child]]
        self.ended[tests[to_leaf]] = True
        self.stand[tests[to_child]] = child[to_child]
        action = np.where(to_leaf, TO_LEAF, np.where(to_child, RAISE, KEEP)).astype(np.int8)
        shown = np.where(np.isfinite(raised), raised, np.nan)
        chosen = np.where(to_child, child, -1)
        return Found(tests, action, chosen, kept, leaf, shown, self.weight[tests])

    def _tried(self, tests: Longs, roots: Longs) -> Floats:
        """What the held rows of each test cost with the subtree of `roots` in its place."""
        stand = self.stand.copy()
        stand[tests] = roots
        tree, order = self.fitted(stand)
        depth = int(self.tree.depths[tests[0]])  # above it nothing has moved yet
        place = np.full(len(self.tree), -1)
        place[roots] = np.arange(len(tests))
        row, node, weight = reached(tree, *self.held)
        said = evaluate_nodes(tree, self.columns, node, row) if tree.has_models else tree.answers()[node]
        while (deep := tree.depths[node] > depth).any():
            node = np.where(deep, tree.parent[node], node)
        at = np.where(tree.depths[node] == depth, place[order[node]], -1)
        here = at >= 0
        assert self.held.target.values is not None
        away = (self.held.target.values[row] - said) ** 2
        return sums_by_place(at[here], (weight * away)[here], len(tests))

    def fitted(self, stand: Longs | None = None) -> tuple[Tree, Longs]:
        """The tree that stands, fitted to the training rows, and the number each of its nodes had."""
        stand = self.stand if stand is None else stand
        moved = Tree(**place_nodes(self.tree, stand, self.ended))
        found = in_training(moved).refit(*self.training)
        found = found.replace(policy=self.tree.policy)
        if self.fill is not None:
            found = self.fill(found, self.training)
        return found, number_nodes(self.tree, stand, self.ended)[0]
