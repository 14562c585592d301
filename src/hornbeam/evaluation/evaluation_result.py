"""Evaluation: what `hb.evaluate` found out about a model, as facts, text, tables and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hornbeam._base.parameters import is_number
from hornbeam._base.types import Task
from hornbeam.data.shown_result import TabularResult
from hornbeam.evaluation.estimate_intervals import Estimate
from hornbeam.evaluation.evaluation_text import MOST_CLASSES, evaluation_text
from hornbeam.evaluation.group_facts import GroupFacts, group_columns
from hornbeam.evaluation.metrics import METRICS, metric_named
from hornbeam.tree.json_values import json_fields, json_value


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
    task : "classes", "real" or "survival"
    n : int
        Rows that count: those of positive weight.
    confidence : float
    metrics : dict of Estimate
        Each with `value`, `low`, `high`: "accuracy", "balanced_accuracy", "auc", "log_loss", "brier"; or
        "rmse", "mae", "r2", "bias"; or "concordance" (Harrell's c), "integrated_brier". One that the rows say
        nothing about is not there.
    baseline : Estimate
        The accuracy of always answering the most frequent class of these rows; the RMSE of their mean; the
        integrated Brier score of their survival curve.
    classes : tuple
    confusion : array
        The weight of every true class (row) and answer (column).
    per_class : tuple of ClassFacts
    residuals : dict
        Quantiles of truth less answer, for numbers.
    brier_by_time : dict
        From time to Brier score, at the quartiles of the event times, for survival.
    leaves, depth, reading_size : float or None
        Of the tree; with `cv` their means over the folds.
    folds : dict
        With `cv` for each metric its value in every fold; else empty.
    unknown : tuple
        Classes of y that the model does not know: whatever it answers is wrong.
    groups : tuple of GroupFacts
        With `groups` the same of each group, and how often each class is answered and true there.
    n_repetitions : int
        How often every row was asked about; everything is the mean over the repetitions.
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
    brier_by_time: dict[float, float] = field(default_factory=dict)
    leaves: float | None = None
    depth: float | None = None
    reading_size: float | None = None
    folds: dict[str, tuple[float, ...]] = field(default_factory=dict)
    unknown: tuple[Any, ...] = ()
    groups: tuple[GroupFacts, ...] = ()
    n_repetitions: int = 1

    def __iter__(self) -> Iterator[str]:
        return iter(self.metrics)

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
        known = METRICS[self.task]
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
        >>> hb.evaluate(tree, {"x": [1, 2, 3]}, ["a", "b", "b"]).meets({"accuracy": 0.6})
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
        return [*tables, self.group_columns()] if self.groups else tables

    def group_columns(self) -> dict[str, list[Any]]:
        """A row for each group, class and measure, for any data frame; value, low and high."""
        return group_columns(self.groups)

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain values that JSON can hold, with "schema": "hornbeam/evaluate/1"."""
        document = {"schema": "hornbeam/evaluate/1", **json_fields(self, ("task", "n", "confidence"))}
        document |= json_value(self.metrics)
        compared = {"classes": "accuracy", "real": "rmse", "survival": "integrated_brier"}[self.task]
        document["baseline"] = {compared: self.baseline.to_dict()}
        if self.task.is_classes:
            document |= json_fields(self, ("classes", "confusion"))
            document["per_class"] = [facts.to_dict() for facts in self.per_class]
            document["unknown"] = json_value(self.unknown)
        elif self.task.is_survival:
            document["brier_by_time"] = [[time, score] for time, score in self.brier_by_time.items()]
        else:
            document["residuals"] = {f"{level:g}": value for level, value in self.residuals.items()}
        document |= json_fields(self, ("leaves", "depth", "reading_size"))
        if self.folds:
            document["folds"] = json_value(self.folds)
        if self.groups:
            document["groups"] = [group.to_dict() for group in self.groups]
        return document
