"""`hornbeam explain`: why a row gets its answer, and what would change it."""

from __future__ import annotations

import sys
from textwrap import wrap
from typing import Any

import click

from hornbeam.cli.exit_codes import Failure, listed, meant, misfit
from hornbeam.cli.help_pages import command as make_command
from hornbeam.cli.models import Opened, open_tree, read_like
from hornbeam.cli.output import Answer, formatted, give
from hornbeam.cli.table_options import Reading, reads
from hornbeam.cli.terminal import Talk, charset_of, paint, wants_colour, width_of
from hornbeam.cli.text_tables import Head

GAPS = ("?", "")


@make_command(
    "explain",
    "hornbeam fit demo:tennis --recipe id3 -o tennis.tree.json",
    "hornbeam explain tennis.tree.json Outlook=Sunny Humidity=High Wind=Weak Temperature='?'",
    "hornbeam explain tennis.tree.json demo:tennis --row 3",
)
@click.argument("model")
@click.argument("values", nargs=-1, metavar="[COL=VALUE ... | DATA]")
@click.option("--row", type=click.IntRange(min=1), metavar="N", help="Which row of DATA, from 1.")
@click.option(
    "--changes",
    type=click.IntRange(min=0),
    default=2,
    metavar="N",
    show_default=True,
    help="How many nearest changes.",
)
@click.option("--fixed", multiple=True, metavar="COL", help="Column that may not change; may be repeated.")
@reads
@formatted
def command(
    talk: Talk,
    model: str,
    values: tuple[str, ...],
    row: int | None,
    changes: int,
    fixed: tuple[str, ...],
    reading: Reading,
    form: str,
) -> None:
    """Explain one answer of MODEL: the tests on the way, what was missing, and the nearest change.

    The row is written as COL=VALUE for each column, ? for what is unknown (columns not named are unknown); or
    it is row N of DATA.
    """
    opened = open_tree(model)
    if opened.tree.task == "density":
        raise Failure("a density tree has no answer to explain: explain needs a tree with a target")
    if row is not None:
        if len(values) != 1:
            raise click.UsageError("--row N takes one table: hornbeam explain MODEL DATA --row N")
        given = _row_of(opened, values[0], row, reading, talk)
    else:
        given = _written(opened, values)
    give(_explained(opened, given, changes, fixed), form)


def _row_of(opened: Opened, source: str, row: int, reading: Reading, talk: Talk) -> dict[str, Any]:
    data = read_like(opened, source, reading, talk)
    if row > data.num_rows:
        raise Failure(f"--row {row} is not there: {source} has {data.num_rows} rows")
    found: dict[str, Any] = (
        data.slice(row - 1, 1).select([c.name for c in opened.tree.columns]).to_pylist()[0]
    )
    return found


def _written(opened: Opened, values: tuple[str, ...]) -> dict[str, Any]:
    """The row that COL=VALUE describes; a column that is not named is unknown."""
    columns = {column.name: column for column in opened.tree.columns}
    found: dict[str, Any] = dict.fromkeys(columns)
    for one in values:
        name, sign, text = one.partition("=")
        if not sign:
            raise click.UsageError(
                f"{one!r} must be COL=VALUE; to explain a row of a table, say --row N as well"
            )
        if name not in columns:
            raise misfit(
                f"column {name!r} is no column of the model",
                meant(name, columns) or f"its columns are {listed(list(columns))}",
            )
        found[name] = None if text in GAPS else _value(columns[name], text)
    return found


def _value(column: Any, text: str) -> Any:
    """Text as a value of the column."""
    if column.kind == "numeric" and not column.is_time:
        try:
            return float(text)
        except ValueError:
            raise misfit(f"{column.name}={text} is no number, and the model knows numbers there") from None
    if column.is_time:
        import datetime as dt

        return dt.datetime.fromisoformat(text)
    known = {str(value): value for value in column.categories}
    return known.get(text, text)


def _explained(opened: Opened, given: dict[str, Any], changes: int, fixed: tuple[str, ...]) -> Answer:
    import hornbeam as hb

    found = hb.explain(opened.model, given, changes=changes, fixed=fixed)
    data = {"row": given} | {name: value for name, value in found.to_dict().items() if name != "schema"}
    heads = [Head(name) for name in ("node", "text", "value", "remark")]
    return Answer("explain/1", data, heads, data["path"], lambda: _text(found))


def _text(found: Any) -> list[str]:
    """The library's text with its first line strong and what it adds dim."""
    first, *rest = found.text(charset_of(sys.stdout)).splitlines()
    on = wants_colour(sys.stdout)
    said, bracket, more = first.partition("  (")
    lines = [paint(said, "strong", on=on) + paint(bracket + more, "dim", on=on)]
    width = width_of(sys.stdout)
    for whole in rest:
        line, *more_lines = _wrapped(whole, width) if width else [whole]
        lead, colon, tail = line.partition(": ")
        if " is missing" in line and " because " not in line:
            lines += [paint(one, "missing", on=on) for one in (line, *more_lines)]
            continue
        known = lead.strip() in ("closest change", "contributions", "not used")
        lines.append(paint(lead + colon, "dim", on=on) + tail if known else line)
        lines += more_lines
    return lines


def _wrapped(line: str, width: int) -> list[str]:
    """A line broken between words; a number and its percent sign stay together."""
    kept = wrap(line.replace(" %", "\N{NO-BREAK SPACE}%"), width, subsequent_indent=" " * 11)
    return [one.replace("\N{NO-BREAK SPACE}", " ") for one in kept]
