"""Collapse, grow, regrow and step: a subtree goes, or the estimator goes on where the tree ends.

What stands is never changed by growing; open leaves get the subtrees the estimator would give them, and where
it grows best first, the tests worth most are kept until the limit is reached.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hornbeam.editing.edit_context import EditContext
from hornbeam.editing.edit_words import EditResult, leaves_text, locks, standing_test, test_text, unlocked
from hornbeam.editing.open_leaves import best_first, grown_on, same_places
from hornbeam.tree import annotations as tree_annotations
from hornbeam.tree import answers
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.subtrees import nodes_below
from hornbeam.tree.tree import Tree


def collapse(context: EditContext, tree: Tree, node: int) -> EditResult:  # noqa: ARG001 (every operation has a context)
    """Make a leaf of a node."""
    node = standing_test(tree, node)
    below = {each for each, _ in tree.walk(node)}
    held = sorted(locks(tree) & below)
    if held:
        raise ValueError(
            f"node={node} cannot be collapsed: node {held[0]} below it is locked; unlock it first"
        )
    mask = np.zeros(len(tree), dtype=np.bool_)
    mask[node] = True
    n = sum(tree.first_child[each] < 0 for each in below)
    return EditResult(
        tree.collapse(mask), f"collapsed node {node} ({test_text(tree, node)}, {leaves_text(n)} below)"
    )


def grow(context: EditContext, tree: Tree, node: int = 0, **limits: Any) -> EditResult:
    """Grow on at the open leaves of a node."""
    node = unlocked(tree, node)
    plan = context.planned(limits)
    whole = _as_fitted(context, tree, limits) if node == 0 else None
    if whole is None:
        after, new = grown_on(context, tree, node, limits)
        if "max_leaves" in plan.limits or "max_nodes" in plan.limits:
            after = best_first(after, new, plan.limits)
    else:
        after = whole
    gained = after.n_leaves - tree.n_leaves
    return EditResult(
        after, f"grew below node {node}: {leaves_text(gained)} more, {leaves_text(after.n_leaves)} in all"
    )


def regrow(context: EditContext, tree: Tree, node: int = 0, **limits: Any) -> EditResult:
    """Forget what is below a node, and grow there anew."""
    node = unlocked(tree, node)
    bare = tree if tree.kind[node] == LEAF else collapse(context, tree, node).tree
    there = tree_annotations.node_at(
        bare, tree_annotations.paths(tree.first_child.tolist(), tree.n_children.tolist(), [node])[0]
    )
    assert there is not None
    after = grow(context, bare, there, **limits).tree
    return EditResult(after, f"grew anew below node {node}: {leaves_text(after.n_leaves)} in all")


def step(context: EditContext, tree: Tree) -> EditResult:
    """Split the open leaf whose best test lowers the impurity of the whole tree most."""
    after, new = grown_on(context, tree, 0, {}, levels=1)
    weight = answers.judged_weights(after)
    worth = answers.decreases(after.first_child, weight, after.impurity)
    tests = np.flatnonzero(new)
    if not len(tests):
        raise ValueError(
            "there is nothing to split: no open leaf has a test that the estimator's limits allow"
        )
    order = [node for node, _ in after.walk() if new[node]]  # from left to right, as ties are settled
    margin = 1e-12 * float(weight[0] * after.impurity[0])
    best = next(node for node in order if worth[node] >= worth[tests].max() - margin)
    gone = new.copy()
    gone[best] = False
    smaller = after.collapse(gone)
    number = int(np.flatnonzero(~nodes_below(after, gone) & (np.arange(len(after)) <= best)).size) - 1
    return EditResult(
        smaller, f"split node {number} by {test_text(smaller, number)}, the best of the open leaves"
    )


def _as_fitted(context: EditContext, tree: Tree, limits: Mapping[str, Any]) -> Tree | None:
    """What fitting grows, if it begins as the tree does and nothing is locked; with the tree's marks."""
    if locks(tree):
        return None
    whole = context.grown(limits)
    if len(same_places(tree, whole)) < len(tree):
        return None
    if tree_annotations.KEY not in tree.meta:
        return whole
    meta = dict(whole.meta) | {tree_annotations.KEY: tree.meta[tree_annotations.KEY]}
    return whole.replace(meta=meta)
