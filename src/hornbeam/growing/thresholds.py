"""Where a threshold lies between the two neighbouring training values that it separates.

Any number between them is the same tree on the training rows, so the default takes one that people can read
and say, and what is printed is what decides. Recipes of other programs cut where those cut.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence

import numpy as np

from hornbeam import _core
from hornbeam._base.types import AnyArray, Bools, Floats
from hornbeam.data.columns import Column
from hornbeam.data.formatting import TICKS_PER_SECOND, Display, parse_display, zone_named
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.growing.splits.column_splits import DRAWN
from hornbeam.tree.arrays import HYPERPLANE, THRESHOLD
from hornbeam.tree.tree import Tree

_ROUNDING = 4  # units in the last place by which half a sum may be off
_DAY = 86_400
_SUM = Column("sum", "numeric")


def place_thresholds(tree: Tree, table: Table, target: Target, place: str) -> Tree:
    """The tree with its numeric thresholds at the place named, one of `PLACES`."""
    if place == "value":
        return at_values(tree, table, target)
    threshold = placed(place, tree.columns, tree.kind, tree.column, tree.threshold, tree.gap)
    cut_column = np.repeat(tree.column, np.diff(tree.cut_offset))
    margins = np.stack([tree.cut_low, tree.cut_high], axis=1)
    kinds = np.full(len(cut_column), THRESHOLD)
    cuts = placed(place, tree.columns, kinds, cut_column, tree.cut_threshold, margins)
    moved = {"threshold": threshold, "cut_threshold": cuts}  # between the same values as before
    return Tree.unchecked(**(tree.attributes() | tree.arrays() | moved))


def placed(
    place: str, columns: Sequence[Column], kind: AnyArray, column: AnyArray, threshold: Floats, margin: Floats
) -> Floats:
    """The thresholds of some tests, those between two values of a numeric column at the place named.

    `margin` holds the two neighbouring training values of each threshold. Sums of columns, too, are cut at
    round numbers; the other places are those of programs that know no sums.
    """
    if place in ("value", DRAWN) or not len(threshold):  # moved when the whole tree stands, or never
        return threshold
    between = np.isfinite(threshold) & (margin[:, 0] < margin[:, 1])
    moved = threshold.copy()
    if place == "round" and len(own := np.flatnonzero(between & (kind == HYPERPLANE))):
        moved[own] = round_thresholds(margin[own, 0], margin[own, 1], _SUM)
    own = np.flatnonzero(between & (kind == THRESHOLD))
    numeric = [k for k in set(column[own].tolist()) if columns[k].kind == "numeric"]
    own = own[_marked(numeric, columns)[column[own]]]
    if place == "lower" or not len(own):
        moved[own] = margin[own, 0]
        return moved
    for k in numeric:
        if columns[k].is_time:
            of_time = own[column[own] == k]
            moved[of_time] = round_thresholds(margin[of_time, 0], margin[of_time, 1], columns[k], place)
            own = own[column[own] != k]
    short = [k for k in numeric if columns[k].display == "float32" and place == "round"]
    low, high = np.ascontiguousarray(margin[own, 0]), np.ascontiguousarray(margin[own, 1])
    single = _marked(short, columns)[column[own]]
    moved[own] = _core.round_thresholds(low, high, single, middle_only=place == "midpoint")
    return moved


def _marked(some: Sequence[int], columns: Sequence[Column]) -> Bools:
    """For each column whether it is one of some."""
    marks = np.zeros(len(columns), dtype=np.bool_)
    marks[some] = True
    return marks


def threshold_between(low: float, high: float, middle: float, column: Column, place: str) -> float:
    """One threshold between two neighbouring values of a numeric column, of which `middle` is the midpoint.

    >>> threshold_between(28.7125, 29.0, 28.85625, Column("x", "numeric"), "round")
    28.9
    """
    one = np.array([middle]), np.array([[low, high]])
    return float(placed(place, [column], np.array([THRESHOLD]), np.zeros(1, dtype=np.int64), *one)[0])


def round_thresholds(low: Floats, high: Floats, column: Column, place: str = "round") -> Floats:
    """A threshold of few digits between neighbouring values of a numeric column: `low` <= threshold < `high`.

    The midpoint where it has at most four significant digits or is half of a whole number; otherwise the
    shortest decimal in the middle half of the margin, the one nearest the middle. Times are cut at the start
    of a year, month, day, hour, minute or second, the longest of these that has one there. The "midpoint" is
    that of the two decimals: 1.8 between 1.7 and 1.9, whatever half the sum of the two doubles is.

    >>> column = Column("x", "numeric")
    >>> round_thresholds(np.array([2.7, 28.7125, 0.123151]), np.array([2.8, 29.0, 0.123849]), column)
    array([ 2.75 , 28.9  ,  0.1235])
    """
    how = parse_display(column.display)
    if how.is_time and place == "midpoint":
        return low / 2 + high / 2
    if how.is_time:
        return np.array([_round_time(*ends, how) for ends in zip(low.tolist(), high.tolist(), strict=True)])
    single = np.full(len(low), how.family == "float32" and place == "round")
    ends = np.ascontiguousarray(low), np.ascontiguousarray(high)
    return _core.round_thresholds(*ends, single, middle_only=place == "midpoint")


def at_values(tree: Tree, table: Table, target: Target) -> Tree:
    """The tree with every numeric threshold moved down to a value of the table's rows that count.

    >>> table, target = Table.learn({"x": [1.0, 2.0, 4.0]}), Target.classes_of(["a", "a", "b"])
    >>> tree = Tree.from_nested({"column": "x", "<=": 3.0, "yes": "a", "no": "b"}, columns=table.columns)
    >>> at_values(tree, table, target).text()
    'x[<=2: a | >2: b]'
    """
    numeric = np.array([column.kind == "numeric" for column in tree.columns], dtype=np.bool_)
    cuts = np.flatnonzero((tree.kind == THRESHOLD) & np.isfinite(tree.threshold))
    cuts = cuts[numeric[tree.column[cuts]]]
    if not len(cuts):
        return tree
    threshold, gap = tree.threshold.copy(), tree.gap.copy()
    counted = target.row_weight > 0
    for column in np.unique(tree.column[cuts]).tolist():
        values = table.arrays[column][counted]
        values = np.unique(values[~np.isnan(values)]).astype(np.float64) + 0.0  # -0.0 becomes 0.0
        nodes = cuts[tree.column[cuts] == column]
        middle = tree.threshold[nodes]
        middle = middle + _ROUNDING * np.spacing(np.abs(middle))  # a value in the middle is not above it
        middle = np.where(middle < tree.gap[nodes, 1], middle, tree.threshold[nodes])
        place = np.maximum(np.searchsorted(values, middle, side="right") - 1, 0)
        threshold[nodes] = values[place]
        gap[nodes, 0], gap[nodes, 1] = values[place], values[np.minimum(place + 1, len(values) - 1)]
    return Tree.unchecked(**(tree.attributes() | tree.arrays() | {"threshold": threshold, "gap": gap}))


# ---- times -------------------------------------------------------------------------------------------------


def _round_time(low: float, high: float, how: Display) -> float:
    """The start of the longest unit of time that lies in the middle half, nearest to the middle."""
    quarter = (high - low) / 4
    middle = low / 2 + high / 2
    for start in _starts(middle, how):
        if low + quarter <= start <= high - quarter and low <= start < high:
            return float(start)
    return middle


def _starts(ticks: float, how: Display) -> Iterator[float]:
    """Of each unit of time, longest first, the start nearest to an instant."""
    second = TICKS_PER_SECOND[how.unit]
    if how.family == "datetime64":
        yield from _calendar_starts(ticks / second, how, second)
        offset = _offset(ticks / second, how)
    else:
        offset = 0
    for length in (_DAY, 3600, 60, 1):
        step = length * second
        yield round((ticks + offset * second) / step) * step - offset * second
    part = second
    while part > 1:
        part //= 10
        yield round(ticks / part) * part


def _calendar_starts(seconds: float, how: Display, second: int) -> Iterator[float]:
    """The nearest start of a year and of a month, in the column's time zone."""
    zone = zone_named(how.zone) if how.zone else dt.UTC
    try:
        moment = dt.datetime.fromtimestamp(seconds, zone)
    except (OverflowError, OSError, ValueError):  # outside the years 1 to 9999
        return
    year, month = moment.year, moment.month
    years = [dt.datetime(y, 1, 1, tzinfo=zone) for y in (year, year + 1) if y <= dt.MAXYEAR]
    months = [dt.datetime(year, month, 1, tzinfo=zone)]
    if (year, month) != (dt.MAXYEAR, 12):
        months.append(dt.datetime(year + month // 12, month % 12 + 1, 1, tzinfo=zone))
    for starts in (years, months):
        yield min((start.timestamp() for start in starts), key=lambda t: abs(t - seconds)) * second


def _offset(seconds: float, how: Display) -> int:
    """Seconds by which the column's time zone is ahead at an instant."""
    if not how.zone:
        return 0
    try:
        ahead = dt.datetime.fromtimestamp(seconds, zone_named(how.zone)).utcoffset()
    except (OverflowError, OSError, ValueError):
        return 0
    return 0 if ahead is None else round(ahead.total_seconds())
