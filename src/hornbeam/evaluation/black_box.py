"""The black box that a tree imitates: how it is asked, and how its answers are checked and recognised."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_regressor

from hornbeam._base.types import AnyArray, Floats, Longs, Task
from hornbeam.tree.tree import Tree

MOST_CLASSES = 20  # different whole numbers that are taken for classes


@dataclass(frozen=True)
class BlackBoxAnswers:
    """Answers for rows: labels with their classes, probabilities with theirs, or numbers (no classes)."""

    values: AnyArray  # labels, numbers, or probabilities by row and class
    classes: AnyArray | None

    @property
    def kind(self) -> str:
        """What they are, in a word."""
        if self.values.ndim == 2:
            return "probabilities"
        return "numbers" if self.classes is None else "labels"

    def take(self, rows: Longs) -> BlackBoxAnswers:
        """The answers for some rows."""
        return BlackBoxAnswers(self.values[rows], self.classes)

    def join(self, others: BlackBoxAnswers, box: BlackBox) -> BlackBoxAnswers:
        """These, then others of the same kind."""
        if self.values.shape[1:] != others.values.shape[1:]:
            raise ValueError(
                f"{box.name} answered with shapes {self.values.shape} and {others.values.shape}: it must give"
                " every row the same kind of answer"
            )
        return BlackBoxAnswers(np.concatenate([self.values, others.values]), self.classes)

    def labels(self) -> AnyArray:
        """The class of each row, or its number; of equal probabilities the first class."""
        if self.values.ndim == 1:
            return self.values
        assert self.classes is not None
        labels: AnyArray = self.classes[self.values.argmax(axis=1)]
        return labels


@dataclass(frozen=True)
class BlackBox:
    """What is asked: a function of a table, its name for people, and the classes of its probabilities."""

    call: Callable[[Any], Any]
    name: str
    classes: Any
    task: Task | None

    @classmethod
    def of(cls, predict: Any, task: Task | None) -> BlackBox:
        """The black box of a fitted estimator or a function."""
        if not hasattr(predict, "predict"):
            if not callable(predict):
                raise TypeError(
                    f"predict={predict!r} must be a fitted estimator, or a function from a table to answers"
                )
            owner = getattr(predict, "__self__", None)
            name = getattr(predict, "__name__", "<lambda>")
            return cls(
                predict, "a function" if name == "<lambda>" else name, getattr(owner, "classes_", None), task
            )
        name = f"a {type(predict).__name__}"
        task = task or _task_of_estimator(predict)
        if task != Task.REAL and hasattr(predict, "predict_proba"):
            classes = getattr(predict, "classes_", getattr(predict, "classes", None))
            return cls(predict.predict_proba, name, classes, Task.CLASSES)
        return cls(predict.predict, name, None, task)

    def ask(self, X: Any, n_rows: int) -> BlackBoxAnswers:
        """The answers for the rows of a table, checked."""
        given = self.call(X)
        names = self.classes if self.classes is not None else getattr(given, "columns", None)
        values = np.asarray(given)
        if values.ndim == 2 and values.shape[1] == 1 and self.task != Task.CLASSES:
            values = values[:, 0]
        if values.ndim not in (1, 2) or len(values) != n_rows:
            raise ValueError(
                f"{self.name} answered {n_rows} rows with an array of shape {values.shape}: it must give a"
                " label, a number or the probabilities of all classes for each row"
            )
        if values.ndim == 2:
            if self.task == Task.REAL:
                raise ValueError(
                    f"{self.name} answered with {values.shape[1]} columns, and task='real' needs one"
                )
            classes = np.arange(values.shape[1]) if names is None else np.asarray(names)
            return BlackBoxAnswers(self._probabilities(values, len(classes)), classes)
        task = self.task or _task_of(values)
        if task == Task.REAL:
            return BlackBoxAnswers(self._numbers(values), None)
        return BlackBoxAnswers(values, np.unique(values))

    def _numbers(self, values: AnyArray) -> Floats:
        try:
            numbers: Floats = values.astype(np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"{self.name} answered {values[0]!r}, and task='real' needs numbers") from None
        if not np.isfinite(numbers).all():
            raise ValueError(
                f"{self.name} answered with numbers that are not finite: they cannot be imitated"
            )
        return numbers

    def _probabilities(self, values: AnyArray, n_classes: int) -> Floats:
        if values.shape[1] != n_classes:
            raise ValueError(f"{self.name} gave {values.shape[1]} probabilities for {n_classes} classes")
        shares = values.astype(np.float64)
        sums = shares.sum(axis=1)
        if not (shares >= 0).all() or not np.allclose(sums, 1, rtol=0, atol=1e-3):
            raise ValueError(
                f"{self.name} answered with {values.shape[1]} columns that are no probabilities: they must be"
                " at least 0 and add up to 1 in each row"
            )
        normalised: Floats = shares / sums[:, None]
        return normalised


def _task_of_estimator(model: Any) -> Task | None:
    """What an estimator answers; None where it does not say."""
    if isinstance(model, Tree):
        return Task.CLASSES if model.task.is_classes else Task.REAL
    if not hasattr(model, "__sklearn_tags__"):
        return None
    return Task.CLASSES if is_classifier(model) else Task.REAL if is_regressor(model) else None


def _task_of(values: AnyArray) -> Task:
    """Whether answers look like classes or like numbers."""
    if values.dtype.kind not in "iuf":
        return Task.CLASSES
    different = np.unique(values)
    is_whole = bool((np.isfinite(different) & (different == np.floor(different))).all())
    return Task.CLASSES if is_whole and len(different) <= MOST_CLASSES else Task.REAL
