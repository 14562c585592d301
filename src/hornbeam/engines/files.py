"""Files: the engine of data that is read piece by piece and kept on the disk while a tree grows.

The data is read once. Its columns go to a cache: files of so many rows each, mapped into memory, which the
system keeps there or not as it likes. They are deleted when the tree is grown, whatever happens.
"""

from __future__ import annotations

import errno
import re
import secrets
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np

from hornbeam._base.parameters import as_path, n_threads
from hornbeam._base.types import Floats, Ints, Longs
from hornbeam._base.worker_threads import SubmittedCall, WorkerPool, worker_pool
from hornbeam.data.streams import DataStream, open_stream
from hornbeam.engines.far_rows import Combine, FarEngine, FarRows, Task, bytes_of_memory
from hornbeam.engines.pieces import FarRequest, Gathering, encode_piece, recoded
from hornbeam.engines.row_part import FilePart

_MOST_ROWS = 1 << 19  # of one file of the cache
_MERGE_BYTES = 1 << 20  # of answers that wait to be merged


@dataclass(frozen=True)
class Files(FarEngine):
    """Grow a tree from data that need not fit in memory: `fit(data, y="column", engine=Files())`.

    Parameters
    ----------
    memory : str or int
        How much memory growing may take, about, beside what Python has imported: "512MB", "2GB", or bytes.
        The less there is, the more often the cache is read.
    cache : path or None
        A folder with room for the columns that are used, and about a third more. None is the system's folder
        for temporary files, which some systems keep in memory.
    checkpoint : path or None
        A folder that keeps what a growth has learned about the rows. Fitted again after the program has died,
        with the same data and parameters, the tree is grown on from there; when it is grown, the folder goes.

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
    checkpoint: Any = None

    @contextmanager
    def open(self, data: Any, request: FarRequest) -> Iterator[FarRows]:
        """The rows of the data, for as long as the cache lasts."""
        cache = as_path(tempfile.gettempdir() if self.cache is None else self.cache, "cache")
        if not cache.is_dir():
            raise ValueError(
                f"cache={str(cache)!r} is no folder: give one that exists, with room for the columns"
            )
        stream = open_stream(data)
        # Named before it is made: no interrupt comes between the folder and its removal.
        folder = cache / f"hornbeam-{secrets.token_hex(8)}"
        try:
            folder.mkdir(mode=0o700)
            with worker_pool(n_threads(request.n_jobs)) as pool:
                yield _Reading(stream, request, str(folder), self).rows(pool)
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                raise
            raise OSError(
                errno.ENOSPC,
                f"the folder of the cache is full ({folder}): give cache= a folder with more room, about four"
                " thirds of what the columns that are used take",
            ) from None
        finally:
            _remove(folder)


def _remove(folder: Path) -> None:
    """Remove a folder, also where an interrupt comes meanwhile."""
    try:
        shutil.rmtree(folder, ignore_errors=True)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


@dataclass(frozen=True)
class _FileParts:
    """Parts in files; tasks on threads of this process: the core lets go of Python while it answers."""

    parts: Sequence[FilePart]
    pool: WorkerPool
    n_classes: int

    def map_reduce(self, task: Task, state: Any, combine: Combine) -> bytes:
        """Combine what the task says of every part."""
        at_once = 2 * self.pool.n
        waiting = list(reversed(self.parts))
        done: SimpleQueue[SubmittedCall[bytes]] = SimpleQueue()
        running = 0
        answers: list[bytes] = []
        most = _MERGE_BYTES
        try:
            while waiting or running:
                while waiting and running < at_once:
                    self.pool.submit(done, task, waiting.pop(), state)
                    running += 1
                answers.append(done.get().result())
                running -= 1
                if len(answers) > 1 and sum(map(len, answers)) > most:
                    answers = [combine(answers)]
                    # what is only joined is not copied again and again
                    most = max(_MERGE_BYTES, 2 * len(answers[0]))
        except BaseException:
            self.pool.close()  # no task goes on while others are given
            self.pool.start()
            raise
        return answers[0] if len(answers) == 1 else combine(answers)

    def reweigh(self, factors: Floats) -> _FileParts:
        """The parts written anew with other weights."""
        return replace(self, parts=[self._reweighed(part, factors) for part in self.parts])

    def drawn(self, counts: Mapping[int, Longs] | None) -> _FileParts:
        """The parts with each row as often as it was drawn; None: as they are, for several trees."""
        own = [part.drawn(None if counts is None else counts[part.number]) for part in self.parts]
        return replace(self, parts=own)

    def _reweighed(self, part: FilePart, factors: Floats) -> FilePart:
        if part.own_target is not None:  # the file is that of other trees as well
            return part.with_target(dict(part.target) | part.weights_times(factors))
        rows = part.reweighed(factors)
        path = f"{part.path}-weighed"
        written = FilePart.write(path, rows.columns, rows.target, part.number).sealed(self.n_classes)
        Path(part.path).unlink()
        return written


class _Reading:
    """Data on its way to the cache."""

    def __init__(self, stream: DataStream, request: FarRequest, folder: str, options: Files) -> None:
        self._stream, self._request, self._folder, self._options = stream, request, folder, options
        self._gathering = Gathering(request, stream.name)

    def rows(self, pool: WorkerPool) -> FarRows:
        """All rows, in the cache."""
        parts: list[FilePart] = []
        for piece in self._stream.pieces(self._rows_of_part):
            parts.append(self._write(piece, len(parts)))
        whole = self._gathering.whole()
        n_classes = len(whole.target.classes)
        codes = self._gathering.numbered(whole)
        sealed = []
        for part in parts:
            _recode(part, *codes, whole.target.class_weights)
            sealed.append(part.sealed(n_classes))
        return self._options.rows(whole, _FileParts(sealed, pool, n_classes))

    def _rows_of_part(self, piece: Any) -> int:
        """How many rows a part has: about a sixteenth of the memory, as far as the first rows tell."""
        width = 24 + 3 * max(piece.nbytes // piece.num_rows, 8 * piece.num_columns)
        return int(np.clip(bytes_of_memory(self._options.memory) // 16 // width, 64, _MOST_ROWS))

    def _write(self, piece: Any, number: int) -> FilePart:
        """Write a piece, with numbers of values where the codes of the whole table are not known yet."""
        gathering = self._gathering
        n_before = gathering.n_rows
        try:
            (columns, target), facts = encode_piece(piece, self._request, self._stream.name)
        except (ValueError, TypeError) as error:
            if n_before == 0 or not re.search(r"\brow\b", str(error)):
                raise
            raise type(error)(f"{error} (rows counted from row {n_before:,} of the data)") from None
        columns, target = recoded(columns, target, *gathering.add(facts), None)
        kinds = gathering.dtypes
        arrays = [array.astype(kind, copy=False) for array, kind in zip(columns, kinds, strict=True)]
        return FilePart.write(f"{self._folder}/part-{number:06d}", arrays, target, number)


def _recode(
    part: FilePart, tables: Sequence[Ints | None], class_table: Ints | None, factors: Floats | None
) -> None:
    """Turn numbers of values into the codes of the whole table, in place; multiply weights."""
    columns, target = recoded(part.columns, part.target, tables, class_table, factors)
    for here, table, new in zip(part.columns, tables, columns, strict=True):
        if table is not None:
            here[:] = new
    for name, array in part.target.items():
        if array is not target[name]:
            array[:] = target[name]
