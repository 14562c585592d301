"""Done: what an operation gives back: the new tree, one sentence, and what it found out on the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hornbeam.tree import annotations as tree_annotations
from hornbeam.tree.tree import Tree


@dataclass(frozen=True)
class Done:
    """The new tree; what happened in words; what the log keeps of it (a rank, say)."""

    tree: Tree
    say: str
    found: Mapping[str, Any] = field(default_factory=dict)


def marked(tree: Tree, node: int, **entry: Any) -> Tree:
    """The tree with something said about a node; None takes it back.

    >>> tree = marked(Tree.from_nested("a"), 0, note="why?")
    >>> tree_annotations.by_node(tree), tree_annotations.by_node(marked(tree, 0, note=None))
    ({0: {'note': 'why?'}}, {})
    """
    found = tree_annotations.by_node(tree)
    mine = {name: value for name, value in (found.get(node, {}) | entry).items() if value is not None}
    entries = tree_annotations.by_path(found | {node: mine}, tree.first_child, tree.n_children)
    changed = {"meta": tree_annotations.with_entries(tree.meta, tree_annotations.KEY, entries)}
    return tree.replace(**changed)
