"""Commands, their options and their help pages: three examples first, then the description, then the options.

One idea: what every command shares is added here once: the order of the page, --color, --quiet, --verbose and
--debug. The function of a command gets its `Messages` first, then its own parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import wraps
from typing import Any

import click

from hornbeam.cli.terminal import Messages, set_colour

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
            help="Colours; auto follows NO_COLOR and FORCE_COLOR.",
        ),
        click.Option(["-q", "--quiet"], is_flag=True, help="Print only the result."),
        click.Option(["-v", "--verbose"], is_flag=True, help="Print more messages."),
        click.Option(["--debug"], is_flag=True, help="Print the traceback of an error."),
    ]


class HelpPage:
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
        sections: dict[str, list[tuple[str, str]]] = {"Options": [], **{head: [] for head in _SECTIONS}}
        for param in params:
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record is not None:
                place = "help" if "--help" in param.opts and "form" in names else param.name or ""
                sections[placed.get(place, "Options")].append(record)
        for head, records in sections.items():
            if records:
                with formatter.section(head):
                    formatter.write_dl(records)


class Command(HelpPage, click.Command):
    """A command with examples and the options all commands have."""

    def __init__(self, *args: Any, examples: Sequence[str], **extra: Any) -> None:
        super().__init__(*args, **extra)
        self.examples = examples
        self.params = [*self.params, *_shared_options()]

    def invoke(self, ctx: click.Context) -> Any:
        """Call the function with its Messages and its own parameters."""
        shared = {name: ctx.params.pop(name) for name in _SHARED}
        set_colour(shared["color"])
        ctx.obj = Messages(quiet=shared["quiet"], verbose=shared["verbose"])
        return super().invoke(ctx)


class CommandGroup(HelpPage, click.Group):
    """A command with commands of its own."""

    def __init__(self, *args: Any, examples: Sequence[str], **extra: Any) -> None:
        super().__init__(*args, **extra)
        self.examples = examples

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options, then the commands."""
        super().format_options(ctx, formatter)
        self.format_commands(ctx, formatter)


def make_command(name: str, *examples: str) -> Callable[[Callable[..., Any]], click.Command]:
    """Make a function a command; its docstring is the text of its page."""

    def make(function: Callable[..., Any]) -> click.Command:
        with_messages = click.make_pass_decorator(Messages)(function)
        command: click.Command = click.command(name, cls=Command, examples=examples)(with_messages)
        return command

    return make


Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def text_option(metavar: str, *names: str, **extra: Any) -> Decorator:
    """An option for a text, which the help page calls `metavar`."""
    return click.option(*names, metavar=metavar, **extra)


def integer_option(*names: str, least: int = 1, metavar: str | None = "N", **extra: Any) -> Decorator:
    """An option for a whole number of at least `least`."""
    return click.option(*names, type=click.IntRange(min=least), metavar=metavar, **extra)


def choice_option(name: str, choices: Sequence[str], default: str | None = None, **extra: Any) -> Decorator:
    """An option that takes one of some words; a default is shown in the help."""
    shown = {} if default is None else {"default": default, "show_default": True}
    return click.option(name, type=click.Choice(choices), **shown, **extra)  # type: ignore[arg-type]


def pack_options(parameter: str, record: type, *options: Decorator) -> Decorator:
    """A decorator that adds options and hands their values over as one parameter, a dataclass of them."""
    names = [field.name for field in fields(record)]

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def packed(*args: Any, **params: Any) -> Any:
            values = {name: params.pop(name) for name in names}
            return function(*args, **{parameter: record(**values)}, **params)

        wrapped: Callable[..., Any] = packed
        for option in reversed(options):
            wrapped = option(wrapped)
        return wrapped

    return decorate
