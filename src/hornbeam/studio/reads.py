"""What a page reads of a revision: its document, the candidates of a node, rows, the pruning path, what-if.

One idea: every number is what the library says; here it only gets the form in which it is asked for.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from hornbeam._base.error_limits import Z95
from hornbeam._base.parameters import Progress
from hornbeam.data.formatting import class_text, share_text
from hornbeam.display.report.column_facts import observed_columns
from hornbeam.display.report.document import document_of, named_sets, quality_of
from hornbeam.display.report.model_report import provenance
from hornbeam.display.rows_at_nodes import RowsAtNodes, rows_of_report
from hornbeam.editing.candidates import Candidates, candidates_of
from hornbeam.estimators.pruning_path import pruning_path
from hornbeam.evaluation.stability import stability
from hornbeam.evaluation.stability_result import Stability
from hornbeam.growing.interruption import PartialFitWarning
from hornbeam.reading.explain import explain
from hornbeam.studio.rows import SomeRows
from hornbeam.studio.session import Session
from hornbeam.studio.view import View
from hornbeam.tree import annotations as tree_annotations
from hornbeam.tree import words
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.json_values import json_value
from hornbeam.tree.scores import p_digits

_TINY, _LARGE = 0.001, 10  # scores below and from which on there are other digits


def document(
    session: Session, view: View, *, stable: Stability | None = None, measured: bool = False
) -> dict[str, Any]:
    """The report's document of a revision, with the identity and the marks of every node.

    How good the tree is takes longest, and is left out unless `measured`: `quality` tells it on request.
    """
    model, (sample, held_out) = view.model, _rows_at_nodes(view)
    chapter, held_rows = view.chapter, view.chapter.rows.held_out
    name = "" if session.source is None else session.source.name
    target = str(chapter.settings.target)
    if chapter.observed is None:  # the same for every tree on these rows
        chapter.observed = observed_columns(sample)
    facts = document_of(
        model,
        sample,
        held_out,
        validation=None if held_rows is None else held_rows.as_tuple(),
        title=f"{target} · {name}",
        target=target,
        provenance=provenance(model, view.tree, sample, held_out),
        stability=stable,
        measured=measured,
        observed=chapter.observed,
    )
    return facts | {"revision": view.number, "ids": view.ids, "marks": marks(view)}


def quality(view: View) -> dict[str, Any]:
    """How good the tree of a revision is on its training rows and on those held out."""
    sets = named_sets(*_rows_at_nodes(view))
    return {"quality": [quality_of(some, name) for some, name in sets], "revision": view.number}


def stability_of(view: View, progress: Progress) -> Stability:
    """How often each test of a revision is chosen again on other samples of its training rows."""
    X, y, weight, counts = view.chapter.rows.training.as_tuple()
    seed = view.chapter.settings.seed
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PartialFitWarning)  # the result says how many trees there are
        return stability(
            view.model, X, y, sample_weight=weight, counts=counts, random_state=seed, progress=progress
        )


def _rows_at_nodes(view: View) -> tuple[RowsAtNodes, RowsAtNodes | None]:
    """The training rows and those held out, as they reach the nodes."""
    rows = view.chapter.rows

    def at_nodes(some: SomeRows) -> RowsAtNodes:
        X, y, *more = some.as_tuple()
        return rows_of_report(view.tree, X, y, "the studio", *more)

    return at_nodes(rows.training), None if rows.held_out is None else at_nodes(rows.held_out)


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
    facts = candidates(view, node).summary() | {"node": view.ids[node], "revision": view.number}
    for one in facts["candidates"]:
        one["texts"] = {name: _score_text(name, one[name]) for name in facts["measures"]}
    return facts


def _score_text(name: str, score: float | None) -> str:
    """A score with three digits after the point, those of large ones with one."""
    if score is None:
        return ""
    if name == "p":
        return p_digits(score)
    if score and abs(score) < _TINY:
        return re.sub(r"e([-+])0*", r"e\1", f"{score:.1e}")
    return f"{score:.1f}" if abs(score) >= _LARGE else f"{score:.3f}"


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


# ---- what-if -----------------------------------------------------------------------------------------------


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
    return facts | in_words(facts) | {"nodes": nodes, "text": str(told), "revision": view.number}


def in_words(facts: Mapping[str, Any]) -> dict[str, Any]:
    """An explained answer as a page says it: the verdict, and lines that say why."""
    shares = {one["label"]: one["probability"] for one in facts.get("probabilities") or ()}
    answer, (leaf, *others) = facts["answer"], facts["reached"]
    named = class_text(answer) if shares else words.amount(float(answer))
    verdict = share_text(named, words.percent(shares[answer])) if shares else named
    why = f"{len(others) + 1} leaves together" if others else " → ".join(leaf["conditions"])
    remarks = [one["text"] for one in facts["remarks"] if one["needed"]]
    remarks += [step["remark"] for step in facts["path"] if step["remark"]]
    return {"verdict": verdict, "lines": [why or "the tree is one leaf", *remarks]}
