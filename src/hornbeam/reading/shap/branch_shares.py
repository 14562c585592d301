"""At every test of a tree, what part of a row goes to each child, and which columns decide it.

One idea: a row that goes one way has the part 1 there and 0 elsewhere. Where it follows all paths, a
child's part is its share of what the row reaches: the training weight of the leaves reached below it, or
the branch's share, as the tree's policy says. The product of the parts on the way to a leaf is the leaf's
weight in the row's answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hornbeam._base.types import AnyArray, Bools, Floats, Longs
from hornbeam.tree import routing
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.tree import Tree


@dataclass(frozen=True)
class Deciding:
    """Columns that decide at a test, for the rows of a mask (None: for all)."""

    columns: tuple[int, ...]
    rows: Bools | None


@dataclass(frozen=True)
class FollowedRows:
    """Some rows at every test of a tree.

    Attributes
    ----------
    part : array (nodes, rows)
        Of a row at a node's parent, the part that goes to the node; 1 at the root.
    deciding : dict
        Test -> the columns that decide there.
    parting : array of bool (nodes, rows)
        Whether the row goes several ways at the node, each with some weight.
    """

    part: Floats
    deciding: dict[int, tuple[Deciding, ...]]
    parting: Bools


def follow_rows(tree: Tree, arrays: Sequence[AnyArray], rows: Longs) -> FollowedRows:
    """Where rows, by their positions in the arrays, go at every test, also at those they never come to."""
    tests = np.flatnonzero(tree.kind != LEAF).tolist()
    part = np.ones((len(tree), len(rows)))
    everywhere = np.zeros((len(tree), len(rows)), dtype=np.bool_)
    deciding = {}
    for node in tests:
        branch, surrogate = routing.find_branches(tree, node, arrays, rows)
        everywhere[node] = branch == routing.ALL_PATHS
        for k, child in enumerate(tree.children(node)):
            part[child] = branch == k
        deciding[node] = _deciding(tree, node, surrogate)
    parting = np.zeros_like(everywhere)
    several = np.flatnonzero(everywhere.any(axis=0))
    if len(several):
        some = part[:, several]
        parting[:, several] = _share_out(tree, everywhere[:, several], some)
        part[:, several] = some
    return FollowedRows(part, deciding, parting)


def _deciding(tree: Tree, node: int, used: Longs) -> tuple[Deciding, ...]:
    """The columns tested, and, for rows that one of the surrogates was used for, its column as well."""
    own = tree.tested_columns(node)
    if (used < 0).all():
        return (Deciding(tuple(sorted(own)), None),)
    deciding = []
    for k in np.unique(used).tolist():
        columns = own if k < 0 else {*own, int(tree.surrogate_column[k])}
        deciding.append(Deciding(tuple(sorted(columns)), used == k))
    return tuple(deciding)


def _share_out(tree: Tree, everywhere: Bools, out: Floats) -> Bools:
    """Fill in the parts of rows that follow all paths, from the leaves up; and where rows part in truth."""
    by_leaf = tree.policy["weights"] == "leaf"
    share = np.ones(len(tree)) if by_leaf else routing.branch_shares(tree)
    mass = np.zeros(out.shape)  # the weight of the leaves a row would reach from each node
    leaves = np.zeros(out.shape)  # and their number
    parting = np.zeros(out.shape, dtype=np.bool_)
    for node in range(len(tree) - 1, -1, -1):
        children = tree.children(node)
        if not children:
            mass[node], leaves[node] = tree.weight[node] if by_leaf else 1.0, 1.0
            continue
        span = slice(children.start, children.stop)
        here = everywhere[node]
        weighed = mass[span] * share[span, None]
        weightless = here & (weighed.sum(axis=0) <= 0)  # no leaf has weight: all count the same
        weighed = np.where(weightless, leaves[span], weighed)
        total = weighed.sum(axis=0)
        out[span] = np.where(here, weighed / np.where(here, total, 1.0), out[span])
        parting[node] = here & ((out[span] > 0).sum(axis=0) > 1)
        mass[node] = np.where(here, np.where(weightless, 0.0, total), (mass[span] * out[span]).sum(axis=0))
        leaves[node] = np.where(here, leaves[span].sum(axis=0), (leaves[span] * out[span]).sum(axis=0))
    return parting
