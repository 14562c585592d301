"""Ray: the engine of Ray datasets, whose blocks stay in the object stores of a cluster.

Each block becomes a part, an object that Ray keeps and makes anew where it is lost; a message goes to one
task for each processor, which answers for some of the parts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

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
from hornbeam.engines.row_part import RowPart, remembered

NAME = "the Ray dataset"


@dataclass(frozen=True)
class Ray(FarEngine):
    """Grow a tree from a Ray dataset on the workers of a cluster: `fit(dataset, y="column")`.

    Parameters
    ----------
    memory, checkpoint
        As for `Dask`.

    Examples
    --------
    >>> from hornbeam.engines import Ray
    >>> Ray(memory="500MB")
    Ray(memory='500MB', checkpoint=None)
    """

    memory: str | int = "2GB"
    checkpoint: Any = None

    @contextmanager
    def open(self, data: Any, request: FarRequest) -> Iterator[FarRows]:
        """The rows of the data, for as long as their parts are held."""
        self.check_data(data, "to_arrow_refs", "Ray Dataset", "ray.data.read_parquet")
        import ray

        encode = ray.remote(_encode).options(num_returns=2)
        encoded = [encode.remote(table, request) for table in data.to_arrow_refs()]
        whole = Gathering(request, NAME).whole_of(ray.get([facts for _, facts in encoded]))
        finish, shared = ray.remote(_finish), ray.put(whole)
        parts = _RayParts([finish.remote(*one, shared, number) for number, one in enumerate(encoded)])
        yield self.rows(whole, parts)


@dataclass(frozen=True)
class _RayParts:
    """Parts as objects of Ray."""

    parts: Sequence[Any]

    def map_reduce(self, task: Task, state: Any, combine: Combine) -> bytes:
        """Combine what the task says of every part."""
        import ray

        n = max(1, min(len(self.parts), int(ray.cluster_resources().get("CPU", 1))))
        answer, told = ray.remote(_answer), ray.put(state)
        groups = [self.parts[k::n] for k in range(n)]
        names = [[part.hex() for part in group] for group in groups]
        answers = [answer.remote(task, told, combine, *of) for of in map(lambda a, b: (a, *b), names, groups)]
        return combine_answers(combine, *ray.get(answers)) or b""

    def reweigh(self, factors: Floats) -> _RayParts:
        """The parts with other weights."""
        import ray

        reweigh = ray.remote(_reweigh)
        return _RayParts([reweigh.remote(part, factors) for part in self.parts])

    def drawn(self, counts: Mapping[int, Longs] | None) -> _RayParts:
        """The parts with each row as often as it was drawn; None: as they are."""
        import ray

        if counts is None:
            return self
        draw = ray.remote(_drawn)
        return _RayParts([draw.remote(part, counts.get(number)) for number, part in enumerate(self.parts)])


# Tasks ------------------------------------------------------------------------------------------------------


def _encode(table: Any, request: FarRequest) -> tuple[Arrays | None, PieceFacts | None]:
    return encode_piece(table, request, NAME) if table.num_rows else (None, None)


def _finish(arrays: Arrays | None, facts: PieceFacts | None, whole: WholeData, number: int) -> RowPart | None:
    return None if arrays is None or facts is None else RowPart(*whole_codes(arrays, facts, whole), number)


def _reweigh(part: RowPart | None, factors: Floats) -> RowPart | None:
    return None if part is None else part.reweighed(factors)


def _drawn(part: RowPart | None, counts: Longs | None) -> RowPart | None:
    return None if part is None else part.drawn(counts)


def _answer(
    task: Task, state: Any, combine: Combine, names: Sequence[str], *parts: RowPart | None
) -> bytes | None:
    pairs = zip(names, parts, strict=True)
    return combine_answers(
        combine, *(task(remembered(part, name), state) for name, part in pairs if part is not None)
    )
