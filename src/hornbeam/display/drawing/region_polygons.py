"""The regions of a tree in a plane: which leaf answers where, as exact polygons.

One idea: a polygon travels down the tree. A test on the plane's columns cuts it in two along a straight line,
any other test sends it whole to the branch that the fixed values of the other columns take.

A picture of two columns is one of a slice through the table, so the values of all other columns belong to it
and are said in its title: medians and most frequent values unless others are asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hornbeam._base.parameters import did_you_mean
from hornbeam._base.types import AnyArray, Floats
from hornbeam.data.columns import Column
from hornbeam.data.table import Table
from hornbeam.display.drawing.node_words import tested_names
from hornbeam.tree.arrays import HYPERPLANE, INTERVALS, LEAF, THRESHOLD
from hornbeam.tree.routing import branches
from hornbeam.tree.scores import digits
from hornbeam.tree.tree import Tree

Polygon = list[tuple[float, float]]


class Region(NamedTuple):
    """Where one leaf answers."""

    leaf: int
    polygon: Polygon


def clipped(polygon: Polygon, a: float, b: float, bound: float) -> Polygon:
    """Return the part of a convex polygon with a·x + b·y <= bound; empty if nothing of it has any area.

    >>> clipped([(0, 0), (2, 0), (2, 2), (0, 2)], 1, 0, 1)
    [(0, 0), (1.0, 0.0), (1.0, 2.0), (0, 2)]
    """
    part: Polygon = []
    for k, (x, y) in enumerate(polygon):
        px, py = polygon[k - 1]
        here, before = a * x + b * y - bound, a * px + b * py - bound
        if (here < 0 < before) or (before < 0 < here):
            share = before / (before - here)
            part.append((px + share * (x - px), py + share * (y - py)))
        if here <= 0:
            part.append((x, y))
    return part if _area(part) > 0 else []


def _area(polygon: Polygon) -> float:
    pairs = zip(polygon, polygon[1:] + polygon[:1], strict=True)
    return abs(sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in pairs)) / 2


def regions(
    tree: Tree, polygon: Polygon, axes: Sequence[int | None], fixed: Sequence[AnyArray]
) -> list[Region]:
    """Return the regions of the leaves inside a convex polygon.

    Parameters
    ----------
    tree : Tree
    polygon : its corners in order
    axes : the numeric column of the horizontal and of the vertical direction, None where it is no column
    fixed : one array of one row per column, as `Table.arrays`; those of the axes are ignored

    Examples
    --------
    >>> tree = Tree.from_nested({"column": "x", "<=": 1.5, "yes": "a", "no": "b"})
    >>> regions(tree, [(0, 0), (2, 0), (2, 1), (0, 1)], (0, None), [np.array([np.nan])])[1]
    Region(leaf=2, polygon=[(1.5, 0.0), (2, 0), (2, 1), (1.5, 1.0)])
    """
    place = {column: k for k, column in enumerate(axes) if column is not None}
    leaf_regions = []
    waiting = [(0, polygon)]
    while waiting:
        node, shape = waiting.pop()
        if tree.kind[node] == LEAF:
            leaf_regions.append(Region(node, shape))
        else:
            parts = [part for part in _child_parts(tree, node, shape, place, fixed) if part[1]]
            waiting.extend(reversed(parts))
    return leaf_regions


def _child_parts(
    tree: Tree, node: int, shape: Polygon, place: Mapping[int, int], fixed: Sequence[AnyArray]
) -> Iterator[tuple[int, Polygon]]:
    """The children of a node with their parts of a polygon."""
    first, kind = int(tree.first_child[node]), int(tree.kind[node])
    tested = tree.tested_columns(node)
    if not any(column in place for column in tested):
        yield first + _branch_taken(tree, node, fixed), shape
    elif kind in (THRESHOLD, INTERVALS):
        a, b = (1.0, 0.0) if place[tested[0]] == 0 else (0.0, 1.0)
        cuts = [cut for cut in tree.cuts(node).tolist() if np.isfinite(cut)]
        yield from _cut_apart(first, shape, a, b, cuts)
    elif kind == HYPERPLANE:
        weights, rest = [0.0, 0.0], 0.0
        for column, weight in tree.plane(node):
            if column in place:
                weights[place[column]] += weight
            else:
                rest += weight * _fixed_number(tree, node, column, fixed)
        yield from _cut_apart(first, shape, weights[0], weights[1], [float(tree.threshold[node]) - rest])
    else:
        raise ValueError(
            f"node {node} tests {tested_names(tree, node)} in a way that has no straight borders: choose"
            f" other columns than {', '.join(tree.columns[column].name for column in place)}"
        )


def _cut_apart(
    first: int, shape: Polygon, a: float, b: float, cuts: list[float]
) -> Iterator[tuple[int, Polygon]]:
    rest = shape
    for k, cut in enumerate(cuts):
        yield first + k, clipped(rest, a, b, cut) if rest else []
        rest = clipped(rest, -a, -b, -cut) if rest else []
    yield first + len(cuts), rest


def _branch_taken(tree: Tree, node: int, fixed: Sequence[AnyArray]) -> int:
    taken = int(branches(tree, node, fixed, np.zeros(1, dtype=np.int64))[0])
    if taken < 0:
        raise ValueError(
            f"{tested_names(tree, node)} has no value at which to cut, or one that no row had at node {node},"
            " which follows all paths: give another with at="
        )
    return taken


def _fixed_number(tree: Tree, node: int, column: int, fixed: Sequence[AnyArray]) -> float:
    value = float(fixed[column][0])
    if np.isnan(value):
        raise ValueError(
            f"{tree.columns[column].name} has no value at which to cut node {node}: give one with at="
        )
    return value


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
        leaf_regions: list[Region] = []
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
                leaf_regions += regions(self.tree, window, axes, fixed)
        return leaf_regions

    def _bands(self, k: int, span: tuple[float, float]) -> list[tuple[float, float, int | None]]:
        column = self.tree.columns[self.columns[k]]
        if column.kind == "numeric":
            return [(*span, None)]
        return [(code - 0.5, code + 0.5, code) for code in range(len(column.categories))]


def slice_of(tree: Tree, table: Table, columns: Any, at: Mapping[str, Any] | None) -> Slice:
    """Return the slice that a user asks for."""
    tested = {c for node in range(len(tree)) for c in tree.tested_columns(node)}
    shown = _most_important(tree, tested) if columns is None else _columns_by_name(tree, columns)
    chosen = _chosen_values(tree, {} if at is None else at, shown)
    fixed = tuple(chosen.get(k, value) for k, value in enumerate(_typical_values(tree, table)))
    others = [(tree.columns[c], fixed[c]) for c in sorted(tested - set(shown))]
    words = ", ".join(f"{column.name} = {_value_words(column, value)}" for column, value in others)
    return Slice(tree, shown, fixed, words)


def _most_important(tree: Tree, tested: set[int]) -> tuple[int, ...]:
    """The two most important columns that are tested, the first column if none is."""
    ranked = np.argsort(-tree.feature_importances(), kind="stable").tolist()
    return tuple([c for c in ranked if c in tested][:2]) or (0,)


def _columns_by_name(tree: Tree, columns: Any) -> tuple[int, ...]:
    """One or two columns by name or number."""
    names = [column.name for column in tree.columns]
    numbers = []
    for one in [columns] if isinstance(columns, (str, int, np.integer)) else list(columns):
        if isinstance(one, (int, np.integer)) and not isinstance(one, bool) and 0 <= one < len(names):
            numbers.append(int(one))
        elif one in names:
            numbers.append(names.index(str(one)))
        else:
            raise ValueError(
                f"columns={columns!r} names {one!r}, which is no column of the model"
                f"{did_you_mean(one, names)}: its columns are {', '.join(names[:20])}"
                f"{', ...' * (len(names) > 20)}"
            )
    if not 1 <= len(numbers) <= 2 or len(set(numbers)) < len(numbers):
        raise ValueError(f"columns={columns!r} must be one column, or two different ones")
    return tuple(numbers)


def _typical_values(tree: Tree, table: Table) -> Iterator[AnyArray]:
    """The median or the most frequent value of every column; missing where there is none."""
    for column, values in zip(tree.columns, table.arrays, strict=True):
        if column.kind == "numeric":
            known = values[~np.isnan(values)]
            yield np.array([np.median(known) if len(known) else np.nan])
        else:
            counts = np.bincount(values[values >= 0], minlength=1)
            yield np.array([np.argmax(counts) if counts.any() else -1], dtype=np.int32)


def _chosen_values(tree: Tree, at: Mapping[str, Any], shown: tuple[int, ...]) -> dict[int, AnyArray]:
    """The values asked for, as the tree's numbers and codes, by the numbers of their columns."""
    names = [column.name for column in tree.columns]
    if not isinstance(at, Mapping):
        raise TypeError(
            f"at={at!r} must be a dict of names of columns to the values they are fixed at, or None"
        )
    chosen = {}
    for name, value in at.items():
        if name not in names:
            raise ValueError(f"at names {name!r}, which is no column of the model{did_you_mean(name, names)}")
        number = names.index(name)
        if number in shown:
            raise ValueError(f"at fixes {name!r}, which the picture shows: leave it out of at or of columns")
        encoded = Table.match({name: [value]}, [tree.columns[number]]).arrays[0]
        if encoded.dtype.kind == "i" and encoded[0] == -2:
            known = ", ".join(map(repr, tree.columns[number].categories[:20]))
            raise ValueError(f"at={{{name!r}: {value!r}}} is no value of that column: it has {known}")
        chosen[number] = encoded
    return chosen


def _value_words(column: Column, value: AnyArray) -> str:
    number = float(value[0])
    return digits(number, 4) if column.is_number and not np.isnan(number) else column.text(number)
