"""The estimators: TreeClassifier and TreeRegressor.

An estimator lists its parameters and says what a leaf answers; everything between is `TreeModel`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any

from sklearn.base import ClassifierMixin, RegressorMixin, clone
from sklearn.utils import Bunch

from hornbeam._base.types import AnyArray, Floats, Task
from hornbeam.data.encoding import LARGEST
from hornbeam.data.target import Target, is_one_column
from hornbeam.data.target_columns import reader_of_classes, reader_of_reals, with_targets
from hornbeam.estimators.base import ClassLabels, Progress, TreeModel, is_far
from hornbeam.estimators.beyond_memory import far_request
from hornbeam.estimators.estimator_parameters import GrowthParameters
from hornbeam.estimators.output_answers import OutputAnswers
from hornbeam.estimators.tree_rows import QuantileAnswers, in_pieces
from hornbeam.growing.criteria import Poisson
from hornbeam.growing.part import resolve
from hornbeam.growing.searches import SEARCH, TreeSearch
from hornbeam.growing.selections import SELECTIONS, Selection
from hornbeam.growing.splits import SPLITTING, Splitting
from hornbeam.pruning.nested_subtrees import path_of
from hornbeam.tree import apply, routing
from hornbeam.tree.certificate import Certificate


@dataclass(eq=False, repr=False)
class SlotTree(TreeModel, GrowthParameters):
    """The slots that both trees have, in the order of their arguments."""

    criterion: Any = "gini"
    selection: Any = "best"
    split: Any = "binary"
    missing: Any = "learn"
    leaf: Any = "constant"
    pruning: Any = None
    search: Any = "greedy"
    _: KW_ONLY
    ccp_alpha: float = 0.0

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """scikit-learn's pruning path: `ccp_alphas` and `impurities` of the subtrees, the largest first.

        The unpruned tree of these rows is grown for it; the estimator stays as it is. `hb.pruning_path` has
        errors, too, of cross-validation and of other rows.

        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> TreeClassifier(max_depth=2).cost_complexity_pruning_path(X, y).ccp_alphas.round(4)
        array([0.    , 0.2598, 0.3333])
        """
        whole = clone(self).set_params(ccp_alpha=0.0, pruning=None).fit(X, y, sample_weight)
        path = path_of(whole.tree_, "impurity")
        return Bunch(ccp_alphas=path.alpha, impurities=path.risk)

    @property
    def certificate_(self) -> Certificate:
        """What an optimal search has proven about the tree."""
        proven = Certificate.of(self.tree_.meta) if hasattr(self, "tree_") else None
        if proven is None:
            raise AttributeError(
                "certificate_ is there after a fit with search='optimal', while the tree is not pruned"
            )
        return proven


@dataclass(eq=False, repr=False)
class TreeClassifier(OutputAnswers, ClassifierMixin, ClassLabels, SlotTree):
    """A classification tree: exact, greedy, grown from any table.

    Parameters
    ----------
    criterion : "gini", "entropy", "gain-ratio", "root", "error", or a part of `hornbeam.parts`
        How splits are judged. scikit-learn's "log_loss" is entropy.
    selection : "best", "average-gain", "price-aware", "chi-square", "conditional", or a part of
        `hornbeam.parts`: how the winning split is picked among the candidates.
    split : "binary", "multiway", "one-vs-rest", "random", "column-sets", "oblique", or a part of
        `hornbeam.parts`: how nominal columns are split; numeric and ordinal ones are cut at a threshold.
        With "random" the one test of a column at a node is drawn.
    missing : "learn", "branch", "all-paths", "fractional", "majority", "surrogates", or a part of
        `hornbeam.parts`: what training and prediction do with missing values.
    leaf : "constant", or a part of `hornbeam.parts`
        What a leaf answers with: `Constant(smoothing="laplace")`, for example, or `Constant(label="median")`.
    pruning : None, "reduced-error", "penalised", "chi-square", ..., or a part of `hornbeam.parts`
        How the tree is pruned after growing; `pruning_` is the record. None keeps it as it is.
    ccp_alpha : float
        scikit-learn's word for `pruning=CostComplexity("impurity", alpha=ccp_alpha)`; 0 prunes nothing.
    search : "greedy", "lookahead", "optimal", or a part of `hornbeam.parts`
        How the tests of the whole tree are looked for: node by node, judged by the best tests below them, or
        over all trees of `max_depth` levels, with a proof (`certificate_`).
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
    exclude : None, or the columns to leave out: names, positions, a mask
        Prediction takes tables with or without them.
    parse_dates : None, "auto", or columns of text to read as dates: names, positions, a mask
        "auto" reads all that hold nothing but dates: ISO, with the year first, or 31.12.2024.
    monotonic_cst : dict or None
        `{column: +1}` orders P(class >= k) for every k in class order, `{column: {class: +1}}` one class.
    class_weight : dict, "balanced" or None
        Multiplies the weight of a class's rows, in growing, in the Stats of the nodes and in every answer.
    priors : dict, array, "equal", "data" or None
        The probability of each class before anything is known, by class or in class order; they sum to 1.
        Growing and answers count a class by its prior instead of its share of the training rows, which "data"
        and None keep. As in rpart: P(k | node) is proportional to prior of k times the share of all rows of k
        that are in the node.
    costs : dict, array or None
        What mistakes cost: `{true: {answered: cost}}` (pairs not named cost 1), or a matrix in class order
        whose entry [i, j] is the cost of answering class j where i is true. The diagonal is 0. Growing gives
        more weight to classes whose mistakes are dear (rpart's altered priors); a node answers the class of
        least expected cost. Probabilities stay as they are.
    n_jobs : int or None
        Threads, at most one for each core; None is all cores. The tree is the same for any number.
    random_state : int, Generator, RandomState or None
        Only matters with `max_features` and `split="random"`; None draws anew at each fit.
    time_limit : float or None
        Seconds after which growth is stopped; `fit` then warns (`hb.PartialFitWarning`) and keeps the tree so
        far.

    Attributes
    ----------
    tree_ : Tree
    pruning_ : what was decided about each node in pruning, or None
    certificate_ : what an optimal search has proven; only where there was one
    partial_ : whether growth was stopped, by `time_limit`, `progress` or Ctrl-C, before it was finished
    classes_, n_classes_ : the class labels, sorted, and their number
    n_features_in_, feature_names_in_, feature_importances_, max_features_, n_outputs_

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = TreeClassifier(max_depth=2).fit(X, y)
    >>> model.tree_.statistics()
    {'depth': 2, 'leaves': 3, 'tests': 2, 'nodes': 5, 'reading_size': 5}
    >>> model.predict(X[:2])
    array([0, 0])

    Taking an ill person for a healthy one is ten times as bad as the reverse:

    >>> X, y = {"fever": [38.1, 38.4, 38.3, 38.2, 36.9]}, ["ill", "ill", "well", "well", "well"]
    >>> TreeClassifier(max_depth=0).fit(X, y).predict({"fever": [38.0]})
    array(['well'], dtype='<U4')
    >>> careful = TreeClassifier(max_depth=0, costs={"ill": {"well": 10}}).fit(X, y)
    >>> careful.predict({"fever": [38.0]}), careful.predict_proba({"fever": [38.0]})
    (array(['ill'], dtype='<U4'), array([[0.4, 0.6]]))
    """

    task = Task.CLASSES

    _: KW_ONLY
    class_weight: Any = None
    priors: Any = None
    costs: Any = None

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        counts: Any = None,
        row_costs: Any = None,
        progress: Progress | None = None,
        engine: Any = None,
    ) -> TreeClassifier:
        """Learn a tree.

        Parameters
        ----------
        X : a pandas, polars or pyarrow table, a numpy array, a dict of columns or a list of dicts; or, with
            the name of a column as y, data that is read piece by piece: a path such as `trips/*.parquet`, a
            pyarrow dataset, a polars LazyFrame, a dask or Spark DataFrame, anything with `__arrow_c_stream__`
        y : the class of each row, or the name of its column; then sample_weight and counts are names, too;
            of several targets a table or dict of columns, an array with a column for each, or their names
        sample_weight : weight of each row: scales its share, never its number
        counts : repetitions of each row: a row with count w is w rows
        row_costs : what answering each class costs for each row: an array with a column for each class in
            class order, or a table or dict of columns by class. A node answers the class of least cost,
            summed over its rows. Growing takes each row for the class that is cheapest for it (as a rule its
            own) and weighs it by how much more the other answers cost on average; rows whose answers all cost
            the same take no part.
        progress : called now and then with the share of rows that have come to rest, last with 1.0; return
            True to stop. Pruning that grows several trees tells each of them. A growth that is stopped raises
            `hb.GrowthInterrupted`, or with Ctrl-C a KeyboardInterrupt; the estimator is fitted all the same,
            with the tree so far.
        engine : where the rows live if y names a column: an engine of `hornbeam.engines`, by default that of
            a dask, Spark or Ray frame, else `Files(memory="2GB")`. The tree is that of a table in memory.
        """
        if is_far(X, y, engine):
            columns = {"y": y, "sample_weight": sample_weight, "counts": counts, "row_costs": row_costs}
            self._fit_far(X, far_request(self, math.inf, **columns), engine, progress)
            return self
        read: Callable[..., Any] = partial(partial, Target.classes_of)
        if not is_one_column(y):
            X, y, sample_weight, counts = with_targets(X, y, sample_weight, counts)
            read = reader_of_classes
        self._fit(X, read(y, sample_weight, counts, self.class_weight, row_costs=row_costs), progress)
        return self

    @in_pieces
    def predict(self, X: Any) -> AnyArray:
        """The class of each row: its leaf's label; several targets side by side."""
        if self._has_outputs:
            return self.output_labels(X)
        leaves, columns = self._leaves(X)
        tree = self.tree_
        if columns is not None:
            return self._labels.take(routing.labels(tree, apply.complete_routing(tree, leaves, columns)))
        if len(leaves) > len(tree.label):  # more rows than nodes: name the nodes first
            return self._labels.take(tree.label).take(leaves)
        return self._labels.take(tree.label.take(leaves))

    @in_pieces
    def predict_proba(self, X: Any) -> Any:
        """The probability of each class for each row, as `classes_` lists them; of several targets a list."""
        if self._has_outputs:
            return self.output_shares(X)
        leaves, columns = self._leaves(X)
        if columns is None:
            shares = self.tree_.answers().take(leaves, axis=0)
        else:
            shares = routing.probabilities(self.tree_, apply.complete_routing(self.tree_, leaves, columns))
        return shares if self._sorted is None else shares.take(self._sorted, axis=1)


@dataclass(eq=False, repr=False)
class TreeRegressor(OutputAnswers, RegressorMixin, QuantileAnswers, SlotTree):
    """A regression tree: exact, greedy, grown from any table.

    Parameters
    ----------
    criterion : "variance", "sd", "poisson", "absolute", "quantile", or a part of `hornbeam.parts`
        Variance is CART's, "sd" the standard deviation reduction of M5; scikit-learn's "squared_error" is
        variance. "poisson" judges rates, "absolute" (or "absolute_error") medians, `Quantile(q=0.9)` that
        quantile; nodes then answer with them.
    min_variation : float
        A node whose standard deviation is below this share of its mean (its coefficient of variation) is a
        leaf.
    min_sd_share : float
        A node whose standard deviation is below this share of the root's is a leaf (M5).
    monotonic_cst : dict, list or None
        `{column: +1}`: the prediction never falls when the column rises; -1: never rises.
    leaf : "constant", "linear", "polynomial", or a part of `hornbeam.parts`
        What a leaf answers with: its mean, a line, `Polynomial(degree=2)`.
    The other parameters
        As for `TreeClassifier`.

    Attributes
    ----------
    tree_ : Tree
    pruning_ : Pruned or None
    partial_ : bool
    n_features_in_, feature_names_in_, feature_importances_

    Examples
    --------
    >>> model = TreeRegressor(max_depth=1).fit([[1.0], [2.0], [3.0], [4.0]], [10.0, 12.0, 30.0, 32.0])
    >>> model.tree_.text()
    'x0[<=2.5: 11.0000(n=2) | >2.5: 31.0000(n=2)]'
    >>> model.predict([[3.5]])
    array([31.])
    """

    task = Task.REAL

    criterion: Any = "variance"
    _: KW_ONLY
    min_variation: float = 0.0
    min_sd_share: float = 0.0

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        counts: Any = None,
        exposure: Any = None,
        progress: Progress | None = None,
        engine: Any = None,
    ) -> TreeRegressor:
        """Learn a tree; the parameters are those of `TreeClassifier.fit`, y is a number for each row.

        With `exposure`, y was counted over that much time, area or number in each row: y / exposure is
        learned and predicted, and a row weighs its exposure (times its sample_weight).
        """
        most = self._largest_target(exposure)
        if is_far(X, y, engine):
            columns = {"y": y, "sample_weight": sample_weight, "counts": counts, "exposure": exposure}
            self._fit_far(X, far_request(self, most, **columns), engine, progress)
            return self
        read: Callable[..., Any] = partial(partial, Target.real_of)
        if not is_one_column(y):
            X, y, sample_weight, counts = with_targets(X, y, sample_weight, counts)
            read = reader_of_reals
        narrow = {"most": most, "least_range": 1 / most}
        self._fit(X, read(y, sample_weight, counts, exposure=exposure, **narrow), progress)
        return self

    def _largest_target(self, exposure: Any) -> float:
        """What y may reach; one over it is the least it may vary by, so that no square of doubles is lost."""
        # Doubles are squared by pruning, equations and stepwise growth.
        is_plain = self.pruner() is None and exposure is None and self.leaf == "constant"
        split = resolve("split", self.split, SPLITTING, Splitting).method
        selection = resolve("selection", self.selection, SELECTIONS, Selection).method
        search = resolve("search", self.search, SEARCH, TreeSearch).method
        is_core = {split, selection, search} == {"core"} and self.criterion in ("variance", "sd")
        return math.inf if is_plain and is_core else LARGEST

    @in_pieces
    def predict(self, X: Any) -> Floats:
        """The mean of each row's leaf, or what its equation says; several targets side by side.

        With the criteria "absolute" and "quantile" it is the leaf's median, or quantile.
        """
        if self._has_outputs:
            return self.output_values(X)
        leaves, columns = self._leaves(X)
        return apply.row_values(self.tree_, leaves, columns, self.n_jobs)

    def __sklearn_tags__(self) -> Any:
        """Rates are never negative."""
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = self.criterion == "poisson" or isinstance(self.criterion, Poisson)
        return tags
