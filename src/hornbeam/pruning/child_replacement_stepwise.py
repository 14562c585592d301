"""Replacing, stepwise: the same search for trees with tests that the core does not know.

One idea: `hornbeam.pruning.best_replacements` tries all tests of one depth together; the tree that is left is
fitted to the training rows anew.
"""

from __future__ import annotations

import numpy as np

from hornbeam._base.types import Bools
from hornbeam.data.target import Rows
from hornbeam.pruning.best_replacements import Found, Raising, in_training
from hornbeam.pruning.child_replacement import Replaced
from hornbeam.pruning.record import Decisions
from hornbeam.tree.subtrees import replaced
from hornbeam.tree.tree import Tree


def replaced_stepwise(tree: Tree, training: Rows, held: Rows) -> Replaced:
    """Search level by level."""
    search = Raising(tree, training, held)
    found = search.decide()
    leaf = search.ended & (tree.first_child >= 0)
    raised = {int(v): int(search.stand[v]) for v in np.flatnonzero(search.stand != np.arange(len(tree)))}
    small = tree.collapse(leaf) if not raised else _refitted(tree, raised, leaf, training)
    return Replaced(small, decisions_of(found), len(raised))


def _refitted(tree: Tree, raised: dict[int, int], leaf: Bools, training: Rows) -> Tree:
    """The rearranged tree with the Stats of the training rows that now reach its nodes."""
    moved = Tree(**replaced(tree, raised, leaf))
    fitted = in_training(moved).refit(training.table, training.target)
    return fitted.replace(policy=tree.policy)


def decisions_of(found: list[Found]) -> Decisions:
    """The decisions of all levels as a record."""
    if not found:
        return Decisions(np.empty(0, np.int64), np.empty(0, np.int8), {})
    tests, action, child, kept, leaf, raised, weight = (np.concatenate(c) for c in zip(*found, strict=True))
    numbers = {"errors kept": kept, "errors as a leaf": leaf, "errors raised": raised, "sample": weight}
    return Decisions(tests, action, numbers, child=child)
