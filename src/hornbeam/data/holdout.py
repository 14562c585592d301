"""Rows to grow on and rows held out, chosen by what the rows hold.

A row's number comes from its values and the seed, not from its place, so the order of the rows and rows of
weight 0 never change a tree. Along these numbers every so many-th unit is held out, class by class::

    units of one class     a a a | b | c | d d | e       equal rows are one group of several units
    held out (share 0.3)     x             x             round(0.3 k) of the first k units

A unit is a repetition of a row. Weights count as such if all are whole numbers: a row of weight 2 is as good
as two rows, and may stand in both parts. With other weights a row is one unit.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from hornbeam._base.types import Longs
from hornbeam.data.columns import Column
from hornbeam.data.rows import Rows, row_weights
from hornbeam.data.table import Table
from hornbeam.data.target import Target

Hashes = npt.NDArray[np.uint64]


def split_rows(table: Table, target: Target, share: float, seed: int) -> tuple[Rows, Rows] | None:
    """(rows to grow on, rows held out); None if nothing can be held out, every class having one row.

    Of each class, `share` of the units is held out, up to rounding, and at least one stays; a real target is
    one class. Rows of weight 0 are in neither part.

    >>> table, target = Table.learn({"x": [1, 2, 3, 4, 5, 6]}), Target.classes_of(list("ababab"))
    >>> grown, held = split_rows(table, target, 0.3, seed=0)
    >>> grown.table.arrays[0], held.table.arrays[0]
    (array([2., 3., 5., 6.]), array([1., 4.]))
    """
    units = row_units(target)
    rows = np.flatnonzero(units > 0)
    codes = np.zeros(len(units), np.int64) if target.codes is None else target.codes.astype(np.int64)
    order = rows[np.lexsort((row_weights(target)[rows], row_numbers(table, target, seed)[rows], codes[rows]))]
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
    some = row_weights(target) > 0
    if target.counts is not None:
        return np.where(some, target.counts, 0)
    if target.weights is None:
        return np.ones(target.n_rows, dtype=np.int64)
    own = target.weights[some]
    if target.class_weights is not None and target.codes is not None:
        own = own / target.class_weights[target.codes[some]]
    whole = np.rint(own)
    found = np.zeros(target.n_rows, dtype=np.int64)
    are_whole = bool((np.abs(own - whole) <= 1e-12 * own).all()) and float(own.sum()) < 2.0**53
    found[some] = whole.astype(np.int64) if are_whole else 1
    return found


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
    found = target.take(rows)
    if (some[rows] < units[rows]).any():
        if found.counts is not None:
            found = replace(found, counts=some[rows])
        elif found.weights is not None:
            found = replace(found, weights=found.weights / units[rows] * some[rows])
    return Rows(table.take(rows), found)


def row_numbers(table: Table, target: Target, seed: int) -> Hashes:
    """A pseudo-random number for each row from its values, its outcome and the seed; equal for equal rows."""
    found = np.full(table.n_rows, _mixed(np.array([seed % 2**64], dtype=np.uint64))[0])
    for column, array in zip(table.columns, table.arrays, strict=True):
        found = _mixed(found ^ _of_column(column, array))
    if target.codes is not None:
        return _mixed(found ^ _of_words(target.classes)[target.codes])
    assert target.values is not None
    return _mixed(found ^ _of_floats(target.values))


def _of_column(column: Column, array: npt.NDArray[Any]) -> Hashes:
    if array.dtype.kind == "f":
        return _of_floats(array)
    found: Hashes = _of_words([*column.categories, "", ""])[array]  # the last two are for codes -2 and -1
    return found


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
