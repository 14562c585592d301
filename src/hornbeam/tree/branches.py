"""Which branch a node's own test, or a surrogate, sends rows to, and each category of its column.

One idea: one function for each kind of test, given the columns and the rows at the node; -1 where the test
cannot tell.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from hornbeam._base.types import AnyArray, Floats, Ints, Longs
from hornbeam.tree.expressions.language import Expression

if TYPE_CHECKING:
    from hornbeam.tree.tree import Tree


def own_branches(tree: Tree, node: int, arrays: Sequence[AnyArray], rows: Longs) -> Longs:
    """The branch each row takes by the node's own test, -1 where that does not know."""
    return _BRANCH_OF[tree.kind_of(node)](tree, node, arrays, rows)


def by_surrogate(tree: Tree, k: int, arrays: Sequence[AnyArray], rows: Longs) -> Longs:
    """The branch that entry k of the surrogates sends rows to, -1 where its value is missing."""
    x = arrays[tree.surrogate_column[k]][rows]
    span = slice(int(tree.surrogate_map_offset[k]), int(tree.surrogate_map_offset[k + 1]))
    if span.stop > span.start:
        return _looked_up(x, tree.surrogate_map_code[span], tree.surrogate_map_branch[span], -1)
    value = to_numbers(x)
    side = np.where(value <= tree.surrogate_threshold[k], tree.surrogate_low[k], tree.surrogate_high[k])
    return np.where(np.isnan(value), -1, side).astype(np.int64)


def branches_of_codes(tree: Tree, node: int) -> list[int]:
    """The branch of every category of the column that a node tests, -1 where it has none.

    >>> from hornbeam.tree.tree import Tree
    >>> nested = {"column": "c", "branches": {"u": "p", "v": "q"}}
    >>> branches_of_codes(Tree.from_nested(nested), 0)
    [0, 1]
    """
    codes = np.arange(len(tree.columns[tree.column[node]].categories))
    branches: list[int] = own_branches(tree, node, [codes] * len(tree.columns), codes).tolist()
    return branches


def surrogate_branches_of_codes(tree: Tree, k: int) -> list[int]:
    """The branch of every category of a surrogate's column, -1 where it has none."""
    codes = np.arange(len(tree.columns[tree.surrogate_column[k]].categories))
    branches: list[int] = by_surrogate(tree, k, [codes] * len(tree.columns), codes).tolist()
    return branches


def codes_by_branch(branch_of_code: Sequence[int]) -> dict[int, list[int]]:
    """Branch -> its codes, of the codes that have one.

    >>> codes_by_branch([1, 0, -1, 1])
    {0: [1], 1: [0, 3]}
    """
    branches = sorted({branch for branch in branch_of_code if branch >= 0})
    return {branch: [code for code, to in enumerate(branch_of_code) if to == branch] for branch in branches}


def _by_threshold(tree: Tree, node: int, arrays: Sequence[AnyArray], rows: Longs) -> Longs:
    x = to_numbers(arrays[tree.column[node]][rows])
    return np.where(np.isnan(x), -1, x > tree.threshold[node]).astype(np.int64)


def _by_intervals(tree: Tree, node: int, arrays: Sequence[AnyArray], rows: Longs) -> Longs:
    x = to_numbers(arrays[tree.column[node]][rows])
    return np.where(np.isnan(x), -1, np.searchsorted(tree.cuts(node), x)).astype(np.int64)


def _by_equality(tree: Tree, node: int, arrays: Sequence[AnyArray], rows: Longs) -> Longs:
    codes = arrays[tree.column[node]][rows]
    unknown = codes < 0 if tree.policy["unseen"] == "missing" else codes == -1
    return np.where(unknown, -1, codes != int(tree.threshold[node])).astype(np.int64)


def _by_map(tree: Tree, node: int, arrays: Sequence[AnyArray], rows: Longs) -> Longs:
    codes, targets = tree.value_map(node)
    return _looked_up(arrays[tree.column[node]][rows], codes, targets, int(tree.absent[node]))


def _looked_up(x: AnyArray, codes: Ints, targets: Ints, otherwise: int) -> Longs:
    """Branches of codes by an ascending value map; other codes go `otherwise`, missing ones nowhere."""
    place = np.minimum(np.searchsorted(codes, x), max(len(codes) - 1, 0))
    branch = np.where(codes[place] == x, targets[place], otherwise)
    return np.where(x < 0, -1, branch).astype(np.int64)


def _by_plane(tree: Tree, node: int, arrays: Sequence[AnyArray], rows: Longs) -> Longs:
    total = np.zeros(len(rows))
    for column, weight in tree.plane(node):
        total += weight * to_numbers(arrays[column][rows])
    return np.where(np.isnan(total), -1, total > tree.threshold[node]).astype(np.int64)


def to_numbers(x: AnyArray) -> Floats:
    """Values or codes as doubles; missing values and codes never seen are NaN."""
    if x.dtype.kind == "f":
        return x.astype(np.float64, copy=False)
    return np.where(x < 0, np.nan, x.astype(np.float64))


def _by_tuple(tree: Tree, node: int, arrays: Sequence[AnyArray], rows: Longs) -> Longs:
    row_values = np.stack([to_numbers(arrays[c][rows]) for c in tree.tested_columns(node)], axis=1)
    branch = np.full(len(rows), -1, dtype=np.int64)
    for values, target in tree.value_tuples(node):
        branch[(row_values == values).all(axis=1)] = target
    return branch


def _by_expression(tree: Tree, node: int, arrays: Sequence[AnyArray], rows: Longs) -> Longs:
    expression = Expression.parse(tree.expressions[node])
    used = set(expression.columns_in(tree.columns))
    here = [array[rows] if k in used else array[:0] for k, array in enumerate(arrays)]
    true, missing = expression.evaluate(tree.columns, here)
    return np.where(missing, -1, ~true).astype(np.int64)


_BRANCH_OF: Mapping[str, Callable[[Tree, int, Sequence[AnyArray], Longs], Longs]] = {
    "threshold": _by_threshold,
    "equals": _by_equality,
    "subset": _by_map,
    "multiway": _by_map,
    "hyperplane": _by_plane,
    "columns": _by_tuple,
    "expression": _by_expression,
    "intervals": _by_intervals,
}
