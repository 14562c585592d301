"""`hornbeam evaluate`: how good a model is, with intervals, and a gate for scripts."""

from __future__ import annotations

import sys
from typing import Any

import click

from hornbeam.cli.exit_codes import DONE, GATE, Failure, misfit
from hornbeam.cli.help_pages import command as make_command
from hornbeam.cli.model_rows import Rows
from hornbeam.cli.models import Opened, open_model, rows_for, training_rows
from hornbeam.cli.options import Asked, confident, folds_seed, shows_rows
from hornbeam.cli.output import Answer, give
from hornbeam.cli.progress_bar import Progress
from hornbeam.cli.terminal import ASCII_WORDS, Talk, charset_of, line_of
from hornbeam.cli.text_tables import Head, short


@make_command(
    "evaluate",
    "hornbeam fit demo:tennis --holdout 0.3 -o tennis.tree.json",
    "hornbeam evaluate tennis.tree.json",
    "hornbeam evaluate tennis.tree.json demo:tennis --cv 7 --fail-under accuracy=0.3",
)
@shows_rows
@click.option(
    "--cv", type=click.IntRange(min=2), metavar="N", help="Fit and judge on N folds of DATA instead."
)
@click.option(
    "--fail-under", "limits", multiple=True, metavar="METRIC=VALUE", help="Exit 3 unless it is as good."
)
@confident
@folds_seed
def command(
    talk: Talk,
    asked: Asked,
    cv: int | None,
    limits: tuple[str, ...],
    confidence: float,
    seed: int,
    form: str,
) -> int:
    """Measure MODEL on DATA: metrics with their intervals, precision and recall, who is taken for whom.

    Without DATA the rows that fit --holdout kept apart are read again; with --cv those it was fitted on, and
    the model is fitted anew on each set of folds. --fail-under turns the answer into an exit code: 0 or 3.
    """
    from hornbeam.evaluation import evaluate

    gates = _gates(limits)
    opened = open_model(asked.model)
    if opened.tree.task == "density":
        raise Failure("a density tree has no target to be measured by")
    rows = _rows(opened, asked, cv, talk)
    try:
        with Progress(talk, "measuring" if cv is None else "cross-validating") as progress:
            found = evaluate(
                opened.model,
                rows.X,
                rows.y,
                **rows.keywords(),
                cv=cv,
                confidence=confidence,
                random_state=seed,
                progress=progress,
            )
    except ValueError as fault:
        if cv is None:
            raise misfit(" ".join(str(fault).split())) from None
        raise
    shown = {name: value for name, value in found.to_dict().items() if name != "schema"}
    met = _judged(found, gates)
    if met:
        shown["gate"] = {**gates, "met": all(met.values())}
    lines = [{"metric": name, **value.to_dict()} for name, value in found.metrics.items()]
    heads = [Head("metric"), Head("value", spell=short), Head("low", spell=short), Head("high", spell=short)]
    give(Answer("evaluate/1", shown, heads, lines, lambda: _text(found, gates, met)), form)
    missed = [name for name, good in met.items() if not good]
    for name in missed:
        talk.warn(f"{name} is {found[name].value:.4g}, and --fail-under asks for {gates[name]:g}")
    return GATE if missed else DONE


def _rows(opened: Opened, asked: Asked, cv: int | None, talk: Talk) -> Rows:
    if asked.data is not None:
        if cv is None and asked.data == opened.facts.get("source"):
            which = "some of these" if opened.facts.get("holdout") else "these"
            talk.warn(f"{which} are the rows the model was fitted on: new rows will be answered worse")
        return rows_for(opened, asked.data, asked.reading, talk, asked.outcome)
    learned, held = training_rows(opened, talk)
    if cv is not None:
        return learned
    if held is None:
        talk.warn("these are the rows the model was fitted on: new rows will be answered worse; try --cv 10")
        return learned
    talk.say(("judged by the ", "dim"), (f"{held.n_rows:,}", "number"), (" rows that fit held out", "dim"))
    return held


def _gates(limits: tuple[str, ...]) -> dict[str, float]:
    found: dict[str, float] = {}
    for one in limits:
        name, sign, text = one.partition("=")
        try:
            found[name.strip().replace("-", "_")] = float(text)
        except ValueError:
            sign = ""
        if not sign or not name.strip():
            raise click.UsageError(f"--fail-under {one!r} must be METRIC=VALUE, such as accuracy=0.8")
    return found


def _judged(found: Any, gates: dict[str, float]) -> dict[str, bool]:
    from hornbeam.cli.part_syntax import unknown

    for name in gates:
        if name not in found.metrics:
            raise unknown(f"--fail-under: there is no metric {name!r} here", name, list(found.metrics))
    judged: dict[str, bool] = found.gate(gates)
    return judged


def _text(found: Any, gates: dict[str, float], met: dict[str, bool]) -> list[str]:
    text = str(found)
    lines = (text if charset_of(sys.stdout) == "unicode" else text.translate(ASCII_WORDS)).splitlines()
    for name, good in met.items():
        sign = ("✓ ", "good") if good else ("× ", "bad")
        lines.append(line_of(sys.stdout, sign, f"{name} {'meets' if good else 'misses'} {gates[name]:g}"))
    return lines
