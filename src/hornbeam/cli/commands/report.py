"""`hornbeam report`: one page about a model that needs no network."""

from __future__ import annotations

from typing import Any

import click

from hornbeam.cli.exit_codes import Failure
from hornbeam.cli.help_pages import command as make_command
from hornbeam.cli.models import open_model, rows_for, training_rows
from hornbeam.cli.options import Asked, shows_rows
from hornbeam.cli.output import facts as facts_answer
from hornbeam.cli.output import give
from hornbeam.cli.table_options import name_of
from hornbeam.cli.terminal import Talk


@make_command(
    "report",
    "hornbeam fit demo:tennis -o tennis.tree.json",
    "hornbeam report tennis.tree.json -o tennis.html",
    "hornbeam report tennis.tree.json demo:tennis --title Tennis -o again.html",
)
@shows_rows
@click.option("-o", "--output", metavar="FILE", help="The page.  [default: MODEL.html]")
@click.option(
    "--validation", metavar="FILE", help="Rows the model was not fitted on.  [default: those held out]"
)
@click.option("--title", metavar="TEXT", help="Of the page.")
@click.option("--with-rows", is_flag=True, help="Pictures may show values of single rows.")
def command(
    talk: Talk,
    asked: Asked,
    output: str | None,
    validation: str | None,
    title: str | None,
    with_rows: bool,  # noqa: FBT001 (click's flag)
    form: str,
) -> None:
    """Write a page about MODEL: the tree to walk through, rules, quality with intervals, the pruning slider.

    The rows are those the model was fitted on, read again, or DATA. The page holds counts and means only, no
    row of the table, unless --with-rows; it opens from the disk, with the network off.
    """
    import hornbeam as hb

    opened = open_model(asked.model)
    if opened.tree.task == "density":
        raise Failure("a density tree has no target: a report needs a tree with one")
    held = None
    if asked.data is None:
        rows, held = training_rows(opened, talk)
    else:
        rows = rows_for(opened, asked.data, asked.reading, talk, asked.outcome)
    if validation is not None:
        held = rows_for(opened, validation, asked.reading, talk, asked.outcome)
    path = output or asked.model.removesuffix(".json").removesuffix(".tree") + ".html"
    source = name_of(asked.data or opened.facts.get("source", ""))
    found = hb.report(
        opened.model,
        rows.X,
        rows.y,
        **rows.keywords(),
        validation=None if held is None else (held.X, held.y, held.weight, held.counts),
        title=title or f"{opened.facts.get('target', asked.outcome.target) or 'A tree'} in {source}",
        rows=with_rows,
    )
    page = found.to_html(path)
    talk.say((f"saved {path}", "dim"), "  ", (f"{len(page.encode()) // 1000:,}", "number"), " kB")
    described: dict[str, Any] = dict(found.to_dict())
    shown: dict[str, Any] = {
        name: described[name] for name in ("title", "size", "quality") if name in described
    }
    give(
        facts_answer(
            "report/1",
            {"model": asked.model, "file": path, **shown},
            lambda: str(found).split("\n\n")[0].splitlines(),
        ),
        form,
    )
