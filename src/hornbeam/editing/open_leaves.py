"""Frontier: the open leaves of a tree, and what growing makes of them.

One idea: open leaves do not know each other, so each gets its subtree on its own. Two things bind them
together afterwards: a limit on leaves or nodes, which keeps the tests worth most, and `monotonic_cst`, which
takes away the tests whose answers would go beyond what the rest of the tree allows.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from hornbeam._base.types import Bools
from hornbeam.editing.edit_context import BEST_FIRST, Ground
from hornbeam.editing.edit_words import locks
from hornbeam.editing.fill_nodes import descend, modelled, refilled
from hornbeam.editing.graft import grafted
from hornbeam.editing.growth_below import grown_below, reference, same_places
from hornbeam.editing.order_check import disordered, within
from hornbeam.tree import annotations as tree_annotations
from hornbeam.tree import answers
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.tree import Tree

Grafts = dict[int, tuple[Tree, int]]


def grown_on(
    ground: Ground, tree: Tree, node: int, limits: Mapping[str, Any], levels: int | None = None
) -> tuple[Tree, Bools]:
    """The tree grown on at the open leaves of a node, `levels` deep if given; and which tests are new."""
    natural, made = _subtrees(ground, tree, node, limits, levels)
    after, new = _grafted(ground, tree, natural, made)
    gone = disordered(ground, after, new)
    if not gone.any():
        return after, new
    keep = ~below(after, gone)
    bounded, new = after.collapse(gone), (new & ~gone)[keep]
    return _in_order(ground, bounded, new, gone[keep], limits, levels)


def _subtrees(
    ground: Ground, tree: Tree, node: int, limits: Mapping[str, Any], levels: int | None
) -> tuple[Grafts, Grafts]:
    """What fitting has in the place of open leaves, and what is grown below the choices of a person."""
    held = {each for lock in locks(tree) for each, _ in tree.walk(lock)}
    natural = reference(ground, limits)
    places = same_places(tree, natural)
    plan = ground.planned({**limits, **dict.fromkeys(BEST_FIRST)})
    taken: Grafts = {}
    made: Grafts = {}
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
    return taken, made


def _grafted(ground: Ground, tree: Tree, taken: Grafts, made: Grafts) -> tuple[Tree, Bools]:
    """The tree with subtrees in the place of leaves, those that were made filled with rows; the new tests."""
    if not taken and not made:
        return tree, np.zeros(len(tree), dtype=np.bool_)
    after = grafted(tree, taken | made, learned=not made)
    found, number = after.tree(), after.number
    if made:
        found = modelled(ground, refilled(ground, found, *number[sorted(made)].tolist()))
    new: Bools = found.kind != LEAF
    new[number[np.flatnonzero(tree.kind != LEAF)]] = False
    return found, new


def _in_order(
    ground: Ground, tree: Tree, new: Bools, lost: Bools, limits: Mapping[str, Any], levels: int | None
) -> tuple[Tree, Bools]:
    """The tree with another test at leaves that lost theirs: the best of one column that keeps the order.

    Growing goes on below it, until no leaf has such a test.
    """
    plan = ground.planned({**limits, **dict.fromkeys(BEST_FIRST)})
    before = {path for path, is_new in zip(_paths(tree), new, strict=True) if not is_new}
    for leaf_path in [path for path, is_lost in zip(_paths(tree), lost, strict=True) if is_lost]:
        leaf = tree_annotations.node_at(tree, leaf_path)
        assert leaf is not None
        test = _best_in_order(ground, tree, leaf, plan)
        if test is None:
            continue
        tree, _ = _grafted(ground, tree, {}, {leaf: (test, 0)})
        if levels is None:
            there = tree_annotations.node_at(tree, leaf_path)
            assert there is not None
            tree, _ = grown_on(ground, tree, there, limits)
    tests = tree.kind != LEAF
    return tree, tests & np.array([path not in before for path in _paths(tree)])


def _best_in_order(ground: Ground, tree: Tree, leaf: int, plan: Any) -> Tree | None:
    """The best test of one column whose branches answer within what the rest of the tree allows."""
    _, rows, weight = next(descend(ground, tree, leaf))
    own = ground.weight[rows]
    share = np.divide(weight, own, out=np.zeros(len(rows)), where=own > 0)
    found = [grown_below(ground, tree, leaf, (rows, share), plan, only=k) for k in range(len(tree.columns))]
    kept = [test for test in found if test is not None and within(ground, tree, leaf, test)]
    return max(kept, key=lambda test: float(test.gain[0]), default=None)  # of equals the first


def _paths(tree: Tree) -> list[str]:
    return tree_annotations.paths(tree.first_child.tolist(), tree.n_children.tolist(), range(len(tree)))


def _cut_off(tree: Tree, node: int, levels: int) -> Tree:
    """The tree without tests that are so far below a node."""
    mask = np.zeros(len(tree), dtype=np.bool_)
    mask[[below for below, depth in tree.walk(node) if depth == levels and tree.kind[below] != LEAF]] = True
    keep = ~below(tree, mask)
    assert keep[: node + 1].all()
    return tree.collapse(mask)


def best_first(tree: Tree, new: Bools, limits: Mapping[str, Any]) -> Tree:
    """The tree with the new tests that are worth most, until a limit on leaves or nodes is reached."""
    worth = answers.decreases(tree.first_child, tree.weight, tree.impurity)
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
    return new & ~below(tree, new)


def _n_added(tree: Tree, node: int) -> int:
    """How many nodes a test adds, every absent value counted."""
    return int(tree.n_children[node]) + max(0, len(tree.absent_codes(node)) - 1)


def below(tree: Tree, mask: Bools) -> Bools:
    """The nodes below masked ones."""
    found = np.zeros(len(tree), dtype=np.bool_)
    for node in range(1, len(tree)):
        above = int(tree.parent[node])
        found[node] = mask[above] or found[above]
    return found
