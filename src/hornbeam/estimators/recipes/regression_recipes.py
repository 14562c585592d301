"""Recipes that also grow regression trees: CHAID, ctree, CART, rpart; and M5, which grows nothing else.

References
----------
CHAID: Kass (1980). ctree: Hothorn, Hornik & Zeileis (2006). CART: Breiman, Friedman, Olshen & Stone (1984).
M5 and M5': Quinlan (1992), Wang & Witten (1997).
"""

from __future__ import annotations

from typing import Any, Literal, overload

from hornbeam.estimators.tree_estimators import TreeClassifier, TreeRegressor
from hornbeam.estimators.tree_survival import TreeSurvival
from hornbeam.growing.leaves.linear import TESTED, Linear
from hornbeam.growing.missing import Surrogates
from hornbeam.growing.selections.significance_selections import ChiSquareSelection, Conditional
from hornbeam.growing.splits.column_splits import Binary
from hornbeam.pruning.cost_complexity import CostComplexity
from hornbeam.pruning.model_error import ModelError


@overload
def chaid(task: Literal["classes"] = "classes", **options: Any) -> TreeClassifier: ...


@overload
def chaid(task: Literal["real"], **options: Any) -> TreeRegressor: ...


def chaid(
    task: str = "classes",
    *,
    alpha: float = 0.05,
    merge: float = 0.05,
    resplit: float | None = None,
    bonferroni: bool = True,
    statistic: str = "pearson",
    n_bins: int = 10,
    min_rows: int = 2,
    **params: Any,
) -> TreeClassifier | TreeRegressor:
    """An estimator that grows CHAID trees.

    At each node the categories of every column are merged while they do not differ (chi-square test, p
    above `merge`); the column whose merged table has the smallest p-value, multiplied by the number of ways
    to merge so, splits the node if that is at most `alpha`, with a branch for each group of values. Gaps
    are a category. For a real target the F test takes the place of the chi-square test.

    Parameters
    ----------
    task : "classes" or "real"
        Whether to return a TreeClassifier or a TreeRegressor.
    alpha, merge, resplit, bonferroni, statistic, n_bins
        As in `hornbeam.parts.ChiSquareSelection`.
    min_rows : int
        A node of fewer rows stays a leaf. Kass tests every node; programs ask for 20 to 100 rows, since the
        chi-square law holds for many rows only.
    **params
        Other parameters of the estimator, such as `max_depth=3`, `min_samples_leaf=50`,
        `class_weight="balanced"`.

    Examples
    --------
    >>> import hornbeam as hb
    >>> X = {"part": ["a"] * 50 + ["b"] * 50 + ["c"] * 50 + ["d"] * 50}
    >>> y = [c for good in (20, 22, 40, 5) for c in ["x"] * good + ["z"] * (50 - good)]
    >>> model = chaid().fit(X, y)
    >>> model.tree_.text()
    'part[{a,b}: z(42:58) | {c}: x(40:10) | {d}: z(5:45)]'
    >>> chaid("real", max_depth=3)
    TreeRegressor(max_depth=3, selection=ChiSquareSelection(min_rows=2))
    """
    selection = ChiSquareSelection(
        alpha,
        merge,
        resplit,
        bonferroni=bonferroni,
        statistic=statistic,
        n_bins=n_bins,
        min_rows=min_rows,
    )
    return estimator_for(task)(**{"selection": selection} | params)


def estimator_for(task: str, *more: str) -> type[TreeClassifier] | type[TreeRegressor]:
    """The estimator of a task; `more` are others that the recipe knows."""
    if task not in ("classes", "real"):
        *some, last = map(repr, ("classes", "real", *more))
        raise ValueError(f"task={task!r} must be {', '.join(some)} or {last}")
    return TreeClassifier if task == "classes" else TreeRegressor


@overload
def ctree(task: Literal["classes"] = "classes", **options: Any) -> TreeClassifier: ...


@overload
def ctree(task: Literal["real"], **options: Any) -> TreeRegressor: ...


@overload
def ctree(task: Literal["survival"], **options: Any) -> TreeSurvival: ...


def ctree(
    task: str = "classes",
    *,
    alpha: float = 0.05,
    bonferroni: bool = True,
    test: str = "quadratic",
    cut: str = "quadratic",
    min_rows: int = 20,
    min_samples_leaf: float = 7,
    min_share: float = 0.01,
    tries: int = 2,
    missing: Any = "majority",
    **params: Any,
) -> TreeClassifier | TreeRegressor | TreeSurvival:
    """An estimator that grows conditional inference trees, with the defaults of partykit's `ctree`.

    A permutation test decides which column matters at a node, and whether any does; then its best cut is
    made. Where nothing is missing the tree is partykit's. With gaps it is partykit's with `majority =
    TRUE`.

    Parameters
    ----------
    task : "classes", "real" or "survival"
        The estimator to return; with survival times, columns are tested against log-rank scores of all rows.
    alpha, bonferroni, test, cut, min_share, tries
        As in `hornbeam.parts.Conditional`; partykit calls them alpha, testtype, teststat, splitstat,
        minprob and splittry.
    min_rows, min_samples_leaf : int
        Rows to split a node, and in each branch; partykit's minsplit and minbucket.
    missing : the slot for missing values
    **params
        Other parameters of the estimator, such as `max_depth=3`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> ctree().fit(X, y).tree_.statistics()
    {'depth': 3, 'leaves': 4, 'tests': 3, 'nodes': 7, 'reading_size': 7}
    >>> ctree("real", alpha=0.01)
    TreeRegressor(min_samples_leaf=7, missing='majority',
                  selection=Conditional(alpha=0.01, min_rows=20),
                  split=Binary(threshold_at='lower'))
    """
    selection = Conditional(
        alpha, bonferroni=bonferroni, test=test, cut=cut, min_share=min_share, tries=tries, min_rows=min_rows
    )
    own: dict[str, Any] = {
        "selection": selection,
        "split": Binary(threshold_at="lower"),
        "missing": missing,
        "min_samples_leaf": min_samples_leaf,
    }
    if task == "survival":
        return TreeSurvival(**own | params)
    return estimator_for(task, "survival")(**own | params)


FEW = 30  # from fewer rows, less than three for each fold, cross-validation says nothing


@overload
def cart(task: Literal["classes"] = "classes", **options: Any) -> TreeClassifier: ...


@overload
def cart(task: Literal["real"], **options: Any) -> TreeRegressor: ...


def cart(
    task: str = "classes",
    *,
    alpha: float | None = None,
    cv: Any = None,
    rule: str = "1-se",
    max_surrogates: int = 5,
    random_state: int = 0,
    **params: Any,
) -> TreeClassifier | TreeRegressor:
    """An estimator that grows and prunes trees as CART does.

    Every test has two branches: a threshold, or two sets of values. It is the one of the largest decrease of
    the Gini index, or of the variance. Where its column is missing, the column that imitates it best decides.
    The full tree is pruned by cost-complexity; the penalty is the one for which the smallest tree is within a
    standard error of the least cross-validated error. From fewer than 30 rows nothing is found by
    cross-validation, and every subtree that lowers the training error stays.

    Parameters
    ----------
    task : "classes" or "real"
        Whether to return a TreeClassifier or a TreeRegressor.
    alpha, cv, rule, random_state
        As in `hornbeam.parts.CostComplexity`: a penalty for each leaf instead of one found by
        cross-validation; folds; "1-se", "min" or "thrifty"; the seed of the folds.
    max_surrogates : int
        Tests that stand in for each test.
    **params
        Other parameters of the estimator, such as `min_samples_leaf=5`, `priors="equal"`, `costs={...}`;
        `pruning=None` leaves the full tree.

    References
    ----------
    Breiman, L., Friedman, J., Olshen, R. & Stone, C. (1984). Classification and Regression Trees. Wadsworth.

    Examples
    --------
    >>> import hornbeam as hb
    >>> cart()
    TreeClassifier(missing=Surrogates(), pruning=CostComplexity(min_rows=30))
    >>> tennis = hb.datasets.load("tennis")
    >>> cart(alpha=0.1).fit(tennis.X, tennis.y).tree_.text()
    'Outlook[{Overcast}: Yes(0:4) | {Rain,Sunny}: Humidity[{High}: No(4:1) | {Normal}: Yes(1:4)]]'
    """
    least = FEW if alpha is None and cv is None else 0
    own: dict[str, Any] = {
        "missing": Surrogates(max_surrogates=max_surrogates),
        "pruning": CostComplexity(alpha=alpha, cv=cv, rule=rule, random_state=random_state, min_rows=least),
    }
    return estimator_for(task)(**own | params)


@overload
def rpart(task: Literal["classes"] = "classes", **options: Any) -> TreeClassifier: ...


@overload
def rpart(task: Literal["real"], **options: Any) -> TreeRegressor: ...


@overload
def rpart(task: Literal["survival"], **options: Any) -> TreeSurvival: ...


def rpart(
    task: str = "classes",
    *,
    minsplit: int = 20,
    minbucket: int | None = None,
    cp: float = 0.01,
    maxsurrogate: int = 5,
    maxdepth: int = 30,
    **params: Any,
) -> TreeClassifier | TreeRegressor | TreeSurvival:
    """An estimator that grows trees as R's package rpart does, with its parameters and defaults.

    The tests are CART's; a subtree stays if each of its tests lowers the risk by more than `cp` of the risk
    of the root. Nothing is cross-validated; for that use `hornbeam.cart`.

    Parameters
    ----------
    task : "classes", "real" or "survival"
        rpart's method "class", "anova" or "exp".
    minsplit, minbucket : int
        Rows to split a node, and in each branch; None is a third of minsplit, as in rpart.
    cp : float
        The complexity parameter, a share of the root's risk.
    maxsurrogate : int
        Stand-ins of each test; rows that none of them knows go with the majority (usesurrogate = 2).
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
    least = max(1, round(minsplit / 3)) if hasattr(minsplit, "__index__") else 1  # fit refuses what is none
    own: dict[str, Any] = {
        "missing": Surrogates(max_surrogates=maxsurrogate),
        "pruning": CostComplexity(alpha=cp, unit="root"),
        "split": Binary(threshold_at="midpoint"),
        "min_samples_split": minsplit,
        "min_samples_leaf": least if minbucket is None else minbucket,
        "max_depth": maxdepth,
        "min_gain": 0.0,
    }
    if task == "survival":
        return TreeSurvival(**{"criterion": "exponential"} | own | params)
    return estimator_for(task, "survival")(**own | params)


def m5(
    *,
    smoothing: float = 15.0,
    factor: str = "quinlan",
    drop: str | None = "akaike",
    clip: bool = True,
    nominal: str = "synthetic",
    min_samples_split: float = 4,
    min_samples_leaf: float = 2,
    min_sd_share: float = 0.05,
    **params: Any,
) -> TreeRegressor:
    """An estimator that grows M5' model trees.

    The tree is grown by the reduction of the standard deviation until a node has fewer than 4 rows or a
    deviation below 5 % of the root's. Every node gets a linear equation in the columns tested below it, whose
    terms are dropped while they do not pay; from below, subtrees are replaced by their
    node's equation where its adjusted error is no larger; the equations of the leaves that remain are
    smoothed with those above them.

    Parameters
    ----------
    smoothing : float
        k of p' = (n p + k q) / (n + k); 0 is none.
    factor : "quinlan" or "weka"
        By what errors are adjusted: (n + v) / (n - v), or Weka's (n + 2 v) / (n - v).
    drop : "akaike", "quinlan", "weka" or None
        How terms are dropped, as in `hornbeam.parts.Linear`: by Akaike's criterion as Weka's M5P does;
        "quinlan" is Quinlan's own rule, None keeps all terms. The two predict about equally well.
    clip : bool
        Whether predictions are kept within the leaf's range of y, smoothed as the equations are. Quinlan's
        and Weka's are not, and a line without bounds can be far off where a row lies outside what was seen.
    nominal : "synthetic" or "none"
        Whether nominal columns enter the equations as variables of 0 and 1.
    min_samples_split, min_samples_leaf, min_sd_share
        Where growing stops.
    **params
        Other parameters of the estimator, such as `max_depth=5` or `monotonic_cst={"age": -1}`;
        `pruning=None` leaves the tree as it was grown.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.linspace(0, 10, 101)
    >>> model = m5().fit({"x": x}, np.where(x < 4, 3 * x, 20 - x))
    >>> model.tree_.statistics()
    {'depth': 3, 'leaves': 4, 'tests': 3, 'nodes': 7, 'reading_size': 11}
    """
    own: dict[str, Any] = {
        "criterion": "sd",
        "leaf": Linear(TESTED, clip=clip, drop=drop, nominal=nominal, smoothing=smoothing),
        "pruning": ModelError(factor),
        "min_samples_split": min_samples_split,
        "min_samples_leaf": min_samples_leaf,
        "min_sd_share": min_sd_share,
    }
    return TreeRegressor(**own | params)
