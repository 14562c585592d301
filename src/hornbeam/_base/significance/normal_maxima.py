"""Maxima: how likely the largest of several correlated normal variables is to be so large.

One idea (Naiman & Priebe 2001): draw one variable i at random and the others given that |Z_i| > z. Then

    P(max |Z| > z) = m P(|Z_1| > z) x mean of 1 / (number of variables beyond z)

which has a small relative error however small p is, and none where all variables are one. The points are a
fixed sequence (fractional parts of multiples of the roots of primes), so the same numbers give the same p.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import special

from hornbeam._base.significance.tails import log_normal

Floats = npt.NDArray[np.float64]

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
        given = normal + np.outer(beyond - normal[:, i], correlation[i])
        total += float((1.0 / np.maximum((np.abs(given) > z - _ROUNDING).sum(axis=1), 1)).mean())
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
