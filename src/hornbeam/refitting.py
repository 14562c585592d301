"""The same tests, other rows: counts, labels, impurities and gains of a Tree recomputed from a table.

One idea: rows travel down as in `hornbeam.routing`, each with a weight. Where a value is missing and the node
has no branch for it, the row's weight is shared among the branches in proportion to the rows that have the
value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam import answering
from hornbeam.arrays import LEAF, Floats, Longs
from hornbeam.routing import ALL_PATHS, arrays_for, branches

if TYPE_CHECKING:
    from hornbeam.target import Target
    from hornbeam.tree import Tree


def refitted(tree: Tree, table: Any, target: Any) -> dict[str, Any]:
    """The constructor's arguments for `tree` refitted."""
    n_rows, arrays = arrays_for(tree, table)
    goal = _target(tree, target)
    add, center, weight, copies = _adder(tree, goal)
    if len(weight) != n_rows:
        raise ValueError(
            f"the table has {n_rows} rows and the target {len(weight)}: they must be of one length"
        )
    if not n_rows:
        raise ValueError("the table has no rows: refitting needs at least one")
    stats, rows = np.zeros(tree.stats.shape), np.zeros(len(tree), dtype=np.int64)
    waiting: list[tuple[int, Longs, Floats]] = [(0, np.arange(n_rows), weight)]
    while waiting:
        node, here, share = waiting.pop()
        stats[node] = add(here, share)
        rows[node] = copies[here][share > 0].sum()
        if tree.kind[node] != LEAF:
            for child, part, part_share in _divide(tree, node, branches(tree, node, arrays, here), share):
                waiting.append((child, here[part], part_share))
    return tree.attributes() | tree.arrays() | {"center": center} | _summary(tree, stats, rows)


def _divide(tree: Tree, node: int, branch: Longs, share: Floats) -> list[tuple[int, Longs, Floats]]:
    """(child, positions, weights) for each child that any row reaches."""
    everywhere = branch == ALL_PATHS
    children = tree.children(node)
    known = np.bincount(branch[~everywhere], weights=share[~everywhere], minlength=len(children))
    fraction = known / known.sum() if known.sum() > 0 else np.full(len(children), 1 / len(children))
    found = []
    for k, child in enumerate(children):
        part = np.flatnonzero((branch == k) | (everywhere & (fraction[k] > 0)))
        if len(part):
            found.append((child, part, share[part] * np.where(everywhere[part], fraction[k], 1.0)))
    return found


def _target(tree: Tree, target: Any) -> Target:
    from hornbeam.target import Target

    if isinstance(target, Target):
        return target
    return Target.classes_of(target) if tree.task == "classes" else Target.real_of(target)


def _adder(tree: Tree, target: Target) -> tuple[Callable[[Longs, Floats], Floats], float, Floats, Longs]:
    """The function from rows and their weights to Stats; the center; row weights; repetitions."""
    if (target.kind == "classes") != (tree.task == "classes"):
        raise ValueError(f"the target is of kind {target.kind!r}, but the tree has task={tree.task!r}")
    given = target.codes if target.codes is not None else target.values
    assert given is not None
    copies = np.ones(len(given), dtype=np.int64) if target.counts is None else target.counts
    weight: Floats = (np.ones(len(given)) if target.weights is None else target.weights) * copies
    if target.codes is not None:
        codes, n_classes = _class_codes(tree, target), len(tree.classes or ())

        def tally(rows: Longs, w: Floats) -> Floats:
            return np.bincount(codes[rows], weights=w, minlength=n_classes).astype(np.float64, copy=False)

        return tally, 0.0, weight, copies
    if tree.task == "density":
        return lambda _, w: w.sum(keepdims=True), 0.0, weight, copies
    center = float(np.average(given, weights=weight)) if weight.sum() > 0 else 0.0
    y = given - center

    def moments(rows: Longs, w: Floats) -> Floats:
        return np.array([w.sum(), (w * y[rows]).sum(), (w * y[rows] ** 2).sum()])

    return moments, center, weight, copies


def _class_codes(tree: Tree, target: Target) -> Longs:
    """The target's codes in the tree's class order."""
    place = {label: code for code, label in enumerate(tree.classes or ())}
    unknown = [label for label in target.classes if label not in place]
    if unknown:
        known = ", ".join(map(repr, place))
        raise ValueError(
            f"the target has the class {unknown[0]!r}, which the tree does not know: its classes are {known}"
        )
    found: Longs = np.array([place[label] for label in target.classes], dtype=np.int64)[target.codes]
    return found


def _summary(tree: Tree, stats: Floats, rows: Longs) -> dict[str, Any]:
    """The node arrays that follow from Stats."""
    criterion = tree.meta.get("criterion")
    impurity = answering.impurities(stats, tree.task, criterion)
    weight: Floats = stats.sum(axis=1) if tree.task == "classes" else stats[:, 0]
    found: dict[str, Any] = {
        "stats": stats,
        "n_rows": rows,
        "impurity": impurity,
        "gain": answering.gains(tree.first_child, tree.n_children, weight, impurity, criterion),
        "fraction": None,
    }
    if tree.task == "classes":
        found["label"] = answering.majority(stats, tree.parent)
    return found
