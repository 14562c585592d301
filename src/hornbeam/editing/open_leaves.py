"""The open leaves of a tree, and what growing makes of them.

As long as nobody changed anything on the way to a leaf, its subtree is the one of the tree that fitting
grows, taken from there exactly. Below a choice of a person the estimator grows on the rows that reach the
leaf, with its limits counted for the whole tree. Each leaf gets its subtree on its own; two things bind them
together afterwards: a limit on leaves or nodes, which keeps the tests worth most, and `monotonic_cst`, which
takes away the tests whose answers would go beyond what the rest of the tree allows.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from hornbeam._base.types import Bools
from hornbeam.data.table import Table
from hornbeam.editing.chosen_split import used_up, with_thresholds
from hornbeam.editing.edit_context import BEST_FIRST, EditContext, Rows
from hornbeam.editing.edit_words import locks
from hornbeam.editing.fill_nodes import descend, modelled, refilled, row_shares, rows_at
from hornbeam.editing.graft import grafted
from hornbeam.editing.monotone_order import disordered, within
from hornbeam.growing.grower import grow
from hornbeam.growing.interruption import GrowthInterrupted
from hornbeam.growing.plan import Plan
from hornbeam.tree import annotations as tree_annotations
from hornbeam.tree import answers
from hornbeam.tree.arrays import LEAF, POOLS
from hornbeam.tree.node_stats import moderate
from hornbeam.tree.subtrees import nodes_below
from hornbeam.tree.tree import Tree

_TEST = ("kind", "n_children", "column", "threshold", "missing", "absent")
_TESTED = [pool for pool in POOLS if not pool.stays]
_LEAST_DEPTH = 4  # a tree of so many levels is grown in little more time than one of one level


Grafts = dict[int, tuple[Tree, int]]


def reference(context: EditContext, limits: Mapping[str, Any], depth: int | None = None) -> Tree:
    """The tree that fitting with these limits grows depth first: without a limit on leaves or nodes.

    Where only its upper levels are asked for, down to `depth`, no more than about twice as many are grown.
    """
    whole = {**limits, **dict.fromkeys(BEST_FIRST)}
    if depth is None or context.has_grown(whole) or not context.target.task.is_classes:
        return context.grown(whole)  # means are added up from the leaves, and would differ in the last digit
    most = whole.get("max_depth", context.estimator.max_depth)
    enough = 2 ** math.ceil(math.log2(max(depth, _LEAST_DEPTH)))
    return context.grown(whole if most is not None and most <= enough else {**whole, "max_depth": enough})


def same_places(tree: Tree, other: Tree) -> dict[int, int]:
    """The nodes that are reached by the same tests and branches in another tree of the same rows."""
    if not np.array_equal(tree.stats[0], other.stats[0]):
        return {}
    places = {0: 0}
    for node, _ in tree.walk():
        if node in places and tree.kind[node] != LEAF and same_test(tree, node, other, places[node]):
            places |= dict(zip(tree.children(node), other.children(places[node]), strict=True))
    return places


def same_test(tree: Tree, node: int, other: Tree, there: int) -> bool:
    """Whether two nodes test the same."""
    for name in _TEST:
        a, b = getattr(tree, name)[node], getattr(other, name)[there]
        if a != b and not (a != a and b != b):
            return False
    if tree.expressions.get(node) != other.expressions.get(there):
        return False
    return all(
        _entries(tree, pool, node) == _entries(other, pool, there) for pool in _TESTED if pool.owner == "node"
    )


def _entries(tree: Tree, pool: Any, node: int) -> list[Any]:
    offset = getattr(tree, pool.offset)
    span = slice(int(offset[node]), int(offset[node + 1]))
    return [np.nan_to_num(getattr(tree, name)[span], nan=-1e308).tolist() for name in pool.arrays]


def grown_below(
    context: EditContext, tree: Tree, leaf: int, rows: Rows, plan: Plan, only: int | None = None
) -> Tree | None:
    """What the estimator grows on the rows of a leaf; None if it stays a leaf.

    With `only`, one test of that column.
    """
    place, share = rows
    weight = share * context.growth.weight[place]
    mass, total = float(weight.sum()), context.growth.total
    if not len(place) or mass <= 0:
        return None
    limits = _own_limits(plan.limits, tree, leaf, total / mass)
    if limits.get("max_depth", 1) <= 0:
        return None
    target = context.growth_target.take(place)
    if not (share == 1).all():
        target = replace(target, weights=share * (1.0 if target.weights is None else target.weights))
    used = used_up(tree, leaf)
    if only is not None:
        limits["max_depth"] = 1
        used |= set(range(len(tree.columns))) - {only}
    table = _without(context.table.take(place), used)
    try:
        grown = grow(replace(plan, limits=limits, threshold_at="midpoint"), table, target, context.watcher)
    except GrowthInterrupted as stopped:
        grown = stopped.tree
    return None if grown.kind[0] == LEAF else with_thresholds(context, grown)


def _own_limits(given: Mapping[str, Any], tree: Tree, leaf: int, times: float) -> dict[str, Any]:
    """The limits of the whole tree as they bind below a leaf; the whole weighs `times` as much."""
    limits = {name: value for name, value in given.items() if name not in ("max_leaves", "max_nodes")}
    if "max_depth" in limits:
        limits["max_depth"] = max(limits["max_depth"] - int(tree.depths[leaf]), 0)
    for name in ("min_weight_fraction", "min_impurity_decrease"):
        if name in limits:
            limits[name] = min(limits[name] * times, 1.0 if name == "min_weight_fraction" else math.inf)
    if limits.get("min_sd_share"):
        here, root = np.maximum(answers.spreads(tree)[[leaf, 0]], 1e-300).tolist()
        limits["min_sd_share"] = limits["min_sd_share"] * root / here
    return limits


def _without(table: Table, used: set[int]) -> Table:
    """The table in which columns that are used up have no values."""
    if not used:
        return table
    arrays = list(table.arrays)
    for column in used:
        blank = np.nan if arrays[column].dtype.kind == "f" else -1
        arrays[column] = np.full_like(arrays[column], blank)
    return Table(table.columns, table.n_rows, tuple(arrays))


def grown_on(
    context: EditContext, tree: Tree, node: int, limits: Mapping[str, Any], levels: int | None = None
) -> tuple[Tree, Bools]:
    """The tree grown on at the open leaves of a node, `levels` deep if given; and which tests are new."""
    natural, made = _subtrees(context, tree, node, limits, levels)
    after, new = _grafted(context, tree, natural, made)
    gone = disordered(context, after, new)
    if not gone.any():
        return after, new
    keep = ~nodes_below(after, gone)
    bounded, new = after.collapse(gone), (new & ~gone)[keep]
    return _in_order(context, bounded, new, gone[keep], limits, levels)


def _subtrees(
    context: EditContext, tree: Tree, node: int, limits: Mapping[str, Any], levels: int | None
) -> tuple[Grafts, Grafts]:
    """What fitting has in the place of open leaves, and what is grown below the choices of a person."""
    held = {each for lock in locks(tree) for each, _ in tree.walk(lock)}
    deepest = max(int(tree.depths[below]) for below, _ in tree.walk(node))
    natural = reference(context, limits, None if levels is None else deepest + levels)
    places = same_places(tree, natural)
    plan = context.planned({**limits, **dict.fromkeys(BEST_FIRST)})
    taken: Grafts = {}
    made: Grafts = {}
    for leaf, rows, weight in descend(context, tree, node):
        if tree.kind[leaf] != LEAF or leaf in held or context.is_stopped:
            continue
        if leaf in places:
            there = places[leaf]
            if natural.kind[there] != LEAF:
                taken[leaf] = (natural if levels is None else _cut_off(natural, there, levels), there)
            continue
        grown = grown_below(context, tree, leaf, (rows, row_shares(context, rows, weight)), plan)
        if grown is not None:
            made[leaf] = (grown if levels is None else _cut_off(grown, 0, levels), 0)
    return taken, made


def _grafted(context: EditContext, tree: Tree, taken: Grafts, made: Grafts) -> tuple[Tree, Bools]:
    """The tree with subtrees in the place of leaves, those that were made filled with rows; the new tests."""
    if not taken and not made:
        return tree, np.zeros(len(tree), dtype=np.bool_)
    grown, number = grafted(tree, taken | made, learned=not made)
    if made:
        grown = modelled(context, refilled(context, grown, *number[sorted(made)].tolist()))
    new: Bools = grown.kind != LEAF
    new[number[np.flatnonzero(tree.kind != LEAF)]] = False
    return grown, new


def _in_order(
    context: EditContext, tree: Tree, new: Bools, lost: Bools, limits: Mapping[str, Any], levels: int | None
) -> tuple[Tree, Bools]:
    """The tree with another test at leaves that lost theirs: the best of one column that keeps the order.

    Growing goes on below it, until no leaf has such a test.
    """
    plan = context.planned({**limits, **dict.fromkeys(BEST_FIRST)})
    before = {path for path, is_new in zip(_paths(tree), new, strict=True) if not is_new}
    for leaf_path in [path for path, is_lost in zip(_paths(tree), lost, strict=True) if is_lost]:
        leaf = tree_annotations.node_at(tree, leaf_path)
        assert leaf is not None
        test = _best_in_order(context, tree, leaf, plan)
        if test is None:
            continue
        tree, _ = _grafted(context, tree, {}, {leaf: (test, 0)})
        if levels is None:
            there = tree_annotations.node_at(tree, leaf_path)
            assert there is not None
            tree, _ = grown_on(context, tree, there, limits)
    tests = tree.kind != LEAF
    return tree, tests & np.array([path not in before for path in _paths(tree)])


def _best_in_order(context: EditContext, tree: Tree, leaf: int, plan: Any) -> Tree | None:
    """The best test of one column whose branches answer within what the rest of the tree allows."""
    here = rows_at(context, tree, leaf)
    tests = [grown_below(context, tree, leaf, here, plan, only=k) for k in range(len(tree.columns))]
    kept = [test for test in tests if test is not None and within(context, tree, leaf, test)]
    return max(kept, key=lambda test: float(test.gain[0]), default=None)  # of equals the first


def _paths(tree: Tree) -> list[str]:
    return tree_annotations.paths(tree.first_child.tolist(), tree.n_children.tolist(), range(len(tree)))


def _cut_off(tree: Tree, node: int, levels: int) -> Tree:
    """The tree without tests that are so far below a node."""
    mask = np.zeros(len(tree), dtype=np.bool_)
    mask[[below for below, depth in tree.walk(node) if depth == levels and tree.kind[below] != LEAF]] = True
    return tree.collapse(mask)


def best_first(tree: Tree, new: Bools, limits: Mapping[str, Any]) -> Tree:
    """The tree with the new tests that are worth most, until a limit on leaves or nodes is reached."""
    worth = answers.decreases(tree.first_child, moderate(tree.weight, tree.impurity), tree.impurity)
    most_leaves, most_nodes = limits.get("max_leaves", math.inf), limits.get("max_nodes", math.inf)
    place = {node: k for k, (node, _) in enumerate(tree.walk())}  # from left to right
    top = [n for n in np.flatnonzero(new).tolist() if n == 0 or not new[int(tree.parent[n])]]
    keep = ~new
    standing = tree.collapse(new & ~nodes_below(tree, new)) if len(top) else tree
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


def _n_added(tree: Tree, node: int) -> int:
    """How many nodes a test adds, every absent value counted."""
    return int(tree.n_children[node]) + max(0, len(tree.absent_codes(node)) - 1)
