"""CHAID: the column whose merged categories differ most significantly (R86)."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from hornbeam._base.significance.chaid_groups import check_level
from hornbeam._base.significance.contingency import STATISTICS
from hornbeam.growing.selections.base import Selection


class ChiSquare(Selection):
    """CHAID (Kass 1980): categories that do not differ are merged, the smallest adjusted p-value wins.

    At each node the categories of every column are merged: while some pair of groups differs with p above
    `merge` by a chi-square test of 2 x classes, the pair of the largest p is joined. Any two groups of a
    nominal column may be joined, only neighbours of an ordinal one. The p-value of the merged table times
    the number of ways to merge so (Bonferroni) is compared among the columns as its logarithm; the node is
    split on the column of the smallest, one branch for each group, if it is at most `alpha`. Groups with
    fewer rows than `min_samples_leaf` join the group they differ from least.

    A numeric column is cut once, before growth, into at most `n_bins` ordered categories: those of its
    values if there are no more, otherwise bins of about equally many rows. A missing value is a category:
    one more of a nominal column; of an ordinal or numeric one it floats, so it may join any group, or stand
    alone. (With a missing rule that judges known rows only, such as "fractional", the rule decides
    instead.)

    With a real target the F test of one-way analysis of variance takes the place of the chi-square test.

    Parameters
    ----------
    alpha : float
        A node is split if the smallest adjusted p-value is at most this.
    merge : float
        Groups that differ with a larger p-value are joined.
    resplit : float or None
        If given, a group of three or more categories is parted again where its best half differs with a
        p-value of at most this (step 3 of Kass); at most `merge`. None, as in most programs: what is joined
        stays so.
    bonferroni : bool
        Whether p-values are multiplied by the number of ways to merge.
    statistic : "pearson" or "likelihood-ratio"
        X2 or G2; for classes only.
    n_bins : int
        Categories of a numeric column.
    min_rows : int
        A node of fewer rows, repetitions counted, is not tested and stays a leaf: the laws of the
        statistics hold for many rows only.

    Notes ----- The criterion does not choose the split; it measures `Tree.gain` and the limits on it.
    `Tree.meta["facts"]` keeps the test of each split: statistic, df, log p, multiplier, log adjusted p.
    `counts` are repetitions of rows; `sample_weight` is scaled so that every table tested sums to its
    number of rows (K3).

    References ---------- Kass, G. V. (1980). An exploratory technique for investigating large quantities of
    categorical data. Applied Statistics 29, 119-127.

    Examples
    --------
    >>> import hornbeam as hb
    >>> X = {"part": ["a"] * 50 + ["b"] * 50 + ["c"] * 50 + ["d"] * 50}
    >>> y = [c for good in (20, 22, 40, 5) for c in ["x"] * good + ["z"] * (50 - good)]
    >>> hb.TreeClassifier(selection=ChiSquare(alpha=0.01)).fit(X, y).tree_.text()
    'part[{a,b}: z(42:58) | {c}: x(40:10) | {d}: z(5:45)]'
    """

    name, about = "chi-square", "CHAID: merged categories, smallest adjusted p-value"

    def __init__(
        self,
        alpha: float = 0.05,
        merge: float = 0.05,
        resplit: float | None = None,
        *,
        bonferroni: bool = True,
        statistic: str = "pearson",
        n_bins: int = 10,
        min_rows: int = 30,
    ) -> None:
        self.alpha = alpha
        self.merge = merge
        self.resplit = resplit
        self.bonferroni = bonferroni
        self.statistic = statistic
        self.n_bins = n_bins
        self.min_rows = min_rows

    def check(self) -> None:
        """Raise if a number is out of its range."""
        check_level("alpha", self.alpha)
        check_level("merge", self.merge)
        if self.resplit is not None:
            check_level("resplit", self.resplit)
            if self.resplit > self.merge:
                raise ValueError(
                    f"resplit={self.resplit!r} must be at most merge={self.merge!r}: what is parted again"
                    " would be merged again"
                )
        check_flag("bonferroni", self.bonferroni)
        if self.statistic not in STATISTICS:
            raise ValueError(
                f"statistic={self.statistic!r} must be one of {', '.join(map(repr, STATISTICS))}"
            )
        check_whole("n_bins", self.n_bins, 2)
        check_whole("min_rows", self.min_rows, 1)

    def check_criterion(self, criterion: Any) -> None:
        """Raise for a statistic of classes with a real target."""
        if criterion.task != "classes" and self.statistic != "pearson":
            raise ValueError(
                f"statistic={self.statistic!r} is a test of classes, and a real target is tested by F: leave"
                " statistic='pearson'"
            )


def check_flag(name: str, value: Any) -> None:
    """Raise unless `value` is True or False."""
    if not isinstance(value, bool):
        raise ValueError(f"{name}={value!r} must be True or False")


def check_whole(name: str, value: Any, least: int) -> None:
    """Raise unless `value` is a whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise ValueError(f"{name}={value!r} must be a whole number of at least {least}")
