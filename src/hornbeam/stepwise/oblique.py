"""The best test of a node among plain columns and weighted sums of numeric ones (R36).

One idea: the best direction found is made as short as it can be, and judged by the core beside the plain
columns, which win ties. So a sum is never worse than a column.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hornbeam.arrays import Floats
from hornbeam.splitting.oblique import Oblique
from hornbeam.stepwise import axis
from hornbeam.stepwise.axis import Derived
from hornbeam.stepwise.cloud import Cloud
from hornbeam.stepwise.exploring import explore
from hornbeam.stepwise.formulas import plane
from hornbeam.stepwise.growth import Growth, Node
from hornbeam.stepwise.judging import Judge
from hornbeam.stepwise.search import Search
from hornbeam.stepwise.splits import PlaneSplit, Proposal
from hornbeam.stepwise.tilting import POLISH, Found, best_start, tilt


class ObliqueSearch(Search):
    """Columns first, then sums."""

    def __init__(self, growth: Growth, part: Oblique) -> None:
        super().__init__(growth, part)
        self.summable = set(part.summable(growth.columns))

    def propose(self, node: Node) -> Proposal | None:
        """The node's best split (K4), None if it has no candidate."""
        for columns in self.growth.draws(node, node.usable):
            plain = axis.best(self.growth, node, columns)
            found = self._plane(node, tuple(c for c in columns if c in self.summable), plain)
            if found is not None:
                derived = Derived(found, found.branches(self.growth, node.rows))
                return axis.best(self.growth, node, columns, [derived])
            if plain is not None:
                return plain
        return None

    def _plane(self, node: Node, columns: tuple[int, ...], plain: Proposal | None) -> PlaneSplit | None:
        """The hyperplane worth comparing with the best plain test; None if there is none."""
        if len(columns) < 2:
            return None
        judge = Judge(self.growth, node)
        if plain is not None and plain.score >= judge.bound - judge.margin:
            return None
        cloud = Cloud(self.growth, node, columns)
        if len(cloud.columns) < 2:
            return None
        z = cloud.at(judge.rows)
        least = -np.inf if plain is None else plain.score
        if np.isnan(z).any():  # then the missing rule may judge otherwise than `judge`
            alone = best_start(judge, z, list(np.eye(len(z))))
            least = -np.inf if alone is None else alone.score
        found = self._shortened(judge, z, explore(self.growth, node, cloud, judge, self.part), least)
        if found is None:
            return None
        used = np.flatnonzero(found.direction)
        weights = found.direction[used] / cloud.scale[used]
        return plane(self.growth, node.rows, judge, tuple(cloud.columns[k] for k in used), weights)

    def _shortened(self, judge: Judge, z: Floats, candidates: Sequence[Found], least: float) -> Found | None:
        """The best direction, less the columns it can do without; None if it does not exceed `least`."""
        if not candidates:
            return None
        best = _polished(judge, z, max(candidates, key=lambda one: one.score))
        enough = best.score - judge.margin
        if best.score < judge.bound - judge.margin and np.isfinite(least):
            enough -= self.part.sparsity * max(best.score - least, 0.0)
        short = min(
            (one for one in (best, *candidates) if one.score >= enough),
            key=lambda one: (one.n_columns, -one.score),
        )
        while short.n_columns > 2:
            shorter = best_start(judge, z, _each_without_one(short.direction))
            if shorter is None or shorter.score < enough:
                break
            short = shorter
        short = _polished(judge, z, short)
        return short if short.n_columns > 1 and short.score > least + judge.margin else None


def _polished(judge: Judge, z: Floats, found: Found) -> Found:
    """The best direction near one, of the same columns."""
    return tilt(judge, z, found, np.flatnonzero(found.direction).tolist(), found.n_columns, POLISH)


def _each_without_one(direction: Floats) -> list[Floats]:
    """The directions with one of the weights 0."""
    found = np.tile(direction, (int(np.count_nonzero(direction)), 1))
    found[np.arange(len(found)), np.flatnonzero(direction)] = 0.0
    return list(found)
