"""Measuring: every measure of one test, from the table of its branches.

    gain          H(all) - sum |S_k|/|S| H(S_k)          bits         sdr        S(all) - sum |S_k|/|S| S(S_k)
    information   -sum |S_k|/|S| log2 |S_k|/|S|          bits         variance   the same with variances
    gini          the same as the gain with 1 - sum p^2               r2         variance / variance of all
    chi2          sum (O - E)^2 / E                                   f          (SSB / (k-1)) / (SSW / (n-k))

One idea: whatever the model's own criterion is, the others are measured too, on the rows by which it judges:
where gaps are left out, gains are those of the known rows times their share.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from hornbeam._base.significance.contingency import chi_square
from hornbeam._base.types import Floats
from hornbeam.editing.arithmetic.column_gains import TRIVIAL_INFORMATION
from hornbeam.tree.answers import impurities


@dataclass(frozen=True)
class Parts:
    """The branches of one test.

    stats : Stats of each branch, [branches, width]; for a real target (weight, wy, wyy) around `center`
    rows : rows in each, with repetitions
    lost : the weight of the rows that are left out
    cases : how many rows the weights of all stand for
    """

    stats: Floats
    rows: Floats
    lost: float
    cases: float
    center: float
    is_real: bool

    @property
    def weights(self) -> Floats:
        """The weight of each branch."""
        found: Floats = self.stats[:, 0] if self.is_real else self.stats.sum(axis=1)
        return found

    @property
    def known(self) -> float:
        """The weight of the rows judged."""
        return float(self.weights.sum())

    @property
    def share(self) -> float:
        """The share of the rows judged."""
        return self.known / (self.known + self.lost)

    def impurity(self, name: str) -> tuple[float, Floats]:
        """The impurity of all rows judged, and of each branch."""
        task = "real" if self.is_real else "classes"
        whole = float(impurities(self.stats.sum(axis=0)[None], task, name)[0])
        return whole, impurities(self.stats, task, name)

    def decrease(self, name: str) -> float:
        """How much a criterion falls."""
        whole, each = self.impurity(name)
        return self.share * max(whole - float(self.weights @ each) / self.known, 0.0)

    @property
    def information(self) -> float:
        """The split information in bits; rows left out are one more branch."""
        apart = np.append(self.weights, self.lost)[None]
        return float(impurities(apart, "classes", "entropy")[0])

    def table(self) -> list[list[float]]:
        """For each branch the class weights; or weight, sum of y and sum of y^2."""
        if not self.is_real:
            found: list[list[float]] = self.stats.tolist()
            return found
        w, s, q = self.stats[:, 0], self.stats[:, 1], self.stats[:, 2]
        c = self.center
        shown: list[list[float]] = np.stack([w, s + w * c, q + 2 * s * c + w * c * c], axis=1).tolist()
        return shown

    def counts(self) -> Floats:
        """The table of classes as cases, for tests of significance (K3)."""
        return self.stats * (self.cases / (self.known + self.lost))


@dataclass(frozen=True)
class ClassMeasures:
    """What a test is worth for classes."""

    gain: float
    split_information: float
    gain_ratio: float
    gini: float
    chi2: float
    df: int
    p: float


@dataclass(frozen=True)
class RealMeasures:
    """What a test is worth for a real target."""

    sdr: float
    variance: float
    r2: float
    f: float
    df: int
    df_within: float
    p: float


def of_classes(parts: Parts) -> ClassMeasures:
    """All measures of a table of classes."""
    gain, information = parts.decrease("entropy"), parts.information
    ratio = gain / information if information > TRIVIAL_INFORMATION else 0.0
    test = chi_square(parts.counts())
    return ClassMeasures(gain, information, ratio, parts.decrease("gini"), test.chi2, test.df, test.p)


def of_real(parts: Parts) -> RealMeasures:
    """All measures of a partition of numbers."""
    whole, each = parts.impurity("variance")
    within = float(parts.weights @ each) / parts.known
    between = max(whole - within, 0.0)
    n = parts.cases * parts.share
    df, df_within = int(np.count_nonzero(parts.weights > 0)) - 1, 0.0
    df_within = max(n - df - 1, 0.0)
    f, p = 0.0, 1.0
    if df > 0 and df_within > 0 and between > 0:
        f = math.inf if within <= 0 else (between / df) / (within / df_within)
        p = 0.0 if math.isinf(f) else float(special.fdtrc(df, df_within, f))
    return RealMeasures(
        parts.decrease("sd"),
        parts.share * between,
        between / whole if whole > 0 else 0.0,
        f,
        df,
        df_within,
        p,
    )
