"""M5 and M5': model trees (Quinlan 1992; Wang & Witten 1997) (R68)."""

from __future__ import annotations

from typing import Any

from hornbeam.estimators.tree_estimators import TreeRegressor
from hornbeam.growing.leaves.linear import TESTED, Linear
from hornbeam.pruning.m5_replacement import ModelError


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
    {'depth': 3, 'leaves': 4, 'tests': 3, 'nodes': 7}
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
