"""val: the potential of a split and of a whole tree, as the notes define it.

    val(v, h) = u val(p) + (1 - u) val(r)         u rows go one way, p and r are the fractions of class 1
    val(T)    = sum over leaves p_v val(q_v)      p_v rows reach leaf v, q_v of them are of class 1

One idea: both are means of a potential over groups, weighted by the rows in the groups. A strictly concave
potential falls at every split with p != r and stays where p = r, as in XOR; no potential is below the error.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hornbeam.data.measure_checks import as_floats, fractions, non_negative, weighted_mean
from hornbeam.teaching.measures.count_table import Tabulation
from hornbeam.teaching.measures.gains import val_branches
from hornbeam.teaching.measures.potentials import potential as of_fraction
from hornbeam.teaching.measures.potentials import potential_name
from hornbeam.tree.hooks import tree_of
from hornbeam.tree.tree import Tree


def val_split(u: Any, p: Any, r: Any, potential: str = "gini") -> Any:
    """val(v, h) = u val(p) + (1 - u) val(r), the potential after a split in two.

    Parameters
    ----------
    u : float or array
        The fraction of the rows for which the test is true.
    p, r : float or array
        The fraction of class 1 among the rows for which it is true, and among the others.
    potential : "gini", "half-entropy", "root", "error" or "entropy"

    Examples
    --------
    The split of figure 8.4, before and after:

    >>> from hornbeam.teaching.measures import potential
    >>> round(potential(0.8, "gini"), 6), round(val_split(0.5, 0.6, 1.0, "gini"), 6)
    (0.32, 0.24)
    >>> round(potential(0.8, "error"), 6), round(val_split(0.5, 0.6, 1.0, "error"), 6)
    (0.2, 0.2)
    """
    name = potential_name(potential)
    share = fractions(u, "u")
    after = share * of_fraction(fractions(p, "p"), name) + (1 - share) * of_fraction(fractions(r, "r"), name)
    return float(after) if np.ndim(after) == 0 else after


def val_leaves(p: Any, q: Any, potential: str = "gini") -> float:
    """val(T) from the leaves: the sum of p_v val(q_v).

    Parameters
    ----------
    p : sequence of numbers
        The rows, or the share of rows, that reach each leaf; only their proportions matter.
    q : sequence of floats
        The fraction of class 1 in each leaf.
    potential : "gini", "half-entropy", "root", "error" or "entropy"

    Examples
    --------
    >>> round(val_leaves([5, 5], [0.6, 1.0], "gini"), 6)
    0.24
    """
    weights = np.atleast_1d(as_floats(p, "p", "the rows in each leaf"))
    weights = non_negative(weights, "p", "the rows in each leaf")
    inside = np.atleast_1d(fractions(q, "q"))
    if weights.ndim != 1 or weights.shape != inside.shape:
        raise ValueError(
            f"p and q must have one number for each leaf, but their shapes are {weights.shape} and"
            f" {inside.shape}"
        )
    return weighted_mean(weights, of_fraction(inside, potential))


def val_tree(tree: Any, potential: str = "gini") -> float:
    """val(T): the mean potential of the leaves of a classification tree, weighted by their training rows.

    Parameters
    ----------
    tree : a Tree, a fitted model, or the counts of the leaves (leaves x classes)
    potential : "gini", "half-entropy", "root", "error" or "entropy"
        With "error" it is the training error of the tree.

    Examples
    --------
    >>> leaves = [[20, 2], [3, 6], [5, 4], [2, 15], [4, 3]]
    >>> round(val_tree(leaves, "error"), 6), round(val_tree(leaves, "gini"), 6)
    (0.21875, 0.297481)
    >>> import hornbeam as hb
    >>> robots = hb.datasets.load("robots")
    >>> round(val_tree(hb.TreeClassifier(max_depth=1).fit(robots.X, robots.y), "gini"), 6)
    0.2
    """
    if isinstance(tree, (list, tuple, np.ndarray, Mapping, Tabulation)):
        return val_branches(tree, potential=potential)
    return val_branches(_leaf_counts(tree_of(tree)), potential=potential)


def _leaf_counts(tree: Tree) -> Any:
    if tree.task != "classes":
        raise ValueError(
            "val_tree measures classification trees, but the leaves of this tree hold no classes"
        )
    if tree.uncounted:
        raise ValueError(
            "this tree was written without counts, so its leaves have no rows; give it some with"
            " tree.refit(X, y), or write counts in its leaves"
        )
    return tree.stats[tree.leaves()]
