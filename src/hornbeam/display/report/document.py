"""The document of a report: one plain dict with everything a reader of it needs.

One idea: facts first, rendering second. The tree document is the one that `hb.save` writes; beside it stand
facts about its nodes and columns, in words where people read them. A page, a text or another program start
from here, and nothing in it is a row of the table unless rows were asked for.

A page predicts and prunes by itself. The branches to follow are in the tree document already; what leaves
answer, alone and together, depends on priors, costs and smoothing, and is computed here once, as is the
pruning path.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hornbeam.data.formatting import category_text, visible
from hornbeam.display.drawing.palette import class_shades, stacking_order
from hornbeam.display.node_answers import node_answers
from hornbeam.display.report.column_facts import column_facts
from hornbeam.display.report.node_facts import NodeFacts
from hornbeam.display.report.node_pictures import NodePictures
from hornbeam.display.report.quality import quality_of
from hornbeam.display.rows_at_nodes import RowsAtNodes
from hornbeam.estimators.prune import rows_of
from hornbeam.estimators.pruning_path import pruning_path
from hornbeam.pruning.held_out_losses import held_out_loss
from hornbeam.pruning.nested_subtrees import PruningPath, choose_step
from hornbeam.pruning.risks import tells_rates
from hornbeam.tree import words
from hornbeam.tree.annotations import PARTIAL_SENTENCE, is_partial
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.dicts import array_to_list
from hornbeam.tree.hooks import tree_of
from hornbeam.tree.tree import Tree

SCHEMA = "hornbeam/report/1"


def document_of(
    model: Any,
    sample: RowsAtNodes | None,
    held_out: RowsAtNodes | None = None,
    *,
    validation: Any = None,
    title: str,
    target: str,
    provenance: list[list[str]],
    caution: str = "",
    rows: bool = False,
    seed: int = 0,
) -> dict[str, Any]:
    """Return the document of a model; without a sample, what the tree alone can say."""
    tree = tree_of(model)
    pictures = None if sample is None else NodePictures(sample, show_rows=rows, seed=seed)
    nodes = NodeFacts(tree, sample, held_out, pictures)
    # as many rows as the tree was grown on are taken for the training rows
    is_training = sample is not None and sample.n_rows == int(tree.n_rows[0])
    sets = ((sample, "training" if is_training else "given rows"), (held_out, "validation"))
    return {
        "schema": SCHEMA,
        "title": title,
        "target": target,
        "task": tree.task,
        "aggregates": not rows,
        "size": tree.statistics(),
        "tree": tree.to_dict(),
        "answers": node_answers(tree),
        "nodes": [nodes.of(node) for node in range(len(tree))],
        "columns": column_facts(tree, sample),
        "quality": [quality_of(some, name) for some, name in sets if some is not None],
        "pruning": pruning_sizes(model, validation),
        "provenance": provenance,
        **({"partial": PARTIAL_SENTENCE} if is_partial(tree) else {}),
        **({"caution": caution} if caution else {}),
    } | _outcome_facts(tree, sample, pictures)


def _outcome_facts(tree: Tree, sample: RowsAtNodes | None, pictures: NodePictures | None) -> dict[str, Any]:
    """The classes with their colours, or the range of the numbers to be predicted."""
    if tree.classes is not None:
        shades = class_shades(tree.stats[0] if sample is None else sample.counts[0])
        names = [visible(category_text(c)) for c in tree.classes]
        return {"classes": names, "colours": shades, "groups": stacking_order(shades)}
    middle = float(tree.answers()[0])
    if pictures is not None:
        target = pictures.target
        return {"axis": target.ends, "middle": middle, "range": [target.low, target.high]}
    leaves = tree.answers()[tree.kind == LEAF]
    ends = [float(leaves.min()), float(leaves.max())]
    return {"middle": middle, "range": ends, "axis": [words.amount(end) for end in ends]}


def pruning_sizes(model: Any, validation: Any) -> dict[str, Any] | None:
    """Return the critical alphas of the nodes and the steps of the path; None without counts or splits.

    Validation rows are predicted at every step, unless the tree was grown with costs of rows, which are not
    known for them.

    >>> import hornbeam as hb
    >>> robots = hb.datasets.load("robots")
    >>> sizes = pruning_sizes(hb.teaching.builddt().fit(robots.X, robots.y), None)
    >>> sizes["leaves"], sizes["training"]
    ([4, 3, 1], [0.0, 0.125, 0.5])
    """
    tree = tree_of(model)
    if tree.uncounted or len(tree) == 1 or tree.task.is_density:
        return None
    path = pruning_path(model)
    # a test that lowers no error is pruned at alpha 0 already: the tree as it is stands before the path
    before = int(path.leaves[0]) < tree.n_leaves
    sizes: dict[str, Any] = {
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
        losses = held_out_loss(tree, path.strength, alpha, rows.table, rows.target)
        sizes["validation"] = array_to_list(losses.mean)
        sizes["error"] = array_to_list(losses.error)
        sizes["best"] = choose_step(np.array(sizes["leaves"]), losses.mean, losses.error, "min")
    return sizes


def _measure(path: PruningPath) -> str:
    """What the curves show."""
    if path.tree.task.is_real:
        return "half the mean deviance" if tells_rates(path.tree) else "mean squared error"
    costly = "costs" in path.tree.meta.get("answers", {}) or len(path.tree.cost_value)
    return "mean cost" if np.any(costly) else "share of wrong answers"
