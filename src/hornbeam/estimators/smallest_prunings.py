"""The prunings of a fitted model: how many there are, and the smallest for every number of errors."""

from __future__ import annotations

import math
from functools import partial

from hornbeam.estimators.base import TreeModel
from hornbeam.estimators.prune import rows_of
from hornbeam.pruning.smallest_by_errors import MAX_COST, SmallestPrunings, find_smallest_prunings
from hornbeam.tree.hooks import inner_model, tree_of
from hornbeam.tree.tree import Tree


def smallest_prunings(
    model: Tree | TreeModel, *, max_nodes: int | None = None, max_cost: float = MAX_COST
) -> SmallestPrunings:
    """For every number of errors k the smallest pruning with at most k errors.

    A dynamic programme over the sizes of branches, from the leaves up: at most one step for every pair of
    nodes, whatever the number of branches. Errors are those on the training rows: weights of rows answered
    wrongly, or their costs by the tree's costs and priors; squared errors of a regression.

    Parameters
    ----------
    model : fitted estimator, Tree, or the path of a saved one
    max_nodes : int or None
        Look at prunings of at most so many nodes; makes the programme cheaper for a large tree.
    max_cost : float
        The most additions it may take, and a tenth as many bytes of memory; beyond, the error says what it
        would cost.

    Returns
    -------
    SmallestPrunings
        `size(k)`, `pruning(k)`; `select(X, y)` by a second sample, `select_srm()` by structural risk.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from hornbeam import TreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> smallest = smallest_prunings(TreeClassifier().fit(X, y))
    >>> smallest.errors, smallest.nodes
    (array([  0.,   1.,   2.,   3.,   4.,   6.,  50., 100.]), array([17, 13, 11,  9,  7,  5,  3,  1]))
    >>> smallest.pruning(6).tree_.n_leaves
    3
    """
    model = inner_model(model, for_rows=True)
    tree = tree_of(model)
    fitted = None if isinstance(model, Tree) else model
    return find_smallest_prunings(tree, max_nodes, max_cost, fitted, partial(rows_of, model, tree))


def count_prunings(model: Tree | TreeModel) -> int:
    """How many trees pruning can make of a tree by turning tests into leaves, itself and its root included.

    A leaf has one pruning; a test has one as a leaf, and one for every way to prune its branches.

    Examples
    --------
    >>> import hornbeam as hb
    >>> tennis = hb.datasets.load("tennis")
    >>> count_prunings(hb.id3().fit(tennis.X, tennis.y))
    5
    """
    tree = tree_of(model)
    counts = [1] * len(tree)
    for node in range(len(tree) - 1, -1, -1):
        children = tree.children(node)
        if children:
            counts[node] = 1 + math.prod(counts[child] for child in children)
            for child in children:
                counts[child] = 0  # numbers of a large tree are long
    return counts[0]
