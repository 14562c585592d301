"""Frontier: the loop over open nodes, depth first, or best first where the number of nodes is limited (R52).

One idea: a node is asked for its split once, when it is met. Depth first makes it at once; best first makes
the one that lowers the impurity of the whole tree most, ties from left to right.
"""

from __future__ import annotations

import heapq
import math

from hornbeam.growing.candidates.missing_branches import GAPS
from hornbeam.growing.candidates.node_splits import Proposal
from hornbeam.growing.candidates.search import Search
from hornbeam.growing.core import Progress
from hornbeam.growing.stepwise_growth import Growth, Node

_TIE = 1e-12
_STEP = 0.01  # progress is told when this share of the rows more is settled


class Frontier:
    """Grows the tree below the root; `root` and `n_leaves` say what is grown at any time."""

    def __init__(self, growth: Growth, search: Search, progress: Progress | None) -> None:
        self.growth = growth
        self.search = search
        self.root = growth.root()
        self.progress = progress
        self.n_leaves = 1
        self.settled = 0.0
        self.told = -math.inf

    def run(self) -> bool:
        """Grow until nothing is left to split; whether it was interrupted."""
        limits = self.growth.plan.limits
        best_first = "max_leaves" in limits or "max_nodes" in limits
        try:
            return (self._best_first if best_first else self._depth_first)()
        except KeyboardInterrupt as stopped:
            if type(stopped) is not KeyboardInterrupt:  # the exception of a caller's signal handler
                raise
            return True

    def _depth_first(self) -> bool:
        open_nodes = [self.root]
        while open_nodes:
            if self._stopped():
                return True
            node = open_nodes.pop()
            found = self._proposal(node)
            if found is not None:
                open_nodes += reversed(self._split(node, found))
        return False

    def _best_first(self) -> bool:
        limits = self.growth.plan.limits
        most_leaves, most_nodes = limits.get("max_leaves", math.inf), limits.get("max_nodes", math.inf)
        leaves, nodes = 1, 1
        front: list[tuple[float, tuple[int, ...], Node, Proposal]] = []
        self._meet(front, self.root)
        while front:
            if self._stopped():
                return True
            node, found = self._next(front)
            added = self._n_added(node, found)
            if leaves + added - 1 > most_leaves or nodes + added > most_nodes:
                continue  # it would exceed the limit; a smaller split may still fit
            leaves, nodes = leaves + added - 1, nodes + added
            for child in self._split(node, found):
                self._meet(front, child)
        return False

    def _meet(self, front: list[tuple[float, tuple[int, ...], Node, Proposal]], node: Node) -> None:
        found = self._proposal(node)
        if found is not None:
            worth = float(self.growth.weights(node.stats)) / self.growth.total * found.gain
            heapq.heappush(front, (-worth, node.path, node, found))

    def _next(self, front: list[tuple[float, tuple[int, ...], Node, Proposal]]) -> tuple[Node, Proposal]:
        """The leftmost of the nodes whose splits are worth most."""
        tied = [heapq.heappop(front)]
        while front and front[0][0] <= tied[0][0] + _TIE * self.root.impurity:
            tied.append(heapq.heappop(front))
        first = min(range(len(tied)), key=lambda i: tied[i][1])
        _, _, node, found = tied.pop(first)
        for other in tied:
            heapq.heappush(front, other)
        return node, found

    def _n_added(self, node: Node, found: Proposal) -> int:
        """How many nodes a split adds, every absent value counted."""
        n_children = len(GAPS[self.growth.plan.missing.core_rule].divide(self.growth, node, found).parts)
        return n_children + max(0, found.split.n_absent - 1)

    def _proposal(self, node: Node) -> Proposal | None:
        """The split a node wants, None if it is to be a leaf."""
        found = None if self.growth.must_be_leaf(node) else self.search.propose(node)
        if found is not None and self.growth.accepts(node, found):
            return found
        self.settled += float(self.growth.weights(node.stats))
        return None

    def _split(self, node: Node, found: Proposal) -> list[Node]:
        """Make a split; the children that have rows."""
        growth = self.growth
        division = GAPS[growth.plan.missing.core_rule].divide(growth, node, found)
        usable = tuple(column for column in node.usable if column not in found.split.uses_up)
        children = [
            growth.child(node, branch, rows, weight, usable)
            for branch, (rows, weight) in enumerate(division.parts)
        ]
        node.proposal, node.missing = found, division.missing
        node.children = children
        self.n_leaves += len(children) - 1
        node.rows, node.weight = node.rows[:0], node.weight[:0]  # they live on in the children
        return [child for child in children if len(child.rows)]

    def _stopped(self) -> bool:
        """Tell the progress; whether the answer is to stop."""
        share = min(self.settled / self.growth.total, 1.0)
        if self.progress is None or share < self.told + _STEP:
            return False
        self.told = share
        return bool(self.progress(share))
