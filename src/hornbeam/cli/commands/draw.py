"""`hornbeam draw` and `hornbeam report`: a tree as a picture, and as a page that needs no network."""

from __future__ import annotations

from typing import Any

import click

from hornbeam.cli.exit_codes import Failure
from hornbeam.cli.help_pages import choice_option, integer_option, make_command, text_option
from hornbeam.cli.inputs import ModelRequest, ModelRows, model_and_table, source_name
from hornbeam.cli.models import OpenedModel, open_model, rows_for, training_rows
from hornbeam.cli.tables import facts_answer, print_answer, write_bytes
from hornbeam.cli.terminal import Messages


@make_command(
    "draw",
    "hornbeam fit demo:tennis -o tennis.tree.json",
    "hornbeam draw tennis.tree.json -o tennis.svg",
    "hornbeam draw tennis.tree.json demo:tennis --kind icicle -o icicle.svg",
)
@model_and_table
@text_option("FILE", "-o", "--output", help="NAME.svg, .png or .pdf.  [default: SVG on stdout]")
@choice_option("--kind", ["tree", "icicle"], "tree", help="Boxes of nodes, or bars.")
@choice_option("--orientation", ["down", "right"], help="Where children are drawn.  [default: by size]")
@choice_option("--theme", ["auto", "light", "dark"], "auto", help="Colour theme.")
@integer_option(
    "--max-nodes", least=0, default=60, show_default=True, help="Largest number of nodes drawn; 0 for all."
)
@integer_option("--width", least=200, metavar="PX", help="Largest width in pixels.")
@text_option("TEXT", "--title", help="Title of the picture.")
@click.option("--without-rows", is_flag=True, help="Draw no histograms, and read no rows.")
def draw_command(
    messages: Messages,
    request: ModelRequest,
    output: str | None,
    max_nodes: int,
    without_rows: bool,  # noqa: FBT001 (click's flag)
    form: str,
    **look: Any,
) -> None:
    """Draw MODEL: a box for each node with its rows, or an icicle of hundreds of nodes.

    The histograms in the boxes are of the rows the model was fitted on, read again, or of DATA.
    """
    import hornbeam as hb

    opened = open_model(request.model)
    rows = None if without_rows else _rows_to_draw(opened, request, messages)
    shown: dict[str, Any] = {} if rows is None else {"X": rows.X, "y": rows.y, **rows.keywords()}
    picture = hb.draw(opened.model, **shown, max_nodes=max_nodes or None, **look)
    to_stdout = output is None or output == "-"
    if output is not None and not to_stdout:
        picture.save(output)
        messages.info((f"saved {output}", "dim"))
    elif form == "text":
        write_bytes([picture.svg])
    if form != "text":
        facts = {"model": request.model, "width": picture.width, "height": picture.height}
        facts |= {"file": None, "svg": picture.svg} if to_stdout else {"file": output, "svg": None}
        print_answer(facts_answer("draw/1", facts), form)


def _rows_to_draw(opened: OpenedModel, request: ModelRequest, messages: Messages) -> ModelRows | None:
    """Rows for the histograms: those of DATA, or those the model was fitted on if they can be read."""
    if request.data is not None:
        return rows_for(opened, request.data, request.reading, messages, request.outcome)
    if opened.facts.get("source") in (None, "", "-"):
        return None
    try:
        return training_rows(opened, messages)[0]
    except (ValueError, OSError) as fault:
        messages.warn(f"drawn without histograms: {fault}")
        return None


@make_command(
    "report",
    "hornbeam fit demo:tennis -o tennis.tree.json",
    "hornbeam report tennis.tree.json -o tennis.html",
    "hornbeam report tennis.tree.json demo:tennis --title Tennis -o again.html",
)
@model_and_table
@text_option("FILE", "-o", "--output", help="Output file.  [default: MODEL.html]")
@text_option(
    "FILE", "--validation", help="Table of rows the model was not fitted on.  [default: those held out]"
)
@text_option("TEXT", "--title", help="Title of the page.")
@click.option("--with-rows", is_flag=True, help="Allow pictures to show values of single rows.")
def report_command(
    messages: Messages,
    request: ModelRequest,
    output: str | None,
    validation: str | None,
    title: str | None,
    with_rows: bool,  # noqa: FBT001 (click's flag)
    form: str,
) -> None:
    """Write an HTML page about MODEL: the tree, rules, quality with intervals, a slider for pruning.

    The rows are those the model was fitted on, read again, or DATA. The page holds counts and means only, no
    row of the table, unless --with-rows. It is one file and needs no network.
    """
    import hornbeam as hb

    opened = open_model(request.model)
    if opened.tree.task.is_density:
        raise Failure("a density tree has no target: a report needs a tree with one")
    held_out = None
    if request.data is None:
        rows, held_out = training_rows(opened, messages)
    else:
        rows = rows_for(opened, request.data, request.reading, messages, request.outcome)
    if validation is not None:
        held_out = rows_for(opened, validation, request.reading, messages, request.outcome)
    path = output or request.model.removesuffix(".json").removesuffix(".tree") + ".html"
    source = source_name(request.data or opened.facts.get("source", ""))
    report = hb.report(
        opened.model,
        rows.X,
        rows.y,
        **rows.keywords(),
        validation=None if held_out is None else held_out.as_tuple(),
        title=title or f"{opened.facts.get('target', request.outcome.target) or 'A tree'} in {source}",
        rows=with_rows,
    )
    page = report.to_html(path)
    messages.info((f"saved {path}", "dim"), "  ", (f"{len(page.encode()) // 1000:,}", "number"), " kB")
    described: dict[str, Any] = dict(report.to_dict())
    facts: dict[str, Any] = {
        name: described[name] for name in ("title", "size", "quality") if name in described
    }
    text = lambda: str(report).split("\n\n")[0].splitlines()  # noqa: E731 (made only if text is printed)
    print_answer(facts_answer("report/1", {"model": request.model, "file": path, **facts}, text), form)
