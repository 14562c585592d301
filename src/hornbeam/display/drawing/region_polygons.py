"""The regions of a tree in a plane: which leaf answers where, as exact polygons.

One idea: a polygon travels down the tree. A test on the plane's columns cuts it in two along a straight line,
any other test sends it whole to the branch that the fixed values of the other columns take.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from hornbeam._base.types import AnyArray
from hornbeam.tree.arrays import HYPERPLANE, INTERVALS, LEAF, THRESHOLD
from hornbeam.tree.routing import branches
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
    found: Polygon = []
    for k, (x, y) in enumerate(polygon):
        px, py = polygon[k - 1]
        here, before = a * x + b * y - bound, a * px + b * py - bound
        if (here < 0 < before) or (before < 0 < here):
            share = before / (before - here)
            found.append((px + share * (x - px), py + share * (y - py)))
        if here <= 0:
            found.append((x, y))
    return found if _area(found) > 0 else []


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
    found = []
    waiting = [(0, polygon)]
    while waiting:
        node, shape = waiting.pop()
        if tree.kind[node] == LEAF:
            found.append(Region(node, shape))
        else:
            parts = [part for part in _parts(tree, node, shape, place, fixed) if part[1]]
            waiting.extend(reversed(parts))
    return found


def _parts(
    tree: Tree, node: int, shape: Polygon, place: Mapping[int, int], fixed: Sequence[AnyArray]
) -> Iterator[tuple[int, Polygon]]:
    """The children of a node with their parts of a polygon."""
    first, kind = int(tree.first_child[node]), int(tree.kind[node])
    tested = tree.tested_columns(node)
    if not any(column in place for column in tested):
        yield first + _branch(tree, node, fixed), shape
    elif kind in (THRESHOLD, INTERVALS):
        a, b = (1.0, 0.0) if place[tested[0]] == 0 else (0.0, 1.0)
        cuts = [float(tree.threshold[node])] if kind == THRESHOLD else tree.cuts(node).tolist()
        yield from _slices(first, shape, a, b, [cut for cut in cuts if np.isfinite(cut)])
    elif kind == HYPERPLANE:
        weights, rest = [0.0, 0.0], 0.0
        for k in range(int(tree.plane_offset[node]), int(tree.plane_offset[node + 1])):
            column, weight = int(tree.plane_column[k]), float(tree.plane_weight[k])
            if column in place:
                weights[place[column]] += weight
            else:
                rest += weight * _number(tree, node, column, fixed)
        yield from _slices(first, shape, weights[0], weights[1], [float(tree.threshold[node]) - rest])
    else:
        names = ", ".join(tree.columns[column].name for column in tested)
        raise ValueError(
            f"node {node} tests {names} in a way that has no straight borders: choose other columns than"
            f" {', '.join(tree.columns[column].name for column in place)}"
        )


def _slices(
    first: int, shape: Polygon, a: float, b: float, cuts: list[float]
) -> Iterator[tuple[int, Polygon]]:
    rest = shape
    for k, cut in enumerate(cuts):
        yield first + k, clipped(rest, a, b, cut) if rest else []
        rest = clipped(rest, -a, -b, -cut) if rest else []
    yield first + len(cuts), rest


def _branch(tree: Tree, node: int, fixed: Sequence[AnyArray]) -> int:
    taken = int(branches(tree, node, fixed, np.zeros(1, dtype=np.int64))[0])
    if taken < 0:
        names = ", ".join(tree.columns[column].name for column in tree.tested_columns(node))
        raise ValueError(
            f"{names} has no value at which to cut, or one that no row had at node {node}, which follows all"
            " paths: give another with at="
        )
    return taken


def _number(tree: Tree, node: int, column: int, fixed: Sequence[AnyArray]) -> float:
    value = float(fixed[column][0])
    if np.isnan(value):
        raise ValueError(
            f"{tree.columns[column].name} has no value at which to cut node {node}: give one with at="
        )
    return value
