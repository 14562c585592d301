"""The program: finds the command, runs it, and turns whatever happens into an exit code.

One idea: a command is imported when it is called. The first help page, `--version` and completion of command
names need the table of commands only.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

from hornbeam.cli.command_table import COMMANDS
from hornbeam.cli.exit_codes import DONE, meant, told
from hornbeam.cli.help_pages import Family

SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}

ABOUT = "Decision trees that are exact, fast and meant to be read."
EXAMPLES = ("hornbeam demo", "hornbeam fit demo:tennis -o tennis.tree.json", "hornbeam show tennis.tree.json")


class Unread(Exception):  # noqa: N818 (it is no error)
    """Nobody reads the answer any more."""


class App(Family):
    """The group of all commands, each imported when it is used."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a pipe that is closed is told apart here, before click ends the run by it."""
        try:
            return super().invoke(ctx)
        except OSError as error:
            if error.errno == errno.EPIPE:
                raise Unread from None
            raise

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click's signature)
        """The names, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of a name; None if there is none."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"hornbeam.cli.commands.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; for one that does not exist say which was probably meant."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            fault = click.UsageError(f"there is no command {name!r}", ctx)
            fault.hint = meant(name, COMMANDS) or "see hornbeam --help"  # type: ignore[attr-defined]
            raise fault
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The list of commands, from the table alone."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Where to read on."""
        formatter.write_paragraph()
        formatter.write_text("hornbeam COMMAND --help has examples and every option of a command.")


@click.group(cls=App, help=ABOUT, examples=EXAMPLES, context_settings=SETTINGS, invoke_without_command=True)
@click.option("--version", is_flag=True, help="Print the version.")
@click.pass_context
def app(ctx: click.Context, version: bool) -> None:  # noqa: FBT001 (click's flag)
    """Print the version or the help page if no command is given."""
    if version:
        from importlib.metadata import version as installed

        click.echo(f"hornbeam {installed('hornbeam')}")
        ctx.exit()
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code and raises nothing."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in given
    _prepare_streams()
    try:
        code: Any = app.main(given, prog_name="hornbeam", standalone_mode=False)
        sys.stdout.flush()
        return _code(code)
    except (Unread, BrokenPipeError):
        _hush()
        return DONE
    except SystemExit as ended:  # click's own end: a completion was printed, or nobody reads the help
        return DONE if "PacifyFlush" in type(sys.stdout).__name__ else _code(ended.code)
    except (Exception, KeyboardInterrupt) as error:
        try:
            return told(error, debug=debug)
        except BrokenPipeError:
            _hush()
            return DONE


def _code(code: Any) -> int:
    return code if isinstance(code, int) else DONE


def _prepare_streams() -> None:
    """A name that the terminal's encoding lacks is printed as a question mark; it is no reason to stop."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _hush() -> None:
    """Nobody reads any more: let what is still buffered go nowhere, without a word at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            os.dup2(nowhere, stream.fileno())
        except (OSError, ValueError, AttributeError):
            continue
