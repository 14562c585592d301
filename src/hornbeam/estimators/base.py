"""What estimators of one tree share: from the parameters to the tree learned, and the labels of classes.

Parameters are checked by name before anything is learned, and every value of a slot is resolved by the table
of the slot. `fit` makes Table and Target, makes the Plan, grows and prunes, and keeps the Tree; everything a
prediction needs is in `tree_`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Protocol, cast, runtime_checkable

import numpy as np

from hornbeam._base.parameters import check_least, check_n_jobs, seed_of
from hornbeam._base.types import AnyArray, Longs, Task
from hornbeam.data.suspicious_columns import suspicious_columns, warn_of_columns
from hornbeam.data.table import Table
from hornbeam.data.target import Rows, Target, counted_rows
from hornbeam.engines.far_rows import FarRows
from hornbeam.engines.pieces import FarRequest
from hornbeam.estimators.beyond_memory import check_rows, engine_of
from hornbeam.estimators.estimator_parameters import SlotEstimator
from hornbeam.estimators.tree_rows import TreeRows
from hornbeam.growing.criteria import resolve_criterion
from hornbeam.growing.finish import answer_rule_for, learn, with_level
from hornbeam.growing.interruption import (
    GrowthKeyboardInterrupt,
    GrowthStopped,
    TimeLimit,
    check_stopped,
    watched,
)
from hornbeam.growing.leaves import LEAVES, LeafModel
from hornbeam.growing.missing import MISSING, MissingPolicy
from hornbeam.growing.part import resolve
from hornbeam.growing.plan import (
    Constraints,
    Plan,
    features_wanted,
    limits_of,
    monotone_constraints,
    refuse_votes,
)
from hornbeam.growing.searches import SEARCH, TreeSearch
from hornbeam.growing.selections import SELECTIONS, Selection
from hornbeam.growing.splits import SPLITTING, Splitting
from hornbeam.pruning import PRUNING, Pruner
from hornbeam.pruning.base import Growing, refuse_unordered_pruning
from hornbeam.pruning.cost_complexity import CostComplexity
from hornbeam.pruning.record import Pruned
from hornbeam.tree.annotations import is_partial, partial_tree
from hornbeam.tree.answer_rule import AnswerRule
from hornbeam.tree.tree import Tree

Progress = Callable[[float], object]


def is_far(X: Any, y: Any, engine: Any) -> bool:
    """Whether the data is read piece by piece: y is the name of a column then."""
    if isinstance(y, str):
        return True
    if engine is not None or isinstance(X, (str, os.PathLike)):
        what = "engine is given" if engine is not None else f"X={X!r} is read piece by piece"
        raise ValueError(f"{what}, so y must be the name of a column of the data, such as y='tipped'")
    return False


class LogProbabilities:
    """Logarithms of a classifier's probabilities."""

    def predict_log_proba(self, X: Any) -> Any:
        """The logarithm of the probability of each class; of several targets a list."""
        shares: Any = cast(Any, self).predict_proba(X)
        with np.errstate(divide="ignore"):
            return [np.log(own) for own in shares] if isinstance(shares, list) else np.log(shares)


def label_places(labels: AnyArray, classes: Sequence[Any]) -> Longs:
    """Where each class of a tree stands among the sorted labels."""
    place_of = {label: place for place, label in enumerate(labels.tolist())}
    if labels.ndim != 1 or len(place_of) != len(classes) or set(place_of) != set(classes):
        raise ValueError(f"the labels {labels.tolist()} are not the classes {list(classes)} of the tree")
    return np.array([place_of[label] for label in classes], dtype=np.int64)


class ClassLabels(LogProbabilities):
    """The labels of a classifier: sorted for scikit-learn, in class order for the trees."""

    classes_: Any  # an array; of several targets a list of arrays
    _labels: AnyArray
    _sorted: Longs | None

    @property
    def n_classes_(self) -> Any:
        """The number of classes; of several targets a list."""
        if isinstance(self.classes_, list):
            return [len(labels) for labels in self.classes_]
        return len(self.classes_)

    def set_labels(self, labels: AnyArray, classes: Sequence[Any]) -> None:
        """Keep the sorted labels, and which class of the tree each of them is."""
        place = label_places(labels, classes)
        self.classes_ = labels
        self._labels = labels.take(place)  # in class order, as the tree counts them
        self._sorted = None if (np.diff(place) > 0).all() else place.argsort()

    def set_output_labels(self, labels: Sequence[AnyArray | None]) -> None:
        """Keep the sorted labels of each of several targets."""
        self.classes_ = list(labels)


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
        """Keep the names of the classes."""


class TreeModel(TreeRows, SlotEstimator):
    """The base class of `TreeClassifier` and `TreeRegressor`.

    Attributes
    ----------
    tree_ : Tree
        The tree learned; there once the model is fitted.
    pruning_ : Pruned or None
        What was decided about each node in pruning; None if nothing was pruned.
    partial_ : bool
        Whether growth was stopped before it was finished.
    column_warning_ : str
        What `fit` said about columns that mislead a tree; "" if nothing was wrong.
    """

    tree_: Tree
    column_warning_: str
    pruning_: Pruned | None
    task: Task

    # ---- learning ------------------------------------------------------------------------------------------

    def _fit(self, X: Any, target_of: Callable[..., Target], progress: Progress | None) -> None:
        limit = None if self.time_limit is None else TimeLimit(self.time_limit, progress)
        table = self.learn_table(X)
        target = target_of(n_rows=table.n_rows, estimator=type(self).__name__)
        already_said = self.__dict__.pop("_columns_checked", None)
        if already_said is None:
            self.column_warning_ = warn_of_columns(suspicious_columns(table, target), stacklevel=3)
        else:
            self.column_warning_ = already_said
        self._learn(X, table, target, limit, progress)

    def _fit_far(self, data: Any, request: FarRequest, engine: Any, progress: Progress | None) -> None:
        """Fit data that is read piece by piece, by an engine of `hornbeam.engines`."""
        limit = None if self.time_limit is None else TimeLimit(self.time_limit, progress)
        with engine_of(engine, data).open(data, request) as rows:
            self.column_warning_ = ""  # what misleads a tree is seen in rows that lie side by side
            self.learn_far(
                check_rows(self, rows), dict.fromkeys(c.name for c in rows.columns), limit, progress
            )

    def learn_far(
        self, rows: FarRows, names: dict[str, None], limit: TimeLimit | None, progress: Progress | None
    ) -> None:
        """Learn from far rows, whose columns have these names."""
        self._learn(names, rows, rows.target, limit, progress)

    def _learn(
        self, X: Any, table: Any, target: Target, limit: TimeLimit | None, progress: Progress | None
    ) -> None:
        stopped = None
        try:
            learned = self.learn_tree(table, target, progress if limit is None else limit.progress)
        except GrowthStopped as error:
            stopped = error
        self.__dict__.pop("tree_", None)  # it comes last: interrupted here, the estimator is not fitted
        self.keep_names(X, table)
        if target.outputs:
            self.set_output_labels([one.labels for one in target.outputs])
        elif target.labels is not None:
            self.set_labels(target.labels, target.classes)
        if stopped is None:
            self.pruning_ = learned[1]
            self.tree_ = learned[0]
        else:
            self.keep_partial(stopped)
            if limit is None:
                raise stopped
            limit.end_fit(stopped)

    def keep_partial(self, stopped: GrowthStopped) -> None:
        """Keep the tree of a growth that was stopped; it says so, as does that of the exception."""
        self.pruning_ = None
        self.tree_ = stopped.tree = partial_tree(stopped.tree)

    @property
    def partial_(self) -> bool:
        """Whether growth was stopped before it was finished; `tree_` is what was grown so far."""
        if "tree_" not in self.__dict__:
            raise AttributeError(f"this {type(self).__name__} has no tree_ yet: call fit first")
        return is_partial(self.tree_)

    def learn_tree(
        self, table: Table, target: Target, progress: Progress | None = None
    ) -> tuple[Tree, Pruned | None]:
        """Grow the tree of these rows and prune it as the slot `pruning` says; return it and the record."""
        watcher = None if progress is None else watched(progress)
        grown: list[Tree] = []

        def grow(table: Table, target: Target, missing: MissingPolicy | None = None) -> Tree:
            if grown:
                check_stopped(watcher, grown[0])
            plan = self.make_plan(table, target)
            plan = plan if missing is None else replace(plan, missing=missing)
            grown.append(learn(plan, table, target, self.answer_rule(target), watcher))
            return grown[-1]

        pruner = self.pruner()
        if pruner is None:
            return grow(table, target), None
        pruner.check_task(self.task)
        pruner.check_outputs(several=bool(target.outputs))
        refuse_unordered_pruning(pruner, self.monotonic_cst)
        missing = resolve("missing", self.missing, MISSING, MissingPolicy)
        try_out = partial(grow, missing=missing.in_trials(table))
        try:
            record = pruner.learn(Growing(grow, self.fit_equations, self.n_jobs, try_out), table, target)
        except KeyboardInterrupt as pressed:
            if type(pressed) is not KeyboardInterrupt or not grown:  # it has a tree, or there is none
                raise
            sentence = "pruning was interrupted; `tree` is the first tree that was grown for it"
            raise GrowthKeyboardInterrupt(sentence, grown[0]) from pressed
        return record.tree, record

    def pruner(self) -> Pruner | None:
        """What prunes the grown tree: the slot `pruning`, or scikit-learn's `ccp_alpha`; None for nothing."""
        alpha = getattr(self, "ccp_alpha", 0.0)
        check_least("ccp_alpha", alpha, 0, "the penalty for each leaf, in impurity")
        if self.pruning is None:
            return CostComplexity("impurity", alpha) if alpha > 0 else None
        if alpha > 0:
            raise ValueError(
                f"ccp_alpha={alpha!r} and pruning={self.pruning!r} both say how the tree is pruned: leave"
                " ccp_alpha 0, or pruning None"
            )
        return resolve("pruning", self.pruning, PRUNING, Pruner)

    def fit_equations(self, tree: Tree, rows: Rows) -> Tree:
        """The tree with the equations that the leaf model fits to the rows that reach its nodes."""
        leaf = resolve("leaf", self.leaf, LEAVES, LeafModel)
        return leaf.modelled(tree, rows.table, rows.target, {}, self.n_jobs)

    def answer_rule(self, target: Target) -> AnswerRule:
        """How nodes answer: as the leaf model says, with the priors and costs of a classifier."""
        choices = resolve("leaf", self.leaf, LEAVES, LeafModel).answer_choices(target)
        choices = with_level(choices, resolve_criterion(self.criterion, self.task))
        return answer_rule_for(target, choices, getattr(self, "priors", None), getattr(self, "costs", None))

    def make_plan(self, table: Table, target: Target) -> Plan:
        """Everything growth needs, each slot and limit resolved and checked for these rows."""
        selection = resolve("selection", self.selection, SELECTIONS, Selection)
        criterion = resolve_criterion(self.criterion, self.task)
        selection.check_criterion(criterion)
        criterion.check_target(target)
        check_n_jobs(self.n_jobs)
        max_features = features_wanted(self.max_features, len(table.columns))
        split = resolve("split", self.split, SPLITTING, Splitting)
        is_random = max_features > 0 or split.draws_tests or self.random_state is not None
        split.check_columns(table.columns)
        missing = resolve("missing", self.missing, MISSING, MissingPolicy)
        missing.check_kinds({column.name: split.kind(column) for column in table.columns})
        leaf = resolve("leaf", self.leaf, LEAVES, LeafModel)
        leaf.check_columns(table.columns)
        return Plan(
            criterion=criterion,
            selection=selection,
            split=split,
            threshold_at=split.threshold_place(),
            missing=missing,
            limits=limits_of(self, counted_rows(target)),
            max_features=max_features,
            constraints=self._constraints(table, target, missing),
            seed=seed_of(self.random_state) if is_random else 0,
            n_jobs=self.n_jobs,
            leaf=leaf,
            search=resolve("search", getattr(self, "search", "greedy"), SEARCH, TreeSearch),
        )

    def _constraints(self, table: Table, target: Target, missing: MissingPolicy) -> Constraints:
        classes = target.classes if target.task.is_classes else None
        constraints = monotone_constraints(self.monotonic_cst, table.columns, classes)
        refuse_votes(constraints, missing.policy())
        return constraints

    def set_labels(self, labels: AnyArray, classes: Sequence[Any]) -> None:
        """Keep the names of the classes; trees of numbers and densities have none."""

    def set_output_labels(self, labels: Sequence[AnyArray | None]) -> None:
        """Keep what the classes of each of several targets are called."""
