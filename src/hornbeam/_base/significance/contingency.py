"""Contingency: are the rows and the columns of a table of counts independent?

    E = row total x column total / n,   X2 = sum (O - E)^2 / E,   G2 = 2 sum O log(O / E)

with (rows - 1)(columns - 1) degrees of freedom, rows and columns without a count left out (Pearson 1900).

One idea: O - E is computed as (O n - row total x column total) / n, which is exact for whole numbers, so a
table whose rows are proportional has X2 = 0 and not something near it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
from scipy import special

from hornbeam._base.parameters import check_choice, is_number, whole
from hornbeam._base.significance.tails import log_chi2, log_f
from hornbeam._base.types import Floats

STATISTICS = ("pearson", "likelihood-ratio")
_FEW = 5.0  # below this expected count the chi-square law is a poor approximation (Cochran 1954)
_LARGEST = 1e150  # squares of larger numbers overflow


@dataclass(frozen=True)
class ChiSquareTest:
    """The outcome of a chi-square test of independence; `str()` is the text for people.

    Attributes
    ----------
    chi2 : float
        Pearson's X2, or the likelihood-ratio statistic G2.
    df : int
        Degrees of freedom, over the rows and columns that are not empty.
    p, log_p : float
        The probability of a larger statistic if rows and columns are independent, and its natural logarithm,
        which is exact where p is too small for a double. With df = 0 there is nothing to test: p = 1.
    expected : array
        The counts expected under independence, in the shape of the table.
    warning : str or None
        Says so if an expected count is below 5 (rows and columns without a count aside).
    statistic : "pearson" or "likelihood-ratio"
    n : float
        The sum of the table.

    Examples
    --------
    >>> test = chi_square([[10, 20], [30, 20]])
    >>> test.df, test.rejects(0.05), round(test.critical(0.05), 6)
    (1, True, 3.841459)
    """

    chi2: float
    df: int
    p: float
    log_p: float
    expected: Floats = field(repr=False, compare=False)
    warning: str | None = None
    statistic: str = "pearson"
    n: float = 0.0

    def critical(self, alpha: float = 0.05) -> float:
        """The value a statistic must exceed to be significant at level `alpha`.

        >>> round(chi_square([[0, 1], [5, 0]]).critical(0.05), 6)
        3.841459
        """
        return chi_square_critical(alpha, self.df)

    def rejects(self, alpha: float = 0.05) -> bool:
        """Whether independence is rejected at level `alpha`: p < alpha.

        >>> test = chi_square([[0, 1], [5, 0]])
        >>> test.rejects(0.05), test.rejects(0.01)
        (True, False)
        """
        return bool(self.log_p < np.log(_level("alpha", alpha)))

    def __str__(self) -> str:
        name = "X2" if self.statistic == "pearson" else "G2"
        lines = [f"{name} = {self.chi2:.6g}, df = {self.df}, p = {p_text(self.log_p)}, n = {self.n:g}"]
        return "\n".join(lines + ([f"warning: {self.warning}"] if self.warning else []))


def chi_square(table: npt.ArrayLike, *, statistic: str = "pearson") -> ChiSquareTest:
    """Test whether the rows and columns of a table of counts are independent.

    Parameters
    ----------
    table : two-dimensional array of counts, such as one row per branch and one column per class
    statistic : "pearson" or "likelihood-ratio"

    Examples
    --------
    >>> test = chi_square([[200, 150, 50], [250, 300, 50]])
    >>> round(test.chi2, 6), test.df, round(test.p, 9)
    (16.203704, 2, 0.000302978)
    >>> test.expected
    array([[180., 180.,  40.],
           [270., 270.,  60.]])
    >>> print(chi_square([[0, 1], [5, 0]]))
    X2 = 6, df = 1, p = 0.0143059, n = 6
    warning: 4 of 4 expected counts are below 5 (the smallest is 0.166667): p is only a rough guide
    """
    check_choice("statistic", statistic, STATISTICS)
    counts = table_of("table", table)
    if not counts.sum() > 0:
        raise ValueError("table has no counts: give a table of which at least one number is positive")
    rows, columns = counts.sum(axis=1), counts.sum(axis=0)
    n = float(counts.sum())
    expected: Floats = rows[:, None] * columns[None, :] / n
    used = expected[np.ix_(rows > 0, columns > 0)]
    value, df = statistics(counts, statistic)
    log_p = float(log_chi2(value, df))
    return ChiSquareTest(
        float(value), int(df), float(np.exp(log_p)), log_p, expected, _small(used), statistic, n
    )


def chi_square_critical(alpha: float, df: int) -> float:
    """The value a chi-square variable with `df` degrees of freedom exceeds with probability `alpha`.

    >>> round(chi_square_critical(0.05, 1), 6)
    3.841459
    """
    _level("alpha", alpha)
    df = whole(df, "df", 0)
    return float(special.chdtri(df, alpha)) if df else 0.0


def statistics(tables: Floats, statistic: str) -> tuple[Floats, Floats]:
    """Statistic and degrees of freedom of each table of a stack: the last two axes are rows and columns.

    >>> value, df = statistics(np.array([[[2.0, 2.0], [1.0, 1.0]], [[3.0, 0.0], [1.0, 0.0]]]), "pearson")
    >>> value.tolist(), df.tolist()
    ([0.0, 0.0], [1.0, 0.0])
    """
    rows, columns = tables.sum(axis=-1, keepdims=True), tables.sum(axis=-2, keepdims=True)
    n = rows.sum(axis=-2, keepdims=True)
    product = rows * columns
    there = np.where(product > 0, product, 1.0)
    if statistic == "pearson":
        gap = tables * n - product
        terms = gap / there * gap / np.where(n > 0, n, 1.0)
    else:
        terms = 2.0 * tables * np.log(np.where(tables > 0, tables * n / there, 1.0))
    df: Floats = (_filled(rows) - 1.0) * (_filled(columns) - 1.0)
    value = np.where(df > 0, np.maximum(terms.sum(axis=(-2, -1)), 0.0), 0.0)
    return value, df


def _filled(totals: Floats) -> Floats:
    """How many rows or columns have counts, at least 1."""
    n_filled: Floats = np.maximum((totals > 0).sum(axis=(-2, -1)), 1.0)
    return n_filled


def p_text(log_p: float) -> str:
    """A probability from its natural logarithm, also where it is too small for a double.

    >>> p_text(-0.0), p_text(-25.5), p_text(-2000.0)
    ('1', '8.42346e-12', '1e-869')
    """
    if log_p > -700.0:
        return f"{np.exp(log_p):.6g}"
    return f"1e{log_p / np.log(10.0):.0f}" if np.isfinite(log_p) else "0"


def table_of(name: str, table: Any) -> Floats:
    """The table as floats: two-dimensional, finite, not negative."""
    try:
        counts = np.array(table, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a table of numbers, every row of the same length") from None
    if counts.ndim != 2 or not counts.size:
        raise ValueError(
            f"{name} has shape {counts.shape}, but a table of counts has two dimensions, such as"
            " [[20, 30], [22, 28]]"
        )
    bad = counts[~((counts >= 0) & (counts <= _LARGEST))]
    if bad.size:
        raise ValueError(f"{name} holds {float(bad[0])!r}: counts are numbers from 0 to {_LARGEST:g}")
    return counts


def _small(expected: Floats) -> str | None:
    few = int((expected < _FEW).sum())
    if not few:
        return None
    return (
        f"{few} of {expected.size} expected counts are below 5 (the smallest is {expected.min():.6g}):"
        " p is only a rough guide"
    )


def _level(name: str, value: Any) -> float:
    if not is_number(value) or not 0 < float(value) < 1:
        raise ValueError(f"{name}={value!r} must be a number above 0 and below 1, such as 0.05")
    return float(value)


# Groups ---------------------------------------------------------------------------------------------------
# Do groups of rows differ in their target? Chi-square for classes, the F test for means.
# a group is its Stats and its number of rows, both of which add up, so groups are merged and tested
# without looking at a row again. Weights scale shares but never the number of rows (K3): a table of weights W
# over n rows is tested as the table W n / sum(W).
#
#     lanes of a group, classes      w1 w2 ... wk  n        n: rows of positive weight, repetitions counted
#     lanes of a group, real target  w  wy  wy2    n

_ROUNDING = 32 * np.finfo(np.float64).eps  # a sum of squares below this share of the whole is rounding: none


class GroupTestResult(NamedTuple):
    """Statistic, degrees of freedom (for F those between the groups) and log p of each set of groups."""

    statistic: Floats
    df: Floats
    log_p: Floats


class GroupTest(Protocol):
    """A test of whether groups differ."""

    def __call__(self, groups: Floats) -> GroupTestResult:
        """Test each set of groups in a stack; the last two axes are groups and their lanes."""

    def order(self, groups: Floats) -> Floats:
        """What the best halves of groups are ordered by: class shares, or means; one row per group."""


class ClassTest:
    """Chi-square test of groups x classes (Pearson's X2, or the likelihood ratio's G2).

    >>> outcome = ClassTest("pearson")(np.array([[20.0, 30.0, 50.0], [22.0, 28.0, 50.0]]))
    >>> round(float(np.exp(outcome.log_p)), 6)
    0.685315
    """

    def __init__(self, statistic: str) -> None:
        self.statistic = statistic

    def __call__(self, groups: Floats) -> GroupTestResult:
        """Test each set of groups in a stack."""
        weights, rows = groups[..., :-1], groups[..., -1]
        value, df = statistics(weights, self.statistic)
        total = weights.sum(axis=(-2, -1))
        value = value * (rows.sum(axis=-1) / np.where(total > 0, total, 1.0))  # both grow with the table
        return GroupTestResult(value, df, log_chi2(value, df))

    def order(self, groups: Floats) -> Floats:
        """The class shares."""
        return _over(groups[:, :-1], groups[:, :-1].sum(axis=1, keepdims=True))


class MeanTest:
    """One-way analysis of variance: F = (SSB / (k - 1)) / (SSW / (n - k)).

    Where no group varies, F is infinite if the means differ; with n = k there is nothing to test and p is 1.

    >>> outcome = MeanTest()(np.array([[3.0, 6.0, 14.0, 3.0], [3.0, 15.0, 77.0, 3.0]]))  # 1 2 3 against 4 5 6
    >>> float(outcome.statistic), float(outcome.df), round(float(np.exp(outcome.log_p)), 6)
    (13.5, 1.0, 0.021312)
    """

    def __call__(self, groups: Floats) -> GroupTestResult:
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
        return GroupTestResult(value, df, log_p)

    def order(self, groups: Floats) -> Floats:
        """The means."""
        return _over(groups[:, 1:2], groups[:, :1])


def _over(value: Floats, weight: Floats) -> Floats:
    ratio: Floats = np.divide(value, weight, out=np.zeros_like(value), where=weight > 0)
    return ratio


def _cleared(value: Floats, scale: Floats) -> Floats:
    """Sums of squares without what is only rounding."""
    return np.where(value > _ROUNDING * scale, value, 0.0)
