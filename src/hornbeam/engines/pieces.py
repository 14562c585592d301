"""Pieces of a table: each is encoded on its own; its codes become those of the whole once that is known.

    piece  ──► encode_piece ──► arrays, facts                each by itself, anywhere
    facts  ──► Gathering ──► WholeData                       all together: columns, classes and their weights
    arrays ──► whole_codes ──► arrays of the whole table     each by itself again

Every engine reads its data in these three steps; the first and the third are pure functions.
"""

from __future__ import annotations

import socket
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hornbeam import _core
from hornbeam._base.types import AnyArray, Floats, Ints, Longs
from hornbeam._base.types import Task as Goal
from hornbeam.data.cells import has_declared_order, read_cells
from hornbeam.data.columns import Column
from hornbeam.data.table import Table
from hornbeam.data.target import refuse_narrow
from hornbeam.data.weights_and_costs import class_factors, one_per_row, row_counts
from hornbeam.engines.far_rows import FarTarget
from hornbeam.engines.union import (
    ClassUnion,
    ColumnUnion,
    NumberUnion,
    PieceClasses,
    PieceColumn,
    PieceNumbers,
    class_facts,
    codes_in,
    number_facts,
)

Arrays = tuple[list[AnyArray], dict[str, AnyArray]]  # the columns, and the target by name


@dataclass(frozen=True)
class FarRequest:
    """What an estimator needs from data that is read piece by piece."""

    y: str
    sample_weight: str | None
    counts: str | None
    is_classes: bool
    categorical_features: Any = "from_dtype"
    exclude: Any = None
    class_weight: Any = None
    most: float = np.inf  # of a target that is a number
    n_jobs: int | None = None
    version: str = field(default_factory=_core.version)

    @property
    def is_weighted(self) -> bool:
        """Whether rows have weights."""
        return self.sample_weight is not None or (self.is_classes and self.class_weight is not None)


@dataclass(frozen=True)
class PieceFacts:
    """The facts of one piece: its columns, its rows and its target."""

    columns: tuple[PieceColumn, ...]
    target: PieceClasses | PieceNumbers
    n_rows: int


def check_version(version: str) -> None:
    """Raise where a task runs on another version of Hornbeam than the program that sent it.

    >>> check_version(_core.version())
    """
    if version != _core.version():
        raise RuntimeError(
            f"the worker on {socket.gethostname()} has Hornbeam {_core.version()}, but the tree is grown by"
            f" Hornbeam {version}: install that version on all workers"
        )


def encode_piece(piece: Any, request: FarRequest, name: str) -> tuple[Arrays, PieceFacts]:
    """The columns and the target of an Arrow table as arrays, and the facts about them.

    `name` is what messages call the data.
    """
    check_version(request.version)
    _check_names(piece, request, name)
    counts = _repeats(piece, request)
    cells = read_cells(piece.column(request.y), request.y)
    weights = _weights(piece, request)
    said: PieceClasses | PieceNumbers
    if request.is_classes:
        target, said = class_facts(cells, _taking_part(piece, weights, counts), counts)
    else:
        target, said = number_facts(cells, _taking_part(piece, weights, counts), request.most)
    used = {request.y, request.sample_weight, request.counts}
    rest = piece.select([name for name in piece.column_names if name not in used])
    table = Table.learn(rest, request.categorical_features, request.exclude)
    columns = tuple(
        PieceColumn(column, array.dtype, _is_declared(rest.schema.field(column.name).type))
        for column, array in zip(table.columns, table.arrays, strict=True)
    )
    optional = {"weights": weights, "counts": counts}
    target |= {key: array for key, array in optional.items() if array is not None}
    return (list(table.arrays), target), PieceFacts(columns, said, piece.num_rows)


def _taking_part(piece: Any, weights: Floats | None, counts: Longs | None) -> Longs:
    """How often each row is repeated; never where it has no weight."""
    repeats = np.ones(piece.num_rows, dtype=np.int64) if counts is None else counts
    return repeats if weights is None else repeats * (weights > 0)


def _is_declared(kind: Any) -> bool:
    return hasattr(kind, "index_type") and has_declared_order(kind)


def _check_names(piece: Any, request: FarRequest, data: str) -> None:
    names = piece.column_names
    for parameter in ("y", "sample_weight", "counts"):
        name = getattr(request, parameter)
        if name is not None and names.count(name) != 1:
            few = ", ".join(map(repr, names[:8])) + (", ..." if len(names) > 8 else "")
            raise ValueError(f"{parameter}={name!r} must name one column of {data}, which has {few}")


def _weights(piece: Any, request: FarRequest) -> Floats | None:
    name = request.sample_weight
    if name is not None:
        return one_per_row(piece.column(name).to_numpy(), piece.num_rows, "sample_weight")
    return np.ones(piece.num_rows) if request.is_weighted else None


def _repeats(piece: Any, request: FarRequest) -> Longs | None:
    name = request.counts
    if name is None:
        return None
    values = piece.column(name).to_numpy()
    if not np.any(values):  # a piece may be empty, if not all are
        return np.zeros(piece.num_rows, dtype=np.int64)
    return row_counts(values, piece.num_rows)


# The whole --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class WholeData:
    """The facts of all pieces together: columns, classes, and which arrays every part has."""

    columns: tuple[Column, ...]
    target: FarTarget
    dtypes: tuple[str, ...]  # of the columns
    target_dtypes: Mapping[str, str]


class Gathering:
    """Collects the facts of pieces until those of the whole table are known."""

    def __init__(self, request: FarRequest, name: str) -> None:
        self._request, self._name = request, name
        self._columns: list[ColumnUnion] = []
        self._target: ClassUnion | NumberUnion = ClassUnion() if request.is_classes else NumberUnion()
        self.n_rows = 0

    def add(self, facts: PieceFacts) -> tuple[list[Ints | None], Ints | None]:
        """Take the facts of a piece; return the numbers of the categories of each column, and of classes."""
        if not self.n_rows:
            self._columns = [ColumnUnion(one) for one in facts.columns]
        if [one.column.name for one in facts.columns] != [union.column.name for union in self._columns]:
            raise ValueError(f"the columns of {self._name} are not the same in all files")
        self.n_rows += facts.n_rows
        numbers = [union.add(one) for union, one in zip(self._columns, facts.columns, strict=True)]
        return numbers, self._target.add(facts.target)  # type: ignore[arg-type]

    @property
    def dtypes(self) -> tuple[str, ...]:
        """The types of the arrays of columns."""
        return tuple("<i4" if u.column.kind != "numeric" else u.dtype.str for u in self._columns)

    def whole_of(self, pieces: Iterable[PieceFacts | None]) -> WholeData:
        """The facts of all these pieces together; None stands for a piece without rows."""
        for facts in pieces:
            if facts is not None:
                self.add(facts)
        return self.whole()

    def whole(self) -> WholeData:
        """The facts of all pieces together."""
        if not self.n_rows:
            raise ValueError(f"{self._name} has no rows; at least one is needed")
        target = self._whole_target()
        if target.weights is not None and not target.n_counted:
            raise ValueError("the weights are zero in every row; at least one must be positive")
        kinds = {"codes": "<i4"} if self._request.is_classes else {"values": "<f8"}
        kinds |= {"weights": "<f8"} if self._request.is_weighted else {}
        kinds |= {} if self._request.counts is None else {"counts": "<i8"}
        return WholeData(
            tuple(union.finished() for union in self._columns),
            target,
            self.dtypes,
            kinds,
        )

    def numbered(self, whole: WholeData) -> tuple[list[Ints | None], Ints | None]:
        """The codes that the numbers of all pieces stand for."""
        tables = [
            None if column.kind == "numeric" else codes_in(union.numbering.number, column.categories)
            for union, column in zip(self._columns, whole.columns, strict=True)
        ]
        if isinstance(self._target, NumberUnion):
            return tables, None
        return tables, codes_in(self._target.numbering.number, whole.target.classes)

    def _whole_target(self) -> FarTarget:
        request = self._request
        weighing: dict[str, Any] = {  # that there are some is all that matters
            "weights": np.ones(1) if request.is_weighted else None,
            "counts": None if request.counts is None else np.ones(1, dtype=np.int64),
            "n_all": self.n_rows,
        }
        if isinstance(self._target, NumberUnion):
            extremes = np.array([self._target.low, self._target.high])
            refuse_narrow(extremes, 1 / request.most)
            return FarTarget(Goal.REAL, values=extremes, n_taking_part=self._target.counted, **weighing)
        classes, labels, repeats, counted = self._target.finished()
        numbers = np.arange(len(classes), dtype=np.int32)
        factors = class_factors(request.class_weight, numbers, classes, repeats)  # type: ignore[arg-type]
        return FarTarget(
            Goal.CLASSES,
            classes=classes,
            labels=labels,
            ordered=self._target.ordered,
            class_weights=factors,
            totals=None if request.is_weighted else repeats,
            n_taking_part=int(counted.sum() if factors is None else counted[factors > 0].sum()),
            **weighing,
        )


def whole_codes(arrays: Arrays, facts: PieceFacts, whole: WholeData) -> Arrays:
    """The arrays of a piece as those of the whole table."""
    columns, target = arrays
    tables = [
        None if known.kind == "numeric" else codes_in(own.column.categories, known.categories)
        for own, known in zip(facts.columns, whole.columns, strict=True)
    ]
    class_table = (
        codes_in(facts.target.classes, whole.target.classes)
        if isinstance(facts.target, PieceClasses)
        else None
    )
    columns = [array.astype(kind, copy=False) for array, kind in zip(columns, whole.dtypes, strict=True)]
    return recoded(columns, target, tables, class_table, whole.target.class_weights)


def recoded(
    columns: Sequence[AnyArray],
    target: Mapping[str, AnyArray],
    tables: Sequence[Ints | None],
    class_table: Ints | None,
    factors: Floats | None,
) -> Arrays:
    """Columns and target with other codes; weights times those of classes."""
    own = dict(target)
    if class_table is not None:
        own["codes"] = class_table[own["codes"]]
    if factors is not None:
        own["weights"] = own["weights"] * factors[own["codes"]]
    return [a if table is None else table[a] for a, table in zip(columns, tables, strict=True)], own
