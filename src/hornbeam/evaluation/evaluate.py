"""`hb.evaluate`: how good a model is on some rows or by cross-validation, with intervals; its JSON form.

The facts come first, as plain values; the text is written from them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hornbeam._base.parameters import Progress, Stages, is_number
from hornbeam._base.types import Task
from hornbeam.data.shown_result import TabularResult
from hornbeam.evaluation import predictions
from hornbeam.evaluation.estimate_intervals import Estimate, check_confidence, effective, wilson
from hornbeam.evaluation.evaluation_text import MOST_CLASSES, evaluation_text
from hornbeam.evaluation.metrics import (
    CLASS_METRICS,
    REAL_METRICS,
    confusion,
    measure,
    metric_named,
    metrics_of,
)
from hornbeam.evaluation.predictions import Answers, FoldAnswers
from hornbeam.tree.answers import weighted_quantiles
from hornbeam.tree.json_values import json_fields, json_value

_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True)
class ClassFacts:
    """How well one class is answered: its rows, its precision and its recall."""

    label: Any
    n: float
    precision: Estimate | None
    recall: Estimate | None

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {"class": json_value(self.label)} | json_fields(self, ("n", "precision", "recall"))


@dataclass(frozen=True)
class Evaluation(TabularResult):
    """How good a model is; `str()` is the text, `to_dict()` the facts.

    Attributes
    ----------
    task : "classes" or "real"
    n : int
        Rows that count: those of positive weight.
    confidence : float
    metrics : dict of Estimate
        Each with `value`, `low`, `high`: "accuracy", "balanced_accuracy", "auc", "log_loss", "brier"; or
        "rmse", "mae", "r2", "bias". One that the rows say nothing about is not there.
    baseline : Estimate
        The accuracy of always answering the most frequent class of these rows; the RMSE of their mean.
    classes : tuple
    confusion : array
        The weight of every true class (row) and answer (column).
    per_class : tuple of ClassFacts
    residuals : dict
        Quantiles of truth less answer, for numbers.
    leaves, depth, reading_size : float or None
        Of the tree; with `cv` their means over the folds.
    folds : dict
        With `cv` for each metric its value in every fold; else empty.
    unknown : tuple
        Classes of y that the model does not know: whatever it answers is wrong.
    """

    task: Task
    n: int
    confidence: float
    metrics: dict[str, Estimate]
    baseline: Estimate
    classes: tuple[Any, ...] = ()
    confusion: Any = None
    per_class: tuple[ClassFacts, ...] = ()
    residuals: dict[float, float] = field(default_factory=dict)
    leaves: float | None = None
    depth: float | None = None
    reading_size: float | None = None
    folds: dict[str, tuple[float, ...]] = field(default_factory=dict)
    unknown: tuple[Any, ...] = ()

    def __getitem__(self, name: str) -> Estimate:
        return metric_named(name, self.metrics)

    def gate(self, limits: Mapping[str, float]) -> dict[str, bool]:
        """For each metric named whether its value is good enough: at least the limit, for losses at most.

        The bias is good enough if it is no further from 0 than the limit.
        """
        if not isinstance(limits, Mapping):
            raise TypeError(
                f"limits={limits!r} must be a dict from metric to limit, such as {{'accuracy': 0.8}}"
            )
        passes: dict[str, bool] = {}
        known = REAL_METRICS if self.task.is_real else CLASS_METRICS
        for name, limit in limits.items():
            value = self[name].value
            if not is_number(limit):
                raise ValueError(f"the limit {limit!r} of {name!r} must be a number")
            loss = abs(value) if name == "bias" else value
            passes[str(name)] = value >= float(limit) if known[name].rising else loss <= float(limit)
        return passes

    def meets(self, limits: Mapping[str, float]) -> bool:
        """Whether every metric named is good enough, as `gate` says.

        >>> import hornbeam as hb
        >>> tree = hb.Tree.from_nested({"column": "x", "<=": 2, "yes": "a", "no": "b"})
        >>> evaluate(tree, {"x": [1, 2, 3]}, ["a", "b", "b"]).meets({"accuracy": 0.6})
        True
        """
        return all(self.gate(limits).values())

    def __str__(self) -> str:
        return evaluation_text(self)

    def columns(self) -> dict[str, list[Any]]:
        """A row for each metric, and for precision and recall of each class; value, low and high."""
        listed: list[tuple[str, Any, Estimate | None]] = [
            (name, None, value) for name, value in self.metrics.items()
        ]
        listed += [("precision", one.label, one.precision) for one in self.per_class]
        listed += [("recall", one.label, one.recall) for one in self.per_class]
        rows = [(measure, label, value) for measure, label, value in listed if value is not None]
        columns: dict[str, list[Any]] = {"measure": [row[0] for row in rows]}
        if self.task.is_classes:
            columns["class"] = [row[1] for row in rows]
        return columns | {name: [getattr(row[2], name) for row in rows] for name in ("value", "low", "high")}

    def shown_text(self) -> str:
        """The lines above the tables: how many rows, and how large the tree is."""
        return str(self).split("\n\n")[0].splitlines()[0]

    def shown_tables(self) -> list[Mapping[str, Sequence[Any]]]:
        """The metrics, and for classes what was answered."""
        tables: list[Mapping[str, Sequence[Any]]] = [self.columns()]
        if self.task.is_classes and len(self.classes) <= MOST_CLASSES:
            answered = {
                f"answered {label}": self.confusion[:, k].tolist() for k, label in enumerate(self.classes)
            }
            tables.append({"is": [str(label) for label in self.classes], **answered})
        return tables

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain values that JSON can hold, with "schema": "hornbeam/evaluate/1"."""
        document = {"schema": "hornbeam/evaluate/1", **json_fields(self, ("task", "n", "confidence"))}
        document |= json_value(self.metrics)
        document["baseline"] = {"accuracy" if self.task.is_classes else "rmse": self.baseline.to_dict()}
        if self.task.is_classes:
            document |= json_fields(self, ("classes", "confusion"))
            document["per_class"] = [facts.to_dict() for facts in self.per_class]
            document["unknown"] = json_value(self.unknown)
        else:
            document["residuals"] = {f"{level:g}": value for level, value in self.residuals.items()}
        document |= json_fields(self, ("leaves", "depth", "reading_size"))
        if self.folds:
            document["folds"] = json_value(self.folds)
        return document


def evaluate(
    model: Any,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    counts: Any = None,
    cv: Any = None,
    confidence: float = 0.95,
    random_state: Any = 0,
    progress: Progress | None = None,
) -> Evaluation:
    """How good a model is, with intervals.

    Parameters
    ----------
    model : a fitted classifier or regressor, a Tree, or the path of a saved one
        With `cv` it need not be fitted.
    X, y : the rows, as for `fit`; not those it was trained on, unless `cv` is given
        A class of y that the model does not know counts as a mistake and is named; if it knows none of them,
        y is refused.
    sample_weight : weight of each row
        A model fitted with `exposure` is asked with y / exposure and sample_weight=exposure.
    counts : number of repetitions of each row
        A row of count 3 is three rows, also where folds are made and intervals computed.
    cv : int, array or None
        None asks the model as it is. A number of folds: the model is cloned and fitted on all rows but those
        of one fold, and asked about these. Rows are dealt to folds class by class, by what they hold and the
        seed; an array says the fold of each row.
    confidence : float
        Of the intervals.
    random_state : int, Generator, RandomState or None
        The seed of the folds.
    progress : callable or None
        Told now and then the share of the folds' fitting that is done; if it returns True, KeyboardInterrupt
        is raised.

    Returns
    -------
    Evaluation
        `result["accuracy"].low`, `result.meets({"accuracy": 0.8})`, `to_dict()`; `str()` is a text.

    Notes
    -----
    Intervals are computed from the rows, without drawing any: accuracy, precision and recall by Wilson's
    formula; balanced accuracy from those of the recalls (Zou and Donner 2008); log loss, Brier score, MAE and
    bias by Student's law; AUC after DeLong, DeLong and Clarke-Pearson (1988), on the logit scale; RMSE and R2
    by the delta method on the log scale. With more than two classes AUC is the mean over the classes, each
    against the rest. A probability of 0 counts as 2.2e-16 in the log loss. Weighted rows count as (Σw)²/Σw²
    rows. Out-of-fold rows are treated as independent, which makes intervals a little narrow; `folds` shows
    the spread.

    Examples
    --------
    >>> import hornbeam as hb
    >>> tennis = hb.datasets.load("tennis")
    >>> evaluation = hb.evaluate(hb.id3(), tennis.X, tennis.y, cv=7)
    >>> evaluation.n, round(evaluation["accuracy"].value, 4), evaluation.meets({"accuracy": 0.9})
    (14, 0.7857, False)
    >>> print(hb.evaluate(hb.TreeClassifier(max_depth=1).fit(tennis.X, tennis.y), tennis.X, tennis.y))
    14 rows, 2 leaves, depth 1, reading size 3
    accuracy            0.6429  (0.3876 to 0.8366)    always 'Yes': 0.6429
    balanced accuracy   0.7222  (0.4702 to 0.8667)
    AUC                 0.7222  (0.5289 to 0.8576)
    log loss            0.4951  (0.3075 to 0.6827)
    Brier score         0.1786  (0.1109 to 0.2462)
    <BLANKLINE>
    class  rows  precision                   recall
    No        5  0.5000  (0.2366 to 0.7634)  1.0000  (0.5655 to 1.0000)
    Yes       9  1.0000  (0.5101 to 1.0000)  0.4444  (0.1888 to 0.7333)
    <BLANKLINE>
    answered  No  Yes
    is No      5    0
    is Yes     5    4
    """
    level = check_confidence(confidence)
    fitted = predictions.model_of(model)
    X, y, sample_weight, _ = predictions.repeat_rows(X, y, sample_weight, counts)
    target = predictions.target_of(fitted, y, sample_weight)
    if cv is None:
        if not predictions.is_fitted(fitted):
            raise ValueError(
                f"this {type(fitted).__name__} is not fitted: fit it first, or give cv=10 to fit it on folds"
            )
        unknown = predictions.unknown_classes(fitted, target)
        evaluation = _evaluation(
            predictions.answers_of(fitted, X, target), level, predictions.size_of(fitted), None
        )
        return replace(evaluation, unknown=unknown)
    fold = predictions.fold_of_rows(X, target, cv, random_state)
    stages = Stages(progress, predictions.n_folds_of(fold))
    out = predictions.cross_predict(fitted, X, y, target, fold, stages=stages)
    size = np.mean(out.sizes, axis=0).tolist() if out.sizes else predictions.NO_SIZE
    return _evaluation(out.answers, level, size, out)


def _evaluation(answers: Answers, confidence: float, size: Any, out: FoldAnswers | None) -> Evaluation:
    rows = answers.canonical()
    folds: dict[str, tuple[float, ...]] = {}
    if out is not None:
        each = out.measure_folds(lambda some: measure(some, confidence))
        names = metrics_of(answers)
        folds = {name: tuple(one[name].value if name in one else math.nan for one in each) for name in names}
    common = {
        "n": len(rows.weight), "confidence": confidence, "metrics": measure(rows, confidence),
        "leaves": size[0], "depth": size[1], "reading_size": size[2], "folds": folds,
    }  # fmt: skip
    if answers.is_real:
        share = rows.weight / rows.weight.sum()
        mean = float(share @ rows.truth)
        baseline = Estimate(math.sqrt(float(share @ (rows.truth - mean) ** 2)))
        quantiles = weighted_quantiles(rows.truth - rows.predicted, rows.weight, _QUANTILES)
        residuals = dict(zip(_QUANTILES, quantiles, strict=True))
        return Evaluation(Task.REAL, baseline=baseline, residuals=residuals, **common)
    table = confusion(rows)
    most_frequent = float((table.sum(axis=1) / table.sum()).max())
    baseline = wilson(most_frequent, effective(rows.weight), confidence)
    return Evaluation(
        Task.CLASSES, baseline=baseline, classes=answers.classes, confusion=table,
        per_class=_per_class(rows, table, confidence), **common,
    )  # fmt: skip


def _per_class(answers: Answers, table: Any, confidence: float) -> tuple[ClassFacts, ...]:
    facts = []
    for k, label in enumerate(answers.classes):
        right = float(table[k, k])
        rows, answered = float(table[k].sum()), float(table[:, k].sum())
        is_k, answered_k = answers.weight[answers.truth == k], answers.weight[answers.predicted == k]
        precision = wilson(right / answered, effective(answered_k), confidence) if answered > 0 else None
        recall = wilson(right / rows, effective(is_k), confidence) if rows > 0 else None
        facts.append(ClassFacts(label, rows, precision, recall))
    return tuple(facts)
