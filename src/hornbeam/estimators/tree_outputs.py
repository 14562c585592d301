"""TreeOutputs: one tree for several targets, of which some are classes and others numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from hornbeam._base.types import AnyArray, Floats, Task
from hornbeam.data.target_columns import mixed_columns, named_columns, with_targets
from hornbeam.estimators.base import Progress
from hornbeam.estimators.output_answers import OutputAnswers
from hornbeam.estimators.tree_estimators import SlotTree
from hornbeam.estimators.tree_rows import in_pieces
from hornbeam.tree import routing
from hornbeam.tree.outputs import side_by_side
from hornbeam.tree.routing import Routing
from hornbeam.tree.tree import Tree


@dataclass(eq=False, repr=False)
class TreeOutputs(OutputAnswers, SlotTree):
    """One tree with one set of tests for several targets, classes and numbers together.

    Targets of one kind are learned by `TreeClassifier` and `TreeRegressor` as well. Here the impurity of each
    target counts relative to its impurity among all rows, so that numbers of any unit and classes weigh
    alike.

    Parameters
    ----------
    criterion : "gini", "entropy", "root", "error"
        How impure classes are; numbers are judged by their variance.
    tasks : dict or None
        `{"rooms": "classes", "price": "numbers"}` says what a target is; of those not named numbers are
        numbers, and text, truth values and categories are classes.
    The other parameters
        As for `TreeClassifier`.

    Attributes
    ----------
    tree_ : Tree
        `tree_.output("price")` is the tree of one target.
    classes_, n_classes_ : of each target its sorted labels, and their number; None and 0 for numbers
    n_outputs_, n_features_in_, feature_names_in_, feature_importances_, pruning_, partial_

    Examples
    --------
    >>> rows = {"size": [1, 2, 3, 4], "price": [10.0, 12.0, 30.0, 32.0], "sold": ["yes", "yes", "no", "no"]}
    >>> model = TreeOutputs(max_depth=1).fit(rows, y=["price", "sold"])
    >>> model.predict({"size": [1, 4]}).tolist()
    [[11.0, 'yes'], [31.0, 'no']]
    >>> model.predict_proba({"size": [1]})[1]
    array([[0., 1.]])
    """

    task = Task.CLASSES
    mixes_tasks: ClassVar[bool] = True

    _: KW_ONLY
    tasks: Mapping[str, str] | None = None

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        counts: Any = None,
        progress: Progress | None = None,
    ) -> TreeOutputs:
        """Learn a tree.

        Parameters
        ----------
        X, sample_weight, counts, progress : as for `TreeClassifier.fit`
        y : several targets: a table, a dict of columns, an array, or the names of columns of X
        """
        X, y, sample_weight, counts = with_targets(X, y, sample_weight, counts)
        columns = named_columns(y)
        if columns is None:
            raise ValueError(
                "TreeOutputs learns several targets, but y has one: use TreeClassifier or TreeRegressor, or"
                " give a table or the names of several columns"
            )
        self._fit(X, partial(mixed_columns, columns, sample_weight, counts, self.tasks), progress)
        return self

    def set_output_labels(self, labels: Any) -> None:
        """Keep the sorted labels of each target; None for numbers."""
        self.classes_ = list(labels)

    @property
    def n_classes_(self) -> list[int]:
        """The number of classes of each target, 0 for numbers."""
        return [0 if labels is None else len(labels) for labels in self.classes_]

    @in_pieces
    def predict(self, X: Any) -> AnyArray:
        """What each target is: an array with a column for each, of objects if they are of several kinds."""

        def answer(tree: Tree, reached: Routing) -> AnyArray:
            if not tree.task.is_classes:
                return routing.values(tree, reached)
            return routing.label_array(tree).take(routing.labels(tree, reached))

        return side_by_side(self._of_outputs(X, answer))

    @in_pieces
    def predict_proba(self, X: Any) -> list[Floats | None]:
        """The probability of each class for each row, an array for every target; None for numbers."""

        def shares(tree: Tree, reached: Routing) -> Floats | None:
            return routing.probabilities(tree, reached) if tree.task.is_classes else None

        places = [None if places is None else places.argsort() for _, places in self._label_places()]
        return [
            None if own is None else own.take(order, axis=1)
            for own, order in zip(self._of_outputs(X, shares), places, strict=True)
        ]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The mean over the targets: of classes the share of rows predicted right, of numbers R²."""
        from sklearn.metrics import accuracy_score, r2_score

        _, y, sample_weight = with_targets(X, y, sample_weight)
        columns, said = named_columns(y) or [], self.predict(X)
        if len(columns) != self.n_outputs_:
            raise ValueError(f"y has {len(columns)} targets, but the model has {self.n_outputs_}")
        scores = []
        for k, (output, (_, truth)) in enumerate(zip(self.tree_.outputs, columns, strict=True)):
            if output.task.is_classes:
                right = [a == b for a, b in zip(np.asarray(truth).tolist(), said[:, k].tolist(), strict=True)]
                scores.append(accuracy_score(np.ones(len(right)), right, sample_weight=sample_weight))
            else:
                numbers = np.asarray(truth, dtype=np.float64), said[:, k].astype(np.float64)
                scores.append(r2_score(*numbers, sample_weight=sample_weight))
        return float(np.mean(scores))
