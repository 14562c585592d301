"""What all pruners share: the class Pruner, whether it keeps monotonic order, and rows held out to prune by.

A tree goes in; a smaller tree and a record of the decisions come out; the tree that went in is unchanged. The
slot of an estimator grows first (`learn`); `hornbeam.prune` takes a tree that is already grown (`prune`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from hornbeam._base.parameters import check_share, seed_of
from hornbeam._base.types import Task
from hornbeam.data.folds import split_rows
from hornbeam.data.table import Table
from hornbeam.data.target import Rows, Target, counted_rows
from hornbeam.growing.part import Part
from hornbeam.pruning.record import Decisions, Pruned
from hornbeam.tree.tree import Tree

Grow = Callable[[Table, Target], Tree]  # the finished, unpruned tree of an estimator, for any rows
Fill = Callable[[Tree, Rows], Tree]  # the tree with the equations that an estimator's leaves get from rows


@dataclass(frozen=True)
class Growing:
    """How an estimator grows, and how it gives equations to the nodes of a tree that changed."""

    grow: Grow
    fill: Fill
    n_jobs: int | None = 1
    try_out: Grow | None = None  # for trees that answer rows of the same table and are then thrown away

    def __call__(self, table: Table, target: Target) -> Tree:
        """Grow the finished, unpruned tree of some rows."""
        return self.grow(table, target)


NO_ROW_ERRORS = "densities and survival have no errors on single rows; use a penalty"


class Pruner(Part):
    """How a grown tree is made smaller.

    A pruner needs `name`, `about` and `prune`; `learn` is what the slot `pruning` of an estimator calls.
    """

    # The tasks that can be pruned; the hint says why others cannot, and what to use instead.
    tasks: ClassVar[tuple[Task, ...]] = tuple(Task)
    task_hint: ClassVar[str] = ""
    # Whether `prune` needs rows: a sample the tree was not grown on, or the one it was.
    uses_rows: ClassVar[bool] = False
    # Whether `prune_between` needs the rows the tree was grown on beside a pruning sample.
    uses_training: ClassVar[bool] = False

    def keeps_order(self) -> bool:
        """Whether a tree that obeys monotonic constraints still does when pruned.

        Leaves in place of nodes do; a subtree that moves up and is fitted to other rows may not.
        """
        return True

    def prunes_several(self) -> bool:
        """Whether it prunes trees of several targets, too."""
        return False

    def check_outputs(self, *, several: bool) -> None:
        """Raise a ValueError if it cannot prune trees of several targets, and they are."""
        if several and not self.prunes_several():
            raise ValueError(
                f"{self!r} judges trees of one target: for several use CostComplexity(alpha=...), whose steps"
                " hb.pruning_path(model) lists, or ccp_alpha"
            )

    def check_task(self, task: Task) -> None:
        """Raise a ValueError if pruning trees of this task has no meaning."""
        if task not in self.tasks:
            raise ValueError(f"{self!r} cannot prune {task.tree_name}: {self.task_hint}")

    def check_tree(self, tree: Tree) -> None:
        """Raise a ValueError if this tree cannot be pruned: by its task, or because it has no counts."""
        self.check_task(tree.task)
        need_counts(tree)

    def prune(self, tree: Tree, table: Table | None = None, target: Target | None = None) -> Pruned:
        """Return a smaller tree; `table` and `target` are the rows given to `hornbeam.prune`."""
        raise NotImplementedError(f"{type(self).__name__} must define prune(tree, table, target)")

    def prune_between(self, tree: Tree, training: Rows, held: Rows, fill: Fill | None = None) -> Pruned:  # noqa: ARG002
        """Return a smaller tree, given the rows it was grown on and a pruning sample.

        `fill` fits the equations of leaves that got other rows; None for a Tree without an estimator.
        """
        raise ValueError(f"{type(self).__name__} takes no training rows beside X and y: leave training out")

    def learn(self, grow: Grow, table: Table, target: Target) -> Pruned:
        """Return the tree an estimator keeps: grown on the rows, then pruned."""
        return self.prune(grow(table, target), table, target)


def refuse_unordered_pruning(pruner: Pruner, monotonic_cst: object) -> None:
    """Raise if pruning could break the order of `monotonic_cst`."""
    if monotonic_cst is not None and not pruner.keeps_order():
        raise ValueError(
            f"monotonic_cst cannot be kept: {pruner!r} moves subtrees up and fits them to other rows; use a"
            " method that only makes leaves, such as 'reduced-error'"
        )


def need_counts(tree: Tree) -> None:
    """Raise for a tree written by hand without counts, whose nodes say nothing about rows.

    >>> need_counts(Tree.from_nested({"column": "x", "<=": 1.5, "yes": "a", "no": "b"}))
    Traceback (most recent call last):
    ...
    ValueError: the tree has no counts, by which its nodes are judged: fill them in with tree.refit(X, y)
    """
    if not isinstance(tree, Tree):
        raise TypeError(f"tree must be a Tree, such as the tree_ of a model, not a {type(tree).__name__}")
    if tree.uncounted or not tree.weight[0] > 0:
        raise ValueError(
            "the tree has no counts, by which its nodes are judged: fill them in with tree.refit(X, y)"
        )


class HeldOutPruner(Pruner):
    """A pruner that judges by rows the tree was not grown on; an estimator holds out a share of its rows."""

    tasks: ClassVar[tuple[Task, ...]] = (Task.CLASSES, Task.REAL)
    task_hint = NO_ROW_ERRORS
    uses_rows = True
    use: ClassVar[str] = "prune"  # what the rows held out are for

    def __init__(self, holdout: float = 0.3, random_state: Any = 0) -> None:
        self.holdout = holdout
        self.random_state = random_state

    def check(self) -> None:
        """Raise if the share is no number between 0 and 1."""
        check_share("holdout", self.holdout, f"the share of the rows to {self.use} on")

    def need_rows(self, table: Table | None, target: Target | None) -> Rows:
        """Return the rows; raise if there are none."""
        if table is None or target is None:
            raise ValueError(
                f"{self!r} {self.use}s by rows that the tree was not grown on: give them as X and y"
            )
        return Rows(table, target)

    def learn(self, grow: Grow, table: Table, target: Target) -> Pruned:
        """Grow on a part of the rows and prune by the others.

        Where nothing can be held out, the tree of all rows stays as it is.
        """
        parts = split_rows(table, target, float(self.holdout), seed_of(self.random_state))
        if parts is None:
            facts = {
                "grown on": counted_rows(target),
                "held out": 0,
                "reason": "every class has one row only",
            }
            nothing = Decisions(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int8), {})
            return Pruned(grow(table, target), nothing, self.name, facts)
        training, held = parts
        tree = grow(*training)
        if self.uses_training:
            pruned = self.prune_between(tree, training, held, getattr(grow, "fill", None))
        else:
            pruned = self.prune(tree, *held)
        sizes = {"grown on": counted_rows(training.target), "held out": counted_rows(held.target)}
        return replace(pruned, facts=sizes | dict(pruned.facts))
