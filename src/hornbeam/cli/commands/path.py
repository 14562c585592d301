"""`hornbeam path`: all sizes of a tree with their errors."""

from __future__ import annotations

import sys
from typing import Any

import click

from hornbeam.cli.exit_codes import Failure
from hornbeam.cli.help_pages import command as make_command
from hornbeam.cli.model_rows import Rows
from hornbeam.cli.models import Opened, open_model, rows_for, training_rows
from hornbeam.cli.options import Asked, folds_seed, shows_rows
from hornbeam.cli.output import Answer, give
from hornbeam.cli.progress_bar import Progress
from hornbeam.cli.sparklines import sparkline
from hornbeam.cli.terminal import Talk, line_of
from hornbeam.cli.text_tables import Head, short, text_lines

_SHOWN = 40  # steps of a long path that are printed; machines get all


@make_command(
    "path",
    "hornbeam fit demo:robots --pruning none -o robots.tree.json",
    "hornbeam path robots.tree.json",
    "hornbeam path robots.tree.json demo:robots --cv 4 --format csv",
)
@shows_rows
@click.option(
    "--cv",
    type=click.IntRange(min=0),
    metavar="N",
    help="Folds; 0 for none.  [default: 10 with rows to learn from]",
)
@click.option("--validation", metavar="FILE", help="A table of rows the model was not fitted on.")
@click.option(
    "--risk",
    type=click.Choice(["error", "impurity"]),
    default="error",
    show_default=True,
    help="What is weighed against leaves.",
)
@folds_seed
def command(
    talk: Talk,
    asked: Asked,
    cv: int | None,
    validation: str | None,
    risk: str,
    seed: int,
    form: str,
) -> None:
    """The nested subtrees of MODEL, from the whole tree to its root: penalty, leaves, errors.

    The rows the model was fitted on are read again for cross-validation, unless DATA names them; rows that
    fit --holdout kept apart are judged, too. The size that the 1-SE rule chooses is marked.
    """
    opened = open_model(asked.model)
    if opened.tree.task == "density":
        raise Failure("a density tree has no errors: its path is that of --pruning in hornbeam fit")
    rows, held = _rows(opened, asked, cv, talk)
    if validation is not None:
        held = rows_for(opened, validation, asked.reading, talk, asked.outcome)
    found = path_of(opened, rows, held, cv=cv, risk=risk, seed=seed, talk=talk)
    steps = [{"step": k, **one} for k, one in enumerate(found.as_dicts())]
    chosen = found.step("1-se") if found.cv is not None or found.validation is not None else None
    data_out = {"model": asked.model, "risk": risk, "steps": steps, "chosen": chosen}
    heads = [Head(name) for name in steps[0] if name != "nodes"]
    give(Answer("path/1", data_out, heads, steps, lambda: _text(steps, chosen)), form)
    if chosen is not None:
        smaller = f"--leaves {steps[chosen]['leaves']} -o small.tree.json"
        talk.say(("next: ", "dim"), f"hornbeam prune {asked.model} {smaller}")


def _rows(opened: Opened, asked: Asked, cv: int | None, talk: Talk) -> tuple[Rows | None, Rows | None]:
    if asked.data is not None:
        return rows_for(opened, asked.data, asked.reading, talk, asked.outcome), None
    if opened.facts.get("source"):
        return training_rows(opened, talk)
    if cv:
        raise click.UsageError(f"{opened.path} does not say where its rows are: name the table, too")
    return None, None


def path_of(
    opened: Opened, rows: Rows | None, held: Rows | None, *, cv: int | None, risk: str, seed: int, talk: Talk
) -> Any:
    """The pruning path of a model, cross-validated on its rows and judged by others."""
    import hornbeam as hb
    from hornbeam.tree.tree import Tree

    given: dict[str, Any] = {"risk": risk, "random_state": seed}
    if rows is not None and cv != 0 and not isinstance(opened.model, Tree):
        given |= {"X": rows.X, "y": rows.y, **rows.keywords(), "cv": cv}
    if held is not None:
        given["validation"] = (held.X, held.y, held.weight, held.counts)
    with Progress(talk, "cross-validating") as progress:
        return hb.pruning_path(opened.model, progress=progress if "X" in given else None, **given)


def _text(steps: list[dict[str, Any]], chosen: int | None) -> list[str]:
    shown = [{**one, "mark": "▸" if one["step"] == chosen else ""} for one in steps]
    names = [n for n in steps[0] if n not in ("step", "nodes") and (n != "training" or _differs(steps))]
    heads = [Head("", "mark", style="good"), Head("step")]
    heads += [Head(name.replace("_error", " ±"), name, spell=short) for name in names]
    middle = []
    if len(shown) > _SHOWN:
        half = _SHOWN // 2
        near = max(half, min(chosen if chosen is not None else half, len(shown) - half))
        kept = [
            *range(half),
            *(k for k in (near,) if half <= k < len(shown) - half),
            *range(len(shown) - half, len(shown)),
        ]
        middle = [line_of(sys.stdout, (f"{len(shown) - len(kept)} steps in between are not shown", "dim"))]
        shown = [shown[k] for k in kept]
    lines = [*text_lines(heads, shown), *middle]
    for name in ("cv", "validation"):
        if name in steps[0]:
            lines.append(
                line_of(sys.stdout, (f"{name} error by step  ", "dim"), (_curve(steps, name), "bar"))
            )
    return lines


def _curve(steps: list[dict[str, Any]], name: str) -> str:
    values = [one[name] for one in steps]
    most = 60
    picked = (
        values if len(values) <= most else [values[k * (len(values) - 1) // (most - 1)] for k in range(most)]
    )
    return sparkline(picked)


def _differs(steps: list[dict[str, Any]]) -> bool:
    return any(one["training"] != one["risk"] for one in steps)
