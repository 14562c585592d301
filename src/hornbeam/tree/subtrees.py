"""Smaller trees from a tree: some nodes stay, in an order, with the matching part of every pool.

One idea: `order` lists the nodes that stay by their old numbers. The entries of a pool follow their owners,
and a pool whose owners are entries of another pool follows those, so one loop over the table of pools moves
everything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hornbeam._base.types import AnyArray, Bools, Longs
from hornbeam.tree import annotations as tree_annotations
from hornbeam.tree.arrays import NODE_ARRAYS, POOLS

if TYPE_CHECKING:
    from hornbeam.tree.tree import Tree

# What makes a node a test; a collapsed node has the default instead.
_TEST = {
    "kind": 0,
    "n_children": 0,
    "column": -1,
    "threshold": np.nan,
    "gap": np.nan,
    "missing": -1,
    "absent": -1,
    "gain": 0.0,
}


def collapsed(tree: Tree, nodes: npt.ArrayLike) -> dict[str, Any]:
    """The constructor's arguments for `tree` with the masked nodes turned into leaves."""
    mask = np.asarray(nodes)
    if mask.shape != (len(tree),) or mask.dtype != np.bool_:
        raise ValueError(
            f"collapse takes a boolean mask with one value for each of the {len(tree)} nodes, not an array of"
            f" {mask.dtype} and shape {mask.shape}: make one with numpy.zeros(len(tree), dtype=bool)"
        )
    keep = ~nodes_below(tree, mask)
    number = np.cumsum(keep) - 1
    order = np.flatnonzero(keep)
    first = tree.first_child[order]
    return rearranged(tree, order, np.where(first >= 0, number[first], -1), mask[order])


def place_nodes(tree: Tree, stand: Longs, ended: Bools) -> dict[str, Any]:
    """The constructor's arguments for the tree in which `stand` names the node in each place.

    `ended` masks the leaves, old ones and new ones.
    """
    order, first_child = number_nodes(tree, stand, ended)
    return rearranged(tree, order, first_child, ended[order] & (tree.first_child[order] >= 0))


def number_nodes(tree: Tree, stand: Longs, ended: Bools) -> tuple[Longs, Longs]:
    """The nodes that stay, level by level, and the new number of each one's first child.

    `stand` is the node in each place, `ended` masks the leaves.
    """
    level, order, first, total = stand[:1], [], [], 1
    while len(level):
        tests = ~ended[level]
        count = np.where(tests, tree.n_children[level], 0).astype(np.int64)
        start = np.cumsum(count) - count
        order.append(level)
        first.append(np.where(tests, total + start, -1))
        places = np.repeat(tree.first_child[level] - start, count) + np.arange(count.sum())
        level, total = stand[places], total + int(count.sum())
    return np.concatenate(order), np.concatenate(first)


def rearranged(tree: Tree, order: Longs, first_child: AnyArray, leaf: Bools) -> dict[str, Any]:
    """The nodes of `order`; where `leaf` is true what makes a node a test goes."""
    arrays: dict[str, AnyArray] = {name: getattr(tree, name)[order] for name in NODE_ARRAYS}
    arrays["first_child"] = np.where(leaf, -1, first_child).astype(np.int32)
    for name, empty in _TEST.items():
        arrays[name][leaf] = empty
    number = np.full(len(tree), -1)
    number[order] = np.arange(len(order))
    tests = np.zeros(len(tree), dtype=np.bool_)
    tests[order[~leaf]] = True
    changed: dict[str, Any] = {
        "expressions": {int(number[n]): text for n, text in tree.expressions.items() if tests[n]},
        "meta": tree_annotations.move_annotations(tree, number, arrays["first_child"], arrays["n_children"]),
    }
    return tree.attributes() | changed | arrays | _pools(tree, order, ~leaf)


def nodes_below(tree: Tree, mask: Bools) -> Bools:
    """Nodes with a masked ancestor; looking twice as far up each time takes log2(depth) passes."""
    ancestor = np.maximum(tree.parent, 0)
    below: Bools = mask[ancestor]
    below[0] = False
    while ancestor.any():
        below |= below[ancestor]
        ancestor = ancestor[ancestor]
    return below


def _pools(tree: Tree, order: Longs, tests: Bools) -> dict[str, AnyArray]:
    """The part of each pool that the kept nodes own; of a node that is no test any more what stays."""
    arrays: dict[str, AnyArray] = {}
    owners = {"node": order}  # the owners that stay, by their old numbers, in their new order
    for pool in POOLS:
        offset, owner = getattr(tree, pool.offset), owners[pool.owner]
        if not offset[-1]:
            owners[pool.name] = np.empty(0, dtype=np.int64)
            continue
        count = np.diff(offset)[owner]
        if pool.owner == "node" and not pool.stays:
            count = np.where(tests, count, 0)
        start = np.cumsum(count) - count
        entries = np.repeat(offset[owner] - start, count) + np.arange(count.sum())
        owners[pool.name] = entries
        if len(entries):
            arrays[pool.offset] = np.concatenate(([0], np.cumsum(count)))
            arrays |= {name: getattr(tree, name)[entries] for name in pool.arrays}
    return arrays
