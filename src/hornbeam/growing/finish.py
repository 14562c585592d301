"""Learn a tree: weigh the rows by priors and costs, grow, and put the rows' own Stats into the grown tree.

Costs and priors act in growing as weights of rows (Breiman et al. 1984, section 4.4: altered
priors). Once the tests stand, the weights have done their work: nodes go back to what their rows add up to,
and the tree's AnswerRule says how that becomes an answer.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, cast

import numpy as np

from hornbeam._base.types import AnyArray, Floats, Longs
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.data.weights_and_costs import class_priors, cost_matrix, multiply_weights, stakes
from hornbeam.growing.core import Progress
from hornbeam.growing.criteria import Criterion, Exponential, Variance
from hornbeam.growing.grower import grow, without_tests
from hornbeam.growing.interruption import GrowthStopped
from hornbeam.growing.plan import Constraints, Plan
from hornbeam.growing.selections import Conditional
from hornbeam.growing.several_targets import refuse_rule
from hornbeam.tree import answers, apply
from hornbeam.tree.answer_rule import PLAIN, AnswerRule, mistake_costs, prior_factors, with_answer_rule
from hornbeam.tree.answers import learn_quantiles
from hornbeam.tree.node_stats import stats_of_tree
from hornbeam.tree.tree import Tree


def answer_rule_for(
    target: Target, choices: dict[str, Any], priors: Any = None, costs: Any = None
) -> AnswerRule:
    """How the nodes of a tree for this target answer; `choices` is what the leaf model says about it."""
    if priors is None and costs is None and target.row_costs is None and _are_plain(choices):
        return PLAIN
    shares, matrix = class_priors(priors, target.classes), cost_matrix(costs, target.classes)
    if target.row_costs is not None and matrix is not None:
        raise ValueError("costs and row_costs both say what mistakes cost: give one of them")
    if choices.get("label") == "median" and (matrix is not None or target.row_costs is not None):
        given = "costs" if matrix is not None else "row_costs"
        raise ValueError(
            f"label='median' and {given} both decide which class is answered: use label='majority', or leave"
            f" {given} out"
        )
    factors = None if shares is None else prior_factors(shares, class_totals(target))
    return AnswerRule(priors=shares, factors=factors, costs=matrix, **choices)


def _are_plain(choices: dict[str, Any]) -> bool:
    """Whether a leaf model says nothing but what nodes answer anyway."""
    return all(getattr(PLAIN, name) == choice for name, choice in choices.items())


def with_level(choices: dict[str, Any], criterion: Criterion) -> dict[str, Any]:
    """What the leaf model says, and the quantile that a criterion makes nodes answer."""
    if criterion.level is None:
        return choices
    if choices.get("smoothing", "none") != "none":
        raise ValueError(
            f"smoothing={choices['smoothing']!r} smooths means, but with criterion={criterion.name!r} nodes"
            " answer a quantile: use smoothing='none'"
        )
    return choices | {"level": criterion.level}


def learn(
    plan: Plan, table: Table, target: Target, rule: AnswerRule, progress: Progress | None = None
) -> Tree:
    """Grow a tree on the weights that priors and costs give the rows; then put in the rows' own Stats, and
    fit its leaves.
    """
    refuse_unordered(plan.constraints, target, rule)
    if target.outputs:
        refuse_rule(rule)

    criterion = plan.criterion if not plan.criterion.keeps_order else _measuring(plan.criterion)
    plan, grown_on = _growth_target(plan, table, target)

    def finished(tree: Tree) -> Tree:
        tree = tree if grown_on is target else _with_target_stats(tree, table, target, criterion)
        signs = {column: sign for column, _, sign in plan.constraints.terms}
        return plan.leaf.modelled(
            with_row_stats(tree, table, target, rule), table, target, signs, plan.n_jobs
        )

    if plan.search.method != "core":
        plan = replace(plan, answer_costs=_answer_costs(target, rule))
    try:
        tree = grow(plan, table, reweight_target(grown_on, rule), progress)
    except GrowthStopped as stopped:
        stopped.tree = finished(stopped.tree)
        raise
    return finished(tree)


def _measuring(criterion: Criterion) -> Criterion:
    """What measures the gains of splits that another selection chose: no statistic of two branches."""
    return Exponential() if criterion.task.is_survival else criterion


def _growth_target(plan: Plan, table: Table, target: Target) -> tuple[Plan, Target]:
    """What the leaf model wants growing to look at, where the plan allows it; and the plan for that.

    Conditional inference looks at the log-rank scores of survival times, as partykit does: they are numbers.
    """
    if target.task.is_survival and isinstance(plan.selection, Conditional):
        from hornbeam.data.survival import score_target  # here: other trees do without

        return replace(plan, criterion=Variance()), score_target(target)
    grown_on = plan.leaf.growth_target(
        lambda: grow(without_tests(plan), table, target), table, target, plan.n_jobs
    )
    if grown_on is target:
        return plan, grown_on
    because = None
    if plan.criterion.name not in ("variance", "sd"):
        because = f"criterion={plan.criterion.name!r} judges targets, not what is left of them: use 'sd'"
    elif plan.constraints.functionals:
        because = "monotonic_cst orders targets: leave one of the two out"
    if because:
        raise ValueError(f"grown_on='residuals' cannot be kept: {because}")
    return plan, grown_on


def _with_target_stats(tree: Tree, table: Table, target: Target, criterion: Criterion) -> Tree:
    """A tree grown on something else, with the Stats of the target, as the criterion measures them."""
    assert target.values is not None
    row, leaf, weight = apply.training_entries(tree, table, target)
    width = target.task.stats_width(0)
    stats = stats_of_tree(tree, leaf, weight, target.values[row], width)
    impurity = answers.impurities(stats, target.task, criterion.name)
    return tree.replace(
        task=target.task,
        meta={**tree.meta, "criterion": criterion.name},
        stats=stats,
        impurity=impurity,
        gain=answers.gains(tree.first_child, tree.n_children, stats[:, 0], impurity, criterion.name),
    )


def class_totals(target: Target) -> Floats:
    """The weight of each class without class_weight, exact whatever the order of the rows.

    >>> class_totals(Target.classes_of(["a", "b", "b"], class_weight={"a": 5}))
    array([1., 2.])
    """
    if target.codes is None:  # its rows are elsewhere: they were asked
        return cast(Any, target).class_totals()  # type: ignore[no-any-return]
    n = len(target.classes)
    if target.weights is None:
        return np.bincount(target.codes, weights=target.counts, minlength=n).astype(np.float64, copy=False)
    weights = target.row_weight
    order = np.argsort(target.codes, kind="stable")
    parts = np.split(weights[order], np.cumsum(np.bincount(target.codes, minlength=n))[:-1])
    totals = np.array([math.fsum(part.tolist()) for part in parts])
    if target.class_weights is None:
        return totals
    own: Floats = np.divide(totals, target.class_weights, out=np.zeros(n), where=target.class_weights > 0)
    return own


def class_factors(target: Target, rule: AnswerRule) -> Floats | None:
    """By what growing multiplies the weight of each class, their mean over the rows being 1; None: all alike.

    >>> target = Target.classes_of(["a", "b", "b"])
    >>> class_factors(target, AnswerRule(costs=np.array([[0.0, 4.0], [1.0, 0.0]])))
    array([2. , 0.5])
    """
    factors = rule.judged(np.ones(len(target.classes)))
    if (factors == factors[0]).all():
        return None
    if rule.costs is None:
        return factors
    shares = class_totals(target) if rule.priors is None else rule.priors
    return factors / float(np.average(mistake_costs(rule.costs), weights=shares))


def _answer_costs(target: Target, rule: AnswerRule) -> Floats | None:
    """What each answer costs for each row; None where every mistake costs the row's weight."""
    if target.codes is None or (not rule.decides and target.row_costs is None):
        return None
    if rule.label == "median":
        raise ValueError(
            "search counts errors of the heaviest class, not of label='median': use label='majority'"
        )
    weight = target.row_weight if rule.factors is None else target.row_weight * rule.factors[target.codes]
    if target.row_costs is not None:
        return weight[:, None] * target.row_costs
    each = 1.0 - np.eye(len(target.classes)) if rule.costs is None else rule.costs
    costs: Floats = weight[:, None] * each[target.codes]
    return costs


def reweight_target(target: Target, rule: AnswerRule) -> Target:
    """The target as growing looks at it: its rows weighed by priors and costs."""
    if not target.task.is_classes or (rule is PLAIN and target.row_costs is None):
        return target
    factors, codes = class_factors(target, rule), target.codes
    if codes is None:  # its rows are elsewhere: they will be weighed there
        return cast(Any, target).multiplied(factors)  # type: ignore[no-any-return]
    weights = multiply_weights(target.weights, factors, codes)
    if target.row_costs is not None and len(target.classes) > 1:
        best, stake = stakes(target.row_costs, codes)
        codes, weights = best, stake if weights is None else weights * stake
    return replace(target, codes=codes, weights=weights)


def with_row_stats(tree: Tree, table: Table, target: Target, rule: AnswerRule) -> Tree:
    """The grown tree with the rows' own Stats, answering by its rule."""
    if rule is PLAIN and target.row_costs is None:
        return tree
    changed: dict[str, Any] = {"meta": with_answer_rule(tree.meta, rule)}
    if target.task.is_classes:
        if target.row_costs is not None:
            changed |= _from_rows(tree, table, target, rule)
        elif rule.decides:
            changed |= _from_weights(tree, target, rule)
    if rule.kept:
        assert target.values is not None
        row, leaf, weight = apply.training_entries(tree, table, target)
        changed |= learn_quantiles(tree, leaf, target.values[row], weight, rule.kept)[0]
    if len(changed) == 1 and changed["meta"] == tree.meta:
        return tree
    return tree.replace(**changed)


def _from_weights(tree: Tree, target: Target, rule: AnswerRule) -> dict[str, Any]:
    """Stats and labels where each class was weighed by one factor, which is divided out again."""
    factors, stats = class_factors(target, rule), tree.stats
    if factors is not None:
        stats = stats / factors
        whole = np.rint(stats)
        stats = np.where(np.abs(stats - whole) <= 1e-12 * whole, whole, stats)
    return {"stats": stats, "label": answers.labels(rule, stats, tree.parent)}


def _from_rows(tree: Tree, table: Table, target: Target, rule: AnswerRule) -> dict[str, Any]:
    """Stats, costs and everything that follows, added up anew over the rows that reach each node."""
    assert target.codes is not None
    assert target.row_costs is not None
    row, leaf, weight = apply.training_entries(tree, table, target)
    codes, k = target.codes[row], len(target.classes)
    stats = _up(tree, _sums(leaf * k + codes, weight, len(tree) * k).reshape(-1, k))
    each = weight if rule.factors is None else weight * rule.factors[codes]
    costs = np.stack([_sums(leaf, each * target.row_costs[row, j], len(tree)) for j in range(k)], axis=1)
    return answers.summary(tree, stats, rule, _up(tree, costs)) | {"fraction": tree.fraction}


def _sums(place: Longs, values: Floats, n: int) -> Floats:
    """Sums by place, the same for any order of the rows: equal places are added in order of their values."""
    order = np.lexsort((values, place))
    return np.bincount(place[order], weights=values[order], minlength=n).astype(np.float64, copy=False)


def _up(tree: Tree, sums: Floats) -> Floats:
    """What leaves add up to, at every node."""
    sums_above: AnyArray = apply.ancestors(tree).T @ sums
    return np.asarray(sums_above, dtype=np.float64)


def refuse_unordered(constraints: Constraints, target: Target, rule: AnswerRule) -> None:
    """Raise if answers could break the order of `monotonic_cst`, kept for the weights growing sees."""
    if not constraints.functionals:
        return
    because = None
    if rule.smoothing != "none":
        instead = "leaf=Curves(m=0)" if target.task.is_survival else "smoothing='none'"
        because = f"smoothing={rule.smoothing!r} moves leaves of few rows more than others: use {instead}"
    elif target.row_costs is not None:
        because = "row_costs weigh rows in growing that answers count as one: leave row_costs out"
    elif rule.costs is not None and len(target.classes) > 2 and np.ptp(mistake_costs(rule.costs)) > 0:
        because = (
            "costs of more than two classes weigh classes in growing otherwise than in answers: use costs"
            " whose rows have one sum, or leave costs out"
        )
    if because:
        raise ValueError(f"monotonic_cst cannot be kept: {because}")
