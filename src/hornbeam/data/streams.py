"""Data that is read piece by piece: files, folders, datasets, queries and streams, as Arrow tables.

Whatever the user has is opened without being read. Its pieces are Arrow tables with the same columns, as many
rows as somebody wants at a time, so that no more of it is in memory.

    "trips/*.parquet", a path, a list of paths     read file by file, in the order of their names
    pyarrow.dataset, Scanner, RecordBatchReader    fragment by fragment, or batch by batch
    polars LazyFrame                               collected in batches
    dask DataFrame                                 computed partition by partition
    __arrow_c_stream__ (DuckDB, data frames)       batch by batch
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from glob import glob, has_magic
from pathlib import Path
from typing import Any

from hornbeam.data.files.formats import FORMATS, format_of
from hornbeam.data.files.source import Source
from hornbeam.data.files.table_error import TableError

BATCH_ROWS = 65_536  # that are read at a time
SAMPLE_ROWS = 10_000  # of a text file, from which its columns are known
_ARROW = ("parquet", "feather")


@dataclass(frozen=True)
class DataStream:
    """Data that was opened, not read.

    Attributes
    ----------
    name : what messages call it
    read : makes an iterator of Arrow tables of at most so many rows
    is_text : whether types of columns were guessed from a sample
    """

    name: str
    read: Callable[[int], Iterator[Any]]
    is_text: bool = False

    def pieces(self, rows: int | Callable[[Any], int]) -> Iterator[Any]:
        """The data as Arrow tables of `rows` rows; the last one may have fewer, none has no row.

        `rows` may be a function that says how many, of the first rows that are read.
        """
        import pyarrow as pa

        held: list[Any] = []
        for piece in self.read(BATCH_ROWS if callable(rows) else min(rows, BATCH_ROWS)):
            if callable(rows):
                if piece.num_rows == 0:
                    continue
                rows = rows(piece)
            held.append(piece)
            while sum(part.num_rows for part in held) >= rows:
                joined = pa.concat_tables(held)
                yield joined.slice(0, rows)
                held = [joined.slice(rows)]
        if sum(part.num_rows for part in held):
            yield pa.concat_tables(held)


def is_streamed(X: Any) -> bool:
    """Whether X names or makes data instead of holding it; asking imports nothing.

    >>> is_streamed("trips/*.parquet"), is_streamed({"age": [1, 2]})
    (True, False)
    """
    if isinstance(X, (str, os.PathLike)) or is_from("pyarrow.dataset", X, "Dataset", "Scanner"):
        return True
    return (
        is_from("pyarrow", X, "RecordBatchReader")
        or is_from("polars", X, "LazyFrame")
        or is_from("duckdb", X, "DuckDBPyRelation")
    )


def is_elsewhere(X: Any) -> bool:
    """Whether the rows of X are in files or with the workers of a cluster; asking imports nothing.

    >>> is_elsewhere("trips/*.parquet"), is_elsewhere({"age": [1, 2]})
    (True, False)
    """
    frames = (("dask.dataframe", "DataFrame"), ("pyspark.sql", "DataFrame"), ("ray.data", "Dataset"))
    return isinstance(X, (str, os.PathLike)) or any(is_from(module, X, name) for module, name in frames)


def open_stream(data: Any, like: Any = None) -> DataStream:
    """Open data of any kind that can be read piece by piece.

    Parameters
    ----------
    data : see the top of this module
    like : for text files the columns of a tree, or None to find out what the columns are
    """
    import pyarrow as pa

    if isinstance(data, (str, os.PathLike)):
        return _open_files(paths_of(data), os.fspath(data), like)
    if isinstance(data, Sequence) and data and all(isinstance(item, (str, os.PathLike)) for item in data):
        paths = [path for item in data for path in paths_of(item)]
        return _open_files(paths, f"{len(paths)} files", like)
    if is_from("pyarrow.dataset", data, "Dataset"):
        return DataStream("the dataset", lambda rows: _fragments(data, rows))
    if is_from("pyarrow.dataset", data, "Scanner"):
        return DataStream("the scanner", lambda _: (pa.Table.from_batches([b]) for b in data.to_batches()))
    if is_from("polars", data, "LazyFrame"):
        return DataStream("the LazyFrame", lambda rows: _of_lazy_frame(data, rows))
    if is_from("dask.dataframe", data, "DataFrame"):
        return DataStream("the dask DataFrame", lambda _: _of_partitions(data))
    if isinstance(data, pa.Table):
        return DataStream("the table", lambda rows: map(_table, data.to_batches(max_chunksize=rows)))
    if hasattr(data, "__arrow_c_stream__"):
        return DataStream("the stream", lambda _: _of_stream(data))
    raise TypeError(
        f"data of type {type(data).__name__!r} cannot be read piece by piece: give a path such as"
        " 'trips/*.parquet', a pyarrow dataset, a polars LazyFrame, or anything with __arrow_c_stream__"
    )


def is_from(module: str, value: Any, *names: str) -> bool:
    """Whether a value is of a class of a module that somebody has imported."""
    loaded = sys.modules.get(module)
    classes = (getattr(loaded, name, None) for name in names)  # a module may be on its way in
    return isinstance(value, tuple(kind for kind in classes if kind is not None))


# Files ------------------------------------------------------------------------------------------------------


def is_pattern(text: str) -> bool:
    """Whether a text is no file but a pattern or a folder of several.

    >>> is_pattern("trips/*.parquet"), is_pattern("trips.parquet")
    (True, False)
    """
    return Path(text).is_dir() or (has_magic(text) and not Path(text).exists())


def paths_of(item: str | os.PathLike[str]) -> list[str]:
    """The files that a path, a folder or a pattern stands for, in the order of their names."""
    text = os.fspath(item)
    if Path(text).is_dir():
        known = tuple(ending for entry in FORMATS.values() for ending in entry.endings)
        inside = (path for path in Path(text).rglob("*") if path.is_file())
        paths = sorted(str(path) for path in inside if path.name.lower().endswith(known))
        if not paths:
            raise TableError(f"the folder {text} has no table files", "give a folder of Parquet or CSV files")
        return paths
    if not has_magic(text) or Path(text).exists():
        return [text]
    paths = sorted(path for path in glob(text, recursive=True) if Path(path).is_file())  # noqa: PTH207
    if not paths:
        raise TableError(f"no file matches {text}", "check the pattern, and the folder it starts from")
    return paths


def _open_files(paths: Sequence[str], name: str, like: Any) -> DataStream:
    kinds: dict[str, str] = {}
    for path in paths:
        kinds.setdefault(format_of(Source(path)), path)
    if len(kinds) > 1:
        (first, one), (second, other), *_ = kinds.items()
        raise TableError(
            f"{one} is {FORMATS[first].words} and {other} is {FORMATS[second].words}",
            "give files of one format",
        )
    form = next(iter(kinds))
    if form in _ARROW:
        return DataStream(name, lambda rows: _arrow_files(paths, form, rows))
    if like is not None:
        return DataStream(name, lambda rows: _text_files(paths, like, {}, rows), is_text=True)
    from hornbeam.data.files.read import read_table

    sample = read_table(paths[0], limit=SAMPLE_ROWS)
    types = {field.name: field.type for field in sample.data.schema}
    return DataStream(name, lambda rows: _text_files(paths, sample.facts, types, rows), is_text=True)


def _arrow_files(paths: Sequence[str], form: str, rows: int) -> Iterator[Any]:
    """Files of Parquet or Arrow; all have the columns of the first."""
    import pyarrow.dataset as ds

    schema = None
    for path in paths:
        with _named_reading(path):
            dataset = ds.dataset(path, format="ipc" if form == "feather" else form)
            if schema is None:
                schema = dataset.schema
            else:
                _check_schema(dataset.schema, schema, path, paths[0])
        if form == "parquet":
            yield from _parquet(path, schema, rows)
        else:
            yield from _fragments(dataset, rows, path)


def _parquet(path: str, schema: Any, rows: int) -> Iterator[Any]:
    """A Parquet file page by page: a scanner of Arrow would read whole row groups ahead."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with _named_reading(path), pq.ParquetFile(path, buffer_size=1 << 16, pre_buffer=False) as file:
        for batch in file.iter_batches(batch_size=rows, columns=schema.names):
            yield _table(batch).select(schema.names).cast(schema)
    pa.default_memory_pool().release_unused()


def _check_schema(schema: Any, first: Any, path: str, first_path: str) -> None:
    """Raise where a file has not the columns of the first one; Arrow would convert or leave them empty."""
    import pyarrow as pa

    for field in first:
        if field.name not in schema.names:
            raise TableError(f"{path} has no column {field.name!r}, which {first_path} has", "leave it out")
        kind = schema.field(field.name).type
        if kind != field.type and not pa.types.is_null(kind):
            raise TableError(
                f"column {field.name!r} is {field.type} in {first_path} and {kind} in {path}",
                "give it one type in all files",
            )


def _fragments(dataset: Any, rows: int, name: str = "") -> Iterator[Any]:
    """The batches of a dataset, one fragment after the other, without reading ahead of whoever takes them."""
    import pyarrow as pa
    import pyarrow.dataset as ds

    options: dict[str, Any] = {"batch_size": rows, "batch_readahead": 1, "fragment_readahead": 1}
    for fragment in dataset.get_fragments():
        path = name or getattr(fragment, "path", "") or "the dataset"
        if isinstance(fragment, ds.ParquetFileFragment):
            frugal = ds.ParquetFragmentScanOptions(use_buffered_stream=True, pre_buffer=False)
            options["fragment_scan_options"] = frugal
        with _named_reading(path):
            for batch in fragment.to_batches(schema=dataset.schema, **options):
                yield _table(batch)
        pa.default_memory_pool().release_unused()


def _text_files(paths: Sequence[str], like: Any, types: dict[str, Any], rows: int) -> Iterator[Any]:
    from hornbeam.data.files.read import batches

    for path in paths:
        for piece in batches(path, like, rows=rows):
            yield _with_types(piece, types)


def _with_types(piece: Any, types: dict[str, Any]) -> Any:
    """The numbers of a text file in the type that a sample has, where they fit: whole numbers as such."""
    import pyarrow as pa

    for place, name in enumerate(piece.column_names):
        wanted = types.get(name)
        if wanted is None or not pa.types.is_integer(wanted) or piece.schema.field(place).type == wanted:
            continue
        try:
            piece = piece.set_column(place, name, piece.column(place).cast(wanted))
        except pa.ArrowInvalid:  # a fraction: those of the sample were whole by chance
            continue
    return piece


# Streams ----------------------------------------------------------------------------------------------------


def _table(batch: Any) -> Any:
    import pyarrow as pa

    return pa.Table.from_batches([batch])


def _of_stream(data: Any) -> Iterator[Any]:
    import pyarrow as pa

    with _named_reading("the stream"):
        yield from map(_table, pa.RecordBatchReader.from_stream(data))


def _of_lazy_frame(frame: Any, rows: int) -> Iterator[Any]:
    """A query of polars; text that polars hands over as views becomes plain text."""
    with _named_reading("the LazyFrame"):
        for part in frame.collect_batches(chunk_size=rows, maintain_order=True):
            yield part.to_arrow()


def _of_partitions(frame: Any) -> Iterator[Any]:
    """The partitions of a dask DataFrame, computed one after the other."""
    import pyarrow as pa

    for place in range(frame.npartitions):
        yield pa.Table.from_pandas(frame.partitions[place].compute(), preserve_index=False)


class _named_reading:  # noqa: N801 (used like a function)
    """Errors of Arrow as one sentence that names the file."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        import pyarrow as pa

        if isinstance(error, TableError) or not isinstance(error, (pa.ArrowException, OSError)):
            return
        text = " ".join(str(error).split())
        raise TableError(f"{self.name} cannot be read: {text}", "check the file, or leave it out") from error
