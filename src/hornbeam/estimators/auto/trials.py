"""Trials: each offer grown without each fold, and what the rows held out lose by it at every size.

One idea: a tree is grown once for each offer and fold; then all penalties are judged together, as in
cost-complexity pruning, on the same folds for all offers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hornbeam._base.types import Floats
from hornbeam.data.folds import folds_of
from hornbeam.data.target import Rows
from hornbeam.estimators.auto.configurations import Offer
from hornbeam.estimators.base import Progress, TreeModel
from hornbeam.pruning.cross_validation import between
from hornbeam.pruning.held_out_losses import Lost, lost
from hornbeam.pruning.nested_subtrees import path_of
from hornbeam.pruning.size_choice import choose_step, price
from hornbeam.tree.tree import Tree

MOST_PENALTIES = 200
_TIE = 1e-9  # of the largest loss: what is closer is equal


@dataclass(frozen=True, eq=False)
class Grown:
    """A tree grown without a fold, with the rows of that fold."""

    tree: Tree
    strength: Floats
    held: Rows

    def at(self, alpha: float) -> Tree:
        """The tree pruned at a penalty."""
        return self.tree.collapse(self.strength <= alpha)


@dataclass(frozen=True, eq=False)
class Trial:
    """What became of one offer.

    Attributes
    ----------
    offer : Offer
    alpha : the penalties tried, ascending; a single 0 where the offer prunes by itself
    lost : what rows held out lose at each of them
    leaves : of the trees, by penalty, on average
    grown : the trees by fold
    """

    offer: Offer
    alpha: Floats
    lost: Lost
    leaves: Floats
    grown: Sequence[Grown]

    @property
    def best(self) -> int:
        """The penalty of the least loss."""
        return choose_step(self.leaves, self.lost.mean, rule="min")

    def step(self, rule: str) -> int:
        """The penalty that a rule chooses, as in `choose_step`."""
        if not self.offer.path:
            return self.best
        return choose_step(self.leaves, self.lost.mean, self.lost.error, rule)


def tried(offer: Offer, model: TreeModel, rows: Rows, folds: Any, seed: int, tell: Progress | None) -> Trial:
    """Grow an offer without each fold, and judge it on the rows held out."""
    grown = []
    for sample, held in folds_of(*rows, folds, seed).parts(*rows):
        tree = model._learned(sample.table, sample.target, tell)[0]
        strength = path_of(tree, "error").strength if offer.path else np.full(len(tree), np.inf)
        grown.append(Grown(tree, strength, held))
    alpha = _penalties(grown) if offer.path else np.zeros(1)
    points = between(alpha) if offer.path else alpha
    found = [lost(each.tree, each.strength, points, each.held.table, each.held.target) for each in grown]
    total = found[0]
    for more in found[1:]:
        total = total + more
    leaves = np.mean([_leaves(each, points) for each in grown], axis=0)
    return Trial(offer, points, total, leaves, grown)


def _penalties(grown: Sequence[Grown]) -> Floats:
    """Every penalty at which a tree of some fold changes; of very many, some spread evenly among them."""
    every = np.unique(np.concatenate([[0.0], *(g.strength[np.isfinite(g.strength)] for g in grown)]))
    if len(every) <= MOST_PENALTIES:
        return every
    return every[np.unique(np.linspace(0, len(every) - 1, MOST_PENALTIES).round().astype(np.int64))]


def _leaves(grown: Grown, alpha: Floats) -> Floats:
    """How many leaves the tree has at each penalty."""
    tests = grown.strength[grown.tree.first_child >= 0]
    branches = grown.tree.n_children[grown.tree.first_child >= 0] - 1
    order = np.argsort(tests, kind="stable")
    above = np.concatenate([np.cumsum(branches[order][::-1])[::-1], [0]])
    left: Floats = 1.0 + above[np.searchsorted(tests[order], alpha, side="right")]
    return left


def compared(trials: Sequence[Trial], rule: str, *, thrifty: bool) -> int:
    """Which trial wins: the one of the least loss, where a tree half as large may lose somewhat more.

    How much more is what the thrifty rule says; unless `thrifty`, trials are compared by their losses alone,
    at their best sizes. Of equal ones the smallest tree wins, then the first trial.
    """
    least = min(trials, key=lambda trial: float(trial.lost.mean[trial.best]))
    steps = [trial.step(rule) if thrifty else trial.best for trial in trials]
    leaves = np.array([trial.leaves[step] for trial, step in zip(trials, steps, strict=True)])
    loss = np.array([trial.lost.mean[step] for trial, step in zip(trials, steps, strict=True)])
    cost = price(leaves, loss, float(least.lost.error[least.best])) if thrifty else loss
    equal = cost <= cost.min() + _TIE * max(float(trial.lost.mean.max()) for trial in trials)
    return int(np.argmin(np.where(equal, leaves if thrifty else 0.0, np.inf)))
