"""J48, Weka's C4.5: the same trees, pruned by the exact normal deviate."""

from __future__ import annotations

from typing import Any

from hornbeam.estimators.recipes.c45 import c45
from hornbeam.estimators.tree_estimators import TreeClassifier


def j48(
    confidence: float = 0.25, min_cases: float = 2, *, raising: bool = True, **params: Any
) -> TreeClassifier:
    """An estimator that grows and prunes trees as Weka's J48 does.

    It is `hornbeam.c45` with another upper limit of errors: the normal deviate is that of the normal law
    instead of one read off a table, and a leaf that is all wrong is expected to stay so. The tree is J48's,
    but for numbers nearer than 0.00001, which J48 does not tell apart, and for scores nearer than a
    millionth, which are ties to it.

    Parameters
    ----------
    confidence, min_cases : float
        J48's options -C and -M.
    raising : bool
        Whether subtrees are raised; False is J48's option -S.
    **params
        Other parameters of `hornbeam.c45` and `TreeClassifier`; `pruning="collapse"` is J48's -U.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> j48().fit(X, y).tree_.statistics()
    {'depth': 4, 'leaves': 5, 'tests': 4, 'nodes': 9}
    """
    return c45(confidence, min_cases, raising=raising, **{"limit": "weka"} | params)
