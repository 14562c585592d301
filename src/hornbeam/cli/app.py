"""The program: finds the command, imports it and runs it; `exit_codes` words whatever went wrong.

One idea: a command is imported when it is called. The first help page, `--version` and the completion of
command names need the table of commands only.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import click

from hornbeam._base.lazy_names import import_at_first_use
from hornbeam.cli.exit_codes import DONE, report_error, suggest, usage_error
from hornbeam.cli.options import CommandGroup

SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}

ABOUT = "Decision trees that are exact, fast and meant to be read."
EXAMPLES = ("hornbeam demo", "hornbeam fit demo:tennis -o tennis.tree.json", "hornbeam show tennis.tree.json")


# In the order of use: read, learn, look, predict, measure, hand on; then lectures and bug reports.
COMMANDS: Mapping[str, str] = {
    "data": "Describe a file: columns, gaps, balance of the target.",
    "fit": "Learn a tree from a file.",
    "show": "Print a tree, or its rules.",
    "candidates": "List what a node could test, with every score.",
    "explain": "Explain the prediction for a row, and what would change it.",
    "key": "Answer questions one by one to reach a prediction.",
    "predict": "Append predictions to the rows of a file.",
    "evaluate": "Measure a model on rows, with intervals.",
    "stability": "Grow a tree on other samples: how sure its tests are.",
    "path": "List the pruned sizes of a tree with their errors.",
    "prune": "Make a tree smaller.",
    "compare": "Compare two models or recipes on the same rows.",
    "draw": "Draw a tree as SVG, PNG or PDF.",
    "export": "Write a tree as SQL, Python, C, JavaScript, ONNX, ...",
    "report": "Write an HTML page about a tree.",
    "studio": "Grow and edit a tree in the browser.",
    "replay": "Do the edits of a studio's project on another table.",
    "demo": "Run the main commands on a bundled table.",
    "reproduce": "Compare what lectures print with what is computed.",
    "theory": "Calculate numbers of trees, error bounds, sample sizes.",
    "doctor": "Print versions, packages and processor for bug reports.",
}
# The help page fits a screen of 24 lines: these stand in one row with the command of the same file.
ROWS: Mapping[str, str] = {
    "explain, key": "Explain a prediction; answer questions to reach one.",
    "evaluate, compare": "Measure a model on rows, with intervals; compare two.",
    "path, prune": "List the pruned sizes of a tree; make it smaller.",
    "draw, report": "Draw a tree as SVG, PNG or PDF; write an HTML page.",
    "demo, reproduce": "Run the main commands; compute what lectures print.",
}
# A command stands in the file of its name in `commands/`, but for these.
_FILES = {"compare": "evaluate", "key": "explain", "path": "prune", "report": "draw", "reproduce": "demo"}


class OutputClosedError(Exception):
    """The reader of the output has closed the pipe."""


class App(CommandGroup):
    """The group of all commands, each imported when it is used."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a closed pipe is recognised here, before click ends the run because of it."""
        try:
            return super().invoke(ctx)
        except OSError as error:
            if error.errno == errno.EPIPE:
                raise OutputClosedError from None
            raise

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click's signature)
        """The names, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of a name; None if there is none."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"hornbeam.cli.commands.{_FILES.get(cmd_name, cmd_name)}")
        command: click.Command = getattr(module, f"{cmd_name}_command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; for one that does not exist say which was probably meant."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            hint = suggest(name, COMMANDS) or "see hornbeam --help"
            raise usage_error(f"there is no command {name!r}", hint, ctx)
        return super().resolve_command(ctx, args)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """A page that fits a small screen: every command, from the tables alone."""
        formatter.write_usage(ctx.command_path, "[--version] [--edited] COMMAND [ARGS]...")
        formatter.write_text(f"{ABOUT[:-1]}; try: {EXAMPLES[0]}")
        formatter.write_paragraph()
        rows = {names.split(", ")[0]: names for names in ROWS}
        others = {name for names in ROWS for name in names.split(", ")[1:]}
        shown = [rows.get(name, name) for name in COMMANDS if name not in others]
        with formatter.indentation():
            formatter.write_dl([(names, ROWS.get(names) or COMMANDS[names]) for names in shown])
        formatter.write_paragraph()
        formatter.write_text("--edited accepts models that were changed after saving.")
        formatter.write_text("hornbeam COMMAND --help has examples and every option of a command.")


@click.group(cls=App, help=ABOUT, examples=EXAMPLES, context_settings=SETTINGS, invoke_without_command=True)
@click.option("--version", is_flag=True, help="Print the version.")
@click.option("--edited", is_flag=True, help="Accept models that were changed after saving.")
@click.pass_context
def app(ctx: click.Context, version: bool, edited: bool) -> None:  # noqa: FBT001 (click's flags)
    """Print the version or the help page if no command is given."""
    del edited  # read where models are opened
    if version:
        from importlib.metadata import version as installed

        click.echo(f"hornbeam {installed('hornbeam')}")
        ctx.exit()
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code and raises nothing."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    _prepare_streams()
    import_at_first_use("scipy.stats")  # scikit-learn imports it at its start; trees do not use it
    try:
        code: Any = app.main(words, prog_name="hornbeam", standalone_mode=False)
        sys.stdout.flush()
        return _code(code)
    except (OutputClosedError, BrokenPipeError):
        _discard_output()
        return DONE
    except SystemExit as ended:  # click's own end: a completion was printed, or nobody reads the help
        return DONE if "PacifyFlush" in type(sys.stdout).__name__ else _code(ended.code)
    except (Exception, KeyboardInterrupt) as error:
        try:
            return report_error(error, debug="--debug" in words)
        except BrokenPipeError:
            _discard_output()
            return DONE


def _code(code: Any) -> int:
    return code if isinstance(code, int) else DONE


def _prepare_streams() -> None:
    """Print a question mark for what the terminal's encoding lacks, instead of stopping."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _discard_output() -> None:
    """Let what is still buffered go nowhere, so that Python does not complain at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            os.dup2(nowhere, stream.fileno())
        except (OSError, ValueError, AttributeError):
            continue
