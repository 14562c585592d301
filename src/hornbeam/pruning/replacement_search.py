"""The search for the best of keep, leaf and each child's subtree at every test, where the core cannot do it.

The core does not know every kind of test, and quantiles, rates and equations are no sums that move with the
rows. Here each candidate is made instead: at one depth all tests are replaced by the subtree of their k-th
child at once (the subtrees have no row in common), the resulting tree is fitted to the training rows, and the
held-out rows say what it costs at each test. That takes as many fits as the tree has levels and branches.

All tests of one depth are decided together, from below. The winner takes the place of the test (`stand`), so
the tests above are tried against the tree there is by then.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hornbeam._base.types import TIE, Bools, Floats, Longs, sums_by_place
from hornbeam.data.target import Rows
from hornbeam.pruning.base import Fill
from hornbeam.pruning.levels import Level, LevelDecision, decide_up, leaf_counts, sums_up
from hornbeam.pruning.record import KEEP, RAISE, TO_LEAF, Decisions
from hornbeam.pruning.sample_risks import leaf_entries, sample_costs
from hornbeam.tree.refit import known_codes
from hornbeam.tree.routing import as_in_training
from hornbeam.tree.subtrees import number_nodes, place_nodes
from hornbeam.tree.tree import Tree


class Replacement(NamedTuple):
    """The smaller tree, the decisions, and how many subtrees moved."""

    tree: Tree
    decisions: Decisions
    raised: int


# What the record says about each test: its errors on the sample, and the weight of the sample there.
NUMBERS = ("errors kept", "errors as a leaf", "errors raised", "sample")


def replace_refitted(tree: Tree, training: Rows, held: Rows, fill: Fill | None = None) -> Replacement:
    """Search with candidates that are fitted to the training rows; `fill` gives them their equations."""
    if tree.has_models and fill is None:
        raise ValueError(
            "a subtree that moves up needs equations for other rows, which the estimator's leaf model fits"
            " and a Tree does not know: give the fitted model, or use 'reduced-error'"
        )
    search = _Search(tree, training, held, fill)
    _, decided = decide_up(tree, search.decide)
    n_raised = int((search.stand != np.arange(len(tree))).sum())
    if n_raised:
        small = search.fitted(search.stand)[0]
    else:
        small = tree.collapse(search.ended & (tree.first_child >= 0))
    node = decided.node
    decisions = Decisions(node, search.action[node], decided.numbers, child=search.child[node])
    return Replacement(small, decisions, n_raised)


class _Search:
    """A tree that is being pruned: `stand` names the node in each place, `ended` masks the current leaves."""

    def __init__(self, tree: Tree, training: Rows, held: Rows, fill: Fill | None) -> None:
        self.tree, self.training, self.held, self.fill = tree, training, held, fill
        self.stand = np.arange(len(tree))
        self.ended: Bools = tree.first_child < 0
        self.size = leaf_counts(tree)
        self.action, self.child = np.zeros(len(tree), dtype=np.int8), np.full(len(tree), -1)
        self.sample = sample_costs(tree, *held)
        self.cost = np.where(self.sample.weight > 0, self.sample.cost, 0.0)  # of the subtree in each place
        entries = leaf_entries(tree, *held)
        if tree.task.is_classes:
            entries = entries.where(known_codes(tree, held.target)[entries.row] >= 0)
        # What the sample weighs at each node; costs count it times the priors of the classes.
        self.weight = sums_up(tree, sums_by_place(entries.leaf, entries.weight, len(tree)))

    def decide(self, level: Level) -> LevelDecision:
        """Take the cheapest of keep, leaf and child at each test, and change the tree accordingly."""
        tests = level.tests
        kept = level.sums(self.cost)
        leaf = np.where(self.sample.weight[tests] > 0, self.sample.cost[tests], 0.0)
        margin = TIE * leaf + self.sample.slack[tests]
        raised, child = self._cheapest_child(tests, leaf > 0, margin)
        to_leaf = leaf <= np.minimum(kept, raised) + margin
        to_child = ~to_leaf & (raised <= kept + margin)
        child = np.where(to_child, child, -1)
        self.size[tests] = 1 + level.sums(self.size)
        self.size[tests[to_leaf]] = 1
        self.size[tests[to_child]] = self.size[child[to_child]]
        self.ended[tests[to_leaf]] = True
        self.stand[tests[to_child]] = child[to_child]
        self.action[tests] = action = np.where(to_leaf, TO_LEAF, np.where(to_child, RAISE, KEEP))
        self.child[tests] = child
        self.cost[tests] = np.choose(action, (kept, leaf, raised))
        numbers = (kept, leaf, np.where(np.isfinite(raised), raised, np.nan), self.weight[tests])
        return tests, to_leaf, dict(zip(NUMBERS, numbers, strict=True))

    def _cheapest_child(self, tests: Longs, hopeful: Bools, margin: Floats) -> tuple[Floats, Longs]:
        """The least cost for each test and the child that has it; infinite and -1 if no child can be tried.

        Of equal costs (within `margin`) the smallest subtree wins, then the first. Tests that are not
        `hopeful` are not tried.
        """
        tree = self.tree
        cost, child = np.full(len(tests), np.inf), np.full(len(tests), -1)
        size = np.full(len(tests), np.iinfo(np.int64).max)
        for branch in range(int(tree.n_children[tests].max())):
            there = (tree.n_children[tests] > branch) & hopeful
            root = self.stand[tree.first_child[tests] + np.where(there, branch, 0)]
            some = np.flatnonzero(there & ~self.ended[root])
            if not len(some):
                continue
            trial = self._raised_costs(tests[some], root[some])
            near, n_leaves = margin[some], self.size[root[some]]
            better = (trial < cost[some] - near) | ((trial <= cost[some] + near) & (n_leaves < size[some]))
            best = some[better]
            cost[best], child[best], size[best] = trial[better], root[best], n_leaves[better]
        return cost, child

    def _raised_costs(self, tests: Longs, roots: Longs) -> Floats:
        """What the held-out rows of each test cost with the subtree of its root in its place."""
        stand = self.stand.copy()
        stand[tests] = roots
        tree, order = self.fitted(stand)
        sample = sample_costs(tree, *self.held)
        below = sums_up(tree, np.where(sample.weight > 0, sample.cost, 0.0))
        number = np.empty(len(self.tree), dtype=np.int64)  # of each old node in the tree that is tried
        number[order] = np.arange(len(order))
        return below[number[roots]]

    def fitted(self, stand: Longs) -> tuple[Tree, Longs]:
        """Fit the tree of these places to the training rows; also return the number each node had before."""
        moved = Tree.unchecked(**place_nodes(self.tree, stand, self.ended))
        fitted = as_in_training(moved).refit(*self.training)
        fitted = fitted.replace(policy=self.tree.policy)
        if self.fill is not None:
            fitted = self.fill(fitted, self.training)
        return fitted, number_nodes(self.tree, stand, self.ended)[0]
