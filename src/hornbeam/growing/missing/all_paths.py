"""The lectures' pair: "Missing" is a value in training, and prediction follows all paths (R55, R56)."""

from __future__ import annotations

from hornbeam.growing.missing.base import MissingRule


class AllPaths(MissingRule):
    """Training treats "Missing" as a value; prediction with a gap follows all branches.

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
    core_rule = 1

    def __init__(self, vote: str = "distribution") -> None:
        self.vote = vote

    def check(self) -> None:
        """Raise if `vote` is not known."""
        if self.vote not in ("distribution", "leaf"):
            raise ValueError(f"vote={self.vote!r} must be 'distribution' or 'leaf'")

    def policy(self) -> dict[str, str]:
        """How prediction treats a gap, as a Tree keeps it."""
        return super().policy() | {"vote": self.vote}
