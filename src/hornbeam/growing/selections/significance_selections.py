"""Selections by tests of significance: CHAID and conditional inference."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

from hornbeam._base.parameters import check_choice, is_number
from hornbeam._base.significance.chaid_groups import check_level
from hornbeam._base.significance.contingency import STATISTICS
from hornbeam._base.significance.permutation_statistics import FORMS
from hornbeam.growing.part import check_flag, check_whole
from hornbeam.growing.selections.gain_selections import Selection


@dataclass(eq=False, repr=False)
class ChiSquareSelection(Selection):
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
    >>> hb.TreeClassifier(selection=ChiSquareSelection(alpha=0.01)).fit(X, y).tree_.text()
    'part[{a,b}: z(42:58) | {c}: x(40:10) | {d}: z(5:45)]'
    """

    name, about = "chi-square", "CHAID: merged categories, smallest adjusted p-value"
    method = "stepwise"

    alpha: float = 0.05
    merge: float = 0.05
    resplit: float | None = None
    _: KW_ONLY
    bonferroni: bool = True
    statistic: str = "pearson"
    n_bins: int = 10
    min_rows: int = 30

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
        check_choice("statistic", self.statistic, tuple(STATISTICS))
        check_whole("n_bins", self.n_bins, 2)
        check_whole("min_rows", self.min_rows, 1)

    def check_criterion(self, criterion: Any) -> None:
        """Raise for a statistic of classes with a real target."""
        if not criterion.task.is_classes and self.statistic != "pearson":
            raise ValueError(
                f"statistic={self.statistic!r} is a test of classes, and a real target is tested by F: leave"
                " statistic='pearson'"
            )


@dataclass(eq=False, repr=False)
class Conditional(Selection):
    """Conditional inference trees (Hothorn, Hornik & Zeileis 2006), as partykit's `ctree`.

    At each node every column is tested for independence of the target, by the law of its linear statistic
    over all permutations of the target. The column of the smallest p-value is split if that is below
    `alpha`, after the correction for the number of columns tested; its cut is the one of the largest
    two-sample statistic. So columns of many values are not preferred, and growth stops by itself.

    Numeric columns enter the test by their values, ordinal ones by their ranks 1, 2, ..., nominal ones by
    indicators; classes by indicators, a real target by its values. The split is a threshold, or for a nominal
    column the best of all parts into two sets of values.

    Parameters
    ----------
    alpha : float
        A node is split if the smallest p-value is below this.
    bonferroni : bool
        Whether a p-value becomes 1 - (1 - p)^m for the m columns tested.
    test : "quadratic" or "maximum"
        The statistic that compares columns: a quadratic form, whose law is chi-square, or the largest
        standardised component, whose law is that of correlated normal variables (p is then accurate to
        about three digits).
    cut : "quadratic" or "maximum"
        The two-sample statistic that compares the cuts of the column chosen.
    min_share : float
        Each branch holds at least this share of the node's rows, beside `min_samples_leaf`.
    tries : int
        How many significant columns are tried until one has a cut that leaves enough rows on both sides.
    min_rows : int
        A node of fewer rows, repetitions counted, is not tested and stays a leaf: the laws of the
        statistics hold for many rows only.

    Notes ----- Rows whose value is missing take no part in the test of their column, nor in the search for
    its cut; then they go where the slot `missing` sends them. `hornbeam.ctree` sets the rows partykit asks
    for: 20 to split a node, 7 in a branch. The criterion does not choose the split; it measures `Tree.gain`
    and the limits on it. `Tree.meta["facts"]` keeps the test of each split: statistic, log p, log p
    corrected, columns tested, statistic of the cut. `counts` are partykit's case weights; `sample_weight`
    is scaled to sum to the number of rows (K3).

    References ---------- Hothorn, T., Hornik, K. & Zeileis, A. (2006). Unbiased recursive partitioning: a
    conditional inference framework. Journal of Computational and Graphical Statistics 15, 651-674.
    Strasser, H. & Weber, C. (1999). On the asymptotic theory of permutation statistics. Mathematical
    Methods of Statistics 8, 220-250.

    Examples
    --------
    >>> import hornbeam as hb
    >>> from sklearn.datasets import load_iris
    >>> iris = load_iris(as_frame=True)
    >>> model = hb.TreeClassifier(selection="conditional", min_samples_split=20, min_samples_leaf=7)
    >>> print(hb.show(model.fit(iris.data, iris.target), charset="ascii"))
    petal length (cm)?  p < .001 (statistic 140)  33 % class 0  n=150 (50:50:50)
    |-- <= 2.45  -> class 0  100 %  n=50 (50:0:0)
    `-- > 2.45  petal width (cm)?  p < .001 (statistic 67.9)  50 % class 1  n=100 (0:50:50)
        |-- <= 1.75  petal length (cm)?  p < .001 (statistic 13.9)  91 % class 1  n=54 (0:49:5)
        |   |-- <= 4.85  -> class 1  98 %  n=46 (0:45:1)
        |   `-- > 4.85  -> class 1  50 %  n=8 (0:4:4)
        `-- > 1.75  -> class 2  98 %  n=46 (0:1:45)
    counts are of classes 0:1:2
    """

    name, about = "conditional", "conditional inference: permutation tests choose the column"
    method = "stepwise"

    alpha: float = 0.05
    _: KW_ONLY
    bonferroni: bool = True
    test: str = "quadratic"
    cut: str = "quadratic"
    min_share: float = 0.01
    tries: int = 2
    min_rows: int = 30

    def check(self) -> None:
        """Raise if a number is out of its range."""
        check_level("alpha", self.alpha)
        check_flag("bonferroni", self.bonferroni)
        check_choice("test", self.test, tuple(FORMS))
        check_choice("cut", self.cut, tuple(FORMS))
        share: Any = self.min_share
        if not is_number(share) or not 0 <= share <= 0.5:
            raise ValueError(f"min_share={share!r} must be a number from 0 to 0.5")
        check_whole("tries", self.tries, 1)
        check_whole("min_rows", self.min_rows, 1)
