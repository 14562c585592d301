"""`hornbeam data`: what was read of a file, before anything is learned from it."""

from __future__ import annotations

import sys
from textwrap import wrap
from typing import Any

import click

from hornbeam.cli.help_pages import command as make_command
from hornbeam.cli.output import Answer, formatted, give
from hornbeam.cli.sparklines import bar
from hornbeam.cli.table_options import Reading, check_column, reads
from hornbeam.cli.terminal import Talk, line_of, width_of
from hornbeam.cli.text_tables import Head, percent, short, shortened, text_lines

_MOST_CLASSES = 12


@make_command(
    "data",
    "hornbeam data demo:tennis",
    "hornbeam data demo:hours --target Hours",
    "hornbeam data demo:tax --format json",
)
@click.argument("data")
@click.option("-t", "--target", metavar="COL", help="Column whose balance is shown.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Read only the first N rows.")
@reads
@formatted
def command(
    talk: Talk, data: str, target: str | None, limit: int | None, reading: Reading, form: str
) -> None:
    """Show how DATA is read: its format, each column's kind, gaps and values, the balance of the target.

    What is found out wrongly is put right with an option, here and in every other command.
    """
    import hornbeam as hb

    sheet = hb.read_table(data, limit=limit, **reading.keywords())
    goal = target or sheet.target_hint
    if goal is not None:
        check_column(goal, sheet.data, data)
    found = dict(sheet.found)
    balance = None if goal is None else _balance(sheet.data.column(goal))
    rows = [{"column": name, **column} for name, column in found["columns"].items()]
    found |= {"columns": rows, "target": goal, "balance": balance}
    heads = [Head(name) for name in ("column", "kind", "n_missing", "distinct", "low", "high", "why")]
    text = lambda: [*_found_lines(str(sheet)), *_balance_lines(goal, balance)]  # noqa: E731 (a line of its own)
    give(Answer("data/1", found, heads, rows, text), form)
    talk.detail((f"{sheet.data.nbytes:,} bytes in memory", "dim"))


def _found_lines(text: str) -> list[str]:
    """The library's text in the colours of the terminal: what it is strong, heads dim."""
    width, whole = width_of(sys.stdout), text.splitlines()
    table = whole.index("") if "" in whole else len(whole)
    lines = [part for line in whole[:table] for part in (wrap(line, width) if width else [line])]
    heads = len(lines) + 1
    lines += [line if width is None else shortened(line, width) for line in whole[table:]]
    styles = {0: "strong", heads: "dim"}
    return [line_of(sys.stdout, (line, styles[k]) if k in styles else line) for k, line in enumerate(lines)]


def _balance(column: Any) -> list[dict[str, Any]] | None:
    """How often each class occurs; None for a column of many numbers."""
    import pyarrow.compute as pc

    from hornbeam.cli.model_rows import task_of

    values = column.combine_chunks() if hasattr(column, "combine_chunks") else column
    if task_of(None, values) == "real":
        return None
    counts = pc.value_counts(values.drop_null()).to_pylist()
    n = sum(one["counts"] for one in counts) or 1
    ordered = sorted(counts, key=lambda one: (-one["counts"], str(one["values"])))
    return [{"class": c["values"], "n": c["counts"], "share": c["counts"] / n} for c in ordered]


def _balance_lines(goal: str | None, balance: list[dict[str, Any]] | None) -> list[str]:
    if goal is None:
        return ["", line_of(sys.stdout, ("no target yet: say --target COL", "dim"))]
    if balance is None:
        return ["", line_of(sys.stdout, ("target ", "dim"), goal, (": numbers", "dim"))]
    shown = [{**one, "bar": bar(one["share"], 24)} for one in balance[:_MOST_CLASSES]]
    heads = (Head("class"), Head("n"), Head("share", spell=percent), Head("", "bar", style="bar"))
    more = len(balance) - len(shown)
    rest = [line_of(sys.stdout, (f"and {short(more)} more classes", "dim"))] if more > 0 else []
    return ["", line_of(sys.stdout, ("target ", "dim"), goal), *text_lines(heads, shown), *rest]
