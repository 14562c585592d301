"""Place: a node of a model with the rows that reach it, as growing sees them.

One idea: rows walk from the root to the node as they did in training (a gap may share a row among branches),
with the weights that priors and costs give them; what growing asks at a node can then be asked again.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, cast

import numpy as np
from sklearn.base import clone

from hornbeam._base.types import AnyArray, Floats, Longs, Task
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.estimators.base import TreeModel
from hornbeam.estimators.tree_estimators import TreeClassifier, TreeRegressor
from hornbeam.growing.criteria import CRITERIA, Quantile
from hornbeam.growing.finish import reweight_target
from hornbeam.growing.missing import MISSING
from hornbeam.growing.plan import AT_LEAST_CLASS, MEAN, Functional, Plan
from hornbeam.growing.selections import AverageGain, Best, PriceAware
from hornbeam.growing.splits import Oblique
from hornbeam.growing.stepwise_growth import Growth, Node
from hornbeam.tree.answer_rule import answer_rule_of
from hornbeam.tree.arrays import COLUMNS, EQUALS, LEAF, MULTIWAY, THRESHOLD
from hornbeam.tree.hooks import tree_of
from hornbeam.tree.refit import class_codes
from hornbeam.tree.routing import branches
from hornbeam.tree.routing import divide_rows as divided
from hornbeam.tree.tree import Tree


class PlainGrowth(Growth):
    """A growth whose sums are those of plain tests only.

    What is added up is the target and the weight, so an order by those makes sums independent of the order
    in which rows were given; sorting by all columns would take longer than everything else.
    """

    @staticmethod
    def _order(outcome: AnyArray, weight: Floats, copies: Longs, arrays: Sequence[AnyArray]) -> Longs:
        del arrays
        rows = np.flatnonzero((weight > 0) & (copies > 0))
        keys = [key[rows] for key in (copies, weight, outcome)]
        keys = [key for key in keys if key.dtype.kind != "f" or key.min() < key.max()]
        return rows[np.lexsort(keys)] if keys else rows


@dataclass(frozen=True)
class Bounds:
    """Between what monotonic constraints keep each functional of the nodes below."""

    low: Floats
    high: Floats


@dataclass(frozen=True, eq=False)
class NodeRows:
    """A node and its rows.

    Attributes
    ----------
    growth : the plan, the columns and the rows
    node : the rows at the node, with their weights and Stats
    tree : the tree the node is of, None if nothing is grown yet
    number : the node's number
    bounds : of monotonic constraints
    seeded : whether the columns drawn at the node by `max_features` are known
    """

    growth: Growth
    node: Node
    tree: Tree | None
    number: int
    bounds: Bounds
    seeded: bool

    @property
    def plan(self) -> Plan:
        """Everything growth needs."""
        return self.growth.plan

    @property
    def weight(self) -> float:
        """The weight of the node's rows."""
        return float(self.growth.weights(self.node.stats))

    @property
    def cases(self) -> float:
        """How many rows those of the node stand for: repetitions, or parts of them where rows are divided."""
        node, growth = self.node, self.growth
        return float((growth.copies[node.rows] * (node.weight / growth.weight[node.rows])).sum())

    @property
    def splits_here(self) -> bool:
        """Whether the tree tests something at the node."""
        return self.tree is not None and self.tree.kind[self.number] != LEAF


def node_rows_of(model: Any, X: Any, y: Any, node: Any, given: dict[str, Any]) -> NodeRows:
    """The place of a node; `given` are the weights of the rows, as `fit` takes them."""
    estimator, tree = _taken(model)
    seeded = isinstance(estimator.random_state, Integral) or estimator.max_features is None
    if not seeded:
        estimator = clone(estimator).set_params(random_state=0)
    number = _number(node, tree)
    if tree is None:
        table = Table.learn(X, estimator.categorical_features)
    else:
        table = Table.match(X, tree.columns, type(estimator).__name__)
    if not table.n_rows:
        raise ValueError("X has no rows: give the rows whose splits are to be judged")
    target = _target(estimator, tree, y, given, table.n_rows)
    plan = estimator.make_plan(table, target)
    counted = isinstance(plan.selection, Best | AverageGain | PriceAware) and not isinstance(
        plan.split, Oblique
    )
    growth = (PlainGrowth if counted else Growth)(
        plan, table, reweight_target(target, estimator.answer_rule(target))
    )
    return _walked(growth, tree, number, seeded=seeded)


def _taken(model: Any) -> tuple[TreeModel, Tree | None]:
    """The estimator whose choices count, and the tree."""
    if isinstance(model, TreeClassifier | TreeRegressor):
        return model, model.__dict__.get("tree_")
    density = isinstance(model, TreeModel) or getattr(model, "task", None) == Task.DENSITY
    tree = None if density else tree_of(model)
    if tree is None or tree.task.is_density:
        raise ValueError("a density tree has no target: its splits are judged by volumes, not by y")
    return _estimator_for(tree), tree


def _estimator_for(tree: Tree) -> TreeModel:
    """An estimator that would make the kinds of tests a tree has."""
    kinds = set(tree.kind.tolist())
    split = "multiway" if MULTIWAY in kinds else "one-vs-rest" if EQUALS in kinds else "binary"
    missing = tree.policy["missing"] if tree.policy["missing"] in MISSING else "learn"
    name: Any = tree.meta.get("criterion")
    classes = tree.task.is_classes
    if name not in CRITERIA or CRITERIA[name].task.is_classes != classes:
        name = "gini" if classes else "variance"
    level = answer_rule_of(tree.meta).level
    criterion: Any = Quantile(q=level) if name == "quantile" and level is not None else name
    make = TreeClassifier if classes else TreeRegressor
    return make(criterion, split=split, missing=missing)


def _number(node: Any, tree: Tree | None) -> int:
    if isinstance(node, bool) or not isinstance(node, Integral):
        raise ValueError(f"node={node!r} must be the number of a node: 0 is the root")
    last = 0 if tree is None else len(tree) - 1
    if not 0 <= int(node) <= last:
        have = "nothing is grown yet, so only the root 0 can be looked at" if tree is None else ""
        raise ValueError(f"node={node!r} is not there: {have or f'the tree has the nodes 0 to {last}'}")
    return int(node)


def _target(estimator: TreeModel, tree: Tree | None, y: Any, given: dict[str, Any], n_rows: int) -> Target:
    """The target; its classes are those of the tree."""
    name = type(estimator).__name__
    weights = {key: given[key] for key in ("sample_weight", "counts")}
    real = estimator.task.is_real
    other = "row_costs" if real else "exposure"
    if given[other] is not None:
        raise ValueError(f"{other} goes with {'classes' if real else 'numbers'}: leave it out for this model")
    if real:
        return Target.real_of(y, **weights, exposure=given["exposure"], n_rows=n_rows, estimator=name)
    class_weight = getattr(estimator, "class_weight", None)
    target = Target.classes_of(
        y, **weights, class_weight=class_weight, row_costs=given["row_costs"], n_rows=n_rows, estimator=name
    )
    if tree is None or target.classes == tree.classes:
        return target
    codes, known = class_codes(tree, target), tree.classes or ()
    place = [known.index(label) for label in target.classes]
    changed: dict[str, Any] = {"codes": codes.astype(np.int32), "classes": known}
    if target.class_weights is not None:
        changed["class_weights"] = np.ones(len(known))
        changed["class_weights"][place] = target.class_weights
    if target.row_costs is not None:
        raise ValueError("row_costs need rows of every class the tree knows: give X and y with all of them")
    return replace(target, **changed)


def _walked(growth: Growth, tree: Tree | None, number: int, *, seeded: bool) -> NodeRows:
    """The rows of a node, from the root down."""
    place = _reached(growth, tree, number, seeded=seeded)
    if growth.plan.criterion.level is not None:
        place.node.impurity = _loss(growth, place.node)
    return place


def _loss(growth: Growth, node: Node) -> float:
    """The mean pinball loss of a node's quantile, which is no function of Stats."""
    criterion = growth.plan.criterion
    assert growth.values is not None
    assert criterion.level is not None
    order = np.argsort(growth.values[node.rows], kind="stable")
    y, w = growth.values[node.rows][order], node.weight[order]
    below = np.cumsum(w)
    at = min(int(np.searchsorted(below, criterion.level * below[-1] * (1 - 1e-12))), len(y) - 1)
    away = y - y[at]
    loss = np.where(away > 0, criterion.level * away, (criterion.level - 1) * away)
    return criterion.loss_scale * float(w @ loss) / float(below[-1])


def _reached(growth: Growth, tree: Tree | None, number: int, *, seeded: bool) -> NodeRows:
    """The node, its rows having walked down."""
    n = len(growth.plan.constraints.functionals)
    node, bounds = growth.root(), Bounds(np.full(n, -math.inf), np.full(n, math.inf))
    if tree is None:
        return NodeRows(growth, node, None, 0, bounds, seeded)
    walked = _as_in_training(tree)
    for at, child in _steps(tree, number):
        branch = branches(walked, at, growth.arrays, node.rows)
        parts = divided(walked, at, branch, node.weight)
        mine = next(((place, weight) for each, place, weight in parts if each == child), None)
        if mine is None or not mine[1].any():
            raise ValueError(f"node={number!r} is reached by no row of X: choose another node, or other rows")
        stats = {
            each - int(tree.first_child[at]): growth.tally(node.rows[place], weight)[0]
            for each, place, weight in parts
        }
        k = child - int(tree.first_child[at])
        bounds = _below(growth, tree, at, stats, k, bounds)
        used = tree.tested_columns(at) if tree.kind[at] in (MULTIWAY, COLUMNS) else ()
        usable = tuple(column for column in node.usable if column not in used)
        rows, weight = _ordered(growth, node.rows[mine[0]], mine[1])
        node = growth.child(node, k, rows, weight, usable)
    return NodeRows(growth, node, tree, number, bounds, seeded)


def _ordered(growth: Growth, rows: Longs, weight: Floats) -> tuple[Longs, Floats]:
    """The rows of some weight; where rows were divided, in the order of what is added up."""
    kept = weight > 0
    rows, weight = rows[kept], weight[kept]
    if not isinstance(growth, PlainGrowth) or np.array_equal(weight, growth.weight[rows]):
        return rows, weight
    outcome = growth.codes if growth.values is None else growth.values
    assert outcome is not None
    order = np.lexsort((weight, outcome[rows]))
    return rows[order], weight[order]


def _steps(tree: Tree, number: int) -> list[tuple[int, int]]:
    """(node, child) on the way from the root."""
    steps = []
    while number:
        above = int(tree.parent[number])
        steps.append((above, number))
        number = above
    return steps[::-1]


def _as_in_training(tree: Tree) -> Tree:
    """In training a gap has a branch of its own where prediction follows all paths."""
    if tree.policy["missing"] != "all-paths":
        return tree
    return tree.replace(policy={**tree.policy, "missing": "branch"})


def _below(
    growth: Growth, tree: Tree, at: int, stats: dict[int, Floats], branch: int, bounds: Bounds
) -> Bounds:
    """The bounds of a child: halfway between the two sides of a constrained threshold."""
    ordered = tree.kind[at] == THRESHOLD and math.isfinite(float(tree.threshold[at]))
    if not ordered or branch > 1 or not {0, 1} <= stats.keys():
        return bounds
    low, high = bounds.low.copy(), bounds.high.copy()
    for column, f, sign in growth.plan.constraints.terms:
        if column == int(tree.column[at]):
            what = growth.plan.constraints.functionals[f]
            sides = functional(growth, what, np.stack([stats[0], stats[1]]))
            middle = float(sides.mean())
            if (sign > 0) == (branch == 0):
                high[f] = min(high[f], middle)
            else:
                low[f] = max(low[f], middle)
    return Bounds(low, high)


def functional(growth: Growth, what: Functional, stats: Floats) -> Floats:
    """The number that a constraint orders, of each of the Stats: a mean or a share of classes."""
    kind, index = what
    weight = growth.weights(stats)
    if kind == MEAN:
        part: Any = stats[..., 1] + growth.center * weight
    elif kind == AT_LEAST_CLASS:
        part = stats[..., index:].sum(axis=-1)
    else:
        part = stats[..., index]
    return cast(Floats, np.divide(part, weight, out=np.zeros(weight.shape), where=weight > 0))


def column_names(growth: Growth, columns: Sequence[int]) -> str:
    """The names of some columns, between commas."""
    return ",".join(growth.columns[column].name for column in columns)
