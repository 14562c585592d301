"""Tails: the logarithm of upper-tail probabilities, exact far beyond where the probability itself is 0.

One idea: p-values are compared as log p, so a p of 1e-400 is still smaller than one of 1e-350. Where a
probability is too small for a double, its continued fraction gives the logarithm directly.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy import special

from hornbeam._base.types import Floats

_SMALL = 1e-290  # below this a double loses digits, then everything
_STEPS = 10_000  # the fractions converge in a few dozen steps; this many are never needed


def log_chi2(x: npt.ArrayLike, df: npt.ArrayLike) -> Floats:
    """The natural logarithm of P(chi-square with `df` degrees of freedom > x); 0 where df is 0.

    >>> float(np.exp(log_chi2(16.203704, 2)).round(6))
    0.000303
    >>> float(log_chi2(2000.0, 1).round(3))
    -1004.027
    """
    x, df = np.asarray(x, dtype=float), np.asarray(df, dtype=float)
    log_p = _logged(np.asarray(special.chdtrc(np.maximum(df, 1.0), x)), (x, df), _far_chi2)
    return np.where(df > 0, log_p, 0.0)


def log_f(x: npt.ArrayLike, between: npt.ArrayLike, within: npt.ArrayLike) -> Floats:
    """The natural logarithm of P(F with `between` and `within` degrees of freedom > x); -inf for infinite x.

    >>> float(np.exp(log_f(5.0, 1, 12)).round(6))
    0.045115
    """
    x, b, w = (np.asarray(v, dtype=float) for v in (x, between, within))
    with np.errstate(invalid="ignore"):
        p = np.asarray(special.fdtrc(b, w, x))
    return np.where(np.isinf(x), -np.inf, _logged(p, (x, b, w), _far_f))


def log_normal(z: npt.ArrayLike) -> Floats:
    """The natural logarithm of P(|standard normal| > z).

    >>> float(np.exp(log_normal(1.959963985)).round(6))
    0.05
    """
    log_p: Floats = np.log(2.0) + special.log_ndtr(-np.abs(np.asarray(z, dtype=float)))
    return log_p


def log_any(log_p: npt.ArrayLike, tests: int) -> Floats:
    """The logarithm of 1 - (1 - p)^tests: that one of `tests` independent tests gives a p as small as this.

    >>> float(np.exp(log_any(np.log(0.01), 5)).round(6)), float(log_any(-1000.0, 5).round(6))
    (0.04901, -998.390562)
    """
    log_p = np.asarray(log_p, dtype=float)
    with np.errstate(divide="ignore"):
        exact = np.log(-np.expm1(tests * np.log1p(-np.exp(log_p))))
    log_any_p: Floats = np.where(log_p < -40.0, log_p + np.log(tests), exact)
    return log_any_p


def _logged(p: Floats, arguments: tuple[Floats, ...], far: Callable[..., float]) -> Floats:
    """The logarithm of p; where that is too small, what `far` says."""
    small = p < _SMALL
    if not small.any():
        logs: Floats = np.log(p)
        return logs
    logs = np.array(np.log(np.where(small, 1.0, p)))
    every = np.broadcast_arrays(*arguments)
    for at in map(tuple, np.argwhere(small)):
        logs[at] = far(*(float(v[at]) for v in every))
    return logs


def _far_chi2(x: float, df: float) -> float:
    """Q(a, x/2), a = df/2, by Legendre's continued fraction for the incomplete gamma function."""
    if np.isinf(x):
        return -np.inf
    a, x = df / 2, x / 2
    fraction = _lentz(x + 1 - a, lambda k: (-k * (k - a), x + 2 * k + 1 - a))
    return float(a * np.log(x) - x - special.gammaln(a) - np.log(fraction))


def _far_f(x: float, between: float, within: float) -> float:
    """I_t(within/2, between/2), t = within / (within + between x), by its continued fraction."""
    if np.isinf(x):
        return -np.inf
    a, b = within / 2, between / 2
    t = within / (within + between * x)

    def term(k: int) -> tuple[float, float]:
        m, odd = divmod(k, 2)
        if odd:
            return -(a + m) * (a + b + m) * t / ((a + 2 * m) * (a + 2 * m + 1)), 1.0
        return m * (b - m) * t / ((a + 2 * m - 1) * (a + 2 * m)), 1.0

    fraction = _lentz(1.0, term)
    return float(a * np.log(t) + b * np.log1p(-t) - np.log(a) - special.betaln(a, b) - np.log(fraction))


def _lentz(first: float, term: Callable[[int], tuple[float, float]]) -> float:
    """The value of first + a1/(b1 + a2/(b2 + ...)) with (ak, bk) = term(k), by Lentz's method."""
    tiny = 1e-300
    value = first or tiny
    c, d = value, 0.0
    for k in range(1, _STEPS):
        a, b = term(k)
        d = 1.0 / ((b + a * d) or tiny)
        c = (b + a / c) or tiny
        value *= c * d
        if abs(c * d - 1.0) < 1e-15:
            break
    return value


# Maxima ---------------------------------------------------------------------------------------------------
# How likely the largest of several correlated normal variables is to be so large.
# One idea (Naiman & Priebe 2001): draw one variable i at random and the others given that |Z_i| > z. Then
#
#     P(max |Z| > z) = m P(|Z_1| > z) x mean of 1 / (number of variables beyond z)
#
# which has a small relative error however small p is, and none where all variables are one. The points are a
# fixed sequence (fractional parts of multiples of the roots of primes), so the same numbers give the same p.

_POINTS = 2000
_ROUNDING = 1e-9


def log_max(z: float, correlation: Floats) -> float:
    """The natural logarithm of P(max |Z| > z) for normal Z of mean 0, variance 1 and this correlation.

    >>> round(float(np.exp(log_max(1.959963985, np.ones((1, 1))))), 6)
    0.05
    >>> round(float(np.exp(log_max(1.959963985, np.array([[1.0, -1.0], [-1.0, 1.0]])))), 6)
    0.05
    >>> float(round(np.exp(log_max(1.959963985, np.eye(3))), 3)), round(1 - 0.95**3, 3)
    (0.143, 0.143)
    """
    m = len(correlation)
    alone = float(log_normal(z))
    if m == 1 or z <= 0 or not np.isfinite(z):
        return alone
    uniform = _points(m + 1)
    values, vectors = np.linalg.eigh(correlation)
    normal = special.ndtri(uniform[:, 1:]) @ (vectors * np.sqrt(np.maximum(values, 0.0))).T
    beyond = -special.ndtri_exp(np.log(uniform[:, 0]) + special.log_ndtr(-z))
    total = 0.0
    for i in range(m):  # what the others are, given that variable i is beyond z
        others = normal + np.outer(beyond - normal[:, i], correlation[i])
        total += float((1.0 / np.maximum((np.abs(others) > z - _ROUNDING).sum(axis=1), 1)).mean())
    return min(alone + float(np.log(total)), 0.0)


def _points(dimensions: int) -> Floats:
    """Points spread evenly over the unit cube, none on its border."""
    k = np.arange(1, _POINTS + 1)[:, None] * np.sqrt(_primes(dimensions))[None, :]
    return np.clip(k - np.floor(k), 1e-12, 1 - 1e-12)


def _primes(n: int) -> Floats:
    most = max(20, int(n * (np.log(n + 1) + 2)))
    sieve = np.ones(most, dtype=bool)
    sieve[:2] = False
    for k in range(2, int(most**0.5) + 1):
        sieve[2 * k :: k] &= ~sieve[k]
    return np.flatnonzero(sieve)[:n].astype(np.float64)
