"""Search: what finds the split of one node. Every special choice has its own; this is the plain one.

One idea: a search is made once for a growth and asked once for each node.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from hornbeam.growing.candidates import axis_search
from hornbeam.growing.candidates.node_splits import Proposal
from hornbeam.growing.stepwise_growth import Growth, Node


class Search(ABC):
    """Finds splits; `part` is the choice in the estimator's slot that asked for it."""

    n_growths = 1  # 2: the whole tree may be grown again, by what the first one taught

    def __init__(self, growth: Growth, part: Any) -> None:
        self.growth = growth
        self.part = part

    @abstractmethod
    def propose(self, node: Node) -> Proposal | None:
        """The node's best split (K4), None if it has no candidate."""

    def wiser(self, root: Node) -> Search | None:  # noqa: ARG002 (most learn nothing)
        """The search of a second growth, given the first tree; None if that would be the same."""
        return None


class AxisSearch(Search):
    """The best test of one column, as the core would choose it."""

    def propose(self, node: Node) -> Proposal | None:
        """The node's best split (K4), None if it has no candidate."""
        for columns in self.growth.draws(node, node.usable):
            found = axis_search.best(self.growth, node, columns)
            if found is not None:
                return found
        return None
