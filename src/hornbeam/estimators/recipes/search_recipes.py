"""Recipes that look further than one test: optimal trees, and looking ahead."""

from __future__ import annotations

from typing import Any, Literal, overload

from hornbeam.estimators.recipes.regression_recipes import estimator_for
from hornbeam.estimators.tree_estimators import TreeClassifier, TreeRegressor
from hornbeam.growing.searches import Lookahead, Optimal


@overload
def optimal(max_depth: int = 3, task: Literal["classes"] = "classes", **options: Any) -> TreeClassifier: ...


@overload
def optimal(max_depth: int, task: Literal["real"], **options: Any) -> TreeRegressor: ...


def optimal(
    max_depth: int = 3,
    task: str = "classes",
    *,
    time_limit: float = 60.0,
    max_gap: float = 0.0,
    memory: str | int = "256MB",
    price: float = 0.0,
    **params: Any,
) -> TreeClassifier | TreeRegressor:
    """An estimator that finds a tree of a depth with the least error, and proves it.

    Of the best trees it is one with the fewest leaves. `certificate_` says what was proven;
    if the time is over before that, it says how far from the best the tree may be.

    Parameters
    ----------
    max_depth : int
        How many tests a row meets at most: 2 or 3 for thousands of rows, 4 for hundreds.
    task : {"classes", "real"}
        What is predicted: classes or numbers.
    time_limit : float
        Seconds after which the best tree so far is kept.
    max_gap : float
        Stop when the tree is proven to be within this share of the best possible one.
    memory : str or int
        For what is remembered of sets of rows: bytes, or "256MB".
    price : float
        Errors that a leaf must save.
    **params
        Other parameters of the estimator, such as `min_samples_leaf=5`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> print(optimal(max_depth=2).fit(X, y).certificate_)
    No tree of depth 2 makes fewer than 22 errors on these 569 rows; greedy growth makes 33.
    """
    search = Optimal(time_limit=time_limit, max_gap=max_gap, memory=memory, price=price)
    own: dict[str, Any] = {"search": search, "max_depth": max_depth}
    return estimator_for(task)(**own | params)


@overload
def lookahead(depth: int = 2, task: Literal["classes"] = "classes", **options: Any) -> TreeClassifier: ...


@overload
def lookahead(depth: int, task: Literal["real"], **options: Any) -> TreeRegressor: ...


def lookahead(depth: int = 2, task: str = "classes", **params: Any) -> TreeClassifier | TreeRegressor:
    """An estimator that judges a test by the best tests below it.

    Parameters
    ----------
    depth : int
        How many levels are looked at.
    task : {"classes", "real"}
        What is predicted: classes or numbers.
    **params
        Other parameters of the estimator, such as `max_depth=4`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> round(lookahead(max_depth=3).fit(X, y).score(X, y), 3)
    0.982
    """
    return estimator_for(task)(**{"search": Lookahead(depth=depth)} | params)
