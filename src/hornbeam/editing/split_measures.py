"""Every measure of one test, from the table of its branches, and the terms of its calculation.

    gain          H(all) - sum |S_k|/|S| H(S_k)          bits         sdr        S(all) - sum |S_k|/|S| S(S_k)
    information   -sum |S_k|/|S| log2 |S_k|/|S|          bits         variance   the same with variances
    gini          the same as the gain with 1 - sum p^2               r2         variance / variance of all
    chi2          sum (O - E)^2 / E                                   f          (SSB / (k-1)) / (SSW / (n-k))

Whatever the model's own criterion is, the others are measured too, on the rows by which it judges: where gaps
are left out, gains are those of the known rows times their share. A decrease is one potential minus others,
each times its share of the rows; the same terms are written with letters, with numbers, and as data.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from hornbeam._base.significance.contingency import chi_square
from hornbeam._base.types import Floats, Task
from hornbeam.growing.candidates.column_scores import TRIVIAL_INFORMATION
from hornbeam.tree.answers import decrease_of_groups, impurities
from hornbeam.tree.node_stats import merge_stats, squares_between
from hornbeam.tree.words import amount, count

_WHOLE = "T"  # all rows judged, where a branch is called by its answer


@dataclass(frozen=True)
class BranchTable:
    """The branches of one test.

    stats : Stats of each branch, [branches, width]; means of a real target are measured from `center`
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
    def task(self) -> Task:
        """What the branches are about."""
        return Task.REAL if self.is_real else Task.CLASSES

    @property
    def whole(self) -> Floats:
        """The Stats of all branches."""
        return merge_stats(self.stats, self.task)

    @property
    def weights(self) -> Floats:
        """The weight of each branch."""
        return self.stats[:, 0] if self.is_real else self.stats.sum(axis=1)

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
        whole = float(impurities(self.whole[None], self.task, name)[0])
        return whole, impurities(self.stats, self.task, name)

    def decrease(self, name: str) -> float:
        """How much a criterion falls."""
        lowered = float(decrease_of_groups(self.stats, self.task, name)) / self.known
        return self.share * max(lowered, 0.0)

    @property
    def information(self) -> float:
        """The split information in bits; rows left out are one more branch."""
        apart = np.append(self.weights, self.lost)[None]
        return float(impurities(apart, Task.CLASSES, "entropy")[0])

    def shown_stats(self) -> list[list[float]]:
        """For each branch the class weights; or weight, sum of y and sum of y^2."""
        if not self.is_real:
            rows: list[list[float]] = self.stats.tolist()
            return rows
        w, away, squares = self.stats.T
        mean = self.center + away
        shown: list[list[float]] = np.stack([w, w * mean, squares + w * mean * mean], axis=1).tolist()
        return shown

    def counts(self) -> Floats:
        """The table of classes as cases, for tests of significance (K3)."""
        return self.stats * (self.cases / (self.known + self.lost))


def class_measures(parts: BranchTable) -> dict[str, Any]:
    """All measures of a table of classes."""
    gain, information = parts.decrease("entropy"), parts.information
    test = chi_square(parts.counts())
    return {
        "gain": gain,
        "split_information": information,
        "gain_ratio": gain / information if information > TRIVIAL_INFORMATION else 0.0,
        "gini": parts.decrease("gini"),
        "chi2": test.chi2,
        "df": test.df,
        "p": test.p,
    }


def real_measures(parts: BranchTable) -> dict[str, Any]:
    """All measures of a partition of numbers."""
    whole, each = parts.impurity("variance")
    within = float(parts.weights @ each) / parts.known
    between = float(squares_between(parts.stats)) / parts.known
    df = int(np.count_nonzero(parts.weights > 0)) - 1
    df_within = max(parts.cases * parts.share - df - 1, 0.0)
    f, p = 0.0, 1.0
    if df > 0 and df_within > 0 and between > 0:
        f = math.inf if within <= 0 else (between / df) / (within / df_within)
        p = 0.0 if math.isinf(f) else float(special.fdtrc(df, df_within, f))
    return {
        "sdr": parts.decrease("sd"),
        "variance": parts.share * between,
        "r2": between / whole if whole > 0 else 0.0,
        "f": f,
        "df": df,
        "df_within": df_within,
        "p": p,
    }


def four(x: float) -> str:
    """A number of a calculation: four decimals, 0 as such; of large ones two, then none.

    >>> four(0.24674982), four(0.0), four(5929.8849), four(12345678.9)
    ('0.2467', '0', '5929.88', '12345679')
    """
    if x == 0 or not math.isfinite(x):
        return "0" if x == 0 else str(x)
    return f"{x:.4f}" if abs(x) < 1000 else f"{x:.2f}" if abs(x) < 1e6 else amount(x)


def number(x: float) -> str:
    """A weight: whole numbers as such, others with up to three decimals.

    >>> number(5.0), number(2.384615)
    ('5', '2.385')
    """
    return count(round(x, 3))


def own_terms(sizes: Sequence[float], total: float) -> tuple[str, list[list[float]]]:
    """An entropy written out, and its shares: numerators and denominators.

    >>> own_terms([9.0, 5.0], 14.0)[0]
    '−9/14·log2(9/14) − 5/14·log2(5/14)'
    """
    filled = [size for size in sizes if size > 0]
    if len(filled) < 2:
        return "0", [[size, total] for size in filled]
    parts = [f"{number(size)}/{number(total)}" for size in filled]
    return "−" + " − ".join(f"{p}·log2({p})" for p in parts), [[size, total] for size in filled]


@dataclass(frozen=True)
class SumOfTerms:
    """A decrease: `whole` minus each of the branches' potentials times its share."""

    name: str
    unit: str
    names: tuple[str, ...]  # of all rows, then of the branches
    shares: tuple[tuple[float, float], ...]  # of the branches: weight, weight of all
    values: tuple[float, ...]  # potentials of all rows, then of the branches
    total: float
    share: float  # of the rows judged
    inside: tuple[tuple[str, list[list[float]]], ...]  # of each potential: written out, and its terms

    def line(self) -> str:
        """The calculation on one line."""
        if not self.values:
            return f"{self.name} = {four(self.total)}"
        parts = [f"{number(w)}/{number(n)}" for w, n in self.shares]
        letters = [self.names[0]] + [f"{p}·{name}" for p, name in zip(parts, self.names[1:], strict=True)]
        numbers = [four(self.values[0])]
        numbers += [four(w / n * v) for (w, n), v in zip(self.shares, self.values[1:], strict=True)]
        first, second = " − ".join(letters), " − ".join(numbers)
        if self.share < 1:
            first, second = f"{four(self.share)}·[{first}]", f"{four(self.share)}·[{second}]"
        return f"{self.name} = {first} = {second} = {four(self.total)}{self.unit}"

    def details(self) -> list[str]:
        """Each potential written out, where it has a formula of shares."""
        pairs = zip(self.names, self.inside, self.values, strict=True) if self.inside else ()
        return [
            f"{name} = {four(value)}{self.unit}"
            if text == "0"
            else f"{name} = {text} = {four(value)}{self.unit}"
            for name, (text, _), value in pairs
        ]

    def plain(self) -> list[dict[str, Any]]:
        """The same as plain values."""
        unit = self.unit.strip()
        terms: list[dict[str, Any]] = []
        for place, (name, value) in enumerate(zip(self.names, self.values, strict=True)):
            term: dict[str, Any] = {"name": name, "value": value, "unit": unit}
            if self.inside and self.inside[place][1]:
                term["terms"] = self.inside[place][1]
            terms.append(term)
        parts = [f"-{number(w)}/{number(n)}" for w, n in self.shares]
        whole = {
            "name": self.name,
            "sum": [[name, factor] for name, factor in zip(self.names, [1, *parts], strict=False)],
            "value": self.total,
            "unit": unit,
        }
        return [*terms, whole | ({"times": self.share} if self.share < 1 else {})]


def pieces(
    parts: BranchTable, answers: Sequence[str], name: str, letter: str, unit: str, whole: float, each: Floats
) -> SumOfTerms:
    """The decrease of a potential whose values are known."""
    weights, known = parts.weights.tolist(), parts.known
    values = (whole, *map(float, each))
    mean = math.fsum(w * v for w, v in zip(weights, values[1:], strict=True)) / known
    total = parts.share * max(whole - mean, 0.0)
    shares = tuple((w, known) for w in weights)
    if parts.is_real:
        names = (f"{letter}({_WHOLE})", *(f"{letter}({answer})" for answer in answers))
        spreads = tuple((text, list[list[float]]()) for text in _spreads(parts, letter))
        return SumOfTerms(name, unit, names, shares, values, total, parts.share, spreads)
    groups = [parts.whole.tolist(), *parts.stats.tolist()]
    names = tuple(f"{letter}({','.join(map(number, group))})" for group in groups)
    inside = tuple(_written(letter, group) for group in groups)
    return SumOfTerms(name, unit, names, shares, values, total, parts.share, inside)


def _spreads(parts: BranchTable, letter: str) -> list[str]:
    """A spread written out for all rows and for each branch; none for one that is no mean of squares."""
    if letter not in ("S", "Var"):
        return []
    spreads = []
    for weight, mean in ((float(row[0]), float(row[1])) for row in (parts.whole, *parts.stats)):
        text = f"Σ(y − {amount(parts.center + mean)})²/{number(weight)}"
        spreads.append(f"√({text})" if letter == "S" else text)
    return spreads


def _written(letter: str, group: list[float]) -> tuple[str, list[list[float]]]:
    """A potential of class weights written out."""
    total = math.fsum(group)
    terms = [[weight, total] for weight in group]
    shares = [f"{number(weight)}/{number(total)}" for weight in group]
    if letter == "H":
        return own_terms(group, total)
    if letter == "G":
        return "1 − " + " − ".join(f"({share})²" for share in shares), terms
    if letter == "R":
        return "½·(" + " + ".join(f"√({share}·(1−{share}))" for share in shares) + ")", terms
    return f"1 − max({', '.join(shares)})", terms
