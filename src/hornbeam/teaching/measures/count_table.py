"""Tabulating: two columns to a table of counts, branches x classes, from which every gain follows.

    x     circle  square  circle  square            ally  enemy
    y     ally    enemy   enemy   enemy    circle      1      1
                                           square      0      2

One idea: a split is nothing but such a table. Whoever has the table passes it, whoever has columns passes
those, and both get the same number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hornbeam._base.types import Floats, Longs
from hornbeam.data.cells import read_cells
from hornbeam.data.encoding import learn_nominal
from hornbeam.data.formatting import MISSING_TEXT
from hornbeam.data.measure_checks import as_floats, non_negative, row_weight
from hornbeam.data.target import Target

_MEANING = "the counts or probabilities of the classes (columns) in the branches (rows)"


@dataclass(frozen=True, eq=False)
class Tabulation:
    """A table of counts with the names of its rows and columns.

    Attributes
    ----------
    counts : array of floats, branches x classes
    branches : tuple
        The values of x in sorted order (declared order for categories), then "Missing" if x has gaps.
    classes : tuple
        The classes of y in class order.
    """

    counts: Floats
    branches: tuple[Any, ...]
    classes: tuple[Any, ...]


def tabulate(
    x: Any, y: Any, *, sample_weight: Any = None, counts: Any = None, missing: str = "value"
) -> Tabulation:
    """Count the classes of `y` for every value of `x`.

    Parameters
    ----------
    x : column
        Which branch each row takes: every distinct value is one. For a cut pass `x <= t`; a test on several
        columns is a list of tuples, `list(zip(x1, x2))`.
    y : column
        The class of each row.
    sample_weight, counts : column or None
        Weight and number of repetitions of each row; they are multiplied.
    missing : {"value", "drop"}
        Rows without a value in x are a branch of their own, called Missing, as in `hb.candidates`; or
        they are left out.

    Examples
    --------
    >>> table = tabulate(["circle", "square", None, "square"], ["ally", "enemy", "ally", "enemy"])
    >>> table.branches, table.classes
    (('circle', 'square', 'Missing'), ('ally', 'enemy'))
    >>> table.counts
    array([[1., 0.],
           [0., 2.],
           [1., 0.]])
    """
    branch, values = branches_of(x, missing)
    target = _classes(y, sample_weight, counts, len(branch))
    assert target.codes is not None
    weight = row_weight(sample_weight, counts, len(branch))
    counted = branch >= 0
    width = len(target.classes)
    cell = branch[counted] * width + target.codes[counted]
    sums = np.bincount(cell, weight[counted], minlength=len(values) * width).astype(np.float64)
    return Tabulation(sums.reshape(-1, width), values, target.classes)


def _classes(y: Any, sample_weight: Any, counts: Any, n_rows: int) -> Target:
    try:
        return Target.classes_of(y, sample_weight, counts, n_rows=n_rows, estimator="measure")
    except ValueError as fault:
        if "continuous" not in str(fault):
            raise
    raise ValueError("y holds numbers with fractions, which are no classes; for a real target use sdr(x, y)")


def branches_of(x: Any, missing: str) -> tuple[Longs, tuple[Any, ...]]:
    """The branch of every row, -1 where it is dropped, and the values that lead to the branches."""
    if missing not in ("value", "drop"):
        raise ValueError(
            f"missing={missing!r} must be 'value' (gaps are a branch) or 'drop' (they are left out)"
        )
    if isinstance(x, (str, bytes, Mapping)) or not (hasattr(x, "__len__") or hasattr(x, "__array__")):
        raise TypeError(f"x must be a column, one value for each row, not a {type(x).__name__}")
    codes, values = _tuples(x) if _holds_tuples(x) else _values(x)
    if not len(codes):
        raise ValueError("x has no rows; give at least one")
    absent = codes < 0
    if missing == "drop":
        if absent.all():
            raise ValueError(
                "x is missing in every row, so missing='drop' leaves nothing; use missing='value'"
            )
        return codes, values
    if absent.any():
        codes, values = np.where(absent, len(values), codes), (*values, MISSING_TEXT)
    return codes, values


def _holds_tuples(x: Any) -> bool:
    return isinstance(x, Sequence) and len(x) > 0 and all(isinstance(value, tuple) for value in x)


def _tuples(x: Sequence[tuple[Any, ...]]) -> tuple[Longs, tuple[Any, ...]]:
    place = {value: code for code, value in enumerate(dict.fromkeys(x))}
    return np.array([place[value] for value in x], dtype=np.int64), tuple(place)


def _values(x: Any) -> tuple[Longs, tuple[Any, ...]]:
    column, codes = learn_nominal(read_cells(x, "x"), "x")
    return codes.astype(np.int64), column.categories


def table_of(
    x: Any, y: Any, *, sample_weight: Any = None, counts: Any = None, missing: str = "value"
) -> Floats:
    """The counts a measure works on: of the columns x and y, or x itself where there is no y."""
    if y is not None:
        table = tabulate(x, y, sample_weight=sample_weight, counts=counts, missing=missing).counts
        return non_negative(table, "x", _MEANING)
    of_rows = {"sample_weight": sample_weight, "counts": counts}
    of_rows["missing"] = None if missing == "value" else missing
    for name, value in of_rows.items():
        if value is not None:
            raise ValueError(f"{name} belongs to the rows of columns; give y as well, or leave {name} out")
    return _given_table(x)


def _given_table(x: Any) -> Floats:
    if isinstance(x, Tabulation):
        x = x.counts
    if isinstance(x, Mapping):
        x = _rows_of(list(x.values()))
    array = as_floats(x, "table", f"{_MEANING}; for a column give y as well")
    if array.ndim != 2:
        raise ValueError(
            f"table must have two dimensions, {_MEANING}, but its shape is {array.shape};"
            " for a column give y as well"
        )
    return non_negative(array, "table", _MEANING)


def _rows_of(rows: list[Any]) -> list[Any]:
    """Branches given as dicts from class to count, brought to one order of classes."""
    if not all(isinstance(row, Mapping) for row in rows):
        return rows
    classes = list(dict.fromkeys(name for row in rows for name in row))
    return [[row.get(name, 0) for name in classes] for row in rows]
