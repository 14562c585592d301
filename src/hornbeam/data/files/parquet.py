"""Parquet, through Arrow.

One idea: the types are in the file, so nothing is guessed; row groups are read one at a time when streaming.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from hornbeam.data.files.arrow import raw_of, shaped
from hornbeam.data.files.request import Asked, Raw
from hornbeam.data.files.source import Source
from hornbeam.data.files.table_error import guarded

_HINT = "check that the file is complete"


def read_parquet(source: Source, asked: Asked) -> Raw:
    """The whole of a Parquet file."""
    if source.path is None:
        source.keep()
    with guarded(source.name, "read as Parquet", _HINT), source.open() as file:
        parquet = pq.ParquetFile(file)
        if asked.limit is None:
            table = parquet.read()
        else:
            batches = parquet.iter_batches(batch_size=max(asked.limit, 1))
            table = pa.Table.from_batches(
                [b for _, b in zip(range(1), batches, strict=False)], parquet.schema_arrow
            )
            table = table.slice(0, asked.limit)
        return raw_of(table, asked, source.name)


def stream_parquet(source: Source, asked: Asked, rows: int) -> Iterator[Any]:
    """Batches of a Parquet file."""
    if source.path is None:
        source.keep()
    with guarded(source.name, "read as Parquet", _HINT), source.open() as file:
        for batch in pq.ParquetFile(file).iter_batches(batch_size=rows):
            yield shaped(pa.Table.from_batches([batch]), asked, source.name)


def write_parquet(table: Any, file: Any) -> None:
    """Write a table as Parquet; dictionaries stay dictionaries."""
    pq.write_table(table, file)
