"""Absent values apart and together: a leaf for each value that a node has not seen, and one for all of them.

One idea: a Tree keeps one empty leaf for all absent values of a node (K6). Where rows may still arrive there,
as they do in a subtree that is raised, each value needs a leaf of its own; afterwards those that stayed empty
are one again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from hornbeam._base.types import Longs
from hornbeam.tree import subtrees
from hornbeam.tree.arrays import LEAF, MULTIWAY
from hornbeam.tree.tree import Tree


class _Branches(NamedTuple):
    """The children of a test as they are to be: old node numbers, and the codes that lead to each."""

    kids: list[int]
    codes: list[int]  # of the first branches, one each, ascending
    absent: int  # the branch of all other codes, -1 for none
    missing: int


def apart(tree: Tree) -> tuple[Tree, Longs]:
    """The same tree with a leaf for each absent value, and the number each of its nodes had.

    >>> from hornbeam.data.columns import Column
    >>> tree = Tree.from_nested({"column": "a", "branches": {"u": "p", "w": "q"}},
    ...                         columns=[Column("a", "nominal", ("t", "u", "v", "w"))])
    >>> wide, old = apart(tree)
    >>> len(tree), len(wide), old.tolist(), wide.text() == tree.text()
    (4, 5, [0, 3, 1, 3, 2], True)
    """
    if not (tree.absent >= 0).any():
        return tree, np.arange(len(tree))

    def branches(node: int) -> _Branches | None:
        if tree.absent[node] < 0:
            return None
        first, codes = int(tree.first_child[node]), tree.value_map(node)[0].tolist()
        place = {code: branch for branch, code in enumerate(codes)}
        domain = range(len(tree.columns[int(tree.column[node])].categories))
        old = [place.get(code, int(tree.absent[node])) for code in domain]
        old += [int(tree.n_children[node]) - 1] if tree.own_missing[node] else []
        gap = int(tree.missing[node])
        missing = old.index(gap) if gap in old else -1
        return _Branches([first + branch for branch in old], list(domain), -1, missing)

    return _rebuilt(tree, branches)


def together(tree: Tree) -> Tree:
    """The same tree with one leaf for all values of a node that no row has.

    >>> from hornbeam.data.columns import Column
    >>> seen = {"u": {"counts": {"p": 1}}, "w": {"counts": {"q": 2}}}
    >>> columns = [Column("a", "nominal", ("t", "u", "v", "w"))]
    >>> tree = Tree.from_nested({"column": "a", "branches": seen}, columns=columns)
    >>> together(apart(tree)[0]) == tree
    True
    """
    empty = (tree.kind == LEAF) & (tree.weight == 0)
    if not empty.any() or not ((tree.kind == MULTIWAY) & (tree.absent < 0)).any():
        return tree

    def branches(node: int) -> _Branches | None:
        if tree.kind[node] != MULTIWAY or tree.absent[node] >= 0:
            return None
        first, codes = int(tree.first_child[node]), tree.value_map(node)[0].tolist()
        full = [branch for branch in range(len(codes)) if not empty[first + branch]]
        if len(full) == len(codes):
            return None
        spare = next(branch for branch in range(len(codes)) if empty[first + branch])
        old = [*full, spare] + ([int(tree.n_children[node]) - 1] if tree.own_missing[node] else [])
        gap = int(tree.missing[node])
        missing = old.index(gap) if gap in old else -1
        return _Branches([first + branch for branch in old], [codes[b] for b in full], len(full), missing)

    return _rebuilt(tree, branches)[0]


def _rebuilt(tree: Tree, branches: Callable[[int], _Branches | None]) -> tuple[Tree, Longs]:
    """The tree with other children for some tests, level by level, and the number each node had."""
    order: list[int] = []
    first: list[int] = []
    changed: dict[int, _Branches] = {}
    level, total = [0], 1
    while level:
        below: list[int] = []
        for node in level:
            new = branches(node)
            kids = list(tree.children(node)) if new is None else new.kids
            if new is not None:
                changed[len(order)] = new
            order.append(node)
            first.append(total if kids else -1)
            total += len(kids)
            below += kids
        level = below
    old = np.array(order, dtype=np.int64)
    parts = subtrees.rearranged(tree, old, np.array(first), np.zeros(len(old), dtype=np.bool_))
    for place, new in changed.items():
        parts["n_children"][place] = len(new.kids)
        parts["absent"][place], parts["missing"][place] = new.absent, new.missing
    return Tree(**parts | _maps(tree, old, changed)), old


def _maps(tree: Tree, old: Longs, changed: dict[int, _Branches]) -> dict[str, Longs]:
    """The value maps of the nodes in their new order."""
    codes: list[Longs] = []
    branch: list[Longs] = []
    for place, node in enumerate(old.tolist()):
        if place in changed:
            codes.append(np.array(changed[place].codes, dtype=np.int64))
            branch.append(np.arange(len(changed[place].codes)))
        else:
            own = tree.value_map(node)
            codes.append(own[0].astype(np.int64))
            branch.append(own[1].astype(np.int64))
    return {
        "map_offset": np.concatenate(([0], np.cumsum([len(part) for part in codes]))),
        "map_code": np.concatenate(codes).astype(np.int32),
        "map_branch": np.concatenate(branch).astype(np.int32),
    }
