"""`smallest_tree` and its relatives: a table read, searched for one smallest consistent tree or all, counted.

One idea: consistent means no training error, smallest means proven: every smaller tree was ruled out, not
merely not found (see docs/algorithms/smallest-trees.md).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from hornbeam._base.types import AnyArray, Bools, Ints, midpoint
from hornbeam.teaching.smallest.smallest_search import (
    COST,
    DEPTH,
    EVERY,
    Problem,
    SolutionGraph,
    read_problem,
    search,
    size_named,
)
from hornbeam.tree.arrays import EQUALS, LEAF, MULTIWAY, THRESHOLD
from hornbeam.tree.tree import Tree

MAX_COST = 10_000_000


def smallest_tree(
    X: Any,
    y: Any,
    *,
    split: Any = "binary",
    size: str = "leaves",
    categorical_features: Any = "from_dtype",
    counts: Any = None,
    max_cost: int = MAX_COST,
) -> Tree:
    """The smallest tree that makes no error on a table, found by exhaustive search.

    Finding it is NP-hard, so this is for small tables: 64 different rows with 8 columns of 4 values take
    about a second at worst, whatever the classes. A search that would take more than `max_cost` is given up
    with a sentence that says how large it would be.

    Of all smallest trees the one returned has the fewest tests, then the least depth, then the first test in
    column order (cuts from the lowest, values in domain order, value sets from the smallest); the same holds
    for each of its subtrees. The order of the rows does not matter.

    Parameters
    ----------
    X : a pandas, polars or pyarrow table, a numpy array, a dict of columns or a list of dicts
        Without missing values.
    y : the class of each row
        Rows with the same inputs must have the same class.
    split : "binary", "multiway", "one-vs-rest", or a part of `hornbeam.parts`
        How nominal columns are split: into two sets of values, one branch for each value, or one value
        against the rest. Numeric and ordinal columns are cut at thresholds, halfway between values.
    size : {"leaves", "nodes", "tests", "depth"}
        What is to be small. With only two branches a test, the fewest leaves, nodes and tests go together. A
        branch of a multiway test that no row takes is a leaf, too. With "depth", the tree has the fewest
        leaves among those of least depth.
    categorical_features : "from_dtype", or the nominal columns: names, positions, a mask
    counts : number of repetitions of each row; a row of count 0 is left out
    max_cost : int
        How much to search: the sets of rows that may be kept, each counted once for every 64 different rows.
        A million takes up to 50 MB and about a second.

    Returns
    -------
    Tree
        With counts; `tree.meta["smallest"]` says what was proven.

    Raises
    ------
    SearchTooLargeError
        If the search would cost more than `max_cost`; a ValueError.

    Examples
    --------
    >>> import hornbeam as hb
    >>> robots = hb.datasets.load("robots")
    >>> tree = smallest_tree(robots.X, robots.y, split="one-vs-rest")
    >>> tree.text()
    'body=square[yes: enemy(0:3) | no: neck=bow[yes: enemy(0:1) | no: ally(4:0)]]'
    >>> tree.meta["smallest"]["proof"]
    'no consistent tree of this kind has fewer than 3 leaves'
    >>> smallest_tree(robots.X, robots.y, split="multiway").statistics()
    {'depth': 2, 'leaves': 4, 'tests': 2, 'nodes': 6, 'reading_size': 7}
    """
    problem, graph = _solve(X, y, split, size, categorical_features, counts, max_cost)
    return _build_tree(problem, graph, [1] * len(graph), 0, _facts(problem, graph, size))


def smallest_size(
    X: Any,
    y: Any,
    *,
    split: Any = "binary",
    size: str = "leaves",
    categorical_features: Any = "from_dtype",
    counts: Any = None,
    max_cost: int = MAX_COST,
) -> int:
    """How small a consistent tree can be: the least number of leaves, nodes or tests, or the least depth.

    The parameters are those of `smallest_tree`.

    Examples
    --------
    Five rectangles, laid like a pinwheel, are not the leaves of any tree with axis-parallel cuts:

    >>> grid = ["AAB", "DEB", "DCC"]
    >>> X = {"x": [0, 1, 2] * 3, "y": [0] * 3 + [1] * 3 + [2] * 3}
    >>> smallest_size(X, list("".join(grid)))
    6
    """
    return _solve(X, y, split, size, categorical_features, counts, max_cost, build=False)[1].least


def smallest_trees(
    X: Any,
    y: Any,
    *,
    split: Any = "binary",
    size: str = "leaves",
    categorical_features: Any = "from_dtype",
    counts: Any = None,
    max_cost: int = MAX_COST,
    max_trees: int = 100,
) -> list[Tree]:
    """All smallest trees that make no error on a table, or the first `max_trees` of them.

    Of a column's cuts between the same two values, and of `A=u` and `A=v` where a node has only the values u
    and v, one is listed. The trees are equally small, but their depths may differ. Their order is that of the
    root's tests as in `smallest_tree`, then of the subtrees from the first branch on.

    Parameters
    ----------
    size : {"leaves", "nodes", "tests"}
    max_trees : int
        The most trees to return; `count_smallest_trees` says how many there are.

    The other parameters are those of `smallest_tree`.

    Examples
    --------
    >>> import hornbeam as hb
    >>> xor = hb.datasets.load("xor2")
    >>> for tree in smallest_trees(xor.X, xor.y, split="multiway", categorical_features=xor.categorical):
    ...     print(tree.text())
    X1[0: X2[0: 0(1:0) | 1: 1(0:1)] | 1: X2[0: 1(0:1) | 1: 0(1:0)]]
    X2[0: X1[0: 0(1:0) | 1: 1(0:1)] | 1: X1[0: 1(0:1) | 1: 0(1:0)]]
    """
    if isinstance(max_trees, bool) or not isinstance(max_trees, int) or max_trees < 1:
        raise ValueError(f"max_trees={max_trees!r} must be a whole number of at least 1")
    problem, graph = _solve(X, y, split, size, categorical_features, counts, max_cost, every=True)
    numbers, facts = _tree_counts(graph), _facts(problem, graph, size)
    return [_build_tree(problem, graph, numbers, k, facts) for k in range(min(numbers[0], max_trees))]


def count_smallest_trees(
    X: Any,
    y: Any,
    *,
    split: Any = "binary",
    size: str = "leaves",
    categorical_features: Any = "from_dtype",
    counts: Any = None,
    max_cost: int = MAX_COST,
) -> int:
    """How many smallest trees there are; the parameters are those of `smallest_trees`.

    Examples
    --------
    >>> count_smallest_trees({"x": [0, 1, 2, 3]}, ["p", "q", "p", "q"])
    5
    """
    _, graph = _solve(X, y, split, size, categorical_features, counts, max_cost, every=True)
    return _tree_counts(graph)[0]


def _solve(
    X: Any, y: Any, split: Any, size: str, *rest: Any, every: bool = False, build: bool = True
) -> tuple[Problem, SolutionGraph]:
    """A table read and searched for one smallest tree, or for all; without `build` only for their size."""
    size_named(size)
    if every and size == "depth":
        raise ValueError("size='depth' has no list of all its trees: use 'leaves', 'nodes' or 'tests'")
    categorical_features, counts, max_cost = rest
    problem = read_problem(X, y, split, categorical_features, counts)
    goal = EVERY if every else DEPTH if size == "depth" else COST
    return problem, search(problem, size, max_cost, goal=goal, build=build)


def _facts(problem: Problem, graph: SolutionGraph, size: str) -> dict[str, Any]:
    """What was proven, for the tree's `meta`."""
    least = f"a depth below {graph.least}" if size == "depth" else f"fewer than {graph.least} {size}"
    return {
        "size": size,
        "least": graph.least,
        "split": problem.split.name,
        "row_sets": graph.n_sets,
        "proof": f"no consistent tree of this kind has {least}",
    }


# ---- from the graph to trees -----------------------------------------------------------------------------
#
# A state's trees are numbered. Each of its tests has as many as the product over its children, so dividing k
# with remainder says which test, and which tree in every branch; no list of trees is ever made.


_ABSENT = -1  # the state of the leaf shared by the values no row of a node has


def _tree_counts(graph: SolutionGraph) -> list[int]:
    """How many trees each state has; a state with fewer rows comes before those that lead to it."""
    counts = [1] * len(graph)
    for state in np.argsort(_members(graph.rows).sum(axis=1), kind="stable").tolist():
        tests = graph.tests(state)
        if tests:
            counts[state] = sum(_product(graph, test, counts) for test in tests)
    return counts


def _build_tree(
    problem: Problem, graph: SolutionGraph, counts: list[int], k: int, facts: Mapping[str, Any]
) -> Tree:
    """The k-th tree, its counts and answers taken from all rows of the table."""
    nodes = _NodeArrays(problem, graph)
    queue = [(0, k)]
    for state, number in queue:  # grows while it is read
        children = nodes.add(state, len(queue), *_choose_test(graph, state, number, counts))
        queue.extend(children)
    tree = Tree(
        columns=problem.table.columns,
        classes=problem.target.classes,
        meta={"smallest": dict(facts)},
        stats=np.zeros((len(queue), len(problem.target.classes))),
        label=np.zeros(len(queue), dtype=np.int32),
        **nodes.arrays(),
    )
    return tree.refit(problem.table, problem.target)


def _choose_test(
    graph: SolutionGraph, state: int, k: int, counts: list[int]
) -> tuple[int, list[tuple[int, int]]]:
    """The test that tree k of a state begins with, and the numbered trees of its branches; -1 for a leaf."""
    if state == _ABSENT:
        return -1, []
    for test in graph.tests(state):
        n = _product(graph, test, counts)
        if k < n:
            below = []
            for child in reversed(graph.children(test)):
                k, number = divmod(k, counts[child])
                below.append((child, number))
            return test, below[::-1]
        k -= n
    return -1, []


def _product(graph: SolutionGraph, test: int, counts: list[int]) -> int:
    return math.prod(counts[child] for child in graph.children(test))


def _members(rows: AnyArray) -> Bools:
    """Which rows a state has, or each of several states: sets of bits, 64 rows in a word, unpacked."""
    octets = np.ascontiguousarray(rows).astype("<u8").view(np.uint8)
    return np.unpackbits(octets, axis=-1, bitorder="little").astype(np.bool_)


class _NodeArrays:
    """The arrays of a Tree while they are being written."""

    def __init__(self, problem: Problem, graph: SolutionGraph) -> None:
        self.problem, self.graph = problem, graph
        self.nodes: list[dict[str, Any]] = []
        self.map: list[list[tuple[int, int]]] = []

    def add(
        self, state: int, first_child: int, test: int, below: list[tuple[int, int]]
    ) -> list[tuple[int, int]]:
        """Write a node; its children, the leaf for absent values among them."""
        self.map.append([])
        if state == _ABSENT or test < 0:
            self.nodes.append({"kind": LEAF, "first_child": -1, "n_children": 0})
            return []
        column = self.graph.test_column[test]
        kind = self.problem.kinds[column]
        codes = [self._codes(column, child) for child, _ in below]
        node: dict[str, Any] = {"kind": kind, "column": column, "first_child": first_child}
        if kind == THRESHOLD:
            node |= self._cut(column, int(codes[0].max()), int(codes[1].min()))
        elif kind == EQUALS:
            node["threshold"] = float(codes[0][0])
        else:
            self.map[-1] = sorted((int(c), k) for k, one in enumerate(codes) for c in np.unique(one))
        if kind == MULTIWAY and len(below) < self.problem.n_codes(column):
            node["absent"] = len(below)
            below = [*below, (_ABSENT, 0)]
        self.nodes.append(node | {"n_children": len(below)})
        return below

    def _codes(self, column: int, state: int) -> Ints:
        """The codes of the rows of a state."""
        members = _members(self.graph.rows[state])[: len(self.problem.classes)]
        codes: Ints = self.problem.codes[column][members]
        return codes

    def _cut(self, column: int, low: int, high: int) -> dict[str, Any]:
        """A threshold halfway between two neighbouring values of the node's rows."""
        if self.problem.table.columns[column].kind != "numeric":
            return {"threshold": low + 0.5, "gap": (float(low), float(high))}
        values = self.problem.values[column]
        return {"threshold": float(midpoint(values[low], values[high])), "gap": (values[low], values[high])}

    def arrays(self) -> dict[str, Any]:
        """What the Tree's constructor takes."""
        entries = [entry for node in self.map for entry in node]
        fill = {"column": -1, "threshold": np.nan, "absent": -1, "gap": (np.nan, np.nan)}
        names = ("kind", "first_child", "n_children", "column", "threshold", "absent", "gap")
        arrays: dict[str, Any] = {
            name: np.array([node.get(name, fill.get(name)) for node in self.nodes]) for name in names
        }
        if entries:
            arrays["map_offset"] = np.cumsum([0] + [len(node) for node in self.map])
            arrays["map_code"], arrays["map_branch"] = np.array(entries, dtype=np.int32).T.copy()
        return arrays
