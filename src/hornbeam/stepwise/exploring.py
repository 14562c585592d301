"""Exploring: the good directions of a node, each at the end of a search.

One idea: searches start where a linear model points, along the diagonals of the best columns, and at
random; all of them climb by the same steps (`tilting`). Large nodes are explored on some of their rows,
evenly spread over the target; what is found is judged on all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from hornbeam.arrays import Floats
from hornbeam.splitting.oblique import Oblique
from hornbeam.stepwise import axis
from hornbeam.stepwise.cloud import Cloud
from hornbeam.stepwise.directions import Gram
from hornbeam.stepwise.growth import Growth, Node
from hornbeam.stepwise.judging import Judge
from hornbeam.stepwise.tilting import POLISH, SEARCH, Found, best_start, tilt

_SAMPLE = 2048  # the most rows a node is explored on
_GRID = 64  # random weights are multiples of 1 / _GRID
_ROWS_PER_RESTART = 4  # fewer rows need no more searches
_KICKS = 16  # random changes of the best direction that are tried at once


def explore(growth: Growth, node: Node, cloud: Cloud, judge: Judge, part: Oblique) -> list[Found]:
    """Directions that gain much, with their scores by `judge`."""
    step = -(-len(node.rows) // _SAMPLE)
    sample = judge if step == 1 else Judge(growth, node, np.arange(0, len(node.rows), step))
    found = _Exploration(growth, node, cloud, sample, part).run()
    if sample is judge:
        return found
    z = cloud.at(judge.rows)
    again = [best_start(judge, z, [one.direction]) for one in found]
    return [one for one in again if one is not None]


class _Exploration:
    def __init__(self, growth: Growth, node: Node, cloud: Cloud, judge: Judge, part: Oblique) -> None:
        self.growth, self.node, self.cloud, self.judge, self.part = growth, node, cloud, judge, part
        self.z = cloud.at(judge.rows)
        self.n_columns = len(cloud.columns)
        # Two columns at least, more where there are twice as many rows.
        self.most = min(part.max_columns or self.n_columns, self.n_columns, max(2, node.n_rows // 2))

    def run(self) -> list[Found]:
        """The end of every search, until one parts the rows perfectly."""
        found: list[Found] = []
        for support, starts in self._models():
            self._climb(starts, support, SEARCH, found)
            if self._is_perfect(found):
                return found
        random = np.random.default_rng([self.growth.plan.seed, self.node.key])
        everything = range(self.n_columns)
        for turn in range(min(self.part.restarts, len(self.node.rows) // _ROWS_PER_RESTART)):
            if turn % 2 == 0:
                self._climb([self._random_pair(random)], everything, SEARCH, found)
            elif found:
                best = max(found, key=lambda one: one.score)
                self._climb(self._kicks(best.direction, random), everything, POLISH, found)
            if self._is_perfect(found):
                break
        return found

    def _climb(
        self, starts: Sequence[Floats], support: Sequence[int], steps: tuple[float, float], out: list[Found]
    ) -> None:
        """Add the direction reached from the best of some starts."""
        start = best_start(self.judge, self.z, starts)
        if start is not None:
            out.append(tilt(self.judge, self.z, start, support, self.most, steps))

    def _is_perfect(self, found: Sequence[Found]) -> bool:
        return any(one.score >= self.judge.bound - self.judge.margin for one in found)

    # ---- where searches start ------------------------------------------------------------------------------

    def _models(self) -> Iterator[tuple[list[int], list[Floats]]]:
        """The best 2, the best 4 and all columns, each with directions of ridge regression and diagonals."""
        ranked = self._ranked()
        gram = Gram(self.growth, self.node, self.cloud.z[ranked[: self.most]])  # columns in this order
        for width in sorted({2, min(4, self.most), self.most}):
            found = gram.ridge(width, self.part.ridge)
            ridges = [self._direction(ranked[:width], weights.tolist()) for weights in found]
            pairs = combinations(sorted(ranked[: min(width, 4)]), 2)
            diagonals = [self._direction(pair, (1.0, sign)) for pair in pairs for sign in (1.0, -1.0)]
            yield sorted(ranked[:width]), [*diagonals, *ridges]

    def _ranked(self) -> list[int]:
        """Places in the cloud, the columns of the best plain tests first."""
        proposals = axis.each(self.growth, self.node, self.cloud.columns)
        scores = {one.split.columns[0]: one.score for one in proposals}
        return sorted(range(self.n_columns), key=lambda k: -scores.get(self.cloud.columns[k], -np.inf))

    def _random_pair(self, random: np.random.Generator) -> Floats:
        pair = random.choice(self.n_columns, 2, replace=False)
        weights = random.integers(1, _GRID + 1, 2) * random.choice([-1.0, 1.0], 2) / _GRID
        return self._direction(pair.tolist(), weights.tolist())

    def _kicks(self, direction: Floats, random: np.random.Generator) -> list[Floats]:
        """Random changes of a direction, of all columns if a sum may take them all, otherwise of its own."""
        changed = np.arange(self.n_columns) if self.most == self.n_columns else np.flatnonzero(direction)
        found = np.tile(direction, (_KICKS, 1))
        found[:, changed] += random.integers(-_GRID, _GRID + 1, (_KICKS, len(changed))) / _GRID / 2
        return [one for one in found if one.any()]

    def _direction(self, columns: Sequence[int], weights: Sequence[float]) -> Floats:
        found = np.zeros(self.n_columns)
        found[list(columns)] = weights
        return found
