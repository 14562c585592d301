"""The variables of an equation, from the columns of a table.

One idea: whatever an equation uses is a column of numbers: a numeric column, a power of it, or for a nominal
one "the value is among those of the highest means", one such for each place where the values, in order of the
mean target, can be cut in two (Breiman et al. 1984; Wang & Witten 1997). Of very many places some are taken.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hornbeam._base.parameters import is_number
from hornbeam._base.types import AnyArray
from hornbeam.data.columns import Column
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.growing.leaves.fit_equations import Variable
from hornbeam.growing.part import column_place

MOST_CUTS = 64
"""Variables of one nominal column: of more places those that part its rows evenly are taken."""


def chosen_columns(given: Any, columns: Sequence[Column]) -> list[int]:
    """The numeric columns an equation may use: all that are plain numbers, or those named.

    >>> chosen_columns(["b"], [Column("a", "numeric"), Column("b", "numeric")])
    [1]
    """
    if given is None or isinstance(given, str):
        return [k for k, column in enumerate(columns) if column.is_number]
    places = []
    for name in given:
        place = column_place("columns names", name, columns)
        if columns[place].kind != "numeric":
            raise ValueError(
                f"columns names {columns[place].name!r}, which is {columns[place].kind}: equations are made"
                " of numeric columns"
            )
        places.append(place)
    return sorted(set(places))


def power_center(column: Column) -> float:
    """What powers of a column are taken around: 0, or a round number near the middle of a range far from 0.

    >>> power_center(Column("x", "numeric", low=0.0, high=3.0))
    0.0
    >>> power_center(Column("year", "numeric", low=1953.0, high=2014.0))
    1980.0
    """
    middle, half = column.low / 2 + column.high / 2, column.high / 2 - column.low / 2
    if not math.isfinite(middle) or abs(middle) <= 2 * half or half <= 0:
        return 0.0 if half != 0 or math.isnan(middle) else middle
    return float(round(middle, -math.floor(math.log10(half))))


def powers(table: Table, places: Sequence[int], degree: int, signs: Mapping[int, int]) -> list[Variable]:
    """Every chosen column and its powers up to `degree`; a constrained column enters as it is only."""
    variables: list[Variable] = []
    for power in range(1, degree + 1):
        for place in places:
            if power > 1 and signs.get(place):
                continue
            center = power_center(table.columns[place]) if degree > 1 else 0.0
            values = table.arrays[place]
            if power > 1 or center:
                with np.errstate(over="ignore"):
                    values = (values.astype(np.float64) - center) ** power
            variables.append(Variable(place, values, power, center))
    return variables


def synthetic(table: Table, target: Target) -> list[Variable]:
    """For every nominal column of k values k - 1 variables that are 0 or 1, in order of the mean target."""
    variables = []
    for place, column in enumerate(table.columns):
        if column.kind == "nominal":
            order, totals = _by_mean(table.arrays[place], target, len(column.categories))
            for cut in cuts(totals[order]):
                codes = tuple(sorted(order[cut:]))
                value = np.full(len(column.categories) + 1, np.nan, dtype=np.float32)
                value[:-1] = 0
                value[list(codes)] = 1
                variables.append(Variable(place, value[table.arrays[place]], 0, 0.0, codes))
    return variables


def cuts(weight: AnyArray) -> list[int]:
    """Where values of these weights are cut in two: everywhere, or at MOST_CUTS places that part them evenly.

    >>> cuts(np.array([5.0, 1.0, 2.0]))
    [1, 2]
    """
    if len(weight) <= MOST_CUTS + 1:
        return list(range(1, len(weight)))
    before = np.cumsum(weight)
    even = before[-1] * np.arange(1, MOST_CUTS + 1) / (MOST_CUTS + 1)
    places = np.clip(np.searchsorted(before, even) + 1, 1, len(weight) - 1)
    return sorted({int(cut) for cut in places})


def _by_mean(codes: AnyArray, target: Target, n: int) -> tuple[list[int], AnyArray]:
    """The codes that occur, in order of their mean target, ties in code order, and what each one weighs."""
    assert target.values is not None
    weight = target.row_weight
    taken = np.flatnonzero((codes >= 0) & (weight > 0))
    codes, weight, values = codes[taken], weight[taken], target.values[taken]
    order = np.lexsort((weight, values, codes))  # sums are the same whatever the order of rows
    totals = np.bincount(codes[order], weights=weight[order], minlength=n)
    sums = np.bincount(codes[order], weights=(weight * values)[order], minlength=n)
    present = np.flatnonzero(totals > 0)
    by_mean: list[int] = present[np.argsort(sums[present] / totals[present], kind="stable")].tolist()
    return by_mean, totals


def number_of(name: str, value: Any, least: float = 0.0) -> float:
    """A finite number of at least `least`."""
    if not is_number(value) or not least <= value < math.inf:
        raise ValueError(f"{name}={value!r} must be a finite number of at least {least:g}")
    return float(value)
