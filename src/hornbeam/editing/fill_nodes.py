"""Filling: the rows of nodes, and the Stats, labels and impurities that follow from them.

One idea: rows travel down as prediction sends them, one node at a time; a gap that no branch was chosen for
is shared among the branches in proportion to the rows that have a value. Sums are exact (`math.fsum`), so
they do not depend on the order of the rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from hornbeam import _core
from hornbeam._base.types import AnyArray, Floats, Longs
from hornbeam.editing.edit_context import EditContext, Rows
from hornbeam.growing import core
from hornbeam.growing.candidates.node_rows import as_in_training
from hornbeam.tree import answers, node_quantiles
from hornbeam.tree.answer_rule import with_answer_rule
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.routing import branches, divide_rows
from hornbeam.tree.tree import Tree


def rows_at(context: EditContext, tree: Tree, node: int) -> Rows:
    """The rows that reach a node, with their weights (1 unless a row is shared among branches)."""
    tree = as_in_training(tree)
    rows, weight = np.arange(context.table.n_rows), np.ones(context.table.n_rows)
    for above, child in zip(tree.path(node), tree.path(node)[1:], strict=False):
        branch = branches(tree, above, context.arrays, rows)
        parts = divide_rows(tree, above, branch, weight * context.weight[rows])
        here = [(part, share) for to, part, share in parts if to == child]
        if not here:
            return rows[:0], weight[:0]
        part, share = here[0]
        own = context.weight[rows[part]]
        weight = np.divide(share, own, out=weight[part].copy(), where=own > 0)
        rows = rows[part]
    return rows, weight


def row_shares(context: EditContext, rows: Longs, weight: Floats) -> Floats:
    """The part of the weight of each row that reaches a node."""
    own = context.weight[rows]
    return np.divide(weight, own, out=np.zeros(len(rows)), where=own > 0)


def descend(context: EditContext, tree: Tree, node: int) -> Iterator[tuple[int, Longs, Floats]]:
    """(node, rows, weights) for a node and everything below it that rows reach, parents first."""
    tree = as_in_training(tree)
    rows, share = rows_at(context, tree, node)
    waiting = [(node, rows, share * context.weight[rows])]
    while waiting:
        here, rows, weight = waiting.pop()
        yield here, rows, weight
        if tree.kind[here] != LEAF:
            parts = divide_rows(tree, here, branches(tree, here, context.arrays, rows), weight)
            waiting += [(child, rows[part], share) for child, part, share in reversed(parts)]


def refilled(context: EditContext, tree: Tree, *starts: int) -> Tree:
    """The tree with Stats, labels and impurities recomputed below some nodes, or everywhere if none is given.

    Gains stay as they are.
    """
    add = _adder(context, tree)
    below = np.zeros(len(tree), dtype=np.bool_)
    for start in starts or (0,):
        below[[node for node, _ in tree.walk(start)]] = True
    below[list(starts)] = False
    stats, n_rows = tree.stats.copy(), tree.n_rows.copy()
    stats[below], n_rows[below] = 0.0, 0
    for node, rows, weight in descend(context, tree, starts[0] if len(starts) == 1 else 0):
        if below[node]:
            stats[node] = add(rows, weight)
            n_rows[node] = context.growth.copies[rows][weight > 0].sum()
    changed: dict[str, Any] = {"stats": stats, "n_rows": n_rows, "fraction": tree.fraction.copy()}
    changed["fraction"][below] = np.nan
    rule = context.rule
    if not starts:
        changed["meta"] = with_answer_rule(tree.meta, rule)
    judged = rule.judged(stats) if tree.task.is_classes else stats
    criterion = tree.meta.get("criterion")
    changed["impurity"] = np.where(below, answers.impurities(judged, tree.task, criterion), tree.impurity)
    if tree.task.is_classes:
        changed["label"] = np.where(below, answers.labels(rule, stats, tree.parent), tree.label)
    filled = tree.replace(**changed)
    return _with_quantiles(context, filled, below)


def _with_quantiles(context: EditContext, tree: Tree, below: Any) -> Tree:
    """The tree with the quantiles its nodes keep; and impurities, where a pinball loss judges."""
    rule = context.rule
    if not rule.kept:
        return tree
    assert context.target.values is not None
    reached = [(node, rows, w) for node, rows, w in descend(context, tree, 0) if tree.kind[node] == LEAF]
    leaf = np.concatenate([np.full(len(rows), node) for node, rows, _ in reached])
    rows = np.concatenate([rows for _, rows, _ in reached])
    weight = np.concatenate([weight for _, _, weight in reached])
    changed, losses = node_quantiles.learn_quantiles(
        tree, leaf, context.target.values[rows], weight, rule.kept
    )
    if rule.level is not None:
        scale = 2.0 if tree.meta.get("criterion") == "absolute" else 1.0
        own = scale * losses[:, sorted(rule.kept).index(rule.level)]
        changed["impurity"] = np.where(below, np.nan_to_num(own), tree.impurity)
    return tree.replace(**changed, meta=with_answer_rule(tree.meta, rule))


def modelled(context: EditContext, tree: Tree) -> Tree:
    """The tree with the equations of its leaves, if the estimator's leaves have some."""
    plan = context.plan
    signs = {column: sign for column, _, sign in plan.constraints.terms}
    return plan.leaf.modelled(tree, context.table, context.target, signs, plan.n_jobs)


def _adder(context: EditContext, tree: Tree) -> Any:
    """The function from rows and their weights to Stats."""
    target = context.target
    if target.codes is not None:
        codes, n = target.codes, tree.stats.shape[1]
        return lambda rows, weight: _by_class(codes[rows], weight, n)
    assert target.values is not None
    y, rates = target.values - tree.center, tree.stats.shape[1] == 4

    def moments(rows: Longs, weight: Floats) -> list[float]:
        here = y[rows]
        terms = [weight, weight * here, weight * here * here]
        if rates:
            terms.append(weight * (here * np.log(np.where(here > 0, here, 1.0))))
        return [math.fsum(term.tolist()) for term in terms]

    return moments


def _by_class(codes: AnyArray, weight: Floats, n: int) -> Floats:
    if (weight == np.rint(weight)).all():  # sums of whole numbers are exact
        return np.bincount(codes, weights=weight, minlength=n).astype(np.float64, copy=False)
    return np.array([math.fsum(weight[codes == k].tolist()) for k in range(n)])


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
    own = list(test.tested_columns(0))
    surrogates: dict[str, Any] = _core.surrogates(views, branch.astype(np.int32), weight, own, rule)
    if not len(surrogates["surrogate_column"]):
        return test
    n = len(surrogates["surrogate_column"])
    surrogates["surrogate_offset"] = np.array([0] + [n] * len(test))  # all of them are the root's
    return test.replace(**surrogates)
