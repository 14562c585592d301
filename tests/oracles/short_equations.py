"""The obvious twin of short equations: least squares anew for every choice of terms, decimals as text."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
from tests.oracles.equations import line

EXACT_FIT, ROUNDING = 1e-4, 0.05


def objective(X, y, weights, ridge, terms):
    """What least squares minimises, at its least."""
    if not terms:
        return float(weights @ (y - np.average(y, weights=weights)) ** 2)
    intercept, slopes = line(X[:, terms], y, weights, ridge)
    left = y - intercept - X[:, terms] @ slopes
    return float(weights @ left**2 + ridge * slopes @ slopes)


def independent(X, weights):
    """The columns that vary and that those before them do not explain."""
    kept = []
    for j in range(X.shape[1]):
        own = X[:, j] - np.average(X[:, j], weights=weights)
        squares = float(weights @ own**2)
        if squares > 0 and objective(X, X[:, j], weights, 0.0, kept) > 1e-10 * squares:
            kept.append(j)
    return kept


def obeying(X, y, weights, ridge, terms, signs):
    """Without the steepest term of a forbidden sign, as long as there is one."""
    while terms:
        slopes = line(X[:, terms], y, weights, ridge)[1]
        steep = {
            j: abs(b) * math.sqrt(spread(X[:, j], weights))
            for j, b in zip(terms, slopes, strict=True)
            if signs[j] * b < 0
        }
        if not steep:
            break
        terms = [j for j in terms if j != max(steep, key=steep.get)]
    return terms


def spread(x, weights):
    return float(weights @ (x - np.average(x, weights=weights)) ** 2)


def short_terms(X, y, weights, ridge, signs, most):
    """At most so many columns: four times as many by what they explain, then without the least needed."""
    weights = np.ones(len(y)) if weights is None else weights
    terms = [j for j in range(X.shape[1]) if spread(X[:, j], weights) > 0]
    first = min(4 * most, max(len(y) - 2, 1))
    if len(terms) > first:
        chosen = []
        while len(chosen) < first:
            free = [
                j
                for j in terms
                if j not in chosen and len(independent(X[:, [*chosen, j]], weights)) > len(chosen)
            ]
            if not free:
                break
            now = objective(X, y, weights, ridge, chosen)
            gains = [now - objective(X, y, weights, ridge, [*chosen, j]) for j in free]
            chosen.append(
                next(j for j, gain in zip(free, gains, strict=True) if gain >= max(gains) * (1 - 1e-7))
            )
        terms = sorted(chosen)
    terms = [terms[k] for k in independent(X[:, terms], weights)] if not ridge else terms
    terms = obeying(X, y, weights, ridge, terms, signs)
    while len(terms) > most:
        without = {j: [k for k in terms if k != j] for j in terms}
        terms = min(without.values(), key=lambda left: objective(X, y, weights, ridge, left))
    return obeying(X, y, weights, ridge, terms, signs)


def rounded(x, slack):
    """The decimal of fewest digits that is at most `slack` away."""
    if abs(x) <= slack:
        return 0.0
    for digits in range(15):
        near = float(f"{Decimal(x):.{digits}e}")
        if abs(near - x) <= slack:
            return near
    return x


def short_equation(X, y, weights, ridge, terms, signs):
    """The rounded equation of some terms: terms, slopes, intercept, and what rounding may change."""
    weights = np.ones(len(y)) if weights is None else weights
    total = weights.sum()
    deviation = {j: math.sqrt(spread(X[:, j], weights) / total) for j in range(X.shape[1])}
    while True:
        if not terms:
            return [], [], 0.0, 0.0
        intercept, slopes = line(X[:, terms], y, weights, ridge)
        left = math.sqrt(weights @ (y - intercept - X[:, terms] @ slopes) ** 2 / total)
        slack = ROUNDING * max(left, EXACT_FIT * math.sqrt(spread(y, weights) / total))
        sizes = [abs(b) * deviation[j] for j, b in zip(terms, slopes, strict=True)]
        if min(sizes) > slack:
            break
        terms = obeying(
            X, y, weights, ridge, [j for k, j in enumerate(terms) if k != np.argmin(sizes)], signs
        )
    slopes = [rounded(b, slack / deviation[j]) for j, b in zip(terms, slopes, strict=True)]
    exact = np.average(y, weights=weights) - sum(
        b * np.average(X[:, j], weights=weights) for j, b in zip(terms, slopes, strict=True)
    )
    return terms, slopes, rounded(exact, slack), slack
