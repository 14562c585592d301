"""Bounds of learning theory for trees of classes: rows needed, error gaps, VC dimensions, running times.

    any learner           m >= (log|H| + log(1/delta)) / (2 epsilon^2)          constant 2 (Hoeffding)
    consistent learner    m >= (log|H| + log(1/delta)) / epsilon                constant 1
    the gap               error(true) <= error(training) + sqrt((log|H| + log(1/delta)) / (2 m))

One idea: these three are the union bound over a finite class H, so a class is known by log|H|; `tree_counts`
gives it for trees of a depth (exponential in the depth) or of a number of leaves (linear in the leaves).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from hornbeam._base.parameters import (
    accuracy,
    at_least,
    between,
    confidence,
    not_negative,
    positive,
    share,
    unit_of,
    whole,
)
from hornbeam.teaching.theory.tree_counts import log_trees_by_depth, log_trees_by_leaves


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
    if learner not in ("agnostic", "consistent"):
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


# ---- choosing among prunings -----------------------------------------------------------------------------
#
#     notes        (1 / epsilon^2) log(m / delta)             constant 1
#     Hoeffding    (1 / (2 epsilon^2)) log(2 m / delta)       constants 2 and 2
#
# If the validation error of each of the m candidates is within epsilon of its true error, the one that looks
# best is within 2 epsilon of the best.


@dataclass(frozen=True)
class ValidationSize:
    """Validation examples that are enough, by two formulas, and what they guarantee.

    Attributes
    ----------
    notes : int
        ceil((1/epsilon^2) log(m/delta)), as the notes have it: constant 1.
    hoeffding : int
        ceil((1/(2 epsilon^2)) log(2 m/delta)), Hoeffding's inequality for both sides: constants 2 and 2.
    guarantee : float
        2 epsilon: how much worse than the best candidate the chosen one may be.
    """

    notes: int
    hoeffding: int
    guarantee: float


def validation_sample_size(m: int, epsilon: float, delta: float, *, base: float = math.e) -> ValidationSize:
    """How many validation examples are enough to choose among m candidates, with probability 1 - delta.

    Parameters
    ----------
    m : int
        Candidates, such as the prunings of a tree; at most the number of training examples.
    epsilon, delta : float
        Error put up with for each candidate, and the probability of failing.
    base : float
        Of the logarithms.

    Examples
    --------
    >>> validation_sample_size(100, 0.1, 0.05)
    ValidationSize(notes=761, hoeffding=415, guarantee=0.2)
    """
    m, epsilon, delta, unit = whole(m, "m", 1), accuracy(epsilon), confidence(delta), unit_of(base)
    notes = math.log(m / delta) / unit / epsilon**2
    hoeffding = math.log(2 * m / delta) / unit / (2 * epsilon**2)
    return ValidationSize(at_least(notes), at_least(hoeffding), 2 * epsilon)


# ---- VC dimensions ---------------------------------------------------------------------------------------
#
#     n Boolean attributes               s <= VCdim <= s log2(8 n),                 constant 8 = 4 * 2
#     predicates of VC dimension d       the largest m with 2^m <= 4^s 2^s m^(d s)  constants 4 and 2
#
# m examples that are labelled in all 2^m ways need 2^m trees that differ on them, so counting trees bounds m.


@dataclass(frozen=True)
class VCBounds:
    """What is known about a VC dimension.

    Attributes
    ----------
    lower, upper : float
        VCdim lies between them.
    log2_functions : float
        The logarithm to base 2 of the bound on the number of functions that gives `upper`.
    """

    lower: float
    upper: float
    log2_functions: float


def vc_boolean(leaves: int, n: int) -> VCBounds:
    """The bounds for trees of `leaves` leaves over n Boolean attributes.

    At least `leaves`, as long as there are that many instances (leaves <= 2^n); at most leaves log2(8 n),
    from 4^s n^(s-1) 2^s <= (8 n)^s functions. Its constant 8 is 4 for the shapes times 2 for the labels.

    >>> vc_boolean(4, 8)
    VCBounds(lower=4, upper=24.0, log2_functions=21.0)
    >>> round(vc_boolean(10, 100).upper, 6), round(vc_boolean(10, 100).log2_functions, 6)
    (96.438562, 89.794706)
    """
    s, n = whole(leaves, "leaves", 1), whole(n, "n", 1)
    if n < 64 and s > 2**n:
        raise ValueError(
            f"leaves={s} must be at most 2^n = {2**n}: n={n} Boolean attributes have no more instances"
        )
    return VCBounds(s, s * math.log2(8 * n), 3 * s + (s - 1) * math.log2(n))


def vc_general(leaves: int, d: int) -> int:
    """The largest m with 2^m <= 4^s 2^s m^(d s): no more examples can be labelled in every way.

    s = `leaves`; d is the VC dimension of the class of predicates a node may test: 1 for thresholds on one
    column in one direction, k + 1 for hyperplanes over k columns. The bound grows as s d log(s d). Its
    constants are 4 for the shapes and 2 for the labels of each leaf.

    >>> [vc_general(s, d) for s, d in [(2, 1), (4, 2), (8, 3)]]
    [13, 59, 208]
    """
    s, d = whole(leaves, "leaves", 1), whole(d, "d", 0)
    low, high = 1, 2  # low satisfies it, high does not: m - d s log2 m is convex, and 1 <= 3 s
    while _holds(high, s, d):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _holds(middle, s, d) else (low, middle)
    return low


def _holds(m: int, s: int, d: int) -> bool:
    """2^m <= 8^s m^(d s); exact where logarithms are too near to tell."""
    room = 3 * s + d * s * math.log2(m) - m
    if abs(room) > 1e-9 * m or m > 10**6:
        return room >= 0
    return bool(1 << m <= (1 << 3 * s) * m ** (d * s))


# ---- the size that top-down growth needs -----------------------------------------------------------------
#
# Kearns & Mansour (1999): where each node has a test whose error is at most 1/2 - gamma on its rows, top-down
# growth reaches error epsilon within a size of exp(c times the exponent):
#
#     gini              log(1/epsilon) / (gamma^2 epsilon^2)
#     entropy           log(1/epsilon)^2 / gamma^2
#     root              log(1/epsilon) / gamma^2
#     gini-notes        log(1/epsilon)^2 / (gamma^2 epsilon^2), as Mansour's notes print it (erratum E19)
#
# The more concave the criterion, the smaller the tree. Sizes overflow, so ln(size) is returned.


_EXPONENTS: Mapping[str, Callable[[float, float, float], float]] = {
    "gini": lambda log, gamma, epsilon: log / (gamma**2 * epsilon**2),
    "entropy": lambda log, gamma, _: log**2 / gamma**2,
    "root": lambda log, gamma, _: log / gamma**2,
    "gini-notes": lambda log, gamma, epsilon: log**2 / (gamma**2 * epsilon**2),
}


def log_size_to_reach(
    criterion: str, gamma: float, epsilon: float, *, constant: float = 1.0, base: float = math.e
) -> float:
    """The natural logarithm of the size at which growth by a criterion has reached error epsilon.

    Parameters
    ----------
    criterion : "gini", "entropy", "root", or "gini-notes"
        The last is the exponent that Mansour's notes print for Gini.
    gamma : float
        The advantage of each node's test over guessing, above 0 and below 1/2.
    epsilon : float
        The error to be reached, between 0 and 1.
    constant : float
        c, 1 by default: the factor hidden in O().
    base : float
        Of log(1/epsilon).

    References
    ----------
    Kearns, M. & Mansour, Y. (1999). On the boosting ability of top-down decision tree learning algorithms.
    Journal of Computer and System Sciences, 58, 109-128.

    Examples
    --------
    >>> [round(log_size_to_reach(name, 0.1, 0.1), 6) for name in ("gini", "entropy", "root", "gini-notes")]
    [23025.85093, 530.189811, 230.258509, 53018.981105]
    """
    if not isinstance(criterion, str) or criterion not in _EXPONENTS:
        raise ValueError(f"criterion={criterion!r} must be one of {', '.join(map(repr, _EXPONENTS))}")
    advantage, epsilon = between(gamma, "gamma", "the advantage of a test over guessing"), accuracy(epsilon)
    if advantage >= 0.5:
        raise ValueError(f"gamma={gamma!r} must be below 0.5: a test errs in a share 1/2 - gamma")
    c = positive(constant, "constant", "the factor c hidden in O()")
    return c * _EXPONENTS[criterion](math.log(1 / epsilon) / unit_of(base), advantage, epsilon)


# ---- running time: one operation is one test of one row --------------------------------------------------


@dataclass(frozen=True)
class Work:
    """Operations, with the constant 1.

    Attributes
    ----------
    node : float
        |H| m: every test on every row of one node.
    balanced : float
        |H| m log2(m): a tree whose levels halve the rows.
    worst : float
        |H| m^2: a chain that takes one row off at a time.
    pruning : float
        m^2: the programme that finds the smallest pruning for every number of errors.
    """

    node: float
    balanced: float
    worst: float
    pruning: float


def work(n_tests: int, m: int) -> Work:
    """What growing on m rows with a class of n_tests tests costs, and pruning by the programme over errors.

    >>> work(10, 1024)
    Work(node=10240, balanced=102400.0, worst=10485760, pruning=1048576)
    """
    h, m = whole(n_tests, "n_tests", 1), whole(m, "m", 1)
    return Work(h * m, h * m * math.log2(m), h * m * m, m * m)
