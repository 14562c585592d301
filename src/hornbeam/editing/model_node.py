"""A node of a model with the rows that reach it: the model's own choices, or those its tree shows."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from sklearn.base import clone

from hornbeam._base.types import Task
from hornbeam.data.column_choice import without_excluded
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.estimators.base import TreeModel
from hornbeam.estimators.tree_estimators import TreeClassifier, TreeRegressor
from hornbeam.growing.candidates.node_rows import NodeRows, rows_at_node
from hornbeam.growing.criteria import CRITERIA, Quantile
from hornbeam.growing.finish import reweight_target
from hornbeam.growing.missing import MISSING
from hornbeam.tree.answer_rule import answer_rule_of
from hornbeam.tree.arrays import EQUALS, MULTIWAY
from hornbeam.tree.hooks import tree_of
from hornbeam.tree.refit import in_class_order
from hornbeam.tree.tree import Tree


def node_of_model(model: Any, X: Any, y: Any, node: Any, weights: dict[str, Any]) -> NodeRows:
    """A node of a model with its rows; `weights` are those of the rows, as `fit` takes them."""
    estimator, tree = _estimator_and_tree(model)
    seeded = isinstance(estimator.random_state, Integral) or estimator.max_features is None
    if not seeded:
        estimator = clone(estimator).set_params(random_state=0)
    number = _check_node(node, tree)
    if tree is None:
        table = estimator.learn_table(X)
    else:
        X = without_excluded(X, estimator.exclude, len(tree.columns))
        table = Table.match(X, tree.columns, type(estimator).__name__)
    if not table.n_rows:
        raise ValueError("X has no rows: give the rows whose splits are to be judged")
    target = target_of(estimator, y, table.n_rows, **weights)
    if tree is not None:
        target = in_class_order(tree, target)
    plan = estimator.make_plan(table, target)
    weighed = reweight_target(target, estimator.answer_rule(target))
    return rows_at_node(plan, table, weighed, tree, number, seeded=seeded)


def _estimator_and_tree(model: Any) -> tuple[TreeModel, Tree | None]:
    """The estimator whose choices count, and the tree."""
    if isinstance(model, TreeClassifier | TreeRegressor):
        return model, model.__dict__.get("tree_")
    if getattr(model, "task", None) == Task.SURVIVAL:
        raise ValueError("tests are listed, and trees edited, for classes and numbers, not for survival")
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


def _check_node(node: Any, tree: Tree | None) -> int:
    if isinstance(node, bool) or not isinstance(node, Integral):
        raise ValueError(f"node={node!r} must be the number of a node: 0 is the root")
    last = 0 if tree is None else len(tree) - 1
    if not 0 <= int(node) <= last:
        have = "nothing is grown yet, so only the root 0 can be looked at" if tree is None else ""
        raise ValueError(f"node={node!r} is not there: {have or f'the tree has the nodes 0 to {last}'}")
    return int(node)


def target_of(
    estimator: TreeModel, y: Any, n_rows: int, *, row_costs: Any = None, exposure: Any = None, **weights: Any
) -> Target:
    """The target of an estimator for `n_rows` rows; `weights` are "sample_weight" and "counts"."""
    name = type(estimator).__name__
    if estimator.task.is_real:
        if row_costs is not None:
            raise ValueError("row_costs goes with classes: leave it out for this model")
        return Target.real_of(y, exposure=exposure, n_rows=n_rows, estimator=name, **weights)
    if exposure is not None:
        raise ValueError("exposure goes with numbers: leave it out for this model")
    class_weight = getattr(estimator, "class_weight", None)
    return Target.classes_of(
        y, class_weight=class_weight, row_costs=row_costs, n_rows=n_rows, estimator=name, **weights
    )
