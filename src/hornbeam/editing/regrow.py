"""Grow, regrow and step: the estimator goes on where the tree ends.

One idea: what stands is never changed by growing; open leaves get the subtrees the estimator would give them,
and where it grows best first, the tests worth most are kept until the limit is reached.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hornbeam._base.types import Floats
from hornbeam.editing.collapse_node import collapse
from hornbeam.editing.edit_context import Ground
from hornbeam.editing.edit_result import Done
from hornbeam.editing.edit_words import leaves_text, locks, test_text, unlocked
from hornbeam.editing.growth_below import same_places
from hornbeam.editing.open_leaves import below, best_first, grown_on
from hornbeam.tree import annotations as tree_annotations
from hornbeam.tree import answers
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.tree import Tree


def grow(ground: Ground, tree: Tree, node: int = 0, **limits: Any) -> Done:
    """Grow on at the open leaves of a node."""
    node = unlocked(tree, node)
    plan = ground.planned(limits)
    whole = _as_fitted(ground, tree, limits) if node == 0 else None
    if whole is None:
        after, new = grown_on(ground, tree, node, limits)
        if "max_leaves" in plan.limits or "max_nodes" in plan.limits:
            after = best_first(after, new, plan.limits)
    else:
        after = whole
    gained = after.n_leaves - tree.n_leaves
    return Done(
        after, f"grew below node {node}: {leaves_text(gained)} more, {leaves_text(after.n_leaves)} in all"
    )


def regrow(ground: Ground, tree: Tree, node: int = 0, **limits: Any) -> Done:
    """Forget what is below a node, and grow there anew."""
    node = unlocked(tree, node)
    bare = tree if tree.kind[node] == LEAF else collapse(ground, tree, node).tree
    there = tree_annotations.node_at(
        bare, tree_annotations.paths(tree.first_child.tolist(), tree.n_children.tolist(), [node])[0]
    )
    assert there is not None
    after = grow(ground, bare, there, **limits).tree
    return Done(after, f"grew anew below node {node}: {leaves_text(after.n_leaves)} in all")


def step(ground: Ground, tree: Tree) -> Done:
    """Split the open leaf whose best test lowers the impurity of the whole tree most."""
    after, new = grown_on(ground, tree, 0, {}, levels=1)
    worth = answers.decreases(after.first_child, _judged(ground, after), after.impurity)
    tests = np.flatnonzero(new)
    if not len(tests):
        raise ValueError(
            "there is nothing to split: no open leaf has a test that the estimator's limits allow"
        )
    order = [node for node, _ in after.walk() if new[node]]  # from left to right, as ties are settled
    margin = 1e-12 * float(_judged(ground, after)[0] * after.impurity[0])
    best = next(node for node in order if worth[node] >= worth[tests].max() - margin)
    gone = new.copy()
    gone[best] = False
    found = after.collapse(gone)
    number = int(np.flatnonzero(~below(after, gone) & (np.arange(len(after)) <= best)).size) - 1
    return Done(found, f"split node {number} by {test_text(found, number)}, the best of the open leaves")


def _as_fitted(ground: Ground, tree: Tree, limits: Mapping[str, Any]) -> Tree | None:
    """What fitting grows, if it begins as the tree does and nothing is locked; with the tree's marks."""
    if locks(tree):
        return None
    whole = ground.grown(limits)
    if len(same_places(tree, whole)) < len(tree):
        return None
    if tree_annotations.KEY not in tree.meta:
        return whole
    meta = dict(whole.meta) | {tree_annotations.KEY: tree.meta[tree_annotations.KEY]}
    return whole.replace(meta=meta)


def _judged(ground: Ground, tree: Tree) -> Floats:
    """The weight of each node as growing judges it."""
    if tree.task != "classes":
        return tree.weight
    found: Floats = ground.voice.judged(tree.stats).sum(axis=1)
    return found
