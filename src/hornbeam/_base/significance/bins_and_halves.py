"""Ways to part values: numbers into a few bins, and some values into two sets.

A bin ends where so many rows have gone by that the next share of 1 / n_bins is full; a value is never torn
apart. The bins depend on the values and their counts only, not on the order of the rows.

A half is named by the side that holds the first value; fewest values first, then lexicographic (K4). Up to 12
values all halves are tried. With more, the values are put in order (of each share, and of the principal
component of the shares: Coppersmith, Hong & Hosking 1999) and cut there; for two classes or means the best
half is among those cuts (Breiman et al. 1984).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np
import numpy.typing as npt

from hornbeam._base.types import Bools, Floats, Longs, midpoint


@dataclass(frozen=True)
class Cut:
    """A threshold with the neighbouring training values."""

    threshold: float
    low: float = math.nan
    high: float = math.nan

    @staticmethod
    def between(low: float, high: float) -> Cut:
        """The cut between two neighbouring values: their midpoint.

        >>> Cut.between(1.0, 2.0)
        Cut(threshold=1.5, low=1.0, high=2.0)
        """
        return Cut(float(midpoint(low, high)), low, high)


def quantile_cuts(values: Floats, counts: Longs, n_bins: int) -> tuple[Cut, ...]:
    """The cuts of at most `n_bins` bins of about equally many rows; of few values each has its own bin.

    Parameters
    ----------
    values, counts : the value of each row, none of them missing, and how often the row is repeated

    Examples
    --------
    >>> x = np.array([1.0, 1.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    >>> [cut.threshold for cut in quantile_cuts(x, np.ones(8, dtype=int), 4)]  # 1, 2, 3-4, 5-6
    [1.5, 2.5, 4.5]
    """
    distinct, rank = np.unique(values, return_inverse=True)
    if len(distinct) <= n_bins:
        ends: Sequence[int] = range(len(distinct) - 1)
    else:
        below = np.cumsum(np.bincount(rank.reshape(-1), weights=counts)).astype(np.int64)
        full = np.array([k * int(below[-1]) for k in range(1, n_bins)])
        first_full = np.unique(
            np.searchsorted(below * n_bins, full)
        )  # the first value at which a share is full
        ends = first_full[first_full < len(distinct) - 1].tolist()
    return tuple(Cut.between(float(distinct[i]), float(distinct[i + 1])) for i in ends)


def bins(values: npt.NDArray[np.floating], cuts: Sequence[Cut]) -> Longs:
    """The bin of each value, -1 where it is missing.

    >>> bins(np.array([0.0, 1.5, 9.0, np.nan]), [Cut(1.5), Cut(2.5)])
    array([ 0,  0,  2, -1])
    """
    bin_of_row = np.searchsorted([cut.threshold for cut in cuts], values)
    return np.where(np.isnan(values), -1, bin_of_row).astype(np.int64)


# Halves ---------------------------------------------------------------------------------------------------


EXHAUSTIVE = 12  # so many values are tried in full


def halves(shares: Floats) -> Bools:
    """One row per half, true for the values on the side of the first value.

    Parameters
    ----------
    shares : one row per value: its class shares, or its mean

    Examples
    --------
    >>> halves(np.array([[0.1], [0.5], [0.2]])).astype(int)
    array([[1, 0, 0],
           [1, 1, 0],
           [1, 0, 1]])
    """
    n = len(shares)
    if n <= EXHAUSTIVE:
        return _all(n)
    keys = list(shares.T)
    if len(keys) > 2:
        keys.append(_principal(shares))
    elif len(keys) == 2:
        keys = keys[1:]
    sides = [order[:k] for order in (np.argsort(key, kind="stable") for key in keys) for k in range(1, n)]
    members = np.zeros((len(sides), n), dtype=bool)
    for row, side in enumerate(sides):
        members[row, side] = True
    members[~members[:, 0]] = ~members[~members[:, 0]]
    return _in_order(members)


def runs(n: int) -> Bools:
    """The halves of n values in order: the first k against the rest.

    >>> runs(3).astype(int)
    array([[1, 0, 0],
           [1, 1, 0]])
    """
    return np.tri(max(n - 1, 0), n, dtype=bool)


def runs_with_floating(n: int) -> Bools:
    """The halves of n - 1 values in order and a last one that may join either side, or stand alone.

    >>> runs_with_floating(3).astype(int)
    array([[1, 0, 0],
           [1, 0, 1],
           [1, 1, 0]])
    """
    ordered = runs(n - 1)
    rows = [np.append(half, floating) for half in ordered for floating in (False, True)]
    rows.append(np.append(np.ones(n - 1, dtype=bool), False))
    return np.array(rows)


@lru_cache(maxsize=16)
def _all(n: int) -> Bools:
    sides = [(0, *rest) for k in range(n - 1) for rest in combinations(range(1, n), k)]
    members = np.zeros((len(sides), n), dtype=bool)
    for row, side in enumerate(sides):
        members[row, list(side)] = True
    members.flags.writeable = False
    return members


def _in_order(members: Bools) -> Bools:
    """Each half once, fewest values first, then lexicographic (values present early come first)."""
    members = members[np.lexsort((*(~members).T[::-1], members.sum(axis=1)))]
    is_other: Bools = np.ones(len(members), dtype=bool)
    is_other[1:] = (members[1:] != members[:-1]).any(axis=1)
    result: Bools = members[is_other]
    return result


def _principal(shares: Floats) -> Floats:
    """The place of each value along the direction in which the shares vary most."""
    centred = shares - shares.mean(axis=0)
    _, _, directions = np.linalg.svd(centred, full_matrices=False)
    direction = directions[0] * np.sign(directions[0][np.argmax(np.abs(directions[0]))])
    projection: Floats = np.round(centred @ direction, 12)
    return projection
