"""Growth of a large sparse matrix: what it may be, its loop, and its Stats, added up exactly at the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hornbeam import _core
from hornbeam._base.parameters import n_threads
from hornbeam._base.types import Floats, Longs
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.growing.candidates.node_splits import Proposal
from hornbeam.growing.candidates.sparse_search import SparseGrowth, SparseSearch
from hornbeam.growing.core import Progress
from hornbeam.growing.leaves import LeafModel
from hornbeam.growing.missing import MissingRule
from hornbeam.growing.plan import Plan
from hornbeam.growing.selections import Best
from hornbeam.growing.stepwise import Frontier, numbered_nodes, tree_of
from hornbeam.growing.stepwise_growth import Node
from hornbeam.tree.node_stats import stats_of_tree
from hornbeam.tree.tree import Tree


def grow(plan: Plan, table: Table, target: Target, progress: Progress | None) -> tuple[Tree, bool]:
    """The tree of a large sparse matrix, and whether growing was interrupted."""
    refuse_for_sparse(plan, table.columns)
    growth = SparseGrowth(replace(plan, n_jobs=n_threads(plan.n_jobs)), table, target)
    frontier = SparseFrontier(growth, SparseSearch(growth, None), progress)
    interrupted = frontier.run()
    nodes, _ = numbered_nodes(frontier.root)
    rows = {number: node.rows for number, node in enumerate(nodes) if not node.children}
    return summed_anew(growth, tree_of(growth, frontier.root), rows), interrupted


def refuse_for_sparse(plan: Plan, columns: Sequence[Any]) -> None:
    """Raise for choices that look at the columns of a sparse matrix in another way than by thresholds."""
    refused = {
        f"split={plan.split!r}": plan.split.method != "core",
        f"selection={plan.selection!r}": not isinstance(plan.selection, Best),
        f"search={plan.search!r}": plan.search.method != "core",
        f"missing={plan.missing!r}": plan.missing.core_rule == MissingRule.SURROGATES,
        "monotonic_cst": bool(plan.constraints.functionals),
        f"criterion={plan.criterion!r}": plan.criterion.level is not None,
        f"max_features={plan.max_features!r}": 0 < plan.max_features < len(columns),
        f"leaf={plan.leaf!r}": type(plan.leaf).modelled is not LeafModel.modelled,
    }
    for given, is_refused in refused.items():
        if is_refused:
            raise ValueError(
                f"{given} is not possible with a large sparse matrix: leave it at its default, or give the"
                " columns that matter as a dense table, X[:, some].toarray()"
            )


class SparseFrontier(Frontier):
    """The same for a sparse matrix: the child of most rows comes first, and takes over its parent's tally."""

    search: SparseSearch

    def _split(self, node: Node, proposal: Proposal) -> list[Node]:
        children = sorted(super()._split(node, proposal), key=lambda child: -len(child.rows))
        self.search.split_made(node, children)
        return children


def summed_anew(growth: SparseGrowth, tree: Tree, rows_of_leaf: Mapping[int, Longs]) -> Tree:
    """The tree with Stats that the core adds up exactly, and with the impurities that it computes of them."""
    rows = np.concatenate(list(rows_of_leaf.values()))
    leaf = np.repeat(
        np.array(list(rows_of_leaf), dtype=np.int64), [len(some) for some in rows_of_leaf.values()]
    )
    weight = growth.weight[rows]
    if growth.values is not None:
        stats = stats_of_tree(tree, leaf, weight, growth.values[rows], growth.width)
        return _with(tree, stats, growth.impurity(stats))
    assert growth.codes is not None
    codes = growth.codes[rows]
    of_class = (np.flatnonzero(codes == k) for k in range(growth.width))
    stats = np.stack(
        [stats_of_tree(tree, leaf[own], weight[own], np.zeros(len(own)))[:, 0] for own in of_class], axis=1
    )
    whole = bool((growth.weight == np.rint(growth.weight)).all() and growth.total < 2**53)
    counts = stats.astype(np.int64).reshape(-1) if whole else None
    criterion = growth.plan.criterion.name
    impurity = (
        growth.impurity(stats) if counts is None else _core.class_impurities(criterion, counts, growth.width)
    )
    return _with(tree, stats, impurity)


def _with(tree: Tree, stats: Floats, impurity: Floats) -> Tree:
    return Tree.unchecked(**(tree.attributes() | tree.arrays() | {"stats": stats, "impurity": impurity}))
