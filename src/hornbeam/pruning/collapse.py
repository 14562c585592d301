"""Tests that gain nothing become leaves: by their training errors (C4.5's collapse), or by their answers.

Making a leaf of a test whose children are leaves that answer as the node itself would changes no answer
(`simplify_tree`): that is pruning without any loss.
"""

from __future__ import annotations

import numpy as np

from hornbeam._base.types import TIE, AnyArray, Floats, Task
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.pruning.base import Pruner
from hornbeam.pruning.levels import CheapestPruning, Level, LevelDecision, cheapest_pruning, decide_up
from hornbeam.pruning.record import Pruned
from hornbeam.pruning.risks import node_risks
from hornbeam.tree.arrays import owners
from hornbeam.tree.tree import Tree

COUNTS_ERRORS = "it counts rows answered wrongly; use 'cost-complexity'"
EPSILON = 1e-3  # C4.5's: cases this near are equal


class Collapse(Pruner):
    """A test whose subtree makes no fewer training errors than the node would as a leaf becomes a leaf.

    C4.5 does this as it builds a tree, before any pruning. The answers for the training rows stay as good;
    shares at the leaves get coarser. Errors are counted in cases; with costs, what they cost.

    Examples
    --------
    >>> import hornbeam as hb
    >>> X, y = {"x": [1, 2, 3, 4, 5, 6]}, list("aababb")
    >>> hb.TreeClassifier(max_depth=2).fit(X, y).tree_.n_leaves
    3
    >>> hb.TreeClassifier(max_depth=2, pruning="collapse").fit(X, y).tree_.text()
    'x[<=2.5: a(2:0) | >2.5: b(1:3)]'
    """

    name, about = "collapse", "no subtree without fewer training errors than its node (C4.5)"
    tasks, task_hint = (Task.CLASSES,), COUNTS_ERRORS

    def prune(self, tree: Tree, table: Table | None = None, target: Target | None = None) -> Pruned:  # noqa: ARG002
        """Return a smaller tree with as few training errors; rows are not needed."""
        self.check_tree(tree)
        cheapest = collapsible_tests(tree, node_risks(tree, "error") * case_scale(tree))
        return Pruned(tree.collapse(cheapest.leaf), cheapest.decisions, self.name, before=tree)


def collapsible_tests(tree: Tree, errors: Floats) -> CheapestPruning:
    """Find the tests that become leaves because their subtree makes no fewer errors."""
    return cheapest_pruning(tree, errors, ("errors of the tree", "errors of a leaf"), slack=EPSILON)


def case_scale(tree: Tree) -> float:
    """By what weights are multiplied so that the whole tree has as many cases as rows.

    >>> import hornbeam as hb
    >>> case_scale(hb.TreeClassifier().fit([[1.0], [2.0]], ["a", "b"], sample_weight=[4.0, 4.0]).tree_)
    0.25
    """
    return float(np.divide(tree.n_rows[0], tree.weight[0])) if tree.n_rows[0] > 0 else 1.0


def simplify_tree(tree: Tree, same: str = "label") -> Pruned:
    """Remove tests that only tell equal leaves apart; `same` is what classes are compared by.

    >>> tree = Tree.from_nested({"column": "x", "<=": 1.5, "yes": "a", "no": "a"}, classes=["a", "b"])
    >>> simplify_tree(tree).tree.text()
    'a'
    """
    answer = tree.label if tree.task.is_classes and same == "label" else tree.answers()
    modelled = np.zeros(len(tree), dtype=np.bool_)
    modelled[owners(tree.model_offset)] = True
    ended = (tree.first_child < 0) & ~modelled

    def decide(level: Level) -> LevelDecision | None:
        level = level.where(level.all(ended) & ~modelled[level.tests])
        if not len(level.tests):
            return None
        above = np.repeat(level.tests, level.sizes)
        alike = _alike(answer[level.kids], answer[above])
        ended[level.tests] = same_below = np.logical_and.reduceat(alike, level.start)
        return level.tests, same_below, {}

    leaf, decisions = decide_up(tree, decide)
    return Pruned(tree.collapse(leaf), decisions, "simplify", {"same": same}, tree)


def _alike(a: AnyArray, b: AnyArray) -> AnyArray:
    """Whether answers are the same: labels exactly, numbers and shares up to rounding."""
    if a.dtype.kind != "f":
        return np.asarray(a == b)
    near = np.abs(a - b) <= TIE * np.maximum(np.abs(a), np.abs(b))
    return np.asarray(near.all(axis=1) if near.ndim == 2 else near)
