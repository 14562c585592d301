"""Feather: Arrow's own file, as pandas, polars and R write it.

One idea: the file is a list of record batches, which is what streaming wants.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from hornbeam.data.files.arrow import raw_of, shaped, sound
from hornbeam.data.files.request import Asked, Raw
from hornbeam.data.files.source import Source
from hornbeam.data.files.table_error import TableError, guarded

_HINT = "check that the file is complete"


def read_feather(source: Source, asked: Asked) -> Raw:
    """The whole of a Feather file."""
    with _opened(source) as file, guarded(source.name, "read as Feather", _HINT):
        table = pa.ipc.open_file(file).read_all()
        return raw_of(sound(table.slice(0, asked.limit)), asked, source.name)


def stream_feather(source: Source, asked: Asked, rows: int) -> Iterator[Any]:
    """Batches of a Feather file."""
    with _opened(source) as file, guarded(source.name, "read as Feather", _HINT):
        reader = pa.ipc.open_file(file)
        for k in range(reader.num_record_batches):
            batch = reader.get_batch(k)
            for start in range(0, batch.num_rows, rows):
                piece = sound(pa.Table.from_batches([batch.slice(start, rows)]))
                yield shaped(piece, asked, source.name)


def _opened(source: Source) -> Any:
    if source.head.startswith(b"FEA1"):
        raise TableError(
            f"{source.name} is in the first version of Feather, which is no longer read",
            "write it again as Parquet",
        )
    if source.path is None:
        source.keep()
    return source.open()


def write_feather(table: Any, file: Any) -> None:
    """Write a table as Feather; batches of one file share their dictionaries."""
    with pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table.unify_dictionaries().combine_chunks(), max_chunksize=1 << 16)
