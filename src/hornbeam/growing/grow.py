"""Growing: a Plan and the data -> a Tree.

One idea: what the core can search it grows at full speed; what is special about a choice (predicates, sets of
columns, tests of significance) is grown node by node, in the same way and by the same numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hornbeam._base.types import Bools
from hornbeam.data.encoding import infinite_sentence
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.growing import core, stepwise
from hornbeam.growing.core import TUNING, Grown
from hornbeam.growing.monotonic import Constraints
from hornbeam.growing.plan import Plan
from hornbeam.growing.selections import Best
from hornbeam.tree.arrays import THRESHOLD
from hornbeam.tree.tree import Tree

__all__ = ["TUNING", "Constraints", "GrowthInterrupted", "Plan", "facts", "grow", "grow_forest"]


_ROUNDING = 4  # units in the last place by which half a sum may be off


class GrowthInterrupted(KeyboardInterrupt):
    """Growing was stopped, by Ctrl-C or by the progress callback; `tree` is the tree so far.

    Nodes that were still open are leaves of it, so it can be shown and used. Where a forest was growing,
    `trees` are its trees that are finished, and `tree` is the first of them, or a tree so far.

    Examples
    --------
    >>> import hornbeam as hb, numpy as np
    >>> X = np.random.default_rng(0).normal(size=(300_000, 5))
    >>> try:
    ...     model = hb.TreeRegressor().fit(X, X[:, 0], progress=lambda share: True)
    ... except hb.GrowthInterrupted as stopped:
    ...     tree = stopped.tree
    """

    def __init__(self, message: str, tree: Tree, trees: Sequence[Tree] = ()) -> None:
        super().__init__(message)
        self.tree = tree
        self.trees = trees

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.tree, self.trees)


def grow(plan: Plan, table: Table, target: Target, progress: Callable[[float], object] | None = None) -> Tree:
    """Grow a tree: tally, choose, route until nothing is left to split.

    Raises
    ------
    GrowthInterrupted
        If Ctrl-C was pressed or `progress(share of the rows settled)` returned something true.
    """
    if plan.criterion.level is not None:
        _refuse_for_losses(plan)
    grower = stepwise.grow if stepwise.wanted(plan) else _grow
    tree, interrupted = grower(plan, table, target, progress)
    if plan.split.threshold_at == "value":
        tree = at_values(tree, table, target)
    return finished(tree, progress, interrupted=interrupted)


def finished(tree: Tree, progress: Callable[[float], object] | None, *, interrupted: bool) -> Tree:
    """The tree, with its end reported to `progress`; raise GrowthInterrupted if growing was stopped."""
    if interrupted:
        raise GrowthInterrupted(
            f"growing was interrupted at {len(tree)} nodes; the exception's `tree` is the tree so far", tree
        )
    if progress is not None:
        progress(1.0)
    return tree


def _grow(
    plan: Plan, table: Table, target: Target, progress: Callable[[float], object] | None
) -> tuple[Tree, bool]:
    """The tree the core grows, and whether it was interrupted."""
    selection, views = _asked(plan, table)
    try:
        arrays, center, interrupted = core.grow(plan, selection, views, core.core_target(target), progress)
    except OverflowError as error:
        raise ValueError(_infinite(table, int(error.args[0]))) from None
    return Tree.grown(arrays, center, **facts(plan, table, target)), interrupted


def grow_forest(
    plan: Plan,
    table: Table,
    target: Target,
    seeds: Sequence[int],
    draws: tuple[Any, Any, int] | None,
    progress: Callable[[float], object] | None = None,
) -> tuple[list[Grown], Grown | None, bool]:
    """Many trees of one table by the core, as `kernel.grow_forest` returns them."""
    selection, views = _asked(plan, table)
    goal = core.core_target(target)
    try:
        return core.grow_forest(plan, selection, views, goal, seeds, draws, progress)
    except OverflowError as error:
        raise ValueError(_infinite(table, int(error.args[0]))) from None


def facts(plan: Plan, table: Table, target: Target) -> dict[str, Any]:
    """What a Tree says beside its arrays and its center."""
    return {
        "columns": table.columns,
        "classes": target.classes if target.kind == "classes" else None,
        "task": target.kind,
        "policy": plan.missing.policy() | ({"weights": "branch"} if plan.constraints.functionals else {}),
        "meta": {"criterion": plan.criterion.name},
    }


def _asked(plan: Plan, table: Table) -> tuple[dict[str, Any], list[core.View]]:
    """Selection and columns as the core reads them."""
    views = [core.core_column(plan, c, array) for c, array in zip(table.columns, table.arrays, strict=True)]
    return plan.selection.core(table.columns), views


def _refuse_for_losses(plan: Plan) -> None:
    """Raise for what goes only with criteria that are functions of sums."""
    because = None
    if stepwise.wanted(plan) or not isinstance(plan.selection, Best):
        part, slot = (
            (plan.split, "split") if isinstance(plan.selection, Best) else (plan.selection, "selection")
        )
        because = f"{slot}={part!r} is not possible: leave {slot} at its default, or"
    elif plan.missing.core_rule not in (0, 1, 3):
        because = (
            f"missing={plan.missing!r} is not possible: use 'learn', 'branch', 'all-paths' or 'majority', or"
        )
    if because:
        raise ValueError(
            f"criterion={plan.criterion!r} keeps the order of y at every node, with which {because} use"
            " criterion='variance'"
        )


def _infinite(table: Table, column: int) -> str:
    values = table.arrays[column]
    row = next(i for i in range(table.n_rows) if math.isinf(values[i]))
    return infinite_sentence(table.columns[column].name, row)


def at_values(tree: Tree, table: Table, target: Target) -> Tree:
    """The tree with every numeric threshold moved down to a value of the table's rows that count.

    >>> table, target = Table.learn({"x": [1.0, 2.0, 4.0]}), Target.classes_of(["a", "a", "b"])
    >>> tree = Tree.from_nested({"column": "x", "<=": 3.0, "yes": "a", "no": "b"}, columns=table.columns)
    >>> at_values(tree, table, target).text()
    'x[<=2: a | >2: b]'
    """
    numeric = np.array([column.kind == "numeric" for column in tree.columns], dtype=np.bool_)
    cuts = np.flatnonzero((tree.kind == THRESHOLD) & np.isfinite(tree.threshold))
    cuts = cuts[numeric[tree.column[cuts]]]
    if not len(cuts):
        return tree
    threshold, gap = tree.threshold.copy(), tree.gap.copy()
    counted = _counted(target)
    for column in np.unique(tree.column[cuts]).tolist():
        values = table.arrays[column] if counted is None else table.arrays[column][counted]
        values = np.unique(values[~np.isnan(values)]).astype(np.float64) + 0.0  # -0.0 becomes 0.0
        nodes = cuts[tree.column[cuts] == column]
        middle = tree.threshold[nodes]
        middle = middle + _ROUNDING * np.spacing(np.abs(middle))  # a value in the middle is not above it
        middle = np.where(middle < tree.gap[nodes, 1], middle, tree.threshold[nodes])
        place = np.maximum(np.searchsorted(values, middle, side="right") - 1, 0)
        threshold[nodes] = values[place]
        gap[nodes, 0], gap[nodes, 1] = values[place], values[np.minimum(place + 1, len(values) - 1)]
    return Tree(**(tree.attributes() | tree.arrays() | {"threshold": threshold, "gap": gap}))


def _counted(target: Target) -> Bools | None:
    """The rows of positive weight; None if all are."""
    counted: Bools = np.ones(target.n_rows, dtype=np.bool_)
    for weights in (target.weights, target.counts):
        if weights is not None:
            counted &= weights > 0
    return None if counted.all() else counted
