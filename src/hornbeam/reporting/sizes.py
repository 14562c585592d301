"""Sizes: the pruning path of a tree as plain numbers, so that a page can prune without asking anybody."""

from __future__ import annotations

from typing import Any

import numpy as np

from hornbeam import wording
from hornbeam.paths import pruning_path
from hornbeam.pruning.path import PruningPath
from hornbeam.reading._common import tree_of
from hornbeam.treedict import array_to_list


def sizes_of(model: Any, validation: Any) -> dict[str, Any] | None:
    """The strengths of the nodes and the steps of the path; None for a tree without counts, or of one leaf.

    Validation rows are judged at every step unless the tree answers with equations, costs of rows or
    quantiles, which the path does not judge.

    >>> import hornbeam as hb
    >>> robots = hb.datasets.load("robots")
    >>> found = sizes_of(hb.builddt().fit(robots.X, robots.y), None)
    >>> found["leaves"], found["training"]
    ([4, 3, 1], [0.0, 0.125, 0.5])
    """
    tree = tree_of(model)
    if tree.uncounted or len(tree) == 1 or tree.task == "density":
        return None
    judged = validation is not None and not tree.has_models and not len(tree.cost_value)
    path = pruning_path(model, validation=validation if judged else None)
    found: dict[str, Any] = {
        "strength": array_to_list(path.strength),
        "measure": _measure(path),
        "alpha": array_to_list(path.alpha),
        "texts": [wording.amount(float(alpha)) for alpha in path.alpha],
        "leaves": path.leaves.tolist(),
        "training": array_to_list(path.training),
    }
    if path.validation is not None:
        found["validation"] = array_to_list(path.validation)
        found["error"] = array_to_list(path.validation_error)
        found["best"] = path.step("min")
    return found


def _measure(path: PruningPath) -> str:
    """What the curves show."""
    if path.tree.task == "real":
        return "mean squared error"
    costly = "costs" in path.tree.meta.get("answers", {}) or len(path.tree.cost_value)
    return "mean cost" if np.any(costly) else "share of wrong answers"
