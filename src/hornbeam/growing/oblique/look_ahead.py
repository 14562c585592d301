"""Looking: which of the cuts that gain enough leaves the smallest tree, at a node of few rows.

One idea: the best gain is not always the best start. At exclusive or the best cut takes off a corner; what
counts is what is left to do. So the cuts that gain enough are followed to the end by the core, greedily along
a fan of directions, and the one that needs the fewest leaves is taken.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from hornbeam._base.types import Floats
from hornbeam.growing.oblique.direction_scores import DirectionScorer, ScoredDirection
from hornbeam.growing.stepwise_growth import Growth, Node

# The most rows of a node looked at, the cuts followed there, and the cells read to choose these.
_GAIN = 1024, 8, 2**19
_RECALLED = 4096, 16, 2**21  # where directions are recalled; of few columns
_RECALLED_MANY = 4096, 8, 2**19
_LEAVES = 4096, 24, 2**25
# The best columns, pairs of which the fan turns through. It says little about sums of more: where gain is the
# aim it would rather mislead, and only what is recalled leads on.
_FAN_COLUMNS = 3
_OWN = 2  # the node's own directions that are followed beside what is recalled
_FAN = 8, 4  # parts of 45 degrees in the fan of two columns, and of more
_NEAR = 32, 4  # weights of the best direction change by up to 4/32


@dataclass(frozen=True)
class CutDirection:
    """A direction, and how many rows lie below its cut."""

    direction: Floats
    below: int


def look(
    growth: Growth,
    node: Node,
    judge: DirectionScorer,
    ranked: Sequence[int],
    directions: Sequence[ScoredDirection],
    recalled: Sequence[Floats],
    least: float,
    most: int,
) -> CutDirection | None:
    """The cut that leaves least to do; None if none scores more than `least`, or if nobody looks here.

    `ranked` are the places of the columns, the best first; `directions` good directions, the best first;
    `recalled` directions that are good elsewhere; `most` the columns of a sum.
    """
    depth = growth.plan.limits.get("max_depth", math.inf) - node.depth
    few = len(judge.z) <= _FAN_COLUMNS or not np.isfinite(least)
    if not np.isfinite(least):
        most_rows, *effort = _LEAVES
    elif len(recalled):
        most_rows, *effort = _RECALLED if few else _RECALLED_MANY
    else:
        most_rows, *effort = _GAIN
    if growth.is_real or depth < 2 or np.isnan(judge.z).any() or node.n_rows > most_rows:
        return None
    if not few and not len(recalled):
        return None
    best = ranked[:_FAN_COLUMNS]
    own = directions[:_OWN] if len(recalled) else directions
    pool = [*(one.direction for one in own), *np.eye(len(judge.z)), *recalled]
    if few and not len(recalled):
        pool += _fan(len(judge.z), best)
    if few and directions and np.isfinite(least):  # few cuts gain enough, and those are near the best
        pool += _near(directions[0].direction, best)
    pool = [one for one in pool if np.count_nonzero(one) <= most]
    place, below = judge.look_ahead(pool, least, int(min(depth, 64)), *effort)
    return None if place < 0 else CutDirection(pool[place], below)


def _fan(width: int, columns: Sequence[int]) -> list[Floats]:
    """Directions all around in the plane of every two of some columns, but not along them."""
    parts = _FAN[len(columns) > 2]
    tilts = [(1.0, k / parts) for k in range(-parts, parts + 1) if k != 0]
    tilts += [(k / parts, 1.0) for k in range(1 - parts, parts) if k != 0]
    pairs = list(combinations(sorted(columns), 2))
    fan = np.zeros((len(pairs), len(tilts), width))
    for place, pair in enumerate(pairs):
        fan[place][:, pair] = tilts
    return list(fan.reshape(-1, width))


def _near(direction: Floats, columns: Sequence[int]) -> list[Floats]:
    """A direction with one weight a little changed."""
    parts, most = _NEAR
    changed = [k for k in range(len(direction)) if direction[k] != 0 or k in columns]
    steps = [k / parts for k in range(-most, most + 1) if k != 0]
    near = np.tile(direction, (len(changed), len(steps), 1))
    for place, column in enumerate(changed):
        near[place, :, column] += steps
    return [one for one in near.reshape(-1, len(direction)) if one.any()]
