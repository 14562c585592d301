"""Candidates: every test that could split a table, with what it gains.

One idea: a test says which branch each bucket goes to, so all tests of a column are judged from the Stats of
its buckets::

    bucket      S       M       L      gaps
    Stats     [2 0]   [1 2]   [1 1]   [1 0]
    size<=S   first   second  second  Missing       Stats of the branches  [2 0] [2 3] [1 0]
    size<=M   first   first   second  Missing                              [3 2] [1 1] [1 0]
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from hornbeam.answering import impurities
from hornbeam.arrays import Floats
from hornbeam.buckets import Buckets, Tally
from hornbeam.columns import Column
from hornbeam.criteria import ALIASES, CRITERIA, Criterion
from hornbeam.parts import resolve
from hornbeam.splitting import SPLITTING, Splitting
from hornbeam.table import Table
from hornbeam.target import Target
from hornbeam.wording import amount, threshold_text

__all__ = ["Candidate", "candidates"]

_MOST_VALUES = 12  # of more values there are too many value sets to list
_TRIVIAL_INFORMATION = 1e-9  # a split of less information has no gain ratio


@dataclass(frozen=True)
class Candidate:
    """One possible test of one column, and how well it parts the target.

    Attributes
    ----------
    column : str
    kind : {"threshold", "subset", "equals", "multiway"}
    test : str
        The test in words: `age<=29.5`, `size<=M`, `body=square`, `body in {circle,square}`, or for a multiway
        test only the column, `body`.
    threshold : float or None
        Where a numeric column is cut, or the codes of an ordinal one; None for other tests. A column of one
        value and gaps is cut at infinity: the value against the gaps.
    values : tuple
        The categories of the first branch; empty for a numeric column.
    answers : tuple of str
        What leads to each branch: `<=29.5` and `>29.5`, `yes` and `no`, or the values.
    stats : tuple of tuples of float
        For each branch the weight of every class, in class order; for a real target (weight, sum of y, sum
        of y^2).
    gain : float
        How much the test lowers the impurity.
    split_information : float
        The entropy of the branches' shares, in bits.
    gain_ratio : float
        The gain over the split information.
    score : float
        What the criterion ranks the test by: the gain ratio for "gain-ratio", else the gain.
    boundary : bool
        Whether the test is worth trying: False for a cut between two neighbouring values whose rows all have
        the same target, which is never the best one (Fayyad & Irani 1992); True for tests that are no cuts.
    """

    column: str
    kind: str
    test: str
    threshold: float | None
    values: tuple[Any, ...]
    answers: tuple[str, ...]
    stats: tuple[tuple[float, ...], ...]
    gain: float
    split_information: float
    gain_ratio: float
    score: float
    boundary: bool

    def __str__(self) -> str:
        return f"{self.test}  gain {amount(self.gain)}  gain ratio {amount(self.gain_ratio)}"


def candidates(
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    criterion: Any = "entropy",
    split: Any = "binary",
    counts: Any = None,
    categorical_features: Any = "from_dtype",
    columns: str | Sequence[str] | None = None,
) -> list[Candidate]:
    """Every test that could split a table, with its gain, in the order in which ties are settled.

    The order is: columns as in X; cuts from the lowest to the highest; values in domain order; value sets
    (the side with the first value) from the smallest, then lexicographic. Every cut between two neighbouring
    values is listed, and every value set, for columns of up to 12 values. Tests that leave all rows in one
    branch are not.

    Rows whose value is missing are a branch of their own, named `Missing`, which counts in the gain and in
    the split information as any other branch: the rule of `missing="branch"`.

    Parameters
    ----------
    X : a pandas, polars or pyarrow table, a numpy array, a dict of columns or a list of dicts
    y : the target of each row
    sample_weight, counts : weight and number of repetitions of each row
    criterion : "entropy", "gini", "gain-ratio", "root", "error"; "variance" or "sd" for a real target
    split : "binary", "multiway", "one-vs-rest", or a part of `hornbeam.splitting`
        How nominal columns are split; numeric and ordinal ones are cut at a threshold.
    categorical_features : "from_dtype", or the nominal columns: names, positions, a mask
    columns : str, list of str or None
        Only the tests of these columns; None for all.

    Returns
    -------
    list of Candidate

    Examples
    --------
    >>> import hornbeam as hb
    >>> cold = hb.datasets.load("temperature")
    >>> for found in hb.candidates(cold.X, cold.y):
    ...     if found.boundary:
    ...         print(found)
    Temperature<=-5.5  gain 0.3113  gain ratio 0.3837
    Temperature<=29  gain 0.3113  gain ratio 0.3837
    >>> robots = hb.datasets.load("robots")
    >>> best = max(hb.candidates(robots.X, robots.y, split="multiway"), key=lambda found: found.gain)
    >>> best.test, dict(zip(best.answers, best.stats))
    ('body', {'circle': (2.0, 1.0), 'square': (0.0, 3.0), 'triangle': (2.0, 0.0)})
    """
    given = ALIASES.get(criterion, criterion) if isinstance(criterion, str) else criterion
    judge = resolve("criterion", given, CRITERIA, Criterion)
    splitting = resolve("split", split, SPLITTING, Splitting)
    table = Table.learn(X, categorical_features)
    chosen = _chosen(columns, table)
    read = Target.classes_of if judge.task == "classes" else Target.real_of
    tally = Tally(read(y, sample_weight, counts, n_rows=table.n_rows, estimator="function"))
    found = []
    for column, array in zip(table.columns, table.arrays, strict=True):
        if column.name in chosen:
            found += _of_column(column, splitting.kind(column), tally.buckets(array), tally, judge)
    return found


def _chosen(columns: str | Sequence[str] | None, table: Table) -> set[str]:
    names = [column.name for column in table.columns]
    wanted = names if columns is None else [columns] if isinstance(columns, str) else list(columns)
    for name in wanted:
        if name not in names:
            close = difflib.get_close_matches(str(name), names, n=1)
            hint = f" (did you mean {close[0]!r}?)" if close else ""
            raise ValueError(
                f"columns names {name!r}, which X does not have{hint}; its columns are {', '.join(names)}"
            )
    return set(wanted)


# ---- the tests of one column: a function per kind --------------------------------------------------------


class _Name(NamedTuple):
    """How a test is called."""

    test: str
    answers: tuple[str, ...]
    threshold: float | None = None
    values: tuple[Any, ...] = ()
    boundary: bool = True


_Tests = tuple[Floats, list[_Name]]  # Stats by test and branch, without the branch of gaps; the tests' names


def _thresholds(column: Column, b: Buckets) -> _Tests:
    if len(b.values) == 1:
        name = _Name(f"{column.name} is not missing", ("not missing",), math.inf, column.categories)
        return b.stats[None], [name]
    low, high = b.values[:-1], b.values[1:]
    cuts = _midpoints(low, high) if column.kind == "numeric" else low + 0.5
    names = []
    for cut, mixed in zip(cuts.tolist(), b.mixed.tolist(), strict=True):
        text = threshold_text(column, cut)
        values = () if column.kind == "numeric" else column.categories[: math.ceil(cut)]
        names.append(_Name(f"{column.name}<={text}", (f"<={text}", f">{text}"), cut, values, mixed))
    return np.stack([b.below[:-1], b.above[1:]], axis=1), names


def _midpoints(low: Floats, high: Floats) -> Floats:
    """Halfway between neighbours: safe from overflow, and always below the upper one."""
    with np.errstate(over="ignore"):
        width = high - low
    middle = np.where(np.isfinite(width), low + width / 2, low / 2 + high / 2)
    return np.where(middle >= high, low, middle)


def _equals(column: Column, b: Buckets) -> _Tests:
    texts = [(column.text(code), column.categories[int(code)]) for code in b.values.tolist()]
    if len(texts) == 1:
        return b.stats[None], [_Name(f"{column.name}={texts[0][0]}", ("yes",), None, texts[0][1:])]
    names = [_Name(f"{column.name}={text}", ("yes", "no"), None, (value,)) for text, value in texts]
    others = np.zeros_like(b.stats)
    others[1:] += b.below[:-1]
    others[:-1] += b.above[1:]
    return np.stack([b.stats, others], axis=1), names


def _subsets(column: Column, b: Buckets) -> _Tests:
    n = len(b.values)
    if n > _MOST_VALUES:
        raise ValueError(
            f"column {column.name!r} has {n} values, but value sets are listed for up to {_MOST_VALUES}: use"
            " split='one-vs-rest' or split='multiway', or leave the column out with `columns`"
        )
    codes = b.values.astype(np.int64).tolist()
    sets = [(0, *more) for size in range(max(n - 1, 1)) for more in combinations(range(1, n), size)]
    in_first = np.zeros((len(sets), n))
    names = []
    for test, members in enumerate(sets):
        in_first[test, members] = 1.0
        first = [codes[i] for i in members]
        rest = [code for code in codes if code not in first]
        answers = tuple("{" + ",".join(map(column.text, side)) + "}" for side in (first, rest) if side)
        values = tuple(column.categories[code] for code in first)
        names.append(_Name(f"{column.name} in {answers[0]}", answers, None, values))
    sides = np.stack([in_first @ b.stats, (1.0 - in_first) @ b.stats], axis=1)
    return sides[:, : min(n, 2)], names


def _multiway(column: Column, b: Buckets) -> _Tests:
    stats = np.zeros((1, len(column.categories), b.stats.shape[1]))
    stats[0, b.values.astype(np.int64)] = b.stats
    answers = tuple(column.text(code) for code in range(len(column.categories)))
    return stats, [_Name(column.name, answers, None, column.categories[:1])]


_TESTS_OF: Mapping[str, Callable[[Column, Buckets], _Tests]] = {
    "threshold": _thresholds,
    "subset": _subsets,
    "equals": _equals,
    "multiway": _multiway,
}


def _of_column(column: Column, kind: str, b: Buckets, tally: Tally, judge: Criterion) -> list[Candidate]:
    if len(b.values) + (b.gaps is not None) < 2 or not len(b.values):
        return []
    stats, names = _TESTS_OF[kind](column, b)
    missing: tuple[str, ...] = ()
    if b.gaps is not None:
        gaps = np.broadcast_to(b.gaps, (len(stats), 1, stats.shape[2]))
        stats, missing = np.concatenate([stats, gaps], axis=1), ("Missing",)
    gain, information = _judged(stats, tally, judge)
    has_ratio = information > _TRIVIAL_INFORMATION
    ratio = np.divide(gain, information, out=np.zeros_like(gain), where=has_ratio)
    by_ratio = judge.name == "gain-ratio"
    score = ratio if by_ratio else gain
    shown = tally.shown(stats)
    return [
        Candidate(
            column.name,
            kind,
            name.test,
            name.threshold,
            name.values,
            name.answers + missing,
            tuple(map(tuple, shown[k].tolist())),
            float(gain[k]),
            float(information[k]),
            float(ratio[k]),
            float(score[k]),
            name.boundary,
        )
        for k, name in enumerate(names)
        if has_ratio[k] or not by_ratio
    ]


def _judged(stats: Floats, tally: Tally, judge: Criterion) -> tuple[Floats, Floats]:
    """Gain and split information of tests, from the Stats of their branches."""
    n_tests, n_branches, width = stats.shape
    weights = tally.weights(stats)
    impurity = impurities(stats.reshape(-1, width), judge.task, judge.name).reshape(n_tests, n_branches)
    before = impurities(stats[:1].sum(axis=1), judge.task, judge.name)
    after = (weights * impurity).sum(axis=1) / weights[0].sum()
    return np.maximum(before - after, 0.0), impurities(weights, "classes", "entropy")
