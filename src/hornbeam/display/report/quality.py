"""Quality: how well a model answers about some rows: metrics, confusion or residuals.

One idea: the answers are the model's own predictions, gaps and all, so the numbers are what `score` would
say.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hornbeam._base.types import Floats, Longs
from hornbeam.display.report.axes import Axis, rounded
from hornbeam.display.report.node_pictures import quantiles
from hornbeam.display.report.sample_rows import Sample
from hornbeam.evaluation.estimate_intervals import Estimate
from hornbeam.evaluation.metrics import metrics_of
from hornbeam.evaluation.predictions import Answers
from hornbeam.tree import apply, routing, words
from hornbeam.tree.routing import Routing

_CELLS = 24
_CONFIDENCE = 0.95
_LEVELS = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)


def quality_of(sample: Sample, name: str) -> dict[str, Any]:
    """Metrics with intervals and a confusion table, or a summary of residuals, of the rows of a sample."""
    tree, table = sample.tree, sample.table
    leaves = apply.leaves(tree, table, None)
    found = apply.complete_routing(tree, leaves, table.arrays if leaves.min() < 0 else None)
    facts: dict[str, Any] = {"name": name, "n": sample.n_rows, "weighted": sample.weights is not None}
    if sample.codes is not None:
        answered = routing.labels(tree, found).astype(np.int64)
        told = _about_classes(sample, answered, routing.probabilities(tree, found))
        return facts | {"metrics": _metrics(told, sample), "confusion": _confusion(sample, answered)}
    assert sample.values is not None
    answers = _values(sample, found)
    told = Answers((), sample.values, answers, None, _weights(sample))
    return facts | {"metrics": _metrics(told, sample), "residuals": _residuals(told, sample.mass)}


def _values(sample: Sample, found: Routing) -> Floats:
    """The answers of a tree of numbers, by its equations if it has some."""
    if not sample.tree.has_models:
        return routing.values(sample.tree, found)
    each = apply.evaluate(sample.tree, sample.table.arrays, found, None)
    return routing.weighted(found, each[:, None])[:, 0]


def _weights(sample: Sample) -> Floats:
    """The weight of each row, whatever its count."""
    return np.ones(sample.table.n_rows) if sample.weights is None else sample.weights


def _confusion(sample: Sample, answered: Longs) -> list[list[Any]]:
    """What rows of each true class (down) count for by the class answered (across)."""
    assert sample.codes is not None
    width = len(sample.tree.classes or ())
    known = sample.codes >= 0
    cell = sample.codes[known] * width + answered[known]
    counted = np.bincount(cell, sample.mass[known], minlength=width * width)
    return [rounded(line) for line in counted.reshape(width, width)]


def _residuals(told: Answers, mass: Floats) -> dict[str, Any]:
    """Quantiles and a histogram of outcome - answer; counts of (answer, outcome) in cells."""
    there = mass > 0
    true, answers, mass = told.truth[there], told.said[there], mass[there]
    left = true - answers
    axis = Axis.of(left)
    both = Axis.of(np.concatenate((true, answers)), bins=_CELLS)
    cell = both.bin_of(true) * _CELLS + both.bin_of(answers)
    grid = np.bincount(cell, mass, minlength=_CELLS * _CELLS).reshape(_CELLS, _CELLS)
    texts = [words.amount(q) for q in quantiles(left, mass, _LEVELS)]
    return {
        "quantiles": [[words.percent(level), text] for level, text in zip(_LEVELS, texts, strict=True)],
        "bins": rounded(np.bincount(axis.bin_of(left), mass, minlength=axis.bins)),
        "zero": axis.place(0.0),
        "ends": [words.amount(axis.low), words.amount(axis.high)],
        "grid": [rounded(line) for line in grid],
        "scale": [words.amount(both.low), words.amount(both.high)],
    }


def _about_classes(sample: Sample, answered: Longs, shares: Floats) -> Answers:
    """Answers about classes; those that the tree does not know are one more."""
    assert sample.codes is not None
    classes, truth = tuple(sample.tree.classes or ()), sample.codes
    if (truth < 0).any():
        truth = np.where(truth < 0, len(classes), truth)
        classes, shares = (*classes, "not known"), np.column_stack((shares, np.zeros(len(shares))))
    return Answers(classes, truth, answered, shares, _weights(sample))


def _metrics(told: Answers, sample: Sample) -> list[dict[str, Any]]:
    """Every metric of the answers, also those that have no meaning for these rows."""
    told = (told if sample.copies is None else told.repeated(sample.copies)).canonical()
    return [_written(m.about, m.measure(told, _CONFIDENCE)) for m in metrics_of(told).values()]


def _written(name: str, found: Estimate | None) -> dict[str, Any]:
    if found is None:
        return {"name": name, "value": None, "low": None, "high": None, "text": "not defined", "interval": ""}
    low, high = found.low, found.high
    interval = "" if low is None or high is None else f"{_digits(low)} to {_digits(high)}"
    value = {"name": name, "value": found.value, "low": low, "high": high}
    return value | {"text": _digits(found.value), "interval": interval}


def _digits(value: float) -> str:
    """A metric for people: four decimals of a share, four digits of anything larger.

    >>> _digits(0.83146), _digits(54.0123)
    ('0.8315', '54.01')
    """
    return f"{value:.4f}" if abs(value) <= 1 else words.amount(value)
