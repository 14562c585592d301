"""The tests that a table allows, with the Stats of their branches.

A bucket is a set of rows that one column cannot tell apart, with the Stats of their targets. A test says
which branch each bucket goes to, so the rows are read once, and all tests of a column follow from the Stats
of its buckets; a predicate, or a set of columns, is one more column whose buckets are its branches::

    rows      M n   S n   L y   M y   M y   S n   gap n   L n
    bucket      S       M       L      gaps
    Stats     [2 0]   [1 2]   [1 1]   [1 0]
    size<=S   first   second  second           Stats of the branches  [2 0] [2 3]
    size<=M   first   first   second                                  [3 2] [1 1]
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from hornbeam._base.types import AnyArray, Bools, Floats, Longs
from hornbeam.data.columns import Column
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.growing.part import Part
from hornbeam.growing.splits import ColumnSets, Predicates
from hornbeam.tree.words import threshold_text

_MOST_VALUES = 12  # of more values there are too many value sets to list


@dataclass(frozen=True)
class Buckets:
    """The values of a column that some row has, ascending; the Stats of their rows, and of the gaps."""

    values: Floats
    stats: Floats
    gaps: Floats | None
    mixed: Bools  # for each pair of neighbouring values: whether their rows have different targets

    @property
    def below(self) -> Floats:
        """Stats of the rows up to each value."""
        return np.cumsum(self.stats, axis=0)

    @property
    def above(self) -> Floats:
        """Stats of the rows from each value; summed, not subtracted, so that nothing is left of a zero."""
        return np.cumsum(self.stats[::-1], axis=0)[::-1]


class Tally:
    """The target of the rows that weigh something, ready to be added up.

    >>> from hornbeam.data.target import Target
    >>> tally = Tally(Target.classes_of(["n", "n", "y", "n"]))
    >>> tally.buckets(np.array([1.0, 1.0, 2.0, np.nan])).stats
    array([[2., 0.],
           [0., 1.]])
    """

    def __init__(self, target: Target) -> None:
        weight = target.row_weight
        self.rows = np.flatnonzero(weight > 0)
        self.weight: Floats = weight[self.rows]
        self.is_real = target.task.is_real
        given = target.values if self.is_real else target.codes
        assert given is not None
        outcome = given[self.rows]
        self.width = 3 if self.is_real else len(target.classes)
        self.center = float(np.average(outcome, weights=self.weight)) if self.is_real else 0.0
        self.deviation = outcome.astype(np.float64) - self.center
        self.outcome: Longs = outcome.astype(np.int64)
        if self.is_real:
            self.outcome = np.unique(outcome, return_inverse=True)[1].reshape(-1)

    def buckets(self, array: AnyArray) -> Buckets:
        """Part the rows by their values in one column."""
        x = array[self.rows]
        known = ~np.isnan(x) if x.dtype.kind == "f" else x >= 0
        values, place = np.unique(x[known].astype(np.float64), return_inverse=True)
        bucket = np.full(len(x), len(values), dtype=np.int64)
        bucket[known] = place.reshape(-1)
        stats = self._tally(bucket, len(values) + 1)
        return Buckets(
            values, stats[:-1], None if known.all() else stats[-1], self._mixed(bucket, len(values))
        )

    def _tally(self, bucket: Longs, n_buckets: int) -> Floats:
        if not self.is_real:
            cells = bucket * self.width + self.outcome
            return _sums(cells, self.weight, n_buckets * self.width).reshape(n_buckets, self.width)
        moments = (self.weight, self.weight * self.deviation, self.weight * self.deviation**2)
        return np.stack([_sums(bucket, moment, n_buckets) for moment in moments], axis=1)

    def _mixed(self, bucket: Longs, n_values: int) -> Bools:
        low = np.full(n_values + 1, np.iinfo(np.int64).max)
        high = np.full(n_values + 1, -1)
        np.minimum.at(low, bucket, self.outcome)
        np.maximum.at(high, bucket, self.outcome)
        low, high = low[:n_values], high[:n_values]
        mixed: Bools = np.minimum(low[:-1], low[1:]) != np.maximum(high[:-1], high[1:])
        return mixed

    def weights(self, stats: Floats) -> Floats:
        """The weight of each of the Stats."""
        return stats[..., 0] if self.is_real else stats.sum(axis=-1)

    def shown(self, stats: Floats) -> Floats:
        """Stats of y itself rather than of its deviation from the mean."""
        if not self.is_real:
            return stats
        w, s, q = np.moveaxis(stats, -1, 0)
        return np.stack([w, s + w * self.center, q + 2 * s * self.center + w * self.center**2], axis=-1)


def _sums(place: Longs, weights: Floats, n: int) -> Floats:
    return np.bincount(place, weights=weights, minlength=n).astype(np.float64, copy=False)


class Name(NamedTuple):
    """How a test is called."""

    test: str
    answers: tuple[str, ...]
    threshold: float | None = None
    values: tuple[Any, ...] = ()
    boundary: bool = True


Tests = tuple[Floats, list[Name]]  # Stats by test and branch, without the branch of gaps; the tests' names


def _thresholds(column: Column, b: Buckets) -> Tests:
    if len(b.values) == 1:
        name = Name(f"{column.name} is not missing", ("not missing",), math.inf, column.categories)
        return b.stats[None], [name]
    low, high = b.values[:-1], b.values[1:]
    cuts = _midpoints(low, high) if column.kind == "numeric" else low + 0.5
    names = []
    for cut, mixed in zip(cuts.tolist(), b.mixed.tolist(), strict=True):
        text = threshold_text(column, cut)
        values = () if column.kind == "numeric" else column.categories[: math.ceil(cut)]
        names.append(Name(f"{column.name}<={text}", (f"<={text}", f">{text}"), cut, values, mixed))
    return np.stack([b.below[:-1], b.above[1:]], axis=1), names


def _midpoints(low: Floats, high: Floats) -> Floats:
    """Halfway between neighbours: safe from overflow, and always below the upper one."""
    with np.errstate(over="ignore"):
        width = high - low
    middle = np.where(np.isfinite(width), low + width / 2, low / 2 + high / 2)
    return np.where(middle >= high, low, middle)


def _equals(column: Column, b: Buckets) -> Tests:
    texts = [(column.text(code), column.categories[int(code)]) for code in b.values.tolist()]
    if len(texts) == 1:
        return b.stats[None], [Name(f"{column.name}={texts[0][0]}", ("yes",), None, texts[0][1:])]
    names = [Name(f"{column.name}={text}", ("yes", "no"), None, (value,)) for text, value in texts]
    others = np.zeros_like(b.stats)
    others[1:] += b.below[:-1]
    others[:-1] += b.above[1:]
    return np.stack([b.stats, others], axis=1), names


def _subsets(column: Column, b: Buckets) -> Tests:
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
        names.append(Name(f"{column.name} in {answers[0]}", answers, None, values))
    sides = np.stack([in_first @ b.stats, (1.0 - in_first) @ b.stats], axis=1)
    return sides[:, : min(n, 2)], names


def _multiway(column: Column, b: Buckets) -> Tests:
    stats = np.zeros((1, len(column.categories), b.stats.shape[1]))
    stats[0, b.values.astype(np.int64)] = b.stats
    answers = tuple(column.text(code) for code in range(len(column.categories)))
    return stats, [Name(column.name, answers, None, column.categories[:1])]


TESTS_OF: Mapping[str, Callable[[Column, Buckets], Tests]] = {
    "threshold": _thresholds,
    "subset": _subsets,
    "equals": _equals,
    "multiway": _multiway,
}


# ---- tests that are no tests of one column -----------------------------------------------------------------


class Special(NamedTuple):
    """A predicate or a set of columns: what it looks at, its kind, and its branches as buckets."""

    columns: tuple[str, ...]
    kind: str
    buckets: Buckets
    name: Name


def _predicates(part: Predicates, table: Table, tally: Tally) -> Iterator[Special]:
    for expression in part.tests(table.columns):
        true, missing = expression.evaluate(table.columns, table.arrays)
        buckets = tally.buckets(np.where(missing, -1, ~true))
        answers = tuple(("yes", "no")[int(branch)] for branch in buckets.values.tolist())
        names = tuple(table.columns[k].name for k in expression.columns_in(table.columns))
        yield Special(names, "expression", buckets, Name(str(expression.text), answers))


def _column_sets(part: ColumnSets, table: Table, tally: Tally) -> Iterator[Special]:
    for some in part.sets_in(table.columns, table.arrays):
        columns = [table.columns[k] for k in some]
        values = np.stack([_numbers(table.arrays[k]) for k in some], axis=1)
        tuples, place = np.unique(values, axis=0, return_inverse=True)
        place = np.where(np.isnan(values).any(axis=1), -1, place.reshape(-1))
        buckets = tally.buckets(place)
        if len(buckets.values) > part.max_branches:
            continue
        present = tuples[buckets.values.astype(np.int64)].tolist()
        answers = tuple(
            "(" + ",".join(c.text(v) for c, v in zip(columns, entry, strict=True)) + ")" for entry in present
        )
        first = tuple(_value(c, v) for c, v in zip(columns, present[0], strict=True)) if present else ()
        names = tuple(column.name for column in columns)
        yield Special(names, "columns", buckets, Name(f"({','.join(names)})", answers, None, first))


def _numbers(array: Any) -> Floats:
    """Values or codes as doubles, missing as NaN."""
    return array.astype(np.float64) if array.dtype.kind == "f" else np.where(array < 0, np.nan, array)


def _value(column: Column, value: float) -> Any:
    return value if column.kind == "numeric" else column.categories[int(value)]


SPECIAL_OF: Mapping[type[Part], Callable[[Any, Table, Tally], Iterator[Special]]] = {
    Predicates: _predicates,
    ColumnSets: _column_sets,
}
