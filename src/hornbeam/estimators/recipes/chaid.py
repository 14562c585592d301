"""CHAID (Kass 1980): merged categories, adjusted p-values, a branch for each group (R86)."""

from __future__ import annotations

from typing import Any, Literal, overload

from hornbeam.estimators.tree_estimators import TreeClassifier, TreeRegressor
from hornbeam.growing.selections.significance_selections import ChiSquare


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
    TreeRegressor(max_depth=3, selection=ChiSquare(min_rows=2))
    """
    selection = ChiSquare(
        alpha,
        merge,
        resplit,
        bonferroni=bonferroni,
        statistic=statistic,
        n_bins=n_bins,
        min_rows=min_rows,
    )
    return estimator_for(task)(**{"selection": selection} | params)


def estimator_for(task: str) -> type[TreeClassifier] | type[TreeRegressor]:
    """The estimator of a task."""
    if task not in ("classes", "real"):
        raise ValueError(f"task={task!r} must be 'classes' or 'real'")
    return TreeClassifier if task == "classes" else TreeRegressor
