"""CART's cost-complexity pruning, by a penalty for each leaf that is given or found by cross-validation.

For cross-validation a tree is grown once for each fold and its critical alphas are found once; then all steps
are judged together. A step stands for penalties between its own and the next one's, so trees of folds are
judged at their geometric mean (Breiman, Friedman, Olshen & Stone 1984, section 3.4.2).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import add
from queue import SimpleQueue
from typing import Any

import numpy as np

from hornbeam._base.parameters import check_choice, check_least, n_threads, seed_of
from hornbeam._base.types import Floats
from hornbeam._base.worker_threads import SubmittedCall, worker_pool
from hornbeam.data.folds import folds_of
from hornbeam.data.table import Table
from hornbeam.data.target import Rows, Target
from hornbeam.growing.interruption import GrowthStopped
from hornbeam.pruning.base import Grow, Growing, Pruner
from hornbeam.pruning.held_out_losses import HeldOutLoss, held_out_loss
from hornbeam.pruning.nested_subtrees import RISKS, RULES, path_of, strengths, with_losses
from hornbeam.pruning.record import Pruned
from hornbeam.tree.tree import Tree


def cross_validate_path(
    grow: Grow,
    table: Table,
    target: Target,
    alpha: Floats,
    cv: Any,
    seed: int = 0,
    risk: str = "error",
    n_jobs: int | None = 1,
) -> HeldOutLoss:
    """The loss of the rows at each step of a path, every row by the tree of the fold it is held out of.

    Parameters
    ----------
    grow : the unpruned tree of some rows
    table, target : all rows
    alpha : the penalties of the path
    cv : the number of folds, or the fold of each row
    seed : of the folds
    risk : {"error", "impurity"}
    n_jobs : with more than one thread a tree is judged while the next one grows
    """
    alphas = mean_alphas(alpha)

    def judge(tree: Tree, held: Rows) -> HeldOutLoss:
        return held_out_loss(tree, strengths(tree, risk), alphas, held.table, held.target)

    parts = folds_of(table, target, cv, seed).parts(table, target)
    if n_threads(n_jobs) < 2:
        losses = [judge(grow(*sample), held) for sample, held in parts]
    else:
        done: SimpleQueue[SubmittedCall[HeldOutLoss]] = SimpleQueue()
        with worker_pool(1) as judges:
            jobs = [judges.submit(done, judge, grow(*sample), held) for sample, held in parts]
            losses = [done.get().result() for _ in jobs]  # by one thread, so in the order of the folds
    return reduce(add, losses)


def mean_alphas(alpha: Floats) -> Floats:
    """The geometric means of successive penalties; the last is infinite.

    >>> mean_alphas(np.array([0.0, 0.01, 0.04]))
    array([0.  , 0.02,  inf])
    """
    if len(alpha) == 1:
        return np.array([np.inf])
    means: Floats = np.sqrt(alpha) * np.sqrt(np.append(alpha[1:], np.inf))
    return means


USUAL_FOLDS = 10


@dataclass(eq=False, repr=False)
class CostComplexity(Pruner):
    """Cost-complexity pruning: least risk + alpha x leaves.

    In an estimator the penalty is found by cross-validation unless `alpha` is given: trees are grown without
    each fold, all steps of the pruning path are judged on the rows held out, and `rule` chooses the step.
    With `hornbeam.prune` the rows given, which did not grow the tree, are judged instead. The whole path is
    kept as `pruning_.facts["path"]`, see `hornbeam.pruning_path`.

    Parameters
    ----------
    risk : {"error", "impurity"}
        "error" is the book's: share of rows answered wrongly or mean cost by the tree's costs and priors,
        mean squared error of a regression, half the mean deviance of a Poisson tree, the mean absolute or
        pinball loss of a median or quantile tree. "impurity" gives
        scikit-learn's path (`ccp_alpha`); held-out rows are judged by their error all the same.
    alpha : float or None
        The penalty for each leaf, in units of the risk per row; None: found by rows held out.
    cv : int, array or None
        The number of folds, or the fold of each row. None: 10, fewer if there are fewer rows. Folds are
        seeded, have their share of every class, and do not depend on the order of the rows; a row with a
        count is dealt as so many rows.
    rule : {"1-se", "min", "thrifty"}
        Which step: the smallest tree within one standard error of the least error; the least error; or the
        least of error + 3/4 standard errors for each doubling of the leaves.
    random_state : int, Generator, RandomState or None
        The seed of the folds.
    unit : {"row", "root"}
        What `alpha` is measured in: risk per row, or the risk of the root as a leaf, as rpart's `cp` is.
    min_rows : int
        From fewer rows no penalty is found by cross-validation: every subtree that lowers the risk stays.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from hornbeam import TreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> TreeClassifier().fit(X, y).tree_.n_leaves
    22
    >>> model = TreeClassifier(pruning="cost-complexity").fit(X, y)
    >>> model.tree_.n_leaves
    6
    >>> TreeClassifier(pruning=CostComplexity(alpha=0.005)).fit(X, y).tree_.n_leaves
    6
    """

    name, about = "cost-complexity", "least risk + alpha x leaves, alpha by cross-validation (CART)"

    risk: str = "error"
    alpha: float | None = None
    cv: Any = None
    rule: str = "1-se"
    random_state: Any = 0
    unit: str = "row"
    min_rows: int = 0

    def prunes_several(self) -> bool:
        """Where the penalty is given: the risk is the mean of those of the targets."""
        return self.alpha is not None

    def check(self) -> None:
        """Raise if one of the numbers is not allowed."""
        check_choice("risk", self.risk, RISKS)
        check_choice("rule", self.rule, RULES)
        check_choice("unit", self.unit, ("row", "root"))
        check_least("min_rows", self.min_rows, 0, "rows from which cross-validation finds the penalty")
        if self.alpha is None:
            return
        check_least("alpha", self.alpha, 0, "the penalty for each leaf; None finds it by cross-validation")
        if self.cv is not None:
            raise ValueError(
                f"alpha={self.alpha!r} and cv={self.cv!r} both decide the penalty: give one of them and leave"
                " the other None"
            )

    def prune(self, tree: Tree, table: Table | None = None, target: Target | None = None) -> Pruned:
        """Return the subtree at `alpha`; without it, the one that `rule` chooses on rows held out."""
        path = path_of(tree, self.risk)
        if self.alpha is not None:
            root = float(path.risk[-1]) if self.unit == "root" else 1.0
            return path.pruned(path.step(alpha=self.alpha * root))
        if self.cv is not None:
            raise ValueError(
                f"cv={self.cv!r} grows trees anew, which a tree that stands cannot do: use"
                " hornbeam.pruning_path(model, X, y, cv=...), or this part in the slot `pruning`"
            )
        if table is None or target is None:
            raise ValueError(
                "alpha=None finds the penalty by rows that did not grow the tree: give them as X and y, give"
                " alpha, or cross-validate with hornbeam.pruning_path(model, X, y, cv=10)"
            )
        loss = held_out_loss(tree, path.strength, path.alpha, table, target)
        path = with_losses(path, validation=loss)
        return path.pruned(path.step(self.rule))

    def learn(self, grow: Grow, table: Table, target: Target) -> Pruned:
        """Grow on all rows, and without each fold if the penalty is to be found."""
        tree = grow(table, target)
        if self.alpha is not None:
            return self.prune(tree)
        path = path_of(tree, self.risk)
        cv = min(USUAL_FOLDS, int(tree.n_rows[0])) if self.cv is None else self.cv
        few = (self.cv is None and cv < 2) or int(tree.n_rows[0]) < self.min_rows
        if len(path) == 1 or few:  # nothing to choose, or nothing to choose by
            return path.pruned(0)
        jobs, seed = grow.n_jobs if isinstance(grow, Growing) else 1, seed_of(self.random_state)
        trial = (grow.try_out if isinstance(grow, Growing) else None) or grow
        try:
            loss = cross_validate_path(trial, table, target, path.alpha, cv, seed, self.risk, jobs)
        except GrowthStopped as stopped:
            stopped.tree = tree
            raise
        path = with_losses(path, cv=loss)
        return path.pruned(path.step(self.rule))
