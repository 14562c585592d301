"""`hornbeam demo`: the whole job on a bundled table."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import click

from hornbeam.cli.help_pages import command as make_command
from hornbeam.cli.output import Answer, formatted, give
from hornbeam.cli.part_syntax import unknown
from hornbeam.cli.terminal import Talk, write_line
from hornbeam.cli.text_tables import Head


@make_command("demo", "hornbeam demo", "hornbeam demo robots", "hornbeam demo --list")
@click.argument("table", default="tennis")
@click.option("--list", "listing", is_flag=True, help="Only list the bundled tables.")
@formatted
def command(talk: Talk, table: str, listing: bool, form: str) -> int:  # noqa: FBT001 (click's flag)
    """Read a bundled table, learn a tree from it, show it, look at its first split, explain a row.

    Each step is printed as the command that does it; demo:TABLE works wherever a file does.
    """
    from hornbeam.teaching import datasets

    names = datasets.names()
    if listing or form != "text":
        give(_listed(names), form)
        return 0
    if table not in names:
        raise unknown(f"there is no bundled table {table!r}", table, names)
    dataset = datasets.load(table)
    talk.say((dataset.description, "dim"))
    source = f"demo:{table}"
    with tempfile.TemporaryDirectory() as folder:
        model = f"{table}.tree.json"
        if dataset.y is None:
            return _steps([["data", source]], Path(folder))
        recipe = (
            ["--recipe", "cart", "--pruning", "none", "--min-leaf", "2"]
            if dataset.task == "real"
            else ["--recipe", "id3"]
        )
        steps = [["data", source], ["fit", source, *recipe, "-o", model], ["show", model]]
        steps += [["splits", model, "--node", "0"], ["explain", model, source, "--row", "1"]]
        return _steps(steps, Path(folder))


def _listed(names: Sequence[str]) -> Answer:
    from hornbeam.teaching import datasets

    rows = []
    for name in names:
        one = datasets.load(name)
        task = {"classes": "classify", "real": "regress", None: None}[one.task]
        rows.append(
            {"table": name, "rows": one.n_rows, "columns": len(one.X), "target": one.target, "task": task}
        )
        rows[-1]["about"] = one.description
    heads = [Head("table", style="strong"), *(Head(name) for name in ("rows", "columns", "target", "task"))]
    return Answer("demo/1", {"tables": rows}, [*heads, Head("about", style="dim")], rows)


def _steps(steps: list[list[str]], folder: Path) -> int:
    """Run each command as it is printed, in a folder of its own."""
    from contextlib import chdir

    from hornbeam.cli.app import app

    with chdir(folder):
        for k, arguments in enumerate(steps):
            write_line(sys.stdout, *(["\n"] if k else []), (f"$ hornbeam {' '.join(arguments)}", "good"))
            sys.stdout.flush()
            app.main(arguments, prog_name="hornbeam", standalone_mode=False)
            sys.stdout.flush()
    return 0
