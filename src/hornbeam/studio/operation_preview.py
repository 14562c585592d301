"""What an operation would do to its node, without doing it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hornbeam.display.report.node_facts import NodeFacts, cost_of_choice
from hornbeam.editing.edit_words import test_text
from hornbeam.editing.preview import preview_test
from hornbeam.studio.view import View, numbered
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.json_values import json_value
from hornbeam.tree.tree import Tree
from hornbeam.tree.words import UNICODE, branch_text


def preview(view: View, operation: Any) -> dict[str, Any]:
    """The branches of the changed node, its score and rank; of other operations also what they take away."""
    if not isinstance(operation, Mapping):
        raise ValueError(f"an operation is an object with an 'op', not {operation!r}")
    plain = numbered(view, operation)
    seen = preview_test(view.chapter.draft.context, view.tree, plain)
    if seen is not None:
        test, forced = seen
        facts: dict[str, Any] = {"revision": view.number, "node": operation["node"]}
        return facts | _node_facts(test, 0, forced)
    made = view.draft.apply(plain)
    changes, tree = made.changes, made.tree
    facts = {"revision": view.number, "say": made.say, "leaves": tree.n_leaves}
    facts["removed"] = [view.ids[node] for node in changes.removed]
    if "node" in plain and plain["node"] in changes.number:
        node = changes.number[plain["node"]]
        facts |= {"node": operation["node"]} | _node_facts(tree, node, made.forced.get(node, {}))
    return facts


def _node_facts(tree: Tree, node: int, forced: Mapping[str, Any]) -> dict[str, Any]:
    about = NodeFacts(tree)
    facts: dict[str, Any] = {"verdict": about.verdict(node)}
    if tree.kind[node] == LEAF:
        return facts
    branches = [
        {
            "answer": branch_text(tree, node, child - int(tree.first_child[node]), UNICODE),
            "n": int(tree.n_rows[child]),
            "stats": tree.stats[child].tolist(),
            "verdict": about.verdict(child),
        }
        for child in tree.children(node)
    ]
    return facts | {
        "test": test_text(tree, node),
        "forced": json_value(dict(forced)) or None,
        "cost": cost_of_choice(forced, about.scores.criterion) if forced else "",
        "branches": branches,
    }
