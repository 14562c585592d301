"""`hornbeam predict`: answers for the rows of a file, piece by piece, in constant memory.

One idea: csv, json, jsonl, markdown, text, parquet and feather grow at their end, so a piece is written and
forgotten; the formats that cannot (xlsx, arff, ...) are gathered and written whole by `write_table`.
"""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

import click

from hornbeam._base.atomic import atomic_file
from hornbeam.cli.exit_codes import Failure, misfit
from hornbeam.cli.inputs import ReadOptions, decoded, refuse_input_as_output, source_name
from hornbeam.cli.models import OpenedModel, open_model, read_pieces_like
from hornbeam.cli.options import EVERYWHERE, argument, make_command, option
from hornbeam.cli.tables import Header, markdown_lines, plain, text_lines
from hornbeam.cli.terminal import Messages, RowCount

FORMATS = ("csv", "tsv", "json", "jsonl", "markdown", "text", "parquet", "feather", "arff", "xlsx", "mat")
_ENDINGS = {
    ".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl",
    ".md": "markdown", ".txt": "text", ".parquet": "parquet", ".pq": "parquet", ".feather": "feather",
    ".arrow": "feather", ".arff": "arff", ".xlsx": "xlsx", ".mat": "mat",
}  # fmt: skip


@make_command(
    "predict",
    "hornbeam fit demo:tennis -o tennis.tree.json",
    "hornbeam predict tennis.tree.json demo:tennis",
    "hornbeam predict tennis.tree.json demo:tennis -o answers.parquet --only prediction",
)
def predict_command(
    messages: Messages,
    *,
    model: str = argument(),
    data: str = argument(),
    output: str | None = option(
        "Output file; its ending gives the format.  [default: stdout, as csv]", "-o", metavar="FILE"
    ),
    only: str | None = option(
        "Write only the prediction, or only the columns that are added.",
        type=click.Choice(["prediction", "added"]),
    ),
    batch: int = option("Rows read at a time.", default=65_536),
    form: str | None = option(
        "Format of the rows.  [default: by -o, else csv]",
        "--format",
        type=click.Choice(FORMATS),
        section=EVERYWHERE,
    ),
    reading: ReadOptions,
) -> None:
    """Append columns to the rows of DATA: the prediction, the probability of each class, the leaf.

    DATA is a file, - for stdin, or demo:NAME. Its columns may be in any order; further columns are kept.
    Rows are read and written piece by piece, so the file may be larger than the memory.
    """
    refuse_input_as_output(output, model)
    opened = open_model(model, only_tree=True)  # what learns is not needed, and takes long to import
    printing = output in (None, "-")
    pieces = _predict_pieces(opened, read_pieces_like(opened, data, reading, rows=batch), data, only)
    with RowCount(messages, "predicting", printing=printing) as count:
        write_rows(count.pieces(pieces), output, form)
    messages.detail((f"{count.n_rows:,} rows", "dim"))
    if not printing:
        messages.info((f"saved {output}", "dim"), "  ", (f"{count.n_rows:,}", "number"), " rows")


def _predict_pieces(
    opened: OpenedModel, pieces: Iterator[Any], source: str, only: str | None
) -> Iterator[Any]:
    """The pieces of a table with what the model says of their rows."""
    any_rows = False
    for piece in pieces:
        if piece.num_rows == 0:
            continue
        try:
            added = _predictions(opened.tree, piece)
        except (ValueError, TypeError) as fault:
            why = " ".join(str(fault).split())
            raise misfit(f"{source_name(source)} does not fit the model: {why}") from None
        names = [name for name in added if only != "prediction" or name.startswith("prediction")]
        table = piece.select([]) if only else piece
        taken = set(piece.column_names) if only is None else set()
        for name in names:
            table = table.append_column(_unused_name(name, taken), _array(added[name]))
        any_rows = True
        yield table
    if not any_rows:
        raise Failure(f"{source_name(source)} has columns but no rows", "give a file with at least one row")
    sys.stdout.flush()


def _predictions(tree: Any, X: Any) -> dict[str, Any]:
    """What a tree says of rows: columns to append. Rows are taken to their leaves once for all of them."""
    from hornbeam.data.table import Table
    from hornbeam.tree import apply, routing

    if tree.outputs:
        columns: dict[str, Any] = {}
        for k, output in enumerate(tree.outputs):
            for name, values in _predictions(tree.output(k), X).items():
                what, _, label = name.partition("_")
                columns["_".join(filter(None, (what, output.name, label))) if what != "leaf" else what] = (
                    values
                )
        return {name: columns[name] for name in columns if name != "leaf"} | {"leaf": columns["leaf"]}
    if tree.task.is_density:
        return {"prediction": tree.predict(X), "leaf": tree.route(X).heaviest()}
    table = Table.match(X, tree.columns)
    leaves = apply.leaves(tree, table, None)
    several = bool(leaves.min() < 0)
    reached = apply.complete_routing(tree, leaves, table.arrays if several else None)
    if not tree.task.is_classes:
        arrays = table.arrays if several or tree.has_models else None
        return {"prediction": apply.row_values(tree, leaves, arrays, None), "leaf": reached.heaviest()}
    labels, shares = routing.label_array(tree), routing.probabilities(tree, reached)
    columns = {"prediction": labels[routing.labels(tree, reached)]}
    order = range(len(labels)) if labels.dtype.kind == "O" else labels.argsort()  # as scikit-learn has them
    columns |= {f"probability_{labels[k]}": shares[:, k] for k in order}
    return columns | {"leaf": reached.heaviest()}


def _unused_name(name: str, taken: set[str]) -> str:
    """A name the table does not have yet."""
    unused, k = name, 2
    while unused in taken:
        unused, k = f"{name}_{k}", k + 1
    taken.add(unused)
    return unused


def _array(values: Any) -> Any:
    import pyarrow as pa

    return pa.array(values.tolist() if values.dtype.kind in "OU" else values)


# ---- rows written to stdout or a file, in the format its ending names ------------------------------------


def write_rows(pieces: Iterable[Any], output: str | None, form: str | None) -> None:
    """Write the pieces of a table, which are Arrow tables, one after the other."""
    to_stdout = output in (None, "-")
    name = form or ("csv" if to_stdout else _by_ending(str(output)))
    write = _WRITERS.get(name) or _gathered(name)
    if to_stdout:
        if name in ("parquet", "feather", "xlsx", "mat") and sys.stdout.isatty():
            raise Failure(f"{name} is no text", f"say where to write it: -o rows.{name}")
        write(pieces, sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return
    with atomic_file(str(output)) as file:
        write(pieces, file)


def _by_ending(output: str) -> str:
    ending = Path(output).suffix.lower()
    if ending not in _ENDINGS:
        raise Failure(
            f"the ending of {output!r} does not say how to write it",
            f"use one of {', '.join(_ENDINGS)}, or name it with --format",
        )
    return _ENDINGS[ending]


Writer = Callable[[Iterable[Any], BinaryIO], None]


def _separated(delimiter: str) -> Writer:
    def write(pieces: Iterable[Any], file: BinaryIO) -> None:
        from pyarrow import csv as arrow_csv

        for k, piece in enumerate(map(_decoded, pieces)):
            if k == 0:
                line = io.StringIO()
                csv.writer(line, delimiter=delimiter, lineterminator="\n").writerow(piece.column_names)
                file.write(line.getvalue().encode())
            style = "needed" if _needs_quotes(piece, delimiter) else "none"
            how = arrow_csv.WriteOptions(include_header=False, delimiter=delimiter, quoting_style=style)
            arrow_csv.write_csv(piece, file, how)

    return write


def _needs_quotes(piece: Any, delimiter: str) -> bool:
    """Whether some text of a piece could be taken for more than one cell, or for none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    pattern = f'[{delimiter}"\\r\\n]|^$'
    texts = (c for c in piece.columns if pa.types.is_string(c.type) or pa.types.is_large_string(c.type))
    return any(pc.any(pc.match_substring_regex(column, pattern)).as_py() for column in texts)


def _write_json(pieces: Iterable[Any], file: BinaryIO) -> None:
    file.write(b'{"schema": "hornbeam/predict/1", "rows": [')
    for k, piece in enumerate(pieces):
        file.write((("," if k else "") + "\n" + ",\n".join(_json_lines(piece))).encode())
    file.write(b"\n]}\n")


def _write_json_lines(pieces: Iterable[Any], file: BinaryIO) -> None:
    for piece in pieces:
        file.write(("\n".join(_json_lines(piece)) + "\n").encode())


def _json_lines(piece: Any) -> list[str]:
    return [json.dumps(plain(row), ensure_ascii=False) for row in piece.to_pylist()]


def _printed(lines_of: Callable[..., list[str]], n_heads: int) -> Writer:
    """Rows as text; the first piece has the heads."""

    def write(pieces: Iterable[Any], file: BinaryIO) -> None:
        for k, piece in enumerate(pieces):
            lines = lines_of([Header(name) for name in piece.column_names], piece.to_pylist())
            file.write(("\n".join(lines[n_heads:] if k else lines) + "\n").encode())

    return write


def _arrow(open_writer: Callable[[BinaryIO, Any], Any]) -> Writer:
    """Rows by a writer of pyarrow, which is opened with the schema of the first piece."""

    def write(pieces: Iterable[Any], file: BinaryIO) -> None:
        rest = map(_decoded, pieces)
        for first in rest:
            with open_writer(file, first.schema) as writer:
                for piece in chain([first], rest):
                    writer.write_table(piece)

    return write


def _open_parquet(file: BinaryIO, schema: Any) -> Any:
    from pyarrow import parquet

    return parquet.ParquetWriter(file, schema)


def _open_feather(file: BinaryIO, schema: Any) -> Any:
    import pyarrow as pa

    return pa.ipc.new_file(file, schema)


def _gathered(name: str) -> Writer:
    def write(pieces: Iterable[Any], file: BinaryIO) -> None:
        import pyarrow as pa

        from hornbeam.data.files import write_table

        tables = list(map(_decoded, pieces))
        if tables:
            write_table(pa.concat_tables(tables), file, format=name)

    return write


def _decoded(piece: Any) -> Any:
    """The piece with text instead of dictionaries, whose values may differ between pieces."""
    import pyarrow as pa

    return pa.table(dict(zip(piece.column_names, map(decoded, piece.columns), strict=True)))


_WRITERS: Mapping[str, Writer] = {
    "csv": _separated(","),
    "tsv": _separated("\t"),
    "json": _write_json,
    "jsonl": _write_json_lines,
    "markdown": _printed(markdown_lines, 2),
    "text": _printed(text_lines, 1),
    "parquet": _arrow(_open_parquet),
    "feather": _arrow(_open_feather),
}
