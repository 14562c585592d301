"""ForestModel: the parameters, checks, predictions and importances that both forests share.

A forest has the parameters of its trees and a few of its own. `fit` makes Table, Target and Plan as a tree
does, and grows many trees from them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Self, cast

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from hornbeam._base.parameters import is_whole, seed_of
from hornbeam._base.types import AnyArray, Floats, Ints, Longs, Task
from hornbeam.data.column_choice import without_excluded
from hornbeam.data.shown_result import TextResult
from hornbeam.data.suspicious_columns import suspicious_columns, warn_of_columns
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.estimators.base import Progress, TreeModel
from hornbeam.estimators.estimator_parameters import GrowthParameters, SlotEstimator
from hornbeam.estimators.forest.forest_answers import FittedTrees, ForestRows, Trees, out_of_bag
from hornbeam.estimators.forest.grow_forest import Draws, ForestPlan, draw_weights, grow_forest, tree_seed
from hornbeam.estimators.tree_rows import in_pieces, refuse_no_rows
from hornbeam.growing.interruption import GrowthStopped, TimeLimit
from hornbeam.growing.part import check_flag
from hornbeam.growing.plan import limits_of
from hornbeam.tree.annotations import is_partial, partial_tree
from hornbeam.tree.tree import Tree


def _names(cls: type[Any]) -> tuple[str, ...]:
    """The parameters of an estimator."""
    return tuple(cls._get_param_names())


_SHOWN_COLUMNS = 5  # that notebooks name


@dataclass(eq=False, repr=False)
class ForestParameters(GrowthParameters):
    """The parameters that both forests have."""

    n_estimators: int = 100
    _: KW_ONLY
    criterion: Any = "gini"
    selection: Any = "best"
    split: Any = "binary"
    missing: Any = "learn"
    leaf: Any = "constant"
    max_features: Any = "sqrt"
    bootstrap: bool = True
    max_samples: Any = None
    oob_score: Any = False


class ForestModel(SlotEstimator, ForestParameters):
    """The base class of `ForestClassifier` and `ForestRegressor`.

    Attributes
    ----------
    trees_ : the trees, a sequence of Tree; there once the model is fitted
    partial_ : whether growth was stopped before all trees were finished; `trees_` are those that are
    """

    trees_: Trees
    partial_: bool
    _tree_class: type[Any]
    task: Task

    @classmethod
    def from_tree(cls, tree: TreeModel, **params: Any) -> Self:
        """A forest of trees such as this one: an estimator, fitted or not, or what a recipe returns.

        `params` are parameters of the forest, or of its trees to be changed. A tree that searches all columns
        leaves `max_features` to the forest: give `max_features=None` if its trees are to search all, too.

        >>> import hornbeam as hb
        >>> hb.ForestClassifier.from_tree(hb.teaching.builddt(), n_estimators=7)
        ForestClassifier(criterion='entropy', missing=OwnBranch(vote='leaf'),
                         n_estimators=7, split=Multiway(threshold_at='midpoint'))
        """
        if not isinstance(tree, cls._tree_class):
            raise TypeError(
                f"tree={tree!r} must be a {cls._tree_class.__name__}: {cls.__name__} has trees of that kind"
            )
        own = tree.get_params(deep=False)
        for name, usual in (("pruning", None), ("ccp_alpha", 0.0)):
            if own.get(name, usual) != usual:
                raise ValueError(
                    f"{name}={own[name]!r} has no place in a forest, whose trees are not pruned: use"
                    f" {name}={usual}"
                )
        shared = {name: value for name, value in own.items() if name in _names(cls)}
        if shared.get("max_features") is None:
            del shared["max_features"]  # the forest's own
        return cls(**shared | params)

    def shown_result(self) -> Any:
        """What a notebook shows of a fitted forest: how many trees of what size, and which columns matter."""
        if "trees_" not in self.__dict__:
            return None
        leaves = [tree.n_leaves for tree in self.trees_]
        lines = [f"{len(leaves)} trees of {min(leaves)} to {max(leaves)} leaves"]
        if "oob_error_" in self.__dict__:
            lines.append(f"out-of-bag error {self.oob_error_:.4g}")
        shares = dict(
            zip((column.name for column in self.trees_[0].columns), self.feature_importances_, strict=True)
        )
        most = sorted(shares, key=lambda name: -shares[name])[:_SHOWN_COLUMNS]
        lines.append("columns that matter most: " + ", ".join(f"{name} {shares[name]:.3f}" for name in most))
        return TextResult("\n".join(lines))

    # ---- learning ------------------------------------------------------------------------------------------

    def _tree(self, **own: Any) -> Any:
        """An estimator of one tree, with the parameters of the forest."""
        shared = {
            name: getattr(self, name) for name in _names(self._tree_class) if name in _names(type(self))
        }
        return self._tree_class(**shared | {"time_limit": None} | own)

    def _fit(
        self,
        X: Any,
        target_of: Callable[..., Target],
        class_factors: Callable[[Target], Any],
        fit_one: Callable[..., Any],
        progress: Progress | None,
    ) -> None:
        limit = TimeLimit(self.time_limit, progress)
        self.check_forest()
        table = self.learn_table(X)
        target = target_of(n_rows=table.n_rows, estimator=type(self).__name__)
        self.column_warning_ = warn_of_columns(suspicious_columns(table, target), stacklevel=3)
        factors, draws, plan = class_factors(target), None, self.first_tree().make_plan(table, target)
        if self.bootstrap:
            draws = Draws.of(plan, table, target, self.max_samples)
        self.grow_trees(X, table, target, draws, factors, fit_one, limit)

    def first_tree(self) -> Any:
        """An estimator of one tree, of rows whose weights say all there is to classes."""
        return self._tree(random_state=0, **({"class_weight": None} if self.task.is_classes else {}))

    def grow_trees(
        self,
        X: Any,
        table: Any,
        target: Target,
        draws: Draws | None,
        factors: Any,
        fit_one: Callable[..., Any],
        limit: TimeLimit,
    ) -> None:
        """Grow all trees of rows that were read; raise at the end if growth was stopped."""
        stopped, tree = None, self.first_tree()
        plan = tree.make_plan(table, target)
        if draws is not None:
            plan = replace(plan, limits=limits_of(tree, draws.n_draws))
        seed = seed_of(self.random_state)
        seeds = [tree_seed(seed, i) for i in range(int(self.n_estimators))]
        forest = ForestPlan(
            tree, plan, table, target, tree.answer_rule(target), seeds, draws, factors, fit_one
        )
        try:
            trees = grow_forest(forest, limit.progress)
        except GrowthStopped as error:
            stopped, seeds, draws = error, [], None  # which trees are finished is chance
            trees = Trees({}, list(error.trees) or [partial_tree(error.tree)])
        self.__dict__.pop("trees_", None)  # they come last: interrupted here, the forest is not fitted
        self.partial_ = stopped is not None
        self._seeds, self._draws, self._n_rows = seeds, draws, table.n_rows
        for name in ("_importances", "_residuals", "oob_score_", "oob_error_"):
            self.__dict__.pop(name, None)
        self.keep_names(X, table)
        self._complete(target)
        self.trees_ = trees
        if self.oob_score and not self.partial_:
            judge = cast(Any, self).judge_outputs if target.outputs else self._judge
            judge(table, target)
        limit.end_fit(stopped)

    def _complete(self, target: Target) -> None:
        """Keep what answers need besides the trees."""

    def _judge(self, table: Table, target: Target) -> None:
        """Ask the trees that did not see a row, and keep how good their answers are."""
        raise NotImplementedError

    def check_forest(self) -> None:
        """Raise for a wrong parameter of the forest itself."""
        check_flag("bootstrap", self.bootstrap)
        own_score = callable(self.oob_score)
        check_flag("oob_score", own_score or self.oob_score, "a function of y and of the answers")
        if not self.bootstrap and self.oob_score:
            raise ValueError(
                "oob_score=True needs rows that a tree did not see, but bootstrap=False shows every tree all"
                " of them: use bootstrap=True"
            )
        if not self.bootstrap and self.max_samples is not None:
            raise ValueError(
                f"max_samples={self.max_samples!r} says how many rows are drawn, but bootstrap=False draws"
                " none: use bootstrap=True, or max_samples=None"
            )
        if not is_whole(self.n_estimators) or self.n_estimators < 1:
            raise ValueError(f"n_estimators={self.n_estimators!r} must be a whole number of at least 1")

    # ---- the trees -----------------------------------------------------------------------------------------

    @property
    def estimators_(self) -> Sequence[Any]:
        """The trees as fitted estimators, each made when asked for."""
        check_is_fitted(self, "trees_")
        return FittedTrees(len(self.trees_), self._estimator)

    def _estimator(self, i: int) -> Any:
        estimator = self._tree(random_state=self._seeds[i] if self._seeds else None)
        estimator.tree_ = self.trees_[i]
        for name in ("n_features_in_", "feature_names_in_", "classes_", "_labels", "_sorted"):
            if name in self.__dict__:
                setattr(estimator, name, self.__dict__[name])
        return estimator

    def bootstrap_counts(self, i: int) -> Longs:
        """How often each training row was drawn for tree i; all ones without a bootstrap.

        A single tree that is given these counts and the seed of `estimators_[i]` is the same tree.

        >>> import hornbeam as hb
        >>> X, y = [[1.0], [2.0], [3.0], [4.0]], ["a", "a", "b", "b"]
        >>> forest = hb.ForestClassifier(n_estimators=3, random_state=0).fit(X, y)
        >>> counts, seed = forest.bootstrap_counts(2), forest.estimators_[2].random_state
        >>> int(counts.sum())
        4
        >>> alone = hb.TreeClassifier(max_features="sqrt", random_state=seed).fit(X, y, counts=counts)
        >>> alone.tree_ == forest.trees_[2]
        True
        """
        check_is_fitted(self, "trees_")
        if not -len(self.trees_) <= i < len(self.trees_):
            raise IndexError(f"the forest has {len(self.trees_)} trees, from 0: there is no tree {i}")
        if not self._seeds:
            raise ValueError(
                "this forest was loaded, put together from trees, or stopped while it grew: what its trees"
                " were learned from is not known"
            )
        if self._draws is None:
            return np.ones(self._n_rows, dtype=np.int64)
        return self._draws.counts(self._seeds[i])

    @property
    def feature_importances_(self) -> Floats:
        """The mean over the trees of each column's share of the impurity decrease."""
        check_is_fitted(self, "trees_")
        if "_importances" not in self.__dict__:
            each = [tree.feature_importances() for tree in self.trees_ if len(tree) > 1]
            mean = np.mean(each, axis=0) if each else np.zeros(self.n_features_in_)
            self._importances = mean / mean.sum() if mean.any() else mean
        importances: Floats = self._importances
        return importances

    # ---- rows through the trees ----------------------------------------------------------------------------

    def _out_of_bag(self, table: Table, target: Target, how: str) -> tuple[Floats, AnyArray, Floats]:
        """What the trees that did not see a row answer; a mask of the rows to judge by; their weights."""
        rows = ForestRows(self.trees_, table, type(self).__name__, self.n_jobs)
        answers = out_of_bag(rows, how, lambda i: self.bootstrap_counts(i) == 0)
        return answers, *judged_rows(answers, target)

    def _forest_rows(self, X: Any, trees: Trees | None = None) -> ForestRows:
        check_is_fitted(self, "trees_")
        X = without_excluded(X, self.exclude, self.n_features_in_)
        rows = ForestRows(self.trees_ if trees is None else trees, X, type(self).__name__, self.n_jobs)
        refuse_no_rows(rows.n_rows, self.n_features_in_)
        return rows

    @in_pieces
    def apply(self, X: Any) -> Ints:
        """The leaf of each row in each tree, as its node number: an array (rows, trees).

        >>> from hornbeam import ForestRegressor
        >>> X, y = [[1.0], [2.0], [3.0]], [1.0, 1.0, 5.0]
        >>> ForestRegressor(n_estimators=2, bootstrap=False).fit(X, y).apply(X)
        array([[1, 1],
               [1, 1],
               [2, 2]], dtype=int32)
        """
        rows = self._forest_rows(X)
        return np.stack([rows.leaves(i) for i in range(len(self.trees_))], axis=1)

    def decision_path(self, X: Any) -> tuple[sparse.csr_matrix, Longs]:
        """Which nodes each row passes, all trees side by side, and where the nodes of each tree start.

        >>> from hornbeam import ForestRegressor
        >>> X, y = [[1.0], [3.0]], [1.0, 5.0]
        >>> passed, start = ForestRegressor(n_estimators=2, bootstrap=False).fit(X, y).decision_path(X)
        >>> passed.toarray(), start
        (array([[1, 1, 0, 1, 1, 0],
               [1, 0, 1, 1, 0, 1]]), array([0, 3, 6]))
        """
        self._forest_rows(X)
        each = [estimator.decision_path(X) for estimator in self.estimators_]
        start = np.cumsum([0, *(one.shape[1] for one in each)])
        return sparse.csr_matrix(sparse.hstack(each)), start

    @classmethod
    def _from_trees(cls, trees: Any, **params: Any) -> Self:
        """A forest put together from trees."""
        members = [getattr(tree, "tree_", tree) for tree in trees]
        if not members:
            raise ValueError("trees is empty: give at least one Tree or fitted estimator")
        for i, tree in enumerate(members):
            if not isinstance(tree, Tree):
                raise TypeError(f"trees[{i}]={tree!r} must be a Tree or a fitted estimator of one tree")
            if tree.has_models:
                raise ValueError(
                    f"trees[{i}] has models in its leaves, which only its estimator can ask: give trees whose"
                    " leaves answer with constants"
                )
            if tree.outputs:
                raise ValueError(f"trees[{i}] has several targets: give the trees of one, tree.output(name)")
            if tree.task != cls.task or tree.classes != members[0].classes:
                raise ValueError(
                    f"trees[{i}] has task={tree.task!r} and the classes {tree.classes}: the trees of a"
                    f" {cls.__name__} have task={cls.task!r} and the same classes in the same order, here"
                    f" {members[0].classes}; name them with classes= where a tree is written by hand"
                )
        model = cls(n_estimators=len(members), **params)
        model.partial_ = any(map(is_partial, members))
        model.trees_, model._seeds, model._draws, model._n_rows = Trees({}, members), [], None, 0
        model.n_features_in_ = len(dict.fromkeys(column.name for tree in members for column in tree.columns))
        return model


def judged_rows(answers: Floats, target: Target) -> tuple[AnyArray, Floats]:
    """The rows that out-of-bag answers are judged on, as a mask, and what they weigh."""
    draws = draw_weights(target)
    weight = np.ones(target.n_rows) if draws is None else draws.astype(np.float64)
    judged = ~np.isnan(answers[:, 0]) & (weight > 0)
    if not judged.any():
        raise ValueError(
            "oob_score=True found no row that some tree did not see: use more trees or rows, or a smaller"
            " max_samples"
        )
    return judged, weight[judged]
