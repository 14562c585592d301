"""Softening: which smoothing of class shares rows held out would have liked best.

One idea: smoothing changes no test and no class, so the trees of the trials are asked again, and nothing is
grown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hornbeam._base.types import Floats, Ints
from hornbeam.data.target import row_weights
from hornbeam.estimators.auto.trials import Grown
from hornbeam.growing.leaves import Constant
from hornbeam.pruning.sample_risks import known_codes
from hornbeam.tree import apply, routing
from hornbeam.tree.answer_rule import answer_rule_of, with_answer_rule
from hornbeam.tree.tree import Tree

LEAST = 1e-6  # a class thought impossible costs this much: -log(LEAST)
SMOOTHINGS: Sequence[Constant] = (
    Constant("shrinkage", strength=1.0),
    Constant("shrinkage", strength=4.0),
    Constant("shrinkage", strength=16.0),
    Constant("laplace"),
    Constant("m-estimate", m=2.0),
    Constant("m-estimate", m=10.0),
)


def softest(grown: Sequence[Grown], alpha: float) -> tuple[Constant, float]:
    """The smoothing of least log loss on the rows held out, and that loss; of equal ones the first."""
    trees = [each.at(alpha) for each in grown]
    losses = [_log_loss(trees, grown, leaf) for leaf in SMOOTHINGS]
    best = int(np.argmin(losses))
    return SMOOTHINGS[best], losses[best]


def _log_loss(trees: Sequence[Tree], grown: Sequence[Grown], leaf: Constant) -> float:
    total = weight = 0.0
    for tree, each in zip(trees, grown, strict=True):
        spoken = _speaking(tree, leaf, each)
        shares = routing.probabilities(spoken, apply.complete_routing(spoken, *_reached(spoken, each)))
        code, weights = known_codes(tree, each.held.target), row_weights(each.held.target)
        given: Floats = np.where(code < 0, 0.0, shares[np.arange(len(code)), code])
        total += float(np.sort(weights * -np.log(np.maximum(given, LEAST))).sum())
        weight += float(np.sort(weights).sum())
    return total / weight


def _reached(tree: Tree, each: Grown) -> tuple[Ints, Any]:
    """The leaves of the rows held out, and the columns of those that reach several."""
    leaves = apply.leaves(tree, each.held.table)
    return leaves, each.held.table.arrays if leaves.min() < 0 else None


def _speaking(tree: Tree, leaf: Constant, each: Grown) -> Tree:
    """The tree with another smoothing."""
    voice = replace(answer_rule_of(tree.meta), **leaf.voice(each.held.target))
    return tree.replace(meta=with_answer_rule(tree.meta, voice))
