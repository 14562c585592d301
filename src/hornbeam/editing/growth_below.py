"""Growth below leaves: what the estimator would have grown where a tree ends.

One idea: as long as nobody changed anything on the way to a leaf, its subtree is the one of the tree that
fitting grows, taken from there exactly. Below a choice of a person the estimator grows on the rows that
reach the leaf, with its limits counted for the whole tree.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from hornbeam.data.table import Table
from hornbeam.editing.edit_context import BEST_FIRST, Ground
from hornbeam.editing.fill_nodes import Rows
from hornbeam.editing.split_scores import at_midpoints, used_up, with_values
from hornbeam.growing.grow import grow
from hornbeam.growing.plan import Plan
from hornbeam.tree.arrays import LEAF, POOLS
from hornbeam.tree.tree import Tree

_TEST = ("kind", "n_children", "column", "threshold", "missing", "absent")
_TESTED = [pool for pool in POOLS if not pool.stays]


def reference(ground: Ground, limits: Mapping[str, Any]) -> Tree:
    """The tree that fitting with these limits grows depth first: without a limit on leaves or nodes."""
    return ground.grown({**limits, **dict.fromkeys(BEST_FIRST)})


def same_places(tree: Tree, other: Tree) -> dict[int, int]:
    """The nodes that are reached by the same tests and branches in another tree of the same rows."""
    if tree.center != other.center or not np.array_equal(tree.stats[0], other.stats[0]):
        return {}
    found = {0: 0}
    for node, _ in tree.walk():
        if node in found and tree.kind[node] != LEAF and same_test(tree, node, other, found[node]):
            found |= dict(zip(tree.children(node), other.children(found[node]), strict=True))
    return found


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
    ground: Ground, tree: Tree, leaf: int, rows: Rows, plan: Plan, only: int | None = None
) -> Tree | None:
    """What the estimator grows on the rows of a leaf; None if it stays a leaf. Its Stats are not settled.

    With `only`, one test of that column.
    """
    place, share = rows
    weight = share * ground.judged_weight[place]
    mass, total = float(weight.sum()), float(ground.judged_weight.sum())
    if not len(place) or mass <= 0:
        return None
    limits = _own_limits(plan.limits, tree, leaf, total / mass)
    if limits.get("max_depth", 1) <= 0:
        return None
    target = ground.seen.take(place)
    if not (share == 1).all():
        target = replace(target, weights=share * (1.0 if target.weights is None else target.weights))
    used = used_up(tree, leaf)
    if only is not None:
        limits["max_depth"] = 1
        used |= set(range(len(tree.columns))) - {only}
    table = _without(ground.table.take(place), used)
    found = grow(replace(plan, limits=limits, split=at_midpoints(plan.split)), table, target)
    return None if found.kind[0] == LEAF else with_values(ground, found)


def _own_limits(given: Mapping[str, Any], tree: Tree, leaf: int, times: float) -> dict[str, Any]:
    """The limits of the whole tree as they bind below a leaf; the whole weighs `times` as much."""
    found = {name: value for name, value in given.items() if name not in ("max_leaves", "max_nodes")}
    if "max_depth" in found:
        found["max_depth"] = max(found["max_depth"] - int(tree.depths[leaf]), 0)
    for name in ("min_weight_fraction", "min_impurity_decrease"):
        if name in found:
            found[name] = min(found[name] * times, 1.0 if name == "min_weight_fraction" else math.inf)
    if found.get("min_sd_share"):
        here, root = (max(_sd(tree, node), 1e-300) for node in (leaf, 0))
        found["min_sd_share"] = found["min_sd_share"] * root / here
    return found


def _sd(tree: Tree, node: int) -> float:
    w, wy, wyy = tree.stats[node][:3].tolist()
    return math.sqrt(max(wyy / w - (wy / w) ** 2, 0.0)) if w > 0 else 0.0


def _without(table: Table, used: set[int]) -> Table:
    """The table in which columns that are used up have no values."""
    if not used:
        return table
    arrays = list(table.arrays)
    for column in used:
        blank = np.nan if arrays[column].dtype.kind == "f" else -1
        arrays[column] = np.full_like(arrays[column], blank)
    return Table(table.columns, table.n_rows, tuple(arrays))
