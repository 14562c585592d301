"""What a page reads of a revision: its document, the candidates of a node, rows, the pruning path, what-if.

One idea: every number is what the library says; here it only gets the form in which it is asked for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from hornbeam._base.error_limits import Z95
from hornbeam.display.report import report
from hornbeam.editing.candidates import Candidates, candidates_of
from hornbeam.estimators.pruning_path import pruning_path
from hornbeam.evaluation import compare
from hornbeam.reading.explain import explain
from hornbeam.studio.session import Session
from hornbeam.studio.view import View
from hornbeam.tree import annotations as tree_annotations
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.json_values import json_value


def document(session: Session, view: View) -> dict[str, Any]:
    """The report's document of a revision, with the identity and the marks of every node."""
    rows = view.chapter.rows
    X, y, weight, counts = rows.training.as_tuple()
    held_out = None if rows.held_out is None else rows.held_out.as_tuple()
    name = "" if session.source is None else session.source.name
    target = str(view.chapter.settings.target)
    made = report(
        view.model, X, y, sample_weight=weight, counts=counts, validation=held_out, title=f"{target} · {name}"
    )
    facts: dict[str, Any] = json.loads(made.to_json())
    return facts | {
        "target": target,
        "revision": view.number,
        "ids": view.ids,
        "marks": marks(view),
    }


def marks(view: View) -> list[dict[str, Any]]:
    """What is said of each node: forced, locked, a note, and whether it is a leaf that could be split."""
    entries = tree_annotations.by_node(view.tree)
    held = _held(view)
    listed = []
    for node in range(len(view.tree)):
        entry = entries.get(node, {})
        mark: dict[str, Any] = {"open": _is_open(view, node) and node not in held}
        mark |= {"locked": True} if entry.get("locked") else {}
        mark |= {"note": entry["note"]} if entry.get("note") else {}
        mark |= {"forced": json_value(dict(entry["forced"]))} if entry.get("forced") else {}
        listed.append(mark)
    return listed


def _held(view: View) -> set[int]:
    """The nodes that are locked, or below one that is."""
    locked = [node for node, entry in tree_annotations.by_node(view.tree).items() if entry.get("locked")]
    return {below for node in locked for below, _ in view.tree.walk(node)}


def _is_open(view: View, node: int) -> bool:
    """Whether a node is a leaf whose rows have different outcomes."""
    tree = view.tree
    return bool(tree.kind[node] == LEAF and tree.n_rows[node] > 1 and tree.impurity[node] > 0)


# ---- candidates --------------------------------------------------------------------------------------------


def candidates(view: View, node: int, *, work: bool = False, columns: Any = None) -> Candidates:
    """What a node could test, by its training rows."""
    return candidates_of(view.chapter.node_rows(view.tree, node), work=work, columns=columns)


def candidate_list(view: View, node: int) -> dict[str, Any]:
    """Every candidate of a node, without tables, cuts and arithmetic."""
    made = candidates(view, node)
    facts = made.to_dict()
    facts["candidates"] = [
        {name: value for name, value in one.items() if name not in ("cuts", "table", "arithmetic")}
        for one in facts["candidates"]
    ]
    return facts | {"node": view.ids[node], "revision": view.number}


def candidate_of(view: View, node: int, column: str) -> dict[str, Any]:
    """One candidate with its table, the score of every cut, and the arithmetic term by term."""
    made = candidates(view, node, work=True, columns=column)
    facts = made.to_dict()
    if not facts["candidates"]:
        raise KeyError(f"there is no candidate {column!r} at this node")
    one: dict[str, Any] = facts["candidates"][0]
    head: dict[str, Any] = {name: value for name, value in facts.items() if name != "candidates"}
    details = [] if made[0].work is None else list(made[0].work.details)
    return (
        head | one | {"details": details, "why": made.why(0), "node": view.ids[node], "revision": view.number}
    )


# ---- the pruning path --------------------------------------------------------------------------------------


def path(view: View, *, folds: int = 0) -> dict[str, Any]:
    """The steps of the pruning path with their errors, the band of the held-out rows, and what collapses."""
    rows = view.chapter.rows
    given: dict[str, Any] = {}
    if rows.held_out is not None:
        given["validation"] = rows.held_out.as_tuple()
    if folds:
        X, y, weight, counts = rows.training.as_tuple()
        given |= {"X": X, "y": y, "sample_weight": weight, "counts": counts, "cv": folds}
    made = pruning_path(view.model, **given)
    facts: dict[str, Any] = {"revision": view.number, "leaves": made.leaves.tolist()}
    facts |= {name: json_value(getattr(made, name)) for name in ("alpha", "training", "risk")}
    if made.validation is not None:
        error = made.validation_error
        facts["held_out"] = json_value(made.validation)
        facts["held_out_low"] = json_value(np.asarray(made.validation) - Z95 * np.asarray(error))
        facts["held_out_high"] = json_value(np.asarray(made.validation) + Z95 * np.asarray(error))
    if folds:
        facts |= {"cv": json_value(made.cv), "cv_se": json_value(made.cv_error)}
    strength = np.asarray(made.strength)
    collapsed = [
        [view.ids[node] for node in np.flatnonzero(strength <= alpha).tolist()]
        for alpha in np.asarray(made.alpha).tolist()
    ]
    return facts | {"collapsed": collapsed}


# ---- what-if and comparison --------------------------------------------------------------------------------


def predict(view: View, row: Any) -> dict[str, Any]:
    """Why a row gets its answer: shares, the nodes on its ways with weights, gaps, the nearest change."""
    if not isinstance(row, Mapping):
        raise ValueError(f"row={row!r} must be an object of values by column; null for a missing one")
    names = {column.name for column in view.tree.columns}
    unknown = [name for name in row if name not in names]
    if unknown:
        raise ValueError(f"row has a value for {unknown[0]!r}, which is no column of the tree")
    complete = {name: row.get(name) for name in (column.name for column in view.tree.columns)}
    told = explain(view.model, complete)
    facts = told.to_dict()
    for step in facts["path"]:
        step["node"] = view.ids[step["node"]]
    ways: dict[int, float] = {}
    for leaf in facts["reached"]:
        for node in view.tree.path(leaf["leaf"]):
            ways[node] = ways.get(node, 0.0) + leaf["weight"]
        leaf["leaf"] = view.ids[leaf["leaf"]]
    nodes = [{"node": view.ids[node], "weight": weight} for node, weight in sorted(ways.items())]
    return facts | {"nodes": nodes, "text": str(told), "revision": view.number}


def compare_views(a: View, b: View) -> dict[str, Any]:
    """Two revisions on the held-out rows of the second, or on its training rows if none are held out."""
    rows = b.chapter.rows
    part = rows.training if rows.held_out is None else rows.held_out
    X, y, weight, counts = part.as_tuple()
    made = compare(a.model, b.model, X, y, sample_weight=weight, counts=counts)
    facts = made.to_dict()
    which = "training" if rows.held_out is None else "held-out"
    positions = part.positions
    for name in ("changed", "won", "lost"):
        facts[name] = positions[np.asarray(facts[name], dtype=np.int64)].tolist()
    return facts | {"a": a.number, "b": b.number, "part": which, "text": str(made)}
