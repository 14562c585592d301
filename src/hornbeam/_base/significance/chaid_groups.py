"""CHAID: merge categories into groups, and adjust the p-value for the number of ways to do so (Kass 1980).

One idea: the p-value of the merged table is the best of many possible ones. Multiplying it by the number of
ways to merge c categories into r groups (Bonferroni) makes predictors of few and of many categories
comparable:

    nominal    sum over i < r of (-1)^i (r - i)^c / (i! (r - i)!)       all partitions
    ordinal    C(c - 1, r - 1)                                          runs of neighbours
    floating   C(c - 2, r - 2) + r C(c - 2, r - 1)                      runs, and one category anywhere
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hornbeam._base.parameters import check_choice, is_number, whole
from hornbeam._base.significance.category_merges import KINDS, MOST, Group, Merging
from hornbeam._base.significance.contingency import STATISTICS, ClassTest, p_text, table_of
from hornbeam._base.types import Floats


class Merge(NamedTuple):
    """Two groups that became one, by name, and p of the test of their difference."""

    left: str
    right: str
    p: float


@dataclass(frozen=True)
class ChaidMerge:
    """The groups of a predictor's categories; `str()` is the text for people.

    Attributes
    ----------
    merges : tuple of Merge
        What was joined, in order: `(left, right, p)`.
    resplits : tuple of Merge
        Groups that were parted again, into left and right; none unless asked for.
    groups : tuple of str
        The groups by name, `"a+b"`, in the order of their first categories.
    members : tuple of tuple of int
        The same by position in the table.
    table : array
        The counts of the groups.
    chi2, df, p, log_p
        The test of the merged table.
    multiplier : int
        The number of ways to merge so many categories into so many groups, exactly.
    adjusted_p, log_adjusted_p : float
        p x multiplier, at most 1; the logarithm is exact where p is too small for a double.

    Examples
    --------
    >>> merged = chaid_merge([[10, 30], [12, 28], [30, 10]], kind="ordinal")
    >>> merged.groups, merged.members, merged.multiplier
    (('0+1', '2'), ((0, 1), (2,)), 2)
    """

    merges: tuple[Merge, ...]
    resplits: tuple[Merge, ...]
    groups: tuple[str, ...]
    members: tuple[Group, ...]
    table: Floats = field(repr=False, compare=False)
    chi2: float
    df: int
    p: float
    log_p: float
    multiplier: int
    adjusted_p: float
    log_adjusted_p: float

    def __str__(self) -> str:
        lines = [f"merge {m.left} and {m.right}: p = {m.p:.6g}" for m in self.merges]
        lines += [f"part {m.left} from {m.right}: p = {m.p:.6g}" for m in self.resplits]
        lines.append(f"groups: {', '.join(self.groups)}")
        lines.append(f"X2 = {self.chi2:.6g}, df = {self.df}, p = {p_text(self.log_p)}")
        lines.append(f"adjusted p = {p_text(self.log_adjusted_p)} (x {self.multiplier})")
        return "\n".join(lines)


def chaid_merge(
    table: Mapping[Any, Sequence[float]] | npt.ArrayLike,
    alpha_merge: float = 0.05,
    kind: str = "nominal",
    *,
    categories: Sequence[Any] | None = None,
    alpha_resplit: float | None = None,
    statistic: str = "pearson",
) -> ChaidMerge:
    """Merge the categories of a predictor that do not differ, and test what is left.

    The pair of groups with the largest p of its 2 x classes test is joined while that p is above
    `alpha_merge`. Categories without a count take no part.

    Parameters
    ----------
    table : counts, one row per category and one column per class; or a dict from category to its counts
    alpha_merge : groups that differ with a larger p are joined
    kind : "nominal" (any two groups may be joined), "ordinal" (neighbours only), or "floating" (ordinal, but
        the last category, missing values say, may join any group)
    categories : names of the rows, if the table is no dict; otherwise 0, 1, ...
    alpha_resplit : if given, a group of three or more categories is parted again where its best half differs
        with p of at most this (Kass's step 3); at most `alpha_merge`
    statistic : "pearson" or "likelihood-ratio"

    Examples
    --------
    >>> merged = chaid_merge({"a": [20, 30], "b": [22, 28], "c": [40, 10], "d": [5, 45]})
    >>> print(merged)
    merge a and b: p = 0.685315
    groups: a+b, c, d
    X2 = 50.0254, df = 2, p = 1.37125e-11
    adjusted p = 8.22749e-11 (x 6)
    """
    names, counts = _named(table, categories)
    check_level("alpha_merge", alpha_merge)
    resplit = None
    if alpha_resplit is not None:
        check_level("alpha_resplit", alpha_resplit)
        resplit = log_level(alpha_resplit)
        if alpha_resplit > alpha_merge:
            raise ValueError(
                f"alpha_resplit={alpha_resplit!r} must be at most alpha_merge={alpha_merge!r}: what is parted"
                " again would be merged again"
            )
    check_choice("kind", kind, KINDS)
    check_choice("statistic", statistic, STATISTICS)
    used = np.flatnonzero(counts.sum(axis=1) > 0)
    if kind == "floating" and (not len(used) or used[-1] != len(counts) - 1):
        kind = "ordinal"  # nothing floats
    if not len(used):
        raise ValueError("table has no counts: give a table of which at least one number is positive")
    test = ClassTest(statistic)
    lanes = np.column_stack([counts[used], counts[used].sum(axis=1)])
    merging = Merging(lanes, kind, test, log_level(alpha_merge), resplit)
    if len(merging.groups) > MOST:
        raise ValueError(f"table has {len(merging.groups)} categories of different shares: at most {MOST}")
    done = merging.run()
    members = tuple(tuple(used[list(group)].tolist()) for group in done.groups)
    merged = np.array([counts[list(group)].sum(axis=0) for group in members])
    outcome = test(np.column_stack([merged, merged.sum(axis=1)]))
    log_p, multiplier = float(outcome.log_p), chaid_multiplier(len(used), len(members), kind)
    log_adjusted = adjusted(log_p, multiplier)

    def name(group: Group) -> str:
        return "+".join(names[used[k]] for k in group)

    steps = [(s.joined, Merge(name(s.left), name(s.right), math.exp(s.log_p))) for s in done.steps]
    return ChaidMerge(
        merges=tuple(merge for joined, merge in steps if joined),
        resplits=tuple(merge for joined, merge in steps if not joined),
        groups=tuple("+".join(names[k] for k in group) for group in members),
        members=members,
        table=merged,
        chi2=float(outcome.statistic),
        df=int(outcome.df),
        p=math.exp(log_p),
        log_p=log_p,
        multiplier=multiplier,
        adjusted_p=math.exp(log_adjusted),
        log_adjusted_p=log_adjusted,
    )


def chaid_multiplier(c: int, r: int, kind: str = "nominal") -> int:
    """The number of ways to merge `c` categories into `r` groups, exactly.

    Parameters
    ----------
    c, r : categories and groups, 1 <= r <= c
    kind : "nominal" (free), "ordinal" (monotonic), or "floating" (ordinal with one floating category among c)

    Examples
    --------
    >>> [chaid_multiplier(5, 3, kind) for kind in ("nominal", "ordinal", "floating")]
    [25, 6, 12]
    """
    c, r = whole(c, "c", 1), whole(r, "r", 1)
    if r > c:
        raise ValueError(f"r={r!r} must be at most c={c!r}: there are no more groups than categories")
    check_choice("kind", kind, KINDS)
    if kind == "nominal":
        signed: int = sum((-1) ** i * math.comb(r, i) * (r - i) ** c for i in range(r))
        return signed // math.factorial(r)
    if kind == "ordinal":
        return math.comb(c - 1, r - 1)
    return 1 if r == 1 else math.comb(c - 2, r - 2) + r * math.comb(c - 2, r - 1)


def adjusted(log_p: float, multiplier: int) -> float:
    """Log of p x multiplier, at most 0; the multiplier may be larger than any double.

    >>> adjusted(-10.0, 1), adjusted(-1.0, 10**400)
    (-10.0, 0.0)
    """
    return min(log_p + math.log(multiplier), 0.0)


def _named(table: Any, categories: Sequence[Any] | None) -> tuple[list[str], Floats]:
    if isinstance(table, Mapping):
        if categories is not None:
            raise ValueError("categories names the rows of an array, but table is a dict, which names them")
        categories, table = list(table), list(table.values())
    counts = table_of("table", table)
    names = [str(k) for k in range(len(counts))] if categories is None else [str(c) for c in categories]
    if len(names) != len(counts):
        raise ValueError(f"categories has {len(names)} names for the {len(counts)} rows of table")
    return names, counts


def check_level(name: str, value: Any) -> None:
    """Raise unless `value` is a level of significance from 0 to 1."""
    if not is_number(value) or not 0 <= float(value) <= 1:
        raise ValueError(f"{name}={value!r} must be a number from 0 to 1, such as 0.05")


def log_level(level: float) -> float:
    """The logarithm of a level of significance, which may be 0."""
    return math.log(level) if level > 0 else -math.inf
