"""Gaps are a branch of their own: "Missing" is a value (R56)."""

from __future__ import annotations

from hornbeam.growing.missing.base import MissingRule


class OwnBranch(MissingRule):
    """Gaps are one more branch of every test whose column has gaps in the node, in prediction too.

    At a test that saw no gap in training, prediction follows all paths (R55).

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
