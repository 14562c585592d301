"""scikit-learn's tree with `ccp_alpha` chosen by inner folds, every penalty judged on one full tree a fold.

The one idea: `DecisionTree...(ccp_alpha=a)` grows a full tree and collapses the branches that cost no less
than a leaf. So a full tree and what is collapsed at each penalty say what the trees of a whole grid search
answer; scikit-learn, asked for each one, prunes anew in time like the square of the leaves: hours where this
takes seconds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold

MOST = 100
"""Penalties tried: of more on the path, those whose trees' sizes are spread evenly on a logarithmic scale."""


def tuned(tree: Any, X: np.ndarray, y: np.ndarray, *, classes: bool) -> Any:
    """The tree fitted with the best `ccp_alpha` of its own path, by five shuffled folds."""
    alphas = spread(np.unique(np.maximum(tree.cost_complexity_pruning_path(X, y).ccp_alphas, 0)))
    folds = (StratifiedKFold if classes else KFold)(5, shuffle=True, random_state=0)
    scores = np.mean(
        [
            scores_of(clone(tree).fit(X[train], y[train]), alphas, X[test], y[test])
            for train, test in folds.split(X, y)
        ],
        axis=0,
    )
    return clone(tree).set_params(ccp_alpha=float(alphas[np.argmax(scores)])).fit(X, y)


def spread(alphas: np.ndarray, most: int = MOST) -> np.ndarray:
    """At most so many of ascending penalties, the last ones, those of small trees, close together."""
    if len(alphas) <= most:
        return alphas
    back = np.unique(np.geomspace(1, len(alphas), most).round().astype(int))
    return alphas[np.sort(len(alphas) - back)]


def scores_of(tree: Any, alphas: np.ndarray, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """`tree.score(X, y)` of a full tree pruned at each penalty."""
    leaf, depths = tree.apply(X), levels(tree.tree_)
    said = tree.tree_.value[:, 0, :]
    found = []
    for alpha in alphas:
        answer = said[standing(tree.tree_, depths, alpha)[leaf]]
        if hasattr(tree, "classes_"):
            found.append(np.mean(tree.classes_[answer.argmax(axis=1)] == y))
        else:
            found.append(1 - np.mean((y - answer[:, 0]) ** 2) / np.var(y))
    return np.array(found)


def standing(tree: Any, depths: list[np.ndarray], alpha: float) -> np.ndarray:
    """For each node of a full tree the node that answers in its place once the tree is pruned at a penalty.

    A node collapses if as a leaf it costs no more than the best that can be made of its branches; without a
    penalty scikit-learn prunes nothing.
    """
    found = np.arange(tree.node_count)
    if alpha == 0:
        return found
    left, right = tree.children_left, tree.children_right
    leaf_cost = tree.impurity * tree.weighted_n_node_samples / tree.weighted_n_node_samples[0] + alpha
    cost, collapsed = leaf_cost.copy(), left < 0
    for level in reversed(depths):
        below = cost[left[level]] + cost[right[level]]
        collapsed[level] = leaf_cost[level] <= below
        cost[level] = np.minimum(leaf_cost[level], below)
    for level in depths:
        for side in (left[level], right[level]):
            done = collapsed[found[level]]
            found[side[done]] = found[level][done]
    return found


def levels(tree: Any) -> list[np.ndarray]:
    """The nodes with children, depth by depth."""
    left, right, found, here = tree.children_left, tree.children_right, [], np.array([0])
    while len(here := here[left[here] >= 0]):
        found.append(here)
        here = np.concatenate([left[here], right[here]])
    return found
