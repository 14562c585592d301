"""Rows through a Tree with the compiled core, where it knows every test of the tree; else node by node.

One idea: almost every row ends in one leaf. Those come back as one array; the few that follow all paths are asked for
again, with the weights of the leaves they reach.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from scipy import sparse

from hornbeam import _core, routing
from hornbeam.arrays import MULTIWAY, AnyArray, Ints
from hornbeam.encoding import infinite_sentence
from hornbeam.ranges import first_infinite
from hornbeam.routing import Routing
from hornbeam.table import Table
from hornbeam.tree import Tree


class Compiled:
    """A tree as the core reads it, made once for each tree."""

    def __init__(self, tree: Tree) -> None:
        self.known = bool((tree.kind <= MULTIWAY).all()) and not tree.surrogate_offset[-1]
        self.arrays: dict[str, Any] = {
            name: getattr(tree, name)
            for name in (
                "kind", "first_child", "n_children", "column", "missing", "absent", "threshold",
                "map_offset", "map_code", "map_branch",
            )
        }  # fmt: skip
        self.arrays["all_paths"] = tree.policy["missing"] == "all-paths"
        self.arrays["unseen_all_paths"] = tree.policy["missing"] == "learn"
        self.plain = all(column.is_number for column in tree.columns)
        self.width = len(tree.columns)
        self._packed: dict[str, AnyArray] = {}

    def packed(self, char: str) -> AnyArray:
        """The nodes packed for rows of float32 ("f") or float64 ("d"); empty if a test is no threshold."""
        if char not in self._packed:
            self._packed[char] = (_core.pack32 if char == "f" else _core.pack64)(self.arrays)
        return self._packed[char]


def compiled(tree: Tree) -> Compiled:
    """The tree as the core reads it; kept with the tree."""
    found = tree.__dict__.get("_compiled")
    if found is None:
        found = tree.__dict__["_compiled"] = Compiled(tree)
    return found  # type: ignore[no-any-return]


def n_threads(n_jobs: int | None) -> int:
    """The number of threads `n_jobs` stands for.

    None is every core this process may use (or OMP_NUM_THREADS, which joblib sets in its workers so that nested
    work does not multiply); -1 is all cores, -2 all but one.

    >>> n_threads(3)
    3
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if n_jobs is None:
        told = os.environ.get("OMP_NUM_THREADS", "")
        return min(cores, max(1, int(told))) if told.isdigit() else cores
    return n_jobs if n_jobs > 0 else max(1, cores + 1 + n_jobs)


def dense_leaves(tree: Tree, X: AnyArray, n_jobs: int | None) -> Ints | None:
    """The leaf of each row of a plain float array (-1: all paths); None if the array or the tree is not plain."""
    core = compiled(tree)
    if not (core.plain and core.known and X.ndim == 2 and X.dtype.char in "fd" and X.shape[1] == core.width):
        return None
    if not (X.dtype.isnative and X.flags.aligned):
        return None
    packed = core.packed(X.dtype.char)
    if not len(packed):
        return None
    leaves, infinite = _core.apply_dense(packed, X, 1 if len(X) < 10_000 else n_threads(n_jobs))
    if infinite:
        row, column = first_infinite(X) or (0, 0)
        raise ValueError(infinite_sentence(tree.columns[column].name, row))
    return leaves


def leaves(tree: Tree, table: Table, n_jobs: int | None = 1) -> Ints:
    """The leaf of each row, -1 where it follows all paths.

    >>> tree = Tree.from_nested({"column": "x", "<=": 1.5, "yes": "a", "no": "b"})
    >>> leaves(tree, Table.match({"x": [1.0, 2.0]}, tree.columns))
    array([1, 2], dtype=int32)
    """
    n_rows, arrays = routing.arrays_for(tree, table)
    threads = 1 if n_rows < 10_000 else n_threads(n_jobs)
    return _core.apply_columns(compiled(tree).arrays, list(arrays), n_rows, threads)


def complete(tree: Tree, leaves: Ints, arrays: tuple[AnyArray, ...]) -> Routing:
    """The routing of rows whose leaves are known except where they are -1: those follow all paths."""
    open_rows = np.flatnonzero(leaves < 0)
    start = np.arange(len(leaves) + 1, dtype=np.int64)
    if not len(open_rows):
        return Routing(start, leaves, np.ones(len(leaves)))
    by_leaf = tree.policy["weights"] == "leaf"
    weight, share = (tree.weight, None) if by_leaf else (None, routing.branch_shares(tree))
    offset, leaf, part = _core.apply_paths(compiled(tree).arrays, list(arrays), open_rows, weight, share)
    count = np.ones(len(leaves), dtype=np.int64)
    count[open_rows] = np.diff(offset)
    start[1:] = np.cumsum(count)
    rows = np.repeat(np.arange(len(leaves)), count)
    single = leaves[rows] >= 0
    all_leaves, all_weights = np.empty(len(rows), dtype=np.int32), np.ones(len(rows))
    all_leaves[single] = leaves[rows[single]]
    all_leaves[~single], all_weights[~single] = leaf, part
    return Routing(start, all_leaves, all_weights)


def ancestors(tree: Tree) -> sparse.csr_array:
    """Which nodes lie on the path to each node, itself included, as a sparse indicator matrix."""
    depth = tree.depths.astype(np.int64)
    start = np.concatenate(([0], np.cumsum(depth + 1)))
    above = np.empty(start[-1], dtype=np.int64)
    node = np.arange(len(tree))
    place = start[1:] - 1
    for _ in range(int(depth.max()) + 1):
        alive = node >= 0
        above[place[alive]] = node[alive]
        node = np.where(alive, tree.parent[np.maximum(node, 0)], -1)
        place = place - 1
    return sparse.csr_array((np.ones(len(above)), above, start), shape=(len(tree), len(tree)))
