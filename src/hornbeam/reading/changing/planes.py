"""Planes: the nearest point of a box that also lies on given sides of hyperplanes.

One idea: which columns change is tried out, few first; how far they have to go is then a linear programme:
the least sum of distances (over the training ranges) such that every weighted sum is on its side.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from scipy.optimize import linprog

from hornbeam.arrays import Floats
from hornbeam.reading.changing.boxes import Box, Narrowing
from hornbeam.reading.changing.regions import Codes, Kept, Span, nearest, price, scale_of

_MOST_SETS = 20_000
_MARGINS = (1e-9, 1e-7, 1e-5)  # how far inside a side, of the size of the sum: beyond rounding


class Point:
    """Values for the columns of a box: where the row goes, and how far that is."""

    def __init__(self, values: dict[int, float], changed: int, distance: float) -> None:
        self.values, self.changed, self.distance = values, changed, distance


def plain_point(narrowing: Narrowing, box: Box) -> Point | None:
    """The nearest point of a box without hyperplanes."""
    values = {}
    for column, region in box.regions.items():
        if not isinstance(region, Kept):
            to = nearest(narrowing.tree.columns[column], narrowing.values[column], region)
            if to is None:
                return None
            values[column] = to
    return Point(values, box.changed, box.distance)


def points(narrowing: Narrowing, box: Box, n_changed: int) -> Iterator[Point]:
    """The nearest point of a box on its sides, for each set of so many columns that may change."""
    must = {c for c in box.regions if _price(narrowing, box, c)[0]}
    asked = {c for node, _ in box.sides for c in narrowing.tree.tested_columns(node)}
    free = sorted(asked - must - narrowing.fixed)
    extra = n_changed - len(must)
    start = plain_point(narrowing, box)
    if start is None or not 0 <= extra <= len(free):
        return
    sets = list(_few(combinations(free, extra)))
    for added in sets:
        found = _solved(narrowing, box, start, sorted((must | set(added)) & asked))
        if found is not None:
            distance = _distance(narrowing, box, found, must)
            tidy = _tidied(narrowing, box, start, found)
            yield Point({**start.values, **tidy}, n_changed, distance)


def most_changes(narrowing: Narrowing, box: Box) -> int:
    """How many columns could change at most."""
    asked = {c for node, _ in box.sides for c in narrowing.tree.tested_columns(node)}
    must = {c for c in box.regions if _price(narrowing, box, c)[0]}
    return len(must | (asked - narrowing.fixed))


def _few(sets: Iterator[tuple[int, ...]]) -> Iterator[tuple[int, ...]]:
    for k, chosen in enumerate(sets):
        if k >= _MOST_SETS:
            raise ValueError(
                f"more than {_MOST_SETS} sets of columns of one hyperplane would have to be tried: name"
                " columns that may not change with fixed="
            )
        yield chosen


def _price(narrowing: Narrowing, box: Box, column: int) -> tuple[int, float]:
    found = price(narrowing.tree.columns[column], narrowing.values[column], box.regions[column])
    assert found is not None
    return found


def _tidied(narrowing: Narrowing, box: Box, start: Point, found: dict[int, float]) -> dict[int, float]:
    """The same point with few digits: each value a little further, by at most a thousandth of the range.

    A column of whole numbers goes to the next one, if that is on all sides, too.
    """
    found = dict(found)
    for column, value in found.items():
        what, now = narrowing.tree.columns[column], _from(narrowing, start, column)
        away = math.ceil if value > now else math.floor
        for digits in range(9):
            tried = away(value * 10.0**digits) / 10.0**digits
            near = abs(tried - value) <= scale_of(what) / 1000 or (digits == 0 and what.display == "int")
            if near and _holds(narrowing, box, start, {**found, column: tried}):
                found[column] = tried
                break
    return found


def _distance(narrowing: Narrowing, box: Box, found: dict[int, float], must: set[int]) -> float:
    """The distance of a solution: of the programme's columns as they are, of the others as the box says."""
    total = 0.0
    for column in must | set(found):
        gap = narrowing.is_gap(column)
        if column in found and not gap:
            step = abs(found[column] - narrowing.values[column])
            total += step / scale_of(narrowing.tree.columns[column])
        else:
            total += 1.0 if gap else _price(narrowing, box, column)[1]
    return total


def _solved(narrowing: Narrowing, box: Box, start: Point, moving: Sequence[int]) -> dict[int, float] | None:
    """Values of the moving columns on all sides, with least distance; None if there are none.

    The variables are how far each column goes up and how far down, in units of its range.
    """
    n = len(moving)
    scales = np.array([scale_of(narrowing.tree.columns[c]) for c in moving])
    now = np.array([_from(narrowing, start, c) for c in moving])
    free = np.array([narrowing.is_gap(c) for c in moving], dtype=np.bool_)
    for margin in _MARGINS:
        matrix, limit = _sides(narrowing, box, start, moving, now, scales, margin)
        if not n:
            return {} if (limit >= 0).all() else None
        bounds = _bounds(box, moving, now, scales, margin)
        if bounds is None:
            return None
        cost = np.tile(np.where(free, 0.0, 1.0), 2)
        rows = [matrix, bounds[0]] if len(bounds[0]) else [matrix]
        limits = [limit, bounds[1]] if len(bounds[0]) else [limit]
        answer = linprog(cost, A_ub=np.vstack(rows), b_ub=np.concatenate(limits), method="highs")
        if answer.status != 0:
            return None
        values = now + (answer.x[:n] - answer.x[n:]) * scales
        found = dict(zip(moving, values.tolist(), strict=True))
        if _holds(narrowing, box, start, found):
            return found
    return None


def _from(narrowing: Narrowing, start: Point, column: int) -> float:
    value = narrowing.values[column]
    if not narrowing.is_gap(column):
        return value
    return start.values[column]


def _sum(narrowing: Narrowing, node: int, values: dict[int, float]) -> float:
    """The weighted sum of a node, added up in the order in which routing does."""
    tree, total = narrowing.tree, 0.0
    for k in range(int(tree.plane_offset[node]), int(tree.plane_offset[node + 1])):
        total += float(tree.plane_weight[k]) * values[int(tree.plane_column[k])]
    return total


def _everywhere(narrowing: Narrowing, start: Point, found: dict[int, float]) -> dict[int, float]:
    return dict(enumerate(narrowing.values)) | start.values | found


def _holds(narrowing: Narrowing, box: Box, start: Point, found: dict[int, float]) -> bool:
    values = _everywhere(narrowing, start, found)
    for column in found:
        region = box.regions.get(column)
        if isinstance(region, Span) and not region.holds(values[column]):
            return False
    return all(
        (_sum(narrowing, node, values) > narrowing.tree.threshold[node]) == bool(branch)
        for node, branch in box.sides
    )


def _sides(
    narrowing: Narrowing, box: Box, start: Point, moving: Sequence[int], now: Floats, scales: Floats,
    margin: float,
) -> tuple[Floats, Floats]:  # fmt: skip
    """Rows of A and b: A (up, down) <= b says that every sum is on its side."""
    tree = narrowing.tree
    values = _everywhere(narrowing, start, dict(zip(moving, now.tolist(), strict=True)))
    rows, limits = [], []
    for node, branch in box.sides:
        span = slice(int(tree.plane_offset[node]), int(tree.plane_offset[node + 1]))
        weight = dict(zip(tree.plane_column[span].tolist(), tree.plane_weight[span].tolist(), strict=True))
        here = _sum(narrowing, node, values)
        size = sum(abs(w * values[c]) for c, w in weight.items()) + abs(float(tree.threshold[node]))
        slope = np.array([weight.get(c, 0.0) for c in moving]) * scales
        room = float(tree.threshold[node]) - here
        if branch:
            slope, room = -slope, -room - margin * max(size, 1e-12)
            room = min(room, -1e-300) if not len(moving) and room == 0 else room
        elif len(moving):
            room -= margin * size
        rows.append(np.concatenate((slope, -slope)))
        limits.append(room)
    return np.array(rows).reshape(len(rows), 2 * len(moving)), np.array(limits)


def _bounds(
    box: Box, moving: Sequence[int], now: Floats, scales: Floats, margin: float
) -> tuple[Floats, Floats] | None:
    """Rows of A and b that keep moving columns in their regions; None if a column is no number."""
    n, rows, limits = len(moving), [], []
    for k, column in enumerate(moving):
        region = box.regions.get(column)
        if isinstance(region, Codes):
            return None
        if isinstance(region, Span):
            unit = np.zeros(2 * n)
            unit[k], unit[n + k] = 1.0, -1.0
            if np.isfinite(region.high):
                rows.append(unit)
                limits.append((region.high - now[k]) / scales[k])
            if np.isfinite(region.low):
                rows.append(-unit)
                limits.append((now[k] - region.low) / scales[k] - margin)
    return np.array(rows).reshape(len(rows), 2 * n), np.array(limits)
