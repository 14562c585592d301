"""The bins that a tree makes of a column, and what they say about two classes.

One idea: the bins of a column are a tree of one test, with a branch for each piece of the column that no test
of the whole tree parts, and one for gaps; so a bin is a leaf, and its words, rows and exports are those of
leaves.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from hornbeam._base.types import AnyArray, Floats, Task
from hornbeam.tree.arrays import INTERVALS, LEAF, THRESHOLD
from hornbeam.tree.branches import branches_of_codes, codes_by_branch
from hornbeam.tree.tree import Tree

_RIDGE = 1e-6  # of the weight of all rows: a coefficient stays finite where bins part good from bad rows


def column_tree(tree: Tree, column: int) -> Tree:
    """A tree of one test: a branch for each piece of a column that no test parts, and one for gaps."""
    described = tree.columns[column]
    nodes = [n for n in np.flatnonzero(tree.column == column).tolist() if tree.kind[n] != LEAF]
    leaf = {"value": 0.0, "n": 1}
    test: dict[str, Any] = {"column": described.name, "missing": leaf}
    if described.kind == "numeric":
        cuts = sorted({cut for node in nodes for cut in _cuts(tree, node)})
        if not cuts:  # the tree asks whether there is a value, and no more
            cuts = [math.inf]
        test |= {"cuts": cuts, "branches": [leaf] * (len(cuts) + 1)}
    else:
        sides = list(zip(*(branches_of_codes(tree, node) for node in nodes), strict=True))
        numbered = {side: k for k, side in enumerate(dict.fromkeys(sides))}
        groups = codes_by_branch([numbered[side] for side in sides]).values()
        test["branches"] = [[tuple(described.categories[c] for c in group), leaf] for group in groups]
    return Tree.from_nested(test, columns=list(tree.columns), task=Task.REAL, policy={"missing": "branch"})


def _cuts(tree: Tree, node: int) -> Sequence[float]:
    if tree.kind[node] == THRESHOLD:
        cuts = [float(tree.threshold[node])]
    else:
        cuts = tree.cuts(node).tolist() if tree.kind[node] == INTERVALS else []
    return [cut for cut in cuts if math.isfinite(cut)]


@dataclass(frozen=True, eq=False)
class Evidence:
    """What bins say: good and bad rows, weights of evidence, and their parts of the information value."""

    good: Floats
    bad: Floats
    woe: Floats
    iv: Floats

    @classmethod
    def of(cls, good: AnyArray, bad: AnyArray) -> Evidence:
        """The evidence of bins with so many rows.

        Where a bin lacks good or bad rows, half a row is added to both. An empty bin says nothing: 0.

        >>> said = Evidence.of(np.array([30.0, 10.0]), np.array([10.0, 30.0]))
        >>> said.woe.round(4).tolist(), said.iv.round(4).tolist()
        ([1.0986, -1.0986], [0.5493, 0.5493])
        """
        half = np.where((good == 0) | (bad == 0), 0.5, 0.0)
        share_good, share_bad = (good + half) / good.sum(), (bad + half) / bad.sum()
        woe: Floats = np.where(good + bad > 0, np.log(share_good / share_bad), 0.0)
        return cls(np.asarray(good), np.asarray(bad), woe, (share_good - share_bad) * woe)

    def take(self, bins: AnyArray) -> Evidence:
        """That of some of the bins."""
        return Evidence(*(getattr(self, one.name)[bins] for one in fields(self)))


def logistic(design: Floats, is_good: AnyArray, weight: Floats) -> Floats:
    """Coefficients of a logistic regression, the intercept first, by Newton's method.

    >>> X, is_good = np.array([[-1.0], [1.0], [-1.0], [1.0]]), np.array([0, 0, 1, 1])
    >>> float(logistic(X, is_good, np.array([3.0, 1.0, 1.0, 3.0]))[1].round(3))
    1.099
    """
    columns = np.column_stack([np.ones(len(design)), design])
    penalty = np.full(columns.shape[1], _RIDGE * weight.sum())
    penalty[0] = 0.0
    beta = np.zeros(columns.shape[1])
    for _ in range(100):
        share = 1.0 / (1.0 + np.exp(-np.clip(columns @ beta, -500, 500)))
        slope = columns.T @ (weight * (is_good - share)) - penalty * beta
        curve = (columns * (weight * np.maximum(share * (1 - share), 1e-10))[:, None]).T @ columns
        step = np.linalg.solve(curve + np.diag(penalty + 1e-12 * weight.sum()), slope)
        beta += step / max(1.0, float(np.abs(step).max()) / 5.0)
        if float(np.abs(step).max()) < 1e-10:
            break
    return beta


def with_values(tree: Tree, weight: Floats, leaves: AnyArray, values: Floats) -> Tree:
    """The tree with numbers in its leaves, which weigh so much, instead of what they answer."""
    stats = np.zeros((len(tree), 3))
    stats[:, 0] = weight
    stats[leaves, 1] = values
    for node in range(len(tree) - 1, -1, -1):
        below = list(tree.children(node))
        if below:
            total = stats[below, 0].sum()
            shares = stats[below, 0] / total if total > 0 else np.full(len(below), 1 / len(below))
            stats[node, :2] = total, shares @ stats[below, 1]
    derived = dict.fromkeys(
        ["label", "impurity", "gain", *(a for a in tree.arrays() if a.startswith("cost"))]
    )
    return tree.replace(task=Task.REAL, classes=None, meta={}, stats=stats, **derived)
