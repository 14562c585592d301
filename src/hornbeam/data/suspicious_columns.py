"""Columns that mislead a tree, noticed before learning and named in one warning with what to do.

    identifiers        a different value in each row, or nearly so: gains all there is, and tells nothing
    dates as text      a category for each day, where before and after would be tests
    the target itself  a column that tells it alone, as `alive` does where `survived` is to be predicted

A column of k values in n rows explains a share of (k - 1) / (n - 1) of the target by chance. Above seven
tenths it is nearly an identifier. Above one third (of automatic trees a twentieth) it is one unless rows of
equal values have more similar targets than chance gives: the number of similar pairs is compared with its
mean and variance over all permutations of the target, which are known in closed form (Mantel 1967), so
nothing is drawn.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from hornbeam._base.types import AnyArray, Floats, Longs
from hornbeam.data.columns import Column
from hornbeam.data.date_text import date_format
from hornbeam.data.sparse import SparseArrays
from hornbeam.data.table import Table
from hornbeam.data.target import Target

FEWEST_DISTINCT = 4  # in a smaller table, values are different by chance
CERTAIN, LIKELY, POSSIBLE = 0.7, 1 / 3, 0.05  # shares that chance explains
FEWEST_NEARLY = {LIKELY: 20, POSSIBLE: 10}  # values from which on a column may tell no more than chance
SIGNIFICANT = 2.33  # standard deviations above the mean of all permutations: 1 % of them
FEWEST_TOLD = 30  # rows from which on a column is said to tell the target
ROWS_OF_A_VALUE = 5  # on average, where each value has one class
CORRELATED, IN_RANKS, NEARLY_CORRELATED = 0.999, 0.99, 0.98
SAMPLE = 300  # rows that are looked at first: most columns are acquitted by these
FEW = 40  # about so many of them are looked at before the others


class SuspiciousColumns(NamedTuple):
    """The names of columns that mislead a tree."""

    identifiers: list[str]
    near_identifiers: list[str]
    dates: list[str]
    telling: list[str]


def suspicious_columns(table: Table, target: Target, *, strict: bool = False) -> SuspiciousColumns:
    """The columns of a table that mislead a tree which learns this target.

    `strict`: columns are tested against chance where it explains a twentieth of the target, not only where
    it explains a third. Rows held out do not protect from such columns: they favour one tree by luck.

    >>> rows = range(40)
    >>> table = Table.learn({"name": [f"n{k}" for k in rows], "alive": [k % 2 > 0 for k in rows]})
    >>> suspicious_columns(table, Target.classes_of([k % 2 for k in rows]))
    SuspiciousColumns(identifiers=['name'], near_identifiers=[], dates=[], telling=['alive'])
    """
    names = SuspiciousColumns([], [], [], [])
    bound = POSSIBLE if strict else LIKELY
    live = None if target.weights is None and target.counts is None else np.flatnonzero(target.row_weight > 0)
    for j, column in enumerate(table.columns):
        if column.kind != "nominal" or len(column.categories) < FEWEST_DISTINCT:
            continue
        codes = table.arrays[j] if live is None else table.arrays[j][live]
        may_be_date = _is_date(column.categories[0])
        if not may_be_date and len(column.categories) <= bound * np.count_nonzero(codes >= 0):
            continue
        rows = np.flatnonzero(codes >= 0)
        used = np.flatnonzero(np.bincount(codes[rows]))
        if may_be_date and len(used) >= FEWEST_DISTINCT and date_format(column.categories[k] for k in used):
            names.dates.append(column.name)
            continue
        goal = target.take(rows if live is None else live[rows])
        n_rows = int(goal.copies.sum())
        if FEWEST_DISTINCT <= n_rows == len(used):
            names.identifiers.append(column.name)
        elif len(used) >= FEWEST_NEARLY[bound] and _tells_by_chance(
            codes[rows], len(used), n_rows, goal, bound
        ):
            names.near_identifiers.append(column.name)
    names.telling.extend(_telling_columns(table, target, live))
    return names


def warn_of_columns(columns: SuspiciousColumns, stacklevel: int, excluded: Sequence[str] = ()) -> str:
    """Warn of all of them at once, if there are any, and return what is said; "" if there are none.

    `excluded` are those left out already.
    """
    text = describe_columns(columns, excluded)
    if text:
        warnings.warn(text, UserWarning, stacklevel=stacklevel + 1)
    return text


def describe_columns(columns: SuspiciousColumns, excluded: Sequence[str] = ()) -> str:
    """What is wrong with the columns, and what to do.

    >>> describe_columns(SuspiciousColumns([], [], [], ["alive"]))
    "column 'alive' tells the target alone, perhaps because it was made from it; leave out what misleads: \
exclude=['alive']"
    """
    sentences = []
    for names, words in (
        (columns.identifiers, "a different value in each row, as an identifier has"),
        (columns.near_identifiers, "so many different values that what they tell is chance"),
    ):
        if names:
            sentences.append(f"{_listing(names)} {'has' if len(names) == 1 else 'have'} {words}")
    if sentences:
        sentences[-1] += ": a tree learns nothing from that"
    if columns.telling:
        verb, were = ("tells", "it was") if len(columns.telling) == 1 else ("tell", "they were")
        sentences.append(
            f"{_listing(columns.telling)} {verb} the target alone, perhaps because {were} made from it"
        )
    if columns.dates:
        verb, them = ("holds", "it") if len(columns.dates) == 1 else ("hold", "them")
        sentences.append(
            f"{_listing(columns.dates)} {verb} dates as text: parse_dates='auto' reads {them}, or"
            " pandas.to_datetime where the day stands between slashes"
        )
    doubtful = [*columns.identifiers, *columns.near_identifiers, *columns.telling]
    remaining = [name for name in doubtful if name not in excluded]
    if excluded:
        sentences.append(f"left out: {', '.join(map(repr, excluded))} (exclude=None keeps every column)")
    if remaining:
        sentences.append(f"leave out what misleads: exclude={remaining!r}")
    return "; ".join(sentences)


def _listing(names: Sequence[str]) -> str:
    return ("column " if len(names) == 1 else "columns ") + ", ".join(map(repr, names))


def _is_date(value: Any) -> bool:
    return isinstance(value, str) and value[:1].isdecimal() and date_format([value]) is not None


# Identifiers ----------------------------------------------------------------------------------------------


def _tells_by_chance(codes: AnyArray, n_values: int, n_rows: int, target: Target, bound: float) -> bool:
    """Whether a column of so many values tells no more than any such column would."""
    share = (n_values - 1) / (n_rows - 1)
    return share > CERTAIN or (share > bound and not _agree_within_values(codes, target))


def _agree_within_values(codes: AnyArray, target: Target) -> bool:
    """Whether rows of equal values have more similar targets than in 99 % of all permutations.

    The statistic is the sum over all pairs of rows of A (1 for equal values, else 0) times B (1 for equal
    classes; for numbers the product of their standard scores).
    """
    copies = target.copies.astype(np.float64)
    value = np.unique(codes, return_inverse=True)[1]
    n = float(copies.sum())
    size = np.bincount(value, copies)
    pairs = _Pairs(float((size * (size - 1)).sum()), float((size * (size - 1) ** 2).sum()))
    if target.codes is not None:
        group = np.unique(target.codes, return_inverse=True)[1]
        both = np.bincount(value * (int(group.max()) + 1) + group, copies)
        statistic = float((both * (both - 1)).sum())
        count = np.bincount(group, copies)
        similar = _Pairs(float((count * (count - 1)).sum()), float((count * (count - 1) ** 2).sum()))
    else:
        score = _standard_scores(target.values, copies)
        if score is None:
            return False
        statistic = float((np.bincount(value, copies * score) ** 2).sum() - n)
        fourth = float((copies * score**4).sum())
        similar = _Pairs(-n, fourth, n**2 - fourth)
    mean = pairs.total * similar.total / (n * (n - 1))
    square = 2 * pairs.squares * similar.squares / (n * (n - 1))
    square += (
        4 * (pairs.of_rows - pairs.squares) * (similar.of_rows - similar.squares) / (n * (n - 1) * (n - 2))
    )
    square += pairs.apart * similar.apart / (n * (n - 1) * (n - 2) * (n - 3))
    variance = square - mean**2
    return variance > 0 and statistic - mean > SIGNIFICANT * variance**0.5


class _Pairs:
    """Sums of a symmetric matrix of pairs: of its entries, of its squared row sums, of its squares."""

    def __init__(self, total: float, of_rows: float, squares: float | None = None) -> None:
        self.total, self.of_rows = total, of_rows
        self.squares = total if squares is None else squares  # entries of 0 and 1 are their own squares
        self.apart = total**2 - 4 * of_rows + 2 * self.squares  # pairs of entries without a row in common


def _standard_scores(values: AnyArray | None, copies: Floats | None = None) -> Floats | None:
    """Numbers with mean 0 and variance 1; None if they are all the same."""
    assert values is not None
    largest = float(np.abs(values).max(initial=0.0))
    scaled = values / largest if largest > 0 else values
    weights = np.ones(len(scaled)) if copies is None else copies
    total = weights.sum()
    scores = scaled - (weights * scaled).sum() / total
    spread = float((weights * scores**2).sum() / total) ** 0.5
    return scores / spread if spread > 0 else None


# The target in other words --------------------------------------------------------------------------------


def _telling_columns(table: Table, target: Target, live: Longs | None) -> list[str]:
    """The columns each of which tells the target alone, though there are others."""
    n_rows = target.n_rows if live is None else len(live)
    if n_rows < FEWEST_TOLD or len(table.columns) == 1:
        return []
    goal = target.codes if target.codes is not None else target.values
    goal = goal if target.times is None else target.times  # how long a row was observed
    assert goal is not None
    sample: Any = slice(None)
    if live is not None or n_rows > SAMPLE:
        sample = np.arange(min(n_rows, SAMPLE)) * n_rows // min(n_rows, SAMPLE)
        sample = sample if live is None else live[sample]
    if table.sparse is not None:
        places = _dense_enough(table.sparse, target, n_rows)
        columns = table.sparse.by_column[:, places].tocsr()[sample].toarray().T.astype(np.float64)
    else:
        places = np.arange(len(table.columns))
        columns = _sampled_columns(table, sample, min(n_rows, SAMPLE))
    by_value = np.array(
        [target.values is None or table.columns[j].kind == "nominal" for j in places.tolist()], dtype=bool
    )
    suspects = np.zeros(len(places), dtype=bool)
    for mine, suspect in ((by_value, _pure_in_sample), (~by_value, _correlated_in_sample)):
        if mine.any():
            suspects[mine] = suspect(columns[mine], goal[sample])
    names = []
    for j in places[suspects].tolist():
        values = table.arrays[j] if live is None else table.arrays[j][live]
        outcomes = goal if live is None else goal[live]
        known = ~np.isnan(values) if values.dtype.kind == "f" else values >= 0
        values, outcomes = values[known], outcomes[known]
        if len(values) >= FEWEST_TOLD and _tells(values, outcomes, table.columns[j], target):
            names.append(table.columns[j].name)
    return names


def _tells(values: AnyArray, outcomes: AnyArray, column: Column, target: Target) -> bool:
    """Whether each value has one outcome; of numbers for numbers, whether the two are as good as one."""
    if target.values is not None and column.kind != "nominal":
        together = _correlation(values, outcomes) > CORRELATED
        return together and _correlation(_ranks(values), _ranks(outcomes)) > IN_RANKS  # not by one outlier
    few = len(values) // 16
    if few > SAMPLE:  # a part of the rows shows sooner that a value has two outcomes
        equal, same = _neighbours(values[:few], outcomes[:few])
        if not same[equal].all():
            return False
    equal, same = _neighbours(values, outcomes)
    n_values = len(values) - int(equal.sum())
    return ROWS_OF_A_VALUE * n_values <= len(values) and bool(same[equal].all() and not same.all())


def _neighbours(values: AnyArray, outcomes: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Which rows, in the order of their values, have the value and which the outcome of the row before."""
    order = np.argsort(values, kind="stable")
    ordered, told = values[order], outcomes[order]
    return ordered[1:] == ordered[:-1], told[1:] == told[:-1]


def _dense_enough(arrays: SparseArrays, target: Target, n_rows: int) -> Longs:
    """The columns of a sparse matrix that could tell the target.

    All rows of a column that are zero would have one class, so the others are at least those of the other
    classes; for numbers, of which a few prove nothing, as many as the fewest rows that say anything.
    """
    least = FEWEST_TOLD
    if target.codes is not None:
        least = n_rows - int(np.bincount(target.codes).max())
    return np.flatnonzero(np.diff(arrays.by_column.indptr) >= least)


def _sampled_columns(table: Table, rows: Any, n_rows: int) -> Floats:
    """Some rows of all columns, a row of the result for each column, gaps as nan."""
    if table.dense is not None:
        dense: Floats = table.dense[rows].T.astype(np.float64, order="C")
        return dense
    columns = np.empty((len(table.columns), n_rows))
    for j, array in enumerate(table.arrays):
        columns[j] = array[rows]
    coded = [j for j, array in enumerate(table.arrays) if array.dtype.kind == "i"]
    if coded:
        codes = columns[coded]
        columns[coded] = np.where(codes < 0, np.nan, codes)
    return columns


def _pure_in_sample(columns: Floats, goal: AnyArray) -> AnyArray:
    """Which columns have equal values, and one outcome for each."""
    few = slice(None, None, max(1, len(goal) // FEW))
    remaining = np.flatnonzero(~_are_mixed(columns[:, few], goal[few])[0])
    mixed, repeated = _are_mixed(columns[remaining], goal)
    pure = np.zeros(len(columns), dtype=bool)
    pure[remaining] = repeated & ~mixed
    return pure


def _are_mixed(columns: Floats, goal: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Which columns have equal values with different outcomes, and which have equal values at all."""
    order = np.argsort(columns)
    ordered, outcomes = np.take_along_axis(columns, order, axis=1), goal[order]
    equal = ordered[:, 1:] == ordered[:, :-1]
    mixed: AnyArray = (equal & (outcomes[:, 1:] != outcomes[:, :-1])).any(axis=1)
    return mixed, equal.any(axis=1)


def _correlated_in_sample(columns: Floats, goal: AnyArray) -> AnyArray:
    """Which columns go with the target in the sample nearly as closely as it takes."""
    scores = _standard_scores(goal)
    if scores is None:
        return np.zeros(len(columns), dtype=bool)
    filled = np.ascontiguousarray(columns)
    known = ~np.isnan(filled)
    if not known.all():
        filled[~known] = 0.0
    filled /= np.maximum(np.abs(filled).max(axis=1), 1e-300)[:, None]
    filled -= (filled.sum(axis=1) / np.maximum(known.sum(axis=1), 1))[:, None]
    filled *= known
    size = (np.einsum("ij,ij->i", filled, filled) * (known @ scores**2)) ** 0.5
    close: AnyArray = np.abs(filled @ scores) > NEARLY_CORRELATED * np.maximum(size, 1e-300)
    return close


def _correlation(first: AnyArray, second: AnyArray) -> float:
    """The absolute correlation; 0 where one of the two is constant."""
    if len(first) < 3:
        return 0.0
    scores = [_standard_scores(np.asarray(values, dtype=np.float64)) for values in (first, second)]
    if scores[0] is None or scores[1] is None:
        return 0.0
    return abs(float(scores[0] @ scores[1])) / len(first)


def _ranks(values: AnyArray) -> Floats:
    """The place of each value among the distinct ones, equal values alike."""
    places: Floats = np.unique(values, return_inverse=True)[1].astype(np.float64)
    return places
