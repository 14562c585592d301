"""Rows: what a model learns from or is judged by, taken from a table by what its columns are for.

One idea: what is guessed (the target, the task, columns that only name rows) is guessed here and said by the
command; an option overrides each guess.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import click

from hornbeam.cli.estimator_options import TASKS
from hornbeam.cli.exit_codes import Failure, listed
from hornbeam.cli.table_options import check_column, name_of
from hornbeam.cli.terminal import Talk

_MOST_CLASSES = 20  # whole numbers with more different values are taken for amounts
_FEWEST_ROWS = 20  # from fewer rows, no column is taken for an identifier


@dataclass(frozen=True)
class Rows:
    """What a model is fitted on or judged by, in the words of `fit`."""

    X: Any
    y: Any
    weight: Any = None
    counts: Any = None

    def keywords(self) -> dict[str, Any]:
        """Weights and counts, those there are, as `fit` takes them."""
        found = {"sample_weight": self.weight, "counts": self.counts}
        return {name: value for name, value in found.items() if value is not None}

    @property
    def n_rows(self) -> int:
        """Rows as written."""
        return int(self.X.num_rows)

    def take(self, rows: Any) -> Rows:
        """Some of the rows, by an Arrow or numpy array of their positions."""
        import numpy as np

        arrow = [None if part is None else part.take(rows) for part in (self.X, self.y)]
        numpy = [None if part is None else part[np.asarray(rows)] for part in (self.weight, self.counts)]
        return Rows(*arrow, *numpy)


def split_rows(
    data: Any,
    source: str,
    target: str | None,
    weight: str | None,
    counts: str | None,
    drop: Sequence[str] = (),
) -> Rows:
    """The columns of an Arrow table by what they are for."""
    from hornbeam.data.files import Sheet

    for name in (target, weight, counts, *drop):
        if name is not None:
            check_column(name, data, source)
    X, y, weights, copies = Sheet(data, {}).split(target, drop=tuple(drop), weight=weight, counts=counts)
    if X.num_columns == 0:
        raise Failure(f"{name_of(source)} has no column left to learn from")
    return Rows(X, y, weights, copies)


def own_counts(data: Any, source: str) -> str | None:
    """A bundled table says itself how often its rows stand for themselves."""
    return "count" if source.startswith("demo:") and "count" in data.column_names else None


def target_of(asked: str | None, sheet: Any, source: str) -> str:
    """The column to predict: what is asked for, or what the file itself names."""
    if asked is not None:
        return asked
    if sheet.target_hint:
        return str(sheet.target_hint)
    fault = click.UsageError(f"which column of {name_of(source)} is to be predicted? say --target COL")
    fault.hint = f"its columns are {listed(sheet.data.column_names)}"  # type: ignore[attr-defined]
    raise fault


def known_rows(rows: Rows, target: str, talk: Talk) -> Rows:
    """The rows whose outcome is known."""
    unknown = rows.y.null_count
    if not unknown:
        return rows
    if unknown == len(rows.y):
        raise Failure(f"the target {target!r} is missing in every row")
    import pyarrow.compute as pc

    talk.warn(f"the target {target!r} is missing in {unknown} of {len(rows.y)} rows, which are left out")
    return rows.take(pc.indices_nonzero(pc.is_valid(rows.y)))


def task_of(asked: str | None, y: Any) -> str:
    """What is to be learned: what is asked for, or what the values look like."""
    if asked is not None:
        return TASKS[asked]
    import pyarrow.compute as pc
    import pyarrow.types as pt

    if not (pt.is_integer(y.type) or pt.is_floating(y.type) or pt.is_decimal(y.type)):
        return "classes"
    distinct = pc.unique(y).drop_null()
    if pt.is_floating(y.type) and not bool(pc.all(pc.equal(pc.floor(distinct), distinct)).as_py()):
        return "real"
    few = len(distinct) <= 2 or (len(distinct) <= _MOST_CLASSES and 5 * len(distinct) <= len(y))
    return "classes" if few and not pt.is_decimal(y.type) else "real"


def naming_columns(X: Any, declared: str | None) -> list[str]:
    """Columns that only name rows: text that hardly repeats, whole numbers that count the rows.

    What --columns speaks of is left as it is.
    """
    import pyarrow.compute as pc
    import pyarrow.types as pt

    from hornbeam.data.files.declared_columns import declarations

    if X.num_rows < _FEWEST_ROWS:
        return []
    spoken_of = declarations(declared)
    found = []
    for name in X.column_names:
        column = X.column(name)
        known = len(column) - column.null_count
        if known < _FEWEST_ROWS or name in spoken_of:
            continue
        distinct = pc.count_distinct(decoded(column)).as_py()
        if pt.is_integer(column.type):
            counts_rows = distinct == known and _counts_up(column)
        else:
            counts_rows = _is_text(column.type) and 2 * distinct > known
        if counts_rows:
            found.append(name)
    return found


def _counts_up(column: Any) -> bool:
    """Whether a column is 0, 1, 2, ... or 1, 2, 3, ..."""
    import numpy as np

    values = column.combine_chunks()
    if values.null_count or values[0].as_py() not in (0, 1):
        return False
    return bool((np.diff(np.asarray(values).astype(np.int64)) == 1).all())


def _is_text(kind: Any) -> bool:
    import pyarrow.types as pt

    return bool(pt.is_string(kind) or pt.is_large_string(kind) or pt.is_dictionary(kind))


def decoded(column: Any) -> Any:
    """A column with text instead of a dictionary of text."""
    import pyarrow.types as pt

    return column.cast(column.type.value_type) if pt.is_dictionary(column.type) else column
