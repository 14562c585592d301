"""Lock and unlock: a locked node stays as it is, with everything below; growing and pruning go around it."""

from __future__ import annotations

from hornbeam.editing.edit_context import Ground
from hornbeam.editing.edit_result import Done, marked
from hornbeam.editing.edit_words import checked, locks
from hornbeam.tree.tree import Tree


def lock(ground: Ground, tree: Tree, node: int) -> Done:  # noqa: ARG001 (every operation has a ground)
    """Keep a node as it is."""
    node = checked(tree, node)
    if node in locks(tree):
        raise ValueError(f"node={node} is locked already")
    return Done(marked(tree, node, locked=True), f"locked node {node}")


def unlock(ground: Ground, tree: Tree, node: int) -> Done:  # noqa: ARG001
    """Let a node be changed again."""
    node = checked(tree, node)
    if node not in locks(tree):
        held = ", ".join(map(str, sorted(locks(tree)))) or "none"
        raise ValueError(f"node={node} is not locked; locked nodes: {held}")
    return Done(marked(tree, node, locked=None), f"unlocked node {node}")
