"""Models opened from files, or a sentence about what stands there instead; the table each was learned from.

One idea: `fit` writes into the file where its rows came from and how they were read, so that a command that
needs rows can find them again; a table that is named takes their place. No row is ever in the file.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import click

from hornbeam._base.types import Task
from hornbeam.cli.exit_codes import Failure, column_hint, misfit, sentence_and_hint, suggest
from hornbeam.cli.inputs import (
    ModelRequest,
    ModelRows,
    OutcomeColumns,
    ReadOptions,
    bundled_counts,
    decoded,
    holds_model,
    read_source,
    reads_once,
    refuse_model,
    report_read,
    rows_with_target,
    source_name,
    split_rows,
    target_of,
)
from hornbeam.cli.terminal import Messages

KEY = "data"  # where a Tree's meta keeps it
TABLES = (
    ".csv",
    ".tsv",
    ".parquet",
    ".feather",
    ".arff",
    ".xlsx",
    ".mat",
    ".jsonl",
    ".names",
    ".data",
    ".gz",
)


@dataclass(frozen=True)
class OpenedModel:
    """A model of a file.

    Attributes
    ----------
    model : a fitted estimator, or a Tree
    tree : its Tree
    path : where it came from
    facts : what `fit` wrote about the table: source, target, weight, counts, reading, holdout, seed
    """

    model: Any
    tree: Any
    path: str
    facts: Mapping[str, Any]


def open_model(path: str, *, no_density: str = "", only_tree: bool = False) -> OpenedModel:
    """Read a model that `fit` or `hornbeam.save` wrote, or only its tree, which is quicker.

    `no_density` is the sentence by which a density tree is refused; without one it is opened, too.
    """
    import hornbeam as hb
    from hornbeam.io.load import load_tree

    model = (load_tree if only_tree else hb.load)(_check_path(path), edited=_accepts_edited())
    tree = getattr(model, "tree_", model)
    if no_density and tree.task.is_density:
        raise Failure(no_density)
    return OpenedModel(model, tree, path, facts_of(tree))


def _accepts_edited() -> bool:
    """Whether the option --edited of the program was given."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.find_root().params.get("edited"))


def is_model(path: str) -> bool:
    """Whether a name is that of a saved model: by what the file holds, or by its ending if there is none."""
    return holds_model(path) if Path(path).is_file() else path.endswith(".tree.json")


def facts_of(tree: Any) -> Mapping[str, Any]:
    """What `fit` wrote into a tree about its table."""
    facts = tree.meta.get(KEY)
    return facts if isinstance(facts, Mapping) else {}


def with_facts(model: Any, facts: Mapping[str, Any]) -> Any:
    """The same model, or Tree, with facts about its table."""
    from hornbeam.tree.tree import Tree

    tree = model if isinstance(model, Tree) else model.tree_
    described = tree.replace(meta={**tree.meta, KEY: dict(facts)})
    if isinstance(model, Tree):
        return described
    twin = copy.copy(model)
    twin.tree_ = described
    return twin


def rows_for(
    opened: OpenedModel, request: ModelRequest, messages: Messages
) -> tuple[ModelRows, ModelRows | None]:
    """Rows of the table that is named; else those the model was fitted on, and those held out from them."""
    if request.data is None:
        return training_rows(opened, messages)
    return named_rows(opened, request.data, request, messages), None


def named_rows(opened: OpenedModel, source: str, request: ModelRequest, messages: Messages) -> ModelRows:
    """Rows with outcomes of a table, read as a request about a model says."""
    reading, outcome = request.reading, request.outcome
    target = outcome.target or opened.facts.get("target") or declared_target(source, reading)
    same = opened.facts if source == opened.facts.get("source") else {}
    weight, counts = outcome.weight or same.get("weight"), outcome.counts or same.get("counts")
    event = outcome.event or opened.facts.get("event")
    data = read_like(opened, source, reading, messages, target, (weight, counts, event))
    if target not in data.column_names:
        raise misfit(
            f"column {target!r}, which the model predicts, not found in {source_name(source)}",
            suggest(target, data.column_names) or "name the column of the outcomes with --target COL",
        )
    counts = counts or (None if same else bundled_counts(data, source))
    rows = split_rows(data, source, OutcomeColumns(target, weight, counts, event))
    return rows_with_target(rows, target, messages)


def declared_target(source: str, reading: ReadOptions) -> str:
    """The target that a table names itself; raise, with its columns, where it names none."""
    import hornbeam as hb

    if reads_once(source):
        raise click.UsageError(f"which column of {source_name(source)} is the outcome? say --target COL")
    refuse_model(source)
    return target_of(None, hb.read_table(source, **reading.keywords()), source)


def read_pieces_like(
    opened: OpenedModel,
    source: str,
    reading: ReadOptions,
    target: str | None = None,
    numbers: Iterable[str | None] = (),
    rows: int = 65_536,
) -> Any:
    """The table of a file in pieces, its columns read as the model's were; `numbers` are further columns."""
    from hornbeam.data.columns import Column
    from hornbeam.data.files import batches
    from hornbeam.data.files.read import kinds_like
    from hornbeam.data.files.request import declarations
    from hornbeam.data.streams import is_pattern, paths_of

    refuse_model(source)
    tree, columns = opened.tree, list(opened.tree.columns)
    if target is not None:
        nominal = tree.task.is_classes
        columns.append(Column(target, "nominal", tree.classes) if nominal else Column(target, "numeric"))
    columns += [Column(name, "numeric") for name in numbers if name is not None]
    options = reading.keywords()
    like = kinds_like(columns)
    formats = opened.facts.get("formats", {})
    like |= {name: replace(like[name], format=form) for name, form in formats.items() if name in like}
    like |= declarations(options.pop("columns", None))
    paths = paths_of(source) if is_pattern(source) else [source]
    pieces = chain.from_iterable(batches(path, like, rows=rows, **options) for path in paths)
    return checked_pieces(pieces, tree, source)


def checked_pieces(pieces: Iterable[Any], tree: Any, source: str) -> Iterator[Any]:
    """The pieces, once the first one has shown that the columns of the model are there."""
    from hornbeam.data.files import TableError

    try:
        for k, piece in enumerate(pieces):
            if k == 0:
                _check_fits(tree.columns, piece.column_names, source)
            yield piece
    except TableError as fault:
        sentence, hint = sentence_and_hint(fault)
        if sentence.startswith("column "):  # it is read, but it is not what the model knows
            raise misfit(sentence, hint) from None
        raise


def _check_fits(columns: Any, names: list[str], source: str) -> None:
    """Raise, as data that do not fit, unless all columns of a model are there."""
    for column in columns:
        if column.name not in names:
            sentence = f"column {column.name!r} of the model not found in {source_name(source)}"
            raise misfit(sentence, column_hint(column.name, names))


def read_like(
    opened: OpenedModel,
    source: str,
    reading: ReadOptions,
    messages: Messages,
    target: str | None = None,
    numbers: Iterable[str | None] = (),
) -> Any:
    """The whole table of a file, its columns read as the model's were."""
    import pyarrow as pa

    pieces = list(read_pieces_like(opened, source, reading, target, numbers))
    if not pieces:
        raise Failure(f"{source_name(source)} has no rows")
    data = pa.concat_tables(pieces).unify_dictionaries()
    report_read(source, data, messages)
    return data


def training_rows(opened: OpenedModel, messages: Messages) -> tuple[ModelRows, ModelRows | None]:
    """The rows a model was fitted on, read again, and those that were held out."""
    facts = opened.facts
    if not facts.get("source") or facts["source"] == "-":
        raise click.UsageError(f"{opened.path} does not say where its rows are: name the table, too")
    try:
        options = facts.get("reading", {})
        reading = ReadOptions(**{**options, "missing": tuple(options.get("missing", ()))})
    except TypeError:
        raise Failure(f"what {opened.path} says about reading its table is damaged: name the table") from None
    source, target = facts["source"], facts.get("target")
    data = read_source(source, reading, messages).data
    _check_fits(opened.tree.columns, data.column_names, source)
    columns = (facts.get(name) for name in ("weight", "counts", "event"))
    rows = split_rows(data, source, OutcomeColumns(target, *columns))
    rows = rows_with_target(rows, target, messages) if target else rows
    return hold_out(rows, facts.get("holdout", 0.0), facts.get("seed", 0), opened.tree.task)


def hold_out(rows: ModelRows, holdout: float, seed: int, task: Task) -> tuple[ModelRows, ModelRows | None]:
    """Rows to learn from, and rows held out; the same for the same seed, whatever the order of the rows."""
    if not holdout:
        return rows, None
    from hornbeam.data.train_validation_test import train_validation_test

    is_column = rows.y is not None and task != Task.SURVIVAL
    y = decoded(rows.y).to_numpy(zero_copy_only=False) if is_column else None
    by = y if task == Task.CLASSES else None
    parts = train_validation_test(rows.X, y, (1 - holdout, 0.0, holdout), stratify=by, random_state=seed)
    if not len(parts.train.rows) or not len(parts.test.rows):
        raise Failure(
            f"--holdout {holdout} leaves no rows to learn from, or none to hold out: there are {rows.n_rows}"
        )
    return rows.take(parts.train.rows), rows.take(parts.test.rows)


def _check_path(path: str) -> Path:
    """The path of a model file, or a sentence about what stands there instead."""
    file = Path(path)
    if path.startswith("demo:") or (file.is_file() and file.suffix.lower() in TABLES):
        raise Failure(f"{path} is a table, not a model", f"learn one from it: hornbeam fit {path}")
    if not file.exists():
        near = sorted(entry.name for entry in Path().glob("*.tree.json"))
        here = f"models in this folder: {', '.join(near[:6])}"
        other = here if near else "hornbeam fit DATA -o NAME.tree.json makes one"
        raise Failure(f"there is no model {path!r}", suggest(path, near) or other)
    return file
