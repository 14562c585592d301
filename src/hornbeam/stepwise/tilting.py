"""Tilting: a direction is improved one weight at a time.

One idea: raise or lower each weight by the same step, judge all of these directions at once, each by its
exact best cut, and take the best; if none is better, halve the step. (The coordinate search of CART-LC and
OC1, with the threshold not fixed but always the best.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hornbeam.arrays import Floats
from hornbeam.stepwise.cloud import projection
from hornbeam.stepwise.judging import Judge

SEARCH = (1 / 2, 1 / 32)  # first and last step of a search from afar
POLISH = (1 / 8, 1 / 1024)  # and from nearby
_MOST_STEPS = 200
_CELLS = 2**22  # values that are projected at a time


@dataclass(frozen=True)
class Found:
    """A direction and the score of its best cut."""

    direction: Floats
    score: float

    @property
    def n_columns(self) -> int:
        """The columns of the sum."""
        return int(np.count_nonzero(self.direction))


def best_start(judge: Judge, z: Floats, directions: Sequence[Floats]) -> Found | None:
    """The best of some directions."""
    cut = judge.best([projection(z, direction) for direction in directions])
    return None if cut is None else Found(directions[cut.place], cut.score)


def tilt(
    judge: Judge, z: Floats, start: Found, columns: Sequence[int], most: int, steps: tuple[float, float]
) -> Found:
    """The best direction that steps lead to; only weights of `columns` change, at most `most` are not 0."""
    found, (step, last) = start, steps
    last = max(last, 0.25 / z.shape[1])  # of few rows there are few ways to part them
    for _ in range(_MOST_STEPS):
        if step < last or found.score >= judge.bound - judge.margin:
            break
        free = columns if found.n_columns < most else [k for k in columns if found.direction[k] != 0]
        better = _best_step(judge, z, found, free, step)
        if better is None:
            step /= 2
        else:
            found = better
    return found


def _best_step(judge: Judge, z: Floats, found: Found, columns: Sequence[int], step: float) -> Found | None:
    """The best direction one step away, None if none is better."""
    here, best = projection(z, found.direction), found
    together = max(1, _CELLS // max(1, z.shape[1]))
    for first in range(0, len(columns), together):
        directions, projections = _steps(z, found.direction, here, columns[first : first + together], step)
        cut = judge.best(projections)
        if cut is not None and cut.score > best.score + judge.margin:
            best = Found(_scaled(directions[cut.place]), cut.score)
    return best if best is not found else None


def _steps(
    z: Floats, direction: Floats, here: Floats, columns: Sequence[int], step: float
) -> tuple[Floats, list[Floats]]:
    """Every direction one step away from one whose projection is `here`, and its projection."""
    changed, change = np.repeat(columns, 2), np.tile([step, -step], len(columns))
    every = np.arange(len(changed))
    directions = np.tile(direction, (len(changed), 1))
    directions[every, changed] += change
    projections = list(here + change.astype(z.dtype)[:, None] * z[changed])
    for place in np.flatnonzero(directions[every, changed] == 0).tolist():
        projections[place] = projection(z, directions[place])  # a column that leaves takes its gaps with it
    return directions, projections


def _scaled(direction: Floats) -> Floats:
    """The direction with its largest weight above 1/2 and up to 1; powers of two lose no bit."""
    _, exponent = np.frexp(np.nextafter(np.abs(direction).max(), 0.0))
    found: Floats = np.ldexp(direction, -exponent)
    return found
