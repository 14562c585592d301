"""The best test of a node among plain columns and predicates (R36).

One idea: a predicate is evaluated once, on all rows; at a node it is a column of two values.
"""

from __future__ import annotations

import numpy as np

from hornbeam.splitting.predicates import Predicates
from hornbeam.stepwise import axis
from hornbeam.stepwise.axis import Derived
from hornbeam.stepwise.growth import Growth, Node
from hornbeam.stepwise.search import Search
from hornbeam.stepwise.splits import ExpressionSplit, Proposal


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
            found = axis.best(self.growth, node, [k for k in drawn if k < first], derived)
            if found is not None:
                return found
        return None
