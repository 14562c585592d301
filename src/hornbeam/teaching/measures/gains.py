"""Gains: how much a split tells about the classes.

    H(C|A)    = sum_k |S_k|/|S| H(C, S_k)              conditional entropy
    Gain(A)   = H(C) - H(C|A)                          information gain, the mutual information of A and C
    H(A)      = -sum_k |S_k|/|S| log2 |S_k|/|S|        split information
    Ratio(A)  = Gain(A) / H(A)                         gain ratio (Quinlan 1993)

One idea: each function takes a table of counts (branches x classes, as an array, a dict from branch to counts
or a `Tabulation`) as its only argument, or two columns `x` and `y`. A gap in `x` counts as the value Missing,
as in `hb.candidates`; `missing="drop"` leaves such rows out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hornbeam._base.types import Floats
from hornbeam.data.measure_checks import as_floats, bits_per_unit, non_negative, number, weighted_mean
from hornbeam.teaching.measures.count_table import Tabulation, table_of
from hornbeam.teaching.measures.potentials import of_rows, potential_name
from hornbeam.tree.hooks import tree_of
from hornbeam.tree.tree import Tree

_TRIVIAL_INFORMATION = 1e-9  # a split of less information has no gain ratio


def _after(table: Floats, name: str) -> float:
    weight = table.sum(axis=1)
    return weighted_mean(weight, of_rows(table, name))


def _before(table: Floats, name: str) -> float:
    return float(of_rows(table.sum(axis=0)[None, :], name)[0])


def _gain(table: Floats, name: str) -> float:
    return max(_before(table, name) - _after(table, name), 0.0)


def val_branches(
    x: Any,
    y: Any = None,
    *,
    potential: str = "gini",
    sample_weight: Any = None,
    counts: Any = None,
    missing: str = "value",
) -> float:
    """val(v, h): the potential that is left after a split, the mean over its branches weighted by their rows.

    Parameters
    ----------
    x, y : a table of counts (branches x classes) alone, or two columns
    potential : "gini", "entropy", "half-entropy", "root" or "error"
    sample_weight, counts : column or None
        Weight and number of repetitions of each row, for columns.
    missing : {"value", "drop"}
        Gaps in the column x are the value Missing, or their rows are left out.

    Examples
    --------
    >>> round(val_branches([[5, 1], [0, 4]], potential="gini"), 6)
    0.166667
    """
    table = table_of(x, y, sample_weight=sample_weight, counts=counts, missing=missing)
    return _after(table, potential_name(potential))


def gain(
    x: Any,
    y: Any = None,
    *,
    potential: str = "entropy",
    sample_weight: Any = None,
    counts: Any = None,
    missing: str = "value",
) -> float:
    """How much a split lowers a potential; never below 0. The parameters are those of `val_branches`.

    >>> round(gain([[2, 0], [2, 1], [0, 3]], potential="gini"), 6)
    0.333333
    """
    table = table_of(x, y, sample_weight=sample_weight, counts=counts, missing=missing)
    return _gain(table, potential_name(potential))


def conditional_entropy(
    x: Any,
    y: Any = None,
    *,
    base: float = 2,
    sample_weight: Any = None,
    counts: Any = None,
    missing: str = "value",
) -> float:
    """H(y|x): the entropy of the classes that is left when the branch is known.

    `base` is that of the logarithm; the other parameters are those of `val_branches`.

    >>> import hornbeam as hb
    >>> robots = hb.datasets.load("robots")
    >>> round(conditional_entropy(robots.X["body"], robots.y), 6)
    0.344361
    """
    unit = bits_per_unit(base)
    table = table_of(x, y, sample_weight=sample_weight, counts=counts, missing=missing)
    return _after(table, "entropy") / unit


def information_gain(
    x: Any,
    y: Any = None,
    *,
    base: float = 2,
    sample_weight: Any = None,
    counts: Any = None,
    missing: str = "value",
) -> float:
    """H(y) - H(y|x): what the branch tells about the class, their mutual information.

    Parameters
    ----------
    x, y : a table of counts (branches x classes) alone, or two columns
    base : float
        Of the logarithm: 2 for bits.
    sample_weight, counts : column or None
        Weight and number of repetitions of each row, for columns.
    missing : {"value", "drop"}
        Gaps in the column x are the value Missing, or their rows are left out.

    Examples
    --------
    Eighty people by refund, genuine and cheats, as a table; eight robots by body, as columns:

    >>> round(information_gain({"Yes": [40, 0], "No": [10, 30]}), 6)
    0.548795
    >>> import hornbeam as hb
    >>> robots = hb.datasets.load("robots")
    >>> round(information_gain(robots.X["body"], robots.y), 6)
    0.655639

    A test on two columns:

    >>> xor = hb.datasets.load("xor2")
    >>> information_gain(xor.X["X1"], xor.y), information_gain(list(zip(xor.X["X1"], xor.X["X2"])), xor.y)
    (0.0, 1.0)
    """
    unit = bits_per_unit(base)
    table = table_of(x, y, sample_weight=sample_weight, counts=counts, missing=missing)
    return _gain(table, "entropy") / unit


def split_information(
    x: Any,
    y: Any = None,
    *,
    base: float = 2,
    sample_weight: Any = None,
    counts: Any = None,
    missing: str = "value",
) -> float:
    """The entropy of the branches' sizes, whatever the classes.

    The parameters are those of `information_gain`; alone, `x` may also be just the sizes of the branches.

    >>> round(split_information([3, 4, 1]), 6), split_information([[1, 1], [2, 0]])
    (1.405639, 1.0)
    """
    unit = bits_per_unit(base)
    if y is None:
        x = _as_sizes(x)
    table = table_of(x, y, sample_weight=sample_weight, counts=counts, missing=missing)
    return _information(table) / unit


def _as_sizes(x: Any) -> Any:
    """A row of sizes, or a dict of them, as a table of one class; anything else as it is."""
    sizes = list(x.values()) if isinstance(x, Mapping) else x
    is_row = hasattr(sizes, "__len__") and getattr(sizes, "ndim", 1) == 1 and not isinstance(x, Tabulation)
    if not is_row or not len(sizes) or any(hasattr(size, "__len__") for size in sizes):
        return x
    numbers = as_floats(sizes, "x", "the sizes of the branches; for a column give y as well")
    return non_negative(numbers, "x", "the sizes of the branches")[:, None]


def _information(table: Floats) -> float:
    return float(of_rows(table.sum(axis=1)[None, :], "entropy")[0])


def gain_ratio(
    x: Any,
    y: Any = None,
    *,
    sample_weight: Any = None,
    counts: Any = None,
    missing: str = "value",
) -> float:
    """Information gain over split information; 0 for a trivial split, whose split information is below 1e-9.

    The parameters are those of `val_branches`.

    >>> import hornbeam as hb
    >>> robots = hb.datasets.load("robots")
    >>> round(gain_ratio(robots.X["body"], robots.y), 6)
    0.419937
    """
    table = table_of(x, y, sample_weight=sample_weight, counts=counts, missing=missing)
    information = _information(table)
    return _gain(table, "entropy") / information if information > _TRIVIAL_INFORMATION else 0.0


def is_perfect(
    x: Any,
    y: Any = None,
    *,
    tolerance: float = 1e-9,
    sample_weight: Any = None,
    counts: Any = None,
    missing: str = "value",
) -> bool:
    """Whether every branch that is not empty holds one class only; its gain is then the whole entropy.

    `tolerance` is the share of other classes that is overlooked in a branch; the other parameters are those
    of `val_branches`.

    >>> is_perfect([[2, 0], [0, 3]]), is_perfect([[2, 0], [1, 3]])
    (True, False)
    """
    allowed = number(tolerance, "tolerance", 0.0, 1.0)
    table = table_of(x, y, sample_weight=sample_weight, counts=counts, missing=missing)
    return bool((of_rows(table, "error") <= allowed).all())


def is_useless(
    x: Any,
    y: Any = None,
    *,
    tolerance: float = 1e-9,
    sample_weight: Any = None,
    counts: Any = None,
    missing: str = "value",
) -> bool:
    """Whether every branch that is not empty has the class shares of the whole; the gain is then 0.

    `tolerance` is how far a share may be off; the other parameters are those of `val_branches`. A single
    branch is useless. If there is one class only, every split is both perfect and useless.

    >>> is_useless([[1, 2], [2, 4]]), is_useless([[1, 2], [2, 1]])
    (True, False)
    """
    allowed = number(tolerance, "tolerance", 0.0, 1.0)
    table = table_of(x, y, sample_weight=sample_weight, counts=counts, missing=missing)
    table = table[table.sum(axis=1) > 0]
    inside = table / table.sum(axis=1, keepdims=True)
    whole = table.sum(axis=0) / table.sum()
    return bool((np.abs(inside - whole) <= allowed).all())


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
    if not tree.task.is_classes:
        raise ValueError(
            "val_tree measures classification trees, but the leaves of this tree hold no classes"
        )
    if tree.uncounted:
        raise ValueError(
            "this tree was written without counts, so its leaves have no rows; give it some with"
            " tree.refit(X, y), or write counts in its leaves"
        )
    return tree.stats[tree.leaves()]
