"""What a model answers about rows, beside what is true of them; fitted as it is, or anew for each fold.

Whatever a model is (an estimator, a forest, a Tree), its answers are arrays in one class order: that of the
model, then classes that only the rows know. For cross-validation the model is fitted on all rows but those of
one fold and answers these, fold by fold. Rows are dealt to folds by what they hold and a seed, class by
class, so that two models answer the same rows, in whatever order the rows come.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, clone, is_classifier

from hornbeam._base.parameters import Progress, Stages, is_whole, seed_of
from hornbeam._base.types import AnyArray, Floats, Longs
from hornbeam.data.folds import folds_of
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.data.train_validation_test import take_rows
from hornbeam.data.weights_and_costs import row_counts, sample_weights
from hornbeam.estimators.recipes import RECIPES, recipe
from hornbeam.growing.interruption import GrowthStopped
from hornbeam.tree.hooks import inner_model, open_model
from hornbeam.tree.tree import Tree

T = TypeVar("T")
MOST_COPIES = 50_000_000


@dataclass(frozen=True)
class Answers:
    """Rows with the truth and the answers of a model.

    classes : the classes; () for real targets
    truth, predicted : class codes, or numbers
    shares : the probability of each class; None for real targets
    weight : of each row
    """

    classes: tuple[Any, ...]
    truth: AnyArray
    predicted: AnyArray
    shares: Floats | None
    weight: Floats

    @property
    def is_real(self) -> bool:
        """Whether the answers are numbers."""
        return self.shares is None

    def take(self, rows: Longs) -> Answers:
        """Some of the rows."""
        shares = None if self.shares is None else self.shares[rows]
        return Answers(self.classes, self.truth[rows], self.predicted[rows], shares, self.weight[rows])

    def recode(self, classes: tuple[Any, ...]) -> Answers:
        """The same answers by codes of these classes, which hold all of their own."""
        if self.shares is None or self.classes == classes:
            return self
        place = np.array([classes.index(label) for label in self.classes], dtype=np.int64)
        shares = np.zeros((len(self.truth), len(classes)))
        shares[:, place] = self.shares
        return Answers(classes, place[self.truth], place[self.predicted], shares, self.weight)

    def canonical(self) -> Answers:
        """The rows of positive weight, in an order that depends on their contents only."""
        rows = np.flatnonzero(self.weight > 0)
        shares = [] if self.shares is None else list(self.shares[rows].T)
        keys = [*shares, self.weight[rows], self.predicted[rows], self.truth[rows]]
        return self.take(rows[np.lexsort(keys)])


def model_of(model: Any, name: str = "model", *, recipes: bool = False) -> Any:
    """The model: itself, read from a file, or made by a recipe's name."""
    if recipes and isinstance(model, str) and model in RECIPES:
        return recipe(model)
    model = open_model(model, name, f", nor a recipe ({', '.join(RECIPES)})" if recipes else "")
    if not isinstance(model, BaseEstimator) and isinstance(getattr(model, "tree_", None), Tree):
        model = model.tree_  # a Draft
    if isinstance(model, Tree):
        if model.task.is_density:
            raise ValueError(f"{name} is a density tree, which answers no y: use TreeDensity.score")
        return model
    if isinstance(model, BaseEstimator) and hasattr(model, "fit") and hasattr(model, "predict"):
        return model
    raise TypeError(
        f"{name} is a {type(model).__name__}: it must be a classifier, a regressor or a Tree, fitted or saved"
    )


def repeats(copies: Longs) -> Longs:
    """The numbers of the rows, each as often as it is repeated.

    >>> repeats(np.array([2, 0, 1]))
    array([0, 0, 2])
    """
    total = int(copies.sum())
    if total > MOST_COPIES:
        raise ValueError(
            f"counts sum to {total:,}, but at most {MOST_COPIES:,} rows are judged one by one: give them as"
            " sample_weight, of which intervals are a little wider"
        )
    return np.repeat(np.arange(len(copies)), copies)


def repeat_rows(X: Any, y: Any, sample_weight: Any, counts: Any) -> tuple[Any, Any, Any, Longs | None]:
    """Repeat the rows with their weights as often as their counts say; also say which row each of them is."""
    if counts is None:
        return X, y, sample_weight, None
    copies = row_counts(counts, len(y))
    assert copies is not None
    rows = repeats(copies)
    weights = sample_weights(sample_weight, len(y))
    return take_rows(X, rows), take_rows(y, rows), None if weights is None else weights[rows], rows


def is_fitted(model: Any) -> bool:
    """Whether a model can answer."""
    return isinstance(model, Tree) or any(
        hasattr(model, name) for name in ("tree_", "trees_", "n_features_in_")
    )


def predicts_classes(model: Any) -> bool:
    """Whether a model answers with classes."""
    return model.task.is_classes if isinstance(model, Tree) else bool(is_classifier(model))


def target_of(model: Any, y: Any, sample_weight: Any, n_rows: int | None = None) -> Target:
    """The truth as a target of the model's kind."""
    read: Callable[..., Target] = Target.classes_of if predicts_classes(model) else Target.real_of
    return read(y, sample_weight, n_rows=n_rows, estimator="evaluation")


def known_classes(model: Any) -> tuple[Any, ...]:
    """The classes that a fitted model answers with."""
    return (model.classes or ()) if isinstance(model, Tree) else tuple(np.asarray(model.classes_).tolist())


def unknown_classes(model: Any, target: Target) -> tuple[Any, ...]:
    """The classes of rows that count which the model does not know; that it knows none is an error."""
    if not predicts_classes(model):
        return ()
    assert target.codes is not None
    known, counting = known_classes(model), target.codes[target.row_weight > 0]
    labels = [target.classes[code] for code in np.unique(counting).tolist()]
    unknown = tuple(label for label in labels if label not in known)
    if labels and len(unknown) == len(labels):
        raise ValueError(
            f"none of the labels of y is a class of the model: y has {_some(labels)}, the model answers"
            f" {_some(known)}; give y in the words it was fitted with"
        )
    return unknown


def _some(labels: Sequence[Any]) -> str:
    return ", ".join(repr(label) for label in labels[:8]) + ", ..." * (len(labels) > 8)


def answers_of(model: Any, X: Any, target: Target) -> Answers:
    """What a fitted model answers about the rows of X; rows of no weight are included."""
    weight, answered = target.row_weight, np.asarray(model.predict(X))
    if len(answered) != target.n_rows:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: {[len(answered), target.n_rows]};"
            " X and y must have the same number of rows"
        )
    if not predicts_classes(model):
        assert target.values is not None
        return Answers((), target.values, answered.astype(np.float64), None, weight)
    known = known_classes(model)
    classes = known + tuple(label for label in target.classes if label not in known)
    place = {label: code for code, label in enumerate(classes)}
    names, codes = np.unique(answered, return_inverse=True)
    labels: Longs = np.array([place[label] for label in names.tolist()], dtype=np.int64)[codes.reshape(-1)]
    assert target.codes is not None
    truth = np.array([place[label] for label in target.classes], dtype=np.int64)[target.codes]
    shares = np.zeros((len(labels), len(classes)))
    shares[:, : len(known)] = model.predict_proba(X)
    return Answers(classes, truth, labels, shares, weight)


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
) -> FoldAnswers:
    """Collect a model's answers fold by fold; it is cloned and fitted on the other folds, a stage each."""
    if isinstance(model, Tree):
        raise ValueError(
            f"{name} is a Tree, which cannot be fitted again on each fold: give the estimator that learned"
            " it, or cv=None"
        )
    parts: list[tuple[Longs, Answers]] = []
    sizes = []
    n_folds = n_folds_of(fold)
    for k in range(n_folds):
        held, rest = np.flatnonzero(fold == k), np.flatnonzero((fold >= 0) & (fold != k))
        weights = {} if target.weights is None else {"sample_weight": target.weights[rest]}
        progress = None if stages is None else stages.next()
        try:
            fitted = _fit_clone(model, take_rows(X, rest), take_rows(y, rest), weights, progress)
        except GrowthStopped:
            raise KeyboardInterrupt(f"{name} was stopped in fold {k + 1} of {n_folds}") from None
        parts.append((held, answers_of(fitted, take_rows(X, held), target.take(held))))
        if isinstance(getattr(fitted, "tree_", None), Tree):
            sizes.append(size_of(fitted))
    return FoldAnswers(_join(parts, target), fold, tuple(sizes))


NO_SIZE = (None, None, None)


def size_of(model: Any) -> tuple[Any, ...]:
    """The leaves, the depth and the reading size of a model's tree; None where it has no single tree."""
    model = inner_model(model, for_rows=False)
    tree = model if isinstance(model, Tree) else getattr(model, "tree_", None)
    return (tree.n_leaves, tree.depth, tree.reading_size) if isinstance(tree, Tree) else NO_SIZE


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


def _join(parts: list[tuple[Longs, Answers]], target: Target) -> Answers:
    """The answers of all folds in the order of the rows, in one class order."""
    real, n = target.values is not None, target.n_rows
    truth: Any = target.values if target.codes is None else target.codes.astype(np.int64)
    predicted, shares = np.zeros_like(truth), np.zeros((n, len(target.classes)))
    for rows, answers in parts:
        answers = answers.recode(target.classes)
        predicted[rows] = answers.predicted
        shares[rows] = answers.shares if not real else 0.0
    return Answers(target.classes, truth, predicted, None if real else shares, target.row_weight.copy())
