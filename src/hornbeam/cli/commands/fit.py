"""`hornbeam fit`: a table to a saved model."""

from __future__ import annotations

import ast
import re
import shlex
import sys
import tempfile
import warnings
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from hornbeam._base.types import Task
from hornbeam.cli.estimator_options import (
    LearnerOptions,
    estimator_of,
    identifiers,
    ignored_words,
    plain_estimator,
    task_of,
)
from hornbeam.cli.exit_codes import DONE, INTERRUPTED
from hornbeam.cli.fit_summary import cross_validate, is_measured, on_folds, summary, summary_lines, tree_lines
from hornbeam.cli.inputs import (
    EXCLUDE,
    ModelRows,
    OutcomeColumns,
    ReadOptions,
    check_column,
    read_rows,
    reads_once,
    refuse_input_as_output,
    source_name,
)
from hornbeam.cli.models import hold_out, with_facts
from hornbeam.cli.options import argument, make_command, option
from hornbeam.cli.tables import facts_answer, print_answer
from hornbeam.cli.terminal import Messages, Progress, fit_lines

ENDING = ".tree.json"
FAR_DEPTH = 8  # of trees of data beyond memory, where no option limits them


@make_command(
    "fit",
    "hornbeam fit demo:tennis",
    "hornbeam fit demo:tennis --recipe id3 --max-depth 2 -o small.tree.json",
    "hornbeam fit demo:hours --target Hours --task regress --pruning none --min-leaf 2",
)
def fit_command(
    messages: Messages,
    *,
    data: str = argument(),
    outcome: OutcomeColumns,
    exclude: tuple[str, ...] = EXCLUDE,
    output: str | None = option("Output file; - is stdout.  [default: DATA.tree.json]", "-o", metavar="FILE"),
    holdout: float = option(
        "Share of the rows held out for measuring the model.",
        type=click.FloatRange(0, 1, max_open=True),
        default=0.0,
        show_default=False,
        metavar="SHARE",
    ),
    memory: str | None = option(
        "Read DATA piece by piece and grow with about this much memory, such as 2GB.", metavar="SIZE"
    ),
    learner: LearnerOptions,
    reading: ReadOptions,
    form: str,
) -> int:
    """Learn a tree from DATA and save it.

    DATA is a file (csv, tsv, parquet, arff, json, xlsx, ...; gzip is fine), - for stdin, or demo:NAME for a
    bundled table. Columns that only name the rows are left out unless --columns says what they are. Ctrl-C
    saves the tree so far as NAME.partial.tree.json.

    With --memory DATA may be larger than the memory: a file, a folder, or a pattern such as 'trips/*.parquet'
    of Parquet, Arrow or CSV files. The tree has at most 8 levels then, unless an option limits its size.
    """
    path = _output_path(data, output)
    refuse_input_as_output(output, data)
    if memory is not None:
        if holdout or reading.to_dict():
            raise click.UsageError("--memory does not go with --holdout, nor with options of reading")
        return _fit_far(data, memory, outcome, exclude, learner, path, messages, form)
    is_density = learner.task == Task.DENSITY
    rows, outcome = read_rows(data, reading, outcome, messages, exclude, density=is_density)
    task = Task.DENSITY if is_density else task_of(learner.task, rows.y, outcome.event)
    ignored = identifiers(rows, task, reading.columns, exclude)
    excluded = [*exclude, *ignored]
    kinds = ", ".join(f"{n} {kind}" for kind, n in _count_kinds(rows.X.drop_columns(excluded)).items())
    messages.info((f"columns  {kinds}{'; ' if ignored else ''}{ignored_words(ignored)}", "dim"))
    for name in (*learner.increasing, *learner.decreasing):
        check_column(name, rows.X, data)
    model = estimator_of(learner, task, rows.y).set_params(exclude=excluded or None)
    _report_task(outcome.target, task, rows, learner, messages)
    learned, held_out = hold_out(rows, holdout, learner.seed, task)
    source = "-" if reads_once(data) else data  # of a pipe nothing can be read again
    about: dict[str, Any] = {"source": source, **asdict(outcome), "reading": reading.to_dict()}
    about |= {"holdout": holdout, "seed": learner.seed, "formats": dict(rows.formats)}
    about = {name: value for name, value in about.items() if value not in (None, {}, 0.0)}
    progress = Progress(messages, "growing")
    try:
        with progress:
            fitted, warned = _fit(model, learned, progress)
    except KeyboardInterrupt as stopped:
        return _save_partial(stopped, path, about, messages)
    for sentence in warned:
        messages.warn(sentence)
    measured, judged = held_out is not None or is_measured(fitted), on_folds(fitted)
    fitted = with_facts(_chosen_model(fitted, messages), about)
    _save(fitted, path)
    facts = summary(fitted, learned, held_out, outcome.target, path, progress.seconds) | judged
    if not measured:
        facts |= cross_validate(fitted, learned, learner.seed, messages)
    if path is None:
        messages.info("\n".join(summary_lines(facts, sys.stderr)))
        return DONE
    told = facts_answer(
        "fit/1",
        facts,
        lambda: [*tree_lines(fitted.tree_, outcome.target), *summary_lines(facts, sys.stdout)],
    )
    print_answer(told, form)
    sys.stdout.flush()  # before the last message
    after = [("next: ", "dim"), f"hornbeam show {path}", (" · ", "dim"), f"hornbeam evaluate {path}"]
    messages.info("\n".join(fit_lines(sys.stderr, [[(f"saved {path}", "dim")], after], "    ")))
    return DONE


def _fit_far(
    data: str,
    memory: str,
    outcome: OutcomeColumns,
    exclude: tuple[str, ...],
    learner: LearnerOptions,
    path: str | None,
    messages: Messages,
    form: str,
) -> int:
    """Fit data that is read piece by piece."""
    from hornbeam.data.streams import SAMPLE_ROWS, open_stream
    from hornbeam.engines import Files

    if outcome.target is None:
        raise click.UsageError(f"which column of {data} is to be predicted? say --target COL")
    sample: Any = next(open_stream(data).pieces(SAMPLE_ROWS), None)
    if sample is None:
        raise click.UsageError(f"{data} has no rows")
    check_column(outcome.target, sample, data)
    y = sample.column(outcome.target)
    task = task_of(learner.task, y)
    model = plain_estimator(learner, task, y).set_params(exclude=list(exclude) or None)
    if model.max_depth is None and model.max_leaf_nodes is None and model.min_samples_leaf == 1:
        model.set_params(max_depth=FAR_DEPTH)
        messages.info((f"depth    at most {FAR_DEPTH}  (--max-depth, --max-leaves, --min-leaf)", "dim"))
    names = {"sample_weight": outcome.weight, "counts": outcome.counts}
    about = {"source": data, **asdict(outcome), "exclude": list(exclude)}
    about = {name: value for name, value in about.items() if value not in (None, [])}
    progress = Progress(messages, "growing")
    try:
        with progress:
            model.fit(data, outcome.target, **names, progress=progress, engine=Files(memory))
    except KeyboardInterrupt as stopped:
        return _save_partial(stopped, path, about, messages)
    fitted = with_facts(model, about)
    _save(fitted, path)
    tree = fitted.tree_
    facts: dict[str, Any] = {"model": path, "task": tree.task, "target": outcome.target}
    facts |= {"rows": int(tree.n_rows[0]), "columns": len(tree.columns)}
    facts |= {key: tree.statistics()[key] for key in ("leaves", "depth", "nodes", "reading_size")}
    facts |= {"seconds": round(progress.seconds, 3), "training": {}}
    told = facts_answer(
        "fit/1", facts, lambda: [*tree_lines(tree, outcome.target), *summary_lines(facts, sys.stdout)]
    )
    if path is not None:
        print_answer(told, form)
    return DONE


def _fit(model: Any, rows: ModelRows, progress: Progress) -> tuple[Any, list[str]]:
    """The fitted model, and the warnings, which are printed when the bar is gone."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if rows.y is None:
            fitted = model.fit(rows.X, **rows.keywords())
        else:
            fitted = model.fit(rows.X, rows.y, **rows.keywords(), progress=progress)
    return fitted, [_as_options(" ".join(str(warning.message).split())) for warning in caught]


def _as_options(sentence: str) -> str:
    """A warning whose advice is an option instead of a parameter.

    >>> _as_options("leave them out: exclude=['id', 'first name']")
    "leave them out: --exclude id --exclude 'first name'"
    """

    def options(names: re.Match[str]) -> str:
        return " ".join(f"--exclude {shlex.quote(name)}" for name in ast.literal_eval(names[1]))

    return re.sub(r"exclude=(\[.+\])", options, sentence)


def _chosen_model(model: Any, messages: Messages) -> Any:
    """The ordinary estimator that an automatic one chose, after a line that says why."""
    account = getattr(model, "account_", None)
    if account is None:
        return model
    messages.sentence("chosen   ", account.headline())
    for sentence in account.left_out_lines():
        messages.sentence(" " * 9, sentence)
    if account.against():
        messages.detail((f"against  {account.against().removeprefix(', against ')}", "dim"))
    return model.model_


def _report_task(
    target: str | None, task: Task, rows: ModelRows, learner: LearnerOptions, messages: Messages
) -> None:
    if target is None or task == Task.SURVIVAL:
        what = "none: a density tree" if target is None else f"{target}: survival times"
        messages.info((f"target   {what}", "dim"))
        return
    real = task == Task.REAL
    what, other = ("numbers", "classify") if real else (f"{len(rows.y.unique())} classes", "regress")
    numeric = not str(rows.y.type).startswith(("dictionary", "string", "bool"))
    guessed = f"  (guessed; --task {other} for the other)" if numeric and learner.task is None else ""
    messages.info(("target   ", "dim"), target, (f": {what}{guessed}", "dim"))


def _output_path(data: str, output: str | None) -> str | None:
    """The file to save to, None for stdout."""
    if output == "-":
        return None
    if output is not None:
        return output
    if data == "-":
        raise click.UsageError("a table from stdin has no name: say where to save the model with -o FILE")
    name = data.removeprefix("demo:") if data.startswith("demo:") else Path(data).name
    if not data.startswith("demo:") and name != source_name(data):  # a pipe without a name, /dev/fd/63
        name = "model"
    return name.split(".")[0] + ENDING


def _save(model: Any, path: str | None) -> None:
    import hornbeam as hb

    saved = getattr(model, "tree_", model) if type(model).__name__ == "TreeDensity" else model
    if path is not None:
        hb.save(saved, path)
        return
    with tempfile.TemporaryDirectory() as folder:
        sys.stdout.write(hb.save(saved, Path(folder) / "model.tree.json").read_text(encoding="utf-8"))


def _save_partial(stopped: BaseException, path: str | None, about: dict[str, Any], messages: Messages) -> int:
    """Save the tree that an interrupted growth has so far, if it has one."""
    import hornbeam as hb

    tree = getattr(stopped, "tree", None)
    if tree is None or path is None:
        raise stopped
    partial = f"{path.removesuffix(ENDING).removesuffix('.json')}.partial{ENDING}"
    hb.save(with_facts(tree, about), partial)
    messages.warn(f"interrupted: the tree so far, {tree.n_leaves} leaves, is saved as {partial}")
    return INTERRUPTED


def _count_kinds(data: Any) -> dict[str, int]:
    """How many columns of each kind an Arrow table has."""
    import pyarrow.types as pt

    from hornbeam.data.guesses import is_number

    n_dates = sum(pt.is_temporal(field.type) for field in data.schema)
    n_numbers = sum(is_number(field.type) for field in data.schema)
    counts = {"numeric": n_numbers, "nominal": data.num_columns - n_numbers - n_dates, "date": n_dates}
    return {kind: n for kind, n in counts.items() if n}
