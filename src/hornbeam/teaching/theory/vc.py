"""The VC dimension of trees with s leaves: how many examples they can label in every way (R90, R91).

    n Boolean attributes               s <= VCdim <= s log2(8 n),                 constant 8 = 4 * 2
    predicates of VC dimension d       the largest m with 2^m <= 4^s 2^s m^(d s)  constants 4 and 2

One idea: m examples that are labelled in all 2^m ways need 2^m trees that differ on them, so counting trees
bounds m.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from hornbeam._base.formula_checks import whole


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
