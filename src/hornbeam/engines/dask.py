"""Dask: the engine of dask data frames, whose partitions stay with the workers of a cluster.

Each partition becomes a part that its worker holds; every message goes to one task for each thread of a
worker, which answers for the parts that lie there and sends one answer back. Tasks are ordinary tasks of dask
that depend on the parts: where a worker is lost, dask makes its parts anew from the partitions, on any other.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from hornbeam import _core
from hornbeam._base.types import Floats, Longs
from hornbeam.engines.far_rows import Combine, FarEngine, FarRows, Task, combine_answers
from hornbeam.engines.pieces import (
    Arrays,
    FarRequest,
    Gathering,
    PieceFacts,
    WholeData,
    encode_piece,
    whole_codes,
)
from hornbeam.engines.row_part import RowPart

NAME = "the dask DataFrame"
PATIENCE = 60  # seconds without any worker
_MOST_MERGED = 16  # answers that the driver merges; more are merged by workers first


@dataclass(frozen=True)
class Dask(FarEngine):
    """Grow a tree from a dask DataFrame on the workers of a cluster: `fit(frame, y="column")`.

    Parameters
    ----------
    client : a `distributed.Client`, or None for the one in use
    memory : str or int
        How much memory growing may take in this process, about: nodes whose rows fit in a tenth of it are
        grown here to the end.
    checkpoint : path or None
        A folder that keeps what a growth has learned about the rows. Fitted again after the program has died,
        with the same data and parameters, the tree is grown on from there; when it is grown, the folder goes.

    Examples
    --------
    >>> from hornbeam.engines import Dask
    >>> Dask(memory="500MB")
    Dask(client=None, memory='500MB', checkpoint=None)
    """

    client: Any = None
    memory: str | int = "2GB"
    checkpoint: Any = None

    @contextmanager
    def open(self, data: Any, request: FarRequest) -> Iterator[FarRows]:
        """The rows of the data, for as long as their parts are held."""
        self.check_data(data, "to_delayed", "dask DataFrame", "dask.dataframe.read_parquet")
        client = self.client if self.client is not None else current_client()
        if client is None:
            raise ValueError(
                "engine=Dask() needs a client: start one, client = dask.distributed.Client(), or leave engine"
                " out to read one partition after the other"
            )
        _check_workers(client)
        partitions = client.compute(data.to_delayed())
        encoded = client.map(_encode, partitions, request=request, pure=False)
        whole = Gathering(request, NAME).whole_of(_results(client, client.map(_facts, encoded, pure=False)))
        shared = client.submit(_same, whole, pure=False)
        numbers = range(len(encoded))
        parts = _DaskParts(client, client.map(_finish, encoded, numbers, whole=shared, pure=False))
        parts.made()
        del partitions, encoded
        yield self.rows(whole, parts)


def current_client() -> Any:
    """The client of dask that is in use; None if there is none."""
    from distributed import default_client

    try:
        return default_client()
    except ValueError:
        return None


@dataclass
class _DaskParts:
    """Parts that workers hold, as futures."""

    client: Any
    parts: Sequence[Any]
    _workers: Any = None
    _groups: list[list[Any]] = field(default_factory=list)

    def made(self) -> _DaskParts:
        """These parts, once all of them are there; raise what went wrong."""
        _results(self.client, self.client.map(_is_made, self.parts, pure=False))
        return self

    def map_reduce(self, task: Task, state: Any, combine: Combine) -> bytes:
        """Combine what the task says of every part."""
        submit, groups = self.client.submit, self.groups()
        # Sent to few it goes along with each task; to many, workers hand it to each other.
        told = state if len(groups) <= _MOST_MERGED else submit(_same, state, pure=False)
        answers = [submit(_answer, task, told, combine, *group, pure=False) for group in groups]
        while len(answers) > _MOST_MERGED:
            several = [answers[at : at + _MOST_MERGED] for at in range(0, len(answers), _MOST_MERGED)]
            answers = [submit(combine_answers, combine, *some, pure=False) for some in several]
        return combine_answers(combine, *_results(self.client, answers)) or b""

    def groups(self) -> list[list[Any]]:
        """The parts that one task answers for: those that lie together, some for each thread of a worker."""
        workers = self.client.nthreads()
        if workers != self._workers:  # where parts lie says how tasks are made, not where they run
            _check_workers(self.client)
            held: dict[Any, list[Any]] = defaultdict(list)
            places = self.client.who_has(self.parts)
            for part in self.parts:
                held[next(iter(places.get(part.key) or ()), None)].append(part)
            self._groups = [
                parts[k::n]
                for address, parts in held.items()
                for n in [min(workers.get(address, 1), len(parts))]
                for k in range(n)
            ]
            self._workers = workers
        return self._groups

    def reweigh(self, factors: Floats) -> _DaskParts:
        """The parts with other weights."""
        parts = self.client.map(_reweigh, self.parts, factors=factors, pure=False)
        return _DaskParts(self.client, parts).made()

    def drawn(self, counts: Mapping[int, Longs] | None) -> _DaskParts:
        """The parts with each row as often as it was drawn; None: as they are."""
        if counts is None:
            return self
        each = [counts.get(number) for number in range(len(self.parts))]
        return _DaskParts(self.client, self.client.map(_drawn, self.parts, each, pure=False)).made()


def _check_workers(client: Any) -> None:
    """Raise where a worker has another version of Hornbeam: it might not even read its tasks, unheard of."""
    own = _core.version()
    for address, theirs in client.run(version, "hornbeam", on_error="return").items():
        is_missing = isinstance(theirs, PackageNotFoundError)
        if is_missing or (isinstance(theirs, str) and theirs != own):  # else it was lost before it answered
            which = "none" if is_missing else theirs
            raise RuntimeError(
                f"the worker at {address} has another Hornbeam than this program: {which}, not {own}; install"
                f" hornbeam=={own} on all workers"
            )


def _results(client: Any, futures: Sequence[Any]) -> list[Any]:
    """The results of some tasks; raise where there is nobody who could work on them for a while."""
    from distributed import wait

    last_seen = time.monotonic()
    while True:
        try:
            wait(futures, timeout=5)
        except TimeoutError:
            if client.nthreads():
                last_seen = time.monotonic()
            elif time.monotonic() - last_seen > PATIENCE:
                raise RuntimeError(
                    f"the cluster has had no worker for {PATIENCE} seconds: start some, and fit again"
                ) from None
        else:
            return list(client.gather(futures))


# Tasks ------------------------------------------------------------------------------------------------------


def _same(value: Any) -> Any:
    return value


def _is_made(part: RowPart | None) -> bool:
    return part is not None


def _encode(partition: Any, request: FarRequest) -> tuple[Arrays, PieceFacts] | None:
    """A partition, which is a data frame of pandas; None where it has no rows."""
    import pyarrow as pa

    if len(partition) == 0:
        return None
    return encode_piece(pa.Table.from_pandas(partition, preserve_index=False), request, NAME)


def _facts(encoded: tuple[Arrays, PieceFacts] | None) -> PieceFacts | None:
    return None if encoded is None else encoded[1]


def _finish(encoded: tuple[Arrays, PieceFacts] | None, number: int, whole: WholeData) -> RowPart | None:
    return None if encoded is None else RowPart(*whole_codes(*encoded, whole), number)


def _reweigh(part: RowPart | None, factors: Floats) -> RowPart | None:
    return None if part is None else part.reweighed(factors)


def _drawn(part: RowPart | None, counts: Longs | None) -> RowPart | None:
    return None if part is None else part.drawn(counts)


def _answer(task: Task, state: Any, combine: Combine, *parts: RowPart | None) -> bytes | None:
    """What the task says of some parts."""
    return combine_answers(combine, *(task(part, state) for part in parts if part is not None))
