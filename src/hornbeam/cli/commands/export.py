"""`hornbeam export`: a model in another language or format."""

from __future__ import annotations

import sys
from typing import Any

import click

from hornbeam._base.atomic import write_atomically
from hornbeam.cli.exit_codes import Failure, unknown_choice
from hornbeam.cli.inputs import refuse_input_as_output
from hornbeam.cli.models import open_model
from hornbeam.cli.options import argument, make_command, option
from hornbeam.cli.part_syntax import parse_value
from hornbeam.cli.tables import facts_answer, print_answer, write_bytes
from hornbeam.cli.terminal import Messages

SHORT = {"js": "javascript", "py": "python", "md": "markdown"}


@make_command(
    "export",
    "hornbeam fit demo:tennis -o tennis.tree.json",
    "hornbeam export tennis.tree.json sql --dialect postgres --option table=days",
    "hornbeam export tennis.tree.json python -o tennis.py",
)
def export_command(
    messages: Messages,
    *,
    model: str = argument(),
    language: str = argument(metavar="FORMAT"),
    dialect: str | None = option(
        "Dialect of sql: standard, sqlite, duckdb, postgres, mysql or spark.", metavar="NAME"
    ),
    options: tuple[str, ...] = option(
        "Option of the format; may be repeated.", "--option", metavar="NAME=VALUE"
    ),
    output: str | None = option("Output file.  [default: stdout]", "-o", metavar="FILE"),
    form: str,
) -> None:
    """Write MODEL in another language; it answers every row as the tree does.

    FORMAT is sql, python, javascript (js), c, json, dot, markdown (md), onnx or pmml. With --format json the
    text is part of an object.
    """
    import hornbeam as hb
    from hornbeam.io.export import FORMATS

    name = SHORT.get(language.lower(), language.lower())
    if name not in FORMATS:
        raise unknown_choice(f"there is no export format {language!r}", name, [*FORMATS, *SHORT])
    refuse_input_as_output(output, model)
    tree = open_model(model, only_tree=True).tree
    chosen = _parse_options(options) | ({} if dialect is None else {"dialect": dialect})
    written = hb.export(tree, name, **chosen)
    if output is not None and output != "-":
        if isinstance(written, str) and not written.endswith("\n"):
            written += "\n"
        write_atomically(output, written)
        messages.info((f"saved {output}", "dim"))
        return
    if form != "text" and isinstance(written, str):
        print_answer(facts_answer("export/1", {"model": model, "format": name, "text": written}), form)
    elif isinstance(written, bytes):
        if sys.stdout.isatty():
            raise Failure(f"{name} is no text", f"say where to write it: -o model.{name}")
        sys.stdout.buffer.write(written)
    else:
        write_bytes([written.rstrip("\n")])


def _parse_options(words: tuple[str, ...]) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for word in words:
        name, sign, value = word.partition("=")
        if not sign or not name:
            raise click.UsageError(f"--option {word!r} must be NAME=VALUE")
        options[name] = parse_value(value)
    return options
