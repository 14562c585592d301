"""Halves: the ways to part some values into two sets, in the order of K4.

One idea: a half is named by the side that holds the first value; fewest values first, then lexicographic. Up
to 12 values all halves are tried. With more, the values are put in order (of each share, and of the principal
component of the shares: Coppersmith, Hong & Hosking 1999) and cut there; for two classes or means the best
half is among those cuts (Breiman et al. 1984).
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations

import numpy as np

from hornbeam._base.types import Bools, Floats

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
    members = np.unique(members, axis=0)
    order = np.lexsort((*(~members).T[::-1], members.sum(axis=1)))
    result: Bools = members[order]
    return result


def _principal(shares: Floats) -> Floats:
    """The place of each value along the direction in which the shares vary most."""
    centred = shares - shares.mean(axis=0)
    _, _, directions = np.linalg.svd(centred, full_matrices=False)
    direction = directions[0] * np.sign(directions[0][np.argmax(np.abs(directions[0]))])
    projection: Floats = np.round(centred @ direction, 12)
    return projection
