"""Judging: the best cut along any of some projections of a node's rows, found by the core.

One idea: a projection is a numeric column to the core, which sorts it and scores every cut by the plan's
criterion and limits, exactly and with K4's ties. Gaps are left out: a cut is worth what it gains on the
known rows, times their share.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hornbeam import kernel
from hornbeam.arrays import LEAF, THRESHOLD, AnyArray, Longs
from hornbeam.kernel import COLUMN_KINDS
from hornbeam.missing import Fractional
from hornbeam.stepwise.growth import Growth, Node

_NUMERIC = COLUMN_KINDS.index("numeric")


@dataclass(frozen=True)
class Cut:
    """The best cut of several projections: which of them, where, and its score."""

    place: int
    threshold: float
    score: float


class Judge:
    """Judges projections of some rows of a node: places among `node.rows`, all of them if None.

    Attributes
    ----------
    rows : places of the rows judged
    margin : scores closer than this are tied
    bound : the score no cut exceeds
    """

    def __init__(self, growth: Growth, node: Node, places: Longs | None = None) -> None:
        self.rows = np.arange(len(node.rows)) if places is None else places
        rows, weight = node.rows[self.rows], node.weight[self.rows]
        copies = growth.copies[rows]
        self._goal: dict[str, Any] = {
            "n_classes": 0 if growth.is_real else growth.width,
            "codes": None if growth.codes is None else growth.codes[rows],
            "values": None if growth.values is None else growth.values[rows],
            "weights": None if np.array_equal(weight, copies) else weight,
            "counts": copies if (copies != 1).any() else None,
        }
        given, share = growth.plan.limits, len(rows) / len(node.rows)
        limits = {
            "max_depth": 1,
            "min_rows_leaf": max(1, math.floor(given.get("min_rows_leaf", 1) * share)),
            "min_weight_fraction": given.get("min_weight_fraction", 0.0)
            * growth.total
            / float(growth.weights(node.stats)),
        }
        self._plan = replace(growth.plan, limits=limits, max_features=0, missing=Fractional())
        self._selection = growth.selection
        ratio = growth.plan.criterion.name == "gain-ratio"
        self.bound = 1.0 if ratio else node.impurity
        self.margin = 1e-12 * self.bound

    def best(self, projections: Sequence[AnyArray]) -> Cut | None:
        """The best cut along any projection, of tied ones the first; None if there is none."""
        views = [(values, _NUMERIC, THRESHOLD, 0) for values in projections]
        if not views:
            return None
        arrays, _, interrupted = kernel.grow(self._plan, self._selection, views, self._goal)
        if interrupted:
            raise KeyboardInterrupt
        if arrays["kind"][0] == LEAF:
            return None
        return Cut(int(arrays["column"][0]), float(arrays["threshold"][0]), float(arrays["gain"][0]))
