"""How large a tree has to grow until its error is epsilon, if every node has a test that helps (R93).

Kearns & Mansour (1999): where each node has a test whose error is at most 1/2 - gamma on its rows, top-down
growth reaches error epsilon within a size of exp(c times the exponent):

    gini              log(1/epsilon) / (gamma^2 epsilon^2)
    entropy           log(1/epsilon)^2 / gamma^2
    root              log(1/epsilon) / gamma^2
    gini-notes        log(1/epsilon)^2 / (gamma^2 epsilon^2), as Mansour's notes print it (erratum E19)

One idea: the more concave the criterion, the smaller the tree. Sizes overflow, so ln(size) is returned; the
constant c is 1 unless given.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from hornbeam._base.formula_checks import accuracy, between, positive, unit_of

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
