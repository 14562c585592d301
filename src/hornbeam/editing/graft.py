"""Grafting: replace nodes of a tree by nodes of other trees.

One idea: concatenate the arrays of the trees; link the grafted nodes where the replaced ones were; and number
the nodes that can be reached from the root anew, siblings side by side, in the order in which growing writes
them. The pools follow by the same table as everywhere
(`hornbeam.tree.subtrees`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from hornbeam._base.types import AnyArray, Longs
from hornbeam.tree import annotations as tree_annotations
from hornbeam.tree.answer_rule import answer_rule_of, with_answer_rule
from hornbeam.tree.arrays import NODE_ARRAYS, POOLS
from hornbeam.tree.certificate import KEY as CERTIFICATE
from hornbeam.tree.subtrees import rearranged
from hornbeam.tree.tree import Tree

_BY_NODE = (tree_annotations.FACTS, tree_annotations.KEY)
_MOVED = (*_BY_NODE, tree_annotations.IDS)  # what `_meta` moves with the nodes
_OTHER_ARRAYS = [name for name in NODE_ARRAYS if name not in ("stats", "first_child")]
_OWN = ("n_rows", "stats", "label", "impurity", "fraction")  # what a node keeps when its test changes
LEARNED = ("quantile", "cost", "model", "term", "member")  # pools that are made again from the rows


def grafted(
    host: Tree, grafts: Mapping[int, tuple[Tree, int]], *, keep_children: bool = False, learned: bool = True
) -> tuple[Tree, Longs]:
    """The host tree with some of its nodes replaced by nodes of other trees, with all that is below these.

    With it comes the new number of each of its nodes, -1 for those that are gone.

    Parameters
    ----------
    grafts : node of the host -> (tree, the node of it that takes the place)
    keep_children : whether the host's children stay below the new test
    learned : whether pools of equations and quantiles are kept; without them they must be made again
    """
    sides = [host, *{id(tree): tree for tree, _ in grafts.values()}.values()]
    starts = np.cumsum([0, *map(len, sides)]).tolist()
    start = dict(zip(map(id, sides), starts, strict=False))
    nodes = _side_by_side(host, sides, starts)
    stand = np.arange(starts[-1])
    for node, (tree, root) in grafts.items():
        there = start[id(tree)] + root
        stand[node] = there
        for name in (*_OWN, "first_child", "n_children") if keep_children else _OWN:
            nodes[name][there] = nodes[name][node]
    attributes = host.attributes() | {
        "meta": {name: entry for name, entry in host.meta.items() if name not in _MOVED},
        "expressions": {start[id(t)] + node: text for t in sides for node, text in t.expressions.items()},
    }
    both = Tree.unchecked(**attributes, **nodes, **_pools_side_by_side(sides, learned=learned))
    order, first_child = _numbered(nodes["first_child"], nodes["n_children"], stand)
    arguments = rearranged(both, order, first_child, np.zeros(len(order), dtype=np.bool_))
    number = np.full(len(both), -1)
    number[order] = np.arange(len(order))
    for node in grafts:  # the place is the same node, whatever it tests now
        number[node] = number[stand[node]]
    arguments["meta"] = _meta(host, sides, number, arguments, set(grafts))
    rule = answer_rule_of(host.meta)
    if rule.level is not None and not learned:  # no quantile is known until the nodes are filled with rows
        arguments["meta"] = with_answer_rule(arguments["meta"], replace(rule, level=None))
    return Tree(**arguments), number[: len(host)]


def _meta(
    host: Tree, sides: list[Tree], number: Longs, arguments: Mapping[str, Any], changed: set[int]
) -> dict[str, Any]:
    """The host's meta, with the facts about tests and the annotations of nodes under their new branches."""
    meta = tree_annotations.with_entries(host.meta, CERTIFICATE, {})  # nothing is proven of the new tree
    for key in _BY_NODE:
        annotations: dict[int, dict[str, Any]] = {}
        before = 0
        for tree in sides:
            for node, entry in tree_annotations.by_node(tree, key).items():
                new = int(number[before + node])
                if new < 0 or (tree is host and node in changed and key == tree_annotations.FACTS):
                    continue
                if tree is host and node in changed:
                    entry.pop("forced", None)
                annotations[new] = annotations.get(new, {}) | entry
            before += len(tree)
        entries = tree_annotations.by_path(annotations, arguments["first_child"], arguments["n_children"])
        meta = tree_annotations.with_entries(meta, key, entries)
    return tree_annotations.with_ids(meta, host, number[: len(host)], len(arguments["first_child"]))


def _side_by_side(host: Tree, sides: list[Tree], starts: list[int]) -> dict[str, AnyArray]:
    """The nodes of some trees one after another; Stats are as wide as the host's."""
    width = host.stats.shape[1]
    stats = [t.stats if t.stats.shape[1] == width else np.zeros((len(t), width)) for t in sides]
    nodes = {name: np.concatenate([getattr(tree, name) for tree in sides]) for name in _OTHER_ARRAYS}
    shifted = [
        np.where(tree.first_child >= 0, tree.first_child + start, -1)
        for start, tree in zip(starts, sides, strict=False)
    ]
    return nodes | {"stats": np.concatenate(stats), "first_child": np.concatenate(shifted)}


def _pools_side_by_side(sides: list[Tree], *, learned: bool) -> dict[str, AnyArray]:
    """The pools of some trees one after another; without those made from rows unless they are kept."""
    arrays: dict[str, AnyArray] = {}
    for pool in POOLS:
        if learned or pool.name not in LEARNED:
            ends = np.cumsum([0, *(int(getattr(tree, pool.offset)[-1]) for tree in sides)]).tolist()
            offsets = [getattr(tree, pool.offset)[:-1] + end for tree, end in zip(sides, ends, strict=False)]
            arrays[pool.offset] = np.concatenate([*offsets, ends[-1:]])
            arrays |= {name: np.concatenate([getattr(tree, name) for tree in sides]) for name in pool.arrays}
    return arrays


def _numbered(first_child: AnyArray, n_children: AnyArray, stand: Longs) -> tuple[Longs, Longs]:
    """The nodes that stay in their new order, and the new number of each one's first child."""
    first, count, place = first_child.tolist(), n_children.tolist(), stand.tolist()
    order, link, stack = [place[0]], [-1], [0]
    while stack:
        number = stack.pop()
        node = order[number]
        if first[node] < 0:
            continue
        link[number] = len(order)
        stack += reversed(range(len(order), len(order) + count[node]))
        order += [place[first[node] + branch] for branch in range(count[node])]
        link += [-1] * count[node]
    return np.array(order), np.array(link)
