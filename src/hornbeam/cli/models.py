"""Opening a model, with what is known of the table it was learned from.

One idea: `fit` writes into the file where its rows came from and how they were read, so that a command that
needs rows can find them again; a table that is named takes their place. No row is ever in the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from hornbeam.cli.exit_codes import Failure, meant, misfit, sentences
from hornbeam.cli.model_rows import Rows, decoded, known_rows, own_counts, split_rows, target_of
from hornbeam.cli.options import Outcome
from hornbeam.cli.table_options import (
    Reading,
    check_fits,
    holds_model,
    name_of,
    read_sheet,
    reads_once,
    refuse_model,
    say_read,
)
from hornbeam.cli.terminal import Talk

KEY = "data"  # where a Tree's meta keeps it
TABLES = (".csv", ".tsv", ".parquet", ".feather", ".arff", ".xlsx", ".jsonl", ".names", ".data", ".gz")


@dataclass(frozen=True)
class Opened:
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


def open_model(path: str) -> Opened:
    """Read a model that `fit` or `hornbeam.save` wrote."""
    import hornbeam as hb

    model = hb.load(_checked(path))
    tree = getattr(model, "tree_", model)
    return Opened(model, tree, path, facts_of(tree))


def open_tree(path: str) -> Opened:
    """Read only the tree of a model, which is quicker."""
    from hornbeam.io.load import load_tree

    tree = load_tree(_checked(path))
    return Opened(tree, tree, path, facts_of(tree))


def is_model(path: str) -> bool:
    """Whether a name is that of a saved model: by what the file holds, or by its ending if there is none."""
    return holds_model(path) if Path(path).is_file() else path.endswith(".tree.json")


def facts_of(tree: Any) -> Mapping[str, Any]:
    """What a tree remembers of its table."""
    found = tree.meta.get(KEY)
    return found if isinstance(found, Mapping) else {}


def remembering(model: Any, facts: Mapping[str, Any]) -> Any:
    """The same model, or Tree, with facts about its table."""
    import copy

    from hornbeam.tree.tree import Tree

    tree = model if isinstance(model, Tree) else model.tree_
    told = tree.replace(meta={**tree.meta, KEY: dict(facts)})
    if isinstance(model, Tree):
        return told
    found = copy.copy(model)
    found.tree_ = told
    return found


def rows_for(
    opened: Opened,
    source: str | None,
    reading: Reading,
    talk: Talk,
    outcome: Outcome,
) -> Rows:
    """Rows with outcomes for a model: of a table that is named, or those it was fitted on."""
    if source is None:
        return training_rows(opened, talk)[0]
    found = outcome.target or opened.facts.get("target") or declared_target(source, reading)
    same = opened.facts if source == opened.facts.get("source") else {}
    weight, counts = outcome.weight or same.get("weight"), outcome.counts or same.get("counts")
    data = read_like(opened, source, reading, talk, found, (weight, counts))
    if found not in data.column_names:
        raise misfit(
            f"column {found!r}, which the model predicts, not found in {name_of(source)}",
            meant(found, data.column_names) or "name the column of the outcomes with --target COL",
        )
    counts = counts or (None if same else own_counts(data, source))
    return known_rows(split_rows(data, source, found, weight, counts), found, talk)


def declared_target(source: str, reading: Reading) -> str:
    """The outcome a table names itself; its columns are told where it names none."""
    import hornbeam as hb

    if reads_once(source):
        raise click.UsageError(f"which column of {name_of(source)} is the outcome? say --target COL")
    refuse_model(source)
    return target_of(None, hb.read_table(source, **reading.keywords()), source)


def pieces_like(
    opened: Opened,
    source: str,
    reading: Reading,
    target: str | None = None,
    numbers: Iterable[str | None] = (),
    rows: int = 65_536,
) -> Any:
    """The table of a file in pieces, its columns read as the model's were; `numbers` are further columns."""
    from hornbeam.data.columns import Column
    from hornbeam.data.files import batches
    from hornbeam.data.files.batches import kinds_like
    from hornbeam.data.files.declared_columns import declarations

    refuse_model(source)
    tree, columns = opened.tree, list(opened.tree.columns)
    if target is not None:
        nominal = tree.task == "classes"
        columns.append(Column(target, "nominal", tree.classes) if nominal else Column(target, "numeric"))
    columns += [Column(name, "numeric") for name in numbers if name is not None]
    options = reading.keywords()
    like = kinds_like(columns) | declarations(options.pop("columns", None))
    return checked_pieces(batches(source, like, rows=rows, **options), tree, source)


def checked_pieces(pieces: Iterable[Any], tree: Any, source: str) -> Iterator[Any]:
    """The pieces, once the first one has shown that the columns of the model are there."""
    from hornbeam.data.files import TableError

    try:
        for k, piece in enumerate(pieces):
            if k == 0:
                check_fits(tree.columns, piece.column_names, source)
            yield piece
    except TableError as fault:
        said, hint = sentences(fault)
        if said.startswith("column "):  # it is read, but it is not what the model knows
            raise misfit(said, hint) from None
        raise


def read_like(
    opened: Opened,
    source: str,
    reading: Reading,
    talk: Talk,
    target: str | None = None,
    numbers: Iterable[str | None] = (),
) -> Any:
    """The whole table of a file, its columns read as the model's were."""
    import pyarrow as pa

    found = list(pieces_like(opened, source, reading, target, numbers))
    if not found:
        raise Failure(f"{name_of(source)} has no rows")
    data = pa.concat_tables(found).unify_dictionaries()
    say_read(source, data, talk)
    return data


def training_rows(opened: Opened, talk: Talk) -> tuple[Rows, Rows | None]:
    """The rows a model was fitted on, read again, and those that were held out."""
    facts = opened.facts
    if not facts.get("source") or facts["source"] == "-":
        raise click.UsageError(f"{opened.path} does not say where its rows are: name the table, too")
    try:
        reading = Reading(
            **{**facts.get("reading", {}), "missing": tuple(facts.get("reading", {}).get("missing", ()))}
        )
    except TypeError:
        raise Failure(f"what {opened.path} says about reading its table is damaged: name the table") from None
    source, target = facts["source"], facts.get("target")
    data = read_sheet(source, reading, talk).data
    check_fits(opened.tree.columns, data.column_names, source)
    rows = split_rows(data, source, target, facts.get("weight"), facts.get("counts"))
    rows = known_rows(rows, target, talk) if target else rows
    return part(rows, facts.get("holdout", 0.0), facts.get("seed", 0), opened.tree.task)


def part(rows: Rows, holdout: float, seed: int, task: str) -> tuple[Rows, Rows | None]:
    """Rows to learn from, and rows held out; the same for the same seed, whatever the order of the rows."""
    if not holdout:
        return rows, None
    from hornbeam.data.train_validation_test import train_validation_test

    y = None if rows.y is None else decoded(rows.y).to_numpy(zero_copy_only=False)
    by = y if task == "classes" else None
    parts = train_validation_test(rows.X, y, (1 - holdout, 0.0, holdout), stratify=by, random_state=seed)
    if not len(parts.train.rows) or not len(parts.test.rows):
        raise Failure(
            f"--holdout {holdout} leaves no rows to learn from, or none to hold out: there are {rows.n_rows}"
        )
    return rows.take(parts.train.rows), rows.take(parts.test.rows)


def _checked(path: str) -> Path:
    """The path of a model file, or a sentence about what stands there instead."""
    found = Path(path)
    if path.startswith("demo:") or (found.is_file() and found.suffix.lower() in TABLES):
        raise Failure(f"{path} is a table, not a model", f"learn one from it: hornbeam fit {path}")
    if not found.exists():
        near = sorted(entry.name for entry in Path().glob("*.tree.json"))
        here = f"models in this folder: {', '.join(near[:6])}"
        other = here if near else "hornbeam fit DATA -o NAME.tree.json makes one"
        raise Failure(f"there is no model {path!r}", meant(path, near) or other)
    return found
