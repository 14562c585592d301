"""Spark: the engine of Spark DataFrames, by `mapInArrow` alone.

The frame is read twice: for the facts of its pieces, then for the parts, a row of bytes for each, which Spark
keeps where it likes. A message is a job of as few tasks as run at a time: each answers for the parts of some
partitions, and sends one answer. Python processes of Spark that live on remember codes and nodes of the parts
they saw, as a cache.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from hornbeam._base.types import Floats, Longs
from hornbeam.engines.far_rows import Combine, FarEngine, FarRows, Task
from hornbeam.engines.pieces import FarRequest, Gathering, WholeData, encode_piece, whole_codes
from hornbeam.engines.row_part import RowPart, remembered

NAME = "the Spark DataFrame"
_PART_BYTES = 1 << 26  # of Arrow batches that become one part


@dataclass(frozen=True)
class Spark(FarEngine):
    """Grow a tree from a Spark DataFrame: `fit(frame, y="column")`.

    Parameters
    ----------
    memory : str or int
        How much memory growing may take in the driver, about: nodes whose rows fit in a tenth of it are grown
        there to the end.
    checkpoint : path or None
        A folder that keeps what a growth has learned about the rows. Fitted again after the program has died,
        with the same data and parameters, the tree is grown on from there; when it is grown, the folder goes.

    Examples
    --------
    >>> from hornbeam.engines import Spark
    >>> Spark(memory="500MB")
    Spark(memory='500MB', checkpoint=None)
    """

    memory: str | int = "2GB"
    checkpoint: Any = None

    @contextmanager
    def open(self, data: Any, request: FarRequest) -> Iterator[FarRows]:
        """The rows of the data, for as long as Spark keeps their parts."""
        self.check_data(data, "mapInArrow", "Spark DataFrame", "spark.read.parquet")
        facts = _rows_of(data.mapInArrow(_facts_of(request), "content binary"))
        whole = Gathering(request, NAME).whole_of(map(pickle.loads, facts))  # tasks of ours wrote them
        with ExitStack() as kept:
            parts = _SparkParts.kept_by(kept, data.mapInArrow(_parts_of(request, whole), "content binary"))
            yield self.rows(whole, parts)


@dataclass(frozen=True)
class _SparkParts:
    """A frame with a row of bytes for each part."""

    frame: Any
    kept: ExitStack
    n_tasks: int | None  # that run at a time; None: nobody says

    @classmethod
    def kept_by(cls, kept: ExitStack, frame: Any) -> _SparkParts:
        """The parts of a frame that Spark keeps once it is made, where that is allowed."""
        try:
            frame = frame.persist()
        except Exception as error:  # services that make every frame anew say so by classes of their own
            if "PERSIST" not in str(error).upper():
                raise
        else:
            kept.callback(frame.unpersist)
        try:
            n_tasks = frame.sparkSession.sparkContext.defaultParallelism
        except Exception:  # a connected session has no context, and a class of its own to say so
            n_tasks = None
        return cls(frame, kept, n_tasks)

    def map_reduce(self, task: Task, state: Any, combine: Combine) -> bytes:
        """Combine what the task says of every part."""
        frame = self.frame if self.n_tasks is None else self.frame.coalesce(self.n_tasks)
        answers = _rows_of(frame.mapInArrow(_answers_of(task, state, combine), "content binary"))
        return combine(answers) if len(answers) > 1 else answers[0]

    def reweigh(self, factors: Floats) -> _SparkParts:
        """The parts with other weights."""
        return self._changed(partial(_reweighed, factors=factors))

    def drawn(self, counts: Mapping[int, Longs] | None) -> _SparkParts:
        """The parts with each row as often as it was drawn; None: as they are."""
        return self if counts is None else self._changed(partial(_drawn, counts=counts))

    def _changed(self, change: Callable[[RowPart], RowPart]) -> _SparkParts:
        return self.kept_by(self.kept, self.frame.mapInArrow(_changes(change), "content binary"))


def _rows_of(frame: Any) -> list[bytes]:
    return [bytes(row[0]) for row in frame.collect()]


# Tasks ------------------------------------------------------------------------------------------------------

Batches = Callable[[Iterator[Any]], Iterator[Any]]


def _batch(content: bytes) -> Any:
    import pyarrow as pa

    return pa.record_batch({"content": pa.array([content], pa.binary())})


def _pieces(batches: Iterator[Any]) -> Iterator[Any]:
    """Batches of a partition as tables that are worth a part each."""
    import pyarrow as pa

    held: list[Any] = []
    for batch in batches:
        if batch.num_rows:
            held.append(batch)
        if sum(one.nbytes for one in held) >= _PART_BYTES:
            yield pa.Table.from_batches(held)
            held = []
    if held:
        yield pa.Table.from_batches(held)


def _facts_of(request: FarRequest) -> Batches:
    def facts(batches: Iterator[Any]) -> Iterator[Any]:
        for piece in _pieces(batches):
            yield _batch(pickle.dumps(encode_piece(piece, request, NAME)[1]))

    return facts


def _parts_of(request: FarRequest, whole: WholeData) -> Batches:
    def parts(batches: Iterator[Any]) -> Iterator[Any]:
        from pyspark import TaskContext

        context = TaskContext.get()
        first = 0 if context is None else context.partitionId() << 32
        for number, piece in enumerate(_pieces(batches), first):
            arrays, facts = encode_piece(piece, request, NAME)
            try:
                arrays = whole_codes(arrays, facts, whole)
            except KeyError as error:
                raise ValueError(
                    f"{NAME} had no {error} when it was read first: a query whose rows change from one run to"
                    " the next must be kept, frame.persist()"
                ) from None
            yield _batch(RowPart(*arrays, number).to_bytes())

    return parts


def _changes(change: Callable[[RowPart], RowPart]) -> Batches:
    def parts(batches: Iterator[Any]) -> Iterator[Any]:
        for content in _contents(batches):
            yield _batch(change(RowPart.from_bytes(content)).to_bytes())

    return parts


def _reweighed(part: RowPart, factors: Floats) -> RowPart:
    return part.reweighed(factors)


def _drawn(part: RowPart, counts: Mapping[int, Longs]) -> RowPart:
    return part.drawn(counts[part.number])


def _answers_of(task: Task, state: Any, combine: Combine) -> Batches:
    def answers(batches: Iterator[Any]) -> Iterator[Any]:
        some = [task(_part(content), state) for content in _contents(batches)]
        if some:
            yield _batch(combine(some) if len(some) > 1 else some[0])

    return answers


def _part(content: bytes) -> RowPart:
    return remembered(RowPart.from_bytes(content), RowPart.head_of(content))


def _contents(batches: Iterator[Any]) -> Iterator[bytes]:
    for batch in batches:
        for value in batch.column(0):
            yield value.as_py()
