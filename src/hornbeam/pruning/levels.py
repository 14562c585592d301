"""Passes over a tree from its deepest tests up to the root, and the cheapest pruning, which one pass finds.

All tests of one depth are decided together, by segmented sums over their children::

    tests   [ 3      5   ]       of one depth
    kids    [ 7 8 9  10 11 ]     their children, one after the other
    start   [ 0      3   ]       where the children of each begin

so a pass over the tree costs a few numpy calls for each level, and every node is looked at once.

What leaves cost adds up, so in the cheapest pruning a test stays exactly if its children, pruned as well as
can be, cost less than the node does as a leaf. Where both cost the same the leaf wins, hence of all cheapest
prunings the smallest is found; or, on request, the test stays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from hornbeam._base.types import TIE, AnyArray, Bools, Floats, Longs
from hornbeam.pruning.record import Decisions
from hornbeam.tree.tree import Tree

_BITS = 61  # of integers whose sums int64 holds


class Level(NamedTuple):
    """The tests of one depth, and their children."""

    tests: Longs
    kids: Longs
    start: Longs

    @property
    def sizes(self) -> Longs:
        """How many children each test has."""
        return np.diff(np.append(self.start, len(self.kids)))

    def where(self, mask: AnyArray) -> Level:
        """The tests of the mask, with their children."""
        if mask.all():
            return self
        count = self.sizes[mask]
        return Level(self.tests[mask], self.kids[np.repeat(mask, self.sizes)], np.cumsum(count) - count)

    def sums(self, values: AnyArray) -> AnyArray:
        """For each test the sum over its children."""
        return np.add.reduceat(values[self.kids], self.start, axis=0)

    def all(self, values: AnyArray) -> AnyArray:
        """For each test whether all of its children are true."""
        return np.logical_and.reduceat(values[self.kids], self.start)


def levels_up(tree: Tree) -> list[Level]:
    """The levels of a tree that have tests, from the deepest to the root.

    >>> inner = {"column": "b", "<=": 0.5, "yes": "p", "no": "q"}
    >>> tree = Tree.from_nested({"column": "a", "<=": 0.5, "yes": inner, "no": "p"})
    >>> [(level.tests.tolist(), level.kids.tolist()) for level in levels_up(tree)]
    [([1], [3, 4]), ([0], [1, 2])]
    """
    tests = np.flatnonzero(tree.first_child >= 0)
    depth = tree.depths[tests]
    order = np.argsort(depth, kind="stable")
    ends = np.cumsum(np.bincount(depth)) if len(tests) else np.empty(0, dtype=np.int64)
    levels = []
    for high, low in zip(ends[::-1], [*ends[-2::-1], 0], strict=False):
        here = tests[order[low:high]]
        count = tree.n_children[here].astype(np.int64)
        start = np.cumsum(count) - count
        kids = np.repeat(tree.first_child[here] - start, count) + np.arange(count.sum())
        levels.append(Level(here, kids, start))
    return levels


def sums_up(tree: Tree, values: Floats) -> Floats:
    """What the leaves' values add up to at every node; the values of inner nodes are not read."""
    sums = values.copy()
    for level in levels_up(tree):
        sums[level.tests] = level.sums(sums)
    return sums


def sum_by_step(tree: Tree, until: AnyArray, values: Floats | Longs, n_steps: int) -> Floats:
    """Sum over the leaves of each subtree of a path; `until` is each node's first step as a leaf.

    A node is a leaf from its own step to that of its parent. Sums are taken in integers, so that adding a
    value and subtracting it again leaves no rounding error.

    >>> tree = Tree.from_nested({"column": "x", "<=": 1.5, "yes": {"value": 1.0}, "no": {"value": 2.0}})
    >>> sum_by_step(tree, np.array([1, 0, 0]), np.array([9.0, 1.0, 2.0]), 2)
    array([3., 9.])
    """
    end = np.where(tree.parent >= 0, until[np.maximum(tree.parent, 0)], n_steps)
    here = until < end
    scale = 2.0 ** (_BITS - np.frexp(float(np.abs(values[here]).sum()))[1])
    whole = np.rint(values[here] * scale).astype(np.int64)
    change = np.zeros(n_steps + 1, dtype=np.int64)
    np.add.at(change, until[here], whole)
    np.add.at(change, end[here], -whole)
    sums: Floats = np.cumsum(change)[:n_steps] / scale
    return sums


# What is decided about some tests of a level: which become leaves, and the numbers compared, by name.
LevelDecision = tuple[Longs, Bools, Mapping[str, AnyArray]]


def decide_up(tree: Tree, decide: Callable[[Level], LevelDecision | None]) -> tuple[Bools, Decisions]:
    """Decide about all tests from below; return which become leaves, and the record.

    `decide` gets one level after the other and returns the tests it examined, those of them that become
    leaves and the numbers it compared; None if it examined no test.
    """
    leaf = np.zeros(len(tree), dtype=np.bool_)
    decided = [each for each in map(decide, levels_up(tree)) if each is not None]
    for tests, cut, _ in decided:
        leaf[tests] = cut
    node = np.concatenate([np.empty(0, dtype=np.int64), *(tests for tests, _, _ in decided)])
    names = decided[0][2] if decided else ()
    numbers = {name: np.concatenate([values[name] for _, _, values in decided]) for name in names}
    return leaf, Decisions(node, leaf[node].astype(np.int8), numbers)


class CheapestPruning(NamedTuple):
    """Which nodes become leaves, the record, and what the leaves of the pruned tree cost together."""

    leaf: Bools
    decisions: Decisions
    total: float


def cheapest_pruning(
    tree: Tree,
    cost: Floats,
    names: tuple[str, str] = ("as a tree", "as a leaf"),
    *,
    ties: str = "prune",
    slack: Floats | float = 0.0,
) -> CheapestPruning:
    """Find the cheapest pruning, given what each node costs as a leaf.

    Parameters
    ----------
    tree : Tree
    cost : the cost of each node as a leaf, what a leaf of the tree costs now included
    names : what the record calls the cost of a test as it is, and that as a leaf
    ties : {"prune", "keep"}
        What becomes of a test that costs the same either way.
    slack : differences up to this are rounding, too

    Examples
    --------
    >>> tree = Tree.from_nested({"column": "a", "<=": 0.5, "yes": "p", "no": "q"})
    >>> cheapest_pruning(tree, np.array([3.0, 1.0, 2.0])).leaf
    array([ True, False, False])
    >>> cheapest_pruning(tree, np.array([3.0, 1.0, 2.0]), ties="keep").leaf
    array([False, False, False])
    """
    best, margin = cost.copy(), TIE * np.abs(cost) + slack

    def decide(level: Level) -> LevelDecision:
        tests = level.tests
        below, own, near = level.sums(best), cost[tests], margin[tests]
        cut = own <= below + near if ties == "prune" else own < below - near
        best[tests] = np.where(cut, own, below)
        return tests, cut, dict(zip(names, (below, own), strict=True))

    return CheapestPruning(*decide_up(tree, decide), float(best[0]))
