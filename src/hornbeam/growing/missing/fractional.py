"""Fractional cases: a row with a gap goes to every branch with a part of its weight (C4.5, R57)."""

from __future__ import annotations

from hornbeam.growing.missing.base import MissingRule


class Fractional(MissingRule):
    """A gap goes to every branch, with the branch's share of the known weight; in prediction too.

    A test is judged by the rows whose value is known: its gain is what it gains on them times their share of
    the node's weight. The split information counts the gaps as one more branch. In training a row with a gap
    goes down every branch with a part of its weight, the branch's share of the known weight; in prediction
    its answers are averaged with those shares. A category never seen counts as a gap. Limits such as
    `min_samples_leaf` count a row in every branch it stands in.

    References
    ----------
    Quinlan, J. R. (1993). C4.5: Programs for Machine Learning. Morgan Kaufmann.

    Examples
    --------
    >>> import hornbeam as hb
    >>> robots = hb.datasets.load("robots")
    >>> model = hb.TreeClassifier("entropy", split="multiway", missing="fractional").fit(robots.X, robots.y)
    >>> row = {"head": None, "body": None, "smile": "yes", "neck": None, "holds": None}
    >>> model.predict_proba([row])  # 3/8 of the rows had body=circle, 3/8 square, 2/8 triangle
    array([[0.625, 0.375]])
    """

    name, about = "fractional", "a gap goes to every branch with a part of its weight (C4.5)"
    core_rule = 2

    def policy(self) -> dict[str, str]:
        """How prediction treats a gap, as a Tree keeps it."""
        return super().policy() | {"weights": "branch"}
