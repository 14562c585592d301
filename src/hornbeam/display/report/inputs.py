"""Inputs: what a report says of each column, and what a form needs to ask for a value of it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hornbeam.data.columns import Column
from hornbeam.data.formatting import parse_display
from hornbeam.data.formatting import value_text as text_of
from hornbeam.display.report.axes import axis_of, ends_text, numbers, rounded, value_text
from hornbeam.display.report.node_facts import MARKS
from hornbeam.display.report.node_pictures import quantiles
from hornbeam.display.report.sample_rows import Sample
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.tree import Tree


def columns_of(tree: Tree, sample: Sample | None) -> list[dict[str, Any]]:
    """The columns in order: kind, range or values, missing values, how often tested, importance.

    >>> tree = Tree.from_nested({"column": "age", "<=": 29.5, "yes": "young", "no": "old"})
    >>> columns_of(tree, None)[0]["text"], columns_of(tree, None)[0]["tests"]
    ('number', 1)
    """
    tested = np.zeros(len(tree.columns), dtype=np.int64)
    for node in np.flatnonzero(tree.kind != LEAF).tolist():
        tested[list(tree.tested_columns(node))] += 1
    asked = tested > 0
    asked[np.unique(tree.term_column)] = True
    if tree.policy["missing"] != "all-paths":
        asked[np.unique(tree.surrogate_column)] = True
    importances = tree.feature_importances()
    found = []
    for k, column in enumerate(tree.columns):
        facts: dict[str, Any] = {
            "name": column.label,
            "kind": column.kind,
            "mark": MARKS[column.kind],
            "display": column.display,
            "tests": int(tested[k]),
            "asked": bool(asked[k]),
            "importance": round(float(importances[k]), 6),
        }
        found.append(facts | _domain(column) | ({} if sample is None else _observed(column, sample, k)))
    return found


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


def _observed(column: Column, sample: Sample, k: int) -> dict[str, Any]:
    """Missing values, the usual value, and the shape of the column."""
    array = sample.table.arrays[k]
    values, mass = numbers(array), sample.mass
    lost = np.isnan(values)
    found: dict[str, Any] = {"missing": rounded([mass[lost].sum()])[0]}
    known = ~lost & (mass > 0)
    if not known.any():
        return found
    if column.kind == "numeric":
        axis = axis_of(column, sample.axis_values(array))
        place = axis.bin_of(values)
        middle = quantiles(values[known], mass[known], (0.5,))[0]
        return found | {
            "usual": _typed(column, middle),
            "bins": rounded(np.bincount(place[known], mass[known], minlength=axis.bins)),
            "ends": ends_text(column, axis),
        }
    counted = np.bincount(array[known], mass[known], minlength=len(column.categories))
    return found | {"usual": int(np.argmax(counted)), "bins": rounded(counted[:40])}
