"""`hornbeam theory`: the calculators of `hornbeam.teaching.theory`, a command each.

One idea: a calculator's command is made from its signature: required parameters are arguments, the others are
options. So none can be forgotten, and none has a second spelling.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import asdict, is_dataclass
from typing import Any

import click

from hornbeam.cli.exit_codes import unknown_choice
from hornbeam.cli.models import open_model
from hornbeam.cli.options import Command, CommandGroup, argument, arguments_of, make_command, option
from hornbeam.cli.tables import Answer, Header, print_answer
from hornbeam.cli.terminal import Messages

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


class Calculators(CommandGroup):
    """The calculators, each made when it is called."""

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
            raise unknown_choice(f"there is no calculator {args[0]!r}", name, self.list_commands(ctx))
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

    def callback(form: str, **options: Any) -> None:
        values = arguments_of(function, options)
        _print_result(name, values, function(**values), form)

    example = f"hornbeam theory {name} {EXAMPLES[name]}"
    return Command(
        name,
        params=params,
        callback=callback,
        help=_text(function),
        examples=(example, f"{example} --format json", f"{example} --format csv"),
    )


@make_command(
    "report",
    "hornbeam fit demo:tennis -o tennis.tree.json",
    "hornbeam theory report tennis.tree.json",
    "hornbeam theory report tennis.tree.json --rows 14 --format json",
)
def _report(
    messages: Messages,
    *,
    model: str = argument(),
    rows: int | None = option("Number of training rows.  [default: those of the tree]", metavar=None),
    delta: float = option("Probability that the bound fails.", type=float, default=0.05),
    epsilon: float = option("Error that the bound allows.", type=float, default=0.1),
    form: str,
) -> None:
    """Print the bounds for a model of this size."""
    from hornbeam.teaching import theory

    tree = open_model(model, only_tree=True).tree
    messages.detail(f"read {model}")
    bounds = theory.report(tree, rows, delta=delta, epsilon=epsilon)
    _print_result("report", {"model": model}, bounds, form)


def _print_result(name: str, parameters: Mapping[str, Any], result: Any, form: str) -> None:
    values = _values(result)
    rows = [{"what": key, "value": value} for key, value in values.items()]
    data = {"calculator": name, "given": dict(parameters), "value": values if len(values) > 1 else result}
    lines: Any = None
    if len(rows) == 1:
        lines = lambda: [str(rows[0]["value"])]  # noqa: E731 (a number alone)
    elif "__str__" in vars(type(result)):
        lines = lambda: str(result).splitlines()  # noqa: E731
    print_answer(Answer("theory/1", data, (Header("what"), Header("value")), rows, lines), form)


def _values(result: Any) -> dict[str, Any]:
    if is_dataclass(result) and not isinstance(result, type):
        return asdict(result)
    if hasattr(result, "_asdict"):
        return dict(result._asdict())
    return {"value": result.tolist() if hasattr(result, "tolist") else result}


def _text(function: Callable[..., Any]) -> str:
    """The docstring up to its examples, paragraphs as they are."""
    text = inspect.getdoc(function) or ""
    head = text.split("Examples\n--------")[0].split(">>>")[0]
    return "\n\n".join(
        ("\b\n" + paragraph) if "----" in paragraph or paragraph.startswith("    ") else paragraph
        for paragraph in head.strip().split("\n\n")
    )


theory_command = Calculators(
    "theory",
    help="Calculate numbers of trees, error bounds and sample sizes.",
    examples=tuple(f"hornbeam theory {name} {EXAMPLES[name]}" for name in list(EXAMPLES)[:3]),
)
