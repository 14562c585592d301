"""ForestClassifier and ForestRegressor: random forests of classification and of regression trees.

A forest lists parameters of its own and says how the answers of its trees are combined; everything between is
`ForestModel`.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, Self, cast

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin

from hornbeam._base.types import AnyArray, Floats, Longs, Task
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.data.target_columns import reader_of_classes, reader_of_reals, with_targets
from hornbeam.data.weights_and_costs import class_factors
from hornbeam.estimators.base import ClassLabels, Progress, is_far
from hornbeam.estimators.forest.base import ForestModel
from hornbeam.estimators.forest.far_forest import fit_far
from hornbeam.estimators.forest.forest_answers import check_combine
from hornbeam.estimators.forest.forest_outputs import ForestOutputs, chosen_score
from hornbeam.estimators.forest.grow_forest import draw_weights
from hornbeam.estimators.tree_estimators import TreeClassifier, TreeRegressor
from hornbeam.estimators.tree_rows import in_pieces
from hornbeam.growing.part import check_level
from hornbeam.tree.answer_rule import AnswerRule, answer_rule_of, choose_class, heaviest_class
from hornbeam.tree.answers import weighted_quantiles


@dataclass(eq=False, repr=False)
class ForestClassifier(ForestOutputs, ClassifierMixin, ClassLabels, ForestModel):
    """A random forest of classification trees (Breiman 2001).

    Every tree is grown on rows drawn with replacement, and every node searches columns drawn anew. Tree i
    follows from `random_state` and i alone: the forest is the same for any number of threads and any order
    of the rows.

    Parameters
    ----------
    n_estimators : int
        How many trees.
    criterion, selection, split, missing, leaf, max_depth, max_leaf_nodes, min_samples_split,
    min_samples_leaf, min_impurity_decrease, min_gain, max_nodes, min_weight_fraction_leaf,
    categorical_features, exclude, parse_dates, monotonic_cst, priors, costs
        As for `TreeClassifier`, for every tree. Trees of a forest are not pruned.
    max_features : int, float, "sqrt", "log2" or None
        How many columns, drawn anew at each node, are searched; None is all of them.
    bootstrap : bool
        Whether each tree draws its rows, with replacement and in proportion to their weights; False: every
        tree sees all rows.
    max_samples : int, float or None
        How many rows are drawn: a number, a share of the rows, None for as many as there are.
    oob_score : bool or callable
        Whether to ask, for every row, the trees that did not see it: `oob_score_`, `oob_error_`. A function
        of the outcomes and the answers for them (a metric of scikit-learn's) makes `oob_score_` of them.
    combine : "mean" or "vote"
        Average the trees' probabilities, or count the trees that name a class.
    class_weight : dict, "balanced", "balanced_subsample" or None
        Multiplies the weight of a class's rows. "balanced_subsample" balances the rows each tree has drawn.
    n_jobs : int or None
        Threads; None is all cores.
    random_state : int, Generator, RandomState or None
        The seed; None is another forest at each fit.
    time_limit : float or None
        Seconds after which growth is stopped; `fit` then warns (`hb.PartialFitWarning`) and keeps the trees
        that are finished, at least one.

    Attributes
    ----------
    trees_ : the trees, a sequence of `Tree`
    estimators_ : the trees as fitted `TreeClassifier`
    classes_ : the class labels, sorted
    oob_score_, oob_error_ : the share of the rows whose class the trees that did not see them name, or miss
    oob_decision_function_ : the probabilities they give; NaN for a row that every tree has seen
    partial_ : whether growth was stopped before all trees were finished; there is no out-of-bag score then
    n_features_in_, feature_names_in_, feature_importances_

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = ForestClassifier(n_estimators=20, oob_score=True, random_state=0).fit(X, y)
    >>> forest.predict(X[:2]), len(forest.trees_)
    (array([0, 0]), 20)
    >>> 0 < forest.oob_error_ < 0.1
    True

    One tree that sees all rows and all columns is the single tree:

    >>> from hornbeam import TreeClassifier
    >>> one = ForestClassifier(n_estimators=1, bootstrap=False, max_features=None).fit(X, y)
    >>> one.trees_[0] == TreeClassifier().fit(X, y).tree_
    True
    """

    task = Task.CLASSES
    _tree_class = TreeClassifier

    _: KW_ONLY
    combine: str = "mean"
    class_weight: Any = None
    priors: Any = None
    costs: Any = None

    @classmethod
    def from_trees(cls, trees: Any, *, combine: str = "mean", n_jobs: int | None = None) -> Self:
        """A forest put together from trees: `Tree` objects or fitted estimators of one tree.

        >>> from hornbeam import Tree
        >>> leaf = lambda a, b: Tree.from_nested({"label": "no", "counts": [a, b]}, classes=["no", "yes"])
        >>> trees = [leaf(90, 10), leaf(40, 60), leaf(45, 55)]
        >>> ForestClassifier.from_trees(trees).predict_proba({"x": [1]}).round(4)
        array([[0.5833, 0.4167]])
        """
        model = cls._from_trees(trees, combine=combine, n_jobs=n_jobs)
        classes = model.trees_[0].classes or ()
        model.set_labels(np.array(sorted(classes)), classes)
        model._rule = answer_rule_of(model.trees_[0].meta)
        return model

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        counts: Any = None,
        progress: Progress | None = None,
        engine: Any = None,
    ) -> Self:
        """Learn a forest.

        Parameters
        ----------
        X, y, counts, engine : as for `TreeClassifier.fit`; with the name of a column as y, too, the trees are
            those of a table in memory
        sample_weight : weight of each row: how likely it is to be drawn. As many rows are drawn as there are;
            a row whose weight is a whole number counts as so many. Without a bootstrap as for a tree.
        progress : called now and then with the share of the trees grown, last with 1.0; return True to stop,
            as for `TreeClassifier.fit`
        """
        check_combine(self.combine)

        def factors_of(target: Target) -> Any:
            if target.outputs and self.class_weight is not None:
                raise ValueError(
                    "class_weight is for one target, but y has several: leave it out, or fit a forest"
                    " for each"
                )
            if target.outputs:
                return None
            assert target.codes is not None
            codes, classes = target.codes, target.classes
            self._order = classes
            subsample = isinstance(self.class_weight, str) and self.class_weight == "balanced_subsample"
            if subsample and self.bootstrap:
                return lambda drawn: class_factors("balanced", codes, classes, drawn)
            rows = draw_weights(target) if self.bootstrap else target.counts
            try:
                return class_factors("balanced" if subsample else self.class_weight, codes, classes, rows)
            except ValueError as error:
                sentence = str(error).replace("'balanced' or", "'balanced', 'balanced_subsample' or")
                raise ValueError(sentence) from None

        def fit_one(tree: Any, drawn: Longs | None, factors: Floats | None, progress: Progress | None) -> Any:
            if factors is not None:
                tree.set_params(class_weight=dict(zip(self._order, factors.tolist(), strict=True)))
            own = (sample_weight, counts) if drawn is None else (None, drawn)
            return tree.fit(X, y, own[0], counts=own[1], progress=progress)

        if is_far(X, y, engine):
            columns = {"y": y, "sample_weight": sample_weight, "counts": counts}
            fit_far(self, X, columns, engine, factors_of, progress)
            return self
        X, y, sample_weight, counts = with_targets(X, y, sample_weight, counts)
        target_of = reader_of_classes(y, sample_weight, counts, None)
        self._fit(X, target_of, factors_of, fit_one, progress)
        return self

    def _complete(self, target: Target) -> None:
        if target.outputs:
            self.set_output_labels([cast(AnyArray, one.labels) for one in target.outputs])
        else:
            self.set_labels(cast(AnyArray, target.labels), target.classes)
        self._rule = self._tree(class_weight=None).answer_rule(target)

    def _judge(self, table: Table, target: Target) -> None:
        shares, judged, weight = self._out_of_bag(table, target, self.combine)
        self.oob_decision_function_ = shares if self._sorted is None else shares.take(self._sorted, axis=1)
        chosen, codes = self._class_codes(shares[judged]), np.asarray(target.codes)[judged]
        usual = float(np.average(chosen == codes, weights=weight))
        told = self._labels.take(chosen)
        self.oob_score_ = chosen_score(self.oob_score, usual, lambda: self._labels.take(codes), told)
        self.oob_error_ = 1.0 - usual

    def _class_codes(self, shares: Floats) -> AnyArray:
        """The class of each row, as its position in class order."""
        rule: AnswerRule = self._rule
        return heaviest_class(shares) if self.combine == "vote" else choose_class(rule, shares)

    @in_pieces
    def predict(self, X: Any) -> AnyArray:
        """The class of each row: the likeliest, or, with costs, that of least expected cost."""
        if self._has_outputs:
            return self.output_labels(X)
        shares = self._forest_rows(X).mean(check_combine(self.combine))
        return self._labels.take(self._class_codes(shares))

    @in_pieces
    def predict_proba(self, X: Any) -> Any:
        """The probability of each class, in the order of `classes_`: the mean over the trees, or votes."""
        if self._has_outputs:
            return self.output_shares(X)
        shares = self._forest_rows(X).mean(check_combine(self.combine))
        return shares if self._sorted is None else shares.take(self._sorted, axis=1)


@dataclass(eq=False, repr=False)
class ForestRegressor(ForestOutputs, RegressorMixin, ForestModel):
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
        engine: Any = None,
    ) -> Self:
        """Learn a forest; the parameters are those of `ForestClassifier.fit`, y is a number for each row."""
        if is_far(X, y, engine):
            columns = {"y": y, "sample_weight": sample_weight, "counts": counts}
            fit_far(self, X, columns, engine, lambda _: None, progress)
            return self
        X, y, sample_weight, counts = with_targets(X, y, sample_weight, counts)

        def fit_one(tree: Any, drawn: Longs | None, factors: None, progress: Progress | None) -> Any:
            assert factors is None
            own = (sample_weight, counts) if drawn is None else (None, drawn)
            return tree.fit(X, y, own[0], counts=own[1], progress=progress)

        target_of = reader_of_reals(y, sample_weight, counts)
        self._fit(X, target_of, lambda _: None, fit_one, progress)
        return self

    def _judge(self, table: Table, target: Target) -> None:
        answers, judged, weight = self._out_of_bag(table, target, "value")
        self.oob_prediction_ = answers[:, 0]
        y, answer = np.asarray(target.values)[judged], self.oob_prediction_[judged]
        self._residuals = y - answer, weight
        self.oob_error_ = float(np.average((y - answer) ** 2, weights=weight))
        spread = float(np.average((y - np.average(y, weights=weight)) ** 2, weights=weight))
        usual = 1.0 - self.oob_error_ / spread if spread > 0 else float(self.oob_error_ == 0)
        self.oob_score_ = chosen_score(self.oob_score, usual, lambda: y, answer)

    @in_pieces
    def predict(self, X: Any) -> Floats:
        """The mean of what the trees answer for each row."""
        if self._has_outputs:
            return self.output_values(X)
        means: Floats = self._forest_rows(X).mean("value")[:, 0]
        return means

    def predict_interval(self, X: Any, coverage: float = 0.9) -> Floats:
        """The interval around each prediction that holds a new outcome with probability `coverage`.

        The prediction plus the quantiles of the out-of-bag residuals, which are errors on rows that the trees
        did not see (Zhang, Zimmerman, Nettleton & Nordman 2020); fit with `oob_score=True`. All intervals are
        of one width: they cover as many outcomes as they promise on average, not for every kind of row.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> X, y = load_diabetes(return_X_y=True)
        >>> forest = ForestRegressor(n_estimators=30, oob_score=True, random_state=0).fit(X[:300], y[:300])
        >>> low, high = forest.predict_interval(X[300:]).T
        >>> bool(0.8 < ((low <= y[300:]) & (y[300:] <= high)).mean() < 0.98)
        True
        """
        check_level("coverage", coverage)
        means = self.predict(X)
        if "_residuals" not in self.__dict__:
            raise ValueError(
                "intervals come from the out-of-bag residuals, which this forest does not have: fit it with"
                " oob_score=True; a forest that was loaded or put together has none either"
            )
        ends = weighted_quantiles(*self._residuals, ((1 - coverage) / 2, (1 + coverage) / 2))
        intervals: Floats = means[:, None] + np.array(ends)[None, :]
        return intervals
