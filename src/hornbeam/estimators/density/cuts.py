"""Every cut of a table and what it does to the loss: the arithmetic behind a density tree's first test.

A column is the weights of its distinct values; cuts are running sums of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hornbeam._base.types import AnyArray, Floats, Longs, sums_by_place
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.estimators.density.grow_density import refuse_missing, root_box, rows_without_outcome
from hornbeam.tree.density_boxes import sides


@dataclass(frozen=True)
class DensityCut:
    """One cut of the root's box.

    Attributes
    ----------
    column : str
    threshold : float or None
        Rows with a value up to it are on the first side; for an ordinal column a code plus a half.
    values : tuple
        The categories of the first side; empty for a threshold.
    score : float
        −R of the two sides together: the share of the weight squared over the volume, added up.
    gain : float
        How much that is more than −R of the whole box.
    n_rows : tuple of int
        Rows on either side.
    density : tuple of float
        Density on either side.
    """

    column: str
    threshold: float | None
    values: tuple[Any, ...]
    score: float
    gain: float
    n_rows: tuple[int, int]
    density: tuple[float, float]


def cuts(
    X: Any,
    *,
    support: Any = None,
    categorical_features: Any = "from_dtype",
    sample_weight: Any = None,
    counts: Any = None,
) -> list[DensityCut]:
    """Every cut a density tree may choose at its root, column by column; the parameters are `TreeDensity`'s.

    Examples
    --------
    >>> from hornbeam.estimators.density import cuts
    >>> for cut in cuts({"x": [1.0, 2.0, 2.5, 3.0, 9.0]}, support={"x": (0, 10)}):
    ...     print(cut.threshold, round(cut.score, 6), cut.n_rows)
    1.5 0.101961 (1, 4)
    2.25 0.117563 (2, 3)
    2.75 0.152978 (3, 2)
    6.0 0.116667 (4, 1)
    """
    table = Table.learn(X, categorical_features)
    refuse_missing(table)
    target = rows_without_outcome(table.n_rows, sample_weight, counts)
    low, high = root_box(table, target.row_weight > 0, support)
    volume = float(sides(low, high).prod())
    every_cut: list[DensityCut] = []
    for j, column in enumerate(table.columns):
        values, weight, rows = _by_value(table.arrays[j], target)
        if len(values) < 2:
            continue
        if column.kind == "nominal":
            every_cut += _sets(column.name, column.categories, values, weight, rows, volume)
        else:
            every_cut += _thresholds(
                column.name, column.kind, values, weight, rows, (low[j], high[j]), volume
            )
    return every_cut


def _by_value(array: AnyArray, target: Target) -> tuple[AnyArray, Floats, Longs]:
    """The distinct values that count, their weight and their rows."""
    weight = target.row_weight
    live = weight > 0
    values, place = np.unique(array[live], return_inverse=True)
    rows = np.bincount(place, weights=target.copies[live], minlength=len(values)).astype(np.int64)
    return values.astype(np.float64), sums_by_place(place, weight[live], len(values)), rows


def _cut(
    name: str,
    where: tuple[float | None, tuple[Any, ...]],
    weights: Any,
    rows: Any,
    part: float,
    volume: float,
) -> DensityCut:
    """A cut with `part` of the volume on its first side; weights and rows of (first side, whole)."""
    share = weights[0] / weights[1]
    sizes = part * volume, (1 - part) * volume
    density = share / sizes[0], (1 - share) / sizes[1]
    gain = (share - part) ** 2 / (part * (1 - part)) / volume
    n = int(rows[0]), int(rows[1] - rows[0])
    return DensityCut(
        name, *where, float(gain + 1 / volume), float(gain), n, (float(density[0]), float(density[1]))
    )


def _thresholds(
    name: str, kind: str, values: AnyArray, weight: Floats, rows: Longs, ends: Any, volume: float
) -> list[DensityCut]:
    before, below = np.cumsum(weight), np.cumsum(rows)
    cuts_of_column = []
    for k in range(len(values) - 1):
        low, high = float(values[k]), float(values[k + 1])
        places = [low + (high - low) / 2] if kind == "numeric" else np.arange(low + 0.5, high).tolist()
        for at in places:
            at = low if at >= high else at  # a threshold stays below the upper value
            part = (at - ends[0]) / (ends[1] - ends[0])
            if 0 < part < 1:
                weights, n_rows = (before[k], before[-1]), (below[k], below[-1])
                cuts_of_column.append(_cut(name, (at, ()), weights, n_rows, part, volume))
    return cuts_of_column


def _sets(
    name: str, categories: tuple[Any, ...], values: AnyArray, weight: Floats, rows: Longs, volume: float
) -> list[DensityCut]:
    """The first side is that of the first value present."""
    n = len(categories)
    codes = values.astype(np.int64)
    order = np.argsort(weight, kind="stable")
    cuts_of_column = []
    for k in range(1, len(order)):
        frequent = np.zeros(n, dtype=np.bool_)
        frequent[codes[order[k:]]] = True
        first = frequent if frequent[codes[0]] else ~frequent
        mine = first[codes]
        where = None, tuple(categories[code] for code in np.flatnonzero(first))
        sums = (weight[mine].sum(), weight.sum()), (rows[mine].sum(), rows.sum())
        cuts_of_column.append(_cut(name, where, *sums, np.count_nonzero(first) / n, volume))
    return cuts_of_column
