"""The best test of a node among plain columns and weighted sums of columns.

A table has few directions that matter, and each shows best where little else is left to do, far from the
root. So a tree may be grown twice: the directions that the first one tested are offered at every node of the
second. In the units of the columns a direction means the same at every node.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hornbeam._base.types import TIE, Floats
from hornbeam.growing.candidates import axis_search
from hornbeam.growing.candidates.axis_search import Derived, Search
from hornbeam.growing.candidates.node_splits import Proposal, Split
from hornbeam.growing.oblique.direction_scores import (
    FINISH,
    POLISH,
    DirectionScorer,
    PointCloud,
    ScoredDirection,
    look,
)
from hornbeam.growing.oblique.direction_search import explore
from hornbeam.growing.oblique.hyperplanes import indicators_of, plane, written
from hornbeam.growing.splits.oblique import MOST_TERMS, Oblique
from hornbeam.growing.stepwise_growth import Growth, Node
from hornbeam.tree.expressions.from_tree import is_expressible

_MOST = 16  # directions that are recalled
_ALIKE = 0.9995  # cosine above which two directions of the same columns are one
_GRAIN = 2.0**-20  # directions are multiples of this, so that rounding in the last bits does not show


_RECALLING_ROWS = 2**14  # the most rows of a table that is grown twice
_PERFECT = 1 - TIE  # what a perfect test gains, of the impurity, up to rounding


@dataclass(frozen=True)
class EarlierDirection:
    """A weighted sum of columns, in their units."""

    columns: tuple[int, ...]
    weights: Floats

    def is_like(self, other: EarlierDirection, ranges: Floats) -> bool:
        """Whether both are nearly the same sum of columns that have these ranges in the table."""
        if self.columns != other.columns:
            return False
        unit = ranges[list(self.columns)]
        one, two = self.weights * unit, other.weights * unit
        return float((one * two).sum()) ** 2 > _ALIKE**2 * float((one**2).sum()) * float((two**2).sum())

    def direction(self, cloud: PointCloud) -> Floats | None:
        """The sum in the standard units of a node; None if a column is constant there, or not looked at."""
        if not set(self.columns) <= set(cloud.columns):
            return None
        places = [cloud.columns.index(column) for column in self.columns]
        direction = np.zeros(len(cloud.columns))
        direction[places] = self.weights * cloud.scale[places]
        direction = np.round(direction / np.abs(direction).max() / _GRAIN) * _GRAIN
        return direction if np.count_nonzero(direction) > 1 else None


def recall(root: Node, lines: Mapping[Split, EarlierDirection], ranges: Floats) -> list[EarlierDirection]:
    """The sums that a tree tests, those first that gain most on most rows; `lines` are the sums of its
    splits before they were rounded, `ranges` those of the columns in the table.
    """
    # A sum, what it is worth where it is worth most, and what those like it are worth together.
    known: list[tuple[EarlierDirection, float, float]] = []
    open_nodes = [root]
    while open_nodes:
        node = open_nodes.pop()
        open_nodes += reversed(node.children)
        line = None if node.proposal is None else lines.get(node.proposal.split)
        if node.proposal is None or line is None:
            continue
        worth = node.n_rows * node.proposal.gain
        place = next((k for k, (other, _, _) in enumerate(known) if other.is_like(line, ranges)), None)
        if place is None:
            known.append((line, worth, worth))
        else:
            other, top, together = known[place]
            known[place] = (line if worth > top else other, max(worth, top), together + worth)
    known.sort(key=lambda one: -one[2])
    return [line for line, _, _ in known[:_MOST]]


def offered(lines: Sequence[EarlierDirection], cloud: PointCloud, most: int) -> list[Floats]:
    """What is recalled, as directions of a node of at most so many columns."""
    directions = [line.direction(cloud) for line in lines]
    return [one for one in directions if one is not None and np.count_nonzero(one) <= most]


class ObliqueSearch(Search):
    """Columns first, then sums; `recalled` are those of a first tree."""

    def __init__(self, growth: Growth, part: Oblique, recalled: Sequence[EarlierDirection] = ()) -> None:
        super().__init__(growth, part)
        self.summable = set(part.summable(growth.columns))
        if part.indicators:
            growth.indicators = indicators_of(growth)
        if growth.indicators:  # their sums are kept as expressions, which have to name every column
            self.summable = {c for c in self.summable if is_expressible(growth.columns[c])}
        self.fewest_leaves = part.aim == "leaves"
        self.recalled = recalled
        self.lines: dict[Split, EarlierDirection] = {}  # the sums of the splits made, not rounded
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
                proposal = axis_search.best(self.growth, node, () if alone else columns, derived)
                if proposal is not None:
                    return proposal
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
        cloud = PointCloud(self.growth, node, columns)
        if len(cloud.columns) < 2:
            return
        judge = DirectionScorer(self.growth, node, cloud)
        alone = judge.scores(np.eye(len(judge.z)))
        if self.growth.indicators and len(alone) > MOST_TERMS:
            places = sorted(np.argsort(-alone, kind="stable")[:MOST_TERMS].tolist())
            cloud = PointCloud(self.growth, node, tuple(cloud.columns[k] for k in places))
            judge, alone = DirectionScorer(self.growth, node, cloud), alone[places]
        ranked = sorted(range(len(alone)), key=lambda k: -alone[k])
        least = -np.inf if plain is None else plain.score
        if np.isnan(judge.z).any():  # then the missing rule may judge otherwise than `judge`
            least = float(alone.max())
        # Two columns at least, more where there are twice as many rows.
        most = min(self.part.max_columns or len(ranked), len(ranked), max(2, node.n_rows // 2))
        recalled = offered(self.recalled, cloud, most)
        candidates = explore(self.growth, node, cloud, judge, ranked, most, self.part, recalled)
        best = self._shortened(judge, candidates, least)
        if self.looks and (best is None or not judge.is_perfect(best.score)):
            known = candidates if best is None else [best, *candidates]
            choice = None
            if self.fewest_leaves or best is not None:
                least_ahead = -np.inf if self.fewest_leaves else least
                choice = look(self.growth, node, judge, ranked, known, recalled, least_ahead, most)
            if choice is not None:
                split = self._split(node, cloud, judge, choice.direction, choice.below)
                if split is not None:
                    yield split, self.fewest_leaves
        if best is not None:
            split = self._split(node, cloud, judge, best.direction)
            if split is not None:
                yield split, False

    def _split(
        self,
        node: Node,
        cloud: PointCloud,
        judge: DirectionScorer,
        direction: Floats,
        below: int | None = None,
    ) -> Split | None:
        """A direction as a split."""
        used = np.flatnonzero(direction)
        weights = direction[used] / cloud.scale[used]
        columns = tuple(cloud.columns[k] for k in used)
        split = written(self.growth, plane(self.growth, node.rows, judge, columns, weights, below))
        if split is not None and len(columns) > 1 and self.n_growths > 1:
            self.lines[split] = EarlierDirection(columns, weights)
        return split

    def _shortened(
        self, judge: DirectionScorer, candidates: Sequence[ScoredDirection], least: float
    ) -> ScoredDirection | None:
        """The best direction, less the columns it can do without; None if it does not exceed `least`."""
        if not candidates:
            return None
        best = max(candidates, key=lambda one: one.score)
        enough = best.score - judge.margin
        if not judge.is_perfect(best.score) and np.isfinite(least):
            enough -= self.part.sparsity * max(best.score - least, 0.0)
        good = [one for one in candidates if one.score >= enough]
        short = min(good, key=lambda one: (one.n_columns, -one.score))
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
    ranges = np.ones(len(growth.columns))
    for k in range(len(ranges)):
        known = growth.numbers(k, np.flatnonzero(growth.known(k, np.arange(growth.n_rows))))
        if len(known) and known.min() < known.max():
            ranges[k] = known.max() / 2 - known.min() / 2
    return ranges


def _polished(judge: DirectionScorer, scored: ScoredDirection) -> ScoredDirection | None:
    """The best direction near one, of the same columns; None if rounding has left it no cut."""
    steps = POLISH if judge.sampled == 1 else FINISH
    own = np.flatnonzero(scored.direction).tolist()
    better = judge.climb([scored.direction], [own], scored.n_columns, steps)
    return better[0] if better else None


def _each_without_one(direction: Floats) -> list[Floats]:
    """The directions with one of the weights 0."""
    shorter = np.tile(direction, (int(np.count_nonzero(direction)), 1))
    shorter[np.arange(len(shorter)), np.flatnonzero(direction)] = 0.0
    return list(shorter)
