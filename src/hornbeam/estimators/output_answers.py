"""Estimators of several targets: y as named columns, answers and scores in scikit-learn's shapes.

A row takes one path, and every target answers at its end: an array with a column for each target, or for
probabilities a list with an array for each.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from hornbeam._base.types import AnyArray, Floats
from hornbeam.data.target_columns import named_columns, with_targets
from hornbeam.data.weights_and_costs import sample_weights
from hornbeam.estimators.base import label_places
from hornbeam.tree import apply, routing
from hornbeam.tree.outputs import side_by_side
from hornbeam.tree.routing import Routing
from hornbeam.tree.tree import Tree


class OutputAnswers:
    """What an estimator of several targets answers, and how well."""

    tree_: Tree

    @property
    def _first_tree(self) -> Tree | None:
        return self.__dict__.get("tree_")

    @property
    def _has_outputs(self) -> bool:
        first = self._first_tree
        return first is not None and bool(first.outputs)

    def _reached(self, X: Any) -> Routing:
        leaves, columns = cast(Any, self)._leaves(X)
        return apply.complete_routing(self.tree_, leaves, columns)

    def _of_outputs(self, X: Any, answer: Callable[[Tree, Routing], Any]) -> list[Any]:
        reached = self._reached(X)
        return [answer(self.tree_.output(k), reached) for k in range(len(self.tree_.outputs))]

    def output_labels(self, X: Any) -> AnyArray:
        """The class of each row by every target, side by side."""
        codes = self._of_outputs(X, routing.labels)
        columns = [
            labels.take(places).take(code)
            for (labels, places), code in zip(self._label_places(), codes, strict=True)
        ]
        return side_by_side(columns)

    def output_shares(self, X: Any) -> list[Floats]:
        """The probability of each class for each row, an array for every target."""
        shares = self._of_outputs(X, routing.probabilities)
        return [
            own.take(places.argsort(), axis=1)
            for own, (_, places) in zip(shares, self._label_places(), strict=True)
        ]

    def _label_places(self) -> list[tuple[AnyArray, Any]]:
        labels = cast(Any, self).classes_
        return [
            (own, None if own is None else label_places(own, output.classes or ()))
            for own, output in zip(labels, cast(Tree, self._first_tree).outputs, strict=True)
        ]

    def output_values(self, X: Any) -> Floats:
        """The mean of each row's leaf by every target, side by side."""
        return np.column_stack(self._of_outputs(X, routing.values))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of rows predicted right in all targets; of numbers the mean of the targets' R²."""
        _, y, sample_weight = with_targets(X, y, sample_weight)
        columns = named_columns(y)
        if columns is None or not self._has_outputs:
            return cast(float, super().score(X, y, sample_weight))  # type: ignore[misc]
        truth = side_by_side([np.asarray(column) for _, column in columns])
        if cast(Any, self).task.is_real:
            from sklearn.metrics import r2_score

            return float(
                r2_score(truth.astype(np.float64), cast(Any, self).predict(X), sample_weight=sample_weight)
            )
        right = (truth == cast(Any, self).predict(X)).all(axis=1)
        weight = None if sample_weight is None else sample_weights(sample_weight, len(right))
        return float(np.average(right, weights=weight))
