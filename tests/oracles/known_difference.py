"""Where a tree of the core differs from the tree of the twin that judges splits by known rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from tests.oracles.known import Node


def difference(node: Node, tree: Any, at: int = 0, scale: float | None = None) -> str | None:
    """The first difference between the twin's tree and the product's; None if there is none, or doubt."""
    scale = scale or max(float(np.abs(node.stats).max()), 1.0)
    kind = ("leaf", "threshold", "subset", "equals", "multiway")[int(tree.kind[at])]
    if fault := _answers_differ(node, tree, at, scale):
        return fault
    if node.doubtful:
        return None
    if kind != node.kind or int(tree.column[at]) != node.column:
        return f"node {at}: {kind} of column {tree.column[at]}, not {node.kind} of {node.column}"
    if kind == "leaf":
        return None
    if kind in ("threshold", "equals") and float(tree.threshold[at]) != node.threshold:
        return f"node {at}: threshold {tree.threshold[at]}, not {node.threshold}"
    if int(tree.missing[at]) != node.missing:
        return f"node {at}: gaps go to {tree.missing[at]}, not {node.missing}"
    if not math.isclose(float(tree.gain[at]), node.gain, rel_tol=1e-6, abs_tol=1e-9 * scale * scale):
        return f"node {at}: gain {tree.gain[at]}, not {node.gain}"
    if fault := _surrogates_differ(node, tree, at):
        return fault
    children = [c for b, c in enumerate(tree.children(at)) if b != int(tree.absent[at])]
    for child, place in zip(node.children, children, strict=True):
        if below := difference(child, tree, place, scale):
            return below
    return None


def _surrogates_differ(node: Node, tree: Any, at: int) -> str | None:
    """Column, agreement and association of every surrogate."""
    first, last = int(tree.surrogate_offset[at]), int(tree.surrogate_offset[at + 1])
    stored = [
        (int(c), float(a), float(s))
        for c, a, s in zip(
            tree.surrogate_column[first:last],
            tree.surrogate_agreement[first:last],
            tree.surrogate_association[first:last],
            strict=True,
        )
    ]
    if len(stored) != len(node.surrogates) or not all(
        a[0] == b[0] and np.allclose(a[1:], b[1:], atol=1e-9)
        for a, b in zip(stored, node.surrogates, strict=True)
    ):
        return f"node {at}: surrogates {stored}, not {node.surrogates}"
    return None


def _answers_differ(node: Node, tree: Any, at: int, scale: float) -> str | None:
    """The rows and their weights; of a real target only the whole weight, since centers differ."""
    if int(tree.n_rows[at]) != node.n_rows:
        return f"node {at}: {int(tree.n_rows[at])} rows, not {node.n_rows}"
    if tree.task == "classes" and np.abs(tree.stats[at] - node.stats).max() > 1e-8 * scale:
        return f"node {at}: stats {tree.stats[at]}, not {node.stats}"
    if tree.task == "real" and abs(tree.stats[at][0] - node.stats[0]) > 1e-8 * scale:
        return f"node {at}: weight {tree.stats[at][0]}, not {node.stats[0]}"
    return None
