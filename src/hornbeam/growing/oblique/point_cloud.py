"""Cloud: the numeric columns of a node, standardised, and the sums that directions make of them.

One idea: a direction is a weight for each column in standard units; a column of weight 0 is no part of it,
so its gaps do not matter. Only sums of fixed order are taken, never a matrix product whose order depends on
the machine: the same table gives the same directions everywhere.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hornbeam._base.types import Bools, Floats, Longs
from hornbeam.growing.stepwise_growth import Growth, Node

Singles = NDArray[np.float32]


class Cloud:
    """Standardised columns at the rows of a node; columns that are constant there are left out.

    Attributes
    ----------
    columns : numbers of the columns
    scale : for each column what a standard unit is
    z : the standardised columns, [columns, rows], nan where missing
    """

    def __init__(self, growth: Growth, node: Node, columns: tuple[int, ...]) -> None:
        kept, scale, z = [], [], []
        for column in columns:
            found = _standardised(growth.numbers(column, node.rows), node.weight)
            if found is not None:
                kept.append(column)
                z.append(found[0])
                scale.append(found[1])
        self.columns = tuple(kept)
        self.scale: Floats = np.array(scale)
        self.z: Floats = np.array(z).reshape(len(kept), len(node.rows))

    def at(self, rows: Longs | slice) -> Singles:
        """The columns at some rows, in single precision: sums that differ by rounding only become equal."""
        return np.ascontiguousarray(self.z[:, rows], dtype=np.float32)


def _standardised(x: Floats, weight: Floats) -> tuple[Floats, float] | None:
    """The column less its mean, over its standard deviation, which is given too; None if that is nothing."""
    known: Bools = ~np.isnan(x)
    if not known.any():
        return None
    low, high = float(x[known].min()), float(x[known].max())
    half = high / 2 - low / 2
    if not half > 0:
        return None
    u: Floats = (x - (low + half)) / half  # from -1 to 1: its squares neither overflow nor vanish
    w = np.where(known, weight, 0.0)
    total = float(w.sum())
    centred = np.where(known, u, 0.0)
    mean = float((w * centred).sum()) / total
    deviation = np.sqrt(float((w * (centred - mean) ** 2).sum()) / total)
    scale = float(deviation) * half
    if not scale > 0 or not np.isfinite(1 / scale):
        return None
    return (u - mean) / deviation, scale
