"""Subcubes of {0,1}^n and what is known about each: is the function constant on it, how large is its tree?

One idea: a subcube fixes some variables and leaves the others free, so it is a number of n digits in base 3
(0, 1, 2 = free). The halves of a free variable have smaller numbers, and one variable free less: all cubes of
k free variables are computed at once from those of k - 1::

    leaves(cube) = 1                                                     if the function is constant on it
                   min over free variables: leaves(0-half) + leaves(1-half)     otherwise
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from hornbeam._base.types import AnyArray, Bools, Longs

FREE = 2


@dataclass(frozen=True)
class CubeTrees:
    """For each subcube, by its number: the least leaves, the least depth of those, the first variable tested.

    `variable` is -1 where the function is constant. The whole cube is the last one.
    """

    n: int
    leaves: AnyArray
    depth: AnyArray
    variable: AnyArray

    def halves(self, cube: int, variable: int) -> tuple[int, int]:
        """The numbers of the two halves of a cube."""
        step: int = 3 ** (self.n - 1 - variable)
        return cube - 2 * step, cube - step


def spans(outputs: AnyArray) -> tuple[AnyArray, AnyArray]:
    """The least and the largest output on each subcube, as arrays of shape (3, 3, ..., 3).

    >>> low, high = spans(np.array([0, 1, 1, 1]))
    >>> low[2].tolist(), high[2].tolist()
    ([0, 1, 0], [1, 1, 1])
    """
    n = len(outputs).bit_length() - 1
    low = high = outputs.reshape((2,) * n)
    for axis in range(n):
        low = np.concatenate([low, low.min(axis=axis, keepdims=True)], axis=axis)
        high = np.concatenate([high, high.max(axis=axis, keepdims=True)], axis=axis)
    return low, high


def cube_trees(outputs: AnyArray) -> CubeTrees:
    """The smallest trees of all subcubes; `outputs` are codes in the order of counting.

    >>> cube_trees(np.array([0, 1, 1, 0])).leaves.tolist()
    [1, 1, 2, 1, 1, 2, 2, 2, 4]
    """
    low, high = spans(outputs)
    constant = (low == high).reshape(-1)
    n = low.ndim
    leaves = np.where(constant, 1, 0).astype(np.int32)
    depth = np.zeros(len(leaves), dtype=np.int16)
    variable = np.full(len(leaves), -1, dtype=np.int8)
    for cubes in _levels(n, constant):
        best = np.full(len(cubes), np.iinfo(np.int64).max)
        for k, open_, zero, one in _splits(n, cubes):
            deep = 1 + np.maximum(depth[zero], depth[one]).astype(np.int64)
            score = (leaves[zero].astype(np.int64) + leaves[one]) * 256 + deep
            better = open_[score < best[open_]]
            best[open_] = np.minimum(best[open_], score)
            variable[cubes[better]] = k
        leaves[cubes], depth[cubes] = best // 256, best % 256
    return CubeTrees(n, leaves, depth, variable)


def tree_numbers(found: CubeTrees) -> list[Any]:
    """How many smallest trees each subcube has, as exact whole numbers."""
    numbers = np.ones(len(found.leaves), dtype=object)
    for cubes in _levels(found.n, found.variable < 0):
        total = np.zeros(len(cubes), dtype=object)
        for _, open_, zero, one in _splits(found.n, cubes):
            best = found.leaves[zero] + found.leaves[one] == found.leaves[cubes[open_]]
            total[open_[best]] += numbers[zero[best]] * numbers[one[best]]
        numbers[cubes] = total
    return list(numbers)


def implicants(truth: Bools) -> tuple[Bools, Bools]:
    """Which subcubes lie inside the function, and which of them in no larger one: the prime implicants."""
    inside = spans(truth.astype(np.int8))[0] == 1
    prime = inside.copy()
    for axis in range(inside.ndim):
        fixed = [slice(None)] * inside.ndim
        fixed[axis] = slice(0, FREE)
        prime[tuple(fixed)] &= ~np.take(inside, [FREE], axis=axis)
    return inside.reshape(-1), prime.reshape(-1)


def digits(cube: int, n: int) -> tuple[int, ...]:
    """The digits of a subcube: 0, 1 or FREE for each variable.

    >>> digits(5, 2)
    (1, 2)
    """
    return tuple(cube // 3 ** (n - 1 - k) % 3 for k in range(n))


def _levels(n: int, constant: Bools) -> Iterator[Longs]:
    """The subcubes that are not constant, those of one free variable first."""
    free = np.zeros((3,) * n, dtype=np.int8)
    for axis in range(n):
        shape = [1] * n
        shape[axis] = 3
        free += np.array([0, 0, 1], dtype=np.int8).reshape(shape)
    open_ = np.flatnonzero(~constant)
    level = free.reshape(-1)[open_]
    for k in range(1, n + 1):
        yield open_[level == k]


def _splits(n: int, cubes: Longs) -> Iterator[tuple[int, Longs, Longs, Longs]]:
    """(variable, places of the cubes where it is free, their 0-halves, their 1-halves) for each variable."""
    for k in range(n):
        step = 3 ** (n - 1 - k)
        open_ = np.flatnonzero(cubes // step % 3 == FREE)
        if len(open_):
            yield k, open_, cubes[open_] - 2 * step, cubes[open_] - step
