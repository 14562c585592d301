"""C4.5 release 8 (Quinlan 1993, 1996): gain ratio, fractional cases, error-based pruning (R45, 3.1-3.3)."""

from __future__ import annotations

from typing import Any

from hornbeam.estimators.tree_estimators import TreeClassifier
from hornbeam.growing.selections.gain_selections import AverageGain
from hornbeam.growing.splits.column_splits import Multiway
from hornbeam.pruning.error_based import ErrorBased


def c45(
    confidence: float = 0.25,
    min_cases: float = 2,
    *,
    correction: str | None = "code",
    limit: str = "c45",
    raising: bool = True,
    collapse: bool = True,
    **params: Any,
) -> TreeClassifier:
    """An estimator that grows and prunes trees as C4.5 release 8 does.

    A nominal column gets a branch for each of its values, a numeric one is cut at a value of the training
    table; of the columns whose gain is at least the mean the one of the best gain ratio is taken, as long as
    two branches hold `min_cases` cases. A row with a gap goes down every branch with a part of its weight. A
    subtree that makes no fewer training errors than a leaf is one; then the tree is pruned by the errors
    that its leaves are expected to make, and subtrees are raised.

    Parameters
    ----------
    confidence : float
        CF of the pruning, C4.5's option -c (there in percent): the smaller, the more is pruned.
    min_cases : float
        Cases that two branches must hold, C4.5's -m.
    correction : "code", "paper" or None
        What a threshold pays for being one of many, as in `hornbeam.parts.AverageGain`.
    limit : "c45", "exact" or "weka"
        The upper limit of errors, as in `hornbeam.parts.ErrorBased`.
    raising, collapse : bool
        Whether subtrees are raised in pruning, and collapsed before it.
    **params
        Other parameters of `TreeClassifier`, such as `max_depth=3`; `pruning=None` leaves the tree as it was
        grown.

    References
    ----------
    Quinlan, J. R. (1993). C4.5: Programs for Machine Learning. Morgan Kaufmann. Quinlan, J. R. (1996).
    Improved use of continuous attributes in C4.5. Journal of Artificial Intelligence Research, 4, 77-90.

    Examples
    --------
    >>> import hornbeam as hb
    >>> c45()
    TreeClassifier(criterion='gain-ratio', missing='fractional',
                   pruning=ErrorBased(), selection=AverageGain(),
                   split=Multiway(threshold_at='value'))
    >>> tennis = hb.datasets.load("tennis")
    >>> c45().fit(tennis.X, tennis.y).tree_.text()
    'Outlook[Overcast: Yes(0:4) | Rain: Wind[Strong: No(2:0) | Weak: Yes(0:3)] | Sunny: Humidity[High: ...
    """
    own: dict[str, Any] = {
        "criterion": "gain-ratio",
        "selection": AverageGain(min_branch=min_cases, correction=correction),
        "split": Multiway(threshold_at="value"),
        "missing": "fractional",
        "pruning": ErrorBased(confidence, limit, raising=raising, collapse=collapse),
    }
    return TreeClassifier(**own | params)
