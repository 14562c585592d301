"""The best test of a node among plain columns and weighted sums of numeric ones (R36).

One idea: the best direction found is made as short as it can be, and judged by the core beside the plain
columns, which win ties. So a sum is never worse than a column. Only where few leaves are the aim may the cut
with the smallest tree below it come before one that gains more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from hornbeam._base.types import Floats
from hornbeam.growing.candidates import axis_search
from hornbeam.growing.candidates.axis_search import Derived
from hornbeam.growing.candidates.node_splits import Proposal, Split
from hornbeam.growing.candidates.search import Search
from hornbeam.growing.oblique.direction_scores import FINISH, POLISH, Found, Judge
from hornbeam.growing.oblique.direction_search import explore
from hornbeam.growing.oblique.earlier_directions import Line, offered, recall
from hornbeam.growing.oblique.hyperplanes import plane
from hornbeam.growing.oblique.indicators import indicators_of, written
from hornbeam.growing.oblique.look_ahead import look
from hornbeam.growing.oblique.point_cloud import Cloud
from hornbeam.growing.splits.oblique import MOST_TERMS, Oblique
from hornbeam.growing.stepwise_growth import Growth, Node
from hornbeam.tree.expressions.from_tree import is_expressible

_RECALLING_ROWS = 2**14  # the most rows of a table that is grown twice
_PERFECT = 1 - 1e-12  # what a perfect test gains, of the impurity, up to rounding


class ObliqueSearch(Search):
    """Columns first, then sums; `recalled` are those that a first tree found."""

    def __init__(self, growth: Growth, part: Oblique, recalled: Sequence[Line] = ()) -> None:
        super().__init__(growth, part)
        self.summable = set(part.summable(growth.columns))
        if part.indicators:
            growth.indicators = indicators_of(growth)
        if growth.indicators:  # their sums are kept as expressions, which have to name every column
            self.summable = {c for c in self.summable if is_expressible(growth.columns[c])}
        self.fewest_leaves = part.aim == "leaves"
        self.recalled = recalled
        self.lines: dict[Split, Line] = {}  # the sums of the splits made, not rounded
        # Who looks ahead along sums is blind to other columns; where gain is the aim that would mislead.
        self.looks = self.fewest_leaves or len(self.summable) == len(growth.columns)
        again = self.looks and not (recalled or growth.is_real or self.fewest_leaves)
        if again and growth.n_rows <= _RECALLING_ROWS:
            self.n_growths = 2

    def wiser(self, root: Node) -> Search | None:
        """A search that knows the sums of the first tree, if there are several."""
        if self.n_growths < 2 or len(self.lines) < 2:
            return None
        lines = recall(root, self.lines, _ranges(self.growth))
        return ObliqueSearch(self.growth, self.part, lines) if len(lines) > 1 else None

    def propose(self, node: Node) -> Proposal | None:
        """The node's best split (K4), None if it has no candidate."""
        for columns in self.growth.draws(node, node.usable):
            plain = axis_search.best(self.growth, node, columns)
            for split, alone in self._splits(node, self._terms(columns), plain):
                derived = [Derived(split, split.branches(self.growth, node.rows))]
                found = axis_search.best(self.growth, node, () if alone else columns, derived)
                if found is not None:
                    return found
            if plain is not None:
                return plain
        return None

    def _terms(self, columns: Sequence[int]) -> tuple[int, ...]:
        """What of some columns sums may take: the numbers of columns, then those of indicators."""
        plain, own = [c for c in columns if c in self.summable], set(columns)
        more = enumerate(self.growth.indicators, len(self.growth.columns))
        return (*plain, *(number for number, (column, _) in more if column in own))

    def _splits(
        self, node: Node, columns: tuple[int, ...], plain: Proposal | None
    ) -> Iterator[tuple[Split, bool]]:
        """The cuts worth making, the best first; and whether plain tests are no rivals to it."""
        bound = 1.0 if self.growth.plan.criterion.name == "gain-ratio" else node.impurity
        if len(columns) < 2 or (plain is not None and plain.score >= bound * _PERFECT):
            return
        cloud = Cloud(self.growth, node, columns)
        if len(cloud.columns) < 2:
            return
        judge = Judge(self.growth, node, cloud)
        alone = judge.scores(np.eye(len(judge.z)))
        if self.growth.indicators and len(alone) > MOST_TERMS:
            best = sorted(np.argsort(-alone, kind="stable")[:MOST_TERMS].tolist())
            cloud = Cloud(self.growth, node, tuple(cloud.columns[k] for k in best))
            judge, alone = Judge(self.growth, node, cloud), alone[best]
        ranked = sorted(range(len(alone)), key=lambda k: -alone[k])
        least = -np.inf if plain is None else plain.score
        if np.isnan(judge.z).any():  # then the missing rule may judge otherwise than `judge`
            least = float(alone.max())
        # Two columns at least, more where there are twice as many rows.
        most = min(self.part.max_columns or len(ranked), len(ranked), max(2, node.n_rows // 2))
        recalled = offered(self.recalled, cloud, most)
        candidates = explore(self.growth, node, cloud, judge, ranked, most, self.part, recalled)
        found = self._shortened(judge, candidates, least)
        if self.looks and (found is None or not judge.is_perfect(found.score)):
            known = candidates if found is None else [found, *candidates]
            if self.fewest_leaves:
                choice = look(self.growth, node, judge, ranked, known, recalled, -np.inf, most)
            else:
                choice = (
                    None
                    if found is None
                    else look(self.growth, node, judge, ranked, known, recalled, least, most)
                )
            if choice is not None:
                split = self._split(node, cloud, judge, choice.direction, choice.below)
                if split is not None:
                    yield split, self.fewest_leaves
        if found is not None:
            split = self._split(node, cloud, judge, found.direction)
            if split is not None:
                yield split, False

    def _split(
        self, node: Node, cloud: Cloud, judge: Judge, direction: Floats, below: int | None = None
    ) -> Split | None:
        """A direction as a split."""
        used = np.flatnonzero(direction)
        weights = direction[used] / cloud.scale[used]
        columns = tuple(cloud.columns[k] for k in used)
        split = written(self.growth, plane(self.growth, node.rows, judge, columns, weights, below))
        if split is not None and len(columns) > 1 and self.n_growths > 1:
            self.lines[split] = Line(columns, weights)
        return split

    def _shortened(self, judge: Judge, candidates: Sequence[Found], least: float) -> Found | None:
        """The best direction, less the columns it can do without; None if it does not exceed `least`."""
        if not candidates:
            return None
        best = max(candidates, key=lambda one: one.score)
        enough = best.score - judge.margin
        if not judge.is_perfect(best.score) and np.isfinite(least):
            enough -= self.part.sparsity * max(best.score - least, 0.0)
        short = min(
            (one for one in candidates if one.score >= enough),
            key=lambda one: (one.n_columns, -one.score),
        )
        while short.n_columns > 2:
            shorter = judge.best(_each_without_one(short.direction))
            if shorter is None or shorter.score < enough:
                break
            short = shorter
        polished = _polished(judge, short)
        if polished is None or polished.n_columns < 2 or polished.score <= least + judge.margin:
            return None
        return polished


def _ranges(growth: Growth) -> Floats:
    """The range of each column, 1 where there is none."""
    found = np.ones(len(growth.columns))
    for k in range(len(found)):
        known = growth.numbers(k, np.flatnonzero(growth.known(k, np.arange(growth.n_rows))))
        if len(known) and known.min() < known.max():
            found[k] = known.max() / 2 - known.min() / 2
    return found


def _polished(judge: Judge, found: Found) -> Found | None:
    """The best direction near one, of the same columns; None if rounding has left it no cut."""
    steps = POLISH if judge.sampled == 1 else FINISH
    own = np.flatnonzero(found.direction).tolist()
    better = judge.climb([found.direction], [own], found.n_columns, steps)
    return better[0] if better else None


def _each_without_one(direction: Floats) -> list[Floats]:
    """The directions with one of the weights 0."""
    found = np.tile(direction, (int(np.count_nonzero(direction)), 1))
    found[np.arange(len(found)), np.flatnonzero(direction)] = 0.0
    return list(found)
