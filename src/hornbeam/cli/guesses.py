"""What commands guess of a table: whether classes or numbers are to be learned, which columns only name rows.

Every guess is reported, and an option overrides it: --task, and --columns for a column that is to stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hornbeam._base.types import Task
from hornbeam.cli.estimator_options import TASKS
from hornbeam.cli.inputs import ModelRows

_MOST_CLASSES = 20  # whole numbers with more different values are taken for amounts
_FEWEST_ROWS = 20  # from fewer rows, whole numbers are not taken for row numbers


def task_of(option: str | None, y: Any) -> Task:
    """What is to be learned: that of the option, or what the values look like."""
    if option is not None:
        return TASKS[option]
    import pyarrow.compute as pc
    import pyarrow.types as pt

    if not is_number(y.type):
        return Task.CLASSES
    distinct = pc.unique(y).drop_null()
    if pt.is_floating(y.type) and not bool(pc.all(pc.equal(pc.floor(distinct), distinct)).as_py()):
        return Task.REAL
    few = len(distinct) <= 2 or (len(distinct) <= _MOST_CLASSES and 5 * len(distinct) <= len(y))
    return Task.CLASSES if few and not pt.is_decimal(y.type) else Task.REAL


def is_number(kind: Any) -> bool:
    """Whether a type of Arrow is one of numbers."""
    import pyarrow.types as pt

    return bool(pt.is_integer(kind) or pt.is_floating(kind) or pt.is_decimal(kind))


def identifiers(rows: ModelRows, task: Task, declared: str | None, exclude: Sequence[str] = ()) -> list[str]:
    """The columns that only name rows, beside those of `exclude`; at least one column stays.

    Such columns are text whose values are all different, or nearly, and whole numbers that count the rows.
    Those that --columns declares are left as they are.
    """
    import numpy as np

    from hornbeam.data.files.request import declarations
    from hornbeam.data.suspicious_columns import suspicious_columns
    from hornbeam.data.table import Table
    from hornbeam.data.target import Target

    columns = rows.X.drop_columns([name for name in exclude if name in rows.X.column_names])
    undeclared = [name for name in columns.column_names if name not in declarations(declared)]
    text = [name for name in undeclared if _is_text(columns.column(name).type)]
    names = {name for name in undeclared if name not in text and _counts_rows(columns.column(name))}
    if text:
        encode = Target.classes_of if task == Task.CLASSES else Target.real_of
        y = np.zeros(rows.n_rows) if rows.y is None else rows.y
        suspects = suspicious_columns(Table.learn(columns.select(text)), encode(y, rows.weight, rows.counts))
        names.update(suspects.identifiers, suspects.near_identifiers)
    return [] if len(names) == columns.num_columns else [name for name in undeclared if name in names]


def ignored_words(names: Sequence[str]) -> str:
    """What is printed about columns that only name rows."""
    return f"ignored as ids or free text: {', '.join(names)}" if names else ""


def _is_text(arrow_type: Any) -> bool:
    import pyarrow.types as pt

    return bool(pt.is_string(arrow_type) or pt.is_large_string(arrow_type) or pt.is_dictionary(arrow_type))


def _counts_rows(column: Any) -> bool:
    import pyarrow.types as pt

    return pt.is_integer(column.type) and len(column) >= _FEWEST_ROWS and _counts_up(column)


def _counts_up(column: Any) -> bool:
    """Whether a column is 0, 1, 2, ... or 1, 2, 3, ..."""
    import numpy as np

    values = column.combine_chunks()
    if values.null_count or values[0].as_py() not in (0, 1):
        return False
    return bool((np.diff(np.asarray(values).astype(np.int64)) == 1).all())
