"""Folds: which rows are held out in which round of a cross-validation.

One idea: rows are dealt to the folds like cards, class by class and in the order of a hash of what they hold,
so that every fold has its share of every class and the order of the rows does not matter.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hornbeam._base.checks import is_whole
from hornbeam._base.types import Longs
from hornbeam.data.holdout import row_numbers
from hornbeam.data.rows import Rows
from hornbeam.data.table import Table
from hornbeam.data.target import Target


@dataclass(frozen=True)
class Folds:
    """How often each row is held out in each fold: `held[i]` of its repetitions are in fold `fold[i]`.

    Attributes
    ----------
    row, fold, held : one entry for each row and fold that holds some of its repetitions
    n_folds : int
    """

    row: Longs
    fold: Longs
    held: Longs
    n_folds: int

    def parts(self, table: Table, target: Target) -> Iterator[tuple[Rows, Rows]]:
        """For each fold the rows to learn from and those held out."""
        if target.counts is None:  # every row is in one fold, or in none
            fold_of = np.full(table.n_rows, -1)
            fold_of[self.row] = self.fold
            for k in range(self.n_folds):
                held = fold_of == k
                learned = ~held if len(self.row) == table.n_rows else ~held & (fold_of >= 0)
                yield (
                    _taken(table, target, np.flatnonzero(learned)),
                    _taken(table, target, np.flatnonzero(held)),
                )
            return
        given = np.where(np.bincount(self.row, minlength=table.n_rows) > 0, target.counts, 0)
        for k in range(self.n_folds):
            here = self.fold == k
            copies = np.zeros(table.n_rows, dtype=np.int64)
            copies[self.row[here]] = self.held[here]
            yield _copied(table, target, given - copies), _copied(table, target, copies)


def _taken(table: Table, target: Target, rows: Longs) -> Rows:
    return Rows(table.take(rows), target.take(rows))


def _copied(table: Table, target: Target, copies: Longs) -> Rows:
    rows = np.flatnonzero(copies > 0)
    some = _taken(table, target, rows)
    return Rows(some.table, replace(some.target, counts=copies[rows]))


def folds_of(table: Table, target: Target, cv: Any, seed: int = 0) -> Folds:
    """Folds of about equal size, every class dealt to them evenly; the same for any order of the rows.

    A row with a count is dealt as so many rows; rows of weight 0 are in no fold.

    Parameters
    ----------
    cv : int, or array
        The number of folds, or the fold of each row.
    seed : int

    Examples
    --------
    >>> table = Table.learn({"x": [1, 2, 3, 4, 5, 6]})
    >>> found = folds_of(table, Target.classes_of(list("aaabbb")), 3)
    >>> np.bincount(found.fold)
    array([2, 2, 2])
    """
    counts = np.ones(table.n_rows, dtype=np.int64) if target.counts is None else target.counts
    copies = counts if target.weights is None else np.where(target.weights > 0, counts, 0)
    if not is_whole(cv):
        return _given_folds(cv, copies)
    total = int(copies.sum())
    if not 2 <= cv <= total:
        raise ValueError(
            f"cv={cv!r} must be a number of folds from 2 to the number of rows, {total}; or an array with the"
            " fold of each row"
        )
    number = row_numbers(table, target, seed)
    order = np.lexsort((number,) if target.weights is None else (target.weights, number))
    if target.codes is not None:
        few = len(target.classes) < 2**15  # numpy sorts numbers of two bytes without comparing them
        codes = target.codes[order].astype(np.int16 if few else np.int32)
        order = order[np.argsort(codes, kind="stable")]
    n = int(cv)
    if total == table.n_rows and copies.all():  # every row once
        return Folds(order, np.arange(total) % n, copies[order], n)
    order = order[copies[order] > 0]
    start = np.cumsum(copies[order]) - copies[order]
    each = np.minimum(copies[order], n)  # in how many folds a row has copies
    row = np.repeat(order, each)
    step = np.arange(len(row)) - np.repeat(np.cumsum(each) - each, each)
    fold = (np.repeat(start, each) + step) % n
    held = (np.repeat(copies[order], each) - step + n - 1) // n
    return Folds(row, fold, held, n)


def _given_folds(cv: Any, copies: Longs) -> Folds:
    try:
        given = np.asarray(cv)
        sound = given.shape == copies.shape and given.dtype.kind in "iubUO"
    except ValueError:
        sound = False
    if not sound:
        raise ValueError(
            f"cv={cv!r} must be a number of folds, or an array with the fold of each of {len(copies)} rows"
        )
    rows = np.flatnonzero(copies > 0)
    names, fold = np.unique(given[rows], return_inverse=True)
    if len(names) < 2:
        raise ValueError(f"cv puts all rows into fold {names[0]!r}: there must be at least two folds")
    return Folds(rows, fold.reshape(-1).astype(np.int64), copies[rows], len(names))
