"""What an operation would do to its node, without doing it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hornbeam.display.report.node_facts import NodeFacts
from hornbeam.editing.edit_words import test_text
from hornbeam.studio.session import View, numbered
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.json_values import json_value
from hornbeam.tree.words import UNICODE, branch_text


def preview(view: View, operation: Any) -> dict[str, Any]:
    """The branches of the changed node, its score and rank, and how many leaves the tree would have."""
    if not isinstance(operation, Mapping):
        raise ValueError(f"an operation is an object with an 'op', not {operation!r}")
    plain = numbered(view, operation)
    made = view.draft.apply(plain)
    changes = made.changes
    tree = made.tree
    facts: dict[str, Any] = {"revision": view.number, "say": made.say, "leaves": tree.n_leaves}
    facts["removed"] = [view.ids[node] for node in changes.removed]
    if "node" in plain and plain["node"] in changes.number:
        node = changes.number[plain["node"]]
        about = NodeFacts(tree)
        facts |= {"node": operation["node"], "verdict": about.verdict(node)}
        if tree.kind[node] != LEAF:
            facts["test"] = test_text(tree, node)
            facts["forced"] = json_value(dict(made.forced.get(node, {}))) or None
            facts["branches"] = [
                {
                    "answer": branch_text(tree, node, child - int(tree.first_child[node]), UNICODE),
                    "n": int(tree.n_rows[child]),
                    "stats": tree.stats[child].tolist(),
                    "verdict": about.verdict(child),
                }
                for child in tree.children(node)
            ]
    return facts
