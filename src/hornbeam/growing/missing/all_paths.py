"""Gaps as a branch in training, and all paths in prediction, wherever a gap was seen (R55)."""

from __future__ import annotations

from hornbeam.growing.missing.own_branch import OwnBranch


class AllPaths(OwnBranch):
    """Training treats "Missing" as a value; prediction with a gap follows all branches, learned or not.

    So a training row with a gap may be answered otherwise than its own leaf says; `OwnBranch` follows the
    branch that was learned, and all paths only where there is none.

    Parameters
    ----------
    vote : "distribution" or "leaf"
        A leaf reached counts by its training weight; it gives its class shares, or one vote for its label.

    Examples
    --------
    >>> import hornbeam as hb
    >>> robots = hb.datasets.load("robots")
    >>> model = hb.TreeClassifier("entropy", split="multiway", missing="all-paths").fit(robots.X, robots.y)
    >>> row = {"head": None, "body": None, "smile": "yes", "neck": None, "holds": None}
    >>> model.predict_proba([row]).round(6)
    array([[0.571429, 0.428571]])
    """

    name, about = "all-paths", "all paths in prediction, weighted by the leaves"
