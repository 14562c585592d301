"""CHAID at a node: merge the categories of every column, split on the smallest adjusted p-value (Kass 1980).

One idea: every column is a list of categories with their Stats. Codes of nominal and ordinal columns, bins of
numeric ones; a gap is one more, which floats where the others have an order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from hornbeam._base.significance.bins_and_halves import Cut, bins, quantile_cuts
from hornbeam._base.significance.category_merges import MOST, Merging, together
from hornbeam._base.significance.chaid_groups import adjusted, chaid_multiplier, log_level
from hornbeam._base.significance.contingency import ClassTest, GroupTest, MeanTest
from hornbeam._base.types import TIE, Bools, Floats, Longs
from hornbeam.growing.candidates import split_gain
from hornbeam.growing.candidates.axis_search import Search
from hornbeam.growing.candidates.node_splits import MapSplit, Proposal, Split, cut_split
from hornbeam.growing.candidates.split_gain import cases_of, descending, refuse_split
from hornbeam.growing.stepwise_growth import Growth, Node
from hornbeam.tree.arrays import SUBSET


@dataclass(frozen=True)
class _ColumnGroups:
    """The categories of a column at a node, by their codes, and their merging."""

    column: int
    codes: Longs
    merging: Merging


@dataclass(frozen=True)
class _MergedColumn:
    """The merged categories of a column at a node: codes of each group; the code of gaps is -1."""

    column: int
    groups: tuple[tuple[int, ...], ...]
    log_adjusted: float
    facts: dict[str, Any]


class ChiSquareSearch(Search):
    """CHAID; `part` is a `hornbeam.parts.ChiSquareSelection`."""

    def __init__(self, growth: Growth, part: Any) -> None:
        super().__init__(growth, part)
        refuse_split(growth, part)
        self.test: GroupTest = MeanTest() if growth.is_real else ClassTest(part.statistic)
        self.cuts: dict[int, tuple[Cut, ...]] = {}
        self.codes: list[Longs] = [self._coded(column) for column in range(len(growth.columns))]

    def _coded(self, column: int) -> Longs:
        """The category of each row of the growth, -1 where it is missing."""
        growth = self.growth
        array = growth.arrays[column]
        if growth.columns[column].kind != "numeric":
            return array.astype(np.int64)
        values = array.astype(np.float64)
        known = ~np.isnan(values)
        self.cuts[column] = quantile_cuts(values[known], growth.copies[known], int(self.part.n_bins))
        return bins(values, self.cuts[column])

    def propose(self, node: Node) -> Proposal | None:
        """The split on the column of the smallest adjusted p-value, if that is significant."""
        if node.n_rows < self.part.min_rows:
            return None
        for columns in self.growth.draws(node, node.usable):
            tested = [one for one in self.merge_columns(node, columns).values() if one is not None]
            if tested:
                return self._best(node, [one for one in tested if len(one.groups) > 1])
        return None

    def merge_columns(self, node: Node, columns: Sequence[int]) -> dict[int, _MergedColumn | None]:
        """The merged categories of some columns, None where there is only one category before merging."""
        groups = {column: self._column_groups(node, column) for column in columns}
        together([one.merging for one in groups.values() if one is not None])
        return {column: None if one is None else self._merged(one) for column, one in groups.items()}

    def _best(self, node: Node, merged: list[_MergedColumn]) -> Proposal | None:
        if not merged:
            return None
        best = merged[descending([-one.log_adjusted for one in merged], lambda best: TIE * abs(best))[0]]
        if best.log_adjusted > log_level(self.part.alpha):
            return None
        split, missing = self.split(best)
        return split_gain.proposal(self.growth, node, split, missing, best.facts)

    # ---- one column ----------------------------------------------------------------------------------------

    def _column_groups(self, node: Node, column: int) -> _ColumnGroups | None:
        """The categories of a column, about to be merged; None if there is only one."""
        lanes, codes = self._lanes(node, column)
        if len(codes) < 2:
            return None
        nominal = self.growth.columns[column].kind == "nominal"
        kind = "nominal" if nominal else "floating" if codes[-1] < 0 else "ordinal"
        resplit = None if self.part.resplit is None else log_level(self.part.resplit)
        merging = Merging(lanes, kind, self.test, log_level(self.part.merge), resplit, self._small)
        if len(merging.groups) > MOST:
            raise ValueError(
                f"column {self.growth.columns[column].name!r} has {len(merging.groups)} values of different"
                f" shares, too many to merge in pairs (at most {MOST}): leave it out, or join its rare values"
            )
        return _ColumnGroups(column, codes, merging)

    def _lanes(self, node: Node, column: int) -> tuple[Floats, Longs]:
        """The lanes of the categories that the node's rows have, and their codes; gaps come last, as -1."""
        growth = self.growth
        rows, weight = node.rows, node.weight
        code = self.codes[column][rows]
        if growth.plan.missing.core_rule.known_only:
            known = code >= 0
            rows, weight, code = rows[known], weight[known], code[known]
        if not len(rows):
            return np.empty((0, 0)), np.empty(0, dtype=np.int64)
        n = int(code.max()) + 2  # the last one is for gaps
        place = np.where(code < 0, n - 1, code)
        sums = growth.sums(rows, weight, place, n, node.center)
        cases = np.bincount(place, weights=cases_of(growth, rows, weight), minlength=n)
        there = np.flatnonzero(cases > 0)
        return np.column_stack([sums, cases])[there], np.where(there == n - 1, -1, there)

    def _small(self, lanes: Floats) -> Bools:
        """Groups that may not stand alone."""
        growth = self.growth
        least = growth.plan.limits.get("min_weight_fraction", 0.0) * growth.total
        few = lanes[:, -1] < growth.plan.limits.get("min_rows_leaf", 1) - 1e-9
        light = growth.weights(lanes[:, :-1]) < least * (1 - 1e-12)
        small: Bools = few | light
        return small

    def _merged(self, one: _ColumnGroups) -> _MergedColumn:
        """The test of the merged categories, if there are two groups at least."""
        merging = one.merging
        groups = tuple(tuple(one.codes[list(group)].tolist()) for group in merging.groups)
        if len(groups) < 2:
            return _MergedColumn(one.column, groups, 0.0, {})
        outcome = self.test(np.array([merging.lanes[list(group)].sum(axis=0) for group in merging.groups]))
        log_p, multiplier = float(outcome.log_p), 1
        if self.part.bonferroni:
            multiplier = chaid_multiplier(len(merging.lanes), len(merging.groups), merging.kind)
        log_adjusted = adjusted(log_p, multiplier)
        facts = {
            "test": "F" if self.growth.is_real else "chi-square",
            "statistic": float(outcome.statistic),
            "df": int(outcome.df),
            "log_p": log_p,
            "multiplier": multiplier,
            "log_adjusted_p": log_adjusted,
        }
        return _MergedColumn(one.column, groups, log_adjusted, facts)

    # ---- the split -----------------------------------------------------------------------------------------

    def split(self, merged: _MergedColumn) -> tuple[Split, int]:
        """The split by groups, and the child of gaps (-1: there are none)."""
        known = [tuple(code for code in group if code >= 0) for group in merged.groups]
        missing = next((branch for branch, group in enumerate(merged.groups) if -1 in group), -1)
        branches = [group for group in known if group]  # gaps alone are the last group, hence the last child
        column = self.growth.columns[merged.column]
        if column.kind == "numeric":
            cuts = self.cuts[merged.column]
            return cut_split(merged.column, tuple(cuts[group[-1]] for group in branches[:-1])), missing
        if column.kind == "ordinal":
            branches = _filled(branches, len(column.categories))
        pairs = sorted((code, branch) for branch, group in enumerate(branches) for code in group)
        codes, targets = zip(*pairs, strict=True)
        return MapSplit(SUBSET, merged.column, codes, targets), missing


def _filled(groups: list[tuple[int, ...]], n_codes: int) -> list[tuple[int, ...]]:
    """Runs of codes, those between two groups with the upper one: as a threshold would part them."""
    ends = [-1, *(group[-1] for group in groups[:-1]), n_codes - 1]
    return [tuple(range(low + 1, high + 1)) for low, high in pairwise(ends)]
