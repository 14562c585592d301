"""Answers: what a model says about rows, beside what is true of them.

One idea: whatever a model is (an estimator, a forest, a Tree), its answers are arrays in one class order:
that of the model, then classes that only the rows know.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, is_classifier

from hornbeam._base.types import AnyArray, Floats, Longs
from hornbeam.data.target import Target
from hornbeam.data.train_validation_test import take_rows
from hornbeam.data.weights import row_counts, sample_weights
from hornbeam.estimators.recipes import RECIPES, recipe
from hornbeam.tree.hooks import open_model
from hornbeam.tree.tree import Tree

MOST_COPIES = 50_000_000


@dataclass(frozen=True)
class Answers:
    """Rows with the truth and the answers of a model.

    classes : the classes; () for real targets
    truth, said : class codes, or numbers
    shares : the probability of each class; None for real targets
    weight : of each row
    """

    classes: tuple[Any, ...]
    truth: AnyArray
    said: AnyArray
    shares: Floats | None
    weight: Floats

    @property
    def is_real(self) -> bool:
        """Whether the answers are numbers."""
        return self.shares is None

    def take(self, rows: Longs) -> Answers:
        """Some of the rows."""
        shares = None if self.shares is None else self.shares[rows]
        return Answers(self.classes, self.truth[rows], self.said[rows], shares, self.weight[rows])

    def repeated(self, copies: Longs) -> Answers:
        """Each row as often as it stands for itself."""
        return self.take(repeats(copies))

    def canonical(self) -> Answers:
        """The rows that weigh something, in an order that depends on their contents only (K5)."""
        rows = np.flatnonzero(self.weight > 0)
        shares = [] if self.shares is None else list(self.shares[rows].T)
        keys = [*shares, self.weight[rows], self.said[rows], self.truth[rows]]
        return self.take(rows[np.lexsort(keys)])


def model_of(given: Any, name: str = "model", *, recipes: bool = False) -> Any:
    """The model: itself, read from a file, or made by a recipe's name."""
    if recipes and isinstance(given, str) and given in RECIPES:
        return recipe(given)
    given = open_model(given, name, f", nor a recipe ({', '.join(RECIPES)})" if recipes else "")
    if not isinstance(given, BaseEstimator) and isinstance(getattr(given, "tree_", None), Tree):
        given = given.tree_  # a Draft
    if isinstance(given, Tree):
        if given.task == "density":
            raise ValueError(f"{name} is a density tree, which answers no y: use TreeDensity.score")
        return given
    if isinstance(given, BaseEstimator) and hasattr(given, "fit") and hasattr(given, "predict"):
        return given
    raise TypeError(
        f"{name} is a {type(given).__name__}: it must be a classifier, a regressor or a Tree, fitted or saved"
    )


def repeats(copies: Longs) -> Longs:
    """The numbers of the rows, each as often as it stands for itself.

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


def counted(X: Any, y: Any, sample_weight: Any, counts: Any) -> tuple[Any, Any, Any, Longs | None]:
    """The rows with their weights, each as often as its count says, and which row each of them is."""
    if counts is None:
        return X, y, sample_weight, None
    copies = row_counts(counts, len(y))
    assert copies is not None
    rows = repeats(copies)
    weights = sample_weights(sample_weight, len(y))
    return take_rows(X, rows), take_rows(y, rows), None if weights is None else weights[rows], rows


def is_fitted(model: Any) -> bool:
    """Whether a model can answer."""
    own = any(hasattr(model, name) for name in ("tree_", "trees_", "n_features_in_"))
    return isinstance(model, Tree) or own


def tells_classes(model: Any) -> bool:
    """Whether a model answers with classes."""
    return model.task == "classes" if isinstance(model, Tree) else bool(is_classifier(model))


def target_of(model: Any, y: Any, sample_weight: Any, n_rows: int | None = None) -> Target:
    """The truth as a target of the model's kind."""
    read: Callable[..., Target] = Target.classes_of if tells_classes(model) else Target.real_of
    return read(y, sample_weight, n_rows=n_rows, estimator="evaluation")


def known_classes(model: Any) -> tuple[Any, ...]:
    """The classes that a fitted model answers with."""
    return (model.classes or ()) if isinstance(model, Tree) else tuple(np.asarray(model.classes_).tolist())


def unknown_classes(model: Any, target: Target) -> tuple[Any, ...]:
    """The classes of rows that count which the model does not know; that it knows none is an error."""
    if not tells_classes(model):
        return ()
    assert target.codes is not None
    known, counting = known_classes(model), target.codes[weights_of(target) > 0]
    seen = [target.classes[code] for code in np.unique(counting).tolist()]
    found = tuple(label for label in seen if label not in known)
    if seen and len(found) == len(seen):
        raise ValueError(
            f"none of the labels of y is a class of the model: y has {_some(seen)}, the model answers"
            f" {_some(known)}; give y in the words it was fitted with"
        )
    return found


def _some(labels: Sequence[Any]) -> str:
    return ", ".join(repr(label) for label in labels[:8]) + ", ..." * (len(labels) > 8)


def weights_of(target: Target) -> Floats:
    """The weight of each row."""
    return np.ones(target.n_rows) if target.weights is None else target.weights


def answers_of(model: Any, X: Any, target: Target) -> Answers:
    """What a fitted model says about the rows of X; rows of no weight are kept."""
    weight = weights_of(target)
    if not tells_classes(model):
        assert target.values is not None
        said = np.asarray(model.predict(X), dtype=np.float64)
        _refuse_other_length(len(said), target.n_rows)
        return Answers((), target.values, said, None, weight)
    known = known_classes(model)
    classes = known + tuple(label for label in target.classes if label not in known)
    place = {label: code for code, label in enumerate(classes)}
    answered = np.asarray(model.predict(X))
    _refuse_other_length(len(answered), target.n_rows)
    names, codes = np.unique(answered, return_inverse=True)
    labels: Longs = np.array([place[label] for label in names.tolist()], dtype=np.int64)[codes.reshape(-1)]
    assert target.codes is not None
    truth = np.array([place[label] for label in target.classes], dtype=np.int64)[target.codes]
    shares = np.zeros((len(labels), len(classes)))
    shares[:, : len(known)] = model.predict_proba(X)
    return Answers(classes, truth, labels, shares, weight)


def _refuse_other_length(n: int, n_rows: int) -> None:
    if n != n_rows:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: {[n, n_rows]};"
            " X and y must have the same number of rows"
        )
