"""Commands and their help pages: three examples first, then what there is to say, then the options.

One idea: what every command shares is added here once: the order of the page, --color, --quiet, --verbose and
--debug. The function of a command gets a `Talk` first, then its own parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from hornbeam.cli.terminal import Talk, ask_for_colour

_SHARED = ("color", "quiet", "verbose", "debug")
# Options of a page stand below these heads, in this order; the rest stand first.
_SECTIONS = {
    "Learning": (
        *("recipe", "task", "criterion", "selection", "split", "missing_rule", "leaf", "pruning"),
        *("max_depth", "max_leaves", "min_leaf", "seed", "jobs"),
    ),
    "Reading the table": (
        *("delimiter", "header", "decimal", "quote", "encoding", "missing", "columns", "sheet"),
        "input_format",
    ),
    "Everywhere": ("form", *_SHARED, "help"),
}


def _shared_options() -> list[click.Parameter]:
    return [
        click.Option(
            ["--color"],
            type=click.Choice(["auto", "always", "never"]),
            default="auto",
            show_default=True,
            help="Colours; auto heeds NO_COLOR and FORCE_COLOR.",
        ),
        click.Option(["-q", "--quiet"], is_flag=True, help="Say nothing but the answer."),
        click.Option(["-v", "--verbose"], is_flag=True, help="Say more on the way."),
        click.Option(["--debug"], is_flag=True, help="Print the traceback of an error."),
    ]


class Page:
    """A help page that begins with examples."""

    examples: Sequence[str]

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
        params = self.get_params(ctx)  # type: ignore[attr-defined]
        names = {param.name for param in params}
        placed: dict[str, str] = {}
        for head, members in _SECTIONS.items():
            if head != "Learning" or "recipe" in names:  # a seed alone is no way of learning
                placed |= dict.fromkeys(members, head)
        found: dict[str, list[tuple[str, str]]] = {"Options": [], **{head: [] for head in _SECTIONS}}
        for param in params:
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record is not None:
                place = "help" if "--help" in param.opts and "form" in names else param.name or ""
                found[placed.get(place, "Options")].append(record)
        for head, records in found.items():
            if records:
                with formatter.section(head):
                    formatter.write_dl(records)


class Command(Page, click.Command):
    """A command with examples and the options all commands have."""

    def __init__(self, *args: Any, examples: Sequence[str], **extra: Any) -> None:
        super().__init__(*args, **extra)
        self.examples = examples
        self.params = [*self.params, *_shared_options()]

    def invoke(self, ctx: click.Context) -> Any:
        """Call the function with a Talk and its own parameters."""
        shared = {name: ctx.params.pop(name) for name in _SHARED}
        ask_for_colour(shared["color"])
        ctx.obj = Talk(quiet=shared["quiet"], verbose=shared["verbose"])
        return super().invoke(ctx)


class Family(Page, click.Group):
    """A command with commands of its own."""

    def __init__(self, *args: Any, examples: Sequence[str], **extra: Any) -> None:
        super().__init__(*args, **extra)
        self.examples = examples

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options, then the commands."""
        super().format_options(ctx, formatter)
        self.format_commands(ctx, formatter)


def command(
    name: str, *examples: str, epilog: str | None = None
) -> Callable[[Callable[..., Any]], click.Command]:
    """Make a function a command; its docstring is the text of its page."""

    def make(function: Callable[..., Any]) -> click.Command:
        made: click.Command = click.command(name, cls=Command, examples=examples, epilog=epilog)(
            click.make_pass_decorator(Talk)(function)
        )
        return made

    return make
