"""What a report holds, computed: size, quality, residuals and nodes of a model on a table, as a plain dict.

One idea: facts first, rendering second. The tree document is the one that `hb.save` writes; beside it stand
facts about its nodes and columns, in words where people read them. A page, a text or another program start
from here, and nothing in it is a row of the table unless rows were asked for.

A page predicts and prunes by itself. The branches to follow are in the tree document already; what leaves
answer, alone and together, depends on priors, costs and smoothing, and is computed here once, as is the
pruning path. How good the model is on some rows is measured on its own predictions, also where values are
missing, so the numbers are what `score` would say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hornbeam._base.types import Floats, Longs
from hornbeam.data.formatting import class_text
from hornbeam.display.drawing.palette import class_shades, stacking_order
from hornbeam.display.report.column_facts import Axis, column_facts, observed_columns, rounded
from hornbeam.display.report.node_facts import NodeFacts
from hornbeam.display.report.node_pictures import NodePictures
from hornbeam.display.rows_at_nodes import RowsAtNodes, count_cells
from hornbeam.display.scripts import node_answers
from hornbeam.estimators.prune import rows_of
from hornbeam.estimators.pruning_path import pruning_path
from hornbeam.evaluation.estimate_intervals import Estimate
from hornbeam.evaluation.metrics import metrics_of
from hornbeam.evaluation.predictions import Answers, repeats
from hornbeam.evaluation.stability_result import (
    MOST_TESTS,
    Stability,
    again_text,
    again_where,
    listed_tests,
    summary_lines,
    words_of_test,
)
from hornbeam.evaluation.survival_metrics import survival_answers_at
from hornbeam.pruning.held_out_losses import held_out_loss
from hornbeam.pruning.nested_subtrees import PruningPath, choose_step
from hornbeam.pruning.risks import answered_level, tells_rates
from hornbeam.reading.gap_notes import gap_notes
from hornbeam.tree import apply, routing, words
from hornbeam.tree.annotations import PARTIAL_SENTENCE, is_partial
from hornbeam.tree.answers import weighted_quantiles
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.dicts import array_to_list
from hornbeam.tree.hooks import tree_of
from hornbeam.tree.routing import Routing
from hornbeam.tree.tree import Tree
from hornbeam.tree.words import UNICODE

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
    stability: Stability | None = None,
    steps: bool = False,
    measured: bool = True,
    observed: Sequence[dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """Return the document of a model; without a sample, what the tree alone can say.

    With `steps` it says how good the tree is at the steps of its pruning path, too; unless `measured`, not
    even how good the whole tree is. `observed` is what the sample shows of the columns, if that is known.
    """
    tree = tree_of(model)
    pictures = None if sample is None else NodePictures(sample, show_rows=rows, seed=seed)
    nodes = NodeFacts(tree, sample, held_out, pictures, stability)
    sets = named_sets(sample, held_out)
    pruning = pruning_sizes(model, validation)
    if steps and pruning is not None:
        pruning["steps"] = quality_of_steps(tree, pruning, sets)
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
        "columns": column_facts(tree, observed_columns(sample) if observed is None and sample else observed),
        "quality": [(quality_of if measured else set_facts)(some, name) for some, name in sets],
        "pruning": pruning,
        "provenance": provenance,
        **({} if stability is None else {"stability": stability_facts(stability)}),
        **({"partial": PARTIAL_SENTENCE} if is_partial(tree) else {}),
        **({"caution": caution} if caution else {}),
        **({"notes": notes} if (notes := gap_notes(tree)) else {}),
    } | _outcome_facts(tree, sample, pictures)


def stability_facts(stability: Stability) -> dict[str, Any]:
    """What the trees grown again say, in words: of all of them, and of the tests that most come to."""
    tests = [
        [test.node, words_of_test(stability.tree, test.node, UNICODE), again_text(test), again_where(test)]
        for test in listed_tests(stability, MOST_TESTS)
    ]
    return {"lines": summary_lines(stability), "tests": tests, "more": len(stability.tests) - len(tests)}


def _outcome_facts(tree: Tree, sample: RowsAtNodes | None, pictures: NodePictures | None) -> dict[str, Any]:
    """The classes with their colours, or the range of the numbers to be predicted."""
    if tree.classes is not None:
        shades = class_shades(tree.stats[0] if sample is None else sample.counts[0])
        names = [class_text(c) for c in tree.classes]
        return {"classes": names, "colours": shades, "groups": stacking_order(shades)}
    middle = float(tree.answers()[0])
    if pictures is not None and not tree.task.is_survival:  # risks are not on the axis of times
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


_MOST_STEPS = 40  # of the pruning path whose quality is measured, those of the smallest trees
_MOST_PREDICTIONS = 4_000_000  # of rows at all of these steps


def quality_of_steps(
    tree: Tree, pruning: Mapping[str, Any], sets: Sequence[tuple[RowsAtNodes, str]]
) -> list[dict[str, Any] | None]:
    """Return size, quality and importances of the tree at each step; None at steps that are not measured.

    >>> import hornbeam as hb
    >>> robots = hb.datasets.load("robots")
    >>> model = hb.teaching.builddt().fit(robots.X, robots.y)
    >>> [step["size"]["leaves"] for step in quality_of_steps(model.tree_, pruning_sizes(model, None), [])]
    [4, 3, 1]
    """
    n_steps = len(pruning["alpha"])
    strength = np.array([np.nan if one is None else float(one) for one in pruning["strength"]])
    n_rows = sum(some.table.n_rows for some, _ in sets)
    most = min(_MOST_STEPS, max(_MOST_PREDICTIONS // max(n_rows, 1), 2))
    steps: list[dict[str, Any] | None] = [None] * n_steps
    for step in range(max(n_steps - most, 0), n_steps):
        alpha = pruning["alpha"][step]
        pruned = tree if alpha is None else tree.collapse(strength <= float(alpha))
        steps[step] = {
            "size": pruned.statistics(),
            "quality": [_brief_quality(quality_of(replace(some, tree=pruned), name)) for some, name in sets],
            "importance": [round(float(share), 4) for share in pruned.feature_importances()],
        }
    return steps


def _brief_quality(facts: dict[str, Any]) -> dict[str, Any]:
    """The quality of one step without what takes much room: numbers that are texts, too, and the cells."""
    brief = {key: facts[key] for key in facts if key not in ("metrics", "residuals")}
    brief["metrics"] = [
        {key: metric[key] for key in ("name", "text", "interval")} for metric in facts["metrics"]
    ]
    if "residuals" in facts:
        brief["residuals"] = {key: value for key, value in facts["residuals"].items() if key != "grid"}
    return brief


def _measure(path: PruningPath) -> str:
    """What the curves show."""
    if path.tree.task.is_real:
        if answered_level(path.tree) is not None:
            return "mean absolute error" if path.tree.meta["criterion"] == "absolute" else "mean pinball loss"
        return "half the mean deviance" if tells_rates(path.tree) else "mean squared error"
    costly = "costs" in path.tree.meta.get("answers", {}) or len(path.tree.cost_value)
    return "mean cost" if np.any(costly) else "share of wrong answers"


# --- how well a model predicts ------------------------------------------------------------------------------


_CELLS = 24
_CONFIDENCE = 0.95
_LEVELS = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)


def named_sets(sample: RowsAtNodes | None, held_out: RowsAtNodes | None) -> list[tuple[RowsAtNodes, str]]:
    """Return the rows that are described, with what they are called."""
    # as many rows as the tree was grown on are taken for the training rows
    is_training = sample is not None and sample.n_rows == int(sample.tree.n_rows[0])
    named = ((sample, "training" if is_training else "given rows"), (held_out, "validation"))
    return [(some, name) for some, name in named if some is not None]


def set_facts(sample: RowsAtNodes, name: str) -> dict[str, Any]:
    """Return what some rows are called and how many they are, without how well they are predicted."""
    return {"name": name, "n": sample.n_rows, "weighted": sample.weights is not None}


def quality_of(sample: RowsAtNodes, name: str) -> dict[str, Any]:
    """Return metrics with intervals and a confusion table, or a summary of residuals, of some rows."""
    tree, table = sample.tree, sample.table
    leaves = apply.leaves(tree, table, None)
    reached = apply.complete_routing(tree, leaves, table.arrays if leaves.min() < 0 else None)
    facts = set_facts(sample, name)
    weights = np.ones(table.n_rows) if sample.weights is None else sample.weights
    if sample.codes is not None:
        labels = routing.labels(tree, reached).astype(np.int64)
        classes, truth, shares = tuple(tree.classes or ()), sample.codes, routing.probabilities(tree, reached)
        if (truth < 0).any():  # classes that the tree does not know are one more
            truth = np.where(truth < 0, len(classes), truth)
            classes, shares = (*classes, "not known"), np.column_stack((shares, np.zeros(len(shares))))
        answers = Answers(classes, truth, labels, shares, weights)
        return facts | {"metrics": _metrics(answers, sample), "confusion": _confusion(sample, labels)}
    assert sample.values is not None
    if tree.task.is_survival:
        answers = survival_answers_at(tree, sample.values, reached, weights)
        return facts | {"metrics": _metrics(answers, sample)}
    answers = Answers((), sample.values, _predicted_numbers(sample, reached), None, weights)
    return facts | {"metrics": _metrics(answers, sample), "residuals": _residuals(answers, sample.mass)}


def _predicted_numbers(sample: RowsAtNodes, reached: Routing) -> Floats:
    """The answers of a tree of numbers, by its equations if it has some."""
    if not sample.tree.has_models:
        return routing.values(sample.tree, reached)
    each = apply.evaluate(sample.tree, sample.table.arrays, reached, None)
    return routing.weighted(reached, each[:, None])[:, 0]


def _confusion(sample: RowsAtNodes, labels: Longs) -> list[list[Any]]:
    """What rows of each true class (down) count for by the class answered (across)."""
    assert sample.codes is not None
    width = len(sample.tree.classes or ())
    known = sample.codes >= 0
    counts = count_cells(sample.codes[known], labels[known], sample.mass[known], (width, width))
    return [rounded(line) for line in counts]


def _residuals(answers: Answers, mass: Floats) -> dict[str, Any]:
    """Quantiles and a histogram of outcome - answer; counts of (answer, outcome) in cells."""
    counting = mass > 0
    true, predicted, mass = answers.truth[counting], answers.predicted[counting], mass[counting]
    residuals = true - predicted
    axis = Axis.of(residuals)
    both = Axis.of(np.concatenate((true, predicted)), bins=_CELLS)
    grid = count_cells(both.bin_of(true), both.bin_of(predicted), mass, (_CELLS, _CELLS))
    quantiles = zip(_LEVELS, weighted_quantiles(residuals, mass, _LEVELS), strict=True)
    return {
        "quantiles": [[words.percent(level), words.amount(quantile)] for level, quantile in quantiles],
        "bins": rounded(np.bincount(axis.bin_of(residuals), mass, minlength=axis.bins)),
        "zero": axis.place(0.0),
        "ends": axis.ends,
        "grid": [rounded(line) for line in grid],
        "scale": both.ends,
    }


def _metrics(answers: Answers, sample: RowsAtNodes) -> list[dict[str, Any]]:
    """Every metric of the answers, also those that have no meaning for these rows."""
    answers = (answers if sample.copies is None else answers.take(repeats(sample.copies))).canonical()
    return [_metric_facts(m.about, m.measure(answers, _CONFIDENCE)) for m in metrics_of(answers).values()]


def _metric_facts(name: str, estimate: Estimate | None) -> dict[str, Any]:
    if estimate is None:
        return {"name": name, "value": None, "low": None, "high": None, "text": "not defined", "interval": ""}
    low, high = estimate.low, estimate.high
    interval = "" if low is None or high is None else f"{_digits(low)} to {_digits(high)}"
    numbers = {"name": name, "value": estimate.value, "low": low, "high": high}
    return numbers | {"text": _digits(estimate.value), "interval": interval}


def _digits(value: float) -> str:
    """A metric for people: four decimals of a share, four digits of anything larger.

    >>> _digits(0.83146), _digits(54.0123)
    ('0.8315', '54.01')
    """
    return f"{value:.4f}" if abs(value) <= 1 else words.amount(value)
