"""A forest as plain values, and back: what its trees share is written once, then a tree on each line.

One idea: a forest answers from its trees alone. Which rows each tree has drawn belongs to the training table
and is not kept, so `bootstrap_counts` and out-of-bag answers of single rows end with the file.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hornbeam.estimators.forest import ForestClassifier, ForestRegressor
from hornbeam.estimators.forest.base import ForestModel
from hornbeam.estimators.forest.forest_answers import Trees, check_combine, compacted
from hornbeam.io.load import FOREST_FORMAT
from hornbeam.io.model_file import estimator_to_plain, plain_to_estimator, plain_to_labels
from hornbeam.tree.annotations import is_partial
from hornbeam.tree.answer_rule import answer_rule_of
from hornbeam.tree.dicts import VERSION, entries_from_dict, to_document
from hornbeam.tree.json_values import check_entries, check_type
from hornbeam.tree.node_stats import without_center
from hornbeam.tree.tree import Tree

SHARED = ("task", "classes", "columns", "policy", "meta")  # written once; the last three unless they differ
LATER = ("outputs",)  # written once, where there are several targets
OWN = ("expressions", "nodes", "pools")
ESTIMATORS: Mapping[str, type[ForestModel]] = {
    estimator.__name__: estimator for estimator in (ForestClassifier, ForestRegressor)
}
_JUDGED = ("oob_score", "oob_error")


def forest_to_plain(model: ForestModel) -> dict[str, Any]:
    """What a file holds of a fitted forest."""
    if not hasattr(model, "trees_"):
        raise ValueError(f"this {type(model).__name__} has no trees yet: call fit first")
    told = estimator_to_plain(model, ESTIMATORS)
    if all(f"{name}_" in model.__dict__ for name in _JUDGED):
        told["judged"] = {name: getattr(model, f"{name}_") for name in _JUDGED}
    dicts = [to_document(tree) for tree in model.trees_]
    shared = {name: dicts[0][name] for name in (*SHARED, *LATER) if name in dicts[0]}
    trees = []
    for one in dicts:
        differs = {name: one[name] for name in SHARED[2:] if one[name] != shared[name]}
        trees.append(differs | {name: one[name] for name in OWN})
    return {"format": FOREST_FORMAT, "version": VERSION, "estimator": told, **shared, "trees": trees}


def plain_to_forest(plain: Mapping[str, Any]) -> ForestModel:
    """The fitted forest of a file."""
    check_entries(plain, "", ("format", "version", "estimator", *SHARED, "trees"), LATER)
    shared = entries_from_dict({name: plain[name] for name in (*SHARED, *LATER) if name in plain}, "")
    told = plain["estimator"]
    model: Any = plain_to_estimator(told, ESTIMATORS, shared["task"])
    trees = _trees(plain["trees"], shared, OWN if plain["version"] == VERSION else ("center", *OWN))
    alike = not any(name in one for one in plain["trees"] for name in SHARED)
    model.trees_ = _kept(trees) if alike else Trees({}, trees)
    model._seeds, model._draws, model._n_rows = [], None, 0
    model.partial_ = len(trees) < model.n_estimators or is_partial(trees[0])
    names = dict.fromkeys(column.name for tree in trees for column in tree.columns)
    model.n_features_in_ = len(names)
    if told["has_names"]:
        model.feature_names_in_ = np.array(list(names), dtype=object)
    if isinstance(model, ForestClassifier):
        check_combine(model.combine)
        plain_to_labels(model, told, trees[0].classes or (), trees[0].outputs)
        model._rule = answer_rule_of(trees[0].meta)
    judged = told.get("judged")
    if judged is not None:
        check_entries(judged, "estimator.judged", _JUDGED)
    for name, value in (judged or {}).items():
        check_type(value, f"estimator.judged.{name}", "a number")
        if not math.isfinite(value):
            raise ValueError(f"estimator.judged.{name} is {value!r}, but must be a finite number")
        setattr(model, f"{name}_", float(value))
    return model  # type: ignore[no-any-return]


def _trees(plain: Any, shared: dict[str, Any], own: Sequence[str]) -> list[Tree]:
    check_type(plain, "trees", "an array")
    if not plain:
        raise ValueError("a forest needs at least one tree")
    trees: list[Tree] = []
    for i, one in enumerate(plain):
        check_entries(one, f"trees[{i}]", own, SHARED[2:])
        entries = entries_from_dict(one, f"trees[{i}]")
        try:
            tree = Tree(**without_center(shared | entries))
        except ValueError as fault:
            raise ValueError(f"trees[{i}]: {fault}") from None
        if tree.has_models:
            raise ValueError(f"trees[{i}] has equations in its nodes, which the trees of a forest have not")
        trees.append(tree)
    return trees


def _kept(trees: list[Tree]) -> Trees:
    """The trees as a grown forest keeps them, if they differ in their arrays only."""
    if any(tree.expressions for tree in trees):
        return Trees({}, trees)
    return Trees(trees[0].attributes(), [compacted(tree.arrays(), tree.task) for tree in trees])
