"""BuildTree (Kerrigan): Gini, a feature and a threshold, a maximum depth, a minimum size (R42)."""

from __future__ import annotations

from typing import Any

from hornbeam.estimators.tree_estimators import TreeClassifier
from hornbeam.growing.missing import OwnBranch


def buildtree(max_depth: int | None = None, n_min: float = 2, **params: Any) -> TreeClassifier:
    """An estimator that grows trees as BuildTree does.

    A node is a leaf if its rows are of one class, if it lies at `max_depth`, or if it has fewer than `n_min`
    rows; otherwise the feature j and threshold t of the least Gini index divide it into x_j <= t and x_j > t.
    Each value of a nominal column is a binary variable of its own, tested as `A = v`. A leaf answers with the
    class shares of its rows. Gaps are treated as in `builddt`.

    Parameters
    ----------
    max_depth : int or None
        A node of this depth is a leaf; the root has depth 0.
    n_min : int or float
        A node of fewer rows is a leaf; a float is a share of all rows. It is `min_samples_split` of the
        estimator.
    **params
        Other parameters of `TreeClassifier`, such as `min_gain=0.01`.

    Examples
    --------
    >>> import hornbeam as hb
    >>> buildtree(max_depth=3, n_min=5)
    TreeClassifier(max_depth=3, min_samples_split=5, missing=OwnBranch(vote='leaf'),
                   split='one-vs-rest')
    >>> table = hb.datasets.load("temperature")
    >>> buildtree(n_min=7).fit(table.X, table.y).tree_.text()
    'Temperature[<=-5.5: No(2:0) | >-5.5: Yes(2:4)]'
    """
    if "min_samples_split" in params:
        raise ValueError(
            f"min_samples_split={params['min_samples_split']!r} is called n_min here: use n_min instead of it"
        )
    own: dict[str, Any] = {"criterion": "gini", "split": "one-vs-rest", "missing": OwnBranch(vote="leaf")}
    return TreeClassifier(**own | {"max_depth": max_depth, "min_samples_split": n_min} | params)
