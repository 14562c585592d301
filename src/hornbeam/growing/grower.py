"""Grower: a method at work on the rows of an engine; a Plan becomes a Tree.

A *method* is how the tests of a tree are chosen, one line in `METHODS` for each. The core grows at full speed
what it can search; what is special about a choice (predicates, sets of columns, tests of significance) is
grown node by node, in the same way and by the same numbers. An *engine* is where the rows live, one line in
`ENGINES` for each kind of table::

    Plan ──► method ─┐
                     ├─► Grower ──► Tree
    rows ──► engine ─┘

A method asks the engine for rows and nothing else, so that either can be replaced alone.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import FrameType
from typing import Any, Protocol

import numpy as np

from hornbeam.data.columns import Column, infinite_sentence
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.growing import core, sparse_growth, stepwise
from hornbeam.growing.core import Forest, Progress
from hornbeam.growing.interruption import (
    GrowthKeyboardInterrupt,
    GrowthStopped,
    Watcher,
    stop_growth,
    watched,
)
from hornbeam.growing.plan import Plan
from hornbeam.growing.refused_plans import refuse_for_draws, refuse_for_order
from hornbeam.growing.several_targets import grown_tree, refuse_for_outputs
from hornbeam.growing.thresholds import at_values, place_thresholds, placed
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.tree import Tree

# Engines ----------------------------------------------------------------------------------------------------


class Engine(Protocol):
    """Where the training rows live, and what a method may ask of them."""

    @property
    def columns(self) -> Sequence[Column]:
        """The columns, in order."""

    @property
    def target(self) -> Target:
        """The outcome and the weight of each row."""

    @property
    def n_rows(self) -> int:
        """The number of rows."""

    def table(self) -> Table:
        """All rows in memory, for methods that look at them in any order."""

    def core_tree(self, plan: Plan, progress: Progress | None) -> tuple[dict[str, Any], bool]:
        """The arrays of the tree that the core grows of these rows, and whether it was interrupted."""


class RowsInMemory:
    """What engines share whose rows can be had as a Table."""

    def core_tree(self: Engine, plan: Plan, progress: Progress | None) -> tuple[dict[str, Any], bool]:
        """The arrays of the tree that the core grows of these rows, and whether it was interrupted."""
        with _infinite_values_named(self.table()):
            return core.grow(plan, *_core_rows(plan, self), progress)


class MemoryEngine(RowsInMemory):
    """Rows in memory: each column is an array, lent to the core without copying it."""

    def __init__(self, table: Table, target: Target) -> None:
        self._table = table
        self.columns = table.columns
        self.target = target
        self.n_rows = table.n_rows

    def table(self) -> Table:
        """The rows."""
        return self._table


# The engine of each kind of table; rows that are no table here make one themselves (`for_target`).
ENGINES: dict[type[Any], Callable[[Any, Target], Engine]] = {Table: MemoryEngine}


# Methods ----------------------------------------------------------------------------------------------------


class Method(Protocol):
    """How the tests of a tree are chosen."""

    def grow(self, plan: Plan, engine: Engine, progress: Progress | None) -> tuple[Tree, bool]:
        """The tree, and whether growing was interrupted."""


class CoreMethod:
    """Greedy growth by the core, of one tree or of many trees of the same rows at once."""

    def grow(self, plan: Plan, engine: Engine, progress: Progress | None) -> tuple[Tree, bool]:
        """The tree, and whether growing was interrupted."""
        arrays, interrupted = engine.core_tree(plan, progress)
        _place_thresholds(plan, engine.columns, arrays)
        facts = tree_facts(plan, engine, engine.target)
        if engine.target.outputs:
            return grown_tree(arrays, facts, engine.target), interrupted
        return Tree.grown(arrays, **facts), interrupted

    def grow_forest(
        self,
        plan: Plan,
        engine: Engine,
        seeds: Sequence[int],
        draws: tuple[Any, Any, int] | None,
        progress: Progress | None,
    ) -> Forest:
        """What `core.grow_forest` returns."""
        table = engine.table()
        with _infinite_values_named(table):
            rows = _core_rows(plan, engine)
            grown, partial, interrupted = core.grow_forest(plan, *rows, seeds, draws, progress)
        for arrays in grown if partial is None else [*grown, partial]:
            _place_thresholds(plan, table.columns, arrays)
        return grown, partial, interrupted


class StepwiseMethod:
    """Greedy growth node by node, for choices that the core does not search."""

    def grow(self, plan: Plan, engine: Engine, progress: Progress | None) -> tuple[Tree, bool]:
        """The tree, and whether growing was interrupted."""
        tree, interrupted = stepwise.grow(plan, engine.table(), engine.target, progress)
        return place_thresholds(tree, engine.table(), engine.target, plan.threshold_at), interrupted


class SparseMethod:
    """Greedy growth of a large sparse matrix by the cells that are not zero."""

    def grow(self, plan: Plan, engine: Engine, progress: Progress | None) -> tuple[Tree, bool]:
        """The tree, and whether growing was interrupted."""
        tree, interrupted = sparse_growth.grow(plan, engine.table(), engine.target, progress)
        return place_thresholds(tree, engine.table(), engine.target, plan.threshold_at), interrupted


METHODS: dict[str, Method] = {
    "core": CoreMethod(),
    "stepwise": StepwiseMethod(),
    "sparse": SparseMethod(),
}


def method_of(plan: Plan) -> Method:
    """The method that a plan names; where it names none, the one that its parts need."""
    parts = (plan.split, plan.selection, plan.search, plan.criterion)
    needed = {part.method for part in parts} - {"core"}
    return METHODS[plan.method or (min(needed) if needed else "core")]


# Growing ----------------------------------------------------------------------------------------------------


class CtrlC:
    """While it is entered, Ctrl-C is noted: growth ends where it is next asked, and nothing is lost.

    Pressed again it interrupts at once, as it does outside. Only the main thread hears of it, and a program
    that has its own answer to Ctrl-C keeps that.

    >>> with CtrlC() as ctrl_c:
    ...     signal.raise_signal(signal.SIGINT)
    ...     ctrl_c.is_pressed, ctrl_c.asked(None)(0.5)
    (True, True)
    """

    def __init__(self) -> None:
        self.is_pressed = False
        self._notes = False

    def __enter__(self) -> CtrlC:
        answer = signal.getsignal(signal.SIGINT)
        noted_by = getattr(answer, "__self__", None)
        is_left = isinstance(noted_by, CtrlC) and not noted_by._is_entered(sys._getframe(1))
        is_usual = answer is signal.default_int_handler or is_left
        if is_usual and threading.current_thread() is threading.main_thread():
            self._notes = True
            signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        if self._notes:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def _note(self, _: int, frame: FrameType | None) -> None:
        if self.is_pressed or not self._is_entered(frame):
            signal.signal(signal.SIGINT, signal.default_int_handler)
            raise KeyboardInterrupt
        self.is_pressed = True

    def _is_entered(self, frame: FrameType | None) -> bool:
        """Whether a function that is running holds it: an alarm's exception may come before it is left."""
        while frame is not None:
            if any(value is self for value in frame.f_locals.values()):
                return True
            frame = frame.f_back
        return False

    def asked(self, progress: Progress | None) -> Progress:
        """A callback that asks another one first, and stops after Ctrl-C."""
        return lambda share: bool(progress is not None and progress(share)) or self.is_pressed

    def stopped(self, error: GrowthStopped | None, tree: Tree) -> GrowthStopped | None:
        """What `fit` raises at its end: after Ctrl-C a KeyboardInterrupt, however far growth had come."""
        if not self.is_pressed:
            return error
        message = (
            "Ctrl-C came when the fit was nearly finished; `tree` is whole" if error is None else str(error)
        )
        return GrowthKeyboardInterrupt(message, tree)


@dataclass(frozen=True)
class Grower:
    """A method at work on the rows of an engine."""

    method: Method
    engine: Engine

    @classmethod
    def of(cls, plan: Plan, table: Any, target: Target) -> Grower:
        """The grower of a plan and a table with its target."""
        make = ENGINES.get(type(table))
        is_sparse = isinstance(table, Table) and table.sparse is not None
        method = METHODS["sparse"] if is_sparse else method_of(plan)
        if plan.split.draws_tests:
            refuse_for_draws(plan, is_here=make is MemoryEngine, is_sparse=is_sparse)
        return cls(method, table.for_target(target) if make is None else make(table, target))

    def grow(self, plan: Plan, progress: Progress | None = None) -> Tree:
        """Grow a tree until nothing is left to split.

        Raises
        ------
        GrowthInterrupted, GrowthKeyboardInterrupt
            If `progress(share of the rows settled)` returned something true, or Ctrl-C was pressed.
        """
        if plan.criterion.keeps_order:
            refuse_for_order(plan, is_stepwise=method_of(plan) is METHODS["stepwise"])
        if self.engine.target.outputs:
            refuse_for_outputs(plan, by_core=self.method is METHODS["core"])
        watcher = None if progress is None else watched(progress)
        with CtrlC() as ctrl_c:  # a tree that was whole already is not lost
            tree, interrupted = self.method.grow(plan, self.engine, ctrl_c.asked(watcher))
            if plan.threshold_at == "value":
                tree = at_values(tree, self.engine.table(), self.engine.target)
        return finished(tree, watcher, interrupted=interrupted or ctrl_c.is_pressed)


def grow(plan: Plan, table: Any, target: Target, progress: Progress | None = None) -> Tree:
    """Grow the tree of a table, by the method of the plan and the engine of the table."""
    return Grower.of(plan, table, target).grow(plan, progress)


def without_tests(plan: Plan) -> Plan:
    """The plan of a tree that is its root."""
    return replace(plan, limits={**plan.limits, "max_depth": 0})


def finished(tree: Tree, watcher: Watcher | None, *, interrupted: bool) -> Tree:
    """The tree, with its end reported to the watcher; raise, with the tree, if growing was stopped."""
    if interrupted:
        sentence = f"growing was interrupted at {len(tree)} nodes; the exception's `tree` is the tree so far"
        stop_growth(watcher, sentence, tree)
    if watcher is not None:
        watcher(1.0)
    return tree


def tree_facts(plan: Plan, table: Table | Engine, target: Target) -> dict[str, Any]:
    """What a Tree says beside its arrays."""
    return {
        "columns": table.columns,
        "classes": target.classes if target.task.is_classes else None,
        "task": target.task.value,
        "policy": plan.missing.policy() | ({"weights": "branch"} if plan.constraints.functionals else {}),
        "meta": {"criterion": plan.criterion.name},
    }


def _place_thresholds(plan: Plan, columns: Sequence[Column], arrays: dict[str, Any]) -> None:
    """Move the thresholds of a grown tree to where the plan wants them; the arrays hold tests only.

    Thresholds that were drawn stay where they are.
    """
    if plan.split.draws_tests:
        return
    kind = arrays["kind"][arrays["kind"] != LEAF]
    arrays["threshold"] = placed(
        plan.threshold_at, columns, kind, arrays["column"], arrays["threshold"], arrays["gap"]
    )


def _core_rows(plan: Plan, engine: Engine) -> tuple[dict[str, Any], list[core.View], dict[str, Any]]:
    """Selection, columns and target as the core reads them."""
    table = engine.table()
    if plan.split.draws_tests:  # else the core meets infinite values where it codes or sorts the columns
        for place, array in enumerate(table.arrays):
            if array.dtype.kind == "f" and np.isinf(array).any():
                raise OverflowError(place)
    selection = plan.selection.core(table.columns)
    return selection, core.core_columns(plan, table), core.core_target(engine.target)


@contextmanager
def _infinite_values_named(table: Table) -> Iterator[None]:
    """Say where the infinite value is that the core has met in a column."""
    try:
        yield
    except OverflowError as error:
        column = int(error.args[0])
        row = int(np.flatnonzero(np.isinf(table.arrays[column]))[0])
        raise ValueError(infinite_sentence(table.columns[column].name, row)) from None
