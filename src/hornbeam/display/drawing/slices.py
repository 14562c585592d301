"""Slices through a table: two columns vary, the others stand still at chosen values.

One idea: a picture of two columns is one of a slice, so the values of all other columns belong to it and are
said in its title: medians and most frequent values unless told otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hornbeam._base.parameters import did_you_mean
from hornbeam._base.types import AnyArray, Floats
from hornbeam.data.columns import Column
from hornbeam.data.table import Table
from hornbeam.display.drawing.card_words import short
from hornbeam.display.drawing.region_polygons import Polygon, Region, regions
from hornbeam.tree.tree import Tree


@dataclass(frozen=True)
class Slice:
    """Two columns (or one) of a tree with the others fixed.

    Attributes
    ----------
    columns : the columns shown
    fixed : one array of one value for each column of the tree
    words : the fixed values of the columns the tree tests, as text
    """

    tree: Tree
    columns: tuple[int, ...]
    fixed: tuple[AnyArray, ...]
    words: str

    def span(self, k: int, values: Floats) -> tuple[float, float]:
        """Return the ends of an axis: the rows with a margin, or one band for each category."""
        column = self.tree.columns[self.columns[k]]
        if column.kind != "numeric":
            return -0.5, len(column.categories) - 0.5
        known = values[~np.isnan(values)]
        low, high = (float(known.min()), float(known.max())) if len(known) else (column.low, column.high)
        margin = 0.05 * (high - low) or 1.0
        return low - margin, high + margin

    def regions(self, spans: Sequence[tuple[float, float]]) -> list[Region]:
        """Return every leaf's part of the window, band by band where an axis is a category."""
        found: list[Region] = []
        bands = [self._bands(k, span) for k, span in enumerate(spans)]
        across = bands[1] if len(bands) > 1 else [(0.0, 1.0, None)]
        for low_x, high_x, code_x in bands[0]:
            for low_y, high_y, code_y in across:
                fixed = list(self.fixed)
                axes: list[int | None] = [*self.columns, None][:2]
                for k, code in enumerate((code_x, code_y)):
                    if code is not None:
                        fixed[self.columns[k]] = np.array([code], dtype=np.int32)
                        axes[k] = None
                window: Polygon = [(low_x, low_y), (high_x, low_y), (high_x, high_y), (low_x, high_y)]
                found += regions(self.tree, window, axes, fixed)
        return found

    def _bands(self, k: int, span: tuple[float, float]) -> list[tuple[float, float, int | None]]:
        column = self.tree.columns[self.columns[k]]
        if column.kind == "numeric":
            return [(*span, None)]
        return [(code - 0.5, code + 0.5, code) for code in range(len(column.categories))]


def slice_of(tree: Tree, table: Table, columns: Any, at: Mapping[str, Any] | None) -> Slice:
    """Return the slice that a user asks for."""
    shown = _chosen(tree, columns)
    values = _typical(tree, table)
    given = _given(tree, at or {}, shown)
    fixed = tuple(given.get(k, value) for k, value in enumerate(values))
    tested = sorted({c for node in range(len(tree)) for c in tree.tested_columns(node)} - set(shown))
    words = ", ".join(f"{tree.columns[c].name} = {_words(tree.columns[c], fixed[c])}" for c in tested)
    return Slice(tree, shown, fixed, words)


def _chosen(tree: Tree, columns: Any) -> tuple[int, ...]:
    """The columns by name or number; the two most important ones if none are given."""
    if columns is None:
        ranked = np.argsort(-tree.feature_importances(), kind="stable").tolist()
        used = {c for node in range(len(tree)) for c in tree.tested_columns(node)}
        return tuple([c for c in ranked if c in used][:2]) or (0,)
    names = [column.name for column in tree.columns]
    listed = [columns] if isinstance(columns, (str, int, np.integer)) else list(columns)
    found = []
    for one in listed:
        if isinstance(one, (int, np.integer)) and not isinstance(one, bool) and 0 <= one < len(names):
            found.append(int(one))
        elif one in names:
            found.append(names.index(str(one)))
        else:
            raise ValueError(
                f"columns={columns!r} names {one!r}, which is no column of the model"
                f"{did_you_mean(one, names)}: its columns are {', '.join(names[:20])}"
                f"{', ...' * (len(names) > 20)}"
            )
    if not 1 <= len(found) <= 2 or len(set(found)) < len(found):
        raise ValueError(f"columns={columns!r} must be one column, or two different ones")
    return tuple(found)


def _typical(tree: Tree, table: Table) -> list[AnyArray]:
    """The median or the most frequent value of every column; a gap where there is none."""
    found: list[AnyArray] = []
    for column, values in zip(tree.columns, table.arrays, strict=True):
        if column.kind == "numeric":
            known = values[~np.isnan(values)]
            found.append(np.array([np.median(known) if len(known) else np.nan]))
        else:
            counts = np.bincount(values[values >= 0], minlength=1)
            found.append(np.array([np.argmax(counts) if counts.any() else -1], dtype=np.int32))
    return found


def _given(tree: Tree, at: Mapping[str, Any], shown: tuple[int, ...]) -> dict[int, AnyArray]:
    """The values asked for, as the tree's numbers and codes."""
    names = [column.name for column in tree.columns]
    found = {}
    for name, value in at.items():
        if name not in names:
            raise ValueError(f"at names {name!r}, which is no column of the model{did_you_mean(name, names)}")
        number = names.index(name)
        if number in shown:
            raise ValueError(f"at fixes {name!r}, which the picture shows: leave it out of at or of columns")
        one = Table.match({name: [value]}, [tree.columns[number]]).arrays[0]
        if one.dtype.kind == "i" and one[0] == -2:
            known = ", ".join(map(repr, tree.columns[number].categories[:20]))
            raise ValueError(f"at={{{name!r}: {value!r}}} is no value of that column: it has {known}")
        found[number] = one
    return found


def _words(column: Column, value: AnyArray) -> str:
    number = float(value[0])
    return short(number, 4) if column.is_number and not np.isnan(number) else column.text(number)
