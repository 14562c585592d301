"""Boolean functions as decision trees: any function has one, and an exhaustive search gives the smallest.

One idea: a truth table is a table like any other, so `hornbeam.teaching.smallest` searches it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hornbeam.estimators.tree_estimators import TreeClassifier
from hornbeam.teaching.boolean.truth_table import TruthTable, truth_table
from hornbeam.teaching.smallest import count_smallest_trees, smallest_size, smallest_tree
from hornbeam.tree.tree import Tree

MOST_SEARCHED = 9  # variables: the 3^9 subcubes that paths of tests lead to take less than a second


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
        return smallest_tree(*_searched(table), split="multiway")
    model = TreeClassifier(criterion="entropy", split="multiway", n_jobs=1)
    return model.fit(table.X, table.y).tree_


def minimal_leaves(function: Any, variables: Sequence[str] | None = None) -> int:
    """The least number of leaves of a decision tree for a function of up to 9 Boolean variables.

    The number is exact: it is that of an exhaustive search. For variables of more than two values, use
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
    return smallest_size(*_searched(truth_table(function, variables)), split="multiway")


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
    return count_smallest_trees(*_searched(truth_table(function, variables)), split="multiway")


def _searched(table: TruthTable) -> tuple[dict[str, list[bool]], list[Any]]:
    """The rows of a truth table that is small enough to be searched, and their outputs."""
    n = len(table.variables)
    if n > MOST_SEARCHED:
        raise ValueError(
            f"the function has {n} variables, but subcubes are searched for up to {MOST_SEARCHED}: there"
            f" would be 3^{n} = {3**n:,} of them; leave out variables that do not matter"
        )
    return table.X, table.y
