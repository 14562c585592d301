"""The rows of a node as points, what the best cuts along directions gain there, and what they leave to do.

A direction makes a number of every row; the core sorts these and scores every cut by the plan's criterion and
limits. Gaps are left out: a cut is worth what it gains on the known rows, times their share. A search asks
for scores, in doubles; the threshold of the split that is made is searched once more among the exact ones.

The best gain is not always the best start. At exclusive or the best cut takes off a corner; what counts is
what is left to do. So at a node of few rows (`look`) the cuts that gain enough are followed to the end by the
core, greedily along a fan of directions, and the one that needs the fewest leaves is taken.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from hornbeam import _core
from hornbeam._base.types import TIE, Bools, Floats, Longs
from hornbeam.growing import core
from hornbeam.growing.core import COLUMN_KINDS
from hornbeam.growing.missing import Fractional
from hornbeam.growing.stepwise_growth import Growth, Node
from hornbeam.tree.arrays import LEAF, THRESHOLD

Singles = NDArray[np.float32]


SEARCH = (1 / 2, 1 / 32)  # first and last step of a climb from afar
POLISH = (1 / 8, 1 / 1024)  # and from nearby
NEARBY = (1 / 32, 1 / 256)  # and from a direction that is good elsewhere
FINISH = (1 / 64, 1 / 1024)  # and where some of the rows led
_SAMPLE = 2048  # the most rows that are searched
_NUMERIC = COLUMN_KINDS.index("numeric")


class PointCloud:
    """Standardised columns at the rows of a node; columns that are constant there are left out.

    Attributes
    ----------
    columns : numbers of the columns
    scale : for each column what a standard unit is
    z : the standardised columns, [columns, rows], nan where missing
    """

    def __init__(self, growth: Growth, node: Node, columns: tuple[int, ...]) -> None:
        varying, scale, z = [], [], []
        for column in columns:
            standardised = _standardised(growth.numbers(column, node.rows), node.weight)
            if standardised is not None:
                varying.append(column)
                z.append(standardised[0])
                scale.append(standardised[1])
        self.columns = tuple(varying)
        self.scale: Floats = np.array(scale)
        self.z: Floats = np.array(z).reshape(len(varying), len(node.rows))

    def at(self, rows: Longs | slice) -> Singles:
        """The columns at some rows, in single precision: sums that differ by rounding only become equal."""
        return np.ascontiguousarray(self.z[:, rows], dtype=np.float32)


def _standardised(x: Floats, weight: Floats) -> tuple[Floats, float] | None:
    """The column less its mean, over its standard deviation, which is given too; None if that is nothing."""
    known: Bools = ~np.isnan(x)
    if not known.any():
        return None
    low, high = float(x[known].min()), float(x[known].max())
    half = high / 2 - low / 2
    if not half > 0:
        return None
    u: Floats = (x - (low + half)) / half  # from -1 to 1: its squares neither overflow nor vanish
    w = np.where(known, weight, 0.0)
    total = float(w.sum())
    centred = np.where(known, u, 0.0)
    mean = float((w * centred).sum()) / total
    deviation = np.sqrt(float((w * (centred - mean) ** 2).sum()) / total)
    scale = float(deviation) * half
    if not scale > 0 or not np.isfinite(1 / scale):
        return None
    return (u - mean) / deviation, scale


@dataclass(frozen=True)
class ScoredDirection:
    """A direction and the score of its best cut."""

    direction: Floats
    score: float

    @property
    def n_columns(self) -> int:
        """The columns of the sum."""
        return int(np.count_nonzero(self.direction))


def _with_cuts(directions: Iterable[Floats], scores: Sequence[float]) -> list[ScoredDirection]:
    """The directions whose score says that they have a cut."""
    pairs = zip(directions, scores, strict=True)
    return [ScoredDirection(direction, score) for direction, score in pairs if score > -math.inf]


class DirectionScorer:
    """Judges directions at some rows of a node: places among `node.rows`, all of them if None.

    Attributes
    ----------
    margin : scores closer than this are tied
    bound : the score no cut exceeds
    sampled : a search looks at one of so many rows
    n_rows : the rows judged, with their repetitions
    """

    def __init__(self, growth: Growth, node: Node, cloud: PointCloud, places: Longs | None = None) -> None:
        at = slice(None) if places is None else places
        rows, weight = node.rows[at], node.weight[at]
        self._goal = growth.core_target(rows, weight)
        limits, criterion = growth.plan.limits, growth.plan.criterion
        share, weight_here = len(rows) / len(node.rows), float(growth.weights(node.stats))
        self._limits = {
            "max_depth": 1,
            "min_rows_leaf": max(1, math.floor(limits.get("min_rows_leaf", 1) * share)),
            "min_weight_fraction": limits.get("min_weight_fraction", 0.0) * growth.total / weight_here,
        }
        self._options = self._goal | {
            "criterion": criterion.name,
            "level": criterion.level or 0.0,
            "loss_scale": criterion.loss_scale,
            "min_rows": float(self._limits["min_rows_leaf"]),
            "min_weight": self._limits["min_weight_fraction"] * float(weight.sum()),
        }
        self._growth, self.n_rows = growth, growth.count(rows)
        self.z = cloud.at(at)
        self.sampled = -(-len(rows) // _SAMPLE)
        self.bound = 1.0 if criterion.name == "gain-ratio" else node.impurity
        self.margin = TIE * self.bound

    def is_perfect(self, score: float) -> bool:
        """Whether nothing can score more."""
        return score >= self.bound - 100 * self.margin

    def scores(self, directions: Floats) -> Floats:
        """The score of each direction's best cut, -inf where there is none."""
        given = np.ascontiguousarray(directions, dtype=np.float64).ravel()
        return _core.score_directions(
            self.z.ravel(), len(self.z), self._options, given, self._growth.n_threads
        )

    def scored(self, directions: Sequence[Floats]) -> list[ScoredDirection]:
        """The directions that have a cut, with their scores."""
        scores = self.scores(np.array(directions)).tolist() if len(directions) else []
        return _with_cuts(directions, scores)

    def best(self, directions: Sequence[Floats]) -> ScoredDirection | None:
        """The best of some directions, of tied ones the first; None if none has a cut."""
        if not len(directions):
            return None
        scores = self.scores(np.asarray(directions))
        top = float(scores.max())
        if top == -math.inf:
            return None
        place = int(np.argmax(scores >= top - self.margin))
        return ScoredDirection(np.asarray(directions[place]), float(scores[place]))

    def climb(
        self, starts: Sequence[Floats], free: Sequence[Sequence[int]], most: int, steps: tuple[float, float]
    ) -> list[ScoredDirection]:
        """The direction that each start leads to; only weights of the columns `free` there change, and at
        most `most` are not 0.
        """
        if not len(starts):
            return []
        width, (first, last) = len(self.z), steps
        last = max(last, 0.25 / self.n_rows)  # of few rows there are few ways to part them
        given = np.array(starts, dtype=np.float64)
        changing = np.zeros(given.shape, dtype=np.uint8)
        for place, columns in enumerate(free):
            changing[place, list(columns)] = 1
        how = (first, last, most, self.margin, self.bound - 100 * self.margin)
        scores, directions, stopped = _core.climb(
            self.z.ravel(), width, self._options, given.ravel(), changing.ravel(), how, self._growth.n_threads
        )
        if stopped:
            raise KeyboardInterrupt
        return _with_cuts(directions.reshape(-1, width), scores.tolist())

    def look_ahead(
        self, directions: Sequence[Floats], least: float, depth: int, most: int, budget: int
    ) -> tuple[int, int]:
        """Of the cuts along directions that score more than `least` the one below which a greedy tree of some
        depth costs least: place of the direction (-1: none), rows below.
        """
        given = np.array(directions, dtype=np.float64).ravel()
        place, below, _, _ = _core.look_ahead(
            self.z.ravel(), len(self.z), self._options, given, least + self.margin, depth, most, budget
        )
        return place, below

    def threshold(self, values: Floats) -> float | None:
        """The exact best cut along some values of the rows; None if there is none."""
        growth = self._growth
        plan = replace(growth.plan, limits=self._limits, max_features=0, missing=Fractional())
        view = (values, _NUMERIC, THRESHOLD, 0)
        arrays, interrupted = core.grow(plan, growth.selection, [view], self._goal)
        if interrupted:
            raise KeyboardInterrupt
        return None if arrays["kind"][0] == LEAF else float(arrays["threshold"][0])


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
