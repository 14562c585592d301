"""Boolean functions as decision trees: any function has one, and the search over subcubes finds the smallest.

One idea: below a path of tests only the subcube matters that the path leads to, and there are 3^n of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hornbeam._base.types import AnyArray
from hornbeam.data.columns import Column
from hornbeam.estimators.tree_estimators import TreeClassifier
from hornbeam.teaching.boolean.cubes import CubeTrees, cube_trees, digits, tree_numbers
from hornbeam.teaching.boolean.truth_table import TruthTable
from hornbeam.teaching.boolean.truth_table_sources import truth_table
from hornbeam.tree.nested import in_order
from hornbeam.tree.tree import Tree

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
    `hornbeam.smallest_size` on the table of the function.

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
    return int(_searched(truth_table(function, variables)).leaves[-1])


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
    return int(tree_numbers(_searched(truth_table(function, variables)))[-1])


def _searched(table: TruthTable) -> CubeTrees:
    n = len(table.variables)
    if n > MOST_SEARCHED:
        raise ValueError(
            f"the function has {n} variables, but subcubes are searched for up to {MOST_SEARCHED}: there"
            f" would be 3^{n} = {3**n:,} of them; leave out variables that do not matter"
        )
    return cube_trees(_codes(table))


def _labels(table: TruthTable) -> list[Any]:
    return in_order(set(table.outputs))


def _codes(table: TruthTable) -> AnyArray:
    place = {label: code for code, label in enumerate(_labels(table))}
    return np.array([place[output] for output in table.outputs], dtype=np.int32)


def _smallest(table: TruthTable) -> Tree:
    found = _searched(table)
    least = int(found.leaves[-1])
    facts = {
        "size": "leaves",
        "least": least,
        "split": "multiway",
        "row_sets": len(found.leaves),
        "proof": f"no consistent tree of this kind has fewer than {least} leaves",
    }
    tree = Tree.from_nested(
        _nested(found, table, len(found.leaves) - 1),
        [Column(name, "nominal", (False, True)) for name in table.variables],
        _labels(table),
        meta={"smallest": facts},
    )
    return tree.refit(table.X, table.y)


def _nested(found: CubeTrees, table: TruthTable, cube: int) -> Any:
    """The smallest tree of a subcube, as `Tree.from_nested` takes it."""
    variable = int(found.variable[cube])
    if variable < 0:
        row = 0
        for digit in digits(cube, found.n):  # any row of it: the function is constant
            row = 2 * row + (digit == 1)
        return {"label": table.outputs[row]}
    below = [_nested(found, table, half) for half in found.halves(cube, variable)]
    return {"column": table.variables[variable], "branches": [[False, below[0]], [True, below[1]]]}
