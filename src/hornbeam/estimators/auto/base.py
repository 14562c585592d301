"""AutoTree: what the automatic classifier and regressor share, from the offers to one fitted tree.

One idea: the offers are tried on the same folds, the winner is fitted once more on all rows, and what stands
in `model_` is an ordinary estimator that anyone can make by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from hornbeam._base.checks import check_choice, is_whole
from hornbeam._base.parameters import did_you_mean, seed_of
from hornbeam._base.types import AnyArray, Floats, Ints
from hornbeam.data.table import Table
from hornbeam.data.target import Rows, Target, counted_rows, warn_of_identifiers
from hornbeam.estimators.auto.configurations import Offer, Shape
from hornbeam.estimators.auto.observations import observed, with_row_numbers
from hornbeam.estimators.auto.selection_report import Account, account_of
from hornbeam.estimators.auto.smoothing_choice import softest
from hornbeam.estimators.auto.trials import Trial, compared, tried
from hornbeam.estimators.base import Progress, TreeModel
from hornbeam.estimators.slots import SlotEstimator
from hornbeam.growing.grow import GrowthInterrupted
from hornbeam.growing.monotonic import monotone_constraints
from hornbeam.pruning.cost_complexity import CostComplexity
from hornbeam.pruning.size_choice import RULES
from hornbeam.tree.hooks import inner_model
from hornbeam.tree.tree import Tree

LEAST_BUDGET, MOST_FOLDS = 3, 10
TargetOf = Callable[[int, Any, Any], Target]
FEW = 30  # from fewer rows, less than three for each fold, cross-validation says nothing


class AutoTree(SlotEstimator):
    """The base class of `AutoTreeClassifier` and `AutoTreeRegressor`."""

    model_: TreeModel
    account_: Account

    _offers: Sequence[Offer]
    _estimator: type[TreeModel]
    _thrifty: bool
    _measure: str

    # ---- choosing ------------------------------------------------------------------------------------------

    def _choose(self, table: Table, target: Target, progress: Progress | None) -> dict[str, Any]:
        """The parameters of the estimator that wins; the account is kept."""
        offers = self._considered(table, target)
        n_rows = counted_rows(target)
        if n_rows < FEW:
            self.account_ = _untried(offers[0], self._measure)
            kept = {"pruning": CostComplexity(alpha=0.0)} if offers[0].path else {}
            return dict(offers[0].make()) | self._limits() | kept
        folds = min(MOST_FOLDS, (self.budget - 1) // len(offers))
        seed, rows, trials = seed_of(self.random_state), Rows(table, target), []
        for k, offer in enumerate(offers):
            tell = None if progress is None else _share(progress, k, len(offers) + 1)
            try:
                trials.append(tried(offer, self._asked(offer), rows, folds, seed, tell))
            except GrowthInterrupted as stopped:
                raise self._so_far(trials, len(offers), stopped.tree) from None
        return self._decided(trials, folds * len(offers) + 1)

    def _so_far(self, trials: Sequence[Trial], n: int, grown: Tree) -> GrowthInterrupted:
        """What to raise when choosing is stopped: the best tree of the trials that are over."""
        said = (
            f"choosing was interrupted after {len(trials)} of {n} ways of growing; the exception's `tree` is"
        )
        if not trials:
            return GrowthInterrupted(f"{said} an unfinished trial without a part of the rows", grown)
        trial = trials[compared(trials, self.rule, thrifty=self._thrifty)]
        best = trial.grown[0].at(float(trial.alpha[trial.step(self.rule)]))
        return GrowthInterrupted(f"{said} the best so far, grown without one of the folds", best)

    def _decided(self, trials: Sequence[Trial], fits: int) -> dict[str, Any]:
        won = compared(trials, self.rule, thrifty=self._thrifty)
        trial = trials[won]
        step = trial.step(self.rule)
        alpha = float(trial.alpha[step])
        found = dict(trial.offer.make()) | self._limits()
        if trial.offer.path:
            found["pruning"] = CostComplexity(alpha=_for_all_rows(trial, alpha))
        soft = None
        if self._measure == "error" and self.monotonic_cst is None:
            leaf, loss = softest(trial.grown, alpha)
            found["leaf"], soft = leaf, (_named(leaf), loss)
        self.account_ = account_of(trials, won, step, self.rule, self._measure, fits, soft)
        return found

    def _asked(self, offer: Offer) -> TreeModel:
        return self._estimator(**dict(offer.make()) | self._limits())

    def _limits(self) -> dict[str, Any]:
        """The parameters handed on as they are."""
        given = {
            "max_depth": self.max_depth,
            "categorical_features": self.categorical_features,
            "monotonic_cst": self.monotonic_cst,
            "n_jobs": self.n_jobs,
            "random_state": self.random_state,
        }
        if self.min_samples_leaf is not None:
            given["min_samples_leaf"] = self.min_samples_leaf
        return given

    def _considered(self, table: Table, target: Target) -> list[Offer]:
        """The offers that suit the table, as many as the budget allows."""
        if not is_whole(self.budget) or self.budget < LEAST_BUDGET:
            raise ValueError(
                f"budget={self.budget!r} must be a whole number of at least {LEAST_BUDGET}: how many trees"
                " may be grown in all"
            )
        check_choice("rule", self.rule, RULES)
        known = {offer.name: offer for offer in self._offers}
        wanted = self._named_offers(known)
        classes = target.classes if target.kind == "classes" else None
        ordered = bool(monotone_constraints(self.monotonic_cst, table.columns, classes).functionals)
        live = table if target.weights is None else table.take(np.flatnonzero(target.weights > 0))
        shape = Shape.of(live, ordered=ordered, n_rows=counted_rows(target))
        suited = [offer for offer in wanted if offer.suits(shape if self.consider is None else shape.small)]
        if not suited:
            names = ", ".join(repr(offer.name) for offer in wanted)
            raise ValueError(f"consider={self.consider!r}: none of {names} suits this table; leave it None")
        return suited[: max(1, (self.budget - 1) // 2)]

    def _named_offers(self, known: Mapping[str, Offer]) -> list[Offer]:
        if self.consider is None:
            return list(known.values())
        given = [self.consider] if isinstance(self.consider, str) else list(self.consider)
        if not given:
            raise ValueError(f"consider=() leaves nothing to choose from: name some of {', '.join(known)}")
        for name in given:
            if name not in known:
                allowed = ", ".join(map(repr, known))
                raise ValueError(
                    f"consider names {name!r}, which is not known{did_you_mean(name, known)}: use {allowed}"
                )
        return [offer for name, offer in known.items() if name in given]

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
        table = Table.learn(X, self.categorical_features)
        given = target_of(table.n_rows, *weighing)
        weights, counts = observed(table, given, *weighing)
        changed = weights is not weighing[0] or counts is not weighing[1]
        target = target_of(table.n_rows, weights, counts) if changed else given
        warn_of_identifiers(table, target, stacklevel=4)
        model: Any = self._estimator(**self._choose(table, target, progress), **more)
        model.fit(X, y, weights, counts=counts)
        if changed:
            model.tree_ = with_row_numbers(model.tree_, table, given)
        self.model_ = model
        for name in ("n_features_in_", "feature_names_in_", "classes_"):
            self.__dict__.pop(name, None)
            if hasattr(model, name):
                setattr(self, name, getattr(model, name))

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
    def pruning_(self) -> Any:
        """What was decided about each node in pruning."""
        return self._fitted().pruning_

    @property
    def feature_importances_(self) -> Floats:
        """Each column's share of the impurity decrease of all splits."""
        return self._fitted().feature_importances_

    def predict(self, X: Any) -> AnyArray:
        """The answer for each row."""
        found: AnyArray = self._fitted().predict(X)
        return found

    def apply(self, X: Any) -> Ints:
        """The leaf of each row, as in `TreeClassifier`."""
        return self._fitted().apply(X)

    def apply_weights(self, X: Any) -> sparse.csr_array:
        """The weight of every node as a leaf of each row, as in `TreeClassifier`."""
        return self._fitted().apply_weights(X)

    def decision_path(self, X: Any) -> sparse.csr_matrix:
        """Which nodes each row passes, as in `TreeClassifier`."""
        return self._fitted().decision_path(X)


def ordinary(model: Any) -> Any:
    """The estimator that an automatic tree chose, or the `model` of a Draft; a saved one, if it is a path."""
    model = inner_model(model, for_rows=True)
    if isinstance(model, AutoTree):
        return model._fitted()
    edited = getattr(model, "model", None)
    return edited if isinstance(edited, TreeModel) else model


def _for_all_rows(trial: Trial, alpha: float) -> float:
    """The penalty for a tree of all rows: what k rows are worth is less among more rows."""
    folds = len(trial.grown)
    return min(alpha, 2 * float(trial.lost.mean.max()) + 1e-300) * (folds - 1) / folds


def _untried(offer: Offer, measure: str) -> Account:
    """The account where there were too few rows to hold any out."""
    line: dict[str, Any] = {"name": offer.name, "words": offer.words}
    line |= dict.fromkeys(("loss", "error", "leaves", "taken_loss", "taken_leaves"))
    return Account((line,), offer.name, None, None, None, None, 0, 1, measure)


def _share(progress: Progress, k: int, n: int) -> Progress:
    return lambda done: progress((k + done) / n)


def _named(leaf: Any) -> str:
    value = {"shrinkage": leaf.strength, "m-estimate": leaf.m}.get(leaf.smoothing)
    return leaf.smoothing if value is None else f"{leaf.smoothing} ({value:g})"
