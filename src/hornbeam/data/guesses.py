"""What is guessed of a table where nobody says it: whether classes or numbers are to be learned, and which
columns only name the rows. Whoever guesses says so, and can be overruled.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
import pyarrow.compute as pc
import pyarrow.types as pt

from hornbeam._base.types import Task
from hornbeam.data.suspicious_columns import suspicious_columns
from hornbeam.data.table import Table
from hornbeam.data.target import Target

_MOST_CLASSES = 20  # whole numbers with more different values are taken for amounts
_FEWEST_ROWS = 20  # from fewer rows, whole numbers are not taken for row numbers


def guess_task(y: Any) -> Task:
    """What is to be learned, by what the values of an Arrow column look like.

    >>> import pyarrow as pa
    >>> guess_task(pa.array(["a", "b"])), guess_task(pa.array([0.5, 1.5]))
    ('classes', 'real')
    """
    if not is_number(y.type):
        return Task.CLASSES
    distinct = pc.unique(y).drop_null()
    if pt.is_floating(y.type) and not bool(pc.all(pc.equal(pc.floor(distinct), distinct)).as_py()):
        return Task.REAL
    few = len(distinct) <= 2 or (len(distinct) <= _MOST_CLASSES and 5 * len(distinct) <= len(y))
    return Task.CLASSES if few and not pt.is_decimal(y.type) else Task.REAL


def is_number(kind: Any) -> bool:
    """Whether a type of Arrow is one of numbers."""
    return bool(pt.is_integer(kind) or pt.is_floating(kind) or pt.is_decimal(kind))


def identifiers(
    columns: Any, y: Any, task: Task, declared: Collection[str], weight: Any = None, counts: Any = None
) -> list[str]:
    """The columns of an Arrow table that only name rows; at least one column stays.

    Such columns are text whose values are all different, or nearly, and whole numbers that count the rows.
    Those that were `declared` are left as they are.
    """
    undeclared = [name for name in columns.column_names if name not in declared]
    text = [name for name in undeclared if _is_text(columns.column(name).type)]
    names = {name for name in undeclared if name not in text and _counts_rows(columns.column(name))}
    if text:
        encode = Target.classes_of if task == Task.CLASSES else Target.real_of
        y = np.zeros(columns.num_rows) if y is None else y
        suspects = suspicious_columns(Table.learn(columns.select(text)), encode(y, weight, counts))
        names.update(suspects.identifiers, suspects.near_identifiers)
    return [] if len(names) == columns.num_columns else [name for name in undeclared if name in names]


def _is_text(arrow_type: Any) -> bool:
    return bool(pt.is_string(arrow_type) or pt.is_large_string(arrow_type) or pt.is_dictionary(arrow_type))


def _counts_rows(column: Any) -> bool:
    return pt.is_integer(column.type) and len(column) >= _FEWEST_ROWS and _counts_up(column)


def _counts_up(column: Any) -> bool:
    """Whether a column is 0, 1, 2, ... or 1, 2, 3, ..."""
    values = column.combine_chunks()
    if values.null_count or values[0].as_py() not in (0, 1):
        return False
    return bool((np.diff(np.asarray(values).astype(np.int64)) == 1).all())
