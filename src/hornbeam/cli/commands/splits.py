"""`hornbeam splits`: every candidate split of a node, and the calculation behind it."""

from __future__ import annotations

import re
import sys
from typing import Any

import click

from hornbeam.cli.estimator_options import Wish, estimator_of, learns
from hornbeam.cli.help_pages import command as make_command
from hornbeam.cli.model_rows import known_rows, own_counts, split_rows, target_of, task_of
from hornbeam.cli.models import is_model, open_model, rows_for
from hornbeam.cli.options import Outcome, outcomes
from hornbeam.cli.output import Answer, formatted, give
from hornbeam.cli.table_options import Reading, read_sheet, reads
from hornbeam.cli.terminal import Talk, charset_of, paint, wants_colour, width_of
from hornbeam.cli.text_tables import Head

GROUND = {"classes": "id3", "real": "cart"}  # what judges a table unless told otherwise
_BAR = re.compile(r"(?<=  )[█▉▊▋▌▍▎▏#]+(?=  )")


@make_command(
    "splits",
    "hornbeam splits demo:tennis --recipe id3",
    "hornbeam splits demo:tennis --recipe id3 --work",
    "hornbeam splits demo:hours --target Hours --format csv",
)
@click.argument("source", metavar="MODEL|DATA")
@click.argument("data", required=False)
@click.option(
    "--node", type=click.IntRange(min=0), default=0, metavar="ID", help="Node of the model.  [default: 0]"
)
@click.option("--column", "wanted", multiple=True, metavar="COL", help="Only this column; may be repeated.")
@click.option("--work", is_flag=True, help="Print the arithmetic, term by term.")
@outcomes
@learns
@reads
@formatted
def command(
    talk: Talk,
    source: str,
    data: str | None,
    node: int,
    wanted: tuple[str, ...],
    work: bool,  # noqa: FBT001 (click's flag)
    outcome: Outcome,
    wish: Wish,
    reading: Reading,
    form: str,
) -> None:
    """Every column's best split at a node, with its scores, the best first.

    Of a model (NAME.tree.json) the rows it was fitted on are read again, unless DATA names others. Of a table
    the root is judged before anything is grown, by the recipe and parts that are asked for.
    """
    import hornbeam as hb

    if is_model(source):
        _refuse_learning(wish)
        opened = open_model(source)
        rows = rows_for(opened, data, reading, talk, outcome)
        model = opened.model
    else:
        if data is not None:
            raise click.UsageError(
                f"{source} is a table, so {data!r} is too much: name a model first, or one table"
            )
        if node:
            raise click.UsageError(f"--node {node} needs a model: of a table only the root, 0, can be judged")
        sheet = read_sheet(source, reading, talk)
        goal = target_of(outcome.target, sheet, source)
        counts = outcome.counts or own_counts(sheet.data, source)
        rows = split_rows(sheet.data, source, goal, outcome.weight, counts)
        rows = known_rows(rows, goal, talk)
        task = task_of(wish.task, rows.y)
        model = estimator_of(wish, task, GROUND[task])
    found = hb.splits(model, rows.X, rows.y, node, **rows.keywords(), work=work, columns=list(wanted) or None)
    table = found.columns()
    lines = [dict(zip(table, values, strict=True)) for values in zip(*table.values(), strict=True)]
    shown = {name: value for name, value in found.to_dict().items() if name != "schema"}
    heads = [Head(name) for name in table]
    give(Answer("splits/1", shown, heads, lines, lambda: _text(found)), form)


def _text(found: Any) -> list[str]:
    """The library's table in the colours of the terminal: dim heads, the mark of the best, bars."""
    lines: list[str] = _narrowed(found.text(charset_of(sys.stdout)).splitlines(), width_of(sys.stdout))
    if not wants_colour(sys.stdout):
        return lines
    shown = []
    for k, line in enumerate(lines):
        if k == 1 or line.startswith("not split"):
            shown.append(paint(line, "dim", on=True))
            continue
        line = _BAR.sub(lambda match: paint(match.group(), "bar", on=True), line, count=1)
        mark = line[:1]
        shown.append(paint(mark, "good", on=True) + line[1:] if mark in ("▸", ">") else line)
    return shown


def _narrowed(lines: list[str], width: int | None) -> list[str]:
    """The table without its bars if the terminal is too narrow for them."""
    end = lines.index("") if "" in lines else len(lines)
    table = [k for k in range(1, end) if not lines[k].startswith("not split")]
    if width is None or max(len(lines[k]) for k in table) <= width:
        return lines
    bars = [match.span() for k in table if (match := _BAR.search(lines[k]))]
    if not bars:
        return lines
    start, stop = bars[0][0], max(end for _, end in bars)
    return [line[:start] + line[stop + 2 :] if k in table else line for k, line in enumerate(lines)]


def _refuse_learning(wish: Wish) -> None:
    if wish != Wish():
        raise click.UsageError(
            "a model has its own recipe and parts: options of learning go with a table only"
        )
