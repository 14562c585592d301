"""BuildDT (Pošík, after Russell & Norvig): information gain, a branch for each value (R38)."""

from __future__ import annotations

from typing import Any

from hornbeam.estimators.tree_estimators import TreeClassifier
from hornbeam.growing.missing import OwnBranch


def builddt(**params: Any) -> TreeClassifier:
    """An estimator that grows trees as BuildDT does.

    No rows: a leaf with the majority class of the node above. All rows of one class, or no column left: a
    leaf with the majority class. Otherwise the column of the largest information gain gets a branch for each
    of its values and is used up below. A gain of zero is enough, so exclusive or is solved. Numeric columns
    are cut at a threshold and may be tested again. "Missing" is a value: a test whose column had gaps has a
    branch for them, which gaps follow in prediction, too. At a test without one, a gap follows all paths, and
    every leaf reached has one vote per training row.

    Parameters
    ----------
    **params
        Other parameters of `TreeClassifier`, such as `max_depth=3`.

    Examples
    --------
    >>> import hornbeam as hb
    >>> builddt()
    TreeClassifier(criterion='entropy', missing=OwnBranch(vote='leaf'),
                   split='multiway')
    >>> robots = hb.datasets.load("robots")
    >>> builddt().fit(robots.X, robots.y).tree_.text()
    'body[circle: smile[no: enemy(0:1) | yes: ally(2:0)] | square: enemy(0:3) | triangle: ally(2:0)]'
    """
    own: dict[str, Any] = {"criterion": "entropy", "split": "multiway", "missing": OwnBranch(vote="leaf")}
    return TreeClassifier(**own | params)
