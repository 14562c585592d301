"""What error to expect on new rows: upper limits of an error rate, penalties of size and the guarantee of
structural risk minimisation.

How many errors to expect from E errors among N, by three limits; and Wilson's interval of a rate:

    exact    N p, p the rate at which no more than E errors would be seen with probability CF
    c45      E + AddErrs(N, E) as release 8 of C4.5 computes it: a normal law with a table of deviates
    weka     the same with the exact normal deviate, as J48 has it

AddErrs is N (1 - CF^(1/N)) for E = 0 and linear between 0 and 1. From E + 1/2 >= N on it is 0.67 (N - E)
(Weka: N - E); otherwise, with z the deviate,

    N (E + 1/2 + z^2/2 + z sqrt((E + 1/2)(1 - (E + 1/2)/N) + z^2/4)) / (N + z^2) - E

A leaf that saw few rows is trusted less than one that saw many. N and E may be fractions of cases. Structural
risk minimisation lets a subtree earn its size: it stays only if its training error plus a penalty is no more
than the error of a leaf in its place.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from hornbeam._base.parameters import (
    between,
    check_choice,
    confidence,
    is_number,
    positive,
    share,
    unit_of,
    whole,
)
from hornbeam._base.types import Floats

# C4.5's table: the standard normal deviate of some upper tails, between which it interpolates.
_TAIL = (0.0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00)
_DEVIATE = (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.00)

# Fewer errors than this are none; from here on the formula holds; what is added at the high end, per case
# that is right.
ENDS: Mapping[str, tuple[float, float, float]] = {"c45": (1e-6, 0.9999, 0.67), "weka": (0.0, 1.0, 1.0)}


def c45_deviate(confidence: float = 0.25) -> float:
    """The normal deviate that C4.5 takes for a confidence: interpolated in its table of nine.

    >>> round(c45_deviate(0.25), 6), c45_deviate(0.1)
    (0.6925, 1.28)
    """
    return float(np.interp(_confidence(confidence), _TAIL, _DEVIATE))


def deviate_of(limit: str, confidence: float) -> float:
    """The normal deviate of an approximate limit, "c45" or "weka"; no less than 0."""
    if limit == "c45":
        return c45_deviate(confidence)
    from scipy.special import ndtri  # here: an explanation does not wait for it

    return max(0.0, float(ndtri(1.0 - _confidence(confidence))))


def expected_errors(errors: Any, n: Any, confidence: float = 0.25, *, limit: str = "c45") -> Any:
    """How many errors to expect among n new rows of a leaf that made `errors` among n training rows.

    Parameters
    ----------
    errors, n : float or array
        Errors and cases of each leaf; fractions are allowed. A leaf without cases expects none.
    confidence : float
        CF, between 0 and 1: the smaller, the more is expected. C4.5's default is 0.25.
    limit : "c45", "exact" or "weka"
        As C4.5 estimates, by the binomial law itself, or as Weka's J48.

    Returns
    -------
    float or array

    References
    ----------
    Quinlan, J. R. (1993). C4.5: Programs for Machine Learning. Morgan Kaufmann, chapter 4.

    Examples
    --------
    >>> expected_errors([0, 0, 0, 1], [6, 9, 1, 16]).round(6)
    array([1.237797, 1.284804, 0.75    , 2.506894])
    >>> round(expected_errors(1, 16, limit="exact"), 6), round(expected_errors(1, 16, limit="weka"), 6)
    (2.553771, 2.475715)
    """
    check_choice("limit", limit, tuple(LIMITS))
    cf = _confidence(confidence)
    wrong, cases = _cases(errors, n)
    expected = LIMITS[limit](wrong, cases, cf)
    expected = np.where(cases > 0, expected, 0.0)
    return float(expected) if expected.ndim == 0 else expected


def upper_limit(errors: Any, n: Any, confidence: float = 0.25) -> Any:
    """U_CF(E, N): the error rate p at which E errors or fewer among N would be seen with probability CF.

    The solution of P(Binomial(N, p) <= E) = CF, by the incomplete beta function, so N and E may be fractions.

    Parameters
    ----------
    errors, n : float or array
        E and N, N above 0.
    confidence : float
        CF, between 0 and 1.

    Examples
    --------
    >>> upper_limit([0, 0, 0, 1], [6, 9, 1, 16]).round(6)
    array([0.206299, 0.142756, 0.75    , 0.159611])
    """
    cf = _confidence(confidence)
    wrong, cases = _cases(errors, n)
    if not (cases > 0).all():
        raise ValueError("n must be above 0: a rate needs at least one case")
    rate = _rate(wrong, cases, cf)
    return float(rate) if rate.ndim == 0 else rate


def _rate(errors: Floats, n: Floats, cf: float) -> Floats:
    from scipy.special import betaincinv

    right = np.maximum(n - errors, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        inside: Floats = betaincinv(errors + 1.0, np.where(right > 0, right, 1.0), 1.0 - cf)
    return np.where(right > 0, inside, 1.0)


def _exact(errors: Floats, n: Floats, cf: float) -> Floats:
    return n * _rate(errors, n, cf)


def _approximate(limit: str) -> Callable[[Floats, Floats, float], Floats]:
    """C4.5's estimate, or Weka's; the two differ in the deviate and at the high end."""

    def estimate(errors: Floats, n: Floats, cf: float) -> Floats:
        z2 = deviate_of(limit, cf) ** 2
        cases = np.where(n > 0, n, 1.0)
        none = cases * (1.0 - cf ** (1.0 / cases))
        low = none + errors * (_many(limit, np.ones_like(errors), cases, z2) - none)
        no_errors, one_error, _ = ENDS[limit]
        few = np.where(errors < no_errors, none, low)
        return errors + np.where(errors < one_error, few, _many(limit, errors, cases, z2))

    return estimate


def _many(limit: str, errors: Floats, n: Floats, z2: float) -> Floats:
    """What is added to at least one error."""
    corrected = errors + 0.5
    inside = np.maximum(z2 * (corrected * (1.0 - corrected / n) + z2 / 4.0), 0.0)
    rate = (corrected + z2 / 2.0 + np.sqrt(inside)) / (n + z2)
    return np.where(corrected >= n, ENDS[limit][2] * (n - errors), n * rate - errors)


def _cases(errors: Any, n: Any) -> tuple[Floats, Floats]:
    try:
        wrong, cases = np.asarray(errors, dtype=np.float64), np.asarray(n, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"errors={errors!r} and n={n!r} must be numbers of cases") from None
    wrong, cases = np.broadcast_arrays(wrong, cases)
    if not (np.isfinite(cases) & (cases >= 0)).all():
        raise ValueError(f"n={n!r} must hold finite numbers of at least 0: the cases of each leaf")
    if not ((wrong >= 0) & (wrong <= cases * (1 + 1e-9) + 1e-9)).all():
        raise ValueError(f"errors={errors!r} must lie between 0 and the number of cases n={n!r}")
    return np.minimum(wrong, cases), cases


def _confidence(value: Any) -> float:
    return between(value, "confidence", "C4.5's CF, 0.25 unless another is wanted")


LIMITS: Mapping[str, Callable[[Floats, Floats, float], Floats]] = {
    "c45": _approximate("c45"),
    "exact": _exact,
    "weka": _approximate("weka"),
}


Z95 = 1.959963984540054  # of a two-sided interval of 95 %


def wilson(share: float, n: float, z: float = Z95) -> tuple[float, float]:
    """Wilson's interval of a share seen in n rows.

    References
    ----------
    Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference. JASA 22,
    209-212.

    >>> low, high = wilson(40 / 74, 74)
    >>> round(low, 3), round(high, 3)
    (0.428, 0.649)
    """
    if not n > 0:
        return math.nan, math.nan
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return max(middle - half, 0.0), min(middle + half, 1.0)


# Structural risk minimisation -----------------------------------------------------------------------------
#
#     penalty      c sqrt(((depth + size) log n + log(1/delta)) / m)
#     score        error + sqrt(size / m)
#     guarantee    c sqrt(size_opt / m) (log(size_opt / delta) + depth_opt log(n m / delta))
#
# The constant c is 1 unless given, since the notes leave it open.


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


def _numbers(values: Any, name: str, *, or_none: bool = False) -> Floats:
    """One number or an array of them, all above 0, or of at least 0 with `or_none`."""
    allowed = "of at least 0" if or_none else "above 0"
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name}={values!r} must be a number {allowed}, or an array of such") from None
    sound = np.isfinite(numbers) & ((numbers >= 0) if or_none else (numbers > 0))
    if not sound.all():
        wrong = values if numbers.ndim == 0 else numbers[~sound].flat[0]
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
