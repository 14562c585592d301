"""Parquet and Feather, through Arrow.

The types are in the file, so nothing is guessed. When streaming, Parquet's row groups and Feather's record
batches are read one at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from hornbeam.data.files.column_types import raw_table, shape_table, table_slices, validate_table
from hornbeam.data.files.feather_sizes import batch_sizes
from hornbeam.data.files.request import RawTable, ReadRequest
from hornbeam.data.files.source import Source, unpacked_bound
from hornbeam.data.files.table_error import TableError, guarded


def read_parquet(source: Source, request: ReadRequest) -> RawTable:
    """The whole of a Parquet file."""
    with _opened(source, "Parquet") as file:
        parquet = pq.ParquetFile(file)
        _refuse_absurd(parquet, source, request.limit)
        if request.limit is None:
            table = parquet.read()
        else:
            first = islice(parquet.iter_batches(batch_size=request.limit), 1)
            table = pa.Table.from_batches(first, parquet.schema_arrow)
        return raw_table(validate_table(table), request, source.name)


def stream_parquet(source: Source, request: ReadRequest, rows: int) -> Iterator[Any]:
    """Batches of a Parquet file."""
    with _opened(source, "Parquet") as file:
        for batch in pq.ParquetFile(file).iter_batches(batch_size=rows):
            yield shape_table(validate_table(pa.Table.from_batches([batch])), request, source.name)


@contextmanager
def _opened(source: Source, words: str) -> Iterator[Any]:
    """The file, which can be read at any place, with all errors as sentences."""
    source.keep()
    hint = "check that the file is complete"
    with guarded(source.name, f"read as {words}", hint), source.open_arrow() as file:
        yield file


def _refuse_absurd(parquet: Any, source: Source, limit: int | None) -> None:
    """Raise if the table would be far larger than the file: a value repeated is written once."""
    facts = parquet.metadata
    rows = facts.num_rows if limit is None else min(facts.num_rows, limit)
    pages = sum(facts.row_group(k).total_byte_size for k in range(facts.num_row_groups))
    _check_size(source, rows, facts.num_columns, pages)


def _check_size(source: Source, rows: int, columns: int, unpacked: int) -> None:
    """Raise if so many rows and columns, or so many unpacked bytes, are far more than what the file has."""
    n_bytes = max(8 * rows * columns, unpacked)  # a cell takes about eight
    if n_bytes > unpacked_bound(source.size):
        raise TableError(
            f"{source.name} says that its {source.size:,} bytes hold {rows:,} rows and {columns:,} columns,"
            f" {n_bytes:,} bytes",
            "read it with pyarrow and give the table itself, if you trust it",
        )


def write_parquet(table: Any, file: Any) -> None:
    """Write a table as Parquet; dictionaries stay dictionaries."""
    pq.write_table(table, file)


def read_feather(source: Source, request: ReadRequest) -> RawTable:
    """The whole of a Feather file."""
    with _opened(source, "Feather") as file:
        reader = _feather_reader(file, source)
        sizes = list(batch_sizes(file))
        rows, unpacked = (sum(column) for column in zip(*sizes, strict=True)) if sizes else (0, 0)
        _check_size(source, rows, len(reader.schema), unpacked)
        table = reader.read_all()
        return raw_table(validate_table(table.slice(0, request.limit)), request, source.name)


def stream_feather(source: Source, request: ReadRequest, rows: int) -> Iterator[Any]:
    """Batches of a Feather file."""
    with _opened(source, "Feather") as file:
        reader = _feather_reader(file, source)
        for rows_of_batch, unpacked in batch_sizes(file):
            _check_size(source, rows_of_batch, len(reader.schema), unpacked)
        for k in range(reader.num_record_batches):
            batch = pa.Table.from_batches([reader.get_batch(k)])
            for piece in table_slices(batch, rows):
                yield shape_table(validate_table(piece), request, source.name)


def _feather_reader(file: Any, source: Source) -> Any:
    if source.head.startswith(b"FEA1"):
        raise TableError(
            f"{source.name} is in the first version of Feather, which is no longer read",
            "write it again as Parquet",
        )
    return pa.ipc.open_file(file)


def write_feather(table: Any, file: Any) -> None:
    """Write a table as Feather; batches of one file share their dictionaries."""
    with pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table.unify_dictionaries().combine_chunks(), max_chunksize=1 << 16)
