"""Out-of-fold answers: a model is fitted anew for each fold and answers the rows it has not seen.

The model is fitted on all rows but those of one fold and answers these, fold by fold. Rows are dealt to folds
by what they hold and a seed, class by class, so that two models answer the same rows, in whatever order the
rows come.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from sklearn.base import clone

from hornbeam._base.parameters import Progress, Stages, is_whole, seed_of
from hornbeam._base.types import Floats, Longs
from hornbeam.data.folds import folds_of
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.data.train_validation_test import take_rows
from hornbeam.evaluation.predictions import Answers, answers_of, size_of
from hornbeam.growing.interruption import GrowthStopped
from hornbeam.tree.tree import Tree

T = TypeVar("T")


@dataclass(frozen=True)
class FoldAnswers:
    """Out-of-fold answers.

    answers : of every row, by the model that did not see it
    fold : of each row, -1: in none (its weight is 0)
    sizes : leaves, depth and reading size of the tree of each fold; () where a model has no single tree
    """

    answers: Answers
    fold: Longs
    sizes: tuple[tuple[Any, ...], ...]

    def measure_folds(self, measure: Callable[[Answers], T]) -> list[T]:
        """Measure the answers of each fold."""
        folds = range(n_folds_of(self.fold))
        return [measure(self.answers.take(np.flatnonzero(self.fold == k))) for k in folds]


def fold_of_rows(X: Any, target: Target, cv: Any, random_state: Any) -> Longs:
    """The fold of each row, -1 for rows of no weight; `cv` is a number of folds, or the fold of each row."""
    if isinstance(cv, bool) or (is_whole(cv) and cv < 2):
        raise ValueError(f"cv={cv!r} must be a number of folds of at least 2, the fold of each row, or None")
    folds = folds_of(Table.learn(X), target, cv, seed_of(random_state))
    fold: Longs = np.full(target.n_rows, -1, dtype=np.int64)
    fold[folds.row] = folds.fold
    return fold


def cross_predict(
    model: Any,
    X: Any,
    y: Any,
    target: Target,
    fold: Longs,
    name: str = "model",
    stages: Stages | None = None,
    train: Sequence[Longs] | None = None,
    answer: Callable[[Any, Any, Target], Answers] | None = None,
) -> FoldAnswers:
    """Collect a model's answers fold by fold; it is cloned and fitted on the other folds, a stage each.

    `train` says which rows it is fitted on for each fold, if they are not all others; `answer` how a model
    answers, if not by `answers_of`.
    """
    answer = answer or answers_of
    if isinstance(model, Tree):
        raise ValueError(
            f"{name} is a Tree, which cannot be fitted again on each fold: give the estimator that learned"
            " it, or cv=None"
        )
    parts: list[tuple[Longs, Answers]] = []
    sizes = []
    n_folds = n_folds_of(fold)
    for k in range(n_folds):
        held = np.flatnonzero(fold == k)
        rest = np.flatnonzero((fold >= 0) & (fold != k)) if train is None else train[k]
        own = own_weights(target)
        weights = {} if own is None else {"sample_weight": own[rest]}
        progress = None if stages is None else stages.next()
        try:
            fitted = _fit_clone(model, take_rows(X, rest), take_rows(y, rest), weights, progress)
        except GrowthStopped:
            raise KeyboardInterrupt(f"{name} was stopped in fold {k + 1} of {n_folds}") from None
        parts.append((held, answer(fitted, take_rows(X, held), target.take(held))))
        if isinstance(getattr(fitted, "tree_", None), Tree):
            sizes.append(size_of(fitted))
    return FoldAnswers(_join(parts, target), fold, tuple(sizes))


def _fit_clone(model: Any, X: Any, y: Any, weights: dict[str, Any], progress: Progress | None) -> Any:
    """Fit a copy of the model; one that reports its progress reports it here."""
    if progress is None:
        return clone(model).fit(X, y, **weights)
    progress(0.0)
    reports = "progress" in inspect.signature(model.fit).parameters
    fitted = clone(model).fit(X, y, **weights, **({"progress": progress} if reports else {}))
    if progress(1.0):
        raise KeyboardInterrupt("stopped between two folds")
    return fitted


def n_folds_of(fold: Longs) -> int:
    """The number of folds, from the fold of each row."""
    return int(fold.max()) + 1


def own_weights(target: Target) -> Floats | None:
    """The weights of rows as they were given, None if there are none; survival multiplies by exposure."""
    if target.exposure is None or target.weights is None:
        return target.weights
    return None if (target.weights == target.exposure).all() else target.weights / target.exposure


def _join(parts: list[tuple[Longs, Answers]], target: Target) -> Answers:
    """The answers of all folds in the order of the rows, in one class order."""
    if target.task.is_survival:
        first = parts[0][1]
        joined: dict[str, Any] = {}
        for name in ("truth", "predicted", "shares", "weight"):
            joined[name] = np.zeros((target.n_rows, *getattr(first, name).shape[1:]))
            for rows, answers in parts:
                joined[name][rows] = getattr(answers, name)
        return replace(first, **joined)
    real, n = target.values is not None, target.n_rows
    truth: Any = target.values if target.codes is None else target.codes.astype(np.int64)
    predicted, shares = np.zeros_like(truth), np.zeros((n, len(target.classes)))
    for rows, answers in parts:
        answers = answers.recode(target.classes)
        predicted[rows] = answers.predicted
        shares[rows] = answers.shares if not real else 0.0
    weight = target.row_weight.copy()
    weight[np.setdiff1d(np.arange(n), np.concatenate([rows for rows, _ in parts]))] = 0.0  # never asked about
    return Answers(target.classes, truth, predicted, None if real else shares, weight)
