"""Parquet and Feather, through Arrow.

The types are in the file, so nothing is guessed. When streaming, Parquet's row groups and Feather's record
batches are read one at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from hornbeam.data.files.column_types import raw_table, shape_table, validate_table
from hornbeam.data.files.request import RawTable, ReadRequest
from hornbeam.data.files.source import Source, unpacked_bound
from hornbeam.data.files.table_error import TableError, guarded

_HINT = "check that the file is complete"


def read_parquet(source: Source, request: ReadRequest) -> RawTable:
    """The whole of a Parquet file."""
    if source.path is None:
        source.keep()
    with guarded(source.name, "read as Parquet", _HINT), source.open() as file:
        parquet = pq.ParquetFile(file)
        _refuse_absurd(parquet, source, request.limit)
        if request.limit is None:
            table = parquet.read()
        else:
            batches = parquet.iter_batches(batch_size=max(request.limit, 1))
            table = pa.Table.from_batches(
                [b for _, b in zip(range(1), batches, strict=False)], parquet.schema_arrow
            )
            table = table.slice(0, request.limit)
        return raw_table(validate_table(table), request, source.name)


def stream_parquet(source: Source, request: ReadRequest, rows: int) -> Iterator[Any]:
    """Batches of a Parquet file."""
    if source.path is None:
        source.keep()
    with guarded(source.name, "read as Parquet", _HINT), source.open() as file:
        for batch in pq.ParquetFile(file).iter_batches(batch_size=rows):
            yield shape_table(validate_table(pa.Table.from_batches([batch])), request, source.name)


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


def read_feather(source: Source, request: ReadRequest) -> RawTable:
    """The whole of a Feather file."""
    with _opened(source) as file, guarded(source.name, "read as Feather", _HINT):
        table = pa.ipc.open_file(file).read_all()
        return raw_table(validate_table(table.slice(0, request.limit)), request, source.name)


def stream_feather(source: Source, request: ReadRequest, rows: int) -> Iterator[Any]:
    """Batches of a Feather file."""
    with _opened(source) as file, guarded(source.name, "read as Feather", _HINT):
        reader = pa.ipc.open_file(file)
        for k in range(reader.num_record_batches):
            batch = reader.get_batch(k)
            for start in range(0, batch.num_rows, rows):
                piece = validate_table(pa.Table.from_batches([batch.slice(start, rows)]))
                yield shape_table(piece, request, source.name)


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
