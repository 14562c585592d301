"""Which of two models is better, on the same rows or on the same folds.

Both answer the same rows, so that only the rows they answer differently count; the difference has an interval
of its own, which is much narrower than those of the two.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hornbeam._base.parameters import Progress, Stages
from hornbeam._base.types import TIE, Longs, Task
from hornbeam.data.shown_result import TabularResult
from hornbeam.evaluation import fold_answers, predictions
from hornbeam.evaluation.estimate_intervals import Estimate, check_confidence, mcnemar, over_folds
from hornbeam.evaluation.evaluation_text import comparison_text
from hornbeam.evaluation.fold_answers import FoldAnswers
from hornbeam.evaluation.metrics import align_classes, canonical_rows, measure, metric_named, metrics_of
from hornbeam.evaluation.predictions import Answers
from hornbeam.tree.json_values import json_fields

_FOLDS = 10


@dataclass(frozen=True)
class Paired:
    """One metric of both models: values, second less first with its interval, the p of no difference."""

    first: float
    second: float
    difference: Estimate
    p: float | None

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return json_fields(self, ("first", "second", "p", "difference"))


@dataclass(frozen=True)
class Comparison(TabularResult):
    """Two models beside each other; `str()` is the text, `to_dict()` the facts.

    Attributes
    ----------
    task : "classes" or "real"
    n : int
        Rows that count.
    confidence : float
    metrics : dict of Paired
        "accuracy" and "log_loss", or "rmse" and "mae"; with folds all metrics. Differences are second less
        first: of an accuracy above 0, of a loss below 0, if the second is better.
    changed : array of int
        The rows that the two answer differently.
    won, lost : array of int
        The rows that only the second, or only the first answers rightly; empty for numbers.
    mcnemar_p : float or None
        The exact p of McNemar's test that they are right equally often; for fitted models of classes.
    n_folds : int
        0 if fitted models were compared on the rows as they are.
    sizes : dict
        "leaves", "depth" and "reading_size" of both trees, with folds on average; empty where a model has no
        single tree.
    """

    task: Task
    n: int
    confidence: float
    metrics: dict[str, Paired]
    changed: Longs
    won: Longs
    lost: Longs
    mcnemar_p: float | None
    n_folds: int
    sizes: dict[str, tuple[float, float]] = field(default_factory=dict)

    def __iter__(self) -> Iterator[str]:
        return iter(self.metrics)

    def __getitem__(self, name: str) -> Paired:
        return metric_named(name, self.metrics)

    @property
    def better(self) -> str | None:
        """Which one, "first" or "second", if the interval of the first metric leaves 0 out; else None."""
        name, paired = next(iter(self.metrics.items()))
        low, high = paired.difference.low, paired.difference.high
        if low is None or high is None or low <= 0 <= high:
            return None
        return "second" if (low > 0) == (name in ("accuracy", "r2")) else "first"

    def __str__(self) -> str:
        return comparison_text(self)

    def columns(self) -> dict[str, list[Any]]:
        """A row for each metric: both values, the difference with its interval, and p."""
        listed = self.metrics.values()
        return {
            "measure": list(self.metrics),
            "first": [one.first for one in listed],
            "second": [one.second for one in listed],
            "difference": [one.difference.value for one in listed],
            "low": [one.difference.low for one in listed],
            "high": [one.difference.high for one in listed],
            "p": [one.p for one in listed],
        }

    def shown_text(self) -> str:
        """What stands around the table of the text: which rows, sizes, and how many answers differ."""
        return "\n".join(line for line in str(self).splitlines() if "  " not in line.strip())

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain values that JSON can hold, with "schema": "hornbeam/compare/1"."""
        return {
            "schema": "hornbeam/compare/1",
            **json_fields(self, ("task", "n", "confidence", "n_folds", "better")),
            "metrics": {name: one.to_dict() for name, one in self.metrics.items()},
            "sizes": {name: list(both) for name, both in self.sizes.items()},
            **json_fields(self, ("mcnemar_p", "changed", "won", "lost")),
        }


def compare(
    a: Any,
    b: Any,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    counts: Any = None,
    cv: Any = None,
    confidence: float = 0.95,
    random_state: Any = 0,
    progress: Progress | None = None,
) -> Comparison:
    """Whether one of two models is better, asked about the same rows.

    Parameters
    ----------
    a, b : the models: fitted ones, Trees, paths of saved ones; or estimators and recipe names to be fitted
    X, y : the rows, as for `fit`; not those that fitted models were trained on
    sample_weight : weight of each row
    counts : number of repetitions of each row
        A row of count 3 is three rows, also where folds are made and intervals computed.
    cv : int, array or None
        None compares fitted models as they are; models that are not fitted, and recipes, are then compared
        by 10 folds. A number of folds, or the fold of each row: both are fitted on all rows but those of one
        fold, the same for both.
    confidence : float
    random_state : int, Generator, RandomState or None
        The seed of the folds.
    progress : callable or None
        Told now and then the share of the folds' fitting that is done; if it returns True, KeyboardInterrupt
        is raised.

    Returns
    -------
    Comparison
        `result["accuracy"].difference`, `result.changed`, `result.better`, `to_dict()`; `str()` is a text.

    Notes
    -----
    On rows: the difference of two accuracies has the interval of Bonett and Price (2012) for paired shares
    (with weights Student's), those of losses Student's interval over the rows' differences, RMSE's the delta
    method's; McNemar's test counts rows, whatever their weight. By folds: the corrected resampled t test of
    Nadeau and Bengio (2003), which allows for the training rows that folds have in common.

    References
    ----------
    Nadeau, C. & Bengio, Y. (2003). Inference for the generalization error. Machine Learning 52, 239-281.
    Bonett, D. G. & Price, R. M. (2012). Adjusted Wald confidence interval for a difference of binomial
    proportions based on paired data. Journal of Educational and Behavioral Statistics 37, 479-488.

    Examples
    --------
    >>> import hornbeam as hb
    >>> tennis = hb.datasets.load("tennis")
    >>> small = hb.TreeClassifier(max_depth=1).fit(tennis.X, tennis.y)
    >>> large = hb.TreeClassifier().fit(tennis.X, tennis.y)
    >>> comparison = hb.compare(small, large, tennis.X, tennis.y)
    >>> round(comparison["accuracy"].difference.value, 4), comparison.lost.tolist()
    (0.3571, [])
    >>> round(comparison.mcnemar_p, 4)
    0.0625
    >>> by_folds = hb.compare("id3", "cart", tennis.X, tennis.y, cv=5)
    >>> by_folds.n_folds, by_folds.better
    (5, None)
    """
    level = check_confidence(confidence)
    first, second = (
        predictions.refuse_survival(predictions.model_of(each, name, recipes=True), "compare")
        for each, name in ((a, "a"), (b, "b"))
    )
    if predictions.predicts_classes(first) != predictions.predicts_classes(second):
        raise ValueError("a and b answer different things, classes and numbers: compare two of one kind")
    X, y, sample_weight, row = predictions.repeat_rows(X, y, sample_weight, counts)
    target = predictions.target_of(first, y, sample_weight)
    if cv is None and predictions.is_fitted(first) and predictions.is_fitted(second):
        for each in (first, second):
            predictions.unknown_classes(each, target)
        of_first, of_second = (predictions.answers_of(each, X, target) for each in (first, second))
        sizes = predictions.size_of(first), predictions.size_of(second)
        return _name_rows(row, _with_sizes(_on_rows(of_first, of_second, level), *sizes))
    if cv is None:
        for name, model, other in (("a", first, "b"), ("b", second, "a")):
            if predictions.is_fitted(model):
                raise ValueError(
                    f"{name} is fitted and {other} is not: fit {other} too, or give cv=10 to fit both"
                )
    fold = fold_answers.fold_of_rows(X, target, _FOLDS if cv is None else cv, random_state)
    stages = Stages(progress, 2 * fold_answers.n_folds_of(fold))
    parts = [
        fold_answers.cross_predict(model, X, y, target, fold, name, stages)
        for name, model in (("a", first), ("b", second))
    ]
    means = (np.mean(part.sizes, axis=0).tolist() if part.sizes else predictions.NO_SIZE for part in parts)
    return _name_rows(row, _with_sizes(_by_folds(parts[0], parts[1], level), *means))


def _with_sizes(comparison: Comparison, first: Sequence[Any], second: Sequence[Any]) -> Comparison:
    if first[0] is None or second[0] is None:
        return comparison
    pairs = zip(first, second, strict=True)
    return replace(comparison, sizes=dict(zip(("leaves", "depth", "reading_size"), pairs, strict=True)))


def _name_rows(row: Longs | None, comparison: Comparison) -> Comparison:
    """Name rows that were repeated by the numbers they had before."""
    if row is None:
        return comparison
    rows: dict[str, Any] = {
        name: np.unique(row[getattr(comparison, name)]) for name in ("changed", "won", "lost")
    }
    return replace(comparison, **rows)


def _on_rows(first: Answers, second: Answers, confidence: float) -> Comparison:
    first, second = align_classes(first, second)
    rows, order = canonical_rows(first, second)
    a, b = first.take(order), second.take(order)
    values = measure(a, confidence), measure(b, confidence)
    metrics = {
        name: Paired(values[0][name].value, values[1][name].value, *metric.difference(a, b, confidence))
        for name, metric in metrics_of(a).items()
        if metric.difference is not None
    }
    return _comparison(first, second, rows, metrics, confidence, 0)


def _by_folds(first: FoldAnswers, second: FoldAnswers, confidence: float) -> Comparison:
    held = np.bincount(first.fold[first.fold >= 0]).astype(np.float64)
    n = held.sum()
    each = [out.measure_folds(lambda some: measure(some, confidence)) for out in (first, second)]
    ratio = float(np.mean(held / np.maximum(n - held, 1)))
    metrics = {}
    for name in metrics_of(first.answers):
        if name == "bias" or not all(name in one for fold in each for one in fold):
            continue
        values = [np.array([one[name].value for one in fold]) for fold in each]
        difference = over_folds(values[1] - values[0], ratio, confidence)
        metrics[name] = Paired(float(values[0].mean()), float(values[1].mean()), *difference)
    rows = np.flatnonzero((first.fold >= 0) & (first.answers.weight > 0))
    return _comparison(first.answers, second.answers, rows, metrics, confidence, len(held))


def _comparison(
    a: Answers, b: Answers, rows: Longs, metrics: dict[str, Paired], confidence: float, n_folds: int
) -> Comparison:
    if a.is_real:
        larger = np.maximum(np.abs(a.predicted), np.abs(b.predicted))
        differ = np.abs(a.predicted - b.predicted) > TIE * larger
        changed, won, lost, p = rows[differ[rows]], rows[:0], rows[:0], None
    else:
        right_a, right_b = a.truth == a.predicted, b.truth == b.predicted
        changed = rows[(a.predicted != b.predicted)[rows]]
        won, lost = rows[(right_b & ~right_a)[rows]], rows[(right_a & ~right_b)[rows]]
        p = mcnemar(len(lost), len(won)) if not n_folds else None
    task = Task.REAL if a.is_real else Task.CLASSES
    return Comparison(task, len(rows), confidence, metrics, changed, won, lost, p, n_folds)
