"""How many Boolean functions there are, and how many trees of a depth or of a number of leaves.

    instances 2^n            functions 2^(2^n)
    by depth   H_0 = K       H_k = n H_(k-1)^2                        log H_k = (2^k - 1) log n + 2^k log K
    by leaves  H_1 = K       H_k = n sum H_i H_(k-i)                  H_k = n^(k-1) K^k C_(k-1)

n is the number of tests to choose from (Boolean attributes), K the number of labels, C the Catalan numbers.

One idea: whole numbers are exact, however long; where they would not fit into memory, their logarithms serve.
"""

from __future__ import annotations

import math
from typing import Any

from hornbeam._base.parameters import unit_of, whole

_MOST_BITS = 10_000_000  # longer numbers are refused: their logarithm serves


def boolean_instances(n: int) -> int:
    """2^n: the rows of a truth table over n Boolean attributes. Its constant: 2 values of an attribute.

    >>> [boolean_instances(n) for n in range(1, 6)]
    [2, 4, 8, 16, 32]
    """
    n = whole(n, "n", 0)
    _refuse_long(n, f"n={n}", "use n itself, its logarithm to base 2")
    return 1 << n


def boolean_functions(n: int) -> int:
    """2^(2^n): the Boolean functions of n attributes. Its constant is 2, the answers for each instance.

    >>> [boolean_functions(n) for n in range(1, 6)]
    [4, 16, 256, 65536, 4294967296]
    """
    n = whole(n, "n", 0)
    _refuse_long(2.0 ** min(n, 1000), f"n={n}", "use log_boolean_functions(n)")
    return 1 << (1 << n)


def log_boolean_functions(n: int, *, base: float = math.e) -> float:
    """2^n log 2: the logarithm of the number of Boolean functions of n attributes (constant 2, as above).

    >>> log_boolean_functions(20, base=2)
    1048576.0
    """
    n, unit = whole(n, "n", 0), unit_of(base)
    if n > 1000:
        raise ValueError(f"n={n} must be at most 1000: 2^n itself is beyond floating point above it")
    return 2.0**n * math.log(2) / unit


def catalan(k: int) -> int:
    """C_k = (2k choose k) / (k + 1): the binary trees of k tests and k + 1 leaves, without their names.

    >>> [catalan(k) for k in range(6)]
    [1, 1, 2, 5, 14, 42]
    """
    k = whole(k, "k", 0)
    _refuse_long(2 * k, f"k={k}", "use log_trees_by_leaves(1, k + 1)")
    return math.comb(2 * k, k) // (k + 1)


def trees_by_depth(n: int, k: int, *, labels: int = 2) -> int:
    """H_k = n H_(k-1)^2 with H_0 = `labels`: the complete binary trees of depth k over n tests.

    Its constant is H_0, the number of labels of a leaf: 2 in the lectures. The same tree may compute a
    function in several ways, so this bounds the number of functions.

    >>> [trees_by_depth(2, k) for k in range(4)], [trees_by_depth(10, k) for k in range(4)]
    ([2, 8, 128, 32768], [2, 40, 16000, 2560000000])
    """
    bits = log_trees_by_depth(n, k, labels=labels, base=2)
    _refuse_long(bits, f"k={k}", "use log_trees_by_depth(n, k)")
    count = int(labels)
    for _ in range(int(k)):
        count = int(n) * count * count
    return count


def log_trees_by_depth(n: int, k: int, *, labels: int = 2, base: float = math.e) -> float:
    """(2^k - 1) log n + 2^k log K: the logarithm of `trees_by_depth`; K = `labels` is its constant, 2.

    >>> [round(log_trees_by_depth(10, k, base=2), 6) for k in range(4)]
    [1.0, 5.321928, 13.965784, 31.253497]
    >>> round(log_trees_by_depth(10, 3), 6)
    21.663273
    """
    n, k, labels = whole(n, "n", 1), whole(k, "k", 0), whole(labels, "labels", 1)
    unit = unit_of(base)
    if k > 1000:
        raise ValueError(f"k={k} must be at most 1000: a tree of depth k has 2^k leaves")
    return ((2.0**k - 1) * math.log(n) + 2.0**k * math.log(labels)) / unit


def trees_by_leaves(n: int, k: int, *, labels: int = 2) -> int:
    """H_k = n (H_1 H_(k-1) + ... + H_(k-1) H_1), H_1 = `labels`: the binary trees of k leaves over n tests.

    In closed form n^(k-1) K^k C_(k-1). Its constant is H_1 = K, the number of labels of a leaf: 2 in the
    lectures.

    >>> [trees_by_leaves(3, k) for k in range(1, 7)]
    [2, 12, 144, 2160, 36288, 653184]
    """
    bits = log_trees_by_leaves(n, k, labels=labels, base=2)
    _refuse_long(bits, f"k={k}", "use log_trees_by_leaves(n, k)")
    shapes: int = int(n) ** (int(k) - 1) * int(labels) ** int(k)
    return shapes * catalan(int(k) - 1)


def log_trees_by_leaves(n: int, k: int, *, labels: int = 2, base: float = math.e) -> float:
    """(k - 1) log n + k log K + log C_(k-1): the logarithm of `trees_by_leaves`; constant K = `labels`.

    >>> round(log_trees_by_leaves(3, 6, base=2), 6), round(log_trees_by_leaves(10, 5), 6)
    (19.31713, 15.315134)
    """
    n, k, labels = whole(n, "n", 1), whole(k, "k", 1), whole(labels, "labels", 1)
    unit = unit_of(base)
    log_catalan = math.lgamma(2 * k - 1) - math.lgamma(k) - math.lgamma(k + 1)  # of C_(k-1)
    exact = math.log(math.comb(2 * k - 2, k - 1) // k) if k <= 500 else log_catalan
    return ((k - 1) * math.log(n) + k * math.log(labels) + exact) / unit


def log_trees_by_leaves_bound(n: int, k: int, *, base: float = math.e) -> float:
    """(k - 1) log n + (3k - 2) log 2, which `log_trees_by_leaves(n, k)` never exceeds for two labels.

    Its constant 3k - 2 is k for the labels and 2k - 2 for C_(k-1) <= 4^(k-1). The often seen 2k - 1 counts
    too few from k = 6 on.

    >>> round(log_trees_by_leaves_bound(3, 6, base=2), 6)
    23.924813
    """
    n, k = whole(n, "n", 1), whole(k, "k", 1)
    return ((k - 1) * math.log(n) + (3 * k - 2) * math.log(2)) / unit_of(base)


def _refuse_long(bits: Any, given: str, instead: str) -> None:
    if bits > _MOST_BITS:
        raise ValueError(f"{given} gives a number of more than {_MOST_BITS:,} binary digits: {instead}")
