"""Rows written piece by piece: to stdout or a file, in the format its ending names.

One idea: csv, json, jsonl, markdown, text, parquet and feather grow at their end, so a piece is written and
forgotten; the formats that cannot (xlsx, arff, ...) are gathered and written whole by `write_table`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from hornbeam._base.atomic import atomic_file
from hornbeam.cli.exit_codes import Failure
from hornbeam.cli.tables import Header, markdown_lines, plain, text_lines

FORMATS = ("csv", "tsv", "json", "jsonl", "markdown", "text", "parquet", "feather", "arff", "xlsx")
_ENDINGS = {
    ".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl",
    ".md": "markdown", ".txt": "text", ".parquet": "parquet", ".pq": "parquet", ".feather": "feather",
    ".arrow": "feather", ".arff": "arff", ".xlsx": "xlsx",
}  # fmt: skip
Write = Callable[[Any], None]


@contextmanager
def writer_of(output: str | None, form: str | None) -> Iterator[Write]:
    """A function that takes pieces of a table, as Arrow tables, and writes them one after the other."""
    to_stdout = output in (None, "-")
    name = form or ("csv" if to_stdout else _by_ending(str(output)))
    writing = _WRITERS.get(name) or _gathered(name)
    if to_stdout:
        if name in ("parquet", "feather", "xlsx") and sys.stdout.isatty():
            raise Failure(f"{name} is no text", f"say where to write it: -o rows.{name}")
        with writing(sys.stdout.buffer) as write:
            yield write
        sys.stdout.buffer.flush()
        return
    with atomic_file(str(output)) as file, writing(file) as write:
        yield write


def _by_ending(output: str) -> str:
    ending = Path(output).suffix.lower()
    if ending not in _ENDINGS:
        raise Failure(
            f"the ending of {output!r} does not say how to write it",
            f"use one of {', '.join(_ENDINGS)}, or name it with --format",
        )
    return _ENDINGS[ending]


def _separated(delimiter: str) -> Callable[[BinaryIO], Any]:
    @contextmanager
    def writing(file: BinaryIO) -> Iterator[Write]:
        import csv as plain_csv
        import io

        from pyarrow import csv

        first = True

        def write(piece: Any) -> None:
            nonlocal first
            piece = _decoded(piece)
            if first:
                line = io.StringIO()
                plain_csv.writer(line, delimiter=delimiter, lineterminator="\n").writerow(piece.column_names)
                file.write(line.getvalue().encode())
                first = False
            style = "needed" if _needs_quotes(piece, delimiter) else "none"
            how = csv.WriteOptions(include_header=False, delimiter=delimiter, quoting_style=style)
            csv.write_csv(piece, file, how)

        yield write

    return writing


def _needs_quotes(piece: Any, delimiter: str) -> bool:
    """Whether some text of a piece could be taken for more than one cell, or for none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    pattern = f'[{delimiter}"\\r\\n]|^$'
    texts = (c for c in piece.columns if pa.types.is_string(c.type) or pa.types.is_large_string(c.type))
    return any(pc.any(pc.match_substring_regex(column, pattern)).as_py() for column in texts)


@contextmanager
def _json(file: BinaryIO) -> Iterator[Write]:
    file.write(b'{"schema": "hornbeam/predict/1", "rows": [')
    first = True

    def write(piece: Any) -> None:
        nonlocal first
        lines = _json_lines(piece)
        file.write((("" if first else ",") + "\n" + ",\n".join(lines)).encode())
        first = False

    yield write
    file.write(b"\n]}\n")


@contextmanager
def _lines(file: BinaryIO) -> Iterator[Write]:
    def write(piece: Any) -> None:
        file.write(("\n".join(_json_lines(piece)) + "\n").encode())

    yield write


def _json_lines(piece: Any) -> list[str]:
    return [json.dumps(plain(row), ensure_ascii=False) for row in piece.to_pylist()]


def _printed(fit_lines: Callable[..., list[str]], heads_of_table: int) -> Callable[[BinaryIO], Any]:
    """Rows as text; the first piece has the heads."""

    @contextmanager
    def writing(file: BinaryIO) -> Iterator[Write]:
        first = True

        def write(piece: Any) -> None:
            nonlocal first
            lines = fit_lines([Header(name) for name in piece.column_names], piece.to_pylist())
            file.write(("\n".join(lines if first else lines[heads_of_table:]) + "\n").encode())
            first = False

        yield write

    return writing


def _arrow(open_writer: Callable[[BinaryIO, Any], Any]) -> Callable[[BinaryIO], Any]:
    """Rows by a writer of pyarrow, which is opened with the schema of the first piece."""

    @contextmanager
    def writing(file: BinaryIO) -> Iterator[Write]:
        writer: Any = None

        def write(piece: Any) -> None:
            nonlocal writer
            piece = _decoded(piece)
            if writer is None:
                writer = open_writer(file, piece.schema)
            writer.write_table(piece)

        try:
            yield write
        finally:  # after a failure, too: a writer left open would try to write on when it is collected
            if writer is not None:
                writer.close()

    return writing


def _open_parquet(file: BinaryIO, schema: Any) -> Any:
    from pyarrow import parquet

    return parquet.ParquetWriter(file, schema)


def _open_feather(file: BinaryIO, schema: Any) -> Any:
    import pyarrow as pa

    return pa.ipc.new_file(file, schema)


def _gathered(name: str) -> Callable[[BinaryIO], Any]:
    @contextmanager
    def writing(file: BinaryIO) -> Iterator[Write]:
        import pyarrow as pa

        from hornbeam.data.files import write_table

        pieces: list[Any] = []
        yield pieces.append
        if pieces:
            write_table(pa.concat_tables([_decoded(piece) for piece in pieces]), file, format=name)

    return writing


def _decoded(piece: Any) -> Any:
    """The piece with text instead of dictionaries, whose values may differ between pieces."""
    import pyarrow as pa

    columns = [
        column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
        for column in piece.columns
    ]
    return pa.table(dict(zip(piece.column_names, columns, strict=True)))


_WRITERS: dict[str, Callable[[BinaryIO], Any]] = {
    "csv": _separated(","),
    "tsv": _separated("\t"),
    "json": _json,
    "jsonl": _lines,
    "markdown": _printed(markdown_lines, 2),
    "text": _printed(text_lines, 1),
    "parquet": _arrow(_open_parquet),
    "feather": _arrow(_open_feather),
}
