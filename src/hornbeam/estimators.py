"""The estimators: TreeClassifier and TreeRegressor.

One idea: `fit` is four lines of prose: make Table and Target; make the Plan; grow; keep the Tree. Everything a slot can hold
is resolved by its own table, everything a prediction needs is in `tree_`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from hornbeam import applying, routing
from hornbeam.arrays import AnyArray, Floats, Ints
from hornbeam.criteria import resolve_criterion
from hornbeam.growing import Constraints, Plan, grow, monotone_constraints
from hornbeam.leaves import LEAVES, LeafModel
from hornbeam.limits import check_n_jobs, features_wanted, limits_of, seed_of
from hornbeam.missing import MISSING, MissingRule
from hornbeam.parts import resolve
from hornbeam.routing import Routing
from hornbeam.selections import SELECTIONS, Selection
from hornbeam.splitting import SPLITTING, Splitting
from hornbeam.table import Table
from hornbeam.target import Target
from hornbeam.tree import Tree

Progress = Callable[[float], object]

_SKLEARN_ONLY: Mapping[str, str] = {
    "ccp_alpha": "prune with the slot `pruning` instead",
    "splitter": "the split is always the best one; for random columns use `max_features`",
}


class _TreeEstimator(BaseEstimator):
    """What classification and regression share."""

    tree_: Tree
    _task: str

    # ---- learning ----------------------------------------------------------------------------------------------

    def _fit(self, X: Any, target_of: Callable[[int], Target], progress: Progress | None) -> Target:
        table = Table.learn(X, self.categorical_features)
        target = target_of(table.n_rows)
        self.tree_ = grow(self._plan(table, target), table, target, progress)
        self.n_features_in_ = len(table.columns)
        self._set_names(X, table)
        return target

    def _set_names(self, X: Any, table: Table) -> None:
        self.__dict__.pop("feature_names_in_", None)
        if not isinstance(X, np.ndarray) and _has_names(X):
            self.feature_names_in_ = np.array([column.name for column in table.columns], dtype=object)

    def _plan(self, table: Table, target: Target) -> Plan:
        resolve("selection", self.selection, SELECTIONS, Selection)
        resolve("leaf", self.leaf, LEAVES, LeafModel)
        if self.pruning is not None:
            raise ValueError(f"pruning={self.pruning!r} is not known: use None")
        check_n_jobs(self.n_jobs)
        return Plan(
            criterion=resolve_criterion(self.criterion, self._task),
            split=resolve("split", self.split, SPLITTING, Splitting),
            missing=resolve("missing", self.missing, MISSING, MissingRule),
            limits=limits_of(self, table.n_rows),
            max_features=features_wanted(self.max_features, len(table.columns)),
            constraints=self._constraints(table, target),
            seed=seed_of(self.random_state),
            n_jobs=self.n_jobs,
        )

    def _constraints(self, table: Table, target: Target) -> Constraints:
        classes = target.classes if target.kind == "classes" else None
        return monotone_constraints(self.monotonic_cst, table.columns, classes)

    def set_params(self, **params: Any) -> Any:
        """Set parameters; a nested one needs a part in its slot."""
        for name in params:
            slot, _, inner = name.partition("__")
            if inner and isinstance(params.get(slot, getattr(self, slot, None)), (str, type(None))):
                raise ValueError(
                    f"{name} sets {inner!r} of the part in the slot {slot!r}, but the slot holds"
                    f" {params.get(slot, getattr(self, slot, None))!r}: put the part in first"
                )
            if slot in _SKLEARN_ONLY:
                raise ValueError(f"{type(self).__name__} has no parameter {slot!r}: {_SKLEARN_ONLY[slot]}")
        return super().set_params(**params)

    # ---- using the tree ----------------------------------------------------------------------------------------

    def _leaves(self, X: Any) -> tuple[Ints, tuple[AnyArray, ...] | None]:
        """The leaf of each row (-1: all paths), and the arrays of the rows' columns if they were needed."""
        check_is_fitted(self, "tree_")
        if type(X) is np.ndarray:
            leaves = applying.dense_leaves(self.tree_, X, self.n_jobs)
            if leaves is not None and len(leaves):
                arrays = tuple(X[:, j] for j in range(X.shape[1])) if (leaves < 0).any() else None
                return leaves, arrays
        table = Table.match(X, self.tree_.columns, type(self).__name__)
        if table.n_rows == 0:
            raise ValueError(
                f"Found array with 0 sample(s) (shape=(0, {len(table.columns)})) while a minimum of 1 is required."
            )
        found = applying.leaves(self.tree_, table, self.n_jobs)
        return found, table.arrays

    def _route(self, X: Any) -> Routing:
        leaves, arrays = self._leaves(X)
        return applying.complete(self.tree_, leaves, arrays or ())

    def apply(self, X: Any) -> Ints:
        """The leaf of each row: its node number; of several leaves the heaviest, of equally heavy ones the first."""
        return self._route(X).heaviest()

    def apply_weights(self, X: Any) -> sparse.csr_array:
        """The weight of every node as a leaf of each row: 1 at one leaf, or the shares of all leaves reached."""
        found = self._route(X)
        shape = (found.n_rows, len(self.tree_))
        return sparse.csr_array((found.weight, found.leaf, found.start), shape=shape)

    def decision_path(self, X: Any) -> sparse.csr_matrix:
        """Which nodes each row passes, from the root to all leaves it reaches, as a sparse indicator matrix."""
        found = self._route(X)
        n_nodes = len(self.tree_)
        reached = sparse.csr_array(
            (np.ones(len(found.leaf)), found.leaf, found.start), shape=(found.n_rows, n_nodes)
        )
        above = applying.ancestors(self.tree_)
        passed = sparse.csr_matrix(reached @ above)
        passed.data = np.ones(len(passed.data), dtype=np.int64)
        passed.sort_indices()
        return passed

    @property
    def feature_importances_(self) -> Floats:
        """Each column's share of the impurity decrease of all splits."""
        check_is_fitted(self, "tree_")
        return self.tree_.feature_importances()

    def __sklearn_tags__(self) -> Any:
        """What the estimator takes: missing values and categories, no sparse tables."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.sparse = False
        return tags


class TreeClassifier(ClassifierMixin, _TreeEstimator):
    """A classification tree: exact, greedy, grown from any table.

    Parameters
    ----------
    criterion : "gini", "entropy", "gain-ratio", "root", "error", or a part of `hornbeam.criteria`
        How splits are judged. scikit-learn's "log_loss" is entropy.
    selection : "best"
        How the winning split is picked among the candidates.
    split : "binary", "multiway", "one-vs-rest", or a part of `hornbeam.splitting`
        How nominal columns are split; numeric and ordinal ones are cut at a threshold.
    missing : "learn", "branch", "all-paths", or a part of `hornbeam.missing`
        What training and prediction do with missing values.
    leaf : "constant"
        What a leaf answers with.
    pruning : None
        How the tree is pruned after growing.
    max_depth : int or None
        A node of this depth is a leaf.
    max_leaf_nodes, max_nodes : int or None
        Grow best first, up to this many leaves, or nodes.
    min_samples_split : int or float
        A node of fewer rows is a leaf; a float is a share of the rows.
    min_samples_leaf : int or float
        Every branch that is not empty holds at least this many rows.
    min_impurity_decrease : float
        A split must decrease the impurity, weighted by its share of all rows, by at least this much.
    min_gain : float or None
        A split must score more than this; None allows splits that gain nothing, 0.0 forbids them.
    max_features : int, float, "sqrt", "log2" or None
        How many columns, drawn anew at each node, are searched.
    min_weight_fraction_leaf : float
        Every branch that is not empty holds at least this share of the total weight.
    categorical_features : "from_dtype", or the nominal columns: names, positions, a mask
    monotonic_cst : dict or None
        `{column: +1}` orders P(class >= k) for every k in class order, `{column: {class: +1}}` one class.
    class_weight : dict, "balanced" or None
    n_jobs : int or None
        Threads; None is all cores. The tree is the same for any number.
    random_state : int, RandomState or None
        Only matters with `max_features`.

    Attributes
    ----------
    tree_ : Tree
    classes_ : the class labels, sorted
    n_features_in_, feature_names_in_, feature_importances_

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = TreeClassifier(max_depth=2).fit(X, y)
    >>> model.tree_.statistics()
    {'depth': 2, 'leaves': 3, 'tests': 2, 'nodes': 5}
    >>> model.predict(X[:2])
    array([0, 0])
    """

    _task = "classes"

    def __init__(
        self,
        criterion: Any = "gini",
        selection: Any = "best",
        split: Any = "binary",
        missing: Any = "learn",
        leaf: Any = "constant",
        pruning: Any = None,
        *,
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_impurity_decrease: float = 0.0,
        min_gain: float | None = None,
        max_nodes: int | None = None,
        max_features: Any = None,
        min_weight_fraction_leaf: float = 0.0,
        categorical_features: Any = "from_dtype",
        monotonic_cst: Any = None,
        class_weight: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.criterion = criterion
        self.selection = selection
        self.split = split
        self.missing = missing
        self.leaf = leaf
        self.pruning = pruning
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.min_gain = min_gain
        self.max_nodes = max_nodes
        self.max_features = max_features
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, counts: Any = None, progress: Progress | None = None
    ) -> TreeClassifier:
        """Learn a tree.

        Parameters
        ----------
        X : a pandas, polars or pyarrow table, a numpy array, a dict of columns or a list of dicts
        y : the class of each row
        sample_weight : weight of each row: scales its share, never its number
        counts : repetitions of each row: a row with count w is w rows
        progress : called now and then with the share of rows that have come to rest; return True to stop
        """

        def target_of(n_rows: int) -> Target:
            return Target.classes_of(
                y, sample_weight, counts, self.class_weight, n_rows=n_rows, estimator=type(self).__name__
            )

        target = self._fit(X, target_of, progress)
        assert target.labels is not None
        self.classes_ = target.labels
        plain = target.labels.tolist()
        self._place = np.array([plain.index(label) for label in target.classes], dtype=np.int64)
        return self

    def predict(self, X: Any) -> AnyArray:
        """The class of each row: its leaf's label."""
        leaves, arrays = self._leaves(X)
        if arrays is None or not (leaves < 0).any():
            found = self.tree_.label.take(leaves)
        else:
            found = routing.labels(self.tree_, applying.complete(self.tree_, leaves, arrays))
        return self.classes_.take(self._place.take(found))

    def predict_proba(self, X: Any) -> Floats:
        """The probability of each class for each row, in the order of `classes_`."""
        shares = routing.probabilities(self.tree_, self._route(X))
        out = np.empty_like(shares)
        out[:, self._place] = shares
        return out

    def predict_log_proba(self, X: Any) -> Floats:
        """The logarithm of the probability of each class."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def __sklearn_tags__(self) -> Any:
        """Any number of classes."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = True
        return tags


class TreeRegressor(RegressorMixin, _TreeEstimator):
    """A regression tree: exact, greedy, grown from any table.

    Parameters
    ----------
    criterion : "variance", "sd", or a part of `hornbeam.criteria`
        Variance is CART's, "sd" the standard deviation reduction of M5. scikit-learn's "squared_error" is variance.
    min_variation : float
        A node whose standard deviation is below this share of its mean (its coefficient of variation) is a leaf.
    min_sd_share : float
        A node whose standard deviation is below this share of the root's is a leaf (M5).
    monotonic_cst : dict, list or None
        `{column: +1}`: the prediction never falls when the column rises; -1: never rises.
    selection, split, missing, leaf, pruning, max_depth, max_leaf_nodes, min_samples_split, min_samples_leaf, \
min_impurity_decrease, min_gain, max_nodes, max_features, min_weight_fraction_leaf, categorical_features, n_jobs, random_state
        As for `TreeClassifier`.

    Attributes
    ----------
    tree_ : Tree
    n_features_in_, feature_names_in_, feature_importances_

    Examples
    --------
    >>> model = TreeRegressor(max_depth=1).fit([[1.0], [2.0], [3.0], [4.0]], [10.0, 12.0, 30.0, 32.0])
    >>> model.tree_.text()
    'x0[<=2.5: 11.0000(n=2) | >2.5: 31.0000(n=2)]'
    >>> model.predict([[3.5]])
    array([31.])
    """

    _task = "real"

    def __init__(
        self,
        criterion: Any = "variance",
        selection: Any = "best",
        split: Any = "binary",
        missing: Any = "learn",
        leaf: Any = "constant",
        pruning: Any = None,
        *,
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_impurity_decrease: float = 0.0,
        min_gain: float | None = None,
        min_variation: float = 0.0,
        min_sd_share: float = 0.0,
        max_nodes: int | None = None,
        max_features: Any = None,
        min_weight_fraction_leaf: float = 0.0,
        categorical_features: Any = "from_dtype",
        monotonic_cst: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.criterion = criterion
        self.selection = selection
        self.split = split
        self.missing = missing
        self.leaf = leaf
        self.pruning = pruning
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.min_gain = min_gain
        self.min_variation = min_variation
        self.min_sd_share = min_sd_share
        self.max_nodes = max_nodes
        self.max_features = max_features
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, counts: Any = None, progress: Progress | None = None
    ) -> TreeRegressor:
        """Learn a tree; the parameters are those of `TreeClassifier.fit`, y is a number for each row."""

        def target_of(n_rows: int) -> Target:
            return Target.real_of(y, sample_weight, counts, n_rows=n_rows, estimator=type(self).__name__)

        self._fit(X, target_of, progress)
        return self

    def predict(self, X: Any) -> Floats:
        """The mean of each row's leaf."""
        return routing.values(self.tree_, self._route(X))


def _has_names(X: Any) -> bool:
    """Whether X names its columns by text, as scikit-learn's `feature_names_in_` wants it."""
    names = X.keys() if isinstance(X, Mapping) else getattr(X, "columns", getattr(X, "column_names", None))
    if names is None and isinstance(X, (list, tuple)) and X and isinstance(X[0], Mapping):
        names = X[0].keys()
    return names is not None and all(isinstance(name, str) for name in names)
