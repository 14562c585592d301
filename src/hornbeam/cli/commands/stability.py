"""`hornbeam stability`: how sure a tree is, by growing it again on bootstrap samples of its rows."""

from __future__ import annotations

import sys
import warnings
from textwrap import wrap

import click

from hornbeam.cli.exit_codes import DONE, INTERRUPTED
from hornbeam.cli.inputs import ModelRequest
from hornbeam.cli.models import open_model, rows_for
from hornbeam.cli.options import make_command, option
from hornbeam.cli.tables import Answer, Header, print_answer, result_data
from hornbeam.cli.terminal import Messages, Progress, styled_line, width_of


@make_command(
    "stability",
    "hornbeam fit demo:tennis -o tennis.tree.json",
    "hornbeam stability tennis.tree.json",
    "hornbeam stability tennis.tree.json demo:tennis -n 30 --format csv",
)
def stability_command(
    messages: Messages,
    *,
    request: ModelRequest,
    trees: int = option("How many samples are drawn, and trees grown.", "-n", "--trees", default=100),
    seed: int = option("Random seed of the samples.", least=0, default=0),
    time_limit: float | None = option(
        "Grow no further tree after so many seconds.",
        type=click.FloatRange(0, min_open=True),
        metavar="SECONDS",
    ),
    form: str,
) -> int:
    """Grow MODEL again on bootstrap samples of DATA: how often each test is chosen, and where it cuts.

    Without DATA the rows it was fitted on are read again. A count such as "31 of 50" is about the 50 trees
    that test the same columns above: 31 of them test the same column here. Ctrl-C prints what the trees so
    far say.
    """
    from hornbeam.evaluation.stability import stability

    opened = open_model(request.model, no_density="a density tree has no target to be grown again for")
    rows, _ = rows_for(opened, request, messages)
    options = rows.keywords() | {"n": trees, "random_state": seed, "time_limit": time_limit}
    progress = Progress(messages, "growing")
    with warnings.catch_warnings(record=True) as caught, progress:
        warnings.simplefilter("always")
        result = stability(opened.model, rows.X, rows.y, **options, progress=progress)
    for warning in caught:
        messages.warn(str(warning.message))
    tests = [
        {**test, "others": _pairs(test["others"]), "values": _pairs(test["values"])}
        for test in result.to_dict()["tests"]
    ]
    names = ("node", "depth", "test", "chosen", "reached", "others", "low", "high", "values")
    text = lambda: _wrapped(styled_line(sys.stdout, str(result)), width_of(sys.stdout))  # noqa: E731
    print_answer(
        Answer("stability/1", result_data(result), [Header(name) for name in names], tests, text), form
    )
    was_stopped = result.n < result.asked and (time_limit is None or progress.seconds < time_limit)
    return INTERRUPTED if was_stopped else DONE


def _pairs(numbers: dict[str, int]) -> str:
    """Numbers by name in one cell: "sibsp 22, fare 9"."""
    return ", ".join(f"{name} {number}" for name, number in numbers.items())


def _wrapped(text: str, width: int | None) -> list[str]:
    """The lines, broken between words where the terminal is too narrow."""
    lines = text.splitlines()
    if width is None:
        return lines
    return [part for line in lines for part in wrap(line, width, subsequent_indent=" " * 14) or [""]]
