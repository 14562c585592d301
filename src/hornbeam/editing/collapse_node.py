"""Collapse: a test and everything below it become a leaf."""

from __future__ import annotations

import numpy as np

from hornbeam.editing.edit_context import Ground
from hornbeam.editing.edit_result import Done
from hornbeam.editing.edit_words import leaves_text, locks, standing_test, test_text
from hornbeam.tree.tree import Tree


def collapse(ground: Ground, tree: Tree, node: int) -> Done:  # noqa: ARG001 (every operation has a ground)
    """Make a leaf of a node."""
    node = standing_test(tree, node)
    below = {each for each, _ in tree.walk(node)}
    held = sorted(locks(tree) & below)
    if held:
        raise ValueError(
            f"node={node} cannot be collapsed: node {held[0]} below it is locked; unlock it first"
        )
    mask = np.zeros(len(tree), dtype=np.bool_)
    mask[node] = True
    n = sum(tree.first_child[each] < 0 for each in below)
    return Done(
        tree.collapse(mask), f"collapsed node {node} ({test_text(tree, node)}, {leaves_text(n)} below)"
    )
