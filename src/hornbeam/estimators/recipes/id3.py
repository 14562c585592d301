"""ID3 (Quinlan 1986) as the lectures give it: BuildDT that stops where there is no information gain (R39)."""

from __future__ import annotations

from typing import Any

from hornbeam.estimators.recipes.builddt import builddt
from hornbeam.estimators.tree_estimators import TreeClassifier

NO_GAIN = 1e-9  # a gain up to this is none


def id3(**params: Any) -> TreeClassifier:
    """An estimator that grows trees as ID3 does.

    The column of the highest information gain gets a branch for each of its values. A node whose best gain is
    at most 1e-9, or whose columns are used up, is a leaf with its majority class; hence exclusive or is one
    leaf. Everything else is as in `builddt`.

    Parameters
    ----------
    **params
        Other parameters of `TreeClassifier`, such as `max_depth=3`.

    References
    ----------
    Quinlan, J. R. (1986). Induction of decision trees. Machine Learning, 1, 81-106.

    Examples
    --------
    >>> import hornbeam as hb
    >>> id3()
    TreeClassifier(criterion='entropy', min_gain=1e-09,
                   missing=OwnBranch(vote='leaf'), split='multiway')
    >>> tennis = hb.datasets.load("tennis")
    >>> print(hb.show(id3().fit(tennis.X, tennis.y), max_depth=1, charset="ascii"))
    Outlook?  gain 0.2467  64 % Yes  n=14 (5:9)
    |-- = Overcast  -> Yes  100 %  n=4 (0:4)
    |-- = Rain  ...
    `-- = Sunny  ...
    counts are No:Yes
    """
    return builddt(**{"min_gain": NO_GAIN} | params)
