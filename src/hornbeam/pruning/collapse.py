"""Collapse: a subtree that makes no fewer training errors than a leaf is a leaf, as in C4.5 (3.1)."""

from __future__ import annotations

import numpy as np

from hornbeam._base.types import Floats
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.pruning.base import Pruned, Pruner, need_counts, need_task
from hornbeam.pruning.cheapest_pruning import Cheapest, cheapest
from hornbeam.pruning.risks import node_risks
from hornbeam.tree.tree import Tree

_WRONG = "it counts rows answered wrongly; use 'cost-complexity'"
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

    def check_task(self, task: str) -> None:
        """Raise for a real target, which is never simply right or wrong."""
        need_task(self, task, ("classes",), _WRONG)

    def prune(self, tree: Tree, table: Table | None = None, target: Target | None = None) -> Pruned:  # noqa: ARG002
        """A smaller tree with as few training errors; rows are not needed."""
        need_task(self, tree.task, ("classes",), _WRONG)
        need_counts(tree)
        found = no_worse(tree, node_risks(tree, "error") * case_scale(tree))
        decisions = found.decisions("errors of the tree", "errors of a leaf")
        return Pruned(tree.collapse(found.leaf), decisions, self.name, before=tree)


def no_worse(tree: Tree, errors: Floats) -> Cheapest:
    """Which tests become leaves because their subtree makes no fewer errors."""
    return cheapest(tree, errors, slack=EPSILON)


def case_scale(tree: Tree) -> float:
    """By what weights are multiplied so that the whole tree has as many cases as rows (K3).

    >>> import hornbeam as hb
    >>> case_scale(hb.TreeClassifier().fit([[1.0], [2.0]], ["a", "b"], sample_weight=[4.0, 4.0]).tree_)
    0.25
    """
    return float(np.divide(tree.n_rows[0], tree.weight[0])) if tree.n_rows[0] > 0 else 1.0
