"""Growing a density tree: a table in its box -> a Tree, by the core.

One idea: the core works with shares of the root's volume; here they get their unit back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hornbeam import _core
from hornbeam._base.types import AnyArray, Floats
from hornbeam.data.table import Table
from hornbeam.estimators.density.row_weights import Mass
from hornbeam.growing.core import COLUMN_KINDS, TUNING, Progress
from hornbeam.growing.grow import finished
from hornbeam.tree.apply import n_threads
from hornbeam.tree.density_boxes import sides
from hornbeam.tree.tree import Tree

_LARGEST = 1e300  # densities beyond are written as this


@dataclass(frozen=True)
class Field:
    """A table in its box, and the limits of growing: everything but how much each row counts."""

    table: Table
    low: Floats
    high: Floats
    n_jobs: int | None = None
    limits: Mapping[str, Any] = field(default_factory=dict)

    @property
    def log_volume(self) -> float:
        """The logarithm of the box's volume."""
        return float(np.log(sides(self.low, self.high)).sum())

    def plan(self, limits: Mapping[str, Any]) -> dict[str, Any]:
        """What the core is told besides the rows."""
        return {
            "limits": dict(limits),
            "log_volume": self.log_volume,
            "n_threads": n_threads(self.n_jobs),
            "shared_rows": TUNING["shared_rows"],
            "serial_cells": TUNING["serial_cells"],
        }


def grow(where: Field, mass: Mass, progress: Progress | None = None) -> Tree:
    """The density tree of the rows that count.

    Raises
    ------
    GrowthInterrupted
        If Ctrl-C was pressed or `progress(share of the rows settled)` returned something true.
    """
    columns = [
        (array, COLUMN_KINDS.index(column.kind), len(column.categories), float(low), float(high))
        for column, array, low, high in zip(
            where.table.columns, where.table.arrays, where.low, where.high, strict=True
        )
    ]
    weights = None if mass.weights is None else np.ascontiguousarray(mass.each())
    counts = None if mass.counts is None else np.ascontiguousarray(mass.counts)
    arrays, interrupted = _core.density(
        columns, mass.n_rows, weights, counts, where.plan(where.limits), progress
    )
    return finished(_tree(where, arrays), progress, interrupted=interrupted)


def _tree(where: Field, core: dict[str, AnyArray]) -> Tree:
    share = core["weight"] / core["weight"][0]
    log_volume = core["log_share"] + where.log_volume
    with np.errstate(over="ignore"):
        density = np.minimum(np.exp(np.log(share) - log_volume), _LARGEST)
        gain = np.minimum(share * density * core["rise"], _LARGEST)
    d, n = len(where.low), len(share)
    return Tree(
        columns=where.table.columns,
        task="density",
        meta={"criterion": "density"},
        kind=core["kind"],
        first_child=core["first_child"],
        n_children=np.where(core["first_child"] >= 0, 2, 0).astype(np.int32),
        column=core["column"],
        threshold=core["threshold"],
        gap=core["gap"],
        gain=gain,
        n_rows=core["n_rows"],
        stats=core["weight"][:, None],
        impurity=-density,
        map_offset=core["map_offset"],
        map_code=core["map_code"],
        map_branch=core["map_branch"],
        box_offset=np.minimum(np.arange(n + 1, dtype=np.int64) * d, d),
        box_column=np.arange(d, dtype=np.int32),
        box_low=where.low,
        box_high=where.high,
    )
