"""Rows through the tree of a fitted estimator: their leaves and paths, and the quantiles of the leaves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, TypeVar

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from hornbeam._base.types import AnyArray, Floats, Ints
from hornbeam.data.column_choice import without_excluded
from hornbeam.data.streams import BATCH_ROWS, is_streamed, open_stream
from hornbeam.data.table import Table
from hornbeam.estimators.lazy_answers import is_lazy, lazy_answer
from hornbeam.growing.part import check_level
from hornbeam.growing.plan import features_wanted
from hornbeam.tree import apply as tree_apply
from hornbeam.tree.answers import quantile_levels, quantiles_at
from hornbeam.tree.routing import Routing
from hornbeam.tree.tree import Tree

Columns = tuple[AnyArray, ...]


def refuse_no_rows(n_rows: int, n_columns: int) -> None:
    """Raise, in scikit-learn's words, if there is no row to predict."""
    if n_rows == 0:
        shape = (0, n_columns)
        raise ValueError(f"Found array with 0 sample(s) (shape={shape}) while a minimum of 1 is required.")


Answer = TypeVar("Answer", bound=Any)


def in_pieces(answer: Callable[[Any, Any], Answer]) -> Callable[[Any, Any], Answer]:
    """A method of rows that also takes data that is read piece by piece, and joins what it says of each.

    Of rows that are not computed yet it makes answers that are not either.
    """

    @wraps(answer)
    def of_rows(self: Any, X: Any) -> Answer:
        if type(X) is np.ndarray or not (is_lazy(X) or is_streamed(X)):
            return answer(self, X)
        trees = getattr(self, "trees_", None)
        check_is_fitted(self, "tree_" if trees is None else "trees_")
        if is_lazy(X):
            return lazy_answer(self, answer.__name__, X)  # type: ignore[no-any-return]
        columns = (self.tree_ if trees is None else trees[0]).columns
        pieces = open_stream(X, columns).pieces(BATCH_ROWS)
        answers = [answer(self, piece) for piece in pieces]
        refuse_no_rows(len(answers), len(columns))
        if isinstance(answers[0], list):  # of several targets
            each = zip(*answers, strict=True)
            return [None if parts[0] is None else np.concatenate(parts) for parts in each]  # type: ignore[return-value]
        return np.concatenate(answers)  # type: ignore[return-value]

    return of_rows


class TreeRows:
    """What an estimator with a tree says about rows."""

    tree_: Tree
    exclude: Any
    n_jobs: int | None

    def _leaves(self, X: Any) -> tuple[Ints, Columns | None]:
        """The leaf of each row; and, if some rows follow all paths (their leaf is -1) or leaves answer with
        equations, the rows' columns.

        A prediction for one row of a numpy array spends its time here, hence the plain steps.
        """
        if "tree_" not in self.__dict__:
            check_is_fitted(self, "tree_")
        tree = self.tree_
        if self.exclude is not None:
            X = without_excluded(X, self.exclude, len(tree.columns))
        leaves = tree_apply.dense_leaves(tree, X, self.n_jobs) if type(X) is np.ndarray else None
        if leaves is not None and len(leaves):
            return leaves, tuple(X.T) if tree.has_models or leaves.min() < 0 else None
        table = Table.match(X, tree.columns, type(self).__name__)
        refuse_no_rows(table.n_rows, len(table.columns))
        leaves = tree_apply.leaves(tree, table, self.n_jobs)
        return leaves, table.arrays if tree.has_models or leaves.min() < 0 else None

    def _route(self, X: Any) -> Routing:
        leaves, columns = self._leaves(X)
        return tree_apply.complete_routing(self.tree_, leaves, columns if leaves.min() < 0 else None)

    @in_pieces
    def apply(self, X: Any) -> Ints:
        """The leaf of each row: its node number; of several leaves the heaviest, of equally heavy the first.

        >>> from hornbeam import TreeClassifier
        >>> TreeClassifier().fit([[1], [2]], ["a", "b"]).apply([[2], [1], [None]])
        array([2, 1, 1], dtype=int32)
        """
        leaves, columns = self._leaves(X)
        return (
            leaves
            if leaves.min() >= 0
            else tree_apply.complete_routing(self.tree_, leaves, columns).heaviest()
        )

    def apply_weights(self, X: Any) -> sparse.csr_array:
        """The weight of every node as a leaf of each row: 1 at one leaf, or the shares of all leaves reached.

        >>> from hornbeam import TreeClassifier
        >>> TreeClassifier().fit([[1], [2]], ["a", "b"]).apply_weights([[2], [None]]).toarray()
        array([[0. , 0. , 1. ],
               [0. , 0.5, 0.5]])
        """
        reached = self._route(X)
        shape = (reached.n_rows, len(self.tree_))
        return sparse.csr_array((reached.weight, reached.leaf, reached.start), shape=shape)

    def decision_path(self, X: Any) -> sparse.csr_matrix:
        """Which nodes each row passes, from the root to all leaves it reaches, as a sparse indicator matrix.

        >>> from hornbeam import TreeClassifier
        >>> TreeClassifier().fit([[1], [2]], ["a", "b"]).decision_path([[2], [None]]).toarray()
        array([[1, 0, 1],
               [1, 1, 1]])
        """
        reached = self._route(X)
        shape = (reached.n_rows, len(self.tree_))
        leaves = sparse.csr_array((np.ones(len(reached.leaf)), reached.leaf, reached.start), shape=shape)
        passed = sparse.csr_matrix(leaves @ tree_apply.ancestors(self.tree_))
        passed.data = np.ones(len(passed.data), dtype=np.int64)
        passed.sort_indices()
        return passed

    # ---- the tree in scikit-learn's words ------------------------------------------------------------------

    def get_depth(self) -> int:
        """The depth of the tree: the most tests from the root to a leaf."""
        check_is_fitted(self, "tree_")
        return self.tree_.depth

    def get_n_leaves(self) -> int:
        """The number of leaves of the tree."""
        check_is_fitted(self, "tree_")
        return self.tree_.n_leaves

    @property
    def n_outputs_(self) -> int:
        """The number of targets."""
        check_is_fitted(self, "tree_")
        return len(self.tree_.outputs) or 1

    @property
    def max_features_(self) -> int:
        """How many columns each node searches, as `max_features` says."""
        check_is_fitted(self, "tree_")
        n_columns = len(self.tree_.columns)
        return features_wanted(getattr(self, "max_features", None), n_columns) or n_columns

    @property
    def feature_importances_(self) -> Floats:
        """Each column's share of the impurity decrease of all splits."""
        check_is_fitted(self, "tree_")
        return self.tree_.feature_importances()


class QuantileAnswers(TreeRows):
    """What a regressor answers beside one number: quantiles and intervals.

    A row that reaches several leaves is answered with the mean of their quantiles, weighted as its other
    answers are; so a higher level is never below a lower one.
    """

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
        chosen = quantile_levels(self.tree_) if levels is None else tuple(levels)
        for level in chosen:
            check_level("levels", level)
        return self._leaf_quantiles(X, chosen or (0.5,))

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
        return self._leaf_quantiles(X, ((1 - coverage) / 2, (1 + coverage) / 2))

    def _leaf_quantiles(self, X: Any, levels: Sequence[float]) -> Floats:
        table = quantiles_at(self.tree_, levels)
        leaves, columns = self._leaves(X)
        if columns is None:
            return table.take(leaves, axis=0)
        reached = tree_apply.complete_routing(self.tree_, leaves, columns)
        weight = sparse.csr_array(
            (reached.weight, reached.leaf, reached.start), shape=(reached.n_rows, len(self.tree_))
        )
        return np.asarray(weight @ table, dtype=np.float64)
