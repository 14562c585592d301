"""Far rows: parts of a table that are asked one by one, and together grow the tree of the table.

The core sends messages; every part answers each of them by itself, in a task that needs nothing but the
message and its rows. So a task may run again, anywhere, in any order, and whatever hands tasks out is one
function::

    map_reduce(task, parts, state, combine)      combine([task(part, state) for part in parts])

`answer_part` is the only task. `combine` merges two or more answers to one, in any order and any groups.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np

from hornbeam import _core
from hornbeam.data.columns import Column
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.engines.row_part import RowPart
from hornbeam.growing import core
from hornbeam.growing.core import Progress
from hornbeam.growing.plan import Plan

LIBRARIES = 50_000_000  # bytes that Arrow takes for itself
SEARCHES = 8  # nodes that are searched at a time, so that one pass over the rows answers for several

Kind = tuple[int, int, int]  # kind, kind of split and number of values of a column, as the core reads them
Task = Callable[[RowPart, Any], bytes]


class MapReduce(Protocol):
    """How tasks are handed out."""

    def __call__(
        self, task: Task, parts: Sequence[RowPart], state: Any, combine: Callable[[list[bytes]], bytes]
    ) -> bytes:
        """Combine what the task says of every part."""


@dataclass(frozen=True)
class Message:
    """What a task needs to know."""

    text: bytes
    kinds: tuple[Kind, ...]
    n_classes: int
    options: Mapping[str, Any]  # the plan as the core reads it


def answer_part(part: RowPart, message: Message) -> bytes:
    """The task: what one part says to a message."""
    return part.answer(message.text, message.kinds, message.n_classes, message.options)


@dataclass(frozen=True, eq=False)
class FarTarget(Target):
    """A target whose rows are elsewhere."""

    n_all: int = 0
    n_taking_part: int = 0

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self.n_all

    @property
    def n_counted(self) -> int:
        """The rows that take part, as often as they are repeated."""
        return self.n_taking_part


class FarRows:
    """An engine of growing: rows in parts."""

    def __init__(
        self,
        columns: Sequence[Column],
        target: FarTarget,
        parts: Sequence[RowPart],
        map_reduce: MapReduce,
        memory: int,
    ) -> None:
        self.columns, self.target, self.parts = tuple(columns), target, parts
        self.n_rows = target.n_rows
        self._map_reduce, self._memory = map_reduce, memory

    def table(self) -> Table:
        """Never: the rows are not in memory."""
        raise ValueError(
            "this choice looks at all rows in memory, but the data is read piece by piece: fit a table in"
            " memory, or leave criterion, selection, split and leaf at their defaults"
        )

    def core_tree(self, plan: Plan, progress: Progress | None) -> tuple[dict[str, Any], bool]:
        """The arrays of the tree that the core grows of these rows, and whether it was interrupted."""
        first = self.parts[0]
        views = [
            core.core_column(plan, column, np.empty(0, kind))
            for column, kind in zip(self.columns, first.dtypes, strict=True)
        ]
        kinds = tuple(view[1:] for view in views)
        n_classes = len(self.target.classes) if self.target.task.is_classes else 0
        goal = first.core_rows(kinds, n_classes)[2]
        goal = {name: array[:1] if isinstance(array, np.ndarray) else array for name, array in goal.items()}

        def send(options: dict[str, Any], text: bytes) -> bytes:
            message = Message(text, kinds, n_classes, options)
            return self._map_reduce(answer_part, self.parts, message, _core.merge_answers)

        grow = partial(core.grow_far, plan, plan.selection.core(self.columns), views, goal)
        return grow(self._limits(first), send, progress)

    def _limits(self, part: RowPart) -> dict[str, int]:
        """How much of the memory each kind of answer may take."""
        row = sum(np.dtype(kind).itemsize for kind in (*part.dtypes, *part.target_dtypes.values())) + 24
        memory = max(self._memory - LIBRARIES, self._memory // 2)
        return {
            "fetch_rows": max(1, memory // 10 // row),
            "fetch_bytes": memory // 10,
            "answer_bytes": memory // 12,
            "n_searches": SEARCHES,
        }
