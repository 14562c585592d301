"""Growing a density tree: the box of the root, and the tree that the core grows in it.

Outside its support a density is zero, so the box must hold every training row, and a column that has only one
value is a point. The core works with shares of the root's volume; here they get their unit back.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hornbeam import _core
from hornbeam._base.parameters import n_threads
from hornbeam._base.types import AnyArray, Bools, Floats, Task
from hornbeam.data.cells import read_cells
from hornbeam.data.columns import Column
from hornbeam.data.encoding import match_column
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.growing.core import COLUMN_KINDS, TUNING, Progress
from hornbeam.growing.grower import CtrlC, finished
from hornbeam.growing.interruption import watched
from hornbeam.growing.part import column_place
from hornbeam.growing.thresholds import placed
from hornbeam.tree.density_boxes import sides
from hornbeam.tree.tree import Tree

_LARGEST = 1e300  # densities beyond are written as this


@dataclass(frozen=True)
class DensityPlan:
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


def grow_density(plan: DensityPlan, target: Target, progress: Progress | None = None) -> Tree:
    """Grow the density tree of the rows that count.

    Raises
    ------
    GrowthInterrupted, GrowthKeyboardInterrupt
        If `progress(share of the rows settled)` returned something true, or Ctrl-C was pressed.
    """
    columns = [
        (array, COLUMN_KINDS.index(column.kind), len(column.categories), float(low), float(high))
        for column, array, low, high in zip(
            plan.table.columns, plan.table.arrays, plan.low, plan.high, strict=True
        )
    ]
    weights = None if target.weights is None else np.ascontiguousarray(target.row_weight)
    counts = None if target.counts is None else np.ascontiguousarray(target.counts)
    options = {
        "limits": dict(plan.limits),
        "log_volume": plan.log_volume,
        "n_threads": n_threads(plan.n_jobs),
        "shared_rows": TUNING["shared_rows"],
        "serial_cells": TUNING["serial_cells"],
    }
    watcher = watched(progress)
    with CtrlC() as ctrl_c:
        asked = ctrl_c.asked(watcher)
        arrays, interrupted = _core.density(columns, target.n_rows, weights, counts, options, asked)
        tree = _tree(plan, arrays)
    return finished(tree, watcher, interrupted=interrupted or ctrl_c.is_pressed)


_CUTS = ("kind", "column", "threshold", "gap")


def _tree(plan: DensityPlan, core: dict[str, AnyArray]) -> Tree:
    share = core["weight"] / core["weight"][0]
    log_volume = core["log_share"] + plan.log_volume
    with np.errstate(over="ignore"):
        density = np.minimum(np.exp(np.log(share) - log_volume), _LARGEST)
        gain = np.minimum(share * density * core["rise"], _LARGEST)
    d, n = len(plan.low), len(share)
    return Tree(
        columns=plan.table.columns,
        task=Task.DENSITY,
        meta={"criterion": "density"},
        kind=core["kind"],
        first_child=core["first_child"],
        n_children=np.where(core["first_child"] >= 0, 2, 0).astype(np.int32),
        column=core["column"],
        threshold=placed("midpoint", plan.table.columns, *(core[name] for name in _CUTS)),
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
        box_low=plan.low,
        box_high=plan.high,
    )


Ends = tuple[float, float]


def rows_without_outcome(n_rows: int, sample_weight: Any = None, counts: Any = None) -> Target:
    """The weights and counts of rows where there is nothing to predict: a Target whose values are all 0."""
    return Target.real_of(np.zeros(n_rows), sample_weight, counts)


def root_box(table: Table, live: Bools, support: Any) -> tuple[Floats, Floats]:
    """The lower and upper ends of the box that holds the rows that count, as `hornbeam.tree.density_boxes`
    writes sides.

    >>> table = Table.learn({"x": [1.0, 3.0], "colour": ["red", "blue"]})
    >>> root_box(table, np.array([True, True]), {"x": (0, 10)})
    (array([0., 0.]), array([10.,  2.]))
    """
    by_column = _support_by_column(support, table.columns)
    sides_of_box = [_side(table, j, live, by_column.get(j)) for j in range(len(table.columns))]
    low, high = np.array(sides_of_box, dtype=np.float64).T
    return low, high


def inside(table: Table, low: Floats, high: Floats) -> Bools:
    """Which rows lie in a box; a category training never saw lies in none."""
    if table.dense is not None:
        return np.asarray(((table.dense >= low) & (table.dense <= high)).all(axis=1), dtype=np.bool_)
    is_inside = np.ones(table.n_rows, dtype=np.bool_)
    for column, array, a, b in zip(table.columns, table.arrays, low, high, strict=True):
        is_inside &= (array >= a) & (array <= b) if column.kind == "numeric" else array >= 0
    return is_inside


def refuse_missing(table: Table) -> None:
    """Raise if a value is missing: without it nobody knows in which box the row lies."""
    for column, array in zip(table.columns, table.arrays, strict=True):
        missing = np.isnan(array) if column.kind == "numeric" else array == -1
        if missing.any():
            raise ValueError(
                f"Input X contains NaN: column {column.name!r} has no value in row {int(missing.argmax())},"
                " and a density tree needs every value; drop the row, fill the gap, or make it a category"
            )


def _support_by_column(support: Any, columns: Sequence[Column]) -> dict[int, Any]:
    """What the user gives for each column, by position."""
    if support is None:
        return {}
    if isinstance(support, Mapping):
        return {
            column_place("support names the column", name, columns): ends for name, ends in support.items()
        }
    if isinstance(support, (list, tuple, np.ndarray)):
        if len(columns) == 1 and len(support) == 2 and np.ndim(support[0]) == 0:
            return {0: tuple(support)}
        if len(support) == len(columns):
            return {j: ends for j, ends in enumerate(support) if ends is not None}
    raise ValueError(
        f"support={support!r} must be None for the range of the data, a dict from column to (low, high), or a"
        f" list of one pair (or None) for each of the {len(columns)} columns"
    )


def _side(table: Table, j: int, live: Bools, pair: Any) -> Ends:
    column, array = table.columns[j], table.arrays[j]
    if column.kind != "numeric":
        if pair is not None:
            raise ValueError(
                f"support[{column.name!r}]={pair!r} is for a column of numbers, but this one is"
                f" {column.kind}: its support are its categories; declare them in the table"
            )
        n = len(column.categories)
        return (0.0, float(n)) if column.kind == "nominal" else (-0.5, n - 0.5)
    counted = array if live.all() else array[live]
    low, high = float(counted.min()), float(counted.max())
    if pair is not None:
        ends = _ends(column, pair)
        if low < ends[0] or high > ends[1]:
            outside = live & ((array < ends[0]) | (array > ends[1]))
            row = int(np.argmax(outside))
            raise ValueError(
                f"support[{column.name!r}]={pair!r} leaves out the value {column.text(float(array[row]))} of"
                f" row {row}: widen it, or drop the row"
            )
        low, high = ends
    if not math.isfinite(high - low):
        raise ValueError(
            f"column {column.name!r} reaches from {low:g} to {high:g}, which is wider than float64 can"
            " measure: divide it by a number"
        )
    return low, high


def _ends(column: Column, pair: Any) -> Ends:
    """Both ends as numbers of the column; times are given as times."""
    fault = (
        f"support[{column.name!r}]={pair!r} must be a pair (low, high) of finite values with low below high"
    )
    if isinstance(pair, (str, bytes, Mapping)) or not hasattr(pair, "__len__") or len(pair) != 2:
        raise ValueError(fault)
    try:
        low, high = match_column(read_cells(list(pair), column.name), column).tolist()
    except (TypeError, ValueError):
        raise ValueError(fault) from None
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ValueError(fault)
    return low, high
