"""The rows that a studio learns from and those it holds out, by its settings; and the first settings of a
table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hornbeam._base.parameters import did_you_mean
from hornbeam._base.types import Longs, Task
from hornbeam.data.files import TableFile
from hornbeam.data.guesses import guess_task, identifiers
from hornbeam.data.train_validation_test import rows_of_parts
from hornbeam.studio.settings import FEW_ROWS, Settings


@dataclass(frozen=True, eq=False)
class SomeRows:
    """Some rows of a table, as `fit` takes them, and their positions in it."""

    X: Any
    y: Any
    weight: Any
    counts: Any
    positions: Longs

    def take(self, rows: Longs) -> SomeRows:
        """Some of them."""
        return SomeRows(
            self.X.take(rows),
            self.y.take(rows),
            None if self.weight is None else self.weight[rows],
            None if self.counts is None else self.counts[rows],
            self.positions[rows],
        )

    def as_tuple(self) -> tuple[Any, Any, Any, Any]:
        """X, y, weights and counts."""
        return self.X, self.y, self.weight, self.counts

    def __len__(self) -> int:
        return len(self.positions)


@dataclass(frozen=True, eq=False)
class PartedRows:
    """The rows with a known outcome, those to learn from and those held out, and what is learned."""

    task: Task
    training: SomeRows
    held_out: SomeRows | None

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes of the training rows, () for numbers."""
        return () if self.task == Task.REAL else tuple(plain_column(self.training.y).unique().to_pylist())


def part_rows(sheet: TableFile, settings: Settings) -> PartedRows:
    """Part the rows of a table as its settings say."""
    check_columns(sheet, settings)
    assert settings.target is not None
    X, y, weight, counts = sheet.split(settings.target, weight=settings.weight, counts=settings.counts)
    known = SomeRows(X, y, weight, counts, np.arange(len(y)))
    if y.null_count == len(y):
        raise ValueError(f"the target {settings.target!r} is missing in every row: choose another")
    if y.null_count:
        known = known.take(np.flatnonzero(np.asarray(pc.is_valid(y))))
    if set(X.column_names) <= set(settings.exclude):
        raise ValueError("exclude leaves out every column: keep one at least to learn from")
    task = guess_task(known.y) if settings.task is None else Task(settings.task)
    if not settings.held_out:
        return PartedRows(task, known, None)
    outcomes = plain_column(known.y).to_numpy(zero_copy_only=False)
    shares = (1 - settings.held_out, 0.0, settings.held_out)
    by_class = outcomes if task == Task.CLASSES else None
    training, _, held_out = rows_of_parts(
        known.X, outcomes, shares, stratify=by_class, random_state=settings.seed
    )
    if not len(training) or not len(held_out):
        raise ValueError(
            f"held_out={settings.held_out} leaves no rows to learn from, or none to hold out: there are"
            f" {len(known)}"
        )
    return PartedRows(task, known.take(training), known.take(held_out))


def check_columns(sheet: TableFile, settings: Settings) -> None:
    """Raise if a setting names a column that the table has not."""
    names = sheet.data.column_names
    if settings.target is None:
        raise ValueError("no column is chosen to be predicted yet: set the target first")
    for setting in ("target", "weight", "counts", "exclude", "prices", "monotone", "kinds"):
        value = getattr(settings, setting)
        for name in [value] if isinstance(value, str) else list(value or ()):
            if name not in names:
                shown = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
                raise ValueError(
                    f"{setting} names {name!r}, which is no column{did_you_mean(name, names)}: columns are"
                    f" {shown}"
                )


def plain_column(column: Any) -> Any:
    """An Arrow column with text instead of a dictionary of text."""
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def first_settings(sheet: TableFile, given: Mapping[str, Any], *, is_demo: bool) -> Settings:
    """The settings a table is opened with: what is given, and guesses for the rest.

    Columns that only name rows are left out; of a table of a few rows none are held out; a table of nothing
    but categories is learned as the lectures do it.
    """
    settings = Settings().changed(given)
    if settings.target is None and sheet.target_hint:
        settings = settings.changed({"target": sheet.target_hint})
    if is_demo and "count" in sheet.data.column_names and settings.counts is None:
        settings = settings.changed({"counts": "count"})
    if "held_out" not in given and sheet.data.num_rows >= FEW_ROWS:
        settings = settings.changed({"held_out": 0.25})
    return settings if settings.target is None else with_guesses(sheet, settings, given)


def with_guesses(sheet: TableFile, settings: Settings, given: Mapping[str, Any]) -> Settings:
    """The settings with what a chosen target lets one guess: columns to leave out, the recipe."""
    check_columns(sheet, settings)
    rows = part_rows(sheet, settings.changed({"held_out": 0.0}))
    X, y, weight, counts = rows.training.as_tuple()
    if "exclude" not in given:
        left_out = identifiers(X, y, rows.task, settings.kinds, weight, counts)
        settings = settings.changed({"exclude": left_out})
    if "recipe" not in given and settings.recipe is None:
        inputs = [field.type for field in X.schema if field.name not in settings.exclude]
        categories = all(pa.types.is_dictionary(kind) or pa.types.is_boolean(kind) for kind in inputs)
        lecture = categories and rows.task == Task.CLASSES and len(X) < FEW_ROWS
        settings = settings.changed({"recipe": "id3" if lecture else None})
    return settings.changed({"task": rows.task.value}) if settings.task is None else settings
