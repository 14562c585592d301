"""What the bounds say about a fitted tree, in words: the tests it could choose from are counted here.

One idea: a tree with multiway tests or many classes is a binary tree with as many leaves, over tests `A = v`
and `x <= t`; so its class is counted by leaves and by depth, with the number of tests that its columns allow.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from hornbeam._base.parameters import accuracy, confidence, whole
from hornbeam.teaching.theory.bounds import error_gap, sample_size, vc_general
from hornbeam.teaching.theory.tree_counts import log_trees_by_depth, log_trees_by_leaves
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.hooks import inner_model
from hornbeam.tree.tree import Tree


@dataclass(frozen=True)
class TheoryReport:
    """The bounds for one tree; `str()` says them in words, `as_dict()` gives the numbers.

    Attributes
    ----------
    n_rows, n_tests, leaves, depth, classes : int
        Training rows; tests to choose from; size of the tree; labels of a leaf.
    training_error : float
        The share of training weight that its leaf answers wrongly.
    log_hypotheses : float
        ln of the number of trees with as many leaves: n^(k-1) K^k C_(k-1).
    log_hypotheses_depth : float
        The same for all trees of its depth.
    gap, bound : float
        sqrt((ln|H| + ln(1/delta)) / (2 m)), constant 2, and training error plus gap.
    needed : int
        Training rows for a gap of at most epsilon: (ln|H| + ln(1/delta)) / (2 epsilon^2).
    vc : int
        The bound on the VC dimension for tests of VC dimension 1, constants 4 and 2.
    delta, epsilon : float
    """

    n_rows: int
    n_tests: int
    leaves: int
    depth: int
    classes: int
    training_error: float
    log_hypotheses: float
    log_hypotheses_depth: float
    gap: float
    bound: float
    needed: int
    vc: int
    delta: float
    epsilon: float

    def as_dict(self) -> dict[str, float]:
        """The numbers by name."""
        return asdict(self)

    def __str__(self) -> str:
        remark = (
            "which says nothing, being 100 % or more" if self.bound >= 1 else "a worst case, not a forecast"
        )
        return "\n".join(
            (
                f"The tree has {self.leaves} leaves and depth {self.depth}; it errs on"
                f" {100 * self.training_error:.1f} % of its {self.n_rows:,} training rows.",
                f"There are e^{self.log_hypotheses:.1f} trees of {self.leaves} leaves over {self.n_tests:,}"
                f" tests and {self.classes} classes, and e^{self.log_hypotheses_depth:.1f} of depth"
                f" {self.depth}.",
                f"With probability {1 - self.delta:g} its true error is at most"
                f" {100 * self.training_error:.1f} % + {100 * self.gap:.1f} % = {100 * self.bound:.1f} %"
                f" ({remark}).",
                f"For a gap of {100 * self.epsilon:g} % it takes {self.needed:,} rows.",
                f"Trees of {self.leaves} leaves over thresholds can label at most {self.vc:,} rows in every"
                " way.",
            )
        )


def report(
    model: Any,
    n_rows: int | None = None,
    *,
    n_tests: int | None = None,
    delta: float = 0.05,
    epsilon: float = 0.1,
) -> TheoryReport:
    """What the bounds of this package say about a tree of classes.

    The bounds hold for a class of trees fixed before looking at the rows; that the size was chosen by the
    learner is not paid for. They are worst cases over all distributions.

    Parameters
    ----------
    model : Tree, fitted estimator, or the path of a saved one
    n_rows : int or None
        Training rows; None: those the tree has counted.
    n_tests : int or None
        Tests to choose from at a node. None: a numeric column allows n_rows - 1 thresholds, one with an order
        a cut between each two values, a nominal one a test for each value (one, if it has two).
    delta, epsilon : float
        Probability of failing; the gap for which the needed rows are told.

    Examples
    --------
    >>> import hornbeam as hb
    >>> tennis = hb.datasets.load("tennis")
    >>> print(hb.teaching.theory.report(hb.id3().fit(tennis.X, tennis.y), epsilon=0.2))
    The tree has 5 leaves and depth 2; it errs on 0.0 % of its 14 training rows.
    There are e^14.4 trees of 5 leaves over 8 tests and 2 classes, and e^9.0 of depth 2.
    With probability 0.95 its true error is at most 0.0 % + 78.9 % = 78.9 % (a worst case, not a forecast).
    For a gap of 20 % it takes 218 rows.
    Trees of 5 leaves over thresholds can label at most 41 rows in every way.
    """
    model = inner_model(model, for_rows=False)
    tree = model if isinstance(model, Tree) else getattr(model, "tree_", None)
    if not isinstance(tree, Tree):
        raise TypeError(
            f"model must be a Tree or a fitted estimator of Hornbeam, not a {type(model).__name__}"
        )
    if not tree.task.is_classes:
        raise ValueError(f"the bounds are about trees of classes, but this tree has task={tree.task!r}")
    delta, epsilon = confidence(delta), accuracy(epsilon)
    rows = int(tree.n_rows[0]) if n_rows is None else n_rows
    if n_rows is None and rows < 1:
        raise ValueError("n_rows must be given: this tree was written by hand and has counted no rows")
    m = whole(rows, "n_rows", 1)
    n = _count_tests(tree, m) if n_tests is None else whole(n_tests, "n_tests", 1)
    labels, error = max(len(tree.classes or ()), 1), _training_error(tree)
    log_h = log_trees_by_leaves(n, tree.n_leaves, labels=labels)
    log_h_depth = log_trees_by_depth(n, min(tree.depth, 1000), labels=labels)
    gap, needed = error_gap(log_h, m, delta), sample_size(log_h, epsilon, delta)
    sizes, vc = (m, n, tree.n_leaves, tree.depth, labels), vc_general(tree.n_leaves, 1)
    return TheoryReport(*sizes, error, log_h, log_h_depth, gap, error + gap, needed, vc, delta, epsilon)


def _count_tests(tree: Tree, n_rows: int) -> int:
    """The tests a node can choose from: thresholds, cuts between ordered values, values."""
    n_tests = 0
    for column in tree.columns:
        n_values = n_rows if column.kind == "numeric" else len(column.categories)
        one_against_rest = column.kind == "nominal" and n_values != 2
        n_tests += max(n_values if one_against_rest else n_values - 1, 1)
    return max(n_tests, 1)


def _training_error(tree: Tree) -> float:
    leaves = np.flatnonzero(tree.kind == LEAF)
    right = float(tree.stats[leaves, tree.label[leaves]].sum())
    total = math.fsum(tree.weight[leaves].tolist())
    return min(1.0, max(0.0, 1 - right / total)) if total > 0 else 0.0
