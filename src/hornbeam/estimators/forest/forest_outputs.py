"""Forests of several targets: every target is answered by the mean of what the trees say of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from sklearn.utils.validation import check_is_fitted

from hornbeam._base.types import AnyArray, Floats
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.estimators.forest.forest_answers import ForestRows, Trees, check_combine, out_of_bag
from hornbeam.estimators.output_answers import OutputAnswers
from hornbeam.tree.answer_rule import PLAIN, choose_class, heaviest_class
from hornbeam.tree.outputs import side_by_side
from hornbeam.tree.tree import Tree


def chosen_score(oob_score: Any, usual: float, y: Callable[[], AnyArray], answers: AnyArray) -> float:
    """The out-of-bag score: the usual one, or what the function that was given makes of the rows judged."""
    return float(oob_score(y(), answers)) if callable(oob_score) else usual


class ForestOutputs(OutputAnswers):
    """What a forest of several targets answers."""

    trees_: Trees

    @property
    def _first_tree(self) -> Tree | None:
        return self.trees_[0] if "trees_" in self.__dict__ else None

    @property
    def n_outputs_(self) -> int:
        """The number of targets."""
        check_is_fitted(cast(Any, self), "trees_")
        return len(self.trees_[0].outputs) or 1

    def _each_target(self, of: Callable[[Trees], Any]) -> list[Any]:
        trees = list(self.trees_)
        return [of(Trees({}, [tree.output(k) for tree in trees])) for k in range(self.n_outputs_)]

    def _means(self, X: Any, how: str) -> list[Floats]:
        model = cast(Any, self)
        return self._each_target(lambda trees: model._forest_rows(X, trees).mean(how))

    def output_labels(self, X: Any) -> AnyArray:
        """The class of each row by every target, side by side."""
        return self._labels_of(self._means(X, check_combine(cast(Any, self).combine)))

    def _labels_of(self, shares: list[Floats]) -> AnyArray:
        is_vote = cast(Any, self).combine == "vote"
        chosen = [heaviest_class(own) if is_vote else choose_class(PLAIN, own) for own in shares]
        pairs = zip(self._label_places(), chosen, strict=True)
        return side_by_side([labels.take(places).take(code) for (labels, places), code in pairs])

    def output_shares(self, X: Any) -> list[Floats]:
        """The probability of each class for each row, an array for every target."""
        return self._sorted_shares(self._means(X, check_combine(cast(Any, self).combine)))

    def _sorted_shares(self, shares: list[Floats]) -> list[Floats]:
        pairs = zip(shares, self._label_places(), strict=True)
        return [own.take(places.argsort(), axis=1) for own, (_, places) in pairs]

    def output_values(self, X: Any) -> Floats:
        """The mean of what the trees answer for each row by every target, side by side."""
        return np.concatenate(self._means(X, "value"), axis=1)

    def _out_of_bag_means(self, table: Table, how: str) -> list[Floats]:
        model = cast(Any, self)

        def means(trees: Trees) -> Floats:
            rows = ForestRows(trees, table, type(self).__name__, model.n_jobs)
            return out_of_bag(rows, how, lambda i: model.bootstrap_counts(i) == 0)

        return self._each_target(means)

    def judge_outputs(self, table: Table, target: Target) -> None:
        """Keep what the trees that did not see a row answer for it, and how good that is."""
        from hornbeam.estimators.forest.base import judged_rows

        model, is_real = cast(Any, self), target.task.is_real
        answers = self._out_of_bag_means(table, "value" if is_real else check_combine(model.combine))
        judged, weight = judged_rows(answers[0], target)
        if is_real:
            model.oob_prediction_ = np.concatenate(answers, axis=1)
            y = np.column_stack([np.asarray(one.values) for one in target.outputs])[judged]
            error = np.average((y - model.oob_prediction_[judged]) ** 2, axis=0, weights=weight)
            spread = np.average((y - np.average(y, axis=0, weights=weight)) ** 2, axis=0, weights=weight)
            scores = np.where(spread > 0, 1 - error / np.where(spread > 0, spread, 1), error == 0)
            model.oob_error_, usual = float(error.mean()), float(scores.mean())
            told = model.oob_prediction_[judged]
            model.oob_score_ = chosen_score(model.oob_score, usual, lambda: y, told)
            return
        shares = self._sorted_shares(answers)
        most = max(own.shape[1] for own in shares)
        padded = [np.pad(own, ((0, 0), (0, most - own.shape[1]))) for own in shares]
        model.oob_decision_function_ = np.stack(padded, axis=2)  # (rows, classes, targets), as scikit-learn's
        codes = [choose_class(PLAIN, own[judged]) for own in answers]
        right = [
            code == np.asarray(one.codes)[judged] for code, one in zip(codes, target.outputs, strict=True)
        ]
        usual = float(np.average(np.all(right, axis=0), weights=weight))
        model.oob_error_ = 1.0 - usual
        labels = [own.take(places) for own, places in self._label_places()]

        def truth() -> AnyArray:
            codes = (np.asarray(one.codes)[judged] for one in target.outputs)
            return side_by_side([own.take(code) for own, code in zip(labels, codes, strict=True)])

        told = side_by_side([own.take(code) for own, code in zip(labels, codes, strict=True)])
        model.oob_score_ = chosen_score(model.oob_score, usual, truth, told)
