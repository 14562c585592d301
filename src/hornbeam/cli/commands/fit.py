"""`hornbeam fit`: a table to a saved model."""

from __future__ import annotations

import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any, TextIO

import click

from hornbeam.cli.estimator_options import Wish, estimator_of, learns
from hornbeam.cli.exit_codes import INTERRUPTED
from hornbeam.cli.help_pages import command as make_command
from hornbeam.cli.model_loss import error_words, judged
from hornbeam.cli.model_rows import (
    Rows,
    known_rows,
    naming_columns,
    own_counts,
    split_rows,
    target_of,
    task_of,
)
from hornbeam.cli.models import part, remembering
from hornbeam.cli.options import Outcome, outcomes
from hornbeam.cli.output import facts, formatted, give
from hornbeam.cli.progress_bar import Progress
from hornbeam.cli.table_options import Reading, kinds_of, name_of, read_sheet, reads, reads_once
from hornbeam.cli.terminal import Talk, lines_of
from hornbeam.cli.text_tables import size_words

ENDING = ".tree.json"


@make_command(
    "fit",
    "hornbeam fit demo:tennis",
    "hornbeam fit demo:tennis --recipe id3 --max-depth 2 -o small.tree.json",
    "hornbeam fit demo:hours --target Hours --task regress --pruning none --min-leaf 2",
)
@click.argument("data")
@outcomes
@click.option("--drop", multiple=True, metavar="COL", help="Column to leave out; may be repeated.")
@click.option(
    "-o", "--output", metavar="FILE", help="Where to save the model; - is stdout.  [default: DATA.tree.json]"
)
@click.option(
    "--holdout",
    type=click.FloatRange(0, 1, max_open=True),
    default=0.0,
    metavar="SHARE",
    help="Share of the rows to hold out and judge by.",
)
@learns
@reads
@formatted
def command(
    talk: Talk,
    data: str,
    outcome: Outcome,
    drop: tuple[str, ...],
    output: str | None,
    holdout: float,
    wish: Wish,
    reading: Reading,
    form: str,
) -> int:
    """Learn a tree from DATA and save it.

    DATA is a file (csv, tsv, parquet, arff, json, xlsx, ...; gzip is fine), - for stdin, or demo:NAME for a
    bundled table. Columns that only name the rows are left out unless --columns says what they are. Ctrl-C
    saves the tree so far as NAME.partial.tree.json.
    """
    path = _output(data, output)
    sheet = read_sheet(data, reading, talk)
    task = "density" if wish.task == "density" else ""
    goal = None if task else target_of(outcome.target, sheet, data)
    copies = outcome.counts or own_counts(sheet.data, data)
    rows = split_rows(sheet.data, data, goal, outcome.weight, copies, drop)
    if goal is not None:
        rows = known_rows(rows, goal, talk)
        task = task_of(wish.task, rows.y)
    rows = _without_names(rows, reading, talk)
    model = estimator_of(wish, task)
    _say_task(goal, task, rows, wish, talk)
    learned, held = part(rows, holdout, wish.seed, task)
    source = "-" if reads_once(data) else data  # of a pipe nothing can be read again
    about: dict[str, Any] = {"source": source, "target": goal, "weight": outcome.weight, "counts": copies}
    about |= {"reading": reading.given(), "holdout": holdout, "seed": wish.seed}
    about = {name: value for name, value in about.items() if value not in (None, {}, 0.0)}
    progress = Progress(talk, "growing")
    try:
        with progress:
            fitted, warned = _fitted(model, learned, progress)
    except KeyboardInterrupt as stopped:
        return _saved_partly(stopped, path, about, talk)
    for sentence in warned:
        talk.warn(sentence)
    fitted = remembering(_chosen(fitted, talk), about)
    _save(fitted, path)
    shown = _summary(fitted, learned, held, goal, path, progress.seconds)
    if path is None:
        talk.say("\n".join(_lines(shown, sys.stderr)))
        return 0
    give(facts("fit/1", shown, lambda: _lines(shown, sys.stdout)), form)
    sys.stdout.flush()  # before the last line of the talk
    after = [("next: ", "dim"), f"hornbeam show {path}", (" · ", "dim"), f"hornbeam evaluate {path}"]
    talk.say("\n".join(lines_of(sys.stderr, [[(f"saved {path}", "dim")], after], "    ")))
    return 0


def _fitted(model: Any, rows: Rows, progress: Progress) -> tuple[Any, list[str]]:
    """The fitted model, and what was warned of; it is said when the bar is gone."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if rows.y is None:
            fitted = model.fit(rows.X, **rows.keywords())
        else:
            fitted = model.fit(rows.X, rows.y, **rows.keywords(), progress=progress)
    return fitted, [" ".join(str(warning.message).split()) for warning in caught]


def _chosen(model: Any, talk: Talk) -> Any:
    """The ordinary estimator that an automatic one chose, after a line that says why."""
    account = getattr(model, "account_", None)
    if account is None:
        return model
    said, _, others = str(account).splitlines()[0].removeprefix("chose ").partition(", against ")
    if account.loss is not None:
        what, _, value = said.rpartition(": ")
        said = f"{what}: {'accuracy' if account.measure == 'error' else 'RMSE'} {value} on rows held out"
    talk.say((f"chosen   {said}", "dim"))
    if others:
        talk.detail((f"against  {others}", "dim"))
    return model.model_


def _without_names(rows: Rows, reading: Reading, talk: Talk) -> Rows:
    """The rows without columns that only name them, and a line about what is left."""
    naming = naming_columns(rows.X, reading.columns)
    X = rows.X.drop_columns(naming) if naming and len(naming) < rows.X.num_columns else rows.X
    if X is rows.X:
        naming = []
    kinds = ", ".join(f"{n} {kind}" for kind, n in kinds_of(X).items())
    ignored = f"; ignored as ids or free text: {', '.join(naming)}" if naming else ""
    talk.say((f"columns  {kinds}{ignored}", "dim"))
    return Rows(X, rows.y, rows.weight, rows.counts)


def _say_task(goal: str | None, task: str, rows: Rows, wish: Wish, talk: Talk) -> None:
    if goal is None:
        talk.say(("target   none: a density tree", "dim"))
        return
    if task == "real":
        what, other = "numbers", "classify"
    else:
        what, other = f"{len(rows.y.unique())} classes", "regress"
    numeric = not str(rows.y.type).startswith(("dictionary", "string", "bool"))
    guessed = f"  (guessed; --task {other} for the other)" if numeric and wish.task is None else ""
    talk.say(("target   ", "dim"), goal, (f": {what}{guessed}", "dim"))


def _output(data: str, output: str | None) -> str | None:
    """The file to save to, None for stdout."""
    if output == "-":
        return None
    if output is not None:
        return output
    if data == "-":
        raise click.UsageError("a table from stdin has no name: say where to save the model with -o FILE")
    name = data.removeprefix("demo:") if data.startswith("demo:") else Path(data).name
    if not data.startswith("demo:") and name != name_of(data):  # a pipe without a name, /dev/fd/63
        name = "model"
    return name.split(".")[0] + ENDING


def _save(model: Any, path: str | None) -> None:
    import hornbeam as hb

    held = getattr(model, "tree_", model) if type(model).__name__ == "TreeDensity" else model
    if path is not None:
        hb.save(held, path)
        return
    with tempfile.TemporaryDirectory() as folder:
        sys.stdout.write(hb.save(held, Path(folder) / "model.tree.json").read_text(encoding="utf-8"))


def _saved_partly(stopped: BaseException, path: str | None, about: dict[str, Any], talk: Talk) -> int:
    tree = getattr(stopped, "tree", None)
    if tree is None or path is None:
        raise stopped
    stem = path.removesuffix(ENDING).removesuffix(".json")
    partial = f"{stem}.partial{ENDING}"
    import hornbeam as hb

    hb.save(remembering(tree, about), partial)
    talk.warn(f"interrupted: the tree so far, {tree.n_leaves} leaves, is saved as {partial}")
    return INTERRUPTED


def _summary(
    model: Any, learned: Rows, held: Rows | None, goal: str | None, path: str | None, seconds: float
) -> dict[str, Any]:
    tree = model.tree_
    size = tree.statistics()
    found: dict[str, Any] = {"model": path, "task": tree.task, "target": goal, "rows": learned.n_rows}
    found |= {
        "columns": len(tree.columns),
        "leaves": size["leaves"],
        "depth": size["depth"],
        "nodes": size["nodes"],
    }
    found |= {"seconds": round(seconds, 3), "training": judged(model, learned)}
    if held is not None:
        found |= {"held_out_rows": held.n_rows, "held_out": judged(model, held)}
    return found


def _lines(shown: dict[str, Any], stream: TextIO) -> list[str]:
    """The answer for people: one line if the terminal is wide enough."""
    groups: list[list[Any]] = [[("✓ ", "good"), *size_words(shown)]]
    for name, key in (("training", "training"), ("held-out", "held_out")):
        if key in shown:
            groups.append(error_words(name, shown[key], interval=key == "held_out"))
    return lines_of(stream, groups)
