"""Commands and their help pages: three examples first, then the description, then the options.

One idea: what every command shares is added here once: the order of the page, --format, --color, --quiet,
--verbose and --debug. The function of a command gets its `Messages` first, then its own parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import click

from hornbeam.cli.options import arguments_of, option, parameters_of
from hornbeam.cli.tables import FORMATS
from hornbeam.cli.terminal import set_colour

EVERYWHERE = "Everywhere"
_SECTIONS = ("Options", "Learning", "Reading the table", EVERYWHERE)  # heads of a page, in this order


@dataclass(frozen=True)
class SharedOptions:
    """The options all commands have."""

    section: ClassVar[str] = EVERYWHERE
    form: str = option("Format of the output.", "--format", type=click.Choice(FORMATS), default="text")
    color: str = option(
        "Colours; auto follows NO_COLOR and FORCE_COLOR.",
        type=click.Choice(["auto", "always", "never"]),
        default="auto",
    )
    quiet: bool = option("Print only the result.", "-q")
    verbose: bool = option("Print more messages.", "-v")
    debug: bool = option("Print the traceback of an error.")


class HelpPage:
    """A help page that begins with examples."""

    def __init__(self, *args: Any, examples: Sequence[str], **extra: Any) -> None:
        super().__init__(*args, **extra)
        self.examples = examples

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Examples, usage, what it does, options."""
        with formatter.section("Examples"):
            for example in self.examples:
                formatter.write(f"{'':>{formatter.current_indent}}{example}\n")
        formatter.write_paragraph()
        self.format_usage(ctx, formatter)  # type: ignore[attr-defined]
        self.format_help_text(ctx, formatter)  # type: ignore[attr-defined]
        self.format_options(ctx, formatter)
        self.format_epilog(ctx, formatter)  # type: ignore[attr-defined]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options, those that many commands share below heads of their own."""
        sections: dict[str, list[tuple[str, str]]] = {head: [] for head in _SECTIONS}
        for param in self.get_params(ctx):  # type: ignore[attr-defined]
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record is not None:
                usual = EVERYWHERE if sections[EVERYWHERE] else "Options"  # --help, the last one
                sections[getattr(param, "section", usual)].append(record)
        for head, records in sections.items():
            if records:
                with formatter.section(head):
                    formatter.write_dl(records)


class Command(HelpPage, click.Command):
    """A command with examples and the options all commands have."""

    def __init__(self, *args: Any, **extra: Any) -> None:
        super().__init__(*args, **extra)
        own = {param.name for param in self.params}
        self.params += [param for param in parameters_of(SharedOptions) if param.name not in own]

    def invoke(self, ctx: click.Context) -> Any:
        """Call the function when the colours are known."""
        set_colour(ctx.params["color"])
        return super().invoke(ctx)


class CommandGroup(HelpPage, click.Group):
    """A command with commands of its own."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options, then the commands."""
        super().format_options(ctx, formatter)
        self.format_commands(ctx, formatter)


def make_command(name: str, *examples: str) -> Callable[[Callable[..., Any]], click.Command]:
    """Make a function a command; its docstring is the text of its page."""

    def make(function: Callable[..., Any]) -> click.Command:
        def call(**values: Any) -> Any:
            return function(**arguments_of(function, values))

        params = parameters_of(function)
        return Command(name, params=params, callback=call, help=function.__doc__, examples=examples)

    return make
