"""Which rows, and how many of each class, are held out: in the folds of a cross-validation, or once.

Rows are dealt to the folds class by class and in the order of a hash of what they hold, so that every fold
has its share of every class and neither the order of the rows nor rows of weight 0 ever change a tree. Nor do
the names and the order of the classes: they come in the order of how many rows they have. To hold out a share
of the rows once, every so many-th unit along these hashes is held out, class by class::

    units of one class     a a a | b | c | d d | e       equal rows are one group of several units
    held out (share 0.3)     x             x             round(0.3 k) of the first k units

A unit is a repetition of a row. Weights count as such if all are whole numbers: a row of weight 2 is as good
as two rows, and may stand in both parts. With other weights a row is one unit.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from hornbeam._base.parameters import is_whole
from hornbeam._base.types import Longs
from hornbeam.data.columns import Column
from hornbeam.data.table import Table
from hornbeam.data.target import Rows, Target


@dataclass(frozen=True)
class Folds:
    """How often each row is held out in each fold: `held[i]` of its repetitions are in fold `fold[i]`.

    Attributes
    ----------
    row, fold, held : one entry for each row and fold that holds some of its repetitions
    n_folds : int
    never : rows that are never held out, but always learned from; None: none
    """

    row: Longs
    fold: Longs
    held: Longs
    n_folds: int
    never: Longs | None = None

    def parts(self, table: Table, target: Target) -> Iterator[tuple[Rows, Rows]]:
        """For each fold the rows to learn from and those held out."""
        dealt = np.where(np.bincount(self.row, minlength=table.n_rows) > 0, target.copies, 0)
        if self.never is not None:
            dealt[self.never] = target.copies[self.never]
        for k in range(self.n_folds):
            here = self.fold == k
            copies = np.zeros(table.n_rows, dtype=np.int64)
            copies[self.row[here]] = self.held[here]
            rest = dealt - copies
            yield _part(table, target, rest, target.copies), _part(table, target, copies, target.copies)


def folds_of(table: Table, target: Target, cv: Any, seed: int = 0) -> Folds:
    """Folds of about equal size, every class dealt to them evenly; the same for any order of the rows.

    A row with a count is dealt as so many rows; rows of weight 0 are in no fold.

    Parameters
    ----------
    cv : int, array, or Folds
        The number of folds, or the fold of each row; folds that are made already stay as they are.
    seed : int

    Examples
    --------
    >>> table = Table.learn({"x": [1, 2, 3, 4, 5, 6]})
    >>> folds = folds_of(table, Target.classes_of(list("aaabbb")), 3)
    >>> np.bincount(folds.fold)
    array([2, 2, 2])
    """
    if isinstance(cv, Folds):
        return cv
    copies = np.where(target.row_weight > 0, target.copies, 0)
    if not is_whole(cv):
        return _given_folds(cv, copies)
    total = int(copies.sum())
    if not 2 <= cv <= total:
        raise ValueError(
            f"cv={cv!r} must be a number of folds from 2 to the number of rows, {total}; or an array with the"
            " fold of each row"
        )
    values = value_numbers(table, seed)
    number = _with_outcome(values, target)
    order = np.lexsort((number,) if target.weights is None else (target.weights, number))
    if target.codes is not None:
        few = len(target.classes) < 2**15  # numpy sorts numbers of two bytes without comparing them
        place = _places(values, target)[target.codes[order]].astype(np.int16 if few else np.int32)
        order = order[np.argsort(place, kind="stable")]
    n = int(cv)
    order = order[copies[order] > 0]
    start = np.cumsum(copies[order]) - copies[order]
    each = np.minimum(copies[order], n)  # in how many folds a row has copies
    row = np.repeat(order, each)
    step = np.arange(len(row)) - np.repeat(np.cumsum(each) - each, each)
    fold = (np.repeat(start, each) + step) % n
    held = (np.repeat(copies[order], each) - step + n - 1) // n
    return Folds(row, fold, held, n)


def folds_of_groups(groups: Longs, target: Target, n_folds: int) -> Folds:
    """Folds of rows that belong together, by the number of their group; rows of group -1 are never held out.

    >>> folds = folds_of_groups(np.array([0, 0, 1, 2, -1]), Target.classes_of(list("abaab")), 2)
    >>> folds.row, folds.fold, folds.never
    (array([0, 1, 2, 3]), array([0, 0, 1, 0]), array([4]))
    """
    copies = np.where(target.row_weight > 0, target.copies, 0)
    row = np.flatnonzero((copies > 0) & (groups >= 0))
    order = np.unique(groups[row], return_inverse=True)[1].reshape(-1)
    n = min(n_folds, int(order.max()) + 1)
    return Folds(row, order % n, copies[row], n, np.flatnonzero((copies > 0) & (groups < 0)))


def _given_folds(cv: Any, copies: Longs) -> Folds:
    try:
        fold_of_row = np.asarray(cv)
        sound = fold_of_row.shape == copies.shape and fold_of_row.dtype.kind in "iubUO"
    except ValueError:
        sound = False
    if not sound:
        raise ValueError(
            f"cv={cv!r} must be a number of folds, or an array with the fold of each of {len(copies)} rows"
        )
    rows = np.flatnonzero(copies > 0)
    names, fold = np.unique(fold_of_row[rows], return_inverse=True)
    if len(names) < 2:
        raise ValueError(f"cv puts all rows into fold {names[0]!r}: there must be at least two folds")
    return Folds(rows, fold.reshape(-1).astype(np.int64), copies[rows], len(names))


Hashes = npt.NDArray[np.uint64]


def split_rows(table: Table, target: Target, share: float, seed: int) -> tuple[Rows, Rows] | None:
    """(rows to grow on, rows held out); None if nothing can be held out, every class having one row.

    Of each class, `share` of the units is held out, up to rounding, and at least one stays; a real target is
    one class. Rows of weight 0 are in neither part.

    >>> table, target = Table.learn({"x": [1, 2, 3, 4, 5, 6]}), Target.classes_of(list("ababab"))
    >>> grown, held = split_rows(table, target, 0.3, seed=0)
    >>> grown.table.arrays[0], held.table.arrays[0]
    (array([3., 4., 5., 6.]), array([1., 2.]))
    """
    units = row_units(target)
    rows = np.flatnonzero(units > 0)
    codes = np.zeros(len(units), np.int64) if target.codes is None else target.codes.astype(np.int64)
    order = rows[np.lexsort((target.row_weight[rows], row_numbers(table, target, seed)[rows], codes[rows]))]
    held = np.zeros(len(units), dtype=np.int64)
    held[order] = _held(codes[order], units[order], share)
    if not held.any():
        return None
    return _part(table, target, units - held, units), _part(table, target, held, units)


def row_units(target: Target) -> Longs:
    """How many units each row is; 0 if it takes no part. The weights of classes are left out of account.

    >>> row_units(Target.real_of([1, 2, 3], sample_weight=[0, 1, 3])).tolist()
    [0, 1, 3]
    >>> row_units(Target.real_of([1, 2, 3], sample_weight=[0, 1.5, 3])).tolist()
    [0, 1, 1]
    """
    some = target.row_weight > 0
    if target.counts is not None or target.weights is None:
        return np.where(some, target.copies, 0)
    own = target.weights[some]
    if target.class_weights is not None and target.codes is not None:
        own = own / target.class_weights[target.codes[some]]
    whole = np.rint(own)
    units = np.zeros(target.n_rows, dtype=np.int64)
    are_whole = bool((np.abs(own - whole) <= 1e-12 * own).all()) and float(own.sum()) < 2.0**53
    units[some] = whole.astype(np.int64) if are_whole else 1
    return units


def _held(stratum: Longs, units: Longs, share: float) -> Longs:
    """How many units of each row are held out; rows of a stratum are together, in the order of numbers."""
    first = np.flatnonzero(np.diff(stratum, prepend=-1))
    after = np.cumsum(units)
    start = np.repeat((after - units)[first], np.diff(np.append(first, len(units))))
    upto = np.floor(share * (after - start) + 0.5)
    held: Longs = np.diff(upto, prepend=0.0).astype(np.int64)
    held[first] = upto[first].astype(np.int64)
    last = np.append(first[1:], len(units)) - 1
    full = last[upto[last] >= (after - start)[last]]  # of every class something stays
    held[full] -= 1
    return held


def _part(table: Table, target: Target, some: Longs, units: Longs) -> Rows:
    """The rows with some of their units."""
    rows = np.flatnonzero(some > 0)
    part = target.take(rows)
    if (some[rows] < units[rows]).any():
        if part.counts is not None:
            part = replace(part, counts=some[rows])
        elif part.weights is not None:
            part = replace(part, weights=part.weights / units[rows] * some[rows])
    return Rows(table.take(rows), part)


def row_numbers(table: Table, target: Target, seed: int) -> Hashes:
    """A pseudo-random number for each row from its values, its outcome and the seed; equal for equal rows.

    It stays the same if classes are renamed, or listed in another order.
    """
    return _with_outcome(value_numbers(table, seed), target)


def _with_outcome(numbers: Hashes, target: Target) -> Hashes:
    if target.codes is not None:
        places = _places(numbers, target).astype(np.uint64)
        return _mixed(numbers ^ _mixed(places)[target.codes])
    assert target.values is not None
    return _mixed(numbers ^ _of_floats(target.values))


def value_numbers(table: Table, seed: int) -> Hashes:
    """A pseudo-random number for each row from its values and the seed, whatever its outcome."""
    numbers = np.full(table.n_rows, _mixed(np.array([seed % 2**64], dtype=np.uint64))[0])
    for column, array in zip(table.columns, table.arrays, strict=True):
        numbers = _mixed(numbers ^ _of_column(column, array))
    return numbers


def _places(numbers: Hashes, target: Target) -> Longs:
    """The place of each class among all: the one of most rows first, of equally many by what its rows hold.

    Neither names nor codes decide, unless two classes have the same rows.
    """
    assert target.codes is not None
    copies = np.where(target.row_weight > 0, target.copies, 0)
    many, held = np.zeros((2, len(target.classes)), dtype=np.uint64)
    np.add.at(many, target.codes, copies.astype(np.uint64))
    np.add.at(held, target.codes, _mixed(numbers) * copies.astype(np.uint64))  # any order of rows, one sum
    places: Longs = np.empty(len(many), dtype=np.int64)
    places[np.lexsort((held, -many.astype(np.int64)))] = np.arange(len(many))
    return places


def _of_column(column: Column, array: npt.NDArray[Any]) -> Hashes:
    if array.dtype.kind == "f":
        return _of_floats(array)
    hashes: Hashes = _of_words([*column.categories, "", ""])[array]  # the last two are for codes -2 and -1
    return hashes


def _of_floats(values: npt.NDArray[Any]) -> Hashes:
    """The bits of the numbers; all gaps are one, and so are both zeros."""
    exact = values.astype(np.float64) + 0.0
    exact[np.isnan(exact)] = np.nan
    return _mixed(exact.view(np.uint64))


def _of_words(words: Sequence[Any]) -> Hashes:
    digests = [hashlib.blake2b(repr(word).encode(), digest_size=8).digest() for word in words]
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)


def _mixed(x: Hashes) -> Hashes:
    """Well spread bits (the finaliser of splitmix64, Steele, Lea & Flood 2014)."""
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
