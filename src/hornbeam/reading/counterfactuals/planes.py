"""Planes: the nearest point of a box that also lies on given sides of weighted sums.

One idea: which columns change is tried out, few first, and so are the categories that count in a sum; how far
numbers have to go is then a linear programme: the least sum of distances (over the training ranges) such that
every sum is on its side.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, product

import numpy as np

from hornbeam._base.types import Bools, Floats
from hornbeam.reading.counterfactuals import changes
from hornbeam.reading.counterfactuals.changes import Codes, Gap, NumberRange
from hornbeam.reading.counterfactuals.partial_boxes import Narrowing, PartialBox

_MOST_SETS = 20_000
_MARGINS = (1e-9, 1e-7, 1e-5)  # how far inside a side, of the size of the sum: beyond rounding


@dataclass(frozen=True)
class Point:
    """Values for the columns of a box: where the row goes, and how far that is."""

    values: dict[int, float]
    changed: int
    distance: float


def plain_point(narrowing: Narrowing, box: PartialBox) -> Point | None:
    """The nearest point of a box without hyperplanes."""
    values = {}
    for column, region in box.regions.items():
        if not isinstance(region, Gap):
            to = changes.nearest(narrowing.tree.columns[column], narrowing.values[column], region)
            if to is None:
                return None
            values[column] = to
    return Point(values, box.changed, box.distance)


def points(narrowing: Narrowing, box: PartialBox, n_changed: int) -> Iterator[Point]:
    """The nearest point of a box on its sides, for each set of so many columns that may change."""
    must, tested = _changing_columns(narrowing, box)
    free = sorted(tested - must - narrowing.fixed)
    extra = n_changed - len(must)
    start = plain_point(narrowing, box)
    if start is None or not 0 <= extra <= len(free):
        return
    sets = [(must | set(added)) & tested for added in combinations(free, extra)]
    choices = ((some, codes) for some in sets for codes in _codes(narrowing, box, some))
    tried = list(islice(choices, _MOST_SETS + 1))
    if len(tried) > _MOST_SETS:
        raise ValueError(
            f"more than {_MOST_SETS} sets of columns, and of categories for them, would have to be tried"
            " for one weighted sum: name columns that may not change with fixed="
        )
    for moving, codes in tried:
        there = Point(start.values | codes, start.changed, start.distance)
        solution = _solved(narrowing, box, there, sorted(moving - set(codes)))
        if solution is not None:
            distance = _distance(narrowing, box, solution | codes, must)
            tidy = _tidied(narrowing, box, there, solution)
            yield Point({**there.values, **tidy}, n_changed, distance)


def _codes(narrowing: Narrowing, box: PartialBox, moving: set[int]) -> Iterator[dict[int, float]]:
    """Every choice of other categories for the moving columns that are no numbers."""
    columns = sorted(c for c in moving if narrowing.tree.columns[c].kind != "numeric")
    allowed = []
    for column in columns:
        region = box.regions.get(column, changes.everything(narrowing.tree.columns[column]))
        assert isinstance(region, Codes)
        allowed.append(sorted(region.codes - {int(narrowing.values[column])}))
    for chosen in product(*allowed):
        yield dict(zip(columns, map(float, chosen), strict=True))


def most_changes(narrowing: Narrowing, box: PartialBox) -> int:
    """How many columns could change at most."""
    must, tested = _changing_columns(narrowing, box)
    return len(must | (tested - narrowing.fixed))


def _changing_columns(narrowing: Narrowing, box: PartialBox) -> tuple[set[int], set[int]]:
    """The columns that have to change, and those that the weighted sums read."""
    must = {c for c in box.regions if _price(narrowing, box, c)[0]}
    return must, {c for node, _ in box.sides for c in narrowing.tree.tested_columns(node)}


def _price(narrowing: Narrowing, box: PartialBox, column: int) -> tuple[int, float]:
    cost = changes.price(narrowing.tree.columns[column], narrowing.values[column], box.regions[column])
    assert cost is not None
    return cost


def _tidied(
    narrowing: Narrowing, box: PartialBox, start: Point, solution: dict[int, float]
) -> dict[int, float]:
    """The same point with few digits: each value a little further, by at most a thousandth of the range.

    A column of whole numbers goes to the next one, if that is on all sides, too.
    """
    solution = dict(solution)
    for column, value in solution.items():
        what, now = narrowing.tree.columns[column], _from(narrowing, start, column)
        away = math.ceil if value > now else math.floor
        for digits in range(9):
            tried = away(value * 10.0**digits) / 10.0**digits
            near = abs(tried - value) <= changes.scale_of(what) / 1000 or (
                digits == 0 and what.display == "int"
            )
            if near and _holds(narrowing, box, start, {**solution, column: tried}):
                solution[column] = tried
                break
    return solution


def _distance(narrowing: Narrowing, box: PartialBox, solution: dict[int, float], must: set[int]) -> float:
    """The distance of a solution: of the programme's columns as they are, of the others as the box says."""
    total = 0.0
    for column in must | set(solution):
        gap, what = narrowing.is_gap(column), narrowing.tree.columns[column]
        if column in solution and not gap:
            step = 1.0 if what.kind == "nominal" else abs(solution[column] - narrowing.values[column])
            total += step / changes.scale_of(what)
        else:
            total += 1.0 if gap else _price(narrowing, box, column)[1]
    return total


def _solved(
    narrowing: Narrowing, box: PartialBox, start: Point, moving: Sequence[int]
) -> dict[int, float] | None:
    """Values of the moving columns on all sides, with least distance; None if there are none.

    The variables are how far each column goes up and how far down, in units of its range.
    """
    n = len(moving)
    scales = np.array([changes.scale_of(narrowing.tree.columns[c]) for c in moving])
    now = np.array([_from(narrowing, start, c) for c in moving])
    free = np.array([narrowing.is_gap(c) for c in moving], dtype=np.bool_)
    for margin in _MARGINS:
        matrix, limit = _sides(narrowing, box, start, moving, now, scales, margin)
        if not n:
            return {} if (limit >= 0).all() else None
        bounds = _bounds(box, moving, now, scales, margin)
        if bounds is None:
            return None
        rows = np.vstack((matrix, bounds[0])) if len(bounds[0]) else matrix
        limits = np.concatenate((limit, bounds[1])) if len(bounds[0]) else limit
        steps = _step(rows[:, 0], limits) if n == 1 else _steps(rows, limits, free)
        if steps is None:
            return None
        values = now + steps * scales
        solution = dict(zip(moving, values.tolist(), strict=True))
        if _holds(narrowing, box, start, solution):
            return solution
    return None


def _steps(rows: Floats, limits: Floats, free: Bools) -> Floats | None:
    """How far the columns go; what it costs is how far those go that are not free."""
    cost = np.tile(np.where(free, 0.0, 1.0), 2)
    from scipy.optimize import linprog  # here: trees without weighted sums do not wait for it

    answer = linprog(cost, A_ub=rows, b_ub=limits, method="highs")
    return None if answer.status != 0 else answer.x[: len(free)] - answer.x[len(free) :]


def _step(slope: Floats, limits: Floats) -> Floats | None:
    """How far one column goes: the step nearest to none that keeps slope x step <= limit everywhere."""
    if (limits[slope == 0] < 0).any():
        return None
    low = (limits[slope < 0] / slope[slope < 0]).max(initial=-np.inf)
    high = (limits[slope > 0] / slope[slope > 0]).min(initial=np.inf)
    return None if low > high else np.array([min(max(0.0, low), high)])


def _from(narrowing: Narrowing, start: Point, column: int) -> float:
    value = narrowing.values[column]
    if not narrowing.is_gap(column):
        return value
    return start.values[column]


def _everywhere(narrowing: Narrowing, start: Point, solution: dict[int, float]) -> dict[int, float]:
    return dict(enumerate(narrowing.values)) | start.values | solution


def _holds(narrowing: Narrowing, box: PartialBox, start: Point, solution: dict[int, float]) -> bool:
    values = _everywhere(narrowing, start, solution)
    for column in solution:
        region = box.regions.get(column)
        if isinstance(region, NumberRange) and not region.holds(values[column]):
            return False
    return all(
        (narrowing.sums[node].at(values) > narrowing.sums[node].threshold) == bool(branch)
        for node, branch in box.sides
    )


def _sides(
    narrowing: Narrowing, box: PartialBox, start: Point, moving: Sequence[int], now: Floats, scales: Floats,
    margin: float,
) -> tuple[Floats, Floats]:  # fmt: skip
    """Rows of A and b: A (up, down) <= b says that every sum is on its side."""
    values = _everywhere(narrowing, start, dict(zip(moving, now.tolist(), strict=True)))
    rows, limits = [], []
    for node, branch in box.sides:
        weighted = narrowing.sums[node]
        size = sum(map(abs, weighted.terms(values))) + abs(weighted.threshold)
        slope = np.array([weighted.numbers.get(c, 0.0) for c in moving]) * scales
        room = weighted.threshold - weighted.at(values)
        if branch:
            slope, room = -slope, -room - margin * max(size, 1e-12)
            room = min(room, -1e-300) if not len(moving) and room == 0 else room
        elif len(moving):
            room -= margin * size
        rows.append(np.concatenate((slope, -slope)))
        limits.append(room)
    return np.array(rows).reshape(len(rows), 2 * len(moving)), np.array(limits)


def _bounds(
    box: PartialBox, moving: Sequence[int], now: Floats, scales: Floats, margin: float
) -> tuple[Floats, Floats] | None:
    """Rows of A and b that keep moving columns in their regions; None if a column is no number."""
    n, rows, limits = len(moving), [], []
    for k, column in enumerate(moving):
        region = box.regions.get(column)
        if isinstance(region, Codes):
            return None
        if isinstance(region, NumberRange):
            unit = np.zeros(2 * n)
            unit[k], unit[n + k] = 1.0, -1.0
            if np.isfinite(region.high):
                rows.append(unit)
                limits.append((region.high - now[k]) / scales[k])
            if np.isfinite(region.low):
                rows.append(-unit)
                limits.append((now[k] - region.low) / scales[k] - margin)
    return np.array(rows).reshape(len(rows), 2 * n), np.array(limits)
