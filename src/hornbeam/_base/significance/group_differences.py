"""Differing: do groups of rows differ in their target? Chi-square for classes, the F test for means.

One idea: a group is its Stats and its number of rows, both of which add up, so groups are merged and tested
without looking at a row again. Weights scale shares but never the number of rows (K3): a table of weights W
over n rows is tested as the table W n / sum(W).

    lanes of a group, classes      w1 w2 ... wk  n        n: rows of positive weight, repetitions counted
    lanes of a group, real target  w  wy  wy2    n
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from hornbeam._base.significance import contingency
from hornbeam._base.significance.tails import log_chi2, log_f

Floats = npt.NDArray[np.float64]
_ROUNDING = 32 * np.finfo(np.float64).eps  # a sum of squares below this share of the whole is rounding: none


class Outcome(NamedTuple):
    """Statistic, degrees of freedom (for F those between the groups) and log p of each set of groups."""

    statistic: Floats
    df: Floats
    log_p: Floats


class GroupTest(Protocol):
    """A test of whether groups differ."""

    def __call__(self, groups: Floats) -> Outcome:
        """Test each set of groups in a stack; the last two axes are groups and their lanes."""

    def order(self, groups: Floats) -> Floats:
        """What the best halves of groups are ordered by: class shares, or means; one row per group."""


class ClassTest:
    """Chi-square test of groups x classes (Pearson's X2, or the likelihood ratio's G2).

    >>> found = ClassTest("pearson")(np.array([[20.0, 30.0, 50.0], [22.0, 28.0, 50.0]]))
    >>> round(float(np.exp(found.log_p)), 6)
    0.685315
    """

    def __init__(self, statistic: str) -> None:
        self.statistic = statistic

    def __call__(self, groups: Floats) -> Outcome:
        """Test each set of groups in a stack."""
        weights, rows = groups[..., :-1], groups[..., -1]
        value, df = contingency.statistics(weights, self.statistic)
        total = weights.sum(axis=(-2, -1))
        value = value * (rows.sum(axis=-1) / np.where(total > 0, total, 1.0))  # both grow with the table
        return Outcome(value, df, log_chi2(value, df))

    def order(self, groups: Floats) -> Floats:
        """The class shares."""
        return _over(groups[:, :-1], groups[:, :-1].sum(axis=1, keepdims=True))


class MeanTest:
    """One-way analysis of variance: F = (SSB / (k - 1)) / (SSW / (n - k)).

    Where no group varies, F is infinite if the means differ; with n = k there is nothing to test and p is 1.

    >>> found = MeanTest()(np.array([[3.0, 6.0, 14.0, 3.0], [3.0, 15.0, 77.0, 3.0]]))  # 1 2 3 against 4 5 6
    >>> float(found.statistic), float(found.df), round(float(np.exp(found.log_p)), 6)
    (13.5, 1.0, 0.021312)
    """

    def __call__(self, groups: Floats) -> Outcome:
        """Test each set of groups in a stack."""
        w, wy, wyy, rows = (groups[..., lane] for lane in (0, 1, 2, -1))
        there = w > 0
        between_each = _over(wy * wy, w)
        total = wy.sum(axis=-1) ** 2 / np.maximum(w.sum(axis=-1), np.finfo(float).tiny)
        squares = wyy.sum(axis=-1)
        between = _cleared(between_each.sum(axis=-1) - total, squares)
        within = _cleared(squares - between_each.sum(axis=-1), squares)
        df = np.maximum(there.sum(axis=-1) - 1.0, 0.0)
        rest = rows.sum(axis=-1) - there.sum(axis=-1)
        testable = (df > 0) & (rest > 0) & (between > 0)
        inner = np.where(testable, within / np.maximum(rest, 1.0), 1.0)
        with np.errstate(divide="ignore"):
            value = np.where(testable, between / np.maximum(df, 1.0) / inner, 0.0)
        log_p = np.where(testable, log_f(value, np.maximum(df, 1.0), np.maximum(rest, 1.0)), 0.0)
        return Outcome(value, df, log_p)

    def order(self, groups: Floats) -> Floats:
        """The means."""
        return _over(groups[:, 1:2], groups[:, :1])


def _over(value: Floats, weight: Floats) -> Floats:
    found: Floats = np.divide(value, weight, out=np.zeros_like(value), where=weight > 0)
    return found


def _cleared(value: Floats, scale: Floats) -> Floats:
    """Sums of squares without what is only rounding."""
    return np.where(value > _ROUNDING * scale, value, 0.0)
