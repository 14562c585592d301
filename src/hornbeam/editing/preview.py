"""What a test chosen by hand would do to its node: the test and its branches, without the rest of the tree.

A cut that is dragged asks for this again and again, so only the rows of the node are looked at, and only the
column that is tested.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hornbeam.editing.chosen_split import chosen_split, rank
from hornbeam.editing.edit_context import EditContext, Rows
from hornbeam.editing.edit_words import open_leaf, standing_test
from hornbeam.editing.fill_nodes import rows_at, with_stats
from hornbeam.editing.operations import parse_operation
from hornbeam.editing.split_node import like_before, placed
from hornbeam.tree.refit import stats_adder
from hornbeam.tree.routing import as_in_training, visit_nodes
from hornbeam.tree.tree import Tree

TESTS = ("split", "move", "regroup")


def preview_test(
    context: EditContext, tree: Tree, operation: Mapping[str, Any]
) -> tuple[Tree, dict[str, Any]] | None:
    """The tree of one test that an operation would make, its nodes filled; and where the test stands.

    None where only the whole operation can tell: a test that is left to the estimator, leaves that answer by
    equations or quantiles.
    """
    name, given = parse_operation(operation)
    chosen = [given.get(key) for key in ("at", "groups", "multiway")]
    if name not in TESTS or all(one is None for one in chosen) or tree.has_models or context.rule.kept:
        return None
    node = open_leaf(tree, given["node"]) if name == "split" else standing_test(tree, given["node"])
    column = context.column(given["on"]) if name == "split" else int(tree.column[node])
    rows = rows_at(context, tree, node)
    split = chosen_split(context, column, rows, chosen[0], "multiway" if chosen[2] else chosen[1])
    if name == "split":
        test, score = placed(context, split, rows, given.get("missing"))
    else:
        test, score = like_before(context, tree, node, split, rows)
    facts = rank(context, tree, node, rows, column, score)
    return _filled(context, tree, node, test, rows), facts


def _filled(context: EditContext, tree: Tree, node: int, test: Tree, rows: Rows) -> Tree:
    """The test with the Stats of the rows at the node, those of its branches added up."""
    place, share = rows
    needed = set(test.tested_columns(0)) | set(test.surrogate_column.tolist())
    arrays = tuple(array[place] if k in needed else array[:0] for k, array in enumerate(context.table.arrays))
    add = stats_adder(tree, context.target)
    stats, n_rows = np.zeros((len(test), tree.stats.shape[1])), np.zeros(len(test), dtype=np.int64)
    stats[0], n_rows[0] = tree.stats[node], tree.n_rows[node]
    weight = share * context.weight[place]
    for visit in visit_nodes(as_in_training(test), arrays, weight, start=0):
        if visit.node:
            stats[visit.node] = add(place[visit.rows], visit.weight)
            n_rows[visit.node] = context.growth.copies[place[visit.rows]][visit.weight > 0].sum()
    below = np.arange(len(test)) >= 0
    return with_stats(context, test, stats, n_rows, below)
