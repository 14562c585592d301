"""Structural risk minimisation: penalties of size, and what pruning by them guarantees.

    penalty      c sqrt(((depth + size) log n + log(1/delta)) / m)
    score        error + sqrt(size / m)
    guarantee    c sqrt(size_opt / m) (log(size_opt / delta) + depth_opt log(n m / delta))

One idea: a subtree must earn its size: it stays only if its training error plus the penalty is no more than
the error of a leaf in its place. The constant c is 1 unless given, since the notes leave it open.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hornbeam._base.parameters import confidence, is_number, positive, share, unit_of, whole
from hornbeam._base.types import Floats

_CONSTANT = "the factor c that the notes leave open"


def srm_penalty(
    m: Any,
    size: Any,
    depth: Any,
    n: float,
    delta: float,
    *,
    constant: float = 1.0,
    numerator: str = "1",
    base: float = math.e,
) -> Any:
    """What a subtree pays for its size: c sqrt(((depth + size) log n + log(a/delta)) / m).

    `hornbeam.parts.SRM` prunes by it. Of arrays of `m`, `size` and `depth` it is an array.

    Parameters
    ----------
    m : number or array
        Training examples that reach the node; parts of examples may count.
    size : number or array
        Size of the subtree: its nodes in the notes, or its leaves.
    depth : number or array
        Depth of the node, 0 for the root.
    n : number
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
    >>> srm_penalty([100, 1000], 3, 1, 10, 0.05).round(6)
    array([0.349372, 0.110481])
    """
    rows, bulk, above = _numbers(m, "m"), _numbers(size, "size"), _numbers(depth, "depth", or_none=True)
    if not is_number(n) or not 1 <= float(n) < math.inf:
        raise ValueError(f"n={n!r} must be a number of at least 1: the Boolean attributes to choose from")
    c, delta = positive(constant, "constant", _CONSTANT), confidence(delta)
    if numerator not in ("1", "m"):
        raise ValueError(f"numerator={numerator!r} must be '1' for log(1/delta) or 'm' for log(m/delta)")
    sure = (np.log(rows) if numerator == "m" else 0.0) - math.log(delta)
    bits = (above + bulk) * math.log(n) + sure
    penalty = c * np.sqrt(np.maximum(bits / unit_of(base) / rows, 0.0))
    return penalty if penalty.ndim else float(penalty)


def _numbers(given: Any, name: str, *, or_none: bool = False) -> Floats:
    """One number or an array of them, all above 0, or of at least 0 with `or_none`."""
    allowed = "of at least 0" if or_none else "above 0"
    try:
        numbers = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name}={given!r} must be a number {allowed}, or an array of such") from None
    sound = np.isfinite(numbers) & ((numbers >= 0) if or_none else (numbers > 0))
    if not sound.all():
        wrong = given if numbers.ndim == 0 else numbers[~sound].flat[0]
        raise ValueError(f"{name}={wrong} must be a number {allowed}, or an array of such")
    return numbers


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
