"""Children: the cheapest child's subtree of each test, as the tree stands by now.

One idea: what a subtree costs in the place of a test is the caller's business; which of them wins is the same
for all: the least cost, of equal ones the smallest subtree, then the first.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hornbeam._base.types import Bools, Floats, Longs
from hornbeam.tree.tree import Tree


def cheapest_child(
    tree: Tree,
    state: tuple[Longs, Bools, Longs],
    tests: Longs,
    hopeful: Bools,
    margin: Floats,
    cost_of: Callable[[Longs, Longs], Floats],
) -> tuple[Floats, Longs]:
    """The least cost for each test, infinite if it has no child to try, and the child, -1 if there is none.

    `state` says which node stands in each place, which are leaves by now, and how large subtrees are; tests
    that are not `hopeful` are not tried; costs within `margin` are equal. `cost_of(tests, roots)` is the cost
    with the subtree of each root in the place of its test.
    """
    stand, ended, size_of = state
    cost, child = np.full(len(tests), np.inf), np.full(len(tests), -1)
    size = np.full(len(tests), np.iinfo(np.int64).max)
    for branch in range(int(tree.n_children[tests].max())):
        there = (tree.n_children[tests] > branch) & hopeful
        root = stand[tree.first_child[tests] + np.where(there, branch, 0)]
        some = np.flatnonzero(there & ~ended[root])
        if not len(some):
            continue
        found, near = cost_of(tests[some], root[some]), margin[some]
        better = (found < cost[some] - near) | (
            (found <= cost[some] + near) & (size_of[root[some]] < size[some])
        )
        won = some[better]
        cost[won], child[won], size[won] = found[better], root[won], size_of[root[won]]
    return cost, child
