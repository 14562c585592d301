"""Parquet, through Arrow.

One idea: the types are in the file, so nothing is guessed; row groups are read one at a time when streaming.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from hornbeam.data.files.arrow import raw_of, shaped, sound
from hornbeam.data.files.request import Asked, Raw
from hornbeam.data.files.source import Source, unpacked_bound
from hornbeam.data.files.table_error import TableError, guarded

_HINT = "check that the file is complete"


def read_parquet(source: Source, asked: Asked) -> Raw:
    """The whole of a Parquet file."""
    if source.path is None:
        source.keep()
    with guarded(source.name, "read as Parquet", _HINT), source.open() as file:
        parquet = pq.ParquetFile(file)
        _refuse_absurd(parquet, source, asked.limit)
        if asked.limit is None:
            table = parquet.read()
        else:
            batches = parquet.iter_batches(batch_size=max(asked.limit, 1))
            table = pa.Table.from_batches(
                [b for _, b in zip(range(1), batches, strict=False)], parquet.schema_arrow
            )
            table = table.slice(0, asked.limit)
        return raw_of(sound(table), asked, source.name)


def stream_parquet(source: Source, asked: Asked, rows: int) -> Iterator[Any]:
    """Batches of a Parquet file."""
    if source.path is None:
        source.keep()
    with guarded(source.name, "read as Parquet", _HINT), source.open() as file:
        for batch in pq.ParquetFile(file).iter_batches(batch_size=rows):
            yield shaped(sound(pa.Table.from_batches([batch])), asked, source.name)


def _refuse_absurd(parquet: Any, source: Source, limit: int | None) -> None:
    """Raise if the table would be far larger than the file: a value repeated is written once."""
    facts = parquet.metadata
    rows = facts.num_rows if limit is None else min(facts.num_rows, limit)
    cells = 8 * rows * facts.num_columns  # bytes, at least about
    pages = sum(facts.row_group(k).total_byte_size for k in range(facts.num_row_groups))
    if max(cells, pages) > unpacked_bound(source.size):
        raise TableError(
            f"{source.name} says that its {source.size:,} bytes hold {facts.num_rows:,} rows and"
            f" {facts.num_columns:,} columns, {max(cells, pages):,} bytes",
            "read it with pyarrow and give the table itself, if you trust it",
        )


def write_parquet(table: Any, file: Any) -> None:
    """Write a table as Parquet; dictionaries stay dictionaries."""
    pq.write_table(table, file)
