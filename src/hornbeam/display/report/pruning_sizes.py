"""Sizes: the pruning path of a tree as plain numbers, so that a page can prune without asking anybody."""

from __future__ import annotations

from typing import Any

import numpy as np

from hornbeam.estimators.prune import rows_of
from hornbeam.estimators.pruning_path import pruning_path
from hornbeam.pruning.held_out_losses import lost
from hornbeam.pruning.nested_subtrees import PruningPath
from hornbeam.pruning.size_choice import choose_step
from hornbeam.tree import words
from hornbeam.tree.dicts import array_to_list
from hornbeam.tree.hooks import tree_of


def sizes_of(model: Any, validation: Any) -> dict[str, Any] | None:
    """The strengths of the nodes and the steps of the path; None for a tree without counts, or of one leaf.

    Validation rows are judged at every step, unless the tree was grown with costs of rows, which are not
    known for them.

    >>> import hornbeam as hb
    >>> robots = hb.datasets.load("robots")
    >>> found = sizes_of(hb.builddt().fit(robots.X, robots.y), None)
    >>> found["leaves"], found["training"]
    ([4, 3, 1], [0.0, 0.125, 0.5])
    """
    tree = tree_of(model)
    if tree.uncounted or len(tree) == 1 or tree.task == "density":
        return None
    path = pruning_path(model)
    # a test that lowers no error is gone at the penalty 0 already: the tree as it is stands before the path
    before = int(path.leaves[0]) < tree.n_leaves
    found: dict[str, Any] = {
        "strength": array_to_list(path.strength),
        "measure": _measure(path),
        "alpha": [None] * before + array_to_list(path.alpha),
        "texts": ["as grown"] * before + [f"α = {words.amount(float(alpha))}" for alpha in path.alpha],
        "leaves": [tree.n_leaves] * before + path.leaves.tolist(),
        "training": [float(path.training[0])] * before + array_to_list(path.training),
    }
    if validation is not None and not len(tree.cost_value):
        rows = rows_of(model, tree, *validation)
        alpha = np.concatenate(([-1.0] * before, path.alpha))
        losses = lost(tree, path.strength, alpha, rows.table, rows.target)
        found["validation"] = array_to_list(losses.mean)
        found["error"] = array_to_list(losses.error)
        found["best"] = choose_step(np.array(found["leaves"]), losses.mean, losses.error, "min")
    return found


def _measure(path: PruningPath) -> str:
    """What the curves show."""
    if path.tree.task == "real":
        return "mean squared error"
    costly = "costs" in path.tree.meta.get("answers", {}) or len(path.tree.cost_value)
    return "mean cost" if np.any(costly) else "share of wrong answers"
