"""CART (Breiman, Friedman, Olshen & Stone 1984): two branches, surrogates, pruning by the 1-SE rule."""

from __future__ import annotations

from typing import Any, Literal, overload

from hornbeam.estimators.recipes.chaid import estimator_for
from hornbeam.estimators.tree_estimators import TreeClassifier, TreeRegressor
from hornbeam.growing.missing import Surrogates
from hornbeam.pruning.cost_complexity import CostComplexity

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
