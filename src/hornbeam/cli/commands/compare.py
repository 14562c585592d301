"""`hornbeam compare`: two models or recipes on the same rows."""

from __future__ import annotations

import sys
from typing import Any

import click

from hornbeam.cli.estimator_options import Wish, estimator_of
from hornbeam.cli.exit_codes import DONE, GATE, Failure
from hornbeam.cli.help_pages import command as make_command
from hornbeam.cli.model_rows import (
    Rows,
    known_rows,
    naming_columns,
    own_counts,
    split_rows,
    target_of,
    task_of,
)
from hornbeam.cli.models import Opened, is_model, open_model, rows_for
from hornbeam.cli.options import Outcome, confident, folds_seed, outcomes
from hornbeam.cli.output import Answer, formatted, give
from hornbeam.cli.part_syntax import unknown
from hornbeam.cli.progress_bar import Progress
from hornbeam.cli.table_options import Reading, read_sheet, reads
from hornbeam.cli.terminal import ASCII_WORDS, Talk, charset_of
from hornbeam.cli.text_tables import Head, short


@make_command(
    "compare",
    "hornbeam compare id3 cart demo:tennis --cv 7",
    "hornbeam compare 'c45(confidence=0.1)' 'cart(alpha=0.01)' demo:tennis --cv 7 --format json",
    "hornbeam compare id3 id3 demo:tennis --fail-if-worse",
)
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@click.argument("data")
@outcomes
@click.option(
    "--cv", type=click.IntRange(min=2), metavar="N", help="Folds.  [default: 10 for recipes, none for models]"
)
@click.option("--fail-if-worse", is_flag=True, help="Exit 3 if B is worse and its interval leaves no doubt.")
@confident
@click.option(
    "--task",
    type=click.Choice(["classify", "regress"]),
    help="Of recipes; guessed from the target if not given.",
)
@folds_seed
@reads
@formatted
def command(
    talk: Talk,
    first: str,
    second: str,
    data: str,
    outcome: Outcome,
    cv: int | None,
    fail_if_worse: bool,  # noqa: FBT001 (click's flag)
    confidence: float,
    task: str | None,
    seed: int,
    reading: Reading,
    form: str,
) -> int:
    """Set A beside B on the same rows of DATA: the paired difference, its interval, the rows that changed.

    A and B are saved models (NAME.tree.json), asked as they are, or recipes such as c45(confidence=0.1),
    fitted on the same folds. With --cv saved models are fitted anew, too.
    """
    from hornbeam.evaluation import compare

    opened = [_opened(name) for name in (first, second)]
    rows, kind = _rows(opened, data, reading, talk, outcome, task)
    models = [
        estimator_of(Wish(recipe=name), kind) if one is None else one.model
        for name, one in zip((first, second), opened, strict=True)
    ]
    if cv is None and any(one is None for one in opened):
        cv = min(10, rows.n_rows)
    with Progress(talk, "comparing" if cv is None else "cross-validating") as progress:
        found = compare(
            models[0],
            models[1],
            rows.X,
            rows.y,
            **rows.keywords(),
            cv=cv,
            confidence=confidence,
            random_state=seed,
            progress=progress,
        )
    shown = {name: value for name, value in found.to_dict().items() if name != "schema"}
    worse = found.better == "first"
    shown = {"first": first, "second": second, "second_is_worse": worse} | shown
    lines = [_line(name, one) for name, one in found.metrics.items()]
    heads = [Head(name) if name == "metric" else Head(name, spell=short) for name in lines[0]]
    give(Answer("compare/1", shown, heads, lines, lambda: _text(found, first, second)), form)
    if worse and fail_if_worse:
        talk.warn(f"{second} is worse than {first}")
        return GATE
    return DONE


def _opened(name: str) -> Opened | None:
    """A saved model; None for the name of a recipe."""
    if is_model(name):
        return open_model(name)
    from hornbeam.estimators.recipes import RECIPES

    recipe = name.partition("(")[0].strip()
    if recipe not in RECIPES:
        raise unknown(f"{name!r} is neither a saved model nor a recipe", recipe, list(RECIPES))
    return None


def _rows(
    opened: list[Opened | None],
    data: str,
    reading: Reading,
    talk: Talk,
    outcome: Outcome,
    task: str | None,
) -> tuple[Rows, str]:
    models = [one for one in opened if one is not None]
    for one in models:
        if one.tree.task == "density":
            raise Failure(f"{one.path} is a density tree: it has no target to be compared by")
    if models:
        rows = rows_for(models[0], data, reading, talk, outcome)
        return rows, models[0].tree.task
    sheet = read_sheet(data, reading, talk)
    goal = target_of(outcome.target, sheet, data)
    rows = split_rows(sheet.data, data, goal, outcome.weight, outcome.counts or own_counts(sheet.data, data))
    rows = known_rows(rows, goal, talk)
    naming = naming_columns(rows.X, reading.columns)
    if naming and len(naming) < rows.X.num_columns:
        talk.say((f"ignored as ids or free text: {', '.join(naming)}", "dim"))
        rows = Rows(rows.X.drop_columns(naming), rows.y, rows.weight, rows.counts)
    return rows, task_of(task, rows.y)


def _line(name: str, one: Any) -> dict[str, Any]:
    found = one.to_dict()
    difference = found.pop("difference")
    both = {"metric": name, "first": found["first"], "second": found["second"]}
    return both | {"difference": difference.pop("value"), **difference, "p": found["p"]}


def _text(found: Any, first: str, second: str) -> list[str]:
    text = f"first   {first}\nsecond  {second}\n{found}"
    return (text if charset_of(sys.stdout) == "unicode" else text.translate(ASCII_WORDS)).splitlines()
