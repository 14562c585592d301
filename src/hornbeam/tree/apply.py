"""Rows through a Tree with the compiled core, where it knows every test of the tree; else node by node.

One idea: almost every row ends in one leaf. Those come back as one array; the few that follow all paths are
asked for again, with the weights of the leaves they reach.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam import _core
from hornbeam._base.parameters import n_threads
from hornbeam._base.types import AnyArray, Floats, Ints, Longs
from hornbeam.data.columns import infinite_sentence
from hornbeam.data.floats import first_infinite
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.tree import equations, routing
from hornbeam.tree.arrays import EQUALS, MULTIWAY, SUBSET, THRESHOLD
from hornbeam.tree.routing import ALL_PATHS, Routing
from hornbeam.tree.shape import remember
from hornbeam.tree.tree import Tree

if TYPE_CHECKING:
    from scipy import sparse

_FEW = 10_000  # rows that one thread takes to their leaves sooner than several are started


class Compiled:
    """What the core can do with a tree, and the nodes packed for dense rows; made once for each tree."""

    def __init__(self, tree: Tree) -> None:
        self.known = bool((tree.kind <= MULTIWAY).all()) and not tree.surrogate_offset[-1]
        if tree.policy["unseen"] == "other" and (tree.kind == EQUALS).any():
            self.known = False
        self.plain = self.known and all(column.is_number for column in tree.columns)
        self.width = len(tree.columns)
        self.packed: dict[str, AnyArray] = {}


def compiled(tree: Tree) -> Compiled:
    """What the core can do with the tree; kept with the tree."""
    return remember(tree, "_compiled", lambda: Compiled(tree))


def tests(tree: Tree) -> dict[str, Any]:
    """The tests of a tree as the core reads them; kept with the tree."""
    return remember(tree, "_tests", lambda: _tests(tree))


def _tests(tree: Tree) -> dict[str, Any]:
    maps = bool(np.isin(tree.kind, (SUBSET, MULTIWAY)).any())
    used = {
        "kind": True, "first_child": True, "n_children": True, "column": True, "threshold": True,
        "missing": (tree.missing >= 0).any(), "absent": (tree.absent >= 0).any(),
        "map_offset": maps, "map_code": maps, "map_branch": maps,
    }  # fmt: skip
    arrays = {name: np.ascontiguousarray(getattr(tree, name)) if on else None for name, on in used.items()}
    missing = tree.policy["missing"]
    return arrays | {"all_paths": missing == "all-paths", "unseen_all_paths": missing == "learn"}


def packed(tree: Tree, char: str) -> AnyArray:
    """The nodes packed for rows of float32 ("f") or float64 ("d"); empty if a test is no threshold."""
    nodes_of_type = compiled(tree).packed
    if char not in nodes_of_type:
        compact = tree.__dict__.get("_compact")
        if compact is None:
            nodes_of_type[char] = (_core.pack32 if char == "f" else _core.pack64)(tests(tree))
        else:
            missing = None if tree.policy["missing"] == "all-paths" else compact.get("missing")
            pack = _core.pack32_compact if char == "f" else _core.pack64_compact
            nodes_of_type[char] = pack(compact | {"missing": missing})
    return nodes_of_type[char]


def threads_for(n_rows: int, n_jobs: int | None) -> int:
    """How many threads take so many rows to their leaves: one for a few.

    >>> threads_for(10, 4)
    1
    """
    return 1 if n_rows < _FEW else n_threads(n_jobs)


def dense_leaves(tree: Tree, X: AnyArray, n_jobs: int | None) -> Ints | None:
    """The leaf of each row of a plain float array (-1: all paths); None if array or tree is not plain.

    >>> tree = Tree.from_nested({"column": "x", "<=": 1.5, "yes": "a", "no": "b"})
    >>> dense_leaves(tree, np.array([[1.0], [np.nan], [2.0]]), None)
    array([ 1, -1,  2], dtype=int32)
    """
    core = compiled(tree)
    char = X.dtype.char
    if char not in "fd" or X.ndim != 2 or X.shape[1] != core.width or not core.plain:
        return None
    if not (X.dtype.isnative and X.flags.aligned):
        return None
    nodes = packed(tree, char)
    if not len(nodes):
        return None
    leaves, infinite = _core.apply_dense(nodes, X, threads_for(len(X), n_jobs))
    if infinite:
        row, column = first_infinite(X) or (0, 0)
        raise ValueError(infinite_sentence(tree.columns[column].name, row))
    return leaves


def leaves(tree: Tree, table: Any, n_jobs: int | None = 1) -> Ints:
    """The leaf of each row, -1 where it follows all paths; by whole rows where they lie in one piece.

    >>> tree = Tree.from_nested({"column": "x", "<=": 1.5, "yes": "a", "no": "b"})
    >>> leaves(tree, Table.match({"x": [1.0, 2.0]}, tree.columns))
    array([1, 2], dtype=int32)
    """
    if isinstance(table, Table) and table.columns == tree.columns:
        leaf_of_row = None if table.dense is None else dense_leaves(tree, table.dense, n_jobs)
        if leaf_of_row is not None:
            return leaf_of_row
        if table.sparse is not None and (tree.kind <= THRESHOLD).all():
            rows = table.sparse.by_column.tocsr()
            start, columns = rows.indptr.astype(np.int64), rows.indices.astype(np.int32, copy=False)
            return _core.sparse_leaves(tests(tree), start, columns, rows.data, len(tree.columns))
    if not compiled(tree).known:
        reached = routing.route(tree, table)
        return np.where(np.diff(reached.start) == 1, reached.leaf[reached.start[:-1]], ALL_PATHS).astype(
            np.int32
        )
    n_rows, arrays = routing.arrays_for(tree, table)
    return _core.apply_columns(tests(tree), list(arrays), n_rows, threads_for(n_rows, n_jobs))


def complete_routing(tree: Tree, leaves: Ints, columns: tuple[AnyArray, ...] | None) -> Routing:
    """The routing of rows whose leaves are known, except where they are -1: those follow all paths.

    `columns` are the rows' columns, which may be None if no leaf is -1.
    """
    if columns is None:
        return Routing(np.arange(len(leaves) + 1, dtype=np.int64), leaves, np.ones(len(leaves)))
    open_rows = np.flatnonzero(leaves < 0)
    offset, leaf, part = _paths(tree, columns, open_rows)
    count = np.ones(len(leaves), dtype=np.int64)
    count[open_rows] = np.diff(offset)
    start = np.concatenate(([0], np.cumsum(count)))
    all_leaves = np.repeat(leaves, count)
    weights = np.ones(len(all_leaves))
    on_all_paths = all_leaves < 0
    all_leaves[on_all_paths], weights[on_all_paths] = leaf, part
    return Routing(start, all_leaves, weights)


def _paths(tree: Tree, columns: tuple[AnyArray, ...], rows: Longs) -> tuple[Longs, Ints, Floats]:
    """Offsets, leaves and weights of some rows that follow all paths somewhere."""
    core = compiled(tree)
    if not core.known:
        some = Table(tree.columns, len(rows), tuple(column[rows] for column in columns))
        reached = routing.route(tree, some)
        return reached.start, reached.leaf, reached.weight
    by_leaf = tree.policy["weights"] == "leaf"
    weight, share = (tree.weight, None) if by_leaf else (None, routing.branch_shares(tree))
    return _core.apply_paths(tests(tree), list(columns), rows, weight, share)


def row_values(tree: Tree, leaves: Ints, columns: tuple[AnyArray, ...] | None, n_jobs: int | None) -> Floats:
    """The mean of each row's leaf, or what its equation says; rows whose leaf is -1 follow all paths.

    `columns` are the rows' columns, which may be None if no leaf is -1 and none answers with an equation.
    """
    if columns is None:
        return tree.answers().take(leaves)
    reached = complete_routing(tree, leaves, columns if leaves.min() < 0 else None)
    if not tree.has_models:
        return routing.values(tree, reached)
    values = evaluate(tree, columns, reached, n_jobs)
    return values if reached.single else routing.weighted(reached, values[:, None])[:, 0]


def evaluate(tree: Tree, columns: Sequence[AnyArray], reached: Routing, n_jobs: int | None = 1) -> Floats:
    """What the leaves reached answer about their rows, by their equations or means, one number per entry."""
    rows, threads = None if reached.single else reached.rows, threads_for(len(reached.leaf), n_jobs)
    return equations.evaluate(tree, columns, reached.leaf, rows, threads)


def training_entries(
    tree: Tree, table: Table, target: Target, n_jobs: int | None = 1
) -> tuple[Longs, Longs, Floats]:
    """(row, leaf, weight) of every training row, where growing sent it; a row may be in several leaves."""
    tree = routing.as_in_training(tree)
    reached = leaves(tree, table, n_jobs)
    entries = complete_routing(tree, reached, table.arrays if reached.min() < 0 else None)
    row = entries.rows
    weight = entries.weight * target.row_weight[row]
    return row, entries.leaf.astype(np.int64), weight


def ancestors(tree: Tree) -> sparse.csr_array:
    """Which nodes lie on the path to each node, itself included, as a sparse indicator matrix."""
    from scipy import sparse  # here: prediction does not wait for it

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
