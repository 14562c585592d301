"""AutoTree: what the automatic classifier and regressor share: parameters, the order of trials, the last fit.

The configurations are tried on the same folds, the winner is fitted once more on all rows, and `model_` is an
ordinary estimator that anyone can make by hand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from hornbeam._base.parameters import Stages, check_choice, is_whole, seed_of
from hornbeam._base.types import AnyArray, Floats, Ints
from hornbeam.data.folds import Folds, folds_of, folds_of_groups
from hornbeam.data.suspicious_columns import SuspiciousColumns, suspicious_columns, warn_of_columns
from hornbeam.data.table import Table
from hornbeam.data.target import Rows, Target, counted_rows
from hornbeam.estimators.auto.configurations import Configuration, TableShape, named_configurations
from hornbeam.estimators.auto.equal_rows import TargetOf, observed_target, with_row_numbers
from hornbeam.estimators.auto.probability_losses import SMOOTHING
from hornbeam.estimators.auto.trials import (
    PATH_RISKS,
    SelectionReport,
    Trial,
    best_trial,
    report_selection,
    try_configuration,
    untried_report,
)
from hornbeam.estimators.base import Progress, TreeModel
from hornbeam.estimators.estimator_parameters import SlotEstimator
from hornbeam.growing.grower import CtrlC
from hornbeam.growing.interruption import (
    GrowthInterrupted,
    GrowthStopped,
    TimeLimit,
    check_stopped,
    watched,
)
from hornbeam.growing.plan import monotone_constraints
from hornbeam.pruning.cost_complexity import CostComplexity
from hornbeam.pruning.nested_subtrees import RULES
from hornbeam.tree.annotations import is_partial
from hornbeam.tree.hooks import inner_model
from hornbeam.tree.tree import Tree

LEAST_BUDGET, LEAST_FOLDS, MOST_FOLDS = 3, 5, 10
FEW = 30  # from fewer rows, less than three for each fold, cross-validation says nothing
MOST_DEALS = 2  # rows are dealt to the folds anew where the budget allows: a choice by luck is rarer


@dataclass(eq=False, repr=False)
class AutoParameters:
    """The parameters that both automatic trees have."""

    budget: int = 60
    rule: str = "thrifty"
    consider: Any = None
    _: KW_ONLY
    max_depth: int | None = None
    min_samples_leaf: float | None = None
    exclude: Any = "auto"
    monotonic_cst: Any = None
    random_state: Any = 0


class AutoTree(AutoParameters, SlotEstimator):
    """The base class of `AutoTreeClassifier` and `AutoTreeRegressor`."""

    model_: TreeModel
    account_: SelectionReport
    excluded_: Any

    _configurations: Sequence[Configuration]
    _estimator: type[TreeModel]
    _measure: str
    _left_out: dict[str, Any]  # ways that are not tried: see `SelectionReport`
    _groups: Any = None  # of each row: those of one number stand in one fold, those of -1 in none

    # ---- choosing ------------------------------------------------------------------------------------------

    def _choose(
        self, table: Table, target: Target, progress: Progress | None
    ) -> tuple[dict[str, Any], Progress | None, GrowthStopped | None]:
        """The parameters of the estimator that wins, the progress of its growth, and whether choosing was
        stopped; sets `account_`.
        """
        configurations = self._considered(table, target)
        n_rows = counted_rows(target)
        if n_rows < FEW:
            self.account_ = untried_report(configurations[0], self._measure, self._aim())
            params = dict(configurations[0].make())
            if self._measure == "error":
                params.pop("min_samples_leaf", None)  # equal rows count as one: two may be most of the table
            params |= self._limits()
            if configurations[0].path:
                params["pruning"] = CostComplexity(alpha=0.0)
            if self._smooths():
                params["leaf"] = SMOOTHING
            return params, progress, None
        rows, trees = Rows(table, target), (self.budget - 1) // len(configurations)
        deals = self._deals(rows, trees)
        trials: list[Trial] = []
        watcher = watched(progress)
        stages = Stages(watcher, len(configurations) + 1)
        for configuration in configurations:
            model = self._estimator(**dict(configuration.make()) | self._limits())
            try:
                if trials:
                    check_stopped(watcher, trials[0].fold_trees[0].tree)
                trial = try_configuration(configuration, model, rows, deals, stages.next(), self._aim())
                trials.append(trial)
            except GrowthStopped as stopped:
                untried = tuple(each.words for each in configurations[len(trials) :])
                tried = f"{len(trials)} of {len(configurations)}"
                sentence = (
                    f"choosing was interrupted after {tried} ways of growing; the exception's `tree` is"
                )
                if trials:
                    params, tree = self._best_so_far(trials, deals)
                    sentence = f"{sentence} the best so far, grown without one of the folds"
                else:
                    params, tree = dict(configuration.make()) | self._limits(), stopped.tree
                    self.account_ = untried_report(configuration, self._measure, self._aim())
                    sentence = f"{sentence} an unfinished trial without a part of the rows"
                self.account_ = replace(self.account_, untried=untried)
                return params, None, type(stopped)(sentence, tree)
        if watcher is not None and watcher(0.0):
            params, tree = self._best_so_far(trials, deals)
            return params, None, GrowthInterrupted("the last tree was not grown; `tree` lacks a fold", tree)
        return self._decide(trials, deals), stages.next(), None

    def _deals(self, rows: Rows, trees: int) -> list[Folds]:
        """How the rows are held out, given the trees that each way of growing may grow."""
        deals = MOST_DEALS if self._groups is None and trees >= MOST_DEALS * LEAST_FOLDS else 1
        folds = min(MOST_FOLDS, trees // deals)
        if self._groups is not None:
            return [folds_of_groups(self._groups, rows.target, folds)]
        seed = seed_of(self.random_state)
        return [folds_of(*rows, folds, seed + deal) for deal in range(deals)]

    def _best_so_far(self, trials: Sequence[Trial], deals: Sequence[Folds]) -> tuple[dict[str, Any], Tree]:
        """The parameters of the best trial that is over, and one of its trees; sets `account_`."""
        trial = trials[best_trial(trials, self.rule, thrifty=self._is_thrifty())]
        params = self._decide(trials, deals)
        params["leaf"] = trial.configuration.make().get("leaf", "constant")  # no smoothing is in the tree yet
        return params, trial.fold_trees[0].at(float(trial.alpha[trial.step(self.rule)]))

    def _decide(self, trials: Sequence[Trial], deals: Sequence[Folds]) -> dict[str, Any]:
        """The parameters of the best trial, with its penalty; sets `account_`."""
        won = best_trial(trials, self.rule, thrifty=self._is_thrifty())
        trial = trials[won]
        alpha = float(trial.alpha[trial.step(self.rule)])
        params = dict(trial.configuration.make()) | self._limits()
        if trial.configuration.path:
            risk, folds = PATH_RISKS[self._aim()], deals[0].n_folds
            most = 2 * float(trial.loss.mean.max()) + 1e-300 if risk == "error" else 10.0
            # What k rows are worth is less among all rows.
            params["pruning"] = CostComplexity(risk=risk, alpha=min(alpha, most) * (folds - 1) / folds)
        if self._smooths():
            params["leaf"] = SMOOTHING
        fits = sum(len(each.fold_trees) for each in trials) + 1
        self.account_ = report_selection(trials, won, self.rule, self._measure, len(deals), fits)
        return params

    def _aim(self) -> str:
        """What decides between trees: a name of `AIMS`."""
        return "squared error"

    def _is_thrifty(self) -> bool:
        """Whether a smaller tree may win against one of less loss."""
        return True

    def _tries(self, configuration: Configuration) -> bool:
        """Whether a configuration is tried that `consider` does not name."""
        return not configuration.on_request

    def _smooths(self) -> bool:
        """Whether class shares are smoothed: not under constraints, which smoothing might break."""
        return self._measure == "error" and self.monotonic_cst is None

    def _limits(self) -> dict[str, Any]:
        """The parameters handed on as they are."""
        limits = {
            "max_depth": self.max_depth,
            "categorical_features": self.categorical_features,
            "exclude": self.excluded_ or None,
            "parse_dates": self.parse_dates,
            "monotonic_cst": self.monotonic_cst,
            "n_jobs": self.n_jobs,
            "random_state": self.random_state,
        }
        if self.min_samples_leaf is not None:
            limits["min_samples_leaf"] = self.min_samples_leaf
        return limits

    def _considered(self, table: Table, target: Target) -> list[Configuration]:
        """The configurations that suit the table, as many as the budget allows."""
        if not is_whole(self.budget) or self.budget < LEAST_BUDGET:
            raise ValueError(
                f"budget={self.budget!r} must be a whole number of at least {LEAST_BUDGET}: how many trees"
                " may be grown in all"
            )
        check_choice("rule", self.rule, RULES)
        named = named_configurations(self.consider, self._configurations)
        if self.consider is None:
            named = [configuration for configuration in named if self._tries(configuration)]
        classes = target.classes if target.task.is_classes else None
        ordered = bool(monotone_constraints(self.monotonic_cst, table.columns, classes).functionals)
        live = table if target.weights is None else table.take(np.flatnonzero(target.weights > 0))
        shape = TableShape.of(live, ordered=ordered, n_rows=counted_rows(target))
        if self.consider is not None:
            shape = shape.small
        suited = [configuration for configuration in named if configuration.suits(shape)]
        slow = [each.words for each in named if each not in suited and each.suits(shape.small)]
        affordable = max(1, (self.budget - 1) // 2)
        if not suited:
            names = ", ".join(repr(configuration.name) for configuration in named)
            raise ValueError(f"consider={self.consider!r}: none of {names} suits this table; leave it None")
        suited, rest, n_rows = suited[:affordable], suited[affordable:], counted_rows(target)
        self._left_out = {"beyond_budget": tuple(each.words for each in rest), "too_slow": tuple(slow)}
        return suited if n_rows < FEW else [each.for_table(table.columns, n_rows) for each in suited]

    # ---- the tree chosen -----------------------------------------------------------------------------------

    def _fit(
        self,
        X: Any,
        y: Any,
        weighing: tuple[Any, Any],
        target_of: TargetOf,
        progress: Progress | None,
        **more: Any,
    ) -> None:
        """Choose a tree and learn it: `weighing` is (sample_weight, counts), `more` goes to the model."""
        with CtrlC() as ctrl_c:
            limit = TimeLimit(self.time_limit, ctrl_c.asked(progress))
            stopped = self._fit_watched(X, y, weighing, target_of, limit, **more)
        untried = "; ".join(self.account_.untried)
        limit.end_fit(ctrl_c.stopped(stopped, self.tree_), f"; not tried: {untried}" if untried else "")

    def _fit_watched(
        self, X: Any, y: Any, weighing: tuple[Any, Any], target_of: TargetOf, limit: TimeLimit, **more: Any
    ) -> GrowthStopped | None:
        automatic = isinstance(self.exclude, str) and self.exclude == "auto"
        self.excluded_ = [] if automatic else self.exclude
        table = Table.learn(X, self.categorical_features, self.excluded_, self.parse_dates)
        given, target, weights, counts = observed_target(table, weighing, target_of)
        columns = suspicious_columns(table, target, strict=automatic)
        names = self._identifiers(columns, table) if automatic else []
        self.column_warning_ = warn_of_columns(columns, stacklevel=4, excluded=names)
        if names:
            self.excluded_, table = names, Table.learn(X, self.categorical_features, names, self.parse_dates)
            given, target, weights, counts = observed_target(table, weighing, target_of)
        params, last, stopped = self._choose(table, target, limit.progress)
        self.account_ = replace(self.account_, excluded=tuple(names), **self._left_out)
        model: Any = self._estimator(**params, **more)
        model._columns_checked = self.column_warning_  # the user is told once
        if stopped is None:
            try:
                model.fit(X, y, weights, counts=counts, progress=last)
            except GrowthStopped as error:  # the model is fitted all the same
                stopped = error
            if target is not given:
                model.tree_ = with_row_numbers(model.tree_, table, given)
        else:
            model.keep_partial(stopped)
            model.keep_names(X, table)
            if target.labels is not None:
                model.set_labels(target.labels, target.classes)
        self.model_ = model
        for name in ("n_features_in_", "feature_names_in_", "classes_"):
            self.__dict__.pop(name, None)
            if hasattr(model, name):
                setattr(self, name, getattr(model, name))
        return stopped

    def _identifiers(self, columns: SuspiciousColumns, table: Table) -> list[str]:
        """The columns that tell by chance, unless no other is left or `monotonic_cst` counts columns."""
        names = [*columns.identifiers, *columns.near_identifiers]
        counted = self.monotonic_cst is not None and not isinstance(self.monotonic_cst, Mapping)
        return [] if counted or len(names) == len(table.columns) else names

    def _fitted(self) -> TreeModel:
        check_is_fitted(self, "model_")
        return self.model_

    @property
    def tree_(self) -> Tree:
        """The tree chosen."""
        if "model_" not in self.__dict__:
            raise AttributeError(f"this {type(self).__name__} has no tree_ yet: call fit first")
        return self.model_.tree_

    @property
    def partial_(self) -> bool:
        """Whether choosing or growing was stopped before it was finished; `tree_` is the best so far."""
        return is_partial(self.tree_)

    @property
    def pruning_(self) -> Any:
        """What was decided about each node in pruning."""
        return self._fitted().pruning_

    @property
    def feature_importances_(self) -> Floats:
        """Each column's share of the impurity decrease of all splits."""
        return self._fitted().feature_importances_

    def predict(self, X: Any) -> AnyArray:
        """The answer for each row."""
        answers: AnyArray = self._fitted().predict(X)
        return answers

    def apply(self, X: Any) -> Ints:
        """The leaf of each row, as in `TreeClassifier`."""
        return self._fitted().apply(X)

    def apply_weights(self, X: Any) -> sparse.csr_array:
        """The weight of every node as a leaf of each row, as in `TreeClassifier`."""
        return self._fitted().apply_weights(X)

    def decision_path(self, X: Any) -> sparse.csr_matrix:
        """Which nodes each row passes, as in `TreeClassifier`."""
        return self._fitted().decision_path(X)


def ordinary_estimator(model: Any) -> Any:
    """The estimator that an automatic tree chose, or the `model` of a Draft; a saved one, if it is a path."""
    model = inner_model(model, for_rows=True)
    if isinstance(model, AutoTree):
        return model._fitted()
    edited = getattr(model, "model", None)
    return edited if isinstance(edited, TreeModel) else model
