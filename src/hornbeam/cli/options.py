"""Commands, their options and arguments, and their help pages.

    def draw(messages: Messages, *, width: int | None = option("Largest width.", least=200)) -> None: ...

One idea: the name, the type and the default of a parameter say most of what click has to know. Options that
several commands share are fields of a dataclass, declared in the same way; a parameter of that type has them
all, below a head of their own in the help page if the dataclass names a `section`. What every command shares
is added here once: the order of its page, --format, --color, --quiet, --verbose and --debug. The function of
a command gets its `Messages` first, then its own parameters.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import Field, dataclass, field, fields, is_dataclass
from typing import Any, ClassVar, get_args, get_type_hints

import click

from hornbeam.cli.tables import FORMATS
from hornbeam.cli.terminal import set_colour


def option(help: str, *flags: str, default: Any = None, **more: Any) -> Any:  # noqa: A002 (click's word)
    """Declare an option: its text in the help page, flags other than `--name`, and what click takes.

    Of a whole number `least` is the smallest allowed, 1 unless given. A default is shown in the help page.
    """
    return field(default=default, metadata={"help": help, "flags": flags, **more})


def argument(**more: Any) -> Any:
    """Declare an argument; it may be left out if its type allows None."""
    return field(metadata={"flags": None, **more})


def parameters_of(owner: Callable[..., Any]) -> list[click.Parameter]:
    """Return the parameters that a function or a dataclass declares, in their order."""
    params: list[click.Parameter] = []
    section = getattr(owner, "section", "Options")
    for name, kind, declared in _declarations(owner):
        if is_dataclass(kind) and isinstance(kind, type):
            params += parameters_of(kind)
        elif isinstance(declared, Field) and "flags" in declared.metadata:
            params.append(_parameter(name, kind, declared, section))
    return params


def arguments_of(owner: Callable[..., Any], values: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a function: the values of its parameters, those of a dataclass as one."""
    return {
        name: kind(**arguments_of(kind, values))
        if is_dataclass(kind) and isinstance(kind, type)
        else values[name]
        for name, kind, _ in _declarations(owner)
    }


def _declarations(owner: Any) -> Iterator[tuple[str, Any, Any]]:
    """Name, type and declaration of each parameter of a function or field of a dataclass."""
    kinds = get_type_hints(owner)
    if is_dataclass(owner):
        declared: dict[str, Any] = {one.name: one for one in fields(owner)}
    else:
        declared = {name: one.default for name, one in inspect.signature(owner).parameters.items()}
    for name, declaration in declared.items():
        yield name, kinds[name], declaration


def _parameter(name: str, kind: Any, declared: Field[Any], section: str) -> click.Parameter:
    how = dict(declared.metadata)
    flags, least = how.pop("flags"), how.pop("least", 1)
    section = how.pop("section", section)
    is_many, is_optional = kind == tuple[str, ...], type(None) in get_args(kind)
    if flags is None:
        how["required"] = not (is_many or is_optional or "default" in how)
        return click.Argument([name], nargs=-1 if is_many else 1, **how)
    if not any(flag.startswith("--") for flag in flags):
        flags = (*flags, f"--{name.replace('_', '-')}")
    if is_many:
        how["multiple"] = True
    elif bool in (kind, *get_args(kind)):
        how |= {"is_flag": True, "default": None if is_optional else False}
    elif declared.default is not None:
        how = {"default": declared.default, "show_default": True} | how
    if int in (kind, *get_args(kind)):
        how = {"type": click.IntRange(min=least), "metavar": "N"} | how
    made = click.Option([name, *flags], **how)
    made.section = section  # type: ignore[attr-defined]
    return made


# ---- commands and their pages: three examples first, then the description, then the options --------------


EVERYWHERE = "Everywhere"
_LONGEST = 1000  # of a first sentence
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

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Every command with its whole first sentence, which click would clip."""
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, command.get_short_help_str(_LONGEST)) for name, command in commands if command]
            )


def make_command(name: str, *examples: str) -> Callable[[Callable[..., Any]], click.Command]:
    """Make a function a command; its docstring is the text of its page."""

    def make(function: Callable[..., Any]) -> click.Command:
        def call(**values: Any) -> Any:
            return function(**arguments_of(function, values))

        params = parameters_of(function)
        return Command(name, params=params, callback=call, help=function.__doc__, examples=examples)

    return make
