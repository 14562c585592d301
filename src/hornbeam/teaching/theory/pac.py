"""PAC bounds: how many examples are enough, and how far the true error may lie above that in training (R92).

    any learner           m >= (log|H| + log(1/delta)) / (2 epsilon^2)          constant 2 (Hoeffding)
    consistent learner    m >= (log|H| + log(1/delta)) / epsilon                constant 1
    the gap               error(true) <= error(training) + sqrt((log|H| + log(1/delta)) / (2 m))

One idea: all three are the union bound over a finite class H, so a class is known by log|H|; `counting` gives
it for trees of a depth (exponential in the depth) or of a number of leaves (linear in the leaves).
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from hornbeam._base.formula_checks import accuracy, at_least, confidence, not_negative, share, unit_of, whole
from hornbeam.teaching.theory.tree_counts import log_trees_by_depth, log_trees_by_leaves

_LEARNERS: Mapping[str, str] = {
    "agnostic": "no tree of the class need be right everywhere",
    "consistent": "the tree found makes no training error",
}


def sample_size(
    log_hypotheses: float, epsilon: float, delta: float, *, learner: str = "agnostic", base: float = math.e
) -> int:
    """How many examples are enough for a class of |H| trees, with probability 1 - delta.

    Parameters
    ----------
    log_hypotheses : float
        log|H|, to the base `base`: natural by default.
    epsilon, delta : float
        The error that is put up with, and the probability of failing, both between 0 and 1.
    learner : "agnostic" or "consistent"
        (log|H| + log(1/delta)) / (2 epsilon^2), with the constant 2 of Hoeffding's inequality: training and
        true error of every tree of the class differ by at most epsilon. Or (log|H| + log(1/delta)) / epsilon,
        constant 1: a tree without training error has a true error of at most epsilon.
    base : float
        Of all logarithms.

    Examples
    --------
    >>> from hornbeam.teaching.theory import log_trees_by_depth
    >>> log_h = log_trees_by_depth(10, 3)
    >>> sample_size(log_h, 0.1, 0.05), sample_size(log_h, 0.1, 0.05, learner="consistent")
    (1233, 247)
    """
    epsilon = accuracy(epsilon)
    if learner not in _LEARNERS:
        raise ValueError(f"learner={learner!r} must be 'agnostic' or 'consistent'")
    capacity = _capacity(log_hypotheses, delta, base)
    return at_least(capacity / (2 * epsilon**2) if learner == "agnostic" else capacity / epsilon)


def sample_size_by_depth(
    n: int, depth: int, epsilon: float, delta: float, *, learner: str = "agnostic", base: float = math.e
) -> int:
    """`sample_size` for binary trees of a depth over n tests: exponential in the depth (constants as there).

    >>> sample_size_by_depth(10, 3, 0.1, 0.05), sample_size_by_depth(10, 3, 0.1, 0.05, learner="consistent")
    (1233, 247)
    """
    log_h = log_trees_by_depth(n, whole(depth, "depth", 0), base=base)
    return sample_size(log_h, epsilon, delta, learner=learner, base=base)


def sample_size_by_leaves(
    n: int, leaves: int, epsilon: float, delta: float, *, learner: str = "agnostic", base: float = math.e
) -> int:
    """`sample_size` for binary trees of a number of leaves over n tests: linear in the leaves.

    >>> sample_size_by_leaves(10, 5, 0.1, 0.05)
    916
    """
    log_h = log_trees_by_leaves(n, whole(leaves, "leaves", 1), base=base)
    return sample_size(log_h, epsilon, delta, learner=learner, base=base)


def error_gap(log_hypotheses: float, m: int, delta: float, *, base: float = math.e) -> float:
    """sqrt((log|H| + log(1/delta)) / (2 m)): how far the true error may lie above the training error.

    `log_hypotheses` is log|H| to the base `base`, m the number of training examples; the constant is the 2 of
    Hoeffding's inequality. It holds for all trees of the class at once with probability 1 - delta.

    >>> from hornbeam.teaching.theory import log_trees_by_leaves
    >>> round(error_gap(log_trees_by_leaves(10, 5), 1000, 0.05), 6)
    0.095684
    """
    m = whole(m, "m", 1)
    return math.sqrt(_capacity(log_hypotheses, delta, base) / (2 * m))


def error_bound(
    training_error: float, log_hypotheses: float, m: int, delta: float, *, base: float = math.e
) -> float:
    """Training error plus `error_gap` (constant 2), the most the true error is with probability 1 - delta.

    >>> from hornbeam.teaching.theory import log_trees_by_leaves
    >>> round(error_bound(0.1, log_trees_by_leaves(10, 5), 1000, 0.05), 6)
    0.195684
    """
    rate = share(training_error, "training_error", "the share of training rows answered wrongly")
    return rate + error_gap(log_hypotheses, m, delta, base=base)


def _capacity(log_hypotheses: float, delta: float, base: float) -> float:
    """log|H| + log(1/delta)."""
    log_h = not_negative(log_hypotheses, "log_hypotheses", "the logarithm of the size of the class")
    return log_h + math.log(1 / confidence(delta)) / unit_of(base)
