"""The search of a node's split by a criterion that is written in Python.

The core knows its own formulas only. So all tests of every column are listed with the sums of their
branches, as `hb.candidates` lists them, and the criterion scores those of a column in one call; ties are
settled as the core settles them.
"""

from __future__ import annotations

import numpy as np

from hornbeam._base.types import AnyArray
from hornbeam.growing.candidates.axis_search import Search
from hornbeam.growing.candidates.column_scores import ColumnScorer
from hornbeam.growing.candidates.column_search import BestTest, column_test
from hornbeam.growing.candidates.node_rows import Bounds, NodeRows
from hornbeam.growing.candidates.node_splits import EqualsSplit, MapSplit, Proposal, Split, ThresholdSplit
from hornbeam.growing.stepwise_growth import Growth, Node
from hornbeam.tree.arrays import KINDS

_NO_BOUNDS = Bounds(np.empty(0), np.empty(0))


class OwnCriterionSearch(Search):
    """The best test of one column, by a criterion of the user's own."""

    def propose(self, node: Node) -> Proposal | None:
        """The node's best split (K4), None if it has no candidate."""
        node_rows = NodeRows(self.growth, node, None, 0, _NO_BOUNDS, seeded=True)
        scorer = ColumnScorer(node_rows)
        for drawn in self.growth.draws(node, node.usable):
            tests = [column_test(node_rows, scorer, column) for column in drawn]
            able = [test for test in tests if test.possible]
            if able:
                best = max(_score(test) for test in able)
                margin = scorer.margin(best)
                return _proposal(self.growth, next(test for test in able if _score(test) >= best - margin))
        return None


def _score(test: BestTest) -> float:
    assert test.scored is not None
    return float(test.scored.score[test.top])


def _proposal(growth: Growth, test: BestTest) -> Proposal:
    """The best test of a column as a split."""
    assert test.scored is not None
    k, tests = test.top, test.scored.tests
    split = _split(growth, test, k)
    missing = int(tests.missing[k])
    if missing >= split.n_branches:  # gaps have a branch of their own, the last one
        missing = split.n_children
    gain = float(test.scored.decrease[k])
    return Proposal(split, gain, gain, missing)


def _split(growth: Growth, test: BestTest, k: int) -> Split:
    assert test.scored is not None
    tests, column = test.scored.tests, test.columns[0]
    values: AnyArray = test.buckets.values
    if tests.cut is not None and tests.last is not None:
        if not np.isfinite(tests.cut[k]):  # known against missing
            return ThresholdSplit(column, float(tests.cut[k]))
        last = int(tests.last[k])
        return ThresholdSplit(column, float(tests.cut[k]), float(values[last]), float(values[last + 1]))
    codes = tuple(int(value) for value in values)
    if tests.kind == "equals":
        return EqualsSplit(column, codes[tests.first[k][0]])
    kind = KINDS.index(tests.kind)
    if tests.kind == "multiway":
        absent = len(growth.columns[column].categories) - len(codes)
        return MapSplit(kind, column, codes, tuple(range(len(codes))), absent)
    inside = set(tests.first[k])
    return MapSplit(kind, column, codes, tuple(0 if place in inside else 1 for place in range(len(codes))))
