"""`hornbeam theory`: the calculators of `hornbeam.theory`, a command each.

One idea: a calculator's command is made from its signature: what it must be told are arguments, what it may
be told are options. So none can be forgotten, and none has a second spelling.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import asdict, is_dataclass
from typing import Any

import click

from hornbeam.cli.help_pages import Command, Family
from hornbeam.cli.models import open_tree
from hornbeam.cli.output import Answer, formatted, give
from hornbeam.cli.terminal import Talk
from hornbeam.cli.text_tables import Head

# An example of each; the page of the family shows the first three.
EXAMPLES: Mapping[str, str] = {
    "sample-size-by-leaves": "10 5 0.1 0.05",
    "trees-by-leaves": "3 3",
    "vc-boolean": "5 10",
    "boolean-functions": "4",
    "boolean-instances": "4",
    "c45-deviate": "--confidence 0.25",
    "catalan": "5",
    "error-bound": "0.1 20 1000 0.05",
    "error-gap": "20 1000 0.05",
    "expected-errors": "1 16",
    "log-boolean-functions": "4",
    "log-size-to-reach": "gini 0.1 0.05",
    "log-trees-by-depth": "10 3",
    "log-trees-by-leaves": "10 5",
    "log-trees-by-leaves-bound": "10 5",
    "sample-size": "20 0.1 0.05",
    "sample-size-by-depth": "10 3 0.1 0.05",
    "srm-guarantee": "7 1000 0.05 3 10",
    "srm-penalty": "1000 7 3 10 0.05",
    "srm-score": "0.1 7 1000",
    "trees-by-depth": "3 2",
    "upper-limit": "1 16",
    "validation-sample-size": "1000 0.1 0.05",
    "vc-general": "5 10",
    "work": "20 1000",
}
_TYPES: Mapping[str, Any] = {"int": int, "float": float, "str": str, "Any": float}


class Calculators(Family):
    """The calculators, made when one is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click's signature)
        """Their names, and the report of a model."""
        return sorted([*EXAMPLES, "report"])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of one calculator."""
        if cmd_name == "report":
            return _report
        return _calculator(cmd_name) if cmd_name in EXAMPLES else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the calculator; for one that does not exist say which was probably meant."""
        name = args[0].replace("_", "-")
        if name not in self.list_commands(ctx) and not name.startswith("-"):
            from hornbeam.cli.part_syntax import unknown

            raise unknown(f"there is no calculator {args[0]!r}", name, self.list_commands(ctx))
        return super().resolve_command(ctx, [name, *args[1:]])


def _calculator(name: str) -> click.Command:
    from hornbeam.teaching import theory

    function = getattr(theory, name.replace("-", "_"))
    params: list[click.Parameter] = []
    for one in inspect.signature(function).parameters.values():
        kind = _TYPES[str(one.annotation)]
        if one.default is one.empty:
            params.append(click.Argument([one.name], type=kind))
        else:
            option = f"--{one.name.replace('_', '-')}"
            params.append(click.Option([option], type=kind, default=one.default, show_default=True))

    def callback(form: str, **given: Any) -> None:
        _give(name, given, function(**given), form)

    example = f"hornbeam theory {name} {EXAMPLES[name]}"
    return Command(
        name,
        params=[*params, *_format_option()],
        callback=callback,
        help=_text(function),
        examples=(example, f"{example} --format json", f"{example} --format csv"),
    )


@click.command(
    "report",
    cls=Command,
    examples=(
        "hornbeam fit demo:tennis -o tennis.tree.json",
        "hornbeam theory report tennis.tree.json",
        "hornbeam theory report tennis.tree.json --rows 14 --format json",
    ),
)
@click.argument("model")
@click.option(
    "--rows", type=click.IntRange(min=1), help="Rows it was fitted on.  [default: those it counted]"
)
@click.option("--delta", type=float, default=0.05, show_default=True, help="Chance to be wrong.")
@click.option("--epsilon", type=float, default=0.1, show_default=True, help="Error to be promised.")
@formatted
@click.make_pass_decorator(Talk)
def _report(talk: Talk, model: str, rows: int | None, delta: float, epsilon: float, form: str) -> None:
    """What the theory promises of a model of this size."""
    from hornbeam.teaching import theory

    opened = open_tree(model)
    talk.detail(f"read {model}")
    found = theory.report(opened.tree, rows, delta=delta, epsilon=epsilon)
    _give("report", {"model": model}, found, form)


def _give(name: str, given: Mapping[str, Any], found: Any, form: str) -> None:
    values = _values(found)
    rows = [{"what": key, "value": value} for key, value in values.items()]
    data = {"calculator": name, "given": dict(given), "value": values if len(values) > 1 else found}
    lines: Any = None
    if len(rows) == 1:
        lines = lambda: [str(rows[0]["value"])]  # noqa: E731 (a number alone)
    elif "__str__" in vars(type(found)):
        lines = lambda: str(found).splitlines()  # noqa: E731
    give(Answer("theory/1", data, (Head("what"), Head("value")), rows, lines), form)


def _values(found: Any) -> dict[str, Any]:
    if is_dataclass(found) and not isinstance(found, type):
        return asdict(found)
    if hasattr(found, "_asdict"):
        return dict(found._asdict())
    value = found.tolist() if hasattr(found, "tolist") else found
    return {"value": value}


def _format_option() -> list[click.Parameter]:
    made = click.command()(formatted(lambda form: form))
    return [param for param in made.params if param.name == "form"]


def _text(function: Callable[..., Any]) -> str:
    """The docstring up to its examples, paragraphs as they are."""
    text = inspect.getdoc(function) or ""
    head = text.split("Examples\n--------")[0].split(">>>")[0]
    return "\n\n".join(
        ("\b\n" + paragraph) if "----" in paragraph or paragraph.startswith("    ") else paragraph
        for paragraph in head.strip().split("\n\n")
    )


command = Calculators(
    "theory",
    help="Calculators: how many trees there are, how many rows they need, what their errors promise.",
    examples=tuple(f"hornbeam theory {name} {EXAMPLES[name]}" for name in list(EXAMPLES)[:3]),
)
