"""`hornbeam evaluate` and `hornbeam compare`: how good models are, with intervals, and gates for scripts."""

from __future__ import annotations

import sys
from typing import Any

import click

from hornbeam._base.types import Task
from hornbeam.cli.estimator_options import LearnerOptions, estimator_of, identifiers, ignored_words, task_of
from hornbeam.cli.exit_codes import DONE, GATE, misfit, unknown_choice
from hornbeam.cli.inputs import (
    CONFIDENCE,
    EXCLUDE,
    FOLDS_SEED,
    ModelRequest,
    ModelRows,
    OutcomeColumns,
    ReadOptions,
    check_column,
    read_rows,
)
from hornbeam.cli.models import OpenedModel, is_model, open_model, rows_for
from hornbeam.cli.options import argument, make_command, option
from hornbeam.cli.tables import Answer, Header, narrow_lines, print_answer, result_data, short
from hornbeam.cli.terminal import Messages, Progress, styled_line


@make_command(
    "evaluate",
    "hornbeam fit demo:tennis --holdout 0.3 -o tennis.tree.json",
    "hornbeam evaluate tennis.tree.json",
    "hornbeam evaluate tennis.tree.json demo:tennis --cv 7 --fail-under accuracy=0.3",
)
def evaluate_command(
    messages: Messages,
    *,
    request: ModelRequest,
    cv: int | None = option("Cross-validate with N folds of DATA instead.", least=2),
    limits: tuple[str, ...] = option(
        "Exit with 3 if the metric is worse than this.", "--fail-under", metavar="METRIC=VALUE"
    ),
    confidence: float = CONFIDENCE,
    seed: int = FOLDS_SEED,
    exclude: tuple[str, ...] = EXCLUDE,
    form: str,
) -> int:
    """Measure MODEL on DATA: metrics with their intervals, precision and recall, the confusion matrix.

    Without DATA the rows that fit --holdout kept apart are read again; with --cv the rows it was fitted on,
    and the model is fitted again for each fold, without the columns of --exclude. --fail-under makes the exit
    code 0 or 3.
    """
    from hornbeam.evaluation import evaluate

    gates = _parse_gates(limits)
    opened = open_model(request.model, no_density="a density tree has no target to be measured by")
    rows = _rows_to_evaluate(opened, request, cv, messages)
    if exclude:
        _exclude_in_folds(opened.model, rows, exclude, cv)
    options = rows.keywords() | {"cv": cv, "confidence": confidence, "random_state": seed}
    try:
        with Progress(messages, "measuring" if cv is None else "cross-validating") as progress:
            evaluation = evaluate(opened.model, rows.X, rows.y, **options, progress=progress)
    except ValueError as fault:
        if cv is None:
            raise misfit(" ".join(str(fault).split())) from None
        raise
    data, met = result_data(evaluation), _check_gates(evaluation, gates)
    if met:
        data["gate"] = {**gates, "met": all(met.values())}
    rows_of_metrics = [{"metric": name, **value.to_dict()} for name, value in evaluation.metrics.items()]
    headers = [Header("metric"), *(Header(name, spell=short) for name in ("value", "low", "high"))]

    def text() -> list[str]:
        lines = narrow_lines(str(evaluation))
        for name, good in met.items():
            sign, verb = (("✓ ", "good"), "meets") if good else (("× ", "bad"), "misses")
            lines.append(styled_line(sys.stdout, sign, f"{name} {verb} {gates[name]:g}"))
        return lines

    print_answer(Answer("evaluate/1", data, headers, rows_of_metrics, text), form)
    missed = [name for name, good in met.items() if not good]
    for name in missed:
        messages.warn(f"{name} is {evaluation[name].value:.4g}, and --fail-under asks for {gates[name]:g}")
    return GATE if missed else DONE


def _rows_to_evaluate(
    opened: OpenedModel, request: ModelRequest, cv: int | None, messages: Messages
) -> ModelRows:
    if cv is None and request.data is not None and request.data == opened.facts.get("source"):
        which = "some of these" if opened.facts.get("holdout") else "these"
        messages.warn(f"{which} are the rows the model was fitted on: new rows will be answered worse")
    rows, held_out = rows_for(opened, request, messages)
    if request.data is not None or cv is not None:
        return rows
    if held_out is None:
        messages.warn(
            "these are the rows the model was fitted on: new rows will be answered worse; try --cv 10"
        )
        return rows
    number = (f"{held_out.n_rows:,}", "number")
    messages.info(("judged by the ", "dim"), number, (" rows that fit held out", "dim"))
    return held_out


def _exclude_in_folds(model: Any, rows: ModelRows, exclude: tuple[str, ...], cv: int | None) -> None:
    """Let the models of the folds leave further columns out."""
    if cv is None or not hasattr(model, "set_params"):
        raise click.UsageError("--exclude needs --cv, and a model that can be fitted again")
    for name in exclude:
        check_column(name, rows.X, "the table")
    model.set_params(exclude=[*(model.exclude or ()), *exclude])


def _parse_gates(limits: tuple[str, ...]) -> dict[str, float]:
    gates: dict[str, float] = {}
    for limit in limits:
        name, sign, text = limit.partition("=")
        try:
            gates[name.strip().replace("-", "_")] = float(text)
        except ValueError:
            sign = ""
        if not sign or not name.strip():
            raise click.UsageError(f"--fail-under {limit!r} must be METRIC=VALUE, such as accuracy=0.8")
    return gates


def _check_gates(evaluation: Any, gates: dict[str, float]) -> dict[str, bool]:
    """Which gates are met."""
    for name in gates:
        if name not in evaluation.metrics:
            raise unknown_choice(f"--fail-under: there is no metric {name!r} here", name, evaluation.metrics)
    met: dict[str, bool] = evaluation.gate(gates)
    return met


@make_command(
    "compare",
    "hornbeam compare id3 cart demo:tennis --cv 7",
    "hornbeam compare 'c45(confidence=0.1)' 'cart(alpha=0.01)' demo:tennis --cv 7 --format json",
    "hornbeam compare id3 id3 demo:tennis --fail-if-worse",
)
def compare_command(
    messages: Messages,
    *,
    first: str = argument(metavar="A"),
    second: str = argument(metavar="B"),
    data: str = argument(),
    outcome: OutcomeColumns,
    cv: int | None = option("Number of folds.  [default: 10 for recipes, none for models]", least=2),
    fail_if_worse: bool = option("Exit with 3 if B is significantly worse."),
    confidence: float = CONFIDENCE,
    task: str | None = option(
        "Task of recipes; guessed from the target if not given.", type=click.Choice(["classify", "regress"])
    ),
    seed: int = FOLDS_SEED,
    exclude: tuple[str, ...] = EXCLUDE,
    reading: ReadOptions,
    form: str,
) -> int:
    """Compare A and B on the same rows of DATA: paired difference, its interval, rows answered differently.

    A and B are saved models (NAME.tree.json), used as they are, or recipes such as c45(confidence=0.1),
    fitted on the same folds. With --cv saved models are fitted again, too.
    """
    from hornbeam.evaluation import compare

    opened = [_open_unless_recipe(name) for name in (first, second)]
    request = ModelRequest(model=first, data=data, outcome=outcome, reading=reading)
    rows, kind, excluded = _rows_to_compare(opened, request, messages, task, exclude)
    models = [
        estimator_of(LearnerOptions(recipe=name), kind, None).set_params(exclude=excluded or None)
        if one is None
        else one.model
        for name, one in zip((first, second), opened, strict=True)
    ]
    if cv is None and None in opened:
        cv = min(10, rows.n_rows)
    options = rows.keywords() | {"cv": cv, "confidence": confidence, "random_state": seed}
    with Progress(messages, "comparing" if cv is None else "cross-validating") as progress:
        comparison = compare(models[0], models[1], rows.X, rows.y, **options, progress=progress)
    worse = comparison.better == "first"
    result = {"first": first, "second": second, "second_is_worse": worse} | result_data(comparison)
    metrics = [_metric_row(name, metric) for name, metric in comparison.metrics.items()]
    headers = [Header(name, spell=None if name == "metric" else short) for name in metrics[0]]
    text = f"first   {first}\nsecond  {second}\n{comparison}"
    lines = lambda: narrow_lines(text)  # noqa: E731 (made only if text is printed)
    print_answer(Answer("compare/1", result, headers, metrics, lines), form)
    if worse and fail_if_worse:
        messages.warn(f"{second} is worse than {first}")
        return GATE
    return DONE


def _open_unless_recipe(name: str) -> OpenedModel | None:
    """A saved model; None for the name of a recipe."""
    if is_model(name):
        return open_model(name, no_density=f"{name} is a density tree: it has no target to be compared by")
    from hornbeam.estimators.recipes import RECIPES

    recipe = name.partition("(")[0].strip()
    if recipe not in RECIPES:
        raise unknown_choice(f"{name!r} is neither a saved model nor a recipe", recipe, RECIPES)
    return None


def _rows_to_compare(
    opened: list[OpenedModel | None],
    request: ModelRequest,
    messages: Messages,
    task: str | None,
    exclude: tuple[str, ...],
) -> tuple[ModelRows, Task, list[str]]:
    """The rows, read as the first saved model takes them, their task, and columns that recipes leave out."""
    model = next((one for one in opened if one is not None), None)
    if model is not None:
        rows = rows_for(model, request, messages)[0]
        for name in exclude:
            check_column(name, rows.X, str(request.data))
        return rows, model.tree.task, list(exclude)
    assert request.data is not None
    rows, _ = read_rows(request.data, request.reading, request.outcome, messages, exclude)
    kind = task_of(task, rows.y)
    ignored = identifiers(rows, kind, request.reading.columns, exclude)
    if ignored:
        messages.info((ignored_words(ignored), "dim"))
    return rows, kind, [*exclude, *ignored]


def _metric_row(name: str, metric: Any) -> dict[str, Any]:
    values = metric.to_dict()
    difference = values["difference"]
    interval = {end: value for end, value in difference.items() if end != "value"}
    both = {"metric": name, "first": values["first"], "second": values["second"]}
    return both | {"difference": difference["value"], **interval, "p": values["p"]}
