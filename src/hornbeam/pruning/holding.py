"""Holding out: a part of the rows to grow on, the others to prune on, chosen by what the rows hold.

One idea: a row's number comes from its values and the seed, not from its place. So the order of the rows, and
rows of weight 0, never change a tree; equal rows stay together, hence a row of weight 2 is as good as two::

    rows of one class, by number   [ a a | b | c c c | d ]      equal rows are one group
    weight before + half of it       1     2.5   4.5   6.5      of 7
    held out (share 0.3: < 2.1)      yes   no    no    no
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hornbeam.arrays import Bools, Floats, Longs
from hornbeam.columns import Column
from hornbeam.pruning.sample import row_weights
from hornbeam.table import Table
from hornbeam.target import Target

Hashes = npt.NDArray[np.uint64]


def held_rows(table: Table, target: Target, share: float, seed: int) -> tuple[Longs, Longs]:
    """(rows to grow on, rows held out), both ascending; rows of weight 0 are in neither.

    Of each class about `share` of the weight is held out, of a real target about `share` of all. At least one
    row of each class stays, so nothing is held out where every class has one row.

    >>> table, target = Table.learn({"x": [1, 2, 3, 4, 5, 6]}), Target.classes_of(list("ababab"))
    >>> [rows.tolist() for rows in held_rows(table, target, 0.3, seed=0)]
    [[0, 2, 3, 5], [1, 4]]
    """
    weight = row_weights(target)
    rows = np.flatnonzero(weight > 0)
    stratum = np.zeros(len(rows), np.int64) if target.codes is None else target.codes[rows].astype(np.int64)
    number = row_numbers(table, target, seed)[rows]
    held = _held(stratum, number, weight[rows], share)
    return rows[~held], rows[held]


def _held(stratum: Longs, number: Hashes, weight: Floats, share: float) -> Bools:
    """Which rows are held out: the first groups of each stratum, up to the share of its weight."""
    order = np.lexsort((number, stratum))
    s, h = stratum[order], number[order]
    new = np.ones(len(order), dtype=np.bool_)  # where a group of equal rows begins
    new[1:] = (s[1:] != s[:-1]) | (h[1:] != h[:-1])
    group = np.cumsum(new) - 1
    w = np.bincount(group, weights=weight[order])
    owner = s[new]
    first = np.flatnonzero(np.diff(owner, prepend=owner[0] - 1))  # the first group of each stratum
    size = np.diff(np.append(first, len(owner)))
    before = np.cumsum(w) - w
    before -= np.repeat(before[first], size)
    total = np.repeat(np.add.reduceat(w, first), size)
    out = before + w / 2 < share * total
    out[first + size - 1] = False  # the last group of each stratum stays
    found = np.empty(len(order), dtype=np.bool_)
    found[order] = out[group]
    return found


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
