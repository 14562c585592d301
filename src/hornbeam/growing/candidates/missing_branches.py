"""Gaps: where the rows go that a split cannot place. One class for each way, one table.

One idea: a way of treating gaps is asked once for each split made, and answers with the rows of every child
and their weights::

    branch of each row    0   1  -1   0          joined     the child that was chosen with the split
    child 0              [a           d]         shared     all children, by their share of the known weight
    child 1              [    b        ]         heaviest   the child of the most known weight
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hornbeam._base.types import TIE, Floats, Longs
from hornbeam.growing.candidates.node_splits import Proposal
from hornbeam.growing.missing import MissingRule
from hornbeam.growing.stepwise_growth import Growth, Node


@dataclass(frozen=True)
class Division:
    """The rows of each child with their weights; and the child a gap follows in prediction, -1 for all."""

    parts: tuple[tuple[Longs, Floats], ...]
    missing: int


class Gaps(ABC):
    """A way of treating gaps."""

    @abstractmethod
    def divide(self, growth: Growth, node: Node, proposal: Proposal) -> Division:
        """The rows of every child of the split."""


class Joined(Gaps):
    """Gaps go where the split was judged with them: a branch of the values, or one of their own."""

    def divide(self, growth: Growth, node: Node, proposal: Proposal) -> Division:
        """The rows of every child of the split."""
        branch = proposal.split.branches(growth, node.rows)
        return _together(node, branch, proposal, proposal.missing)


class Shared(Gaps):
    """A gap goes to every branch, with the branch's share of the known weight (C4.5)."""

    def divide(self, growth: Growth, node: Node, proposal: Proposal) -> Division:
        """The rows of every child of the split."""
        branch = proposal.split.branches(growth, node.rows)
        known = _known_weights(node, branch, proposal)
        share = known / known.sum()
        parts = []
        for child, part in enumerate(share.tolist()):
            here = np.flatnonzero((branch == child) | ((branch < 0) & (part > 0)))
            weight = node.weight[here] * np.where(branch[here] < 0, part, 1.0)
            parts.append((node.rows[here], weight))
        return Division(tuple(parts), -1)


class Heaviest(Gaps):
    """A gap goes to the branch of the most known weight, the first of equally heavy ones."""

    def divide(self, growth: Growth, node: Node, proposal: Proposal) -> Division:
        """The rows of every child of the split."""
        branch = proposal.split.branches(growth, node.rows)
        known = _known_weights(node, branch, proposal)
        heaviest = int(np.argmax(known >= known.max() - TIE * known.sum()))
        return _together(node, branch, proposal, heaviest)


GAPS: Mapping[MissingRule, Gaps] = {
    MissingRule.LEARN: Joined(),
    MissingRule.BRANCH: Joined(),
    MissingRule.FRACTIONAL: Shared(),
    MissingRule.MAJORITY: Heaviest(),
}


def _known_weights(node: Node, branch: Longs, proposal: Proposal) -> Floats:
    known = branch >= 0
    n = proposal.split.n_children
    return np.bincount(branch[known], weights=node.weight[known], minlength=n).astype(np.float64, copy=False)


def _together(node: Node, branch: Longs, proposal: Proposal, missing: int) -> Division:
    """All gaps in one child."""
    n_children = max(proposal.split.n_children, missing + 1)
    place = np.where(branch < 0, missing, branch)
    parts = [np.flatnonzero(place == child) for child in range(n_children)]
    return Division(tuple((node.rows[part], node.weight[part]) for part in parts), missing)
