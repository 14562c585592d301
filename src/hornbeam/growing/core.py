"""The core's `grow`, called with a Plan.

One idea: the core knows no names but the criterion's; everything else it gets is a number or an array.
Both methods ask it here: `core` for a whole tree, `stepwise` for the best test of one node.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hornbeam import _core
from hornbeam._base.parameters import n_threads
from hornbeam._base.types import AnyArray
from hornbeam.data.columns import Column
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.growing.plan import Plan
from hornbeam.tree.arrays import KINDS

COLUMN_KINDS = ("numeric", "ordinal", "nominal")

# Where one way of working gives way to another; they change the speed, never the tree.
TUNING: dict[str, int] = {
    "block_rows": 4096,  # a node of at most this many rows is sorted once and grown to the end by one thread
    "block_cells": 1 << 18,  # a whole table that one thread grows is such a block up to this size
    "column_block_rows": 32768,  # the same where every column brings its best test: bins save less there
    "shared_rows": 65536,  # above this many rows all threads work on a node together
    "serial_cells": 100_000,  # a table of fewer cells is grown by one thread
}

# A search that finds none.
NO_SURROGATES: dict[str, Any] = {"most": 0, "min_side": 2, "known_in_both": False}

View = tuple[AnyArray, int, int, int]  # a column as the core reads it: array, kind, kind of split, n_values
Grown = dict[str, AnyArray]  # the compact arrays of a tree
Forest = tuple[list[Grown], Grown | None, bool]  # trees, one unfinished, and whether growing was interrupted
Progress = Callable[[float], object]


def core_column(plan: Plan, column: Column, array: AnyArray) -> View:
    """A column of the table as the core reads it."""
    kind = KINDS.index(plan.split.kind(column))
    return array, COLUMN_KINDS.index(column.kind), kind, len(column.categories)


def core_columns(plan: Plan, table: Table) -> list[View]:
    """The columns of a table as the core reads them."""
    if table.sparse is not None:
        raise TypeError(
            "X is a large sparse matrix, of which TreeClassifier and TreeRegressor grow trees: use one of"
            " them, or give the columns that matter as a dense table, X[:, some].toarray()"
        )
    return [core_column(plan, c, array) for c, array in zip(table.columns, table.arrays, strict=True)]


def core_target(target: Target) -> dict[str, Any]:
    """A target as the core reads it; a weight is that of one repetition of its row."""
    return {
        "n_classes": len(target.classes) if target.task.is_classes else 0,
        "codes": _solid(target.codes),
        "values": _solid(target.values),
        "weights": _solid(target.weights),
        "counts": _solid(target.counts),
        **({} if target.times is None else {"times": _solid(target.times)}),
        **({"outputs": [core_target(one) for one in target.outputs]} if target.outputs else {}),
    }


def grow(
    plan: Plan,
    selection: dict[str, Any],
    views: Sequence[View],
    goal: dict[str, Any],
    progress: Progress | None = None,
) -> tuple[dict[str, Any], bool]:
    """The compact arrays of a tree, and whether growing was interrupted.

    `selection` is the plan's selection as the core reads it, with a number for each of the columns viewed.
    """
    return _core.grow(list(views), _n_rows(goal), goal, _core_options(plan, selection), progress)


def grow_forest(
    plan: Plan,
    selection: dict[str, Any],
    views: Sequence[View],
    goal: dict[str, Any],
    seeds: Sequence[int],
    draws: tuple[Any, Any, int] | None,
    progress: Progress | None = None,
) -> Forest:
    """Compact arrays of each tree grown, of one unfinished, and whether growing was interrupted.

    `seeds` has one for each tree; `draws` says how its rows are drawn, None: each tree sees all rows.
    """
    own = np.array(seeds, dtype=np.uint64)
    return _core.grow_forest(
        list(views), _n_rows(goal), goal, _core_options(plan, selection), own, draws, progress
    )


def grow_far(
    plan: Plan,
    selection: dict[str, Any],
    views: Sequence[View],
    goal: dict[str, Any],
    limits: dict[str, int],
    send: Callable[[dict[str, Any], bytes], bytes],
    progress: Progress | None = None,
    kept: Callable[[dict[str, Any]], Any] | None = None,
) -> tuple[dict[str, Any], bool]:
    """The same for rows elsewhere: `views` and `goal` say what they are like, and have none.

    `send(options, message)` hands a message to all parts of the rows, whose answers it merges;
    `kept(options)` recalls and keeps answers.
    """
    options = _core_options(plan, selection)
    answers = None if kept is None else kept(options)
    return _core.grow_far(
        list(views), goal, options, limits, lambda text: send(options, text), progress, answers
    )


def _n_rows(goal: dict[str, Any]) -> int:
    return len(goal["values"] if goal["codes"] is None else goal["codes"])


def _core_options(plan: Plan, selection: dict[str, Any]) -> dict[str, Any]:
    """The plan as the core reads it."""
    options = _plan(plan) | {"selection": selection}
    if selection["kind"] != 0:
        options["block_rows"] = TUNING["column_block_rows"]
    return options


def _solid(array: AnyArray | None) -> AnyArray | None:
    """The array without steps between its values, as the core reads a target."""
    return None if array is None else np.ascontiguousarray(array)


def _plan(plan: Plan) -> dict[str, Any]:
    return {
        "criterion": plan.criterion.name,
        "level": plan.criterion.level or 0.0,
        "loss_scale": plan.criterion.loss_scale,
        "missing": int(plan.missing.core_rule),
        "surrogates": plan.missing.surrogate_rule() or NO_SURROGATES,
        "limits": dict(plan.limits),
        "max_features": plan.max_features,
        "random_cuts": plan.split.draws_tests,
        "seed": plan.seed,
        "n_threads": n_threads(plan.n_jobs),
        "functionals": list(plan.constraints.functionals),
        "monotone": list(plan.constraints.terms),
        **TUNING,
    }
