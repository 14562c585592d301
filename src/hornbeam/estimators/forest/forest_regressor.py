"""ForestRegressor: a random forest of regression trees.

One idea: the forest answers the mean of what its trees answer; everything else is `ForestModel`.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin

from hornbeam._base.types import Floats, Longs, Task
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.estimators.base import Progress
from hornbeam.estimators.forest.base import ForestModel
from hornbeam.estimators.tree_estimators import TreeRegressor


@dataclass(eq=False, repr=False)
class ForestRegressor(RegressorMixin, ForestModel):
    """A random forest of regression trees: the mean of what they answer (Breiman 2001).

    Parameters
    ----------
    max_features : int, float, "sqrt", "log2" or None
        How many columns, drawn anew at each node, are searched; a third of them if nothing is said.
    criterion, min_variation, min_sd_share, monotonic_cst
        As for `TreeRegressor`, for every tree.
    The other parameters
        As for `ForestClassifier`.

    Attributes
    ----------
    trees_ : the trees, a sequence of `Tree`
    estimators_ : the trees as fitted `TreeRegressor`
    oob_score_, oob_error_ : R² and mean squared error of what the trees that did not see a row answer for it
    oob_prediction_ : their mean; NaN for a row that every tree has seen
    partial_ : whether growth was stopped before all trees were finished
    n_features_in_, feature_names_in_, feature_importances_

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> forest = ForestRegressor(n_estimators=30, oob_score=True, random_state=0).fit(X, y)
    >>> 0.3 < forest.oob_score_ < 0.5
    True
    """

    task = Task.REAL
    _tree_class = TreeRegressor

    _: KW_ONLY
    criterion: Any = "variance"
    max_features: Any = 1 / 3
    min_variation: float = 0.0
    min_sd_share: float = 0.0

    @classmethod
    def from_trees(cls, trees: Any, *, n_jobs: int | None = None) -> Self:
        """A forest put together from trees: `Tree` objects or fitted estimators of one tree.

        >>> from hornbeam import Tree
        >>> trees = [Tree.from_nested({"value": v}) for v in (1.0, 2.0)]
        >>> ForestRegressor.from_trees(trees).predict({"x": [1]})
        array([1.5])
        """
        return cls._from_trees(trees, n_jobs=n_jobs)

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        counts: Any = None,
        progress: Progress | None = None,
    ) -> Self:
        """Learn a forest; the parameters are those of `ForestClassifier.fit`, y is a number for each row."""

        def target_of(n_rows: int) -> Target:
            return Target.real_of(y, sample_weight, counts, n_rows=n_rows, estimator=type(self).__name__)

        def fit_one(tree: Any, drawn: Longs | None, factors: None, progress: Progress | None) -> Any:
            assert factors is None
            own = (sample_weight, counts) if drawn is None else (None, drawn)
            return tree.fit(X, y, own[0], counts=own[1], progress=progress)

        self._fit(X, target_of, lambda _: None, fit_one, progress)
        return self

    def _judge(self, table: Table, target: Target) -> None:
        answers, judged, weight = self._out_of_bag(table, target, "value")
        self.oob_prediction_ = answers[:, 0]
        y, answer = np.asarray(target.values)[judged], self.oob_prediction_[judged]
        self.oob_error_ = float(np.average((y - answer) ** 2, weights=weight))
        spread = float(np.average((y - np.average(y, weights=weight)) ** 2, weights=weight))
        self.oob_score_ = 1.0 - self.oob_error_ / spread if spread > 0 else float(self.oob_error_ == 0)

    def predict(self, X: Any) -> Floats:
        """The mean of what the trees answer for each row."""
        means: Floats = self._forest_rows(X).mean("value")[:, 0]
        return means
