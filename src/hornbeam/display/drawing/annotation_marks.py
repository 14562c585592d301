"""What people said about single nodes: a test chosen by hand, a node locked.

One idea: a tree keeps such marks in its `meta` under the branches that lead to the node ("0/1": the second
branch of the first branch of the root); a picture says them in a few words, because a tree that was changed
by hand should not look as if it had been learned.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hornbeam.tree.annotations import by_node
from hornbeam.tree.tree import Tree


def marks_of(tree: Tree) -> Mapping[int, Mapping[str, Any]]:
    """Return node -> what is kept about it.

    >>> nested = {"column": "x", "<=": 1.5, "yes": "a", "no": "b"}
    >>> marks_of(Tree.from_nested(nested, meta={"marks": {"1": {"locked": True}, "1/7": {"locked": True}}}))
    {2: {'locked': True}}
    """
    return by_node(tree)


def mark_words(kept: Mapping[str, Any]) -> str:
    """Return the words for the marks of one node.

    >>> mark_words({"forced": {"rank": 2, "of": 7}, "locked": True})
    '✎ chosen · rank 2 of 7 · locked'
    """
    words = []
    forced = kept.get("forced")
    if forced:
        words.append("✎ chosen")
        if isinstance(forced, Mapping) and "rank" in forced:
            words.append(f"rank {forced['rank']} of {forced.get('of', '?')}")
    if kept.get("locked"):
        words.append("locked")
    return " · ".join(words)
