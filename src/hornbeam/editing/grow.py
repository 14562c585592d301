"""Grow, regrow and step: the estimator goes on where the tree ends.

One idea: what stands is never changed by growing; open leaves get the subtrees the estimator would give them,
and where it grows best first, the tests worth most are kept until the limit is reached.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from hornbeam import answering, marks
from hornbeam.arrays import LEAF, Bools
from hornbeam.editing.collapse import collapse
from hornbeam.editing.done import Done
from hornbeam.editing.filling import descend, modelled, refilled
from hornbeam.editing.grafting import grafted
from hornbeam.editing.ground import BEST_FIRST, Ground
from hornbeam.editing.growth import grown_below, reference, same_places
from hornbeam.editing.ordering import kept_in_order
from hornbeam.editing.wording import leaves_text, locks, test_text, unlocked
from hornbeam.tree import Tree


def grow(ground: Ground, tree: Tree, node: int = 0, **limits: Any) -> Done:
    """Grow on at the open leaves of a node."""
    node = unlocked(tree, node)
    plan = ground.planned(limits)
    whole = _as_fitted(ground, tree, limits) if node == 0 else None
    if whole is None:
        after, new = _grown(ground, tree, node, limits)
        after = (
            _best_first(after, new, plan.limits)
            if "max_leaves" in plan.limits or "max_nodes" in plan.limits
            else after
        )
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
    there = marks.node_at(bare, marks.paths(tree.first_child.tolist(), tree.n_children.tolist())[node])
    assert there is not None
    after = grow(ground, bare, there, **limits).tree
    return Done(after, f"grew anew below node {node}: {leaves_text(after.n_leaves)} in all")


def step(ground: Ground, tree: Tree) -> Done:
    """Split the open leaf whose best test lowers the impurity of the whole tree most."""
    after, new = _grown(ground, tree, 0, {}, levels=1)
    worth = answering.decreases(after.first_child, _judged(ground, after), after.impurity)
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
    number = int(np.flatnonzero(~_below(after, gone) & (np.arange(len(after)) <= best)).size) - 1
    return Done(found, f"split node {number} by {test_text(found, number)}, the best of the open leaves")


def _as_fitted(ground: Ground, tree: Tree, limits: Mapping[str, Any]) -> Tree | None:
    """What fitting grows, if it begins as the tree does and nothing is locked; with the tree's marks."""
    if locks(tree):
        return None
    whole = ground.grown(limits)
    if len(same_places(tree, whole)) < len(tree):
        return None
    if marks.KEY not in tree.meta:
        return whole
    meta = whole.meta | {marks.KEY: tree.meta[marks.KEY]}
    return Tree(**(whole.attributes() | whole.arrays() | {"meta": meta}))


def _grown(
    ground: Ground, tree: Tree, node: int, limits: Mapping[str, Any], levels: int | None = None
) -> tuple[Tree, Bools]:
    """The tree grown on at its open leaves, `levels` deep if given; and which tests are new."""
    held = {below for lock in locks(tree) for below, _ in tree.walk(lock)}
    natural = reference(ground, limits)
    places = same_places(tree, natural)
    plan = ground.planned({**limits, **dict.fromkeys(BEST_FIRST)})
    taken: dict[int, tuple[Tree, int]] = {}
    made: dict[int, tuple[Tree, int]] = {}
    for leaf, rows, weight in descend(ground, tree, node):
        if tree.kind[leaf] != LEAF or leaf in held:
            continue
        if leaf in places:
            there = places[leaf]
            if natural.kind[there] != LEAF:
                taken[leaf] = (natural if levels is None else _cut_off(natural, there, levels), there)
            continue
        own = ground.weight[rows]
        share = np.divide(weight, own, out=np.zeros(len(rows)), where=own > 0)
        found = grown_below(ground, tree, leaf, (rows, share), plan)
        if found is not None:
            made[leaf] = (found if levels is None else _cut_off(found, 0, levels), 0)
    if not taken and not made:
        return tree, np.zeros(len(tree), dtype=np.bool_)
    after = grafted(tree, taken | made, learned=not made)
    found_tree, number = after.tree(), after.number
    if made:
        found_tree = modelled(ground, refilled(ground, found_tree, *number[sorted(made)].tolist()))
    new = found_tree.kind != LEAF
    new[number[[n for n in range(len(tree)) if tree.kind[n] != LEAF and number[n] >= 0]]] = False
    gone = kept_in_order(ground, found_tree, new)
    if not gone.any():
        return found_tree, new
    keep = ~_below(found_tree, gone)
    return found_tree.collapse(gone), (new & ~gone)[keep]


def _cut_off(tree: Tree, node: int, levels: int) -> Tree:
    """The tree without tests that are so far below a node."""
    mask = np.zeros(len(tree), dtype=np.bool_)
    mask[[below for below, depth in tree.walk(node) if depth == levels and tree.kind[below] != LEAF]] = True
    keep = ~_below(tree, mask)
    assert keep[: node + 1].all()
    return tree.collapse(mask)


def _best_first(tree: Tree, new: Bools, limits: Mapping[str, Any]) -> Tree:
    """The tree with the new tests that are worth most, until a limit on leaves or nodes is reached."""
    worth = answering.decreases(tree.first_child, tree.weight, tree.impurity)
    most_leaves, most_nodes = limits.get("max_leaves", math.inf), limits.get("max_nodes", math.inf)
    place = {node: k for k, (node, _) in enumerate(tree.walk())}  # from left to right
    top = [n for n in np.flatnonzero(new).tolist() if n == 0 or not new[int(tree.parent[n])]]
    keep = ~new
    standing = tree.collapse(_tops(tree, new)) if len(top) else tree
    leaves, nodes = standing.n_leaves, standing.n_nodes
    front = [(-worth[n], place[n], n) for n in top]
    heapq.heapify(front)
    while front:
        _, _, node = heapq.heappop(front)
        added = _n_added(tree, node)
        if leaves + added - 1 > most_leaves or nodes + added > most_nodes:
            continue
        leaves, nodes, keep[node] = leaves + added - 1, nodes + added, True
        for child in tree.children(node):
            if new[child]:
                heapq.heappush(front, (-worth[child], place[child], child))
    return tree.collapse(~keep) if not keep.all() else tree


def _tops(tree: Tree, new: Bools) -> Bools:
    return new & ~_below(tree, new)


def _n_added(tree: Tree, node: int) -> int:
    """How many nodes a test adds, every absent value counted."""
    return int(tree.n_children[node]) + max(0, len(tree.absent_codes(node)) - 1)


def _judged(ground: Ground, tree: Tree) -> Any:
    """The weight of each node as growing judges it."""
    return ground.voice.judged(tree.stats).sum(axis=1) if tree.task == "classes" else tree.weight


def _below(tree: Tree, mask: Bools) -> Bools:
    """The nodes below masked ones."""
    found = np.zeros(len(tree), dtype=np.bool_)
    for node in range(1, len(tree)):
        above = int(tree.parent[node])
        found[node] = mask[above] or found[above]
    return found
