"""Growing: a Plan and the data -> a Tree.

One idea: everything an estimator means is resolved into one record of plain numbers before the core sees it;
the core knows no names but the criterion's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hornbeam import _core
from hornbeam.applying import n_threads
from hornbeam.arrays import AnyArray
from hornbeam.constraints import Constraints
from hornbeam.criteria import Criterion
from hornbeam.encoding import infinite_sentence
from hornbeam.missing import MissingRule
from hornbeam.splitting import Splitting
from hornbeam.table import Table
from hornbeam.target import Target
from hornbeam.tree import KINDS, Tree

COLUMN_KINDS = ("numeric", "ordinal", "nominal")

# Where one way of working gives way to another; they change the speed, never the tree.
TUNING: dict[str, int] = {
    "block_rows": 4096,  # a node of at most this many rows is sorted once and grown to the end by one thread
    "shared_rows": 65536,  # above this many rows all threads work on a node together
    "serial_cells": 100_000,  # a table of fewer cells is grown by one thread
}


class GrowthInterrupted(KeyboardInterrupt):
    """Growing was stopped, by Ctrl-C or by the progress callback; `tree` is the tree so far.

    Nodes that were still open are leaves of it, so it can be shown and used.

    Examples
    --------
    >>> import hornbeam as hb, numpy as np
    >>> X = np.random.default_rng(0).normal(size=(300_000, 5))
    >>> try:
    ...     model = hb.TreeRegressor().fit(X, X[:, 0], progress=lambda share: True)
    ... except hb.GrowthInterrupted as stopped:
    ...     found = stopped.tree
    """

    def __init__(self, message: str, tree: Tree) -> None:
        super().__init__(message)
        self.tree = tree

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.tree)


@dataclass(frozen=True)
class Plan:
    """Everything growth needs, resolved: criterion, splits, missing values, limits, seed."""

    criterion: Criterion
    split: Splitting
    missing: MissingRule
    limits: Mapping[str, float] = field(default_factory=dict)
    max_features: int = 0
    constraints: Constraints = field(default_factory=Constraints)
    seed: int = 0
    n_jobs: int | None = None


def grow(plan: Plan, table: Table, target: Target, progress: Callable[[float], object] | None = None) -> Tree:
    """Grow a tree: tally, choose, route until nothing is left to split.

    Raises
    ------
    GrowthInterrupted
        If Ctrl-C was pressed or `progress(share of the rows settled)` returned something true.
    """
    weights = target.weights
    if weights is not None and target.counts is not None:
        weights = weights * target.counts
    goal = {
        "n_classes": len(target.classes) if target.kind == "classes" else 0,
        "codes": _solid(target.codes),
        "values": _solid(target.values),
        "weights": _solid(weights),
        "counts": _solid(target.counts),
    }
    try:
        arrays, center, interrupted = _core.grow(
            _core_columns(plan, table), table.n_rows, goal, _core_plan(plan), progress
        )
    except OverflowError as error:
        raise ValueError(_infinite(table, int(error.args[0]))) from None
    made: dict[str, Any] = arrays
    tree = Tree(
        columns=table.columns,
        classes=target.classes if target.kind == "classes" else None,
        task=target.kind,
        center=center,
        policy=plan.missing.policy() | ({"weights": "branch"} if plan.constraints.functionals else {}),
        meta={"criterion": plan.criterion.name},
        **made,
    )
    if interrupted:
        raise GrowthInterrupted(
            f"growing was interrupted at {len(tree)} nodes; the exception's `tree` is the tree so far", tree
        )
    if progress is not None:
        progress(1.0)
    return tree


def _solid(array: AnyArray | None) -> AnyArray | None:
    """The array without steps between its values, as the core reads a target."""
    return None if array is None else np.ascontiguousarray(array)


def _core_columns(plan: Plan, table: Table) -> list[tuple[Any, int, int, int]]:
    return [
        (array, COLUMN_KINDS.index(column.kind), KINDS.index(plan.split.kind(column)), len(column.categories))
        for column, array in zip(table.columns, table.arrays, strict=True)
    ]


def _core_plan(plan: Plan) -> dict[str, Any]:
    return {
        "criterion": plan.criterion.name,
        "missing": plan.missing.core_rule,
        "limits": dict(plan.limits),
        "max_features": plan.max_features,
        "seed": plan.seed,
        "n_threads": n_threads(plan.n_jobs),
        "functionals": list(plan.constraints.functionals),
        "monotone": list(plan.constraints.terms),
        **TUNING,
    }


def _infinite(table: Table, column: int) -> str:
    values = table.arrays[column]
    row = next(i for i in range(table.n_rows) if math.isinf(values[i]))
    return infinite_sentence(table.columns[column].name, row)
