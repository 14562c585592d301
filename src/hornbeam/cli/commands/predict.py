"""`hornbeam predict`: answers for the rows of a file, piece by piece, in constant memory."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import click

from hornbeam.cli.exit_codes import misfit
from hornbeam.cli.help_pages import EVERYWHERE, make_command
from hornbeam.cli.inputs import ReadOptions, source_name
from hornbeam.cli.models import OpenedModel, open_model, read_pieces_like
from hornbeam.cli.options import argument, option
from hornbeam.cli.row_writer import FORMATS, write_rows
from hornbeam.cli.terminal import Messages, RowCount


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
    opened = open_model(model)
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
    for piece in pieces:
        if piece.num_rows == 0:
            continue
        try:
            added = _predictions(opened.model, piece)
        except (ValueError, TypeError) as fault:
            why = " ".join(str(fault).split())
            raise misfit(f"{source_name(source)} does not fit the model: {why}") from None
        names = ["prediction"] if only == "prediction" else list(added)
        table = piece.select([]) if only else piece
        taken = set(piece.column_names) if only is None else set()
        for name in names:
            table = table.append_column(_unused_name(name, taken), _array(added[name]))
        yield table
    sys.stdout.flush()


def _predictions(model: Any, X: Any) -> dict[str, Any]:
    """What a model says of rows: columns to append."""
    from hornbeam.tree.tree import Tree

    tree = model if isinstance(model, Tree) else model.tree_
    if tree.task.is_density:
        return {"prediction": tree.predict(X), "leaf": tree.route(X).heaviest()}
    columns: dict[str, Any] = {"prediction": model.predict(X)}
    if tree.task.is_classes:
        shares = model.predict_proba(X)
        labels = (tree.classes or ()) if isinstance(model, Tree) else model.classes_.tolist()
        columns |= {f"probability_{label}": shares[:, k] for k, label in enumerate(labels)}
    columns["leaf"] = tree.route(X).heaviest() if isinstance(model, Tree) else model.apply(X)
    return columns


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
