"""Prune: back to a number of leaves, to a penalty, or by a method; locked nodes stay.

One idea: the strengths of the tests say at which penalty each goes (`hornbeam.pruning.critical_alphas`), so a
size is one comparison, and a node that is locked only has to be left out of it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hornbeam._base.checks import check_least, is_whole
from hornbeam._base.types import Bools, Floats
from hornbeam.editing.edit_context import Ground
from hornbeam.editing.edit_result import Done
from hornbeam.editing.edit_words import leaves_text, locks
from hornbeam.growing.part import resolve
from hornbeam.pruning import PRUNING, Pruner
from hornbeam.pruning.base import refuse_unordered_pruning
from hornbeam.pruning.critical_alphas import strengths
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.tree import Tree


def prune(ground: Ground, tree: Tree, leaves: Any = None, alpha: Any = None, method: Any = None) -> Done:
    """Make the tree smaller."""
    given = [
        name
        for name, value in (("leaves", leaves), ("alpha", alpha), ("method", method))
        if value is not None
    ]
    if len(given) != 1:
        raise ValueError("prune takes one of leaves=, alpha= and method=, such as prune(leaves=5)")
    after = _by_method(ground, tree, method) if method is not None else _at(tree, leaves, alpha)
    return Done(after, f"pruned from {leaves_text(tree.n_leaves)} to {after.n_leaves}")


def _at(tree: Tree, leaves: Any, alpha: Any) -> Tree:
    strength, held = strengths(tree), _held(tree)
    if alpha is not None:
        check_least("alpha", alpha, 0, "the penalty for each leaf")
        return tree.collapse((strength <= alpha) & ~held)
    if not is_whole(leaves) or leaves < 1:
        raise ValueError(f"leaves={leaves!r} must be a whole number of at least 1")
    if tree.n_leaves <= leaves:
        return tree
    for penalty in _penalties(strength, held):
        found = tree.collapse((strength <= penalty) & ~held)
        if found.n_leaves <= leaves:
            return found
    raise ValueError(
        f"leaves={leaves} cannot be reached: locked nodes keep {leaves_text(found.n_leaves)}; unlock some"
    )


def _penalties(strength: Floats, held: Bools) -> list[float]:
    open_tests = ~np.isnan(strength) & ~held
    return np.unique(strength[open_tests]).tolist() or [0.0]


def _by_method(ground: Ground, tree: Tree, method: Any) -> Tree:
    if locks(tree):
        raise ValueError(
            f"method={method!r} cannot go around locked nodes: unlock them, or use leaves= or alpha="
        )
    pruner = resolve("method", method, PRUNING, Pruner)
    if pruner.uses_rows:
        raise ValueError(
            f"method={method!r} prunes by rows that the tree was not grown on, which an edit does not have:"
            " use hb.prune(draft.model, method, X, y) and edit on from there"
        )
    pruner.check_task(tree.task)
    refuse_unordered_pruning(pruner, ground.estimator.monotonic_cst)
    return pruner.prune(tree, ground.table, ground.target).tree


def _held(tree: Tree) -> Bools:
    """Locked nodes, and everything above and below them."""
    found: Bools = np.zeros(len(tree), dtype=np.bool_)
    for node in locks(tree):
        found[tree.path(node)] = True
        found[[below for below, _ in tree.walk(node)]] = True
    found &= tree.kind != LEAF
    return found
