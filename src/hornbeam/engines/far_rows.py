"""Far rows: parts of a table that are asked one by one, and together grow the tree of the table.

The core sends messages; every part answers each of them by itself, in a task that needs nothing but the
message and its rows. So a task may run again, anywhere, in any order, and whatever hands tasks out is one
function::

    parts.map_reduce(task, state, combine)      combine([task(part, state) for part in parts])

`combine` merges two or more answers to one, in any order and any groups. An engine is that function, the
parts it hands tasks to, and `reweigh` and `drawn`, which make parts whose rows have other weights: `Parts`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from hornbeam import _core
from hornbeam._base.parameters import as_path
from hornbeam._base.types import Floats, Longs
from hornbeam.data.columns import Column
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.engines.checkpoint import Checkpoint, growth_name, rows_fingerprint
from hornbeam.engines.row_part import ONE, TARGET, AnyPart
from hornbeam.growing import core
from hornbeam.growing.core import Progress
from hornbeam.growing.plan import Plan

if TYPE_CHECKING:
    from hornbeam.engines.pieces import WholeData

LIBRARIES = 50_000_000  # bytes that Arrow takes for itself
SEARCHES = 8  # nodes that are searched at a time, so that one pass over the rows answers for several

LEAST_MEMORY = 10**6
_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_UNITS |= {"KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30, "TIB": 1 << 40}

Kind = tuple[int, int, int]  # kind, kind of split and number of values of a column, as the core reads them
Task = Callable[[AnyPart, Any], bytes]
Combine = Callable[[list[bytes]], bytes]


def combine_answers(combine: Combine, *answers: bytes | None) -> bytes | None:
    """The answers of some tasks as one answer; None if none of them had a part."""
    some = [answer for answer in answers if answer is not None]
    return combine(some) if len(some) > 1 else some[0] if some else None


class Parts(Protocol):
    """The parts of an engine, and how tasks are handed out to them."""

    def map_reduce(self, task: Task, state: Any, combine: Combine) -> bytes:
        """Combine what the task says of every part."""

    def reweigh(self, factors: Floats) -> Parts:
        """The parts with the weight of each row multiplied by that of its class."""

    def drawn(self, counts: Mapping[int, Longs] | None) -> Parts:
        """The parts with each row as often as it was drawn, by the number of the part; None: as they are.

        These parts stay as they are.
        """


# Tasks ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Message:
    """What a task needs to know."""

    text: bytes
    kinds: tuple[Kind, ...]
    n_classes: int
    options: Mapping[str, Any]  # the plan as the core reads it


def answer_part(part: AnyPart, message: Message) -> bytes:
    """What one part says to a message; `merge_answers` combines."""
    return part.answer(message.text, message.kinds, message.n_classes, message.options)


def merge_answers(answers: list[bytes]) -> bytes:
    """Answers of several parts as one: a function of Python, which travels to workers by its name."""
    return _core.merge_answers(answers)


def sum_classes(part: AnyPart, n_classes: int) -> bytes:
    """The exact weight of each class of one part; `add_sums` combines."""
    return json.dumps(part.class_sums(n_classes)).encode()


def fingerprint(part: AnyPart, _: None) -> bytes:
    """A number that follows from the rows of one part; `add_sums` combines."""
    return json.dumps([rows_fingerprint([*part.columns, *part.target.values()], part.n_rows)]).encode()


def add_sums(answers: list[bytes]) -> bytes:
    """Lists of whole numbers, added.

    >>> add_sums([b"[1, 2]", b"[3, 4]"])
    b'[4, 6]'
    """
    return json.dumps([sum(one) for one in zip(*map(json.loads, answers), strict=True)]).encode()


def bytes_of_memory(memory: str | int) -> int:
    """An amount of memory as a number of bytes.

    >>> bytes_of_memory("1.5GB")
    1500000000
    """
    parts = re.fullmatch(r"\s*([0-9]+\.?[0-9]*)\s*([A-Za-z]*)\s*", str(memory))
    unit = _UNITS.get(parts[2].upper(), 0) if parts else 0
    n = int(min(float(parts[1]) * unit, 2.0**62)) if parts else 0
    if n < LEAST_MEMORY or isinstance(memory, (bool, float)):
        raise ValueError(
            f"memory={memory!r} must be a number of bytes of at least 1MB, such as '512MB' or '2GB'"
        )
    return n


class FarEngine:
    """The base of all engines of far rows: a frozen dataclass that says how its data becomes parts.

    The order of its fields is public, `Dask(client)` and `Files("2GB", "cache")`, so each engine has its own.
    """

    memory: str | int  # how much of it growing may take in this process
    checkpoint: Any  # a folder for the answers of an unfinished growth, or None

    def __post_init__(self) -> None:
        bytes_of_memory(self.memory)

    def check_data(self, data: Any, method: str, kind: str, reader: str) -> None:
        """Raise if the data lacks the method by which this engine reads it."""
        if not hasattr(data, method):
            raise TypeError(
                f"engine={type(self).__name__}() reads a {kind}, not a {type(data).__name__!r}: leave engine"
                f" out, or make it one, for example by {reader}"
            )

    def rows(self, whole: WholeData, parts: Parts) -> FarRows:
        """The rows of all parts, whose columns and target the whole data says."""
        return FarRows(whole.columns, whole.target, (whole.dtypes, whole.target_dtypes), parts, self)


# Rows -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class FarTarget(Target):
    """A target whose rows are elsewhere."""

    n_all: int = 0
    n_taking_part: int = 0
    totals: Floats | None = None  # the weight of each class, without class_weight
    factors: Floats | None = None  # by what growing multiplies the weight of each class

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self.n_all

    @property
    def n_counted(self) -> int:
        """The rows that take part, as often as they are repeated."""
        return self.n_taking_part

    def class_totals(self) -> Floats:
        """The weight of each class without class_weight."""
        assert self.totals is not None
        return self.totals

    def multiplied(self, factors: Floats | None) -> Target:
        """The target with other weights."""
        return self if factors is None else replace(self, factors=factors)


class FarRows:
    """An engine of growing: rows in parts."""

    def __init__(
        self,
        columns: Sequence[Column],
        target: FarTarget,
        dtypes: tuple[Sequence[str], Mapping[str, str]],
        parts: Parts,
        options: FarEngine,
    ) -> None:
        self.columns, self.target, self.parts = tuple(columns), target, parts
        self.n_rows = target.n_rows
        self.options = options
        self._dtypes = dtypes

    @property
    def target_dtypes(self) -> Mapping[str, str]:
        """The types of the arrays of the target, by name."""
        return self._dtypes[1]

    def changed(self, target: FarTarget, parts: Parts, target_dtypes: Mapping[str, str]) -> FarRows:
        """The rows with another target."""
        return FarRows(self.columns, target, (self._dtypes[0], target_dtypes), parts, self.options)

    def with_totals(self) -> FarRows:
        """The rows with the weight of each class, which priors and costs ask for."""
        target = self.target
        if target.totals is None and target.task.is_classes:
            n = len(target.classes)
            sums = json.loads(self.parts.map_reduce(sum_classes, n, add_sums))
            totals = np.array([one / 2**ONE for one in sums])
            own = target.class_weights
            if own is not None:
                totals = np.divide(totals, own, out=np.zeros(n), where=own > 0)
            target = replace(target, totals=totals)
        return self.changed(target, self.parts, self._dtypes[1])

    def for_target(self, target: Target) -> FarRows:
        """The rows with the weights of this target."""
        assert isinstance(target, FarTarget)
        if target.factors is None:
            return self
        parts = self.parts.reweigh(target.factors)
        return self.changed(target, parts, {**self._dtypes[1], "weights": "<f8"})

    def table(self) -> Table:
        """Never: the rows are not in memory."""
        raise ValueError(
            "this choice looks at all rows in memory, but the data is read piece by piece: fit a table in"
            " memory, or leave criterion, selection, split and leaf at their defaults"
        )

    def views(self, plan: Plan) -> list[core.View]:
        """What the core is told of the columns."""
        return [
            core.core_column(plan, column, np.empty(0, kind))
            for column, kind in zip(self.columns, self._dtypes[0], strict=True)
        ]

    def core_tree(self, plan: Plan, progress: Progress | None) -> tuple[dict[str, Any], bool]:
        """The arrays of the tree that the core grows of these rows, and whether it was interrupted."""
        views = self.views(plan)
        kinds, n_classes = tuple(view[1:] for view in views), len(self.target.classes)
        goal: dict[str, Any] = {"n_classes": n_classes, **dict.fromkeys(TARGET)}
        goal |= {name: np.zeros(1, kind) for name, kind in self._dtypes[1].items()}  # what there is, no rows

        def send(options: dict[str, Any], text: bytes) -> bytes:
            message = Message(text, kinds, n_classes, options)
            return self.parts.map_reduce(answer_part, message, merge_answers)

        kept: list[Checkpoint] = []

        def checkpoint(options: dict[str, Any]) -> Checkpoint:
            rows = json.loads(self.parts.map_reduce(fingerprint, None, add_sums))[0] % 2**64
            parameters = {k: v for k, v in options.items() if k not in ("n_threads", *core.TUNING)}
            growth = growth_name(self.columns, parameters | {"classes": self.target.classes}, rows)
            kept.append(Checkpoint(self.options.checkpoint, growth))
            return kept[0]

        grow = partial(core.grow_far, plan, plan.selection.core(self.columns), views, goal)
        has_one = self.options.checkpoint is not None and bool(as_path(self.options.checkpoint, "checkpoint"))
        grown, interrupted = grow(self._limits(), send, progress, checkpoint if has_one else None)
        if kept and not interrupted:
            kept[0].remove()
        return grown, interrupted

    def _limits(self) -> dict[str, int]:
        """How much of the memory each kind of answer may take."""
        row = sum(np.dtype(kind).itemsize for kind in (*self._dtypes[0], *self._dtypes[1].values())) + 24
        memory = bytes_of_memory(self.options.memory)
        memory = max(memory - LIBRARIES, memory // 2)
        return {
            "fetch_rows": max(1, memory // 10 // row),
            "fetch_bytes": memory // 10,
            "answer_bytes": memory // 12,
            "n_searches": SEARCHES,
        }
