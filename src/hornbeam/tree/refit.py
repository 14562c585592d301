"""The same tests, other rows: counts, labels, impurities and gains of a Tree recomputed from a table.

One idea: rows travel down as in `hornbeam.tree.routing`, each with a weight. Where a value is missing and the
node has no branch for it, the row's weight is shared among the branches in proportion to the rows that have
the value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam._base.types import Floats, Longs
from hornbeam.data.weights import refuse_no_rate
from hornbeam.tree import annotations as tree_annotations
from hornbeam.tree import answers, node_quantiles
from hornbeam.tree.answer_rule import AnswerRule, answer_rule_of, prior_factors, with_answer_rule
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.routing import arrays_for, visit_nodes

if TYPE_CHECKING:
    from hornbeam.data.target import Target
    from hornbeam.tree.tree import Tree


def refit(tree: Tree, table: Any, target: Any) -> Tree:
    """The same tests with Stats, labels, impurities and gains from other rows."""
    n_rows, arrays = arrays_for(tree, table)
    goal = _target(tree, target)
    add, center, weight, copies = _adder(tree, goal)
    if len(weight) != n_rows:
        raise ValueError(
            f"the table has {n_rows} rows and the target {len(weight)}: they must be of one length"
        )
    if not n_rows:
        raise ValueError("the table has no rows: refitting needs at least one")
    stats, rows = np.zeros(tree.stats.shape), np.zeros(len(tree), dtype=np.int64)
    row_costs = _costs(tree, goal)
    burdens = None if row_costs is None else np.zeros(tree.stats.shape)
    rule = _answer_rule(tree, goal, add(np.arange(n_rows), weight))
    each = np.ones(n_rows) if rule.factors is None else rule.factors[class_codes(tree, goal)]
    reached: list[tuple[int, Longs, Floats]] = []
    for visit in visit_nodes(tree, arrays, weight):
        node, here, share = visit.node, visit.rows, visit.weight
        stats[node] = add(here, share)
        rows[node] = copies[here][share > 0].sum()
        if row_costs is not None and burdens is not None:
            burdens[node] = (share * each[here]) @ row_costs[here]
        if tree.kind[node] == LEAF:
            reached.append((node, here, share))
    # p-values were those of other rows
    meta = tree_annotations.with_entries(tree.meta, tree_annotations.FACTS, {})
    changed = {"center": center, "n_rows": rows, "meta": with_answer_rule(meta, rule)}
    changed |= answers.summary(tree, stats, rule, burdens)
    return tree.replace(**(changed | _quantiles(tree, goal, reached, stats)))


def _quantiles(
    tree: Tree, goal: Target, reached: list[tuple[int, Longs, Floats]], stats: Floats
) -> dict[str, Any]:
    """The quantiles that the nodes keep; and impurities and gains, where a pinball loss judges."""
    levels = node_quantiles.levels_of(tree)
    if not levels:
        return {}
    assert goal.values is not None
    leaf = np.concatenate([np.full(len(rows), node) for node, rows, _ in reached])
    rows, weight = (np.concatenate([each[k] for each in reached]) for k in (1, 2))
    arrays, losses = node_quantiles.learn_quantiles(
        tree, leaf, goal.values[rows.astype(np.int64)], weight, levels
    )
    level, criterion = answer_rule_of(tree.meta).level, tree.meta.get("criterion")
    if level is not None:
        scale = 2.0 if criterion == "absolute" else 1.0
        arrays["impurity"] = scale * losses[:, levels.index(level)]
        arrays["gain"] = answers.gains(
            tree.first_child, tree.n_children, stats[:, 0], arrays["impurity"], criterion
        )
    return arrays


def _target(tree: Tree, target: Any) -> Target:
    from hornbeam.data.target import Target

    if isinstance(target, Target):
        return target
    return Target.classes_of(target) if tree.task.is_classes else Target.real_of(target)


def _adder(tree: Tree, target: Target) -> tuple[Callable[[Longs, Floats], Floats], float, Floats, Longs]:
    """The function from rows and their weights to Stats; the center; row weights; repetitions."""
    if target.task.is_classes != tree.task.is_classes:
        raise ValueError(f"the target is of kind {target.task!r}, but the tree has task={tree.task!r}")
    outcome = target.codes if target.codes is not None else target.values
    assert outcome is not None
    copies, weight = target.copies, target.row_weight
    if target.codes is not None:
        codes, n_classes = class_codes(tree, target), len(tree.classes or ())

        def tally(rows: Longs, w: Floats) -> Floats:
            return np.bincount(codes[rows], weights=w, minlength=n_classes).astype(np.float64, copy=False)

        return tally, 0.0, weight, copies
    if tree.task.is_density:
        return lambda _, w: w.sum(keepdims=True), 0.0, weight, copies
    rates = tree.stats.shape[1] == 4
    if rates:
        refuse_no_rate(target.values, target.weights, target.counts)
    center = float(np.average(outcome, weights=weight)) if weight.sum() > 0 and not rates else 0.0
    y = outcome - center

    def moments(rows: Longs, w: Floats) -> Floats:
        here = y[rows]
        more = [(w * here * np.log(np.where(here > 0, here, 1.0))).sum()] if rates else []
        return np.array([w.sum(), (w * here).sum(), (w * here**2).sum(), *more])

    return moments, center, weight, copies


def class_codes(tree: Tree, target: Target) -> Longs:
    """The target's codes in the tree's class order."""
    place = {label: code for code, label in enumerate(tree.classes or ())}
    unknown = [label for label in target.classes if label not in place]
    if unknown:
        known = ", ".join(map(repr, place))
        raise ValueError(
            f"the target has the class {unknown[0]!r}, which the tree does not know: its classes are {known}"
        )
    codes: Longs = np.array([place[label] for label in target.classes], dtype=np.int64)[target.codes]
    return codes


def _answer_rule(tree: Tree, target: Target, totals: Floats) -> AnswerRule:
    """The tree's rule; what priors multiply the weight of a class by follows from the new rows."""
    rule = answer_rule_of(tree.meta)
    if rule.priors is None:
        return rule
    if target.class_weights is not None:
        class_weight = dict(zip(target.classes, target.class_weights.tolist(), strict=True))
        own = np.array([class_weight.get(label, 1.0) for label in tree.classes or ()])
        totals = np.divide(totals, own, out=np.zeros_like(totals), where=own > 0)
    return replace(rule, factors=prior_factors(rule.priors, totals))


def _costs(tree: Tree, target: Target) -> Floats | None:
    """The costs of the target's rows in the tree's class order, None if they have none."""
    if target.row_costs is None:
        if len(tree.cost_value):
            raise ValueError(
                "this tree answers by costs of each row: refit it with those of the new rows, as"
                " Target.classes_of(y, row_costs=...)"
            )
        return None
    lacking = [label for label in tree.classes or () if label not in target.classes]
    if lacking:
        raise ValueError(
            f"the target's row_costs say nothing about the class {lacking[0]!r} of the tree: refit it on rows"
            " of all its classes"
        )
    return target.row_costs[:, [target.classes.index(label) for label in tree.classes or ()]]
