"""A leaf that keeps quantiles of its rows beside its mean, for intervals.

One idea: no training row stays in a tree, so whoever wants quantiles later says now which ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hornbeam.data.target import Target
from hornbeam.growing.leaves.base import LeafModel
from hornbeam.growing.part import check_level


class Quantiles(LeafModel):
    """The mean (or what the criterion makes nodes answer), and quantiles of the rows of every node.

    `predict` answers as with `leaf="constant"`; `predict_quantiles` and `predict_interval` answer with the
    quantiles. The q-quantile is the smallest y with at least the share q of the node's weight at or below it;
    if that share is exactly q, the middle between this y and the next.

    Parameters
    ----------
    levels : sequence of float
        The quantiles kept, each above 0 and below 1. An interval that covers the share c needs the levels
        (1 - c) / 2 and (1 + c) / 2.

    References
    ----------
    Meinshausen, N. (2006). Quantile regression forests. JMLR 7, 983-999.

    Examples
    --------
    >>> import hornbeam as hb
    >>> from hornbeam.parts import Quantiles
    >>> X, y = {"x": [1, 1, 1, 1, 2, 2, 2, 2]}, [1, 2, 3, 4, 10, 20, 30, 40]
    >>> model = hb.TreeRegressor(leaf=Quantiles(levels=(0.25, 0.5, 0.75))).fit(X, y)
    >>> model.predict({"x": [1]}), model.predict_quantiles({"x": [1, 2]})
    (array([2.5]), array([[ 1.5,  2.5,  3.5],
           [15. , 25. , 35. ]]))
    >>> model.predict_interval({"x": [2]}, coverage=0.5)
    array([[15., 35.]])
    """

    name, about = "quantiles", "quantiles of the rows beside the mean"
    tasks = ("real",)

    def __init__(self, levels: Any = (0.05, 0.5, 0.95)) -> None:
        self.levels = levels

    def check(self) -> None:
        """Raise if the levels are no shares."""
        if isinstance(self.levels, str) or not isinstance(self.levels, Iterable) or not list(self.levels):
            raise ValueError(
                f"levels={self.levels!r} must be a list of numbers above 0 and below 1, such as (0.05, 0.95)"
            )
        for level in self.levels:
            check_level("levels", level)

    def voice(self, target: Target) -> dict[str, Any]:
        """What differs from shares and means, by the names of `hornbeam.tree.answer_rule.AnswerRule`."""
        if target.kind != "real":
            raise ValueError(
                f"leaf={self!r} is for a target of numbers, but the target has classes: use leaf='constant'"
            )
        return {"levels": tuple(sorted({float(level) for level in self.levels}))}
