"""TreeModel: what all tree estimators share, from parameters to the leaves of rows and their quantiles.

`fit` makes Table and Target, makes the Plan, grows and prunes, and keeps the Tree. Everything a slot can hold
is resolved by its own table, everything a prediction needs is in `tree_`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Protocol, runtime_checkable

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from hornbeam._base.parameters import seed_of
from hornbeam._base.types import AnyArray, Floats, Ints
from hornbeam.data.table import Table
from hornbeam.data.target import Rows, Target, counted_rows, warn_of_identifiers
from hornbeam.estimators.slots import SlotEstimator, refuse_no_rows
from hornbeam.growing.criteria import resolve_criterion
from hornbeam.growing.finish import answer_rule_for, learn, with_level
from hornbeam.growing.leaves import LEAVES, LeafModel
from hornbeam.growing.missing import MISSING, MissingPolicy
from hornbeam.growing.monotonic import Constraints, monotone_constraints, refuse_votes
from hornbeam.growing.part import check_level, resolve
from hornbeam.growing.plan import Plan, check_n_jobs, features_wanted, limits_of
from hornbeam.growing.selections import SELECTIONS, Selection
from hornbeam.growing.splits import SPLITTING, Splitting
from hornbeam.pruning import PRUNING, Pruned, Pruner
from hornbeam.pruning.base import Growing, refuse_unordered_pruning
from hornbeam.tree import apply as tree_apply
from hornbeam.tree import node_quantiles
from hornbeam.tree.answer_rule import AnswerRule
from hornbeam.tree.routing import Routing
from hornbeam.tree.tree import Tree

Progress = Callable[[float], object]
Columns = tuple[AnyArray, ...]


@runtime_checkable
class Learner(Protocol):
    """What forests, cross-validation, pruning paths, files and editing ask an estimator of one tree.

    These are for developers: users call `fit`, which calls them in this order.
    """

    def make_plan(self, table: Table, target: Target) -> Plan:
        """Resolve and check the slots and limits for these rows."""

    def answer_rule(self, target: Target) -> AnswerRule:
        """How the nodes of a tree for this target answer."""

    def learn_tree(
        self, table: Table, target: Target, progress: Progress | None = None
    ) -> tuple[Tree, Pruned | None]:
        """Grow and prune the tree of these rows; the estimator stays as it is."""

    def fit_equations(self, tree: Tree, rows: Rows) -> Tree:
        """The tree with the equations of its leaf model, fitted to these rows."""

    def set_labels(self, labels: AnyArray, classes: Sequence[Any]) -> None:
        """Keep what the classes of the tree are called."""


class TreeModel(SlotEstimator):
    """The base class of `TreeClassifier` and `TreeRegressor`.

    Attributes
    ----------
    tree_ : Tree
        The tree learned; there once the model is fitted.
    pruning_ : Pruned or None
        What was decided about each node in pruning; None if nothing was pruned.
    """

    tree_: Tree
    pruning_: Pruned | None
    _task: str

    # ---- learning ------------------------------------------------------------------------------------------

    def _fit(self, X: Any, target_of: Callable[[int], Target], progress: Progress | None) -> Target:
        table = Table.learn(X, self.categorical_features)
        target = target_of(table.n_rows)
        warn_of_identifiers(table, target, stacklevel=3)
        self.tree_, self.pruning_ = self.learn_tree(table, target, progress)
        self.keep_names(X, table)
        return target

    def learn_tree(
        self, table: Table, target: Target, progress: Progress | None = None
    ) -> tuple[Tree, Pruned | None]:
        """Grow the tree of these rows and prune it as the slot `pruning` says; return it and the record."""

        def grow(table: Table, target: Target, missing: MissingPolicy | None = None) -> Tree:
            plan = self.make_plan(table, target)
            plan = plan if missing is None else replace(plan, missing=missing)
            return learn(plan, table, target, self.answer_rule(target), progress)

        if self.pruning is None:
            return grow(table, target), None
        pruner = resolve("pruning", self.pruning, PRUNING, Pruner)
        pruner.check_task(self._task)
        refuse_unordered_pruning(pruner, self.monotonic_cst)
        missing = resolve("missing", self.missing, MISSING, MissingPolicy)
        try_out = partial(grow, missing=missing.in_trials(table))
        record = pruner.learn(Growing(grow, self.fit_equations, self.n_jobs, try_out), table, target)
        return record.tree, record

    def fit_equations(self, tree: Tree, rows: Rows) -> Tree:
        """The tree with the equations that the leaf model fits to the rows that reach its nodes."""
        leaf = resolve("leaf", self.leaf, LEAVES, LeafModel)
        return leaf.modelled(tree, rows.table, rows.target, {}, self.n_jobs)

    def answer_rule(self, target: Target) -> AnswerRule:
        """How nodes answer: as the leaf model says, with the priors and costs of a classifier."""
        choices = resolve("leaf", self.leaf, LEAVES, LeafModel).answer_choices(target)
        choices = with_level(choices, resolve_criterion(self.criterion, self._task))
        return answer_rule_for(target, choices, getattr(self, "priors", None), getattr(self, "costs", None))

    def make_plan(self, table: Table, target: Target) -> Plan:
        """Everything growth needs, each slot and limit resolved and checked for these rows."""
        selection = resolve("selection", self.selection, SELECTIONS, Selection)
        criterion = resolve_criterion(self.criterion, self._task)
        selection.check_criterion(criterion)
        criterion.check_target(target)
        check_n_jobs(self.n_jobs)
        max_features = features_wanted(self.max_features, len(table.columns))
        is_random = max_features > 0 or self.random_state is not None
        split = resolve("split", self.split, SPLITTING, Splitting)
        split.check_columns(table.columns)
        missing = resolve("missing", self.missing, MISSING, MissingPolicy)
        missing.check_kinds({column.name: split.kind(column) for column in table.columns})
        leaf = resolve("leaf", self.leaf, LEAVES, LeafModel)
        leaf.check_columns(table.columns)
        return Plan(
            criterion=criterion,
            selection=selection,
            split=split,
            missing=missing,
            limits=limits_of(self, counted_rows(target)),
            max_features=max_features,
            constraints=self._constraints(table, target, missing),
            seed=seed_of(self.random_state) if is_random else 0,
            n_jobs=self.n_jobs,
            leaf=leaf,
        )

    def _constraints(self, table: Table, target: Target, missing: MissingPolicy) -> Constraints:
        classes = target.classes if target.kind == "classes" else None
        constraints = monotone_constraints(self.monotonic_cst, table.columns, classes)
        refuse_votes(constraints, missing.policy())
        return constraints

    def set_labels(self, labels: AnyArray, classes: Sequence[Any]) -> None:
        """Keep what the classes are called; numbers and densities have none."""

    # ---- rows through the tree -----------------------------------------------------------------------------

    def _leaves(self, X: Any) -> tuple[Ints, Columns | None]:
        """The leaf of each row; and, if some rows follow all paths (their leaf is -1) or leaves answer with
        equations, the rows' columns.

        A prediction for one row of a numpy array spends its time here, hence the plain steps.
        """
        if "tree_" not in self.__dict__:
            check_is_fitted(self, "tree_")
        tree = self.tree_
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

    @property
    def feature_importances_(self) -> Floats:
        """Each column's share of the impurity decrease of all splits."""
        check_is_fitted(self, "tree_")
        return self.tree_.feature_importances()


class QuantileAnswers(TreeModel):
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
        chosen = node_quantiles.levels_of(self.tree_) if levels is None else tuple(levels)
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
        table = node_quantiles.quantiles_at(self.tree_, levels)
        leaves, columns = self._leaves(X)
        if columns is None:
            return table.take(leaves, axis=0)
        reached = tree_apply.complete_routing(self.tree_, leaves, columns)
        weight = sparse.csr_array(
            (reached.weight, reached.leaf, reached.start), shape=(reached.n_rows, len(self.tree_))
        )
        return np.asarray(weight @ table, dtype=np.float64)
