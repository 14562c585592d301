"""Every pruning of a tree, one after the other: the twin of pruning by strengths and by the programme.

One idea: a pruning is the set of nodes that are its leaves. A node is a leaf, or a test over every
combination of prunings of its branches; nothing is remembered, nothing left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np

from hornbeam import Tree
from hornbeam.pruning.risks import node_risks
from hornbeam.tree.sizes import leaf_counts


class Pruning(NamedTuple):
    """The leaves of a pruning, and how large and how bad it is."""

    leaves: frozenset[int]
    n_leaves: int
    n_nodes: int
    risk: float


def every_pruning(tree: Tree, risk: str = "error") -> list[Pruning]:
    """All prunings, the root alone first."""
    risks, stands_for = node_risks(tree, risk), leaf_counts(tree)
    found = []
    for leaves in _below(tree, 0):
        size = int(sum(stands_for[n] for n in leaves))
        tests = {a for n in leaves for a in tree.path(n)[:-1]}
        found.append(Pruning(leaves, size, size + len(tests), float(sum(risks[n] for n in leaves))))
    return found


def _below(tree: Tree, node: int) -> Iterator[frozenset[int]]:
    yield frozenset([node])
    children = tree.children(node)
    if children:
        for parts in product(*(list(_below(tree, child)) for child in children)):
            yield frozenset().union(*parts)


def leaves_of(tree: Tree, mask: np.ndarray) -> frozenset[int]:
    """The leaves left when the masked nodes collapse, in the numbers of the tree that was."""
    gone = {n for n in range(len(tree)) if any(mask[a] for a in tree.path(n)[:-1])}
    return frozenset(n for n in range(len(tree)) if n not in gone and (mask[n] or not tree.children(n)))
