"""Structural risk minimisation: penalties of size, and what pruning by them guarantees (R78, R81, R94).

    penalty      c sqrt(((depth + size) log n + log(1/delta)) / m)
    score        error + sqrt(size / m)
    guarantee    c sqrt(size_opt / m) (log(size_opt / delta) + depth_opt log(n m / delta))

One idea: a subtree must earn its size: it stays only if its training error plus the penalty is no more than
the error of a leaf in its place. The constant c is 1 unless given, since the notes leave it open.
"""

from __future__ import annotations

import math

from hornbeam.theory._door import confidence, positive, share, unit_of, whole

_CONSTANT = "the factor c that the notes leave open"


def srm_penalty(
    m: int,
    size: int,
    depth: int,
    n: int,
    delta: float,
    *,
    constant: float = 1.0,
    numerator: str = "1",
    base: float = math.e,
) -> float:
    """What a subtree pays for its size: c sqrt(((depth + size) log n + log(a/delta)) / m).

    Parameters
    ----------
    m : int
        Training examples that reach the node.
    size : int
        Size of the subtree: its nodes in the notes, or its leaves.
    depth : int
        Depth of the node, 0 for the root.
    n : int
        Boolean attributes to choose from.
    delta : float
        Probability of failing.
    constant : float
        c, 1 by default: the factor that the notes leave open.
    numerator : "1" or "m"
        a: log(1/delta) as in the notes, or log(m/delta).
    base : float
        Of the logarithms.

    Examples
    --------
    >>> round(srm_penalty(64, 9, 0, 4, 0.05), 6), round(srm_penalty(64, 5, 0, 4, 0.05, constant=0.5), 6)
    (0.491687, 0.196922)
    """
    m, size, depth, n = whole(m, "m", 1), whole(size, "size", 1), whole(depth, "depth", 0), whole(n, "n", 1)
    c, delta = positive(constant, "constant", _CONSTANT), confidence(delta)
    if numerator not in ("1", "m"):
        raise ValueError(f"numerator={numerator!r} must be '1' for log(1/delta) or 'm' for log(m/delta)")
    over = m if numerator == "m" else 1
    bits = (depth + size) * math.log(n) + math.log(over / delta)
    return c * math.sqrt(bits / unit_of(base) / m)


def srm_score(error: float, size: int, m: int, *, constant: float = 1.0) -> float:
    """The score error + c sqrt(size / m), the least of which is chosen; the constant c is 1 by default.

    >>> round(srm_score(18 / 64, 3, 64), 6)
    0.497756
    """
    rate, c = (
        share(error, "error", "the share of examples answered wrongly"),
        positive(constant, "constant", _CONSTANT),
    )
    return rate + c * math.sqrt(whole(size, "size", 1) / whole(m, "m", 1))


def srm_guarantee(
    size: int,
    m: int,
    delta: float,
    depth: int,
    n: int,
    *,
    constant: float = 1.0,
    base: float = math.e,
) -> float:
    """How much worse than the best: c sqrt(size/m) (log(size/delta) + depth log(n m/delta)).

    Parameters
    ----------
    size, depth : int
        Size and depth of the best pruning, T_opt.
    m, n : int
        Training examples, and Boolean attributes.
    delta : float
        Probability of failing.
    constant : float
        c, 1 by default: the factor that the notes hide in O().
    base : float
        Of the logarithms.

    Examples
    --------
    >>> round(srm_guarantee(7, 1000, 0.05, 2, 10), 6)
    2.455914
    """
    size, m, depth, n = whole(size, "size", 1), whole(m, "m", 1), whole(depth, "depth", 0), whole(n, "n", 1)
    c, delta = positive(constant, "constant", _CONSTANT), confidence(delta)
    logs = math.log(size / delta) + depth * math.log(n * m / delta)
    return c * math.sqrt(size / m) * logs / unit_of(base)
