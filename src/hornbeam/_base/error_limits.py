"""Limits of an error rate: how many errors to expect on new rows from E errors among N; Wilson's interval.

    exact    N p, p the rate at which no more than E errors would be seen with probability CF
    c45      E + AddErrs(N, E) as release 8 of C4.5 computes it: a normal law with a table of deviates
    weka     the same with the exact normal deviate, as J48 has it

AddErrs is N (1 - CF^(1/N)) for E = 0 and linear between 0 and 1. From E + 1/2 >= N on it is 0.67 (N - E)
(Weka: N - E); otherwise, with z the deviate,

    N (E + 1/2 + z^2/2 + z sqrt((E + 1/2)(1 - (E + 1/2)/N) + z^2/4)) / (N + z^2) - E

One idea: a leaf that saw few rows is trusted less than one that saw many. N and E may be fractions of cases.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy.special import betaincinv, ndtri

from hornbeam._base.parameters import between
from hornbeam._base.types import Floats

# C4.5's table: the standard normal deviate of some upper tails, between which it interpolates.
_TAIL = (0.0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00)
_DEVIATE = (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.00)

_TOP: Mapping[str, float] = {
    "c45": 0.67,
    "weka": 1.0,
}  # added at the high end, per case that is right
_NONE: Mapping[str, float] = {"c45": 1e-6, "weka": 0.0}  # fewer errors than this are none,
_ONE: Mapping[str, float] = {"c45": 0.9999, "weka": 1.0}  # and from here on the formula holds


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
    return max(0.0, float(ndtri(1.0 - _confidence(confidence))))


def at_the_ends(limit: str) -> tuple[float, float, float]:
    """Fewer errors than this are none; from here on the formula holds; what is added at the high end."""
    return _NONE[limit], _ONE[limit], _TOP[limit]


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
    if not isinstance(limit, str) or limit not in LIMITS:
        raise ValueError(f"limit={limit!r} must be one of {', '.join(map(repr, LIMITS))}")
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
        few = np.where(errors < _NONE[limit], none, low)
        return errors + np.where(errors < _ONE[limit], few, _many(limit, errors, cases, z2))

    return estimate


def _many(limit: str, errors: Floats, n: Floats, z2: float) -> Floats:
    """What is added to at least one error."""
    seen = errors + 0.5
    inside = np.maximum(z2 * (seen * (1.0 - seen / n) + z2 / 4.0), 0.0)
    rate = (seen + z2 / 2.0 + np.sqrt(inside)) / (n + z2)
    return np.where(seen >= n, _TOP[limit] * (n - errors), n * rate - errors)


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
