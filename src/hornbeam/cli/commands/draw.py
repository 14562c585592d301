"""`hornbeam draw` and `hornbeam report`: a tree as a picture, and as a page that needs no network."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import click

from hornbeam.cli.inputs import ModelRequest, ModelRows, refuse_input_as_output, source_name
from hornbeam.cli.models import OpenedModel, named_rows, open_model, rows_for
from hornbeam.cli.options import make_command, option
from hornbeam.cli.tables import facts_answer, print_answer, write_bytes
from hornbeam.cli.terminal import Messages


@dataclass(frozen=True)
class Look:
    """How a picture looks, in the words of `hb.draw`."""

    kind: str = option("Boxes of nodes, or bars.", type=click.Choice(["tree", "icicle"]), default="tree")
    orientation: str | None = option(
        "Where children are drawn.  [default: by size]", type=click.Choice(["down", "right"])
    )
    theme: str = option("Colour theme.", type=click.Choice(["auto", "light", "dark"]), default="auto")
    max_nodes: int = option("Largest number of nodes drawn; 0 for all.", least=0, default=60)
    width: int | None = option("Largest width in pixels.", least=200, metavar="PX")
    title: str | None = option("Title of the picture.", metavar="TEXT")


@make_command(
    "draw",
    "hornbeam fit demo:tennis -o tennis.tree.json",
    "hornbeam draw tennis.tree.json -o tennis.svg",
    "hornbeam draw tennis.tree.json demo:tennis --kind icicle -o icicle.svg",
)
def draw_command(
    messages: Messages,
    *,
    request: ModelRequest,
    output: str | None = option("NAME.svg, .png or .pdf.  [default: SVG on stdout]", "-o", metavar="FILE"),
    look: Look,
    without_rows: bool = option("Draw no histograms, and read no rows."),
    form: str,
) -> None:
    """Draw MODEL: a box for each node with its rows, or an icicle of hundreds of nodes.

    The histograms in the boxes are of the rows the model was fitted on, read again, or of DATA.
    """
    import hornbeam as hb

    refuse_input_as_output(output, request.model, request.data)
    opened = open_model(request.model)
    rows = None if without_rows else _rows_to_draw(opened, request, messages)
    shown: dict[str, Any] = {} if rows is None else {"X": rows.X, "y": rows.y, **rows.keywords()}
    picture = hb.draw(opened.model, **shown, **asdict(look) | {"max_nodes": look.max_nodes or None})
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
    if request.data is None and opened.facts.get("source") in (None, "", "-"):
        return None
    try:
        return rows_for(opened, request, messages)[0]
    except (ValueError, OSError) as fault:
        if request.data is not None:
            raise
        messages.warn(f"drawn without histograms: {fault}")
        return None


@make_command(
    "report",
    "hornbeam fit demo:tennis -o tennis.tree.json",
    "hornbeam report tennis.tree.json -o tennis.html",
    "hornbeam report tennis.tree.json demo:tennis --title Tennis -o again.html",
)
def report_command(
    messages: Messages,
    *,
    request: ModelRequest,
    output: str | None = option("Output file.  [default: MODEL.html]", "-o", metavar="FILE"),
    validation: str | None = option(
        "Table of rows the model was not fitted on.  [default: those held out]", metavar="FILE"
    ),
    title: str | None = option("Title of the page.", metavar="TEXT"),
    with_rows: bool = option("Allow pictures to show values of single rows."),
    form: str,
) -> None:
    """Write an HTML page about MODEL: the tree, rules, quality with intervals, a slider for pruning.

    The rows are those the model was fitted on, read again, or DATA. The page holds counts and means only, no
    row of the table, unless --with-rows. It is one file and needs no network.
    """
    import hornbeam as hb

    refuse_input_as_output(output, request.model, request.data, validation)
    no_density = "a density tree has no target: a report needs a tree with one"
    opened = open_model(request.model, no_density=no_density)
    rows, held_out = rows_for(opened, request, messages)
    if validation is not None:
        held_out = named_rows(opened, validation, request, messages)
    usual = request.model.removesuffix(".json").removesuffix(".tree") + ".html"
    path = usual if output is None else output
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
