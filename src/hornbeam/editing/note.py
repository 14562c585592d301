"""Note: a remark of a person at a node, kept with the tree and shown with it."""

from __future__ import annotations

from typing import Any

from hornbeam.editing.edit_context import Ground
from hornbeam.editing.edit_result import Done, marked
from hornbeam.editing.edit_words import checked
from hornbeam.tree.tree import Tree


def note(ground: Ground, tree: Tree, node: int, text: Any) -> Done:  # noqa: ARG001 (every operation has one)
    """Write a remark; an empty one takes it back."""
    node = checked(tree, node)
    if not isinstance(text, str):
        raise TypeError(f"text={text!r} of a note must be text; '' takes a note back")
    words = " ".join(text.split())
    return Done(marked(tree, node, note=words or None), f"noted at node {node}: {words or '(nothing)'}")
