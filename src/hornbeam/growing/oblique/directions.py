"""Directions: where a linear model would look, from one Gram matrix.

One idea: with the products of all columns tallied once, the ridge regression on any of them is a small
system of equations: (G + ridge I) a = b, with G the correlations of the columns and b those with the
target. For classes b is the indicator of each class (of two classes the first), for a real target the
target itself. Gaps count as the column's mean. Sums are taken in a fixed order and the equations are solved
without a library whose rounding depends on the machine.
"""

from __future__ import annotations

import numpy as np

from hornbeam._base.types import Floats
from hornbeam.growing.stepwise_growth import Growth, Node

_GRAIN = 2.0**-10  # directions are multiples of this, so that rounding in the last bits does not show
_CELLS = 2**20  # products that are taken at a time
_MOST_CLASSES = 8  # indicators of the heaviest classes are enough


class Gram:
    """The products of the standardised columns with each other and with the target, per unit of weight.

    Attributes
    ----------
    products : [columns, columns]
    targets : [columns, number of indicators]
    """

    def __init__(self, growth: Growth, node: Node, z: Floats) -> None:
        z = np.where(np.isnan(z), 0.0, z)
        total = float(node.weight.sum())
        self.products: Floats = np.empty((len(z), len(z)))
        indicators = _indicators(growth, node)
        self.targets: Floats = np.empty((len(z), len(indicators)))
        together = max(1, _CELLS // len(node.rows))
        for k, column in enumerate(z):
            weighted = node.weight * column
            for first in range(k, len(z), together):
                some = slice(first, first + together)
                self.products[k, some] = (weighted * z[some]).sum(axis=1) / total
            self.products[k:, k] = self.products[k, k:]
            self.targets[k] = [(weighted * one).sum() / total for one in indicators]

    def ridge(self, width: int, penalty: float) -> list[Floats]:
        """The directions of ridge regression on the first `width` columns; flat ones are left out."""
        matrix = self.products[:width, :width] + penalty * np.eye(width)
        found = [_grained(weights) for weights in _solve(matrix, self.targets[:width]).T]
        return [direction for direction in found if direction is not None]


def _grained(direction: Floats) -> Floats | None:
    """The direction with the largest weight 1 or -1, the others multiples of the grain; None if flat."""
    largest = float(np.abs(direction).max())
    if not largest > 0 or not np.isfinite(largest):
        return None
    found: Floats = np.round(direction / largest / _GRAIN) * _GRAIN
    return found


def _indicators(growth: Growth, node: Node) -> list[Floats]:
    """What the columns are regressed on, centred."""
    if growth.codes is None:
        assert growth.values is not None
        y = growth.values[node.rows]
        half = y.max() / 2 - y.min() / 2
        given = [(y - (y.min() + half)) / half]
    else:
        codes = growth.codes[node.rows]
        present = np.flatnonzero(node.stats > 0)
        heaviest = present[np.argsort(-node.stats[present], kind="stable")][:_MOST_CLASSES]
        wanted = present[:1] if len(present) == 2 else np.sort(heaviest)
        given = [(codes == code).astype(np.float64) for code in wanted.tolist()]
    total = float(node.weight.sum())
    return [one - float((node.weight * one).sum()) / total for one in given]


def _solve(matrix: Floats, right: Floats) -> Floats:
    """Cholesky's method, one column at a time; the matrix is symmetric and positive definite."""
    left, n = matrix.copy(), len(matrix)
    solution = right.copy()
    for k in range(n):
        left[k:, k] /= np.sqrt(left[k, k])
        below = left[k + 1 :, k]
        left[k + 1 :, k + 1 :] -= below[:, None] * below[None, :]
        solution[k] /= left[k, k]
        solution[k + 1 :] -= below[:, None] * solution[k][None, :]
    for k in reversed(range(n)):
        solution[k] /= left[k, k]
        solution[:k] -= left[k, :k][:, None] * solution[k][None, :]
    return solution
