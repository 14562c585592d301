"""Ranging: rows to the quantiles and intervals of their leaves.

One idea: a row that reaches several leaves is answered with the mean of their quantiles, weighted as its
other answers are; so a higher level is never below a lower one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from hornbeam._base.types import Floats
from hornbeam.estimators.base import TreeModel
from hornbeam.growing.part import check_level
from hornbeam.tree import apply, node_quantiles


class QuantileAnswers(TreeModel):
    """What a regressor answers beside one number: quantiles and intervals."""

    def predict_quantiles(self, X: Any, levels: float | Sequence[float] | None = None) -> Floats:
        """The quantiles of each row's leaf.

        Parameters
        ----------
        X : rows, as for `predict`
        levels : float, sequence of float or None
            Which of the levels kept (`leaf=Quantiles(levels=...)`; the criteria "absolute" and "quantile"
            keep their own); None: all of them, ascending.

        Returns
        -------
        array
            One row for each row of X, one column for each level; without columns if `levels` is a number.

        Examples
        --------
        >>> import hornbeam as hb
        >>> model = hb.TreeRegressor("absolute", leaf=hb.parts.Quantiles([0.1, 0.9]), max_depth=1)
        >>> model.fit([[1], [1], [1], [2]], [1, 2, 6, 9]).predict_quantiles([[1], [2]])
        array([[1., 2., 6.],
               [9., 9., 9.]])
        >>> model.predict_quantiles([[1], [2]], 0.9)
        array([6., 9.])
        """
        check_is_fitted(self, "tree_")
        if isinstance(levels, (int, float)):
            return self.predict_quantiles(X, [levels])[:, 0]
        wanted = node_quantiles.levels_of(self.tree_) if levels is None else tuple(levels)
        for level in wanted:
            check_level("levels", level)
        return self._ranged(X, wanted or (0.5,))

    def predict_interval(self, X: Any, coverage: float = 0.9) -> Floats:
        """The interval of each row's leaf that holds the middle `coverage` of its training rows.

        From the quantile of level (1 - coverage) / 2 to that of level (1 + coverage) / 2, which the leaves
        must keep: fit with `leaf=Quantiles(levels=(0.05, 0.95))` for a coverage of 0.9. A leaf of few rows
        knows little about its tails: ask for `min_samples_leaf` of at least 2 / (1 - coverage).

        Examples
        --------
        >>> import hornbeam as hb
        >>> model = hb.TreeRegressor(leaf=hb.parts.Quantiles((0.05, 0.95)), max_depth=0)
        >>> model.fit([[0]] * 100, range(100)).predict_interval([[0]])
        array([[ 4.5, 94.5]])
        """
        check_is_fitted(self, "tree_")
        check_level("coverage", coverage)
        return self._ranged(X, ((1 - coverage) / 2, (1 + coverage) / 2))

    def _ranged(self, X: Any, levels: Sequence[float]) -> Floats:
        table = node_quantiles.quantiles_at(self.tree_, levels)
        leaves, columns = self._leaves(X)
        if columns is None:
            return table.take(leaves, axis=0)
        found = apply.complete_routing(self.tree_, leaves, columns)
        weight = sparse.csr_array(
            (found.weight, found.leaf, found.start), shape=(found.n_rows, len(self.tree_))
        )
        return np.asarray(weight @ table, dtype=np.float64)
