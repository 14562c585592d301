"""`hornbeam demo` and `hornbeam reproduce`: the bundled tables, and what the lectures print about them."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from contextlib import chdir

from hornbeam._base.types import Task
from hornbeam.cli.exit_codes import unknown_choice
from hornbeam.cli.options import argument, make_command, option
from hornbeam.cli.tables import Answer, Header, print_answer
from hornbeam.cli.terminal import Messages, styled_line, width_of, write_line


@make_command("demo", "hornbeam demo", "hornbeam demo robots", "hornbeam demo --list")
def demo_command(
    messages: Messages,
    *,
    table: str = argument(default="tennis"),
    listing: bool = option("Only list the bundled tables.", "--list"),
    form: str,
) -> None:
    """Read a bundled table, learn a tree from it, show it, look at its first split, explain a row.

    Each step is printed as the command that does it; demo:TABLE works wherever a file does.
    """
    from hornbeam.teaching import datasets

    names = datasets.names()
    if listing or form != "text":
        print_answer(_list_tables(names), form)
        return
    if table not in names:
        raise unknown_choice(f"there is no bundled table {table!r}", table, names)
    dataset = datasets.load(table)
    messages.info((dataset.description, "dim"))
    source, model = f"demo:{table}", f"{table}.tree.json"
    recipe = "--recipe cart --pruning none --min-leaf 2" if dataset.task == Task.REAL else "--recipe id3"
    steps = [f"data {source}"]
    if dataset.y is not None:
        steps += [f"fit {source} {recipe} -o {model}", f"show {model}", f"candidates {model} --node 0"]
        steps += [f"explain {model} {source} --row 1"]
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        _run_steps(steps)


def _list_tables(names: Sequence[str]) -> Answer:
    from hornbeam.teaching import datasets

    rows = []
    for dataset in map(datasets.load, names):
        task = {"classes": "classify", "real": "regress", None: None}[dataset.task]
        row = {"table": dataset.name, "rows": dataset.n_rows, "columns": len(dataset.X)}
        rows.append(row | {"target": dataset.target, "task": task, "about": dataset.description})
    headers = [Header("table", style="strong")]
    headers += [Header(name) for name in ("rows", "columns", "target", "task")]
    return Answer("demo/1", {"tables": rows}, [*headers, Header("about", style="dim")], rows)


def _run_steps(steps: Sequence[str]) -> None:
    """Run each command as it is printed."""
    from hornbeam.cli.app import app

    for k, step in enumerate(steps):
        write_line(sys.stdout, *(["\n"] if k else []), (f"$ hornbeam {step}", "good"))
        sys.stdout.flush()
        app.main(step.split(), prog_name="hornbeam", standalone_mode=False)
        sys.stdout.flush()


@make_command(
    "reproduce",
    "hornbeam reproduce tennis",
    "hornbeam reproduce robots --format markdown",
    "hornbeam reproduce cs178 --format json",
)
def reproduce_command(messages: Messages, *, name: str = argument(default="all"), form: str) -> None:
    """Set every number the lectures print about a bundled table beside the number computed.

    NAME is a bundled table, or all. Where a slide is wrong, the verdict says so and names the erratum.
    """
    from hornbeam.teaching.reproduce import reproduce, reproducible

    if name != "all" and name not in reproducible():
        raise unknown_choice(f"there is nothing to reproduce called {name!r}", name, [*reproducible(), "all"])
    result = reproduce(name)
    facts, wrong = [fact.to_dict() for fact in result], len(result.wrong)
    data = {"name": name, "facts": facts, "wrong": wrong, "errata": result.errata}
    headers, text = [Header(key) for key in facts[0]], lambda: _narrow_table(str(result).splitlines())
    print_answer(Answer("reproduce/1", data, headers, facts, text), form)
    counts = f" facts, {len(facts) - wrong} as printed, {wrong} of a wrong slide"
    messages.info((str(len(facts)), "number"), (counts, "dim"))


def _narrow_table(lines: list[str]) -> list[str]:
    """The lines of tables; in a narrow terminal, without the column that names the slide."""
    width, start, end, narrow = width_of(sys.stdout), 0, 0, list[str]()
    is_wide = width is not None and max(map(len, lines)) > width
    for line in lines:
        if line.startswith("what "):
            start, end = line.index("where"), line.index("printed")
        narrow.append(line[:start] + line[end:] if is_wide and len(line) > start else line)
    return [styled_line(sys.stdout, line) for line in narrow]
