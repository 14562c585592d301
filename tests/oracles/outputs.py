"""The twin of trees of several targets: the loss of a group is that of every target, added up.

    classes    W - sum W_k^2 / W      Gini, times the weight
    numbers    sum w y^2 - (sum w y)^2 / W

Each counts as much; of classes beside numbers each relative to its loss at the root.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from tests.oracles.losses import Twin


class OutputsTwin(Twin):
    """Grows the tree of a table of `tests.oracles.tables` whose target has "outputs"."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        outputs = table["target"]["outputs"]
        columns = [one["codes"] if "codes" in one else one["values"] for one in outputs]
        rows = [tuple(Fraction(float(v)) for v in row) for row in zip(*columns, strict=True)]
        super().__init__({**table, "target": {"values": np.zeros(len(rows))}}, Fraction(1))
        self.y = rows  # type: ignore[assignment]
        self.is_class = ["codes" in one for one in outputs]
        self.scale_of = [Fraction(1, len(outputs))] * len(outputs)
        if len(set(self.is_class)) > 1:
            live = np.flatnonzero([w > 0 for w in self.w])
            losses = [self.loss_of(k, live) / self.total for k in range(len(outputs))]
            self.scale_of = [
                s / one if one else Fraction(0) for s, one in zip(self.scale_of, losses, strict=True)
            ]

    def loss_of(self, k: int, rows: np.ndarray) -> Fraction:
        """Weight times impurity of one target."""
        weight = self.weight(rows)
        if self.is_class[k]:
            by_class: dict[Fraction, Fraction] = {}
            for i in rows:
                by_class[self.y[i][k]] = by_class.get(self.y[i][k], Fraction(0)) + self.w[i]
            return weight - sum((w * w for w in by_class.values()), Fraction(0)) / weight
        total = sum((self.w[i] * self.y[i][k] for i in rows), Fraction(0))
        return sum((self.w[i] * self.y[i][k] ** 2 for i in rows), Fraction(0)) - total**2 / weight

    def loss(self, rows: np.ndarray) -> Fraction:
        if not len(rows):
            return Fraction(0)
        return sum((s * self.loss_of(k, rows) for k, s in enumerate(self.scale_of)), Fraction(0))

    def answer(self, rows: np.ndarray) -> Fraction:
        return Fraction(0)
