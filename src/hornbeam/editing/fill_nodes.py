"""Filling: the rows of nodes, and the Stats, labels and impurities that follow from them.

One idea: rows travel down as prediction sends them, one node at a time; a gap that no branch was chosen for
is shared among the branches in proportion to the rows that have a value. Stats are exact, so they do not
depend on the order of the rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from hornbeam import _core
from hornbeam._base.types import Bools, Floats, Longs
from hornbeam.editing.edit_context import EditContext, Rows
from hornbeam.growing import core
from hornbeam.tree import answers
from hornbeam.tree.answer_rule import with_answer_rule
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.refit import quantile_arrays, stats_adder
from hornbeam.tree.routing import as_in_training, visit_nodes
from hornbeam.tree.tree import Tree


def rows_at(context: EditContext, tree: Tree, node: int) -> Rows:
    """The rows that reach a node, with their weights (1 unless a row is shared among branches)."""
    for _, rows, weight in descend(context, tree, node):
        return rows, row_shares(context, rows, weight)
    return np.empty(0, dtype=np.int64), np.empty(0)


def row_shares(context: EditContext, rows: Longs, weight: Floats) -> Floats:
    """The part of the weight of each row that reaches a node."""
    own = context.weight[rows]
    return np.divide(weight, own, out=np.ones(len(rows)), where=own > 0)


def descend(context: EditContext, tree: Tree, node: int) -> Iterator[tuple[int, Longs, Floats]]:
    """(node, rows, weights) for a node and everything below it that rows reach, parents first."""
    for visit in visit_nodes(as_in_training(tree), context.arrays, context.weight, start=node):
        yield visit.node, visit.rows, visit.weight


def refilled(context: EditContext, tree: Tree, *starts: int) -> Tree:
    """The tree with Stats, labels and impurities recomputed below some nodes, or everywhere if none is given.

    Gains stay as they are.
    """
    add = stats_adder(tree, context.target)
    below: Bools = np.zeros(len(tree), dtype=np.bool_)
    for start in starts or (0,):
        below[[node for node, _ in tree.walk(start)]] = True
    below[list(starts)] = False
    stats, n_rows = tree.stats.copy(), tree.n_rows.copy()
    stats[below], n_rows[below] = 0.0, 0
    for node, rows, weight in descend(context, tree, starts[0] if len(starts) == 1 else 0):
        if below[node]:
            stats[node] = add(rows, weight)
            n_rows[node] = context.growth.copies[rows][weight > 0].sum()
    if not starts:
        tree = tree.replace(meta=with_answer_rule(tree.meta, context.rule))
    return _with_quantiles(context, with_stats(context, tree, stats, n_rows, below), below)


def with_stats(context: EditContext, tree: Tree, stats: Floats, n_rows: Longs, below: Bools) -> Tree:
    """The tree with other Stats of some nodes, and the labels and impurities that follow from them."""
    changed: dict[str, Any] = {"stats": stats, "n_rows": n_rows, "fraction": tree.fraction.copy()}
    changed["fraction"][below] = np.nan
    rule = context.rule
    judged = rule.judged(stats) if tree.task.is_classes else stats
    criterion = tree.meta.get("criterion")
    changed["impurity"] = np.where(below, answers.impurities(judged, tree.task, criterion), tree.impurity)
    if tree.task.is_classes:
        changed["label"] = np.where(below, answers.labels(rule, stats, tree.parent), tree.label)
    return tree.replace(**changed)


def _with_quantiles(context: EditContext, tree: Tree, below: Bools) -> Tree:
    """The tree with the quantiles its nodes keep; and impurities, where a pinball loss judges."""
    rule = context.rule
    if not rule.kept:
        return tree
    reached = [entry for entry in descend(context, tree, 0) if tree.kind[entry[0]] == LEAF]
    changed = quantile_arrays(tree, context.target, reached, rule.kept, rule.level)
    if "impurity" in changed:
        changed["impurity"] = np.where(below, np.nan_to_num(changed["impurity"]), tree.impurity)
    return tree.replace(**changed, meta=with_answer_rule(tree.meta, rule))


def modelled(context: EditContext, tree: Tree) -> Tree:
    """The tree with the equations of its leaves, if the estimator's leaves have some."""
    plan = context.plan
    signs = {column: sign for column, _, sign in plan.constraints.terms}
    return plan.leaf.modelled(tree, context.table, context.target, signs, plan.n_jobs)


def with_surrogates(context: EditContext, test: Tree, rows: Rows, branch: Longs) -> Tree:
    """The test with the columns that imitate it best; `branch` is that of each row, -1 if unknown."""
    rule = context.plan.missing.surrogate_rule()
    if rule is None or int(test.n_children[0]) != 2:
        return test
    place, share = rows
    views = [
        core.core_column(context.plan, column, np.ascontiguousarray(array[place]))
        for column, array in zip(context.table.columns, context.arrays, strict=True)
    ]
    weight = np.ascontiguousarray(share * context.growth.weight[place])
    copies = np.ascontiguousarray(context.growth.copies[place])
    own = list(test.tested_columns(0))
    side = branch.astype(np.int32)
    surrogates: dict[str, Any] = _core.surrogates(views, side, weight, copies, own, rule)
    if not len(surrogates["surrogate_column"]):
        return test
    n = len(surrogates["surrogate_column"])
    surrogates["surrogate_offset"] = np.array([0] + [n] * len(test))  # all of them are the root's
    return test.replace(**surrogates)
