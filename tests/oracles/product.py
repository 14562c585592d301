"""The product's tree of a twin's table, through the same core call that the estimators make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from hornbeam.data.columns import Column
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.growing.criteria import CRITERIA
from hornbeam.growing.grower import grow
from hornbeam.growing.missing import MISSING
from hornbeam.growing.plan import Constraints, Plan
from hornbeam.parts import Best, Criterion, PerColumn, RandomCuts
from hornbeam.tree.tree import Tree

SPLITS = {"subset": "binary", "equals": "one-vs-rest", "multiway": "multiway"}
FUNCTIONALS = {"cum": 0, "class": 1, "mean": 2}


def product_tree(table: Mapping[str, Any], *, n_jobs: int = 1) -> Tree:
    """Grow the product's tree on a table of `tests.oracles.tables`."""
    plan, draws = dict(table["plan"]), table.get("draws") or {}
    columns, arrays, split = [], [], {}
    for j, column in enumerate(table["columns"]):
        name = f"c{j}"
        numeric = column["kind"] == "numeric"
        domain = () if numeric else tuple(range(column["n_values"]))
        columns.append(Column(name, column["kind"], domain))
        dtype = np.float32 if numeric and np.asarray(column["values"]).dtype == np.float32 else np.float64
        arrays.append(np.asarray(column["values"], dtype=dtype if numeric else np.int32))
        if column["kind"] == "nominal":
            split[name] = SPLITS[column["split"]]
    goal = table["target"]
    weights = None if table["weights"] is None else np.asarray(table["weights"], dtype=np.float64)
    counts = None if table["counts"] is None else np.asarray(table["counts"], dtype=np.int64)
    if "outputs" in goal:
        target = targets_of(goal["outputs"], weights, counts)
    elif goal["kind"] == "classes":
        codes = np.asarray(goal["codes"], dtype=np.int32)
        target = Target("classes", codes, None, tuple(range(goal["n_classes"])), weights, counts)
    else:
        target = Target("real", None, np.asarray(goal["values"], dtype=np.float64), (), weights, counts)
    given = plan.get("criterion", "gini")
    made = Plan(
        threshold_at="midpoint",
        criterion=given if isinstance(given, Criterion) else CRITERIA[given](),
        split=RandomCuts() if draws else PerColumn(split),
        max_features=draws.get("max_features", 0),
        seed=draws.get("seed", 0),
        missing=MISSING[plan.get("missing", "learn")](),
        selection=plan.get("selection") or Best(),
        limits=_limits(plan),
        constraints=_constraints(plan.get("monotonic", {})),
        n_jobs=n_jobs,
    )
    return grow(made, Table(columns, len(arrays[0]), tuple(arrays)), target)


def targets_of(outputs: list[dict[str, Any]], weights: Any, counts: Any) -> Target:
    """Several targets: of classes (codes, n_classes) and of numbers (values)."""
    each = [
        Target(
            "classes",
            np.asarray(one["codes"], dtype=np.int32),
            None,
            tuple(range(one["n_classes"])),
            name=f"y{k}",
        )
        if "codes" in one
        else Target("real", None, np.asarray(one["values"], dtype=np.float64), name=f"y{k}")
        for k, one in enumerate(outputs)
    ]
    return replace(each[0], weights=weights, counts=counts, outputs=tuple(each))


def _limits(plan: Mapping[str, Any]) -> dict[str, Any]:
    names = {
        "max_depth": "max_depth",
        "max_leaf_nodes": "max_leaves",
        "max_nodes": "max_nodes",
        "min_samples_split": "min_rows_split",
        "min_samples_leaf": "min_rows_leaf",
        "min_weight_fraction_leaf": "min_weight_fraction",
        "min_impurity_decrease": "min_impurity_decrease",
        "min_gain": "min_gain",
    }
    return {core: plan[name] for name, core in names.items() if plan.get(name) is not None}


def _constraints(monotonic: Mapping[int, Any]) -> Constraints:
    functionals: list[tuple[int, int]] = []
    terms = []
    for column, pairs in monotonic.items():
        for functional, sign in pairs:
            made = (FUNCTIONALS[functional[0]], functional[1] if len(functional) > 1 else 0)
            if made not in functionals:
                functionals.append(made)
            terms.append((column, functionals.index(made), sign))
    return Constraints(tuple(functionals), tuple(terms))
