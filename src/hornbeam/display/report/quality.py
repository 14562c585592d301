"""How well a model predicts for some rows: metrics, confusion or residuals.

One idea: the answers are the model's own predictions, also where values are missing, so the numbers are what
`score` would say.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hornbeam._base.types import Floats, Longs
from hornbeam.display.report.column_facts import Axis, rounded
from hornbeam.display.rows_at_nodes import RowsAtNodes, count_cells, weighted_quantiles
from hornbeam.evaluation.estimate_intervals import Estimate
from hornbeam.evaluation.metrics import metrics_of
from hornbeam.evaluation.predictions import Answers, repeats
from hornbeam.tree import apply, routing, words
from hornbeam.tree.routing import Routing

_CELLS = 24
_CONFIDENCE = 0.95
_LEVELS = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)


def quality_of(sample: RowsAtNodes, name: str) -> dict[str, Any]:
    """Return metrics with intervals and a confusion table, or a summary of residuals, of some rows."""
    tree, table = sample.tree, sample.table
    leaves = apply.leaves(tree, table, None)
    reached = apply.complete_routing(tree, leaves, table.arrays if leaves.min() < 0 else None)
    facts: dict[str, Any] = {"name": name, "n": sample.n_rows, "weighted": sample.weights is not None}
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
