"""Rates: events over exposure, which is the time, area or number in which they were counted.

Survival times are rates, too: a row observed for some time has one event or none, and its exposure is the
cumulative hazard of all rows up to that time. So an exposure of 2 means that a row like all others would have
had two events by then; a group's events over its exposure are its risk relative to all rows.

References
----------
LeBlanc, M. & Crowley, J. (1992). Relative risk trees for censored survival data. Biometrics 48, 411-425.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hornbeam._base.types import Bools, Floats, Longs, sums_by_place
from hornbeam.data.weights_and_costs import one_per_row


def exposed(
    values: Floats, weights: Floats | None, exposure: Any, largest: float
) -> tuple[Floats, Floats | None]:
    """Rates per unit of exposure, and row weights times exposure.

    >>> exposed(np.array([3.0, 1.0]), None, [2.0, 0.5], 1e150)
    (array([1.5, 2. ]), array([2. , 0.5]))
    """
    if exposure is None:
        return values, weights
    each = one_per_row(exposure, len(values), "exposure")
    none = np.flatnonzero(each == 0)
    if len(none):
        raise ValueError(
            f"exposure[{none[0]}]=0 must be above 0, since nothing can happen without exposure: drop the row"
        )
    with np.errstate(over="ignore"):
        rates: Floats = values / each
    far = np.flatnonzero(~(np.abs(rates) <= largest))
    if len(far):
        raise ValueError(
            f"y[{far[0]}] / exposure[{far[0]}] is beyond {largest:g}, whose square float64 cannot hold: use"
            " a larger unit of exposure"
        )
    return rates, each if weights is None else weights * each


def refuse_no_rate(values: Floats | None, weights: Floats | None, counts: Longs | None) -> None:
    """Raise unless all values are at least 0, and a row that counts has a positive one."""
    assert values is not None
    negative = np.flatnonzero(values < 0)
    if len(negative):
        raise ValueError(
            "Some value(s) of y are negative which is not allowed for Poisson regression:"
            f" y[{negative[0]}]={values[negative[0]]:g}; use criterion='variance'"
        )
    taken = values if weights is None else values * (weights > 0)
    if not (taken if counts is None else taken * (counts > 0)).any():
        raise ValueError(
            "Sum of y is not strictly positive which is necessary for Poisson regression: no row that counts"
            " has a positive y; use criterion='variance'"
        )


def hazard_exposure(times: Floats, events: Bools, weights: Floats) -> Floats:
    """The cumulative hazard of all rows at the time of each, as rpart scales time (`method="exp"`).

    Between two event times the hazard is even: events over the time that rows spent there. The last interval
    reaches to the last time of all, so the exposures of all rows sum to the number of events.

    >>> hazard_exposure(np.array([1.0, 2.0, 4.0]), np.array([True, False, True]), np.ones(3)).round(4)
    array([0.3333, 0.5833, 1.0833])
    """
    live = weights > 0
    time, event, weight = times[live], events[live], weights[live]
    ends = np.unique(time[event])
    ends[-1] = time.max()
    edges = np.concatenate(([0.0], ends))
    length, n = np.diff(edges), len(ends)
    interval = np.searchsorted(ends, time, side="left")
    leaving = sums_by_place(interval, weight, n)
    staying = np.concatenate((np.cumsum(leaving[::-1])[::-1][1:], [0.0]))
    spent = length * staying + sums_by_place(interval, weight * (time - edges[interval]), n)
    hazard = sums_by_place(interval, weight * event, n) / spent
    return np.interp(times, edges, np.concatenate(([0.0], np.cumsum(hazard * length))))
