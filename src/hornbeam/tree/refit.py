"""The same tests, other rows: counts, labels, impurities and gains of a Tree recomputed from a table.

One idea: rows travel down as in `hornbeam.tree.routing`, each with a weight. Where a value is missing and the
node has no branch for it, the row's weight is shared among the branches in proportion to the rows that have
the value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam._base.types import Floats, Longs
from hornbeam.data.rates import refuse_no_rate
from hornbeam.tree import annotations as tree_annotations
from hornbeam.tree import answers
from hornbeam.tree.answer_rule import AnswerRule, answer_rule_of, prior_factors, with_answer_rule
from hornbeam.tree.arrays import LEAF
from hornbeam.tree.certificate import KEY as CERTIFICATE
from hornbeam.tree.node_stats import stats_of_groups
from hornbeam.tree.routing import arrays_for, visit_nodes

if TYPE_CHECKING:
    from hornbeam.data.target import Target
    from hornbeam.tree.tree import Tree


def refit(tree: Tree, table: Any, target: Any) -> Tree:
    """The same tests with Stats, labels, impurities and gains from other rows."""
    if tree.outputs:
        raise ValueError(
            "refit fills in one target: refit the tree of each, such as"
            f" tree.output({tree.outputs[0].name!r}).refit(X, y), or fit the estimator anew"
        )
    n_rows, arrays = arrays_for(tree, table)
    goal = in_class_order(tree, _target(tree, table, target))
    weight, copies = goal.row_weight, goal.copies
    if len(weight) != n_rows:
        raise ValueError(
            f"the table has {n_rows} rows and the target {len(weight)}: they must be of one length"
        )
    if not n_rows:
        raise ValueError("the table has no rows: refitting needs at least one")
    if tree.task.is_real and tree.stats.shape[1] == 4 and goal.values is not None:
        refuse_no_rate(goal.values, goal.weights, goal.counts)
    add = stats_adder(tree, goal)
    stats, rows = np.zeros(tree.stats.shape), np.zeros(len(tree), dtype=np.int64)
    if goal.row_costs is None and len(tree.cost_value):
        raise ValueError(
            "this tree answers by costs of each row: refit it with those of the new rows, as"
            " Target.classes_of(y, row_costs=...)"
        )
    burdens = None if goal.row_costs is None else np.zeros(tree.stats.shape)
    rule = _answer_rule(tree, goal, add(np.arange(n_rows), weight))
    each = np.ones(n_rows) if rule.factors is None else rule.factors[goal.codes]
    reached: list[tuple[int, Longs, Floats]] = []
    rows_at: dict[int, tuple[Longs, Floats]] = {}
    for visit in visit_nodes(tree, arrays, weight):
        node, here, share = visit.node, visit.rows, visit.weight
        stats[node] = add(here, share)
        rows[node] = copies[here][share > 0].sum()
        if goal.row_costs is not None and burdens is not None:
            burdens[node] = (share * each[here]) @ goal.row_costs[here]
        rows_at[node] = here, share
        if tree.kind[node] == LEAF:
            reached.append((node, here, share))
    # p-values were those of other rows
    meta = tree_annotations.with_entries(tree.meta, tree_annotations.FACTS, {})
    meta = tree_annotations.with_entries(meta, CERTIFICATE, {})
    changed: dict[str, Any] = {"n_rows": rows, "meta": with_answer_rule(meta, rule)}
    changed |= answers.summary(tree, stats, rule, burdens)
    levels = answers.quantile_levels(tree)
    if levels:
        changed |= quantile_arrays(tree, goal, reached, levels, rule.level)
    if tree.task.is_survival:
        changed |= _curves(tree, goal, reached) | _log_ranks(tree, goal, rows_at)
    if rule.level is not None:
        changed["gain"] = answers.gains(
            tree.first_child, tree.n_children, stats[:, 0], changed["impurity"], tree.meta.get("criterion")
        )
    return tree.replace(**changed)


def quantile_arrays(
    tree: Tree,
    target: Target,
    reached: Sequence[tuple[int, Longs, Floats]],
    levels: Sequence[float],
    level: float | None,
) -> dict[str, Any]:
    """The quantiles that the nodes keep; and impurities, where the pinball loss of a level judges.

    `reached` has the rows of each leaf and their weights.
    """
    assert target.values is not None
    leaf = np.concatenate([np.full(len(rows), node) for node, rows, _ in reached])
    rows, weight = (np.concatenate([each[k] for each in reached]) for k in (1, 2))
    y = target.values[rows.astype(np.int64)]
    arrays, losses = answers.learn_quantiles(tree, leaf, y, weight, levels)
    if level is not None:
        scale = 2.0 if tree.meta.get("criterion") == "absolute" else 1.0
        arrays["impurity"] = scale * losses[:, sorted(levels).index(level)]
    return arrays


def _curves(tree: Tree, target: Target, reached: Sequence[tuple[int, Longs, Floats]]) -> dict[str, Any]:
    """The survival curves of the nodes, from the rows of each leaf and their weights."""
    from hornbeam.data.survival import person_weights
    from hornbeam.tree.survival_curves import curve_arrays

    leaf = np.concatenate([np.full(len(rows), node) for node, rows, _ in reached])
    rows, weight = (np.concatenate([each[k] for each in reached]) for k in (1, 2))
    row = rows.astype(np.int64)
    share = np.divide(weight, target.row_weight[row], out=np.zeros(len(row)), where=weight > 0)
    return curve_arrays(tree, target, row, leaf, share * person_weights(target)[row])


def _log_ranks(tree: Tree, target: Target, rows_at: dict[int, tuple[Longs, Floats]]) -> dict[str, Any]:
    """The log-rank statistic of each test of two branches, where that judged the splits."""
    if tree.meta.get("criterion") != "log-rank":
        return {}
    from hornbeam._base.survival_statistics import log_rank_statistic
    from hornbeam.data.survival import outcome_of, person_weights

    time, event = outcome_of(target)
    persons = person_weights(target) / np.where(target.row_weight > 0, target.row_weight, 1.0)
    gain = np.zeros(len(tree))
    for node in np.flatnonzero(tree.n_children == 2).tolist():
        sides = [rows_at[child] for child in tree.children(node) if child in rows_at]
        if len(sides) == 2:
            rows = np.concatenate([rows for rows, _ in sides])
            first = np.arange(len(rows)) < len(sides[0][0])
            weight = np.concatenate([share for _, share in sides]) * persons[rows]
            gain[node] = log_rank_statistic(time[rows], event[rows], first, weight)
    return {"gain": gain}


def _target(tree: Tree, table: Any, target: Any) -> Target:
    from hornbeam.data.target import Target

    if tree.task.is_survival and not isinstance(target, Target):
        from hornbeam.data.survival import survival_target, two_columns

        return survival_target(two_columns(table, target)[1])  # perhaps names of columns
    if not isinstance(target, Target):
        return Target.classes_of(target) if tree.task.is_classes else Target.real_of(target)
    if target.task.is_classes != tree.task.is_classes:
        raise ValueError(f"the target is of kind {target.task!r}, but the tree has task={tree.task!r}")
    return target


def stats_adder(tree: Tree, target: Target) -> Callable[[Longs, Floats], Floats]:
    """The function from rows and their weights to Stats, which do not depend on the order of the rows."""
    width = tree.stats.shape[1]
    if target.codes is not None:
        codes = target.codes

        def tally(rows: Longs, w: Floats) -> Floats:
            if (w != np.rint(w)).any():  # sums of whole numbers are exact
                return np.array([math.fsum(w[codes[rows] == k].tolist()) for k in range(width)])
            return np.bincount(codes[rows], weights=w, minlength=width).astype(np.float64, copy=False)

        return tally
    if width == 1:  # a density counts
        return lambda rows, w: np.array([math.fsum(w.tolist())])  # noqa: ARG005
    assert target.values is not None
    y = target.values
    return lambda rows, w: stats_of_groups(np.zeros(len(rows), np.int32), 1, w, y[rows], width)[0]


def in_class_order(tree: Tree, target: Target) -> Target:
    """The target with the classes of the tree, in their order."""
    if tree.classes is None or target.classes == tree.classes:
        return target
    place = {label: code for code, label in enumerate(tree.classes)}
    unknown = [label for label in target.classes if label not in place]
    if unknown:
        known = ", ".join(map(repr, place))
        raise ValueError(
            f"y has the class {unknown[0]!r}, which the tree does not know: its classes are {known}"
        )
    code = np.array([place[label] for label in target.classes], dtype=np.int32)
    changed: dict[str, Any] = {"codes": code[target.codes], "classes": tree.classes}
    if target.class_weights is not None:
        changed["class_weights"] = np.ones(len(place))
        changed["class_weights"][code] = target.class_weights
    if target.row_costs is not None:
        lacking = [label for label in tree.classes if label not in target.classes]
        if lacking:
            raise ValueError(
                f"row_costs say nothing about the class {lacking[0]!r} of the tree: give rows of all its"
                " classes"
            )
        changed["row_costs"] = target.row_costs[:, np.argsort(code)]
    return replace(target, **changed)


def known_codes(tree: Tree, target: Target) -> Longs:
    """The class of each row as the tree counts classes, -1 where it does not know it."""
    assert target.codes is not None
    place = {label: code for code, label in enumerate(tree.classes or ())}
    return np.array([place.get(label, -1) for label in target.classes], dtype=np.int64)[target.codes]


def _answer_rule(tree: Tree, target: Target, totals: Floats) -> AnswerRule:
    """The tree's rule; what priors multiply the weight of a class by follows from the new rows."""
    rule = answer_rule_of(tree.meta)
    if rule.priors is None:
        return rule
    own = target.class_weights
    if own is not None:
        totals = np.divide(totals, own, out=np.zeros_like(totals), where=own > 0)
    return replace(rule, factors=prior_factors(rule.priors, totals))
