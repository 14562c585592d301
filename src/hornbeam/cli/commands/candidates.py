"""`hornbeam candidates`: what a node could test, and the calculation behind it."""

from __future__ import annotations

import re
import sys
from textwrap import fill
from typing import Any

import click

from hornbeam.cli.estimator_options import LearnerOptions, estimator_of, task_of
from hornbeam.cli.inputs import ModelRequest, OutcomeColumns, ReadOptions, read_rows
from hornbeam.cli.models import is_model, open_model, rows_for
from hornbeam.cli.options import argument, make_command, option
from hornbeam.cli.tables import Answer, Header, column_rows, print_answer, result_data
from hornbeam.cli.terminal import Messages, charset_of, paint, wants_colour, width_of

RECIPES = {"classes": "id3", "real": "cart"}  # what judges a table unless an option says otherwise
_WIDTH = 100  # of words where no terminal says
_BAR = re.compile(r"(?<=  )[█▉▊▋▌▍▎▏#]+(?=  )")


@make_command(
    "candidates",
    "hornbeam candidates demo:tennis --recipe id3",
    "hornbeam candidates demo:tennis --recipe id3 --work --why",
    "hornbeam candidates demo:hours --target Hours --format csv",
)
def candidates_command(
    messages: Messages,
    *,
    source: str = argument(metavar="MODEL|DATA"),
    data: str | None = argument(),
    node: int = option(
        "Node of the model.  [default: 0]", default=0, least=0, metavar="ID", show_default=False
    ),
    only_columns: tuple[str, ...] = option("Only this column; may be repeated.", "--column", metavar="COL"),
    every: bool = option("Every test, not only the best of each column.", "--all"),
    work: bool = option("Print the arithmetic, term by term."),
    why: bool = option("Say in words why each column is chosen, or why not."),
    outcome: OutcomeColumns,
    learner: LearnerOptions,
    reading: ReadOptions,
    form: str,
) -> None:
    """List what a node could test: the best test of every column with its scores, the best first.

    Of a model (NAME.tree.json) the rows it was fitted on are read again, unless DATA names others. Of a table
    the root is searched before anything is grown, by the recipe and parts of the options.
    """
    import hornbeam as hb

    if is_model(source):
        if learner != LearnerOptions():
            raise click.UsageError(
                "a model has its own recipe and parts: options of learning go with a table only"
            )
        opened = open_model(source)
        request = ModelRequest(model=source, data=data, outcome=outcome, reading=reading)
        rows, _ = rows_for(opened, request, messages)
        model = opened.model
    else:
        if data is not None:
            raise click.UsageError(
                f"{source} is a table, so {data!r} is too much: name a model first, or one table"
            )
        if node:
            raise click.UsageError(f"--node {node} needs a model: of a table only the root, 0, can be judged")
        rows, _ = read_rows(source, reading, outcome, messages)
        task = task_of(learner.task, rows.y)
        model = estimator_of(learner, task, rows.y, RECIPES[task])
    options: dict[str, Any] = {"tests": "all" if every else "best", "work": work}
    options |= rows.keywords() | {"columns": list(only_columns) or None}
    candidates = hb.candidates(model, rows.X, rows.y, node, **options)
    table = candidates.columns()
    facts = result_data(candidates)
    reasons = [candidates.why(one) for one in candidates] if why else []
    if why:
        table = table | {"why": reasons}
        for one, words in zip(facts["candidates"], reasons, strict=True):
            one["why"] = words
    headers, lines = [Header(name) for name in table], column_rows(table)

    def text() -> list[str]:
        width = width_of(sys.stdout) or _WIDTH
        return [*_text(candidates), *(f"\n{fill(words, width)}" for words in reasons)]

    print_answer(Answer("candidates/1", facts, headers, lines, text), form)


def _text(candidates: Any) -> list[str]:
    """The library's table in the colours of the terminal: dim heads, the mark of the best, bars."""
    lines: list[str] = candidates.text(charset_of(sys.stdout), width_of(sys.stdout)).splitlines()
    if not wants_colour(sys.stdout):
        return lines
    painted = []
    for k, line in enumerate(lines):
        if k == 1 or line.startswith("not split"):
            painted.append(paint(line, "dim", on=True))
            continue
        line = _BAR.sub(lambda match: paint(match.group(), "bar", on=True), line, count=1)
        mark = line[:1]
        painted.append(paint(mark, "good", on=True) + line[1:] if mark in ("▸", ">") else line)
    return painted
