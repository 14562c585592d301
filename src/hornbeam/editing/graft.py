"""Grafting: nodes of other trees in the place of nodes of this one.

One idea: lay the trees side by side, one after another, in long arrays; let the nodes that are grafted stand
where others stood; and number what can be reached from the root anew, families of siblings together, in the
order in which growing writes them. The pools follow by the same table as everywhere
(`hornbeam.tree.subtrees`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from hornbeam._base.types import AnyArray, Longs
from hornbeam.tree import annotations as tree_annotations
from hornbeam.tree.answer_rule import answer_rule_of, with_answer_rule
from hornbeam.tree.arrays import NODE_ARRAYS, POOLS
from hornbeam.tree.subtrees import rearranged
from hornbeam.tree.tree import Tree

_OWN = ("n_rows", "stats", "label", "impurity", "fraction")  # what a node keeps when its test changes
LEARNED = ("quantile", "cost", "model", "term", "member")  # pools that are made again from the rows


@dataclass(frozen=True)
class Grafted:
    """The constructor's arguments of the new tree; `number` is the new number of each old node, -1: gone."""

    arguments: dict[str, Any]
    number: Longs

    def tree(self) -> Tree:
        """The tree."""
        return Tree(**self.arguments)


def grafted(
    host: Tree, grafts: Mapping[int, tuple[Tree, int]], *, keep_children: bool = False, learned: bool = True
) -> Grafted:
    """The host with other nodes, and what is below them, in the place of some of its own.

    Parameters
    ----------
    grafts : node of the host -> (tree, the node of it that takes the place)
    keep_children : whether the host's children stay below the new test
    learned : whether pools of equations and quantiles are kept; without them they must be made again
    """
    sides = [host, *{id(tree): tree for tree, _ in grafts.values()}.values()]
    start = dict(zip(map(id, sides), np.cumsum([0, *map(len, sides)]).tolist(), strict=False))
    both = _SideBySide(host, sides, learned=learned)
    stand = np.arange(len(both))
    for node, (tree, root) in grafts.items():
        there = start[id(tree)] + root
        stand[node] = there
        for name in _OWN:
            both.__dict__[name][there] = both.__dict__[name][node]
        if keep_children:
            both.first_child[there] = both.first_child[node]
            both.n_children[there] = both.n_children[node]
    order, first_child = _numbered(both, stand)
    arguments = rearranged(cast(Tree, both), order, first_child, np.zeros(len(order), dtype=np.bool_))
    number = np.full(len(both), -1)
    number[order] = np.arange(len(order))
    for node in grafts:  # the place is the same node, whatever it tests now
        number[node] = number[stand[node]]
    arguments["meta"] = _meta(host, sides, number, arguments, set(grafts))
    rule = answer_rule_of(host.meta)
    if rule.level is not None and not learned:  # no quantile is known until the nodes are filled with rows
        arguments["meta"] = with_answer_rule(arguments["meta"], replace(rule, level=None))
    return Grafted(arguments, number[: len(host)])


def _meta(
    host: Tree, sides: list[Tree], number: Longs, arguments: Mapping[str, Any], changed: set[int]
) -> dict[str, Any]:
    """The host's meta, with what is known of tests and said of nodes under their new branches."""
    meta = dict(host.meta)
    for key in (tree_annotations.FACTS, tree_annotations.KEY):
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
    return meta


class _SideBySide:
    """Trees one after another, as far as rearranging nodes asks for."""

    first_child: AnyArray
    n_children: AnyArray

    def __init__(self, host: Tree, sides: list[Tree], *, learned: bool) -> None:
        starts = np.cumsum([0, *map(len, sides)]).tolist()
        self._n: int = starts[-1]
        width = host.stats.shape[1]
        for name in NODE_ARRAYS:
            parts = [_of_width(getattr(tree, name), width, name) for tree in sides]
            self.__dict__[name] = np.concatenate(parts)
        for start, tree in zip(starts, sides, strict=False):
            here = self.first_child[start : start + len(tree)]
            here[here >= 0] += start
        for pool in POOLS:
            gone = not learned and pool.name in LEARNED
            self._pool(pool, sides, empty=gone)
        self.expressions = {
            start + node: text
            for start, tree in zip(starts, sides, strict=False)
            for node, text in tree.expressions.items()
        }
        self.meta = {
            name: v
            for name, v in host.meta.items()
            if name not in (tree_annotations.FACTS, tree_annotations.KEY)
        }
        self._attributes = host.attributes() | {"meta": self.meta}

    def _pool(self, pool: Any, sides: list[Tree], *, empty: bool) -> None:
        if empty:
            n_owners = self._n if pool.owner == "node" else 0
            self.__dict__[pool.offset] = np.zeros(n_owners + 1, dtype=np.int64)
            self.__dict__ |= {name: np.empty(0, dtype) for name, dtype in pool.arrays.items()}
            return
        ends = np.cumsum([0, *(int(getattr(tree, pool.offset)[-1]) for tree in sides)]).tolist()
        offsets = [getattr(tree, pool.offset)[:-1] + end for tree, end in zip(sides, ends, strict=False)]
        self.__dict__[pool.offset] = np.concatenate([*offsets, ends[-1:]])
        for name in pool.arrays:
            self.__dict__[name] = np.concatenate([getattr(tree, name) for tree in sides])

    def __len__(self) -> int:
        return self._n

    def attributes(self) -> dict[str, Any]:
        """The host's."""
        return self._attributes


def _of_width(array: AnyArray, width: int, name: str) -> AnyArray:
    """Stats as wide as the host's; a test without rows has none."""
    if name != "stats" or array.shape[1] == width:
        return array
    return np.zeros((len(array), width))


def _numbered(both: _SideBySide, stand: Longs) -> tuple[Longs, Longs]:
    """The nodes that stay in their new order, and the new number of each one's first child."""
    first, count, place = both.first_child.tolist(), both.n_children.tolist(), stand.tolist()
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
