"""Judging: what every test of a column gains at a node, which of them may be made, and the best of them.

One idea: all tests of a column are judged at once from their lanes, by the rules and in the order of the core
(`cpp/hornbeam/search/candidate.hpp`), so that the best one here is the best one there.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hornbeam._base.types import Bools, Floats, Task
from hornbeam.editing.arithmetic.column_tests import Options
from hornbeam.editing.arithmetic.node_rows import NodeRows, functional
from hornbeam.growing.selections import AverageGain
from hornbeam.tree.answers import impurities

TRIVIAL_INFORMATION = 1e-9  # a split of less information has no gain ratio
_SLACK = 1e-12
_ROUNDING = 1e-14  # of the node's impurity: the core, which adds whole numbers, sees no gain in less
_CASES_SLACK = 1 - 1e-9  # fractions of cases are rounded


@dataclass(frozen=True)
class ScoredTests:
    """The tests of a column with what they are worth.

    decrease : by how much each lowers the impurity, per unit of the node's weight
    information : split information in bits, gaps counted as one more branch; 0 where it does not matter
    score : what the tests of one column are compared by
    allowed : which may be made
    refusals : (tests that it refuses, why) for each rule
    best : the best of those allowed, None if there is none
    tried : cuts that leave enough cases on both sides, for C4.5's charge
    """

    options: Options
    decrease: Floats
    information: Floats
    score: Floats
    allowed: Bools
    refusals: tuple[tuple[Bools, str], ...]
    best: int | None
    tried: int

    def why_none(self) -> str:
        """Why no test may be made: what refuses the one that would gain most."""
        wanted = int(np.argmax(self.decrease))
        return next((why for refused, why in self.refusals if refused[wanted]), self.refusals[-1][1])


class ColumnScorer:
    """Judges the tests of the columns of one node."""

    def __init__(self, place: NodeRows) -> None:
        self.place = place
        self.growth, self.plan = place.growth, place.plan
        self.selection = place.plan.selection
        self.average = isinstance(self.selection, AverageGain)
        self.by_ratio = place.plan.criterion.name == "gain-ratio"
        self.weight = place.weight
        self.n_cases = float(self.growth.copies.sum())
        self.case_weight = self.growth.total / self.n_cases

    def margin(self, best: float, *, columns: bool = False) -> float:
        """Scores closer to the best than this are tied with it; `columns`: where columns are compared."""
        ratio = self.by_ratio and (columns or not self.average)
        return _SLACK * (abs(best) if ratio else self.place.node.impurity)

    def judged(self, options: Options) -> ScoredTests:
        """All tests of a column."""
        lanes = options.lanes
        stats, rows = lanes[..., :-1], lanes[..., -1]
        weights = self.growth.weights(stats)
        lost = 0.0 if options.gaps is None else float(self.growth.weights(options.gaps[:-1]))
        decrease = self._decrease(options, stats, weights)
        information = self._information(weights, lost)
        score = decrease
        if self.by_ratio and not self.average:
            score = np.divide(
                decrease, information, out=np.zeros_like(decrease), where=information > TRIVIAL_INFORMATION
            )
        refusals = [
            rule(options, stats, rows, weights) for rule in (*self._rules, self._orders, self._bounded)
        ]
        refusals.append(self._few_cases(options, weights, self.weight - lost))
        if self.by_ratio:
            refusals.append((information <= TRIVIAL_INFORMATION, "its split information is 0"))
        allowed = ~np.any([refused for refused, _ in refusals], axis=0)
        tried = self._tried(options, self.weight - lost) if self.average else 0
        return ScoredTests(
            options, decrease, information, score, allowed, tuple(refusals), self._best(score, allowed), tried
        )

    def _best(self, score: Floats, allowed: Bools) -> int | None:
        if not allowed.any():
            return None
        best = float(score[allowed].max())
        return int(np.flatnonzero(allowed & (score >= best - self.margin(best)))[0])

    def _information(self, weights: Floats, lost: float) -> Floats:
        """The split information of each test, where something depends on it."""
        if not self.by_ratio:
            return np.zeros(len(weights))
        apart = np.concatenate([weights, np.full((len(weights), 1), lost)], axis=1)
        return impurities(apart, Task.CLASSES, "entropy")

    def _decrease(self, options: Options, stats: Floats, weights: Floats) -> Floats:
        if options.decrease is not None:
            return options.decrease
        n_tests, n_branches, width = stats.shape
        inside = self.growth.impurity(stats.reshape(-1, width)).reshape(n_tests, n_branches)
        known = stats[0].sum(axis=0)
        before = float(self.growth.weights(known)) * float(self.growth.impurity(known[None])[0])
        decrease: Floats = (before - np.einsum("ij,ij->i", weights, inside)) / self.weight
        return np.where(decrease > _ROUNDING * self.place.node.impurity, decrease, 0.0)

    # ---- what may not be made: (tests refused, why) --------------------------------------------------------

    @property
    def _rules(self) -> tuple[Callable[[Options, Floats, Floats, Floats], tuple[Bools, str]], ...]:
        return self._trivial, self._few_rows, self._light, self._no_event

    def _trivial(self, options: Options, stats: Floats, rows: Floats, weights: Floats) -> tuple[Bools, str]:
        del options, stats, weights
        if rows.shape[1] == 2:
            return (rows[:, 0] == 0) | (rows[:, 1] == 0), "constant at this node"
        return np.count_nonzero(rows > 0, axis=1) < 2, "constant at this node"

    def _few_rows(self, options: Options, stats: Floats, rows: Floats, weights: Floats) -> tuple[Bools, str]:
        del options, stats, weights
        least = self.plan.limits.get("min_rows_leaf", 1)
        few = np.zeros(len(rows), dtype=bool)
        if least > 1:
            few = ((rows > 0) & (rows < least)).any(axis=1)
        return few, f"a branch would hold fewer rows than min_samples_leaf={least}"

    def _light(self, options: Options, stats: Floats, rows: Floats, weights: Floats) -> tuple[Bools, str]:
        del options, stats
        share = self.plan.limits.get("min_weight_fraction", 0.0)
        light = np.zeros(len(rows), dtype=bool)
        if share > 0:
            light = ((rows > 0) & (weights < share * self.growth.total)).any(axis=1)
        return light, f"a branch would hold less weight than min_weight_fraction_leaf={share:g} of all"

    def _no_event(self, options: Options, stats: Floats, rows: Floats, weights: Floats) -> tuple[Bools, str]:
        del options, weights
        refused = np.zeros(len(rows), dtype=bool)
        if self.growth.rates:
            refused |= ((rows > 0) & (stats[..., 1] <= 0)).any(axis=1)
        return refused, "a branch would hold no event, and a rate of 0 makes any event impossible"

    def _orders(self, options: Options, stats: Floats, rows: Floats, weights: Floats) -> tuple[Bools, str]:
        """Both sides of a constrained threshold are in order."""
        del weights
        refused = np.zeros(len(options), dtype=bool)
        if options.cut is None or not self.plan.constraints.terms:
            return refused, ""
        cuts = np.isfinite(options.cut) & (rows[:, :2] > 0).all(axis=1)
        for column, f, sign in self.plan.constraints.terms:
            if column == self.column:
                sides = functional(self.growth, self.plan.constraints.functionals[f], stats[:, :2])
                refused |= cuts & (sign * sides[:, 0] > sign * sides[:, 1])
        return refused, "the monotonic constraint refuses it: its sides are in the wrong order"

    def _bounded(self, options: Options, stats: Floats, rows: Floats, weights: Floats) -> tuple[Bools, str]:
        """Every branch stays between the bounds of the tests above."""
        del weights
        refused = np.zeros(len(options), dtype=bool)
        for f, what in enumerate(self.plan.constraints.functionals):
            value = functional(self.growth, what, stats)
            slack = _SLACK * np.maximum(1.0, np.abs(value))
            outside = (value < self.place.bounds.low[f] - slack) | (value > self.place.bounds.high[f] + slack)
            refused |= ((rows > 0) & outside).any(axis=1)
        return refused, "a monotonic constraint refuses it: a branch would pass the bounds set above"

    column = -1  # the column whose tests are judged

    def of(self, column: int) -> ColumnScorer:
        """The judge of a column's tests."""
        self.column = column
        return self

    # ---- C4.5's guards -------------------------------------------------------------------------------------

    def _least_side(self, known: float) -> float:
        if not isinstance(self.selection, AverageGain):
            return 0.0
        share = 0.1 * known / self.case_weight / max(1, len(self.growth.classes))
        return max(float(self.selection.min_branch), min(share, 25.0)) * self.case_weight

    def _few_cases(self, options: Options, weights: Floats, known: float) -> tuple[Bools, str]:
        if not isinstance(self.selection, AverageGain):
            return np.zeros(len(options), dtype=bool), ""
        least = float(self.selection.min_branch) * self.case_weight * _CASES_SLACK
        refused = np.count_nonzero(weights >= least, axis=1) < self.selection.n_branches
        if options.cut is not None:
            refused |= np.isfinite(options.cut) & (
                weights[:, :2] < self._least_side(known) * _CASES_SLACK
            ).any(axis=1)
        return refused, "its branches hold too few cases (min_branch of the selection 'average-gain')"

    def _tried(self, options: Options, known: float) -> int:
        """The cuts between the distinct values that leave enough on both sides."""
        if options.cut is None:
            return 0
        below = np.cumsum(self.growth.weights(options.bins.lanes[:, :-1]))
        least = self._least_side(known) * _CASES_SLACK
        return int(np.count_nonzero((below[:-1] >= least) & (below[-1] - below[:-1] >= least)))

    def charged(self, judged: ScoredTests, k: int) -> tuple[float, int, float]:
        """The gain of a test after C4.5's charge for a threshold; the choices, and the cases."""
        gain = float(judged.decrease[k])
        cases = self.weight / self.case_weight
        part = self.selection
        if judged.options.kind != "threshold" or not isinstance(part, AverageGain) or part.correction is None:
            return gain, 1, cases
        n = judged.tried if part.correction == "code" else len(judged.options.bins.values) - 1
        choices = max(1, n)
        return gain - math.log2(choices) / cases, choices, cases
