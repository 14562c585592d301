"""Conditional inference trees as partykit's ctree grows them (Hothorn, Hornik & Zeileis 2006)."""

from __future__ import annotations

from typing import Any, Literal, overload

from hornbeam.estimators.recipes.chaid import estimator_for
from hornbeam.estimators.tree_estimators import TreeClassifier, TreeRegressor
from hornbeam.growing.selections.significance_selections import Conditional


@overload
def ctree(task: Literal["classes"] = "classes", **options: Any) -> TreeClassifier: ...


@overload
def ctree(task: Literal["real"], **options: Any) -> TreeRegressor: ...


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
) -> TreeClassifier | TreeRegressor:
    """An estimator that grows conditional inference trees, with the defaults of partykit's `ctree`.

    A permutation test decides which column matters at a node, and whether any does; then its best cut is
    made. Where nothing is missing the tree is partykit's. With gaps it is partykit's with `majority =
    TRUE`.

    Parameters
    ----------
    task : "classes" or "real"
        Whether to return a TreeClassifier or a TreeRegressor.
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
    {'depth': 3, 'leaves': 4, 'tests': 3, 'nodes': 7}
    >>> ctree("real", alpha=0.01)
    TreeRegressor(min_samples_leaf=7, missing='majority',
                  selection=Conditional(alpha=0.01, min_rows=20))
    """
    selection = Conditional(
        alpha, bonferroni=bonferroni, test=test, cut=cut, min_share=min_share, tries=tries, min_rows=min_rows
    )
    own = {"selection": selection, "missing": missing, "min_samples_leaf": min_samples_leaf}
    return estimator_for(task)(**own | params)
