"""What every test of a column gains at a node, less C4.5's charge for the number of cuts; which tests the
limits refuse, and why; the best of them.

All tests of a column are scored at once from their sums, by the rules and in the order of the core
(`cpp/hornbeam/search/candidate.hpp`), so that the best one here is the best one there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hornbeam._base.types import Bools, Floats, Task
from hornbeam.growing.candidates.column_tests import ColumnTests
from hornbeam.growing.candidates.node_rows import NodeRows, functional
from hornbeam.growing.selections import AverageGain
from hornbeam.tree.answers import impurities

TRIVIAL_INFORMATION = 1e-9  # a split of less information has no gain ratio
CONSTANT = "constant at this node"
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
    n_cuts : cuts that leave enough cases on both sides, for C4.5's charge
    """

    tests: ColumnTests
    decrease: Floats
    information: Floats
    score: Floats
    allowed: Bools
    refusals: tuple[tuple[Bools, str], ...]
    best: int | None
    n_cuts: int

    def refusal(self, k: int) -> str | None:
        """Why a test may not be made, None if it may."""
        return next((reason for refused, reason in self.refusals if refused[k]), None)

    def refusal_of_all(self) -> str | None:
        """Why no test may be made: what refuses the one that would gain most; None if one may."""
        return None if self.best is not None else self.refusal(int(np.argmax(self.decrease)))


class ColumnScorer:
    """Scores the tests of the columns of one node."""

    def __init__(self, node_rows: NodeRows) -> None:
        self.node_rows = node_rows
        self.growth, self.plan = node_rows.growth, node_rows.plan
        self.selection = node_rows.plan.selection
        self.by_ratio = node_rows.plan.criterion.name == "gain-ratio"
        self.weight = node_rows.weight
        self.n_cases = float(self.growth.copies.sum())
        self.case_weight = self.growth.total / self.n_cases

    def margin(self, best: float, *, columns: bool = False) -> float:
        """Scores closer to the best than this are tied with it; `columns`: where columns are compared."""
        ratio = self.by_ratio and (columns or not isinstance(self.selection, AverageGain))
        return _SLACK * (abs(best) if ratio else self.node_rows.node.impurity)

    def score_tests(self, tests: ColumnTests, column: int = -1) -> ScoredTests:
        """Score the tests of a column (-1: no tests of one column)."""
        weights = self.growth.weights(tests.sums[..., :-1])
        lost = 0.0 if tests.gaps is None else float(self.growth.weights(tests.gaps[:-1]))
        decrease = self._decrease(tests)
        information = np.zeros(len(weights))
        if self.by_ratio:
            apart = np.concatenate([weights, np.full((len(weights), 1), lost)], axis=1)
            information = impurities(apart, Task.CLASSES, "entropy")
        score = decrease
        if self.by_ratio and not isinstance(self.selection, AverageGain):
            score = np.divide(
                decrease, information, out=np.zeros_like(decrease), where=information > TRIVIAL_INFORMATION
            )
        least_side = self._least_side(self.weight - lost)
        refusals = [*self._refusals(tests, weights, column, least_side)]
        if self.by_ratio:
            refusals.append((information <= TRIVIAL_INFORMATION, "its split information is 0"))
        allowed = ~np.any([refused for refused, _ in refusals], axis=0)
        best = self._best(score, allowed)
        n_cuts = self._n_cuts(tests, least_side)
        return ScoredTests(tests, decrease, information, score, allowed, tuple(refusals), best, n_cuts)

    def _best(self, score: Floats, allowed: Bools) -> int | None:
        if not allowed.any():
            return None
        best = float(score[allowed].max())
        return int(np.flatnonzero(allowed & (score >= best - self.margin(best)))[0])

    def _stats(self, sums: Floats) -> Floats:
        """The Stats of sums, whose last number is that of rows."""
        return self.growth.stats_of(sums[..., :-1], self.node_rows.node.center)

    def _decrease(self, tests: ColumnTests) -> Floats:
        if tests.decrease is not None:
            return tests.decrease
        own = self.plan.criterion.is_own  # which may ask what the means themselves are
        stats = self._stats(tests.sums) if own else self.growth.stats_of(tests.sums[..., :-1])
        decrease = self.growth.decrease(stats) / self.weight
        return np.where(decrease > _ROUNDING * self.node_rows.node.impurity, decrease, 0.0)

    # ---- what may not be made ------------------------------------------------------------------------------

    def _refusals(
        self, tests: ColumnTests, weights: Floats, column: int, least_side: float
    ) -> Iterator[tuple[Bools, str]]:
        """(tests refused, why) for each rule that the plan has."""
        stats, rows = self._stats(tests.sums), tests.sums[..., -1]
        filled, limits = rows > 0, self.plan.limits
        # of two branches, without what counting along rows costs
        is_pair = filled.shape[1] == 2
        yield ~(filled[:, 0] & filled[:, 1]) if is_pair else np.count_nonzero(filled, axis=1) < 2, CONSTANT
        least, share = limits.get("min_rows_leaf", 1), limits.get("min_weight_fraction", 0.0)
        if least > 1:
            few = (filled & (rows < least)).any(axis=1)
            yield few, f"a branch would hold fewer rows than min_samples_leaf={least}"
        if share > 0:
            light = (filled & (weights < share * self.growth.total)).any(axis=1)
            yield light, f"a branch would hold less weight than min_weight_fraction_leaf={share:g} of all"
        if self.growth.rates:
            no_event: Bools = np.any(filled & (stats[..., 1] <= 0), axis=1)
            yield no_event, "a branch would hold no event, and a rate of 0 makes any event impossible"
        if tests.cut is not None:
            reason = "the monotonic constraint refuses it: its sides are in the wrong order"
            yield from ((refused, reason) for refused in self._out_of_order(tests, column))
        for refused in self._out_of_bounds(stats, filled):
            yield refused, "a monotonic constraint refuses it: a branch would pass the bounds set above"
        if isinstance(self.selection, AverageGain):
            reason = "its branches hold too few cases (min_branch of the selection 'average-gain')"
            yield self._few_cases(self.selection, tests, weights, least_side), reason

    def _out_of_order(self, tests: ColumnTests, column: int) -> Iterator[Bools]:
        """Cuts of a constrained column whose sides are in the wrong order."""
        assert tests.cut is not None
        cuts = np.isfinite(tests.cut) & (tests.sums[:, :2, -1] > 0).all(axis=1)
        for constrained, f, sign in self.plan.constraints.terms:
            if constrained == column:
                what = self.plan.constraints.functionals[f]
                sides = functional(self.growth, what, self._stats(tests.sums[:, :2]))
                yield cuts & (sign * sides[:, 0] > sign * sides[:, 1])

    def _out_of_bounds(self, stats: Floats, filled: Bools) -> Iterator[Bools]:
        """Tests with a branch that is not between the bounds of the tests above."""
        bounds = self.node_rows.bounds
        for f, what in enumerate(self.plan.constraints.functionals):
            value = functional(self.growth, what, stats)
            slack = _SLACK * np.maximum(1.0, np.abs(value))
            outside = (value < bounds.low[f] - slack) | (value > bounds.high[f] + slack)
            yield (filled & outside).any(axis=1)

    # ---- C4.5's guards -------------------------------------------------------------------------------------

    def _least_side(self, known: float) -> float:
        """The weight that C4.5 asks for on both sides of a cut."""
        if not isinstance(self.selection, AverageGain):
            return 0.0
        share = 0.1 * known / self.case_weight / max(1, len(self.growth.classes))
        least = max(float(self.selection.min_branch), min(share, 25.0)) * self.case_weight
        return least * _CASES_SLACK

    def _few_cases(
        self, selection: AverageGain, tests: ColumnTests, weights: Floats, least_side: float
    ) -> Bools:
        least = float(selection.min_branch) * self.case_weight * _CASES_SLACK
        refused: Bools = np.count_nonzero(weights >= least, axis=1) < selection.n_branches
        if tests.cut is not None:
            refused |= np.isfinite(tests.cut) & (weights[:, :2] < least_side).any(axis=1)
        return refused

    def _n_cuts(self, tests: ColumnTests, least_side: float) -> int:
        """The cuts between the distinct values that leave enough on both sides."""
        if tests.cut is None or not isinstance(self.selection, AverageGain):
            return 0
        below = np.cumsum(self.growth.weights(tests.buckets.sums[:, :-1]))
        enough = (below[:-1] >= least_side) & (below[-1] - below[:-1] >= least_side)
        return int(np.count_nonzero(enough))

    def charge(self, scored: ScoredTests, k: int) -> tuple[float, int, float]:
        """The gain of a test after C4.5's charge for a threshold; the choices, and the cases."""
        gain = float(scored.decrease[k])
        cases = self.weight / self.case_weight
        part, tests = self.selection, scored.tests
        if tests.kind != "threshold" or not isinstance(part, AverageGain) or part.correction is None:
            return gain, 1, cases
        n = scored.n_cuts if part.correction == "code" else len(tests.buckets.values) - 1
        choices = max(1, n)
        return gain - math.log2(choices) / cases, choices, cases
