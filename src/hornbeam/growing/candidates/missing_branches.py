"""Where the rows go that a split cannot place, by the missing rule of the plan::

branch of each row    0   1  -1   0          learn, branch   the child that was chosen with the split
child 0              [a           d]         fractional      all children, by their share of the known weight
child 1              [    b        ]         majority        the child of the most known weight
"""

from __future__ import annotations

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


def divide_node(growth: Growth, node: Node, proposal: Proposal) -> Division:
    """The rows of every child of a split."""
    branch, n = proposal.split.branches(growth, node.rows), proposal.split.n_children
    rule, missing, is_gap = growth.plan.missing.core_rule, proposal.missing, branch < 0
    known = np.bincount(branch[~is_gap], weights=node.weight[~is_gap], minlength=n)
    if rule == MissingRule.FRACTIONAL:  # as in C4.5
        parts = []
        for child, share in enumerate((known / known.sum()).tolist()):
            here = np.flatnonzero((branch == child) | (is_gap & (share > 0)))
            parts.append((node.rows[here], node.weight[here] * np.where(is_gap[here], share, 1.0)))
        return Division(tuple(parts), -1)
    if rule == MissingRule.MAJORITY:  # the first of equally heavy ones
        missing = int(np.argmax(known >= known.max() - TIE * known.sum()))
    child_of_row = np.where(is_gap, missing, branch)
    rows_of_child = [np.flatnonzero(child_of_row == child) for child in range(max(n, missing + 1))]
    return Division(tuple((node.rows[part], node.weight[part]) for part in rows_of_child), missing)
