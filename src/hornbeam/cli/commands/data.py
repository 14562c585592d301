"""`hornbeam data`: what was read of a file, before anything is learned from it."""

from __future__ import annotations

import sys
from textwrap import wrap
from typing import Any

from hornbeam.cli.estimator_options import task_of
from hornbeam.cli.inputs import ReadOptions, check_column
from hornbeam.cli.options import argument, make_command, option
from hornbeam.cli.tables import Answer, Header, bar, percent, print_answer, short, shortened, text_lines
from hornbeam.cli.terminal import Messages, styled_line, width_of

_MOST_CLASSES = 12


@make_command(
    "data",
    "hornbeam data demo:tennis",
    "hornbeam data demo:hours --target Hours",
    "hornbeam data demo:tax --format json",
)
def data_command(
    messages: Messages,
    *,
    data: str = argument(),
    target: str | None = option("Column whose balance is shown.", "-t", metavar="COL"),
    limit: int | None = option("Read only the first N rows."),
    reading: ReadOptions,
    form: str,
) -> None:
    """Show how DATA is read: its format, the kind and range of each column, the balance of the target.

    Where the guess is wrong, give the option; every command that reads a table has the same ones.
    """
    import hornbeam as hb

    sheet = hb.read_table(data, limit=limit, **reading.keywords())
    target = target or sheet.target_hint
    if target is not None:
        check_column(target, sheet.data, data)
    facts = dict(sheet.facts)
    balance = None if target is None else _balance(sheet.data.column(target))
    rows = [{"column": name, **column} for name, column in facts["columns"].items()]
    facts |= {"columns": rows, "target": target, "balance": balance}
    headers = [Header(name) for name in ("column", "kind", "n_missing", "distinct", "low", "high", "why")]
    text = lambda: [*_table_lines(str(sheet)), *_balance_lines(target, balance)]  # noqa: E731 (made only for text)
    print_answer(Answer("data/1", facts, headers, rows, text), form)
    messages.detail((f"{sheet.data.nbytes:,} bytes in memory", "dim"))


def _table_lines(text: str) -> list[str]:
    """The library's text in the colours of the terminal: what it is strong, headers dim."""
    width, whole = width_of(sys.stdout), text.splitlines()
    table = whole.index("") if "" in whole else len(whole)
    lines = [part for line in whole[:table] for part in (wrap(line, width) if width else [line])]
    styles = {0: "strong", len(lines) + 1: "dim"}
    lines += [line if width is None else shortened(line, width) for line in whole[table:]]
    words = [(line, styles[k]) if k in styles else line for k, line in enumerate(lines)]
    return [styled_line(sys.stdout, word) for word in words]


def _balance(column: Any) -> list[dict[str, Any]] | None:
    """How often each class occurs; None for a column of many numbers."""
    import pyarrow.compute as pc

    values = column.combine_chunks() if hasattr(column, "combine_chunks") else column
    if task_of(None, values).is_real:
        return None
    counts = pc.value_counts(values.drop_null()).to_pylist()
    n = sum(one["counts"] for one in counts) or 1
    ordered = sorted(counts, key=lambda one: (-one["counts"], str(one["values"])))
    return [{"class": c["values"], "n": c["counts"], "share": c["counts"] / n} for c in ordered]


def _balance_lines(target: str | None, balance: list[dict[str, Any]] | None) -> list[str]:
    if target is None:
        return ["", styled_line(sys.stdout, ("no target yet: say --target COL", "dim"))]
    if balance is None:
        return ["", styled_line(sys.stdout, ("target ", "dim"), target, (": numbers", "dim"))]
    shown = [{**one, "bar": bar(one["share"], 24)} for one in balance[:_MOST_CLASSES]]
    headers = (Header("class"), Header("n"), Header("share", spell=percent), Header("", "bar", style="bar"))
    more = len(balance) - len(shown)
    rest = [styled_line(sys.stdout, (f"and {short(more)} more classes", "dim"))] if more > 0 else []
    return ["", styled_line(sys.stdout, ("target ", "dim"), target), *text_lines(headers, shown), *rest]
