"""Which rows a model is fitted on and asked about: folds, repeated folds, or whatever a splitter says.

One idea: a repetition asks about every row at most once, so its answers are judged as out-of-fold answers
are. Splits that ask about a row again begin the next repetition; the measures of all are averaged, and so are
the ends of their intervals, since the rows are the same.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hornbeam._base.types import AnyArray, Longs
from hornbeam.data.target import Target
from hornbeam.evaluation import fold_answers
from hornbeam.evaluation.estimate_intervals import Estimate
from hornbeam.evaluation.evaluation_result import Evaluation
from hornbeam.evaluation.metrics import metrics_of
from hornbeam.evaluation.predictions import Answers


@dataclass(frozen=True, eq=False)
class Repetition:
    """The fold of each row, -1 where it is in none, and the rows each model is fitted on."""

    fold: Longs
    train: tuple[Longs, ...]


def repetitions_of(
    X: Any, y: Any, target: Target, cv: Any, groups: AnyArray | None, random_state: Any
) -> list[Repetition]:
    """What to fit on and ask about, by folds, a splitter of scikit-learn, or pairs of rows."""
    if not hasattr(cv, "split") and not _is_pairs(cv):
        fold = fold_answers.fold_of_rows(X, target, cv, random_state)
        n_folds = fold_answers.n_folds_of(fold)
        return [Repetition(fold, tuple(np.flatnonzero((fold >= 0) & (fold != k)) for k in range(n_folds)))]
    pairs = _asked(cv, np.asarray(y), groups) if hasattr(cv, "split") else cv
    counting = target.row_weight > 0
    repetitions: list[Repetition] = []
    fold, train = _nothing(target.n_rows), list[Longs]()
    for first, second in pairs:
        rest, held = (_rows(one, target.n_rows) for one in (first, second))
        held, rest = held[counting[held]], rest[counting[rest]]
        if not len(held) or not len(rest):
            raise ValueError(f"cv={cv!r} makes a split without rows to fit on, or to ask about")
        if (fold[held] >= 0).any():
            repetitions.append(Repetition(fold, tuple(train)))
            fold, train = _nothing(target.n_rows), []
        fold[held] = len(train)
        train.append(rest)
    if not train:
        raise ValueError(f"cv={cv!r} makes no splits")
    return [*repetitions, Repetition(fold, tuple(train))]


def _asked(cv: Any, y: AnyArray, groups: AnyArray | None) -> list[Any]:
    """The splits of a splitter; one that has no use for groups says so in vain."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The groups parameter is ignored")
        return list(cv.split(np.zeros(len(y)), y, groups))


def _is_pairs(cv: Any) -> bool:
    """Whether cv lists pairs of row numbers, or masks."""
    if isinstance(cv, (str, np.ndarray)) or not isinstance(cv, Iterable):
        return False
    return (
        isinstance(cv, (list, tuple))
        and bool(len(cv))
        and all(isinstance(one, (list, tuple)) and len(one) == 2 and np.ndim(one[0]) == 1 for one in cv)
    )


def _nothing(n_rows: int) -> Longs:
    return np.full(n_rows, -1, dtype=np.int64)


def _rows(chosen: Any, n_rows: int) -> Longs:
    """Row numbers, from those or from a mask."""
    rows = np.asarray(chosen)
    if rows.dtype == bool and rows.shape == (n_rows,):
        return np.flatnonzero(rows)
    if (
        rows.ndim != 1
        or rows.dtype.kind not in "iu"
        or (len(rows) and not 0 <= rows.min() <= rows.max() < n_rows)
    ):
        raise ValueError(f"a split of cv must hold row numbers from 0 to {n_rows - 1}, or masks of the rows")
    return np.unique(rows.astype(np.int64))


def mean_estimates(each: Sequence[dict[str, Estimate]]) -> dict[str, Estimate]:
    """The mean of several estimates of the same measures, and of the ends of their intervals.

    >>> mean_estimates([{"auc": Estimate(0.5, 0.4, 0.7)}, {"auc": Estimate(0.7, 0.5, 0.8)}])["auc"].text()
    '0.6000  (0.4500 to 0.7500)'
    """
    names = [name for name in each[0] if all(name in one for one in each)]
    return {name: _mean([one[name] for one in each]) for name in names}


def _mean(estimates: Sequence[Estimate]) -> Estimate:
    def mean(name: str) -> float | None:
        values = [getattr(one, name) for one in estimates]
        return None if any(value is None for value in values) else float(np.mean(values))

    value = mean("value")
    assert value is not None
    return Estimate(value, mean("low"), mean("high"))


def bootstrap_estimates(
    answers: Answers, estimates: dict[str, Estimate], n_samples: int, seed: int, confidence: float
) -> dict[str, Estimate]:
    """The same values with intervals from rows drawn with replacement: quantiles of the measures."""
    rows = answers.canonical()
    draw = np.random.default_rng(seed)
    n = len(rows.weight)
    drawn: dict[str, list[float]] = {name: [] for name in estimates}
    for _ in range(n_samples):
        counts = np.bincount(draw.integers(0, n, n), minlength=n)
        some = np.repeat(np.arange(n), counts)
        sample = rows.take(some)
        for name in estimates:
            value = metrics_of(rows)[name].measure(sample, confidence)
            if value is not None:
                drawn[name].append(value.value)
    ends = ((1 - confidence) / 2, (1 + confidence) / 2)

    def interval(name: str, value: float) -> Estimate:
        low, high = np.quantile(drawn[name], ends).tolist() if drawn[name] else (None, None)
        return Estimate(value, low, high)

    return {name: interval(name, one.value) for name, one in estimates.items()}


def mean_evaluation(each: Sequence[Evaluation]) -> Evaluation:
    """The mean of the evaluations of several repetitions."""
    first = each[0]
    if len(each) == 1:
        return first
    changes: dict[str, Any] = {
        "metrics": mean_estimates([one.metrics for one in each]),
        "folds": {name: tuple(v for one in each for v in one.folds[name]) for name in first.folds},
        "residuals": {
            level: float(np.mean([one.residuals[level] for one in each])) for level in first.residuals
        },
        "n_repetitions": len(each),
    }
    for name in ("leaves", "depth", "reading_size"):
        sizes = [getattr(one, name) for one in each]
        changes[name] = None if None in sizes else float(np.mean(sizes))
    if first.confusion is not None:
        changes["confusion"] = np.mean([one.confusion for one in each], axis=0)
        alike = zip(*(one.per_class for one in each), strict=True)
        changes["per_class"] = tuple(_mean_facts(facts, ("precision", "recall")) for facts in alike)
    groups = zip(*(one.groups for one in each), strict=True)
    changes["groups"] = tuple(_mean_group(same) for same in groups)
    return replace(first, **changes)


def _mean_facts(facts: Sequence[Any], names: Sequence[str]) -> Any:
    """Facts with some estimates replaced by their means; None where one of them is not known."""
    means = {name: [getattr(one, name) for one in facts] for name in names}
    return replace(
        facts[0], **{name: None if None in values else _mean(values) for name, values in means.items()}
    )


def _mean_group(groups: Sequence[Any]) -> Any:
    names = ("answered", "true", "recall", "false_alarm", "calibration")
    rates = tuple(_mean_facts(same, names) for same in zip(*(one.rates for one in groups), strict=True))
    return replace(groups[0], metrics=mean_estimates([one.metrics for one in groups]), rates=rates)
