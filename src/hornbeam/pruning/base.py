"""What every pruner answers: a smaller tree, and what was decided about each node it looked at (R73).

One idea: a tree goes in, a smaller tree and a record come out, and the tree that went in is unchanged. The
slot of an estimator grows first (`learn`); `hornbeam.prune` takes a tree that stands (`prune`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from hornbeam.data.table import Table
from hornbeam.data.target import Rows, Target
from hornbeam.growing.part import Part
from hornbeam.pruning.record import Decision, Decisions, Pruned
from hornbeam.tree.tree import Tree

__all__ = [
    "Decision",
    "Decisions",
    "Fill",
    "Grow",
    "Growing",
    "Pruned",
    "Pruner",
    "Rows",
    "need_counts",
    "need_task",
    "refuse_unordered_pruning",
]

Grow = Callable[[Table, Target], Tree]  # the settled, unpruned tree of an estimator, for any rows


Fill = Callable[[Tree, Rows], Tree]  # the tree with the equations that an estimator's leaves get from rows


@dataclass(frozen=True)
class Growing:
    """How an estimator grows, and how it gives equations to the nodes of a tree that changed."""

    grow: Grow
    fill: Fill
    n_jobs: int | None = 1
    try_out: Grow | None = None  # for trees that answer rows of the same table and are then thrown away

    def __call__(self, table: Table, target: Target) -> Tree:
        """The settled, unpruned tree of some rows."""
        return self.grow(table, target)


_TASKS: Mapping[str, str] = {
    "classes": "a tree of classes",
    "real": "a regression tree",
    "density": "a density tree",
}


class Pruner(Part):
    """How a grown tree is made smaller.

    A pruner needs `name`, `about` and `prune`; `learn` is what the slot `pruning` of an estimator calls.
    """

    # Whether `prune` needs rows: a sample the tree was not grown on, or the one it was.
    uses_rows: ClassVar[bool] = False
    # Whether `prune_between` needs the rows the tree was grown on beside a pruning sample.
    uses_training: ClassVar[bool] = False

    def keeps_order(self) -> bool:
        """Whether a tree that obeys monotonic constraints still does when pruned.

        Leaves in place of nodes do; a subtree that moves up and is fitted to other rows may not.
        """
        return True

    def check_task(self, task: str) -> None:
        """Raise a ValueError if pruning trees of this task has no meaning."""

    def prune(self, tree: Tree, table: Table | None = None, target: Target | None = None) -> Pruned:
        """A smaller tree; `table` and `target` are the rows given to `hornbeam.prune`."""
        raise NotImplementedError(f"{type(self).__name__} must define prune(tree, table, target)")

    def prune_between(self, tree: Tree, training: Rows, held: Rows, fill: Fill | None = None) -> Pruned:  # noqa: ARG002
        """A smaller tree, given the rows it was grown on and a pruning sample.

        `fill` fits the equations of leaves that got other rows; None for a Tree without an estimator.
        """
        raise ValueError(f"{type(self).__name__} takes no training rows beside X and y: leave training out")

    def learn(self, grow: Grow, table: Table, target: Target) -> Pruned:
        """The tree an estimator keeps: grown on the rows, then pruned."""
        return self.prune(grow(table, target), table, target)


def refuse_unordered_pruning(pruner: Pruner, monotonic_cst: object) -> None:
    """Raise if pruning could break the order of `monotonic_cst`."""
    if monotonic_cst is not None and not pruner.keeps_order():
        raise ValueError(
            f"monotonic_cst cannot be kept: {pruner!r} moves subtrees up and fits them to other rows; use a"
            " method that only makes leaves, such as 'reduced-error'"
        )


def need_task(pruner: Pruner, task: str, tasks: tuple[str, ...], because: str) -> None:
    """Raise unless the task is one of `tasks`; `because` says why, and what to use instead."""
    if task not in tasks:
        raise ValueError(f"{pruner!r} cannot prune {_TASKS[task]}: {because}")


def need_counts(tree: Tree) -> None:
    """Raise for a tree written by hand without counts, whose nodes say nothing about rows.

    >>> need_counts(Tree.from_nested({"column": "x", "<=": 1.5, "yes": "a", "no": "b"}))
    Traceback (most recent call last):
    ...
    ValueError: the tree has no counts, by which its nodes are judged: fill them in with tree.refit(X, y)
    """
    if tree.uncounted or not tree.weight[0] > 0:
        raise ValueError(
            "the tree has no counts, by which its nodes are judged: fill them in with tree.refit(X, y)"
        )
