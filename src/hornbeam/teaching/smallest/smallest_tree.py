"""The smallest trees that are consistent with a table: one of them, all of them, their number, their size.

One idea: consistent means no training error, smallest means proven: every smaller tree was ruled out, not
merely not found (see docs/algorithms/smallest-trees.md).
"""

from __future__ import annotations

from typing import Any

from hornbeam.teaching.smallest.exhaustive_search import COST, DEPTH, EVERY, Graph, search, size_named
from hornbeam.teaching.smallest.problem import Problem, read
from hornbeam.teaching.smallest.solution_graph import build, tree_counts
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
    {'depth': 2, 'leaves': 4, 'tests': 2, 'nodes': 6}
    """
    size_named(size)
    problem = read(X, y, split, categorical_features, counts)
    graph = search(problem, size, max_cost, goal=DEPTH if size == "depth" else COST, build=True)
    return build(problem, graph, [1] * len(graph), 0, _facts(problem, graph, size))


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
    size_named(size)
    problem = read(X, y, split, categorical_features, counts)
    goal = DEPTH if size == "depth" else COST
    return search(problem, size, max_cost, goal=goal, build=False).least


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
    problem, graph = _every(X, y, split, size, categorical_features, counts, max_cost)
    numbers = tree_counts(graph)
    facts = _facts(problem, graph, size)
    return [build(problem, graph, numbers, k, facts) for k in range(min(numbers[0], max_trees))]


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
    _, graph = _every(X, y, split, size, categorical_features, counts, max_cost)
    return tree_counts(graph)[0]


def _every(X: Any, y: Any, split: Any, size: str, *rest: Any) -> tuple[Problem, Graph]:
    size_named(size)
    if size == "depth":
        raise ValueError("size='depth' has no list of all its trees: use 'leaves', 'nodes' or 'tests'")
    categorical_features, counts, max_cost = rest
    problem = read(X, y, split, categorical_features, counts)
    return problem, search(problem, size, max_cost, goal=EVERY, build=True)


def _facts(problem: Problem, graph: Graph, size: str) -> dict[str, Any]:
    """What was proven, for the tree's `meta`."""
    least = f"a depth below {graph.least}" if size == "depth" else f"fewer than {graph.least} {size}"
    return {
        "size": size,
        "least": graph.least,
        "split": problem.split.name,
        "row_sets": graph.n_sets,
        "proof": f"no consistent tree of this kind has {least}",
    }
