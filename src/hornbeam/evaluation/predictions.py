"""The answers of a fitted model for some rows, beside the true outcomes.

Whatever a model is (an estimator, a forest, a Tree), its answers are arrays in one class order: that of the
model, then classes that only the rows know.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, is_classifier

from hornbeam._base.types import AnyArray, Floats, Longs, Task
from hornbeam.data.survival import survival_target
from hornbeam.data.target import Target
from hornbeam.data.train_validation_test import take_rows
from hornbeam.data.weights_and_costs import row_counts, sample_weights
from hornbeam.estimators.recipes import RECIPES, recipe
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
    grid : survival: the times at which `shares` are predicted survival; `truth` is the time of each row,
        negative where it is censored
    """

    classes: tuple[Any, ...]
    truth: AnyArray
    predicted: AnyArray
    shares: Floats | None
    weight: Floats
    grid: Floats | None = None

    @property
    def is_real(self) -> bool:
        """Whether the answers are numbers."""
        return self.shares is None

    def take(self, rows: Longs) -> Answers:
        """Some of the rows."""
        shares = None if self.shares is None else self.shares[rows]
        return replace(
            self,
            truth=self.truth[rows],
            predicted=self.predicted[rows],
            shares=shares,
            weight=self.weight[rows],
        )

    def with_shares(self, shares: Floats) -> Answers:
        """The same rows with other shares."""
        return replace(self, shares=shares)

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


def refuse_survival(model: Any, what: str) -> Any:
    """The model; raise if it is a survival tree, about which `what` says nothing."""
    if predicts_survival(model):
        raise ValueError(
            f"{what} judges answers that are classes or numbers, not survival: use hb.evaluate, which"
            " measures concordance and Brier scores"
        )
    return model


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


def predicts_survival(model: Any) -> bool:
    """Whether a model is a survival tree."""
    return bool(getattr(model, "task", None) == Task.SURVIVAL)


def target_of(model: Any, y: Any, sample_weight: Any, n_rows: int | None = None) -> Target:
    """The truth as a target of the model's kind."""
    if predicts_survival(model):
        return survival_target(y, sample_weight, n_rows=n_rows)
    read: Callable[..., Target] = Target.classes_of if predicts_classes(model) else Target.real_of
    return read(y, sample_weight, n_rows=n_rows, estimator="evaluation")


def known_classes(model: Any) -> tuple[Any, ...]:
    """The classes that a fitted model answers with."""
    return (model.classes or ()) if isinstance(model, Tree) else tuple(np.asarray(model.classes_).tolist())


def unknown_classes(model: Any, target: Target) -> tuple[Any, ...]:
    """The classes among the rows that the model does not know; raise if it knows none of them."""
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


NO_SIZE = (None, None, None)


def size_of(model: Any) -> tuple[Any, ...]:
    """The leaves, the depth and the reading size of a model's tree; None where it has no single tree."""
    model = inner_model(model, for_rows=False)
    tree = model if isinstance(model, Tree) else getattr(model, "tree_", None)
    return (tree.n_leaves, tree.depth, tree.reading_size) if isinstance(tree, Tree) else NO_SIZE
