"""Permuting: how unusual is the link between a column and the target, among all ways to shuffle the target?

The linear statistic of a column's values g and the influence h of the target is T = sum w g h'. Over all
permutations of the target (Strasser & Weber 1999), with n = sum w, its mean and covariance are

    E T = (sum w g) E(h)',        Cov T = V(h) x [n sum w g g' - (sum w g)(sum w g)'] / (n - 1)

where E(h) and V(h) are mean and covariance (divided by n) of the influence: the indicators of the classes, or
the real target itself. g is the value of a numeric column, the rank of an ordinal value, the indicators of
nominal values; a two-way split is a column of two values.

    quadratic   (T - ET)' Cov(T)^+ (T - ET), a chi-square variable
    maximum     the largest |T - ET| / sd, the maximum of normal variables

One idea: Cov T is a product of V(h) and a matrix of the column alone, and the pseudo-inverse of a matrix of
indicators is known: diag(1 / share) does. So a test needs first and second moments only, nothing is inverted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hornbeam._base.significance.tails import log_chi2, log_max
from hornbeam._base.types import Floats

Ints = npt.NDArray[np.integer]

FORMS = ("quadratic", "maximum")


class PermutationResult(NamedTuple):
    """The statistics of some tests, and their log p."""

    statistic: Floats
    log_p: Floats


@dataclass(frozen=True)
class Influence:
    """The influence of the target over some rows, in units of rows: the weights sum to their number.

    Attributes
    ----------
    weight : weight of each row
    codes : class of each row; None for a real target
    values : centred target of each row; None for classes
    share : weight share of each class; [1.0] for a real target
    variance : the diagonal of V(h)
    inverse : the diagonal of a pseudo-inverse of V(h); 0 for a class that is not there
    rank : the rank of V(h)
    n : the sum of the weights
    """

    weight: Floats
    codes: Ints | None
    values: Floats | None
    share: Floats
    variance: Floats
    inverse: Floats
    rank: int
    n: float

    @classmethod
    def of_classes(cls, codes: Ints, n_classes: int, weight: Floats, n: float) -> Influence:
        """The indicators of the classes; the weights are scaled to sum to `n`."""
        weight = weight * (n / float(weight.sum()))
        share = _binned(codes, weight, n_classes) / n
        there = share > 0
        inverse = np.divide(1.0, share, out=np.zeros_like(share), where=there)
        return cls(weight, codes, None, share, share * (1 - share), inverse, int(there.sum()) - 1, n)

    @classmethod
    def of_real(cls, values: Floats, weight: Floats, n: float) -> Influence:
        """The target itself; the weights are scaled to sum to `n`."""
        weight = weight * (n / float(weight.sum()))
        values = _scaled(values[None])[0]
        centred = values - float((weight * values).sum()) / n
        centred = centred - float((weight * centred).sum()) / n  # once more, for what rounding left
        constant = bool(values.min() == values.max())
        variance = np.array([0.0 if constant else float((weight * centred * centred).sum()) / n])
        inverse = np.divide(1.0, variance, out=np.zeros(1), where=variance > 0)
        return cls(weight, None, centred, np.ones(1), variance, inverse, int(variance[0] > 0), n)

    def correlation(self) -> Floats:
        """The correlation matrix of the influence, of the classes that are there and vary."""
        if self.codes is None:
            return np.ones((1, 1))
        share = self.share[self.variance > 0]
        sd = np.sqrt(share * (1 - share))
        matrix: Floats = (np.diag(share) - np.outer(share, share)) / np.outer(sd, sd)
        return matrix

    def sums(self, x: Floats) -> Floats:
        """The sums of w x h of some columns (one row of x each): [columns, classes or 1]."""
        weighted = x * self.weight
        if self.values is not None:
            products: Floats = (weighted * self.values).sum(axis=1, keepdims=True)
            return products
        assert self.codes is not None
        return np.stack([_binned(self.codes, row, len(self.share)) for row in weighted])

    def tally(self, codes: Ints, n_codes: int) -> tuple[Floats, Floats]:
        """The weight of each category, and its sum of w h less what is expected: [codes], [codes, q]."""
        weight = _binned(codes, self.weight, n_codes)
        if self.values is not None:
            return weight, _binned(codes, self.weight * self.values, n_codes)[:, None]
        q = len(self.share)
        assert self.codes is not None
        cells = codes.astype(np.int64) * q + self.codes
        sums = _binned(cells, self.weight, n_codes * q).reshape(n_codes, q)
        return weight, sums - np.outer(weight, self.share)


def numeric_tests(influence: Influence, x: Floats, form: str) -> PermutationResult:
    """Test numeric columns without gaps, one in each row of x; log p of a constant one is NaN.

    >>> y = Influence.of_real(np.array([1.0, 2.0, 4.0, 3.0]), np.ones(4), 4.0)
    >>> outcome = numeric_tests(y, np.array([[1.0, 2.0, 3.0, 4.0]]), "quadratic")
    >>> outcome.statistic.round(6), np.exp(outcome.log_p).round(6)  # (n - 1) r^2
    (array([1.92]), array([0.165857]))
    """
    constant = x.min(axis=1) == x.max(axis=1)
    x = _scaled(x)
    centred = x - ((x * influence.weight).sum(axis=1) / influence.n)[:, None]
    centred -= ((centred * influence.weight).sum(axis=1) / influence.n)[:, None]
    spread = (centred * centred * influence.weight).sum(axis=1)
    constant |= spread == 0
    spread = np.where(constant, 1.0, spread)
    gap = influence.sums(centred)
    if form == "quadratic":
        statistic = _quadratic(influence, gap, spread)
        log_p = log_chi2(statistic, influence.rank)
    else:
        statistic = _maximum(influence, gap, spread)
        log_p = np.array([log_max(s, influence.correlation()) for s in statistic.tolist()])
    return PermutationResult(np.where(constant, np.nan, statistic), np.where(constant, np.nan, log_p))


def nominal_test(influence: Influence, codes: Ints, n_codes: int, form: str) -> PermutationResult:
    """Test a nominal column without gaps; log p is NaN if it has one value only.

    >>> y = Influence.of_classes(np.array([0, 0, 0, 1, 1, 0]), 2, np.ones(6), 6.0)
    >>> outcome = nominal_test(y, np.array([0, 0, 0, 1, 1, 1]), 2, "quadratic")
    >>> float(outcome.statistic)  # (n - 1) / n times Pearson's X2
    2.5
    """
    weight, gap = influence.tally(codes, n_codes)
    there = weight > 0
    weight, gap = weight[there], gap[there]
    if len(weight) < 2:
        return PermutationResult(np.array(np.nan), np.array(np.nan))
    n = influence.n
    if form == "quadratic":
        statistic = np.array(_quadratic(influence, gap, weight).sum())
        return PermutationResult(statistic, log_chi2(statistic, influence.rank * (len(weight) - 1)))
    share = weight / n
    statistic = np.array(_maximum(influence, gap, weight * (1 - share)).max())
    odds = np.sqrt(share / (1 - share))
    own = np.where(np.eye(len(share), dtype=bool), 1.0, -np.outer(odds, odds))
    joint = np.kron(influence.correlation(), own).astype(np.float64)
    return PermutationResult(statistic, np.array(log_max(float(statistic), joint)))


def split_statistics(influence: Influence, weight: Floats, gap: Floats, form: str) -> Floats:
    """The statistic of each two-way split, from the weight of a side and its sum of w h less the expected."""
    spread = weight * (influence.n - weight) / influence.n
    return (_quadratic if form == "quadratic" else _maximum)(influence, gap, spread)


def _scaled(x: Floats) -> Floats:
    """Each row times a power of two that brings it within 1, so that squares neither overflow nor vanish.

    No statistic changes when a column or a target is multiplied by a number.
    """
    _, exponent = np.frexp(np.abs(x).max(axis=1, keepdims=True))
    scaled: Floats = np.ldexp(x, -exponent)
    return scaled


def _binned(codes: Ints, weights: Floats, n_codes: int) -> Floats:
    return np.bincount(codes, weights=weights, minlength=n_codes).astype(np.float64, copy=False)


def _quadratic(influence: Influence, gap: Floats, spread: Floats) -> Floats:
    factor = (influence.n - 1) / influence.n
    statistic: Floats = factor * (gap * gap * influence.inverse).sum(axis=-1) / spread
    return statistic


def _maximum(influence: Influence, gap: Floats, spread: Floats) -> Floats:
    factor = (influence.n - 1) / influence.n
    there = influence.variance > 0
    square: Floats = (gap[..., there] ** 2 / influence.variance[there]).max(axis=-1)
    statistic: Floats = np.sqrt(factor * square / spread)
    return statistic
