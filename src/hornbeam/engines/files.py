"""Files: the engine of data that is read piece by piece and kept on the disk while a tree grows.

The data is read once. Its columns go to a cache: files of so many rows each, mapped into memory, which the
system keeps there or not as it likes. They are deleted when the tree is grown, whatever happens.
"""

from __future__ import annotations

import errno
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from hornbeam._base.parameters import n_threads
from hornbeam._base.types import AnyArray, Floats, Longs
from hornbeam._base.types import Task as Goal
from hornbeam.data.cells import has_declared_order
from hornbeam.data.streams import DataStream, open_stream
from hornbeam.data.table import Table
from hornbeam.data.weights_and_costs import class_factors, one_per_row, row_counts
from hornbeam.engines.far_rows import FarRows, FarTarget, Task
from hornbeam.engines.row_part import RowPart
from hornbeam.engines.union import ClassUnion, ColumnUnion, NumberUnion, cells_of

LEAST_MEMORY = 10**6
_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_UNITS |= {"KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30, "TIB": 1 << 40}
_MOST_ROWS = 1 << 19  # of one file of the cache
_MERGE_BYTES = 1 << 20  # of answers that wait to be merged


@dataclass(frozen=True)
class Files:
    """Grow a tree from data that need not fit in memory: `fit(data, y="column", engine=Files())`.

    Parameters
    ----------
    memory : str or int
        How much memory growing may take, about, beside what Python has imported: "512MB", "2GB", or bytes.
        The less there is, the more often the cache is read.
    cache : path or None
        A folder with room for the columns that are used, and about a third more. None is the system's folder
        for temporary files, which some systems keep in memory.

    Examples
    --------
    >>> import tempfile, pyarrow as pa, pyarrow.parquet as pq, hornbeam as hb
    >>> from hornbeam.engines import Files
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for part in range(3):
    ...         rows = pa.table({"fare": [5.0 + part, 20.0 + part], "tipped": ["no", "yes"]})
    ...         pq.write_table(rows, f"{folder}/{part}.parquet")
    ...     model = hb.TreeClassifier().fit(f"{folder}/*.parquet", y="tipped", engine=Files(memory="100MB"))
    >>> model.tree_.text()
    'fare[<=13.5: no(3:0) | >13.5: yes(0:3)]'
    """

    memory: str | int = "2GB"
    cache: Any = None

    def __post_init__(self) -> None:
        self.bytes_of_memory()

    def bytes_of_memory(self) -> int:
        """The memory as a number of bytes.

        >>> Files("1.5GB").bytes_of_memory()
        1500000000
        """
        parts = re.fullmatch(r"\s*([0-9]+\.?[0-9]*)\s*([A-Za-z]*)\s*", str(self.memory))
        unit = _UNITS.get(parts[2].upper(), 0) if parts else 0
        n = int(float(parts[1]) * unit) if parts else 0
        if n < LEAST_MEMORY or isinstance(self.memory, (bool, float)):
            raise ValueError(
                f"memory={self.memory!r} must be a number of bytes of at least 1MB, such as '512MB' or '2GB'"
            )
        return n

    @contextmanager
    def open(self, data: Any, request: FarRequest) -> Iterator[FarRows]:
        """The rows of the data, for as long as the cache lasts."""
        stream = open_stream(data)
        folder = tempfile.mkdtemp(prefix="hornbeam-", dir=self.cache)
        try:
            with ThreadPoolExecutor(n_threads(request.n_jobs), "hornbeam-parts") as pool:
                yield _Reading(stream, request, folder, self.bytes_of_memory()).rows(_MapReduce(pool))
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                raise
            raise OSError(
                errno.ENOSPC,
                f"the folder of the cache is full ({folder}): give cache= a folder with more room, about four"
                " thirds of what the columns that are used take",
            ) from None
        finally:
            shutil.rmtree(folder, ignore_errors=True)


@dataclass(frozen=True)
class FarRequest:
    """What an estimator wants of data that is read piece by piece."""

    y: str
    sample_weight: str | None
    counts: str | None
    is_classes: bool
    estimator: Any  # whose parameters tell the columns apart
    most: float = np.inf  # of a target that is a number
    n_jobs: int | None = None


class _MapReduce:
    """Tasks on threads of this process: the core lets go of Python while it answers."""

    def __init__(self, pool: ThreadPoolExecutor) -> None:
        self._pool = pool

    def __call__(
        self, task: Task, parts: Sequence[RowPart], state: Any, combine: Callable[[list[bytes]], bytes]
    ) -> bytes:
        at_once = 2 * self._pool._max_workers
        waiting = list(reversed(parts))
        running: set[Future[bytes]] = set()
        answers: list[bytes] = []
        most = _MERGE_BYTES
        try:
            while waiting or running:
                while waiting and len(running) < at_once:
                    running.add(self._pool.submit(task, waiting.pop(), state))
                done, running = wait(running, return_when=FIRST_COMPLETED)
                answers += [future.result() for future in done]
                if len(answers) > 1 and sum(map(len, answers)) > most:
                    answers = [combine(answers)]
                    most = max(
                        _MERGE_BYTES, 2 * len(answers[0])
                    )  # what is only joined is not copied again and again
        finally:
            wait(running)
        return answers[0] if len(answers) == 1 else combine(answers)


class _Reading:
    """Data on its way to the cache."""

    def __init__(self, stream: DataStream, request: FarRequest, folder: str, memory: int) -> None:
        self._stream, self._request, self._folder, self._memory = stream, request, folder, memory
        self._columns: list[ColumnUnion] = []
        self._target = ClassUnion() if request.is_classes else NumberUnion(request.most)
        self._n_rows = self._n_counted = 0
        self._any_weight = False

    def rows(self, map_reduce: _MapReduce) -> FarRows:
        """All rows, in the cache."""
        parts: list[RowPart] = []
        for piece in self._stream.pieces(self._rows_of_part):
            parts.append(self._write(piece, len(parts)))
        if not parts:
            raise ValueError(f"{self._stream.name} has no rows; at least one is needed")
        columns, codes = zip(*(union.finished() for union in self._columns), strict=True)
        target, class_codes = self._finished_target()
        if target.weights is not None and not self._any_weight:
            raise ValueError("the weights are zero in every row; at least one must be positive")
        kinds = [(0, 0, 0)] * len(columns)
        n_classes = len(target.classes)
        sealed = []
        for part in parts:
            _recode(part, codes, class_codes, target.class_weights)
            sealed.append(part.sealed(kinds, n_classes))
        return FarRows(columns, target, sealed, map_reduce, self._memory)

    def _rows_of_part(self, piece: Any) -> int:
        """How many rows a part has: about a sixteenth of the memory, as far as the first rows tell."""
        width = 24 + 3 * max(piece.nbytes // piece.num_rows, 8 * piece.num_columns)
        return int(np.clip(self._memory // 16 // width, 64, _MOST_ROWS))

    def _write(self, piece: Any, number: int) -> RowPart:
        request = self._request
        try:
            self._check_names(piece)
            counts = self._repeats(piece)
            target = self._target.add(cells_of(piece, request.y), counts)
            weights = self._weights(piece)
            table = self._table(piece)
        except (ValueError, TypeError) as error:
            if self._n_rows == 0 or not re.search(r"\brow\b", str(error)):
                raise
            raise type(error)(f"{error} (rows counted from row {self._n_rows:,} of the data)") from None
        arrays = [
            union.add(column, array)
            for union, column, array in zip(self._columns, table.columns, table.arrays, strict=True)
        ]
        self._note(piece.num_rows, weights, counts)
        path = f"{self._folder}/part-{number:06d}"
        return RowPart.write(path, arrays, target | {"weights": weights, "counts": counts})

    def _check_names(self, piece: Any) -> None:
        request, names = self._request, piece.column_names
        for parameter in ("y", "sample_weight", "counts"):
            name = getattr(request, parameter)
            if name is not None and names.count(name) != 1:
                few = ", ".join(map(repr, names[:8])) + (", ..." if len(names) > 8 else "")
                raise ValueError(
                    f"{parameter}={name!r} must name one column of {self._stream.name}, which has {few}"
                )

    def _table(self, piece: Any) -> Table:
        """The columns that are no outcome, each encoded as if the piece were all."""
        request = self._request
        used = {request.y, request.sample_weight, request.counts}
        rest = piece.select([name for name in piece.column_names if name not in used])
        estimator = request.estimator
        table = Table.learn(rest, estimator.categorical_features, estimator.exclude)
        if not self._columns:
            for column, array in zip(table.columns, table.arrays, strict=True):
                kind = rest.schema.field(column.name).type
                declared = hasattr(kind, "index_type") and has_declared_order(kind)
                self._columns.append(ColumnUnion(column, array, declared=declared))
        if [c.name for c in table.columns] != [u.column.name for u in self._columns]:
            raise ValueError(f"the columns of {self._stream.name} are not the same in all files")
        return table

    def _weights(self, piece: Any) -> Floats | None:
        name = self._request.sample_weight
        class_weight = getattr(self._request.estimator, "class_weight", None)
        if name is not None:
            return one_per_row(piece.column(name).to_numpy(), piece.num_rows, "sample_weight")
        return None if class_weight is None or not self._request.is_classes else np.ones(piece.num_rows)

    def _repeats(self, piece: Any) -> Longs | None:
        name = self._request.counts
        if name is None:
            return None
        values = piece.column(name).to_numpy()
        if not np.any(values):  # a piece may be empty, if not all are
            return np.zeros(piece.num_rows, dtype=np.int64)
        return row_counts(values, piece.num_rows)

    def _note(self, n_rows: int, weights: Floats | None, counts: Longs | None) -> None:
        self._n_rows += n_rows
        taking_part = np.ones(n_rows, dtype=np.int64) if counts is None else counts
        if weights is not None:
            taking_part = taking_part[weights > 0]
        n = int(taking_part.sum())
        self._n_counted += n
        self._any_weight |= n > 0

    def _finished_target(self) -> tuple[FarTarget, AnyArray | None]:
        sizes: dict[str, Any] = {"n_all": self._n_rows, "n_taking_part": self._n_counted}
        has_weights = self._weighted
        weights = np.ones(1) if has_weights else None  # that there are some is all that matters
        counts = None if self._request.counts is None else np.ones(1, dtype=np.int64)
        if isinstance(self._target, NumberUnion):
            extremes = np.array([self._target.low, self._target.high])
            return FarTarget(Goal.REAL, values=extremes, weights=weights, counts=counts, **sizes), None
        classes, labels, codes, repeats = self._target.finished()
        wanted = getattr(self._request.estimator, "class_weight", None)
        numbers = np.arange(len(classes), dtype=np.int32)
        factors = class_factors(wanted, numbers, classes, repeats)  # type: ignore[arg-type]
        target = FarTarget(
            Goal.CLASSES,
            classes=classes,
            weights=weights,
            counts=counts,
            labels=labels,
            ordered=self._target.ordered,
            class_weights=factors,
            **sizes,
        )
        return target, codes

    @property
    def _weighted(self) -> bool:
        request = self._request
        return request.sample_weight is not None or (
            request.is_classes and getattr(request.estimator, "class_weight", None) is not None
        )


def _recode(
    part: RowPart, codes: Sequence[AnyArray | None], class_codes: AnyArray | None, factors: Floats | None
) -> None:
    """Turn numbers of values into the codes of the whole table; multiply weights by those of classes."""
    for array, table in zip(part.columns, codes, strict=True):
        if table is not None:
            array[:] = table[array]
    target = part.target
    if class_codes is not None:
        target["codes"][:] = class_codes[target["codes"]]
    if factors is not None:
        target["weights"] *= factors[target["codes"]]
