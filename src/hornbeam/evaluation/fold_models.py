"""Folding: a model fitted anew on all rows but those of one fold, and asked about these, fold by fold.

One idea: rows are dealt to folds by what they hold and a seed, class by class, so that two models are asked
about the same rows, whatever the order in which the rows were given.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import clone

from hornbeam._base.parameters import seed_of
from hornbeam._base.progress import Progress, Stages
from hornbeam._base.types import Longs
from hornbeam.data.folds import folds_of
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.data.train_validation_test import take_rows
from hornbeam.evaluation.predictions import Answers, answers_of, tells_classes, weights_of
from hornbeam.growing.grow import GrowthInterrupted
from hornbeam.tree.tree import Tree


@dataclass(frozen=True)
class Folded:
    """Out-of-fold answers.

    answers : of every row, by the model that did not see it
    fold : of each row, -1: in none (its weight is 0)
    sizes : leaves and depth of the tree of each fold; () where a model has no single tree
    """

    answers: Answers
    fold: Longs
    sizes: tuple[tuple[int, int], ...]

    @property
    def n_folds(self) -> int:
        """The number of folds."""
        return n_folds_of(self.fold)


def fold_of_rows(X: Any, target: Target, cv: Any, random_state: Any) -> Longs:
    """The fold of each row, -1 for rows of no weight; `cv` is a number of folds, or the fold of each row."""
    if isinstance(cv, bool) or (isinstance(cv, Integral) and cv < 2):
        raise ValueError(f"cv={cv!r} must be a number of folds of at least 2, the fold of each row, or None")
    folds = folds_of(Table.learn(X), target, cv, seed_of(random_state))
    found = np.full(target.n_rows, -1, dtype=np.int64)
    found[folds.row] = folds.fold
    return found


def folded(
    model: Any,
    X: Any,
    y: Any,
    target: Target,
    fold: Longs,
    name: str = "model",
    stages: Stages | None = None,
) -> Folded:
    """A model's answers, fold by fold; it is cloned and fitted on the other folds, a stage each."""
    if isinstance(model, Tree):
        raise ValueError(
            f"{name} is a Tree, which cannot be fitted again on each fold: give the estimator that learned"
            " it, or cv=None"
        )
    weight = weights_of(target)
    classes: tuple[Any, ...] = target.classes
    parts: list[tuple[Longs, Answers]] = []
    sizes = []
    n_folds = n_folds_of(fold)
    for k in range(n_folds):
        held, rest = np.flatnonzero(fold == k), np.flatnonzero((fold >= 0) & (fold != k))
        given = {} if target.weights is None else {"sample_weight": weight[rest]}
        told = None if stages is None else stages.next()
        try:
            fresh = _fitted(model, take_rows(X, rest), take_rows(y, rest), given, told)
        except GrowthInterrupted:
            raise KeyboardInterrupt(f"{name} was stopped in fold {k + 1} of {n_folds}") from None
        answers = answers_of(fresh, take_rows(X, held), target.take(held))
        parts.append((held, answers))
        if isinstance(getattr(fresh, "tree_", None), Tree):
            facts = fresh.tree_.statistics()
            sizes.append((facts["leaves"], facts["depth"]))
    return Folded(_joined(parts, target, classes, real=not tells_classes(model)), fold, tuple(sizes))


def _fitted(model: Any, X: Any, y: Any, given: dict[str, Any], told: Progress | None) -> Any:
    """A fresh copy of the model, fitted; one that tells of its progress tells it."""
    if told is None:
        return clone(model).fit(X, y, **given)
    told(0.0)
    tells = "progress" in inspect.signature(model.fit).parameters
    fresh = clone(model).fit(X, y, **given, **({"progress": told} if tells else {}))
    if told(1.0):
        raise KeyboardInterrupt("stopped between two folds")
    return fresh


def n_folds_of(fold: Longs) -> int:
    """The number of folds, from the fold of each row."""
    return int(fold.max()) + 1


def _joined(
    parts: list[tuple[Longs, Answers]], target: Target, classes: tuple[Any, ...], *, real: bool
) -> Answers:
    """The answers of all folds in the order of the rows, in one class order."""
    weight = weights_of(target).copy()
    n = target.n_rows
    if real:
        assert target.values is not None
        said = np.zeros(n)
        for rows, answers in parts:
            said[rows] = answers.said
        return Answers((), target.values, said, None, weight)
    assert target.codes is not None
    labels, shares = np.zeros(n, dtype=np.int64), np.zeros((n, len(classes)))
    for rows, answers in parts:
        place = np.array([classes.index(label) for label in answers.classes], dtype=np.int64)
        labels[rows] = place[answers.said]
        shares[np.ix_(rows, place)] = answers.shares
    return Answers(classes, target.codes.astype(np.int64), labels, shares, weight)
