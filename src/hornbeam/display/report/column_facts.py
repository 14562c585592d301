"""What a report says of each column, and the axes that pictures of a column share.

One idea: pictures of one column share one axis, so that a cut is at the same place wherever the column is
tested. A numeric column is divided into equal bins once; a node then only counts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hornbeam._base.types import AnyArray, Floats, Longs
from hornbeam.data.columns import Column
from hornbeam.data.formatting import parse_display, visible
from hornbeam.data.formatting import value_text as text_of
from hornbeam.display.drawing.node_words import KIND_SIGNS
from hornbeam.display.rows_at_nodes import RowsAtNodes
from hornbeam.tree.answers import weighted_quantiles
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.branches import to_numbers
from hornbeam.tree.tree import Tree
from hornbeam.tree.words import amount

BINS = 20
_MOST_VALUES = 40  # of a column of categories that are counted


@dataclass(frozen=True, eq=False)
class Axis:
    """Numbers from `low` to `high` in `bins` equal bins; NaN and missing codes are in bin -1."""

    low: float
    high: float
    bins: int = BINS

    @classmethod
    def of(cls, values: Floats, low: float = math.nan, high: float = math.nan, bins: int = BINS) -> Axis:
        """Return the axis of some values, at least from `low` to `high`.

        >>> Axis.of(np.array([1.0, np.nan, 3.0]), low=0.0)
        Axis(low=0.0, high=3.0, bins=20)
        """
        ends = np.concatenate(([low, high], values))
        ends = ends[np.isfinite(ends)]
        return cls(float(ends.min()), float(ends.max()), bins) if len(ends) else cls(0.0, 1.0, bins)

    def place(self, value: float) -> float:
        """Return where a value is, from 0 to 1; the middle if all values are the same."""
        if not self.low < self.high:
            return 0.5
        return round(min(max((value - self.low) / (self.high - self.low), 0.0), 1.0), 4)

    def bin_of(self, values: Floats) -> Longs:
        """Return the bin of each value, -1 where it is missing.

        >>> Axis(0.0, 10.0, 5).bin_of(np.array([0.0, 1.9, 2.0, 10.0, np.nan]))
        array([ 0,  0,  1,  4, -1])
        """
        missing = np.isnan(values)
        if not self.low < self.high:
            return np.where(missing, -1, self.bins // 2)
        share = (np.where(missing, self.low, values) - self.low) / (self.high - self.low)
        return np.where(missing, -1, np.clip((share * self.bins).astype(np.int64), 0, self.bins - 1))

    @property
    def ends(self) -> list[str]:
        """The two ends in words."""
        return [amount(self.low), amount(self.high)]


def axis_of(column: Column, array: AnyArray) -> Axis:
    """Return the axis of a numeric column."""
    return Axis.of(to_numbers(array), column.low, column.high)


def value_text(column: Column, value: float) -> str:
    """Return a value of a column for people: few digits of a number, a date, a category."""
    return amount(value) if column.is_number else column.text(value)


def ends_text(column: Column, axis: Axis) -> list[str]:
    """Return the two ends of the axis of a column in words."""
    return [value_text(column, axis.low), value_text(column, axis.high)]


def rounded(values: Any) -> list[Any]:
    """Return counts as whole numbers where they are, else with two decimals.

    >>> rounded(np.array([2.0, 0.333333, 3.0000001]))
    [2, 0.33, 3]
    """
    short = (round(float(v), 2) for v in np.asarray(values).tolist())
    return [int(v) if v.is_integer() else v for v in short]


def rounded_count(value: float) -> Any:
    """Return one count as `rounded` does.

    >>> rounded_count(2.0)
    2
    """
    return rounded([value])[0]


def observed_columns(rows: RowsAtNodes) -> list[dict[str, Any]]:
    """Return what rows show of each column, whatever tree stands on them: gaps, usual value, shape."""
    return [_observed(column, rows, k) for k, column in enumerate(rows.tree.columns)]


def column_facts(tree: Tree, observed: Sequence[dict[str, Any]] | None) -> list[dict[str, Any]]:
    """Return the columns in order: kind, range or values, missing values, how often tested, importance.

    `observed` is what rows show of them.

    >>> tree = Tree.from_nested({"column": "age", "<=": 29.5, "yes": "young", "no": "old"})
    >>> column_facts(tree, None)[0]["text"], column_facts(tree, None)[0]["tests"]
    ('number', 1)
    """
    tested = np.zeros(len(tree.columns), dtype=np.int64)
    for node in np.flatnonzero(tree.kind != LEAF).tolist():
        tested[list(tree.tested_columns(node))] += 1
    needed = tested > 0
    needed[np.unique(tree.term_column)] = True
    if tree.policy["missing"] != "all-paths":
        needed[np.unique(tree.surrogate_column)] = True
    importances = tree.feature_importances()
    return [
        {
            "name": visible(column.name),
            "kind": column.kind,
            "mark": KIND_SIGNS[column.kind],
            "display": column.display,
            "tests": int(tested[k]),
            "asked": bool(needed[k]),
            "importance": round(float(importances[k]), 6),
        }
        | _domain(column)
        | ({} if observed is None else observed[k])
        for k, column in enumerate(tree.columns)
    ]


def _domain(column: Column) -> dict[str, Any]:
    if column.kind != "numeric":
        texts = [column.word(code) for code in range(len(column.categories))]
        word = f"{len(texts)} value{'s' * (len(texts) != 1)}"
        if column.kind == "ordinal" and texts:
            word = f"{texts[0]} < … < {texts[-1]}" if len(texts) > 2 else " < ".join(texts)
        return {"values": texts, "text": word}
    if math.isnan(column.low):
        return {"text": "number"}
    return {"text": f"{value_text(column, column.low)} to {value_text(column, column.high)}"}


def _observed(column: Column, rows: RowsAtNodes, k: int) -> dict[str, Any]:
    """Missing values, the usual value, and the shape of the column."""
    array, mass = rows.table.arrays[k], rows.mass
    values = to_numbers(array)
    missing = np.isnan(values)
    facts: dict[str, Any] = {"missing": rounded_count(mass[missing].sum())}
    known = ~missing & (mass > 0)
    if not known.any():
        return facts
    if column.kind != "numeric":
        counts = np.bincount(array[known], mass[known], minlength=len(column.categories))
        return facts | {"usual": int(np.argmax(counts)), "bins": rounded(counts[:_MOST_VALUES])}
    axis = axis_of(column, rows.axis_values(array))
    return facts | {
        "usual": _typed(column, weighted_quantiles(values[known], mass[known], (0.5,))[0]),
        "bins": rounded(np.bincount(axis.bin_of(values)[known], mass[known], minlength=axis.bins)),
        "ends": ends_text(column, axis),
    }


def _typed(column: Column, value: float) -> str:
    """A value as it can be typed into a form, which reads times without an offset as UTC.

    >>> _typed(Column("when", "numeric", display="datetime64[us, Europe/Prague]"), 0.0)
    '1970-01-01T00:00:00Z'
    """
    how = parse_display(column.display)
    if not how.zone:
        return value_text(column, value)
    text = text_of(value, f"{how.family}[{how.unit}]")
    return f"{text}Z" if "T" in text else f"{text}T00:00:00Z"
