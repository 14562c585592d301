"""Gaps are a branch of their own: "Missing" is a value (R56)."""

from __future__ import annotations

from hornbeam.growing.missing.base import MissingRule


class OwnBranch(MissingRule):
    """Gaps are one more branch of every test whose column has gaps in the node, in prediction too.

    At a test that saw no gap in training, prediction follows all paths, and the leaves reached answer
    together (R55).

    Parameters
    ----------
    vote : "distribution" or "leaf"
        A leaf reached along all paths counts by its training weight; it gives its class shares, or one vote
        for its label.

    Examples
    --------
    >>> import hornbeam as hb
    >>> X = {"colour": ["red", "blue", None, None]}
    >>> model = hb.TreeClassifier(missing="branch", split="multiway").fit(X, ["a", "b", "c", "c"])
    >>> model.tree_.text()
    'colour[blue: b(0:1:0) | red: a(1:0:0) | Missing: c(0:0:2)]'
    """

    name, about = "branch", '"Missing" as a value: a branch of its own'
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
