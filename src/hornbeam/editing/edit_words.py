"""The result of an operation, and how its messages and errors name nodes and tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hornbeam._base.types import Bools
from hornbeam.tree import annotations as tree_annotations
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.tree import Tree
from hornbeam.tree.words import ASCII, condition_text, question_text


@dataclass(frozen=True)
class EditResult:
    """The new tree; what happened in words; what the log keeps of it (a rank, say)."""

    tree: Tree
    say: str
    facts: Mapping[str, Any] = field(default_factory=dict)


def marked(tree: Tree, node: int, **entry: Any) -> Tree:
    """The tree with something said about a node; None takes it back.

    >>> tree = marked(Tree.from_nested("a"), 0, note="why?")
    >>> tree_annotations.by_node(tree), tree_annotations.by_node(marked(tree, 0, note=None))
    ({0: {'note': 'why?'}}, {})
    """
    entries_of = tree_annotations.by_node(tree)
    mine = {name: value for name, value in (entries_of.get(node, {}) | entry).items() if value is not None}
    entries = tree_annotations.by_path(entries_of | {node: mine}, tree.first_child, tree.n_children)
    changed = {"meta": tree_annotations.with_entries(tree.meta, tree_annotations.KEY, entries)}
    return tree.replace(**changed)


def test_text(tree: Tree, node: int) -> str:
    """A test in words: both sides if it is a cut, else what it asks.

    >>> test_text(Tree.from_nested({"column": "age", "<=": 29, "yes": "a", "no": "b"}), 0)
    'age <= 29'
    """
    several = int(tree.n_children[node]) - int(tree.own_missing[node]) > 2
    return question_text(tree, node) if several else condition_text(tree, node, 0, ASCII, brief=True)


def checked(tree: Tree, node: Any) -> int:
    """A node's number, if the tree has that node."""
    if isinstance(node, bool) or not hasattr(node, "__index__") or not 0 <= node < len(tree):
        raise ValueError(f"node={node!r} must be the number of a node, from 0 to {len(tree) - 1}")
    return int(node)


def open_leaf(tree: Tree, given: Any) -> int:
    """A node that can be split."""
    node = unlocked(tree, given)
    if tree.kind[node] != LEAF:
        raise ValueError(
            f"node={node} is no leaf, it tests {test_text(tree, node)}: collapse it first, or move its cut"
        )
    return node


def standing_test(tree: Tree, given: Any) -> int:
    """A test that can be changed."""
    node = unlocked(tree, given)
    if tree.kind[node] == LEAF:
        raise ValueError(f"node={node} is a leaf and tests nothing: split it first")
    return node


def unlocked(tree: Tree, given: Any) -> int:
    """A node that is not locked, nor below one that is."""
    node = checked(tree, given)
    locked = locks(tree)
    for above in tree.path(node):
        if above in locked:
            where = "is locked" if above == node else f"is below node {above}, which is locked"
            raise ValueError(f"node={node} {where}: unlock({above}) first")
    return node


def locks(tree: Tree) -> set[int]:
    """The nodes that are locked."""
    return {node for node, mark in tree_annotations.by_node(tree).items() if mark.get("locked")}


def held_nodes(tree: Tree) -> Bools:
    """Locked nodes, and everything above and below them."""
    held: Bools = np.zeros(len(tree), dtype=np.bool_)
    for node in locks(tree):
        held[tree.path(node)] = True
        held[[below for below, _ in tree.walk(node)]] = True
    return held


def leaves_text(n: int) -> str:
    """A number of leaves.

    >>> leaves_text(1), leaves_text(5)
    ('1 leaf', '5 leaves')
    """
    return "1 leaf" if n == 1 else f"{n} leaves"
