"""`hornbeam predict`: answers for the rows of a file, piece by piece, in constant memory."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import click

from hornbeam.cli.exit_codes import misfit
from hornbeam.cli.help_pages import command as make_command
from hornbeam.cli.models import Opened, open_model, pieces_like
from hornbeam.cli.progress_bar import RowCount
from hornbeam.cli.row_writer import FORMATS, writer_of
from hornbeam.cli.table_options import Reading, name_of, reads
from hornbeam.cli.terminal import Talk


@make_command(
    "predict",
    "hornbeam fit demo:tennis -o tennis.tree.json",
    "hornbeam predict tennis.tree.json demo:tennis",
    "hornbeam predict tennis.tree.json demo:tennis -o answers.parquet --only prediction",
)
@click.argument("model")
@click.argument("data")
@click.option(
    "-o", "--output", metavar="FILE", help="Where to write, by its ending.  [default: stdout, as csv]"
)
@click.option(
    "--only",
    type=click.Choice(["prediction", "added"]),
    help="Write only the prediction, or only what is added, without the columns of DATA.",
)
@click.option(
    "--batch",
    type=click.IntRange(min=1),
    default=65_536,
    metavar="N",
    show_default=True,
    help="Rows at a time.",
)
@click.option("--format", "form", type=click.Choice(FORMATS), help="Of the rows.  [default: by -o, else csv]")
@reads
def command(
    talk: Talk,
    model: str,
    data: str,
    output: str | None,
    only: str | None,
    batch: int,
    form: str | None,
    reading: Reading,
) -> None:
    """Append predictions to the rows of DATA: prediction, the probability of each class, the leaf.

    DATA is a file, - for stdin, or demo:NAME. Its columns may come in any order; others are kept as they are.
    Rows are read and written piece by piece, so the file may be larger than the memory.
    """
    opened = open_model(model)
    n_rows = 0
    printing = output in (None, "-")
    with RowCount(talk, "predicting", printing=printing) as tell, writer_of(output, form) as write:
        for piece in _answered(opened, pieces_like(opened, data, reading, rows=batch), data, only):
            n_rows += piece.num_rows
            write(piece)
            tell(n_rows)
    talk.detail((f"{n_rows:,} rows", "dim"))
    if not printing:
        talk.say((f"saved {output}", "dim"), "  ", (f"{n_rows:,}", "number"), " rows")


def _answered(opened: Opened, pieces: Iterator[Any], source: str, only: str | None) -> Iterator[Any]:
    for piece in pieces:
        if piece.num_rows == 0:
            continue
        try:
            added = answers_of(opened.model, piece)
        except (ValueError, TypeError) as fault:
            said = " ".join(str(fault).split())
            raise misfit(f"{name_of(source)} does not fit the model: {said}") from None
        names = ["prediction"] if only == "prediction" else list(added)
        table = piece.select([]) if only else piece
        taken = set(piece.column_names) if only is None else set()
        for name in names:
            table = table.append_column(_free(name, taken), _array(added[name]))
        yield table
    sys.stdout.flush()


def answers_of(model: Any, X: Any) -> dict[str, Any]:
    """What a model says of rows: columns to append."""
    from hornbeam.tree.tree import Tree

    tree = model if isinstance(model, Tree) else model.tree_
    if tree.task == "density":
        routing = tree.route(X)
        return {"prediction": tree.predict(X), "leaf": routing.heaviest()}
    found: dict[str, Any] = {"prediction": model.predict(X)}
    if tree.task == "classes":
        shares = model.predict_proba(X)
        labels = (tree.classes or ()) if isinstance(model, Tree) else model.classes_.tolist()
        found |= {f"probability_{label}": shares[:, k] for k, label in enumerate(labels)}
    found["leaf"] = tree.route(X).heaviest() if isinstance(model, Tree) else model.apply(X)
    return found


def _free(name: str, taken: set[str]) -> str:
    """A name the table does not have yet."""
    found, k = name, 2
    while found in taken:
        found, k = f"{name}_{k}", k + 1
    taken.add(found)
    return found


def _array(values: Any) -> Any:
    import pyarrow as pa

    return pa.array(values.tolist() if values.dtype.kind in "OU" else values)
