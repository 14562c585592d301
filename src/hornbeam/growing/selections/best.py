"""The best score wins (R43)."""

from __future__ import annotations

from hornbeam.growing.selections.base import Selection


class Best(Selection):
    """The best score wins; within 1e-12 of the node's impurity the first column, then the first cut.

    Examples
    --------
    >>> import hornbeam as hb
    >>> robots = hb.datasets.load("robots")
    >>> model = hb.TreeClassifier("entropy", selection="best", split="multiway").fit(robots.X, robots.y)
    >>> model.tree_.columns[model.tree_.column[0]].name
    'body'
    """

    name, about = "best", "the best score over all columns"
