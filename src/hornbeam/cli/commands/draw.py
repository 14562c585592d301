"""`hornbeam draw`: a tree as a picture."""

from __future__ import annotations

import click

from hornbeam.cli.help_pages import command as make_command
from hornbeam.cli.model_rows import Rows
from hornbeam.cli.models import Opened, open_model, rows_for, training_rows
from hornbeam.cli.options import Asked, shows_rows
from hornbeam.cli.output import facts, give, write_bytes
from hornbeam.cli.terminal import Talk


@make_command(
    "draw",
    "hornbeam fit demo:tennis -o tennis.tree.json",
    "hornbeam draw tennis.tree.json -o tennis.svg",
    "hornbeam draw tennis.tree.json demo:tennis --kind icicle -o icicle.svg",
)
@shows_rows
@click.option("-o", "--output", metavar="FILE", help="NAME.svg, .png or .pdf.  [default: SVG on stdout]")
@click.option(
    "--kind", type=click.Choice(["tree", "icicle"]), default="tree", show_default=True, help="Cards or bars."
)
@click.option(
    "--orientation", type=click.Choice(["down", "right"]), help="Where children are.  [default: by size]"
)
@click.option(
    "--theme",
    type=click.Choice(["auto", "light", "dark"]),
    default="auto",
    show_default=True,
    help="Colours.",
)
@click.option(
    "--max-cards",
    type=click.IntRange(min=0),
    default=60,
    metavar="N",
    show_default=True,
    help="Nodes drawn; 0 for all.",
)
@click.option("--width", type=click.IntRange(min=200), metavar="PX", help="The most pixels across.")
@click.option("--title", metavar="TEXT", help="Words for the first line.")
@click.option("--without-rows", is_flag=True, help="Do not read the rows again for the histograms.")
def command(
    talk: Talk,
    asked: Asked,
    output: str | None,
    kind: str,
    orientation: str | None,
    theme: str,
    max_cards: int,
    width: int | None,
    title: str | None,
    without_rows: bool,  # noqa: FBT001 (click's flag)
    form: str,
) -> None:
    """Draw MODEL: cards with the rows of each node, or an icicle of hundreds of nodes.

    The histograms on the cards are of the rows the model was fitted on, read again, or of DATA.
    """
    import hornbeam as hb

    opened = open_model(asked.model)
    rows = None if without_rows else _rows(opened, asked, talk)
    picture = hb.draw(
        opened.model,
        None if rows is None else rows.X,
        None if rows is None else rows.y,
        **({} if rows is None else rows.keywords()),
        kind=kind,
        orientation=orientation,
        theme=theme,
        max_cards=max_cards or None,
        width=width,
        title=title,
    )
    size = {"width": picture.width, "height": picture.height}
    if output is None or output == "-":
        if form == "text":
            write_bytes([picture.svg])
        else:
            give(facts("draw/1", {"model": asked.model, **size, "file": None, "svg": picture.svg}), form)
        return
    picture.save(output)
    talk.say((f"saved {output}", "dim"))
    if form != "text":
        give(facts("draw/1", {"model": asked.model, **size, "file": output, "svg": None}), form)


def _rows(opened: Opened, asked: Asked, talk: Talk) -> Rows | None:
    """Rows for the histograms: those named, or those the model was fitted on if they can be found."""
    if asked.data is not None:
        return rows_for(opened, asked.data, asked.reading, talk, asked.outcome)
    source = opened.facts.get("source")
    if not source or source == "-":
        return None
    try:
        return training_rows(opened, talk)[0]
    except (ValueError, OSError) as fault:
        talk.warn(f"drawn without histograms: {fault}")
        return None
