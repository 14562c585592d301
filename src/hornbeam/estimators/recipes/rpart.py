"""rpart, R's CART, with its defaults: a tree that stops at 20 rows and at the complexity 0.01."""

from __future__ import annotations

from typing import Any, Literal, overload

from hornbeam.estimators.recipes.chaid import estimator_for
from hornbeam.estimators.tree_estimators import TreeClassifier, TreeRegressor
from hornbeam.growing.missing import Surrogates
from hornbeam.pruning.cost_complexity import CostComplexity


@overload
def rpart(task: Literal["classes"] = "classes", **options: Any) -> TreeClassifier: ...


@overload
def rpart(task: Literal["real"], **options: Any) -> TreeRegressor: ...


def rpart(
    task: str = "classes",
    *,
    minsplit: int = 20,
    minbucket: int | None = None,
    cp: float = 0.01,
    maxsurrogate: int = 5,
    maxdepth: int = 30,
    **params: Any,
) -> TreeClassifier | TreeRegressor:
    """An estimator that grows trees as R's package rpart does, with its parameters and defaults.

    The tests are CART's; a subtree stays if each of its tests lowers the risk by more than `cp` of the risk
    of the root. Nothing is cross-validated; for that use `hornbeam.cart`.

    Parameters
    ----------
    task : "classes" or "real"
        rpart's method "class" or "anova".
    minsplit, minbucket : int
        Rows to split a node, and in each branch; None is a third of minsplit, as in rpart.
    cp : float
        The complexity parameter, a share of the root's risk.
    maxsurrogate : int
        Tests that stand in for each test; a row that none of them knows goes with the majority
        (usesurrogate = 2).
    maxdepth : int
        Tests on the longest path.
    **params
        Other parameters of the estimator, such as `priors="equal"`, which is the prior of rpart's parms,
        `costs={...}`, its loss, and `criterion="poisson"`, its method "poisson" without shrinking of rates
        (`parms = list(shrink = 0)`): the risk is then the deviance.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> rpart().fit(X, y).tree_.text()
    'petal length (cm)[<=2.45: 0(50:0:0) | >2.45: petal width (cm)[<=1.75: 1(0:49:5) | >1.75: 2(0:1:45)]]'
    """
    own: dict[str, Any] = {
        "missing": Surrogates(max_surrogates=maxsurrogate),
        "pruning": CostComplexity(alpha=cp, unit="root"),
        "min_samples_split": minsplit,
        "min_samples_leaf": max(1, round(minsplit / 3)) if minbucket is None else minbucket,
        "max_depth": maxdepth,
        "min_gain": 0.0,
    }
    return estimator_for(task)(**own | params)
