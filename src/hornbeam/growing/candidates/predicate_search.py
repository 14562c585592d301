"""The best test of a node among plain columns and predicates (R36).

One idea: a predicate is evaluated once, on all rows; at a node it is a column of two values.
"""

from __future__ import annotations

import numpy as np

from hornbeam.growing.candidates import axis_search
from hornbeam.growing.candidates.axis_search import Derived
from hornbeam.growing.candidates.node_splits import ExpressionSplit, Proposal
from hornbeam.growing.candidates.search import Search
from hornbeam.growing.splits.predicates import Predicates
from hornbeam.growing.stepwise_growth import Growth, Node


class PredicateSearch(Search):
    """Columns first, then predicates in the order given."""

    def __init__(self, growth: Growth, part: Predicates) -> None:
        super().__init__(growth, part)
        tests = part.tests(growth.columns)
        rows = np.arange(growth.n_rows)
        self.splits = [ExpressionSplit(test, test.columns_in(growth.columns)) for test in tests]
        self.branches = [split.branches(growth, rows) for split in self.splits]

    def propose(self, node: Node) -> Proposal | None:
        """The node's best split (K4), None if it has no candidate."""
        first = len(self.growth.columns)
        plain = self.part.plain_columns(node.usable)
        for drawn in self.growth.draws(node, (*plain, *range(first, first + len(self.splits)))):
            derived = [
                Derived(self.splits[k - first], self.branches[k - first][node.rows])
                for k in drawn
                if k >= first
            ]
            found = axis_search.best(self.growth, node, [k for k in drawn if k < first], derived)
            if found is not None:
                return found
        return None
