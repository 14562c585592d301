"""Several targets: the product grows the twin's tree, in every way of growing; what must not change it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.oracles.losses import difference
from tests.oracles.outputs import OutputsTwin
from tests.oracles.random_cuts import DrawnTests, with_draws
from tests.oracles.tables import random_table
from tests.oracles.ways import WAYS, grown
from tests.support.selection import seeds

import hornbeam as hb
from hornbeam.tree.routing import as_in_training, visit_nodes

KINDS = {"classes": "gini", "numbers": "variance", "both": "gini"}


def table_of(seed: int, kind: str, missing: str) -> dict[str, Any]:
    """A random table whose targets fractions and the core's grids both hold exactly."""
    rng = np.random.default_rng(seed)
    table = random_table(rng, criterion="variance", n_rows=int(rng.integers(2, 15)))
    n = len(table["target"]["values"])
    outputs = [_output(rng, n, kind == "classes") for _ in range(int(rng.integers(1, 4)))]
    outputs.append(_output(rng, n, kind != "numbers"))
    if kind == "both":
        outputs.append(_output(rng, n, False))
    table["target"] = {"outputs": outputs}
    table["weights"] = rng.choice([0.5, 1.0, 2.0, 0.75], n) if rng.random() < 0.4 else None
    table["counts"] = rng.integers(1, 4, n) if rng.random() < 0.3 else None
    plan: dict[str, Any] = {"criterion": KINDS[kind], "missing": missing}
    for limit, value in (
        ("max_depth", 2),
        ("min_samples_leaf", 2),
        ("max_leaf_nodes", 4),
        ("max_nodes", 6),
        ("min_gain", 0.0),
        ("min_impurity_decrease", 0.0625),
        ("min_weight_fraction_leaf", 0.125),
    ):
        if rng.random() < 0.15:
            plan[limit] = value
    return table | {"plan": plan}


def _output(rng: np.random.Generator, n: int, classes: bool) -> dict[str, Any]:
    if classes:
        k = int(rng.integers(1, 4))
        return {"n_classes": k, "codes": rng.integers(0, k, n)}
    return {"values": rng.integers(0, int(rng.choice([2, 4, 100])), n) / 4.0 - 3}


@pytest.mark.parametrize("missing", ["learn", "branch", "majority"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", seeds(40, fixed=5))
def test_the_tree_is_the_twins(seed: int, kind: str, missing: str) -> None:
    table = table_of(seed, kind, missing)
    twin = OutputsTwin(table)
    root = twin.run()
    for way, numbers in WAYS.items():
        tree = grown(table, n_jobs=2 if way == "mixed" else 1, **numbers)
        fault = difference(root, tree, twin, np.zeros(len(tree)))
        assert fault is None, f"seed {seed}, {way}: {fault}"


class DrawnTwin(DrawnTests, OutputsTwin):
    """The twin whose tests are drawn."""


@pytest.mark.parametrize("missing", ["learn", "branch", "majority"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", seeds(20, fixed=6))
def test_a_tree_of_drawn_tests_is_the_twins(seed: int, kind: str, missing: str) -> None:
    table = with_draws(np.random.default_rng(seed), table_of(1000 + seed, kind, missing), all_columns=True)
    twin = DrawnTwin(table)
    twin.seed = table["draws"]["seed"]
    root = twin.run()
    tree = grown(table)
    fault = difference(root, tree, twin, np.zeros(len(tree)))
    assert fault is None, f"seed {seed}: {fault}"


def drawn(seed: int, n: int = 400) -> tuple[dict[str, Any], np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = {
        "a": rng.integers(0, 30, n).astype(float),
        "b": rng.normal(size=n),
        "c": [f"v{k}" for k in rng.integers(0, 20, n)],
    }
    X["b"][rng.random(n) < 0.1] = np.nan
    numbers = np.column_stack([X["a"] + rng.normal(size=n), rng.normal(size=n), rng.normal(size=n) * 1e6])
    classes = np.column_stack([rng.integers(0, 3, n), (X["a"] > 12).astype(int)])
    return X, numbers, classes


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(2))
def test_neither_the_order_of_rows_nor_threads_change_the_tree(seed: int, weighted: bool) -> None:
    X, numbers, classes = drawn(seed, n=3000)
    weight = np.random.default_rng(seed).random(3000) * 3 if weighted else None
    order = np.random.default_rng(seed + 1).permutation(3000)
    turned = {name: np.asarray(values)[order] for name, values in X.items()}
    for model, Y in ((hb.TreeRegressor, numbers), (hb.TreeClassifier, classes)):
        options: dict[str, Any] = {"min_samples_leaf": 4}
        one = model(n_jobs=1, **options).fit(X, Y, weight).tree_
        assert len(one) > 100
        assert model(n_jobs=2, **options).fit(X, Y, weight).tree_ == one
        other = model(**options).fit(turned, Y[order], None if weight is None else weight[order]).tree_
        assert other == one


def test_repetitions_are_rows() -> None:
    X, numbers, classes = drawn(5)
    counts = np.random.default_rng(5).integers(0, 4, 400)
    rows = np.repeat(np.arange(400), counts)
    written = {name: np.asarray(values)[rows] for name, values in X.items()}
    for model, Y in ((hb.TreeRegressor, numbers), (hb.TreeClassifier, classes)):
        one = model(min_samples_leaf=3).fit(X, Y, counts=counts)
        again = model(min_samples_leaf=3).fit(written, Y[rows])
        assert np.array_equal(again.tree_.column, one.tree_.column)
        assert again.tree_.output_value == pytest.approx(one.tree_.output_value, rel=1e-12, abs=1e-9)


def test_the_stats_of_every_target_are_those_of_its_rows() -> None:
    X, numbers, classes = drawn(9)
    table = {"a": X["a"], "b": X["b"]}
    tree = hb.TreeRegressor(max_depth=4).fit(table, numbers).tree_
    grouped = hb.TreeClassifier(max_depth=4).fit(table, classes).tree_
    arrays = [X["a"], X["b"]]
    for k in range(3):
        own = tree.output(k)
        for visit in visit_nodes(as_in_training(own), arrays, np.ones(400)):
            y = numbers[visit.rows, k]
            assert own.stats[visit.node] == pytest.approx(
                [len(y), y.mean(), y.var() * len(y)], rel=1e-9, abs=1e-6
            )
    for k in range(2):
        own = grouped.output(k)
        for visit in visit_nodes(as_in_training(own), arrays, np.ones(400)):
            counted = np.bincount(classes[visit.rows, k], minlength=len(own.classes))
            assert own.stats[visit.node].tolist() == counted.tolist()
            assert own.label[visit.node] == counted.argmax()
