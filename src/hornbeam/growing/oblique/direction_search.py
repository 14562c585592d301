"""Exploring: the good directions of a node, each at the end of a climb.

One idea: climbs start where a linear model points, along the diagonals of the best columns, and at random;
all of them rise by the same steps. Large nodes are explored on some of their rows, evenly spread over the
target; what is found is judged on all.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from hornbeam._base.types import Floats
from hornbeam.growing.oblique.direction_scores import NEARBY, POLISH, SEARCH, Found, Judge
from hornbeam.growing.oblique.directions import Gram
from hornbeam.growing.oblique.point_cloud import Cloud
from hornbeam.growing.splits.oblique import Oblique
from hornbeam.growing.stepwise_growth import Growth, Node

_GRID = 64  # random weights are multiples of 1 / _GRID
_ROWS_PER_RESTART = 4  # fewer rows need no more climbs
_KICKS = 16  # random changes of the best direction that are tried at once


def explore(
    growth: Growth,
    node: Node,
    cloud: Cloud,
    judge: Judge,
    ranked: list[int],
    most: int,
    part: Oblique,
    recalled: Sequence[Floats] = (),
) -> list[Found]:
    """Directions that gain much, with their scores by `judge`.

    `ranked` are the places of the columns, the best first; `most` the columns of a sum; `recalled` directions
    that are good elsewhere, from which climbs start instead of at random.
    """
    if judge.sampled == 1:
        return _Exploration(growth, node, cloud, judge, ranked, most, part, recalled).run()
    sample = Judge(growth, node, cloud, np.arange(0, len(node.rows), judge.sampled))
    found = _Exploration(growth, node, cloud, sample, ranked, most, part, recalled).run()
    again = judge.scores(np.array([one.direction for one in found])).tolist() if found else []
    return [Found(one.direction, score) for one, score in zip(found, again, strict=True) if score > -np.inf]


class _Exploration:
    def __init__(
        self,
        growth: Growth,
        node: Node,
        cloud: Cloud,
        judge: Judge,
        ranked: list[int],
        most: int,
        part: Oblique,
        recalled: Sequence[Floats],
    ) -> None:
        self.growth, self.node, self.cloud, self.judge, self.part = growth, node, cloud, judge, part
        self.ranked, self.most, self.recalled = ranked, most, recalled
        self.n_columns = len(cloud.columns)
        self.restarts = min(part.restarts, node.n_rows // _ROWS_PER_RESTART) if not len(recalled) else 0

    def run(self) -> list[Found]:
        """The end of every climb, and the best of them improved; none follows one that parts the rows
        perfectly.
        """
        everything = range(self.n_columns)
        found = self._recalled()
        if not self._is_perfect(found):
            found += self._climb(self._models())
        if found and not self._is_perfect(found) and self.restarts > 0:
            found += self._climb([(everything, some) for some in self._restarts(found)])
        if not found or self._is_perfect(found):
            return found
        best = max(found, key=lambda one: one.score)
        return [*self.judge.climb([best.direction], [everything], self.most, POLISH), *found]

    def _climb(self, groups: Sequence[tuple[Sequence[int], Sequence[Floats]]]) -> list[Found]:
        """The directions reached from the best of each group, by changing weights of some columns."""
        scores = self.judge.scores(np.concatenate([some for _, some in groups]))
        ends = np.cumsum([len(some) for _, some in groups])
        starts, free = [], []
        for (support, some), own in zip(groups, np.split(scores, ends[:-1]), strict=True):
            if own.max() > -np.inf:
                starts.append(some[int(np.argmax(own >= own.max() - self.judge.margin))])
                free.append(support)
        return self.judge.climb(starts, free, self.most, SEARCH)

    def _is_perfect(self, found: Sequence[Found]) -> bool:
        return any(self.judge.is_perfect(one.score) for one in found)

    def _recalled(self) -> list[Found]:
        """What is recalled, and where the best of it leads."""
        if not len(self.recalled):
            return []
        scores = self.judge.scores(np.array(self.recalled)).tolist()
        found = [
            Found(one, score) for one, score in zip(self.recalled, scores, strict=True) if score > -np.inf
        ]
        if not found or self._is_perfect(found):
            return found
        best = max(found, key=lambda one: one.score)
        return [*self.judge.climb([best.direction], [range(self.n_columns)], self.most, NEARBY), *found]

    # ---- where climbs start --------------------------------------------------------------------------------

    def _models(self) -> list[tuple[list[int], list[Floats]]]:
        """The best 2, the best 4 and all columns, each with directions of ridge regression and diagonals."""
        ranked = self.ranked
        gram = Gram(self.growth, self.node, self.cloud.z[ranked[: self.most]])  # columns in this order
        groups = []
        for width in sorted({2, min(4, self.most), self.most}):
            found = gram.ridge(width, self.part.ridge)
            ridges = [self._direction(ranked[:width], weights.tolist()) for weights in found]
            pairs = combinations(sorted(ranked[: min(width, 4)]), 2)
            diagonals = [self._direction(pair, (1.0, sign)) for pair in pairs for sign in (1.0, -1.0)]
            groups.append((sorted(ranked[:width]), [*diagonals, *ridges]))
        return groups

    def _restarts(self, found: Sequence[Found]) -> list[list[Floats]]:
        """In turn a random pair of columns, and random changes of the best direction."""
        random = np.random.default_rng([self.growth.plan.seed, self.node.key])
        best = max(found, key=lambda one: one.score).direction
        groups = [
            [self._random_pair(random)] if turn % 2 == 0 else self._kicks(best, random)
            for turn in range(self.restarts)
        ]
        return [some for some in groups if some]

    def _random_pair(self, random: np.random.Generator) -> Floats:
        pair = random.permutation(self.n_columns)[:2]
        weights = random.integers(1, _GRID + 1, 2) * (2 * random.integers(0, 2, 2) - 1) / _GRID
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
