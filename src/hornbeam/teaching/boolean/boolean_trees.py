"""Boolean functions as decision trees: any function has one, and a search over subcubes gives the smallest.

One idea: below a path of tests only the subcube of {0,1}^n matters that the path leads to. A subcube fixes
some variables and leaves the others free, so it is a number of n digits in base 3 (0, 1, 2 = free). The
halves of a free variable have smaller numbers and one free variable less, so all subcubes of k free variables
are computed at once from those of k - 1::

    leaves(cube) = 1                                                     if the function is constant on it
                   min over free variables: leaves(0-half) + leaves(1-half)     otherwise
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hornbeam._base.types import AnyArray, Bools, Longs
from hornbeam.data.columns import Column
from hornbeam.estimators.tree_estimators import TreeClassifier
from hornbeam.teaching.boolean.truth_table import TruthTable, truth_table
from hornbeam.tree.nested import in_order
from hornbeam.tree.tree import Tree

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


def tree_numbers(trees: CubeTrees) -> list[Any]:
    """How many smallest trees each subcube has, as exact whole numbers."""
    numbers = np.ones(len(trees.leaves), dtype=object)
    for cubes in _levels(trees.n, trees.variable < 0):
        total = np.zeros(len(cubes), dtype=object)
        for _, open_, zero, one in _splits(trees.n, cubes):
            best = trees.leaves[zero] + trees.leaves[one] == trees.leaves[cubes[open_]]
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


# ---- trees of functions ----------------------------------------------------------------------------------


MOST_SEARCHED = 14  # variables: 3^14 subcubes take some seconds


def tree_of(function: Any, variables: Sequence[str] | None = None, *, smallest: bool = False) -> Tree:
    """A decision tree that computes a function of Boolean variables.

    Parameters
    ----------
    function, variables : as in `truth_table`
    smallest : bool
        False: the tree that tests the variable of largest information gain first, and goes on until every
        leaf is certain. True: a tree of fewest leaves, of these of least depth, then with the first variable.

    Returns
    -------
    Tree
        Its counts are assignments of the truth table.

    Examples
    --------
    >>> tree_of("A and B").text()
    'A[False: False(2:0) | True: B[False: False(1:0) | True: True(0:1)]]'
    >>> mux = "(S and A) or (not S and B)"
    >>> tree_of(mux, ["A", "B", "S"]).n_leaves, tree_of(mux, ["A", "B", "S"], smallest=True).text()
    (6, 'S[False: B[False: False(2:0) | True: True(0:2)] | True: A[False: False(2:0) | True: True(0:2)]]')
    """
    table = truth_table(function, variables)
    if smallest:
        return _smallest(table)
    model = TreeClassifier(criterion="entropy", split="multiway", n_jobs=1)
    return model.fit(table.X, table.y).tree_


def minimal_leaves(function: Any, variables: Sequence[str] | None = None) -> int:
    """The least number of leaves of a decision tree for a function of up to 14 Boolean variables.

    Every subcube is looked at, so the number is exact. For variables of more than two values, use
    `hornbeam.teaching.smallest_size` on the table of the function.

    Parameters
    ----------
    function, variables : as in `truth_table`

    Examples
    --------
    >>> minimal_leaves("X2 and X5"), minimal_leaves("X2 or X5"), minimal_leaves("X1 != X2")
    (3, 3, 4)
    >>> minimal_leaves("(A or B) and (C or not D or E)")
    9
    """
    return int(_search_cubes(truth_table(function, variables)).leaves[-1])


def count_smallest(function: Any, variables: Sequence[str] | None = None) -> int:
    """How many different decision trees with the fewest leaves a function of Boolean variables has.

    Parameters
    ----------
    function, variables : as in `truth_table`

    Examples
    --------
    >>> count_smallest("A != B")
    2
    """
    return int(tree_numbers(_search_cubes(truth_table(function, variables)))[-1])


def _search_cubes(table: TruthTable) -> CubeTrees:
    n = len(table.variables)
    if n > MOST_SEARCHED:
        raise ValueError(
            f"the function has {n} variables, but subcubes are searched for up to {MOST_SEARCHED}: there"
            f" would be 3^{n} = {3**n:,} of them; leave out variables that do not matter"
        )
    place = {label: code for code, label in enumerate(_labels(table))}
    return cube_trees(np.array([place[output] for output in table.outputs], dtype=np.int32))


def _labels(table: TruthTable) -> list[Any]:
    return in_order(set(table.outputs))


def _smallest(table: TruthTable) -> Tree:
    trees, variables = _search_cubes(table), table.variables
    least, whole = int(trees.leaves[-1]), len(trees.leaves) - 1
    proof = f"no consistent tree of this kind has fewer than {least} leaves"
    facts = {"size": "leaves", "least": least, "split": "multiway", "row_sets": whole + 1, "proof": proof}
    columns = [Column(name, "nominal", (False, True)) for name in variables]
    nested = _nested(trees, table, whole)
    return Tree.from_nested(nested, columns, _labels(table), meta={"smallest": facts}).refit(table.X, table.y)


def _nested(trees: CubeTrees, table: TruthTable, cube: int) -> Any:
    """The smallest tree of a subcube, as `Tree.from_nested` takes it."""
    variable = int(trees.variable[cube])
    if variable < 0:
        # The function is constant here, so any row of the subcube tells the label.
        row = int("".join("1" if digit == 1 else "0" for digit in digits(cube, trees.n)), 2)
        return {"label": table.outputs[row]}
    below = [_nested(trees, table, half) for half in trees.halves(cube, variable)]
    return {"column": table.variables[variable], "branches": [[False, below[0]], [True, below[1]]]}
