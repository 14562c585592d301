"""Climbing: what rows lose by every node on their way, where nodes answer with equations or rates.

One idea: an equation answers each row differently, so no sum over a node's rows says what another node makes
of them. The rows climb together, a level at a time, and are answered anew by each node they come to::

    depth 3      leaf 7: rows 1 4     leaf 8: row 2      each answered by its node's equation
    depth 2      node 5: rows 1 4 2 ...                  the same rows, by the node above

A row is answered once for each level, so a sample costs its rows times the depth of its leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from hornbeam._base.sums import sums_by_place
from hornbeam._base.types import AnyArray, Floats, Longs
from hornbeam.growing.leaves.fit_equations import levels
from hornbeam.tree.apply import evaluate_nodes
from hornbeam.tree.tree import Tree

_BITS = 61  # of whole numbers whose sums int64 holds


class Climbed(NamedTuple):
    """By node: sums of weight x loss, of weight x loss^2, and of weight x (y^2 + answer^2)."""

    loss: Floats
    squares: Floats
    size: Floats


def squared(y: Floats, said: Floats) -> Floats:
    """The squared distance of each outcome from an answer."""
    found: Floats = (y - said) ** 2
    return found


def climbed(
    tree: Tree,
    columns: Sequence[AnyArray],
    row: Longs,
    leaf: Longs,
    weight: Floats,
    values: Floats,
    distance: Callable[[Floats, Floats], Floats] = squared,
) -> Climbed:
    """Distances of rows from what the nodes above (and in) their leaves say.

    Parameters
    ----------
    tree : Tree
    columns : one array for each column of the tree
    row, leaf, weight : an entry for each leaf that a row reaches
    values : the outcome of each row
    distance : how far outcomes are from answers, squared unless another is given

    Examples
    --------
    >>> leaves = [{"value": v, "n": 2, "model": {"intercept": v, "terms": {"x": 1.0}}} for v in (1.0, 5.0)]
    >>> tree = Tree.from_nested({"column": "x", "<=": 1.5, "yes": leaves[0], "no": leaves[1]})
    >>> first = np.array([0, 1])
    >>> climbed(tree, [np.array([1.0, 2.0])], first, first + 1, np.ones(2), np.array([2.0, 6.0])).loss
    array([10.,  0.,  1.])
    """
    n, node = len(tree), leaf.astype(np.int64)
    found = Climbed(np.zeros(n), np.zeros(n), np.zeros(n))
    place = np.zeros(n, dtype=np.int64)
    for depth, nodes in reversed(list(enumerate(levels(tree)))):
        here = np.flatnonzero(tree.depths[node] == depth)
        if not len(here):
            continue
        place[nodes] = np.arange(len(nodes))
        at, rows, w = node[here], row[here], weight[here]
        y, said = values[rows], evaluate_nodes(tree, columns, at, rows)
        loss = distance(y, said)
        for out, each in zip(found, (w * loss, w * loss * loss, w * (y * y + said * said)), strict=True):
            out[nodes] = sums_by_place(place[at], each, len(nodes))
        node[here] = tree.parent[at]
    return found


def by_step(tree: Tree, until: AnyArray, values: Floats, n_steps: int) -> Floats:
    """What the leaves of each subtree of a path add up to; `until` is each node's first step as a leaf.

    A node is a leaf from its own step to that of its parent. Sums are taken in whole numbers, so that what is
    added and taken off again leaves no trace.

    >>> tree = Tree.from_nested({"column": "x", "<=": 1.5, "yes": {"value": 1.0}, "no": {"value": 2.0}})
    >>> by_step(tree, np.array([1, 0, 0]), np.array([9.0, 1.0, 2.0]), 2)
    array([3., 9.])
    """
    end = np.where(tree.parent >= 0, until[np.maximum(tree.parent, 0)], n_steps)
    here = until < end
    scale = 2.0 ** (_BITS - np.frexp(float(np.abs(values[here]).sum()))[1])
    whole = np.rint(values[here] * scale).astype(np.int64)
    change = np.zeros(n_steps + 1, dtype=np.int64)
    np.add.at(change, until[here], whole)
    np.add.at(change, end[here], -whole)
    found: Floats = np.cumsum(change)[:n_steps] / scale
    return found
