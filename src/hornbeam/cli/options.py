"""Options and arguments of commands, declared once: as defaults of a function's parameters.

    def draw(messages: Messages, *, width: int | None = option("Largest width.", least=200)) -> None: ...

One idea: the name, the type and the default of a parameter say most of what click has to know. Options that
several commands share are fields of a dataclass, declared in the same way; a parameter of that type has them
all, below a head of their own in the help page if the dataclass names a `section`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import Field, field, fields, is_dataclass
from typing import Any, get_args, get_type_hints

import click


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
