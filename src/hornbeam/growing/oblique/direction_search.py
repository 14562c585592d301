"""The good directions of a node, each at the end of a climb.

Climbs start where a linear model points, along the diagonals of the best columns, and at random; all of them
rise by the same steps. Large nodes are explored on some of their rows, evenly spread over the target; the
directions that come out are judged on all rows.

The linear models come from one Gram matrix. With the products of all columns tallied once, the ridge
regression on any of them is a small system of equations: (G + ridge I) a = b, with G the correlations of the
columns and b those with the target. For classes b is the indicator of each class (of two classes the first),
for a real target the target itself. Gaps count as the column's mean. Sums are taken in a fixed order and the
equations are solved without a library whose rounding depends on the machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations

import numpy as np

from hornbeam._base.types import Floats
from hornbeam.growing.oblique.direction_scores import (
    NEARBY,
    POLISH,
    SEARCH,
    DirectionScorer,
    PointCloud,
    ScoredDirection,
)
from hornbeam.growing.splits.oblique import Oblique
from hornbeam.growing.stepwise_growth import Growth, Node, child_key

_GRAIN = 2.0**-10  # directions are multiples of this, so that rounding in the last bits does not show
_CELLS = 2**20  # products that are taken at a time
_MOST_CLASSES = 8  # indicators of the heaviest classes are enough


_GRID = 64  # random weights are multiples of 1 / _GRID
_ROWS_PER_RESTART = 4  # fewer rows need no more climbs
_KICKS = 16  # random changes of the best direction that are tried at once


class Gram:
    """The products of the standardised columns with each other and with the target, per unit of weight.

    Attributes
    ----------
    products : [columns, columns]
    targets : [columns, number of indicators]
    """

    def __init__(self, growth: Growth, node: Node, z: Floats) -> None:
        z = np.where(np.isnan(z), 0.0, z)
        total = float(node.weight.sum())
        self.products: Floats = np.empty((len(z), len(z)))
        indicators = _indicators(growth, node)
        self.targets: Floats = np.empty((len(z), len(indicators)))
        together = max(1, _CELLS // len(node.rows))
        for k, column in enumerate(z):
            weighted = node.weight * column
            for first in range(k, len(z), together):
                some = slice(first, first + together)
                self.products[k, some] = (weighted * z[some]).sum(axis=1) / total
            self.products[k:, k] = self.products[k, k:]
            self.targets[k] = [(weighted * one).sum() / total for one in indicators]

    def ridge(self, width: int, penalty: float) -> list[Floats]:
        """The directions of ridge regression on the first `width` columns; flat ones are left out."""
        matrix = self.products[:width, :width] + penalty * np.eye(width)
        directions = [_grained(weights) for weights in _solve(matrix, self.targets[:width]).T]
        return [direction for direction in directions if direction is not None]


def _grained(direction: Floats) -> Floats | None:
    """The direction with the largest weight 1 or -1, the others multiples of the grain; None if flat."""
    largest = float(np.abs(direction).max())
    if not largest > 0 or not np.isfinite(largest):
        return None
    return np.round(direction / largest / _GRAIN) * _GRAIN


def _indicators(growth: Growth, node: Node) -> list[Floats]:
    """What the columns are regressed on, centred."""
    if growth.codes is None:
        assert growth.values is not None
        y = growth.values[node.rows]
        half = y.max() / 2 - y.min() / 2
        outcomes = [(y - (y.min() + half)) / half]
    else:
        codes = growth.codes[node.rows]
        present = np.flatnonzero(node.stats > 0)
        heaviest = present[np.argsort(-node.stats[present], kind="stable")][:_MOST_CLASSES]
        classes = present[:1] if len(present) == 2 else np.sort(heaviest)
        outcomes = [(codes == code).astype(np.float64) for code in classes.tolist()]
    total = float(node.weight.sum())
    return [one - float((node.weight * one).sum()) / total for one in outcomes]


def _solve(matrix: Floats, right: Floats) -> Floats:
    """Cholesky's method, one column at a time; the matrix is symmetric and positive definite."""
    left, n = matrix.copy(), len(matrix)
    solution = right.copy()
    for k in range(n):
        left[k:, k] /= np.sqrt(left[k, k])
        below = left[k + 1 :, k]
        left[k + 1 :, k + 1 :] -= below[:, None] * below[None, :]
        solution[k] /= left[k, k]
        solution[k + 1 :] -= below[:, None] * solution[k][None, :]
    for k in reversed(range(n)):
        solution[k] /= left[k, k]
        solution[:k] -= left[k, :k][:, None] * solution[k][None, :]
    return solution


def explore(
    growth: Growth,
    node: Node,
    cloud: PointCloud,
    judge: DirectionScorer,
    ranked: list[int],
    most: int,
    part: Oblique,
    recalled: Sequence[Floats] = (),
) -> list[ScoredDirection]:
    """Directions that gain much, with their scores by `judge`.

    `ranked` are the places of the columns, the best first; `most` the columns of a sum; `recalled` directions
    that are good elsewhere, from which climbs start instead of at random.
    """
    if judge.sampled == 1:
        return _Exploration(growth, node, cloud, judge, ranked, most, part, recalled).run()
    sample = DirectionScorer(growth, node, cloud, np.arange(0, len(node.rows), judge.sampled))
    explored = _Exploration(growth, node, cloud, sample, ranked, most, part, recalled).run()
    return judge.scored([one.direction for one in explored])


@dataclass
class _Exploration:
    growth: Growth
    node: Node
    cloud: PointCloud
    judge: DirectionScorer
    ranked: list[int]
    most: int
    part: Oblique
    recalled: Sequence[Floats]

    def __post_init__(self) -> None:
        self.n_columns = len(self.cloud.columns)
        self.restarts = min(self.part.restarts, self.node.n_rows // _ROWS_PER_RESTART)
        self.restarts = 0 if len(self.recalled) else self.restarts

    def run(self) -> list[ScoredDirection]:
        """The end of every climb, and the best of them improved; none follows one that parts the rows
        perfectly.
        """
        everything = range(self.n_columns)
        directions = self._recalled()
        if not self._is_perfect(directions):
            directions += self._climb(self._models())
        if directions and not self._is_perfect(directions) and self.restarts > 0:
            directions += self._climb([(everything, some) for some in self._restarts(directions)])
        if not directions or self._is_perfect(directions):
            return directions
        best = max(directions, key=lambda one: one.score)
        return [*self.judge.climb([best.direction], [everything], self.most, POLISH), *directions]

    def _climb(self, groups: Sequence[tuple[Sequence[int], Sequence[Floats]]]) -> list[ScoredDirection]:
        """The directions reached from the best of each group, by changing weights of some columns."""
        scores = self.judge.scores(np.concatenate([some for _, some in groups]))
        ends = np.cumsum([len(some) for _, some in groups])
        starts, free = [], []
        for (support, some), own in zip(groups, np.split(scores, ends[:-1]), strict=True):
            if own.max() > -np.inf:
                starts.append(some[int(np.argmax(own >= own.max() - self.judge.margin))])
                free.append(support)
        return self.judge.climb(starts, free, self.most, SEARCH)

    def _is_perfect(self, directions: Sequence[ScoredDirection]) -> bool:
        return any(self.judge.is_perfect(one.score) for one in directions)

    def _recalled(self) -> list[ScoredDirection]:
        """What is recalled, and where the best of it leads."""
        directions = self.judge.scored(self.recalled)
        if not directions or self._is_perfect(directions):
            return directions
        best = max(directions, key=lambda one: one.score)
        return [*self.judge.climb([best.direction], [range(self.n_columns)], self.most, NEARBY), *directions]

    # ---- where climbs start --------------------------------------------------------------------------------

    def _models(self) -> list[tuple[list[int], list[Floats]]]:
        """The best 2, the best 4 and all columns, each with directions of ridge regression and diagonals."""
        ranked = self.ranked
        gram = Gram(self.growth, self.node, self.cloud.z[ranked[: self.most]])  # columns in this order
        groups = []
        for width in sorted({2, min(4, self.most), self.most}):
            solutions = gram.ridge(width, self.part.ridge)
            ridges = [self._direction(ranked[:width], weights.tolist()) for weights in solutions]
            pairs = combinations(sorted(ranked[: min(width, 4)]), 2)
            diagonals = [self._direction(pair, (1.0, sign)) for pair in pairs for sign in (1.0, -1.0)]
            groups.append((sorted(ranked[:width]), [*diagonals, *ridges]))
        return groups

    def _restarts(self, directions: Sequence[ScoredDirection]) -> list[list[Floats]]:
        """In turn a random pair of columns, and random changes of the best direction."""
        of_path = reduce(child_key, self.node.path, 1)  # not the node's key: sums stay as they were
        random = np.random.default_rng([self.growth.plan.seed, of_path])
        best = max(directions, key=lambda one: one.score).direction
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
        kicked = np.tile(direction, (_KICKS, 1))
        kicked[:, changed] += random.integers(-_GRID, _GRID + 1, (_KICKS, len(changed))) / _GRID / 2
        return [one for one in kicked if one.any()]

    def _direction(self, columns: Sequence[int], weights: Sequence[float]) -> Floats:
        direction = np.zeros(self.n_columns)
        direction[list(columns)] = weights
        return direction
