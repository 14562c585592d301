"""Conditional inference at a node: test every column, then cut the one that matters (Hothorn et al. 2006).

One idea: columns compete by p-values, cuts by statistics, and never the one against the other; that is what
keeps columns of many cuts from being preferred. Both need sums over rows only
(`hornbeam._base.significance.permutation_statistics`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hornbeam._base.significance.bins_and_halves import Cut, halves
from hornbeam._base.significance.chaid_groups import log_level
from hornbeam._base.significance.permutation_statistics import (
    Influence,
    nominal_test,
    numeric_tests,
    split_statistics,
)
from hornbeam._base.significance.tails import log_any
from hornbeam._base.types import TIE, Bools, Floats, Longs
from hornbeam.growing.candidates import split_gain
from hornbeam.growing.candidates.axis_search import Search
from hornbeam.growing.candidates.node_splits import MapSplit, Proposal, Split, ThresholdSplit
from hornbeam.growing.candidates.split_gain import cases_of, descending, refuse_split
from hornbeam.growing.missing import MissingRule
from hornbeam.growing.stepwise_growth import Growth, Node
from hornbeam.tree.arrays import SUBSET

_CELLS = 4_000_000  # of the columns tested together


@dataclass(frozen=True)
class ColumnPermutationTest:
    """The test of a column, one of `n_tested`: statistic, log p, and log p corrected for their number."""

    column: int
    statistic: float
    log_p: float
    log_corrected: float
    n_tested: int

    def facts(self, test: str, cut_statistic: float) -> dict[str, Any]:
        """What a tree keeps about the test and the cut that it led to."""
        return {
            "test": test,
            "statistic": self.statistic,
            "log_p": self.log_p,
            "log_corrected_p": self.log_corrected,
            "n_tested": self.n_tested,
            "cut_statistic": cut_statistic,
        }


class ConditionalSearch(Search):
    """Conditional inference; `part` is a `hornbeam.parts.Conditional`."""

    def __init__(self, growth: Growth, part: Any) -> None:
        super().__init__(growth, part)
        refuse_split(growth, part)

    def propose(self, node: Node) -> Proposal | None:
        """The best cut of the column of the smallest p-value, if that is significant."""
        if node.n_rows < self.part.min_rows:
            return None
        for columns in self.growth.draws(node, node.usable):
            tests = [test for test in self.test_columns(node, columns) if not math.isnan(test.log_p)]
            if tests:
                return self._best(node, tests)
        return None

    def _best(self, node: Node, tests: Sequence[ColumnPermutationTest]) -> Proposal | None:
        """The cut of the first of the most significant columns that has one."""
        order = descending([-test.log_p for test in tests], lambda best: TIE * abs(best))
        for k in order[: int(self.part.tries)]:
            test = tests[k]
            if not test.log_corrected < log_level(self.part.alpha):
                return None
            cut = self.cut(node, test.column)
            if cut is not None:
                split, statistic = cut
                missing, facts = self.missing_branch(node, split), test.facts(self.part.test, statistic)
                return split_gain.proposal(self.growth, node, split, missing, facts)
        return None

    def missing_branch(self, node: Node, split: Split) -> int:
        """The child of gaps: one of its own, or where they gain most; -1 if there are none, or left out."""
        rule = self.growth.plan.missing.core_rule
        if rule == MissingRule.LEARN:
            return split_gain.best_missing_branch(self.growth, node, split)
        all_known = rule.known_only or self.growth.known(split.columns[0], node.rows).all()
        return -1 if all_known else split.n_branches

    def test_columns(self, node: Node, columns: Sequence[int]) -> list[ColumnPermutationTest]:
        """The test of each column; its p-value is NaN where it cannot be tested."""
        statistic, log_p = self._tests(node, columns)
        n = int(np.count_nonzero(~np.isnan(log_p)))
        corrected = log_any(log_p, n) if self.part.bonferroni and n else log_p
        values = (statistic.tolist(), log_p.tolist(), corrected.tolist())
        return [ColumnPermutationTest(*one, n) for one in zip(columns, *values, strict=True)]

    # ---- testing -------------------------------------------------------------------------------------------

    def _influence(self, rows: Longs, weight: Floats) -> Influence:
        growth = self.growth
        n = float(cases_of(growth, rows, weight).sum())
        if growth.codes is not None:
            return Influence.of_classes(growth.codes[rows], growth.width, weight, n)
        assert growth.values is not None
        return Influence.of_real(growth.values[rows], weight, n)

    def _tests(self, node: Node, columns: Sequence[int]) -> tuple[Floats, Floats]:
        """Statistic and log p of each column, NaN where it cannot be tested."""
        growth, form = self.growth, self.part.test
        statistic, log_p = np.full(len(columns), np.nan), np.full(len(columns), np.nan)
        whole = self._influence(node.rows, node.weight)
        together: list[int] = []
        for place, column in enumerate(columns):
            known = growth.known(column, node.rows)
            influence = whole
            if not known.all():
                if not known.any():
                    continue
                influence = self._influence(node.rows[known], node.weight[known])
            elif growth.columns[column].kind != "nominal":
                together.append(place)
                continue
            if influence.rank > 0:
                statistic[place], log_p[place] = self._test(influence, column, node.rows[known], form)
        step = max(1, _CELLS // max(len(node.rows), 1))
        for start in range(0, len(together), step):
            places = together[start : start + step]
            x = np.stack([growth.numbers(columns[place], node.rows) for place in places])
            statistic[places], log_p[places] = numeric_tests(whole, x, form)
        return statistic, log_p

    def _test(self, influence: Influence, column: int, rows: Longs, form: str) -> tuple[float, float]:
        growth = self.growth
        if growth.columns[column].kind != "nominal":
            outcome = numeric_tests(influence, growth.numbers(column, rows)[None], form)
            return float(outcome.statistic[0]), float(outcome.log_p[0])
        n_codes = len(growth.columns[column].categories)
        outcome = nominal_test(influence, growth.arrays[column][rows], n_codes, form)
        return float(outcome.statistic), float(outcome.log_p)

    # ---- cutting -------------------------------------------------------------------------------------------

    def cut(self, node: Node, column: int) -> tuple[Split, float] | None:
        """The best two-way split of a column and its statistic; None if none leaves enough rows."""
        growth = self.growth
        known = growth.known(column, node.rows)
        rows, weight = node.rows[known], node.weight[known]
        influence = self._influence(rows, weight)
        values, place = np.unique(growth.arrays[column][rows], return_inverse=True)
        place = place.reshape(-1)
        mass, gap = influence.tally(place, len(values))
        cases = np.bincount(place, weights=cases_of(growth, rows, weight))
        heavy = np.bincount(place, weights=weight)
        sums: Floats = np.column_stack([mass, cases, heavy, gap])
        sides = self._sides(column, influence, mass, gap)
        parts = np.cumsum(sums, axis=0)[:-1] if sides is None else sides @ sums
        enough = self._enough(node, parts[:, 1], cases.sum()) & self._heavy(parts[:, 2], heavy.sum())
        if not enough.any():
            return None
        statistics = np.full(len(enough), -np.inf)
        statistics[enough] = split_statistics(influence, parts[enough, 0], parts[enough, 3:], self.part.cut)
        best = int(np.argmax(statistics >= statistics.max() * (1 - TIE)))
        if sides is None:
            return self._threshold(column, float(values[best]), float(values[best + 1])), float(
                statistics[best]
            )
        targets = tuple((1 - sides[best]).astype(int).tolist())
        return MapSplit(SUBSET, column, tuple(values.tolist()), targets), float(statistics[best])

    def _sides(self, column: int, influence: Influence, mass: Floats, gap: Floats) -> Floats | None:
        """The sets of values to try, as rows of 0 and 1; None where the values have an order."""
        if self.growth.columns[column].kind != "nominal":
            return None
        order = gap / mass[:, None]
        return halves(order[:, influence.inverse > 0]).astype(float)

    def _threshold(self, column: int, low: float, high: float) -> Split:
        ordinal = self.growth.columns[column].kind == "ordinal"
        cut = Cut(low + 0.5, low, high) if ordinal else Cut.between(low, high)
        return ThresholdSplit(column, cut.threshold, cut.low, cut.high)

    def _enough(self, node: Node, side: Floats, total: float) -> Bools:
        """Where both sides have the rows they need."""
        n = float(cases_of(self.growth, node.rows, node.weight).sum())
        share = math.ceil(float(self.part.min_share) * n - 1e-9)
        least = max(self.growth.plan.limits.get("min_rows_leaf", 1), share) - 1e-9
        enough: Bools = (side >= least) & (total - side >= least)
        return enough

    def _heavy(self, side: Floats, total: float) -> Bools:
        """Where both sides have the weight they need."""
        least = self.growth.plan.limits.get("min_weight_fraction", 0.0) * self.growth.total * (1 - 1e-12)
        heavy: Bools = (side >= least) & (total - side >= least)
        return heavy
