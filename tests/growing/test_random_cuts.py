"""Random cuts: the twin's tree, split for split; uniform cuts; no matter the order of rows and threads.

For each criterion 180 fixed tables and 60 of this commit by default, more with SLOW=1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.oracles import random_cuts
from tests.oracles.extremes import EXTREMES
from tests.oracles.impurity import CLASS_CRITERIA, REAL_CRITERIA
from tests.oracles.tables import random_table
from tests.oracles.twin import is_doubtful
from tests.oracles.ways import arrays_differ, differences, tuned
from tests.support.mixed_tables import outcome, random_columns
from tests.support.selection import is_drawn, seeds

import hornbeam as hb
from hornbeam.parts import RandomCuts

CRITERIA = CLASS_CRITERIA + REAL_CRITERIA
LARGE_EXTREMES = ("tiny bins", "huge bins")  # several hundred rows each


def check(batch: int, size: int, make: Callable[[np.random.Generator], Any], *, doubt: bool = False) -> None:
    faults = []
    for seed in range(batch * size, (batch + 1) * size):
        rng = np.random.default_rng(seed)
        table = random_cuts.with_draws(rng, make(rng))
        root = random_cuts.grow(table)
        different = [f"seed {seed}, {each}" for each in differences(root, table)]
        faults += [] if doubt and is_doubtful(root) else different
    assert not faults, f"{len(faults)} differences; the first: {faults[0]}"


@pytest.mark.parametrize("batch", seeds(40, fixed=1))
@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_tree_is_the_twins_on_random_tables(criterion: str, batch: int) -> None:
    check(batch, 30, lambda rng: random_table(rng, criterion=criterion), doubt=is_drawn(batch))


@pytest.mark.parametrize("batch", seeds(4, fixed=1))
@pytest.mark.parametrize("extreme", EXTREMES)
@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_tree_is_the_twins_at_the_extremes(criterion: str, extreme: str, batch: int) -> None:
    size = 1 if extreme in LARGE_EXTREMES else 6
    check(batch, size, lambda rng: EXTREMES[extreme](rng, criterion), doubt=is_drawn(batch))


@pytest.mark.parametrize("batch", seeds(4, fixed=1, drawn=0))
@pytest.mark.parametrize("scale", [1e-300, 5e-324, 1e300, 1.7e308])
def test_the_tree_is_the_twins_at_the_ends_of_the_doubles(scale: float, batch: int) -> None:
    def make(rng: np.random.Generator) -> dict[str, Any]:
        table = random_table(rng, criterion="gini")
        for column in table["columns"]:
            if column["kind"] == "numeric":
                n = len(column["values"])
                whole = rng.integers(1, 200, n) if scale < 1e-310 else rng.uniform(0.1, 1, n)
                values = whole * scale * rng.choice([-1, 1], n)
                values[rng.random(n) < 0.1] = rng.choice([0.0, -0.0])
                column["values"] = values
        return table

    check(batch, 25, make)


def models() -> list[tuple[str, Any]]:
    """Trees and forests of classes and numbers, of every rule for gaps that goes with random cuts."""
    return [
        ("classes", hb.TreeClassifier("entropy", split="random", random_state=3)),
        ("classes", hb.TreeClassifier(split=RandomCuts(), missing="branch", max_features=2, random_state=1)),
        ("classes", hb.TreeClassifier(split="random", missing="majority", max_leaf_nodes=40, random_state=2)),
        ("numbers", hb.TreeRegressor(split="random", random_state=4, min_samples_leaf=3)),
        ("numbers", hb.TreeRegressor("sd", split="random", missing="majority", random_state=4)),
        ("classes", hb.ForestClassifier(3, split="random", bootstrap=False, random_state=5)),
        ("numbers", hb.ForestRegressor(3, split="random", max_features=0.4, random_state=6)),
        ("numbers", hb.TreeRegressor("absolute", split="random", max_features=2, random_state=7)),
    ]


@pytest.mark.parametrize("place", range(8))
def test_neither_threads_nor_the_order_of_rows_change_a_tree(place: int) -> None:
    what, model = models()[place]
    rng = np.random.default_rng(place)
    X = random_columns(rng, 2500)
    y = outcome(rng, X, 3 if what == "classes" else 0)
    order = rng.permutation(len(X))
    trees = []
    for n_jobs, rows in ((1, np.arange(len(X))), (2, order), (8, order[::-1])):
        for numbers in ({}, {"block_rows": 50, "shared_rows": 400, "serial_cells": 0}):
            with tuned(**numbers):
                fitted = model.set_params(n_jobs=n_jobs).fit(X.iloc[rows], np.asarray(y)[rows])
            trees.append(getattr(fitted, "trees_", None) or [fitted.tree_])
    for others in trees[1:]:
        for one, other in zip(trees[0], others, strict=True):
            assert arrays_differ(one, other) is None


def drawn_stumps(n: int, X: Any, y: Any) -> list[hb.Tree]:
    """As many trees of one test, each of another seed."""
    told: dict[str, Any] = {"split": "random", "bootstrap": False, "max_features": None, "max_depth": 1}
    return list(hb.ForestClassifier(n, random_state=0, **told).fit(X, y).trees_)


def test_cuts_are_uniform_between_the_smallest_and_the_largest_value() -> None:
    x = np.array([[0.0], [0.1], [0.7], [8.0]])
    y = [0, 1, 0, 1]
    stumps = drawn_stumps(3000, x, y)
    cuts = np.sort([tree.threshold[0] for tree in stumps]) / 8
    steps = np.arange(1, len(cuts) + 1) / len(cuts)
    assert np.abs(cuts - steps).max() < 1.63 / np.sqrt(len(cuts))  # Kolmogorov-Smirnov, 1 % of all seeds
    parted = [tree.n_rows[1] for tree in stumps]
    expected = 3000 * np.diff([0, 0.1, 0.7, 8]) / 8
    assert ((np.bincount(parted, minlength=4)[1:] - expected) ** 2 / expected).sum() < 13.8  # 0.1 %


def test_sets_of_values_are_drawn_alike() -> None:
    X, y = {"colour": ["red", "green", "blue", "white"] * 2}, [0, 1, 0, 1] * 2
    texts = [tree.text() for tree in drawn_stumps(1400, X, y)]
    groups, n = np.unique([text.split("]")[0] for text in texts], return_counts=True)
    assert len(groups) == 7  # ways to part four values in two
    assert ((n - 200) ** 2 / 200).sum() < 22.5  # chi-square of 6 degrees, 0.1 %


def test_all_columns_are_alike_where_tests_tie() -> None:
    X, y = np.arange(2.0)[:, None] * np.ones(4), [0, 1]
    n = np.bincount([tree.column[0] for tree in drawn_stumps(400, X, y)], minlength=4)
    assert ((n - 100) ** 2 / 100).sum() < 16.3  # chi-square of 3 degrees, 0.1 %


def test_thresholds_are_short_and_decide_as_printed() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    tree = hb.TreeRegressor(split="random", random_state=0).fit(X, X[:, 0] + X[:, 1] ** 2).tree_
    tests = np.flatnonzero(tree.column >= 0)
    low, high = tree.gap[tests].T
    assert ((low <= tree.threshold[tests]) & (tree.threshold[tests] < high)).all()
    wide = tests[high - low > 0.01]
    digits = [len(repr(t).strip("-0").replace(".", "").lstrip("0")) for t in tree.threshold[wide].tolist()]
    assert max(digits) <= 6  # five behind the point where the node's values are 0.01 apart
    first = X[:, tree.column[0]] <= tree.threshold[0]
    assert first.sum() == tree.n_rows[tree.first_child[0]]


def test_every_tree_of_a_forest_is_a_single_tree_with_its_counts_and_seed() -> None:
    rng = np.random.default_rng(9)
    X = random_columns(rng, 300)
    y = outcome(rng, X, 3)
    for bootstrap in (True, False):
        forest = hb.ForestClassifier(3, split="random", bootstrap=bootstrap, random_state=5).fit(X, y)
        for i, tree in enumerate(forest.estimators_):
            alone = hb.TreeClassifier(**tree.get_params(deep=False))
            counts = forest.bootstrap_counts(i) if bootstrap else None
            assert alone.fit(X, y, counts=counts).tree_ == forest.trees_[i]


def test_without_a_seed_every_tree_is_another() -> None:
    X = np.random.default_rng(0).normal(size=(50, 3))
    one, other = (hb.TreeRegressor(split="random").fit(X, X[:, 0]).tree_ for _ in range(2))
    assert one != other


@pytest.mark.parametrize(
    ("model", "named"),
    [
        (hb.TreeClassifier("gain-ratio", split="random", selection="average-gain"), "selection="),
        (hb.TreeClassifier(split="random", missing="surrogates"), "missing="),
        (hb.TreeClassifier(split="random", missing="fractional"), "missing="),
        (hb.TreeClassifier(split="random", search="optimal", max_depth=2), "search="),
        (hb.ForestClassifier(2, split="random", missing="surrogates"), "missing="),
    ],
    ids=str,
)
def test_what_does_not_go_with_drawn_tests_is_refused(model: Any, named: str) -> None:
    X, y = np.arange(8.0).reshape(4, 2), [0, 1, 0, 1]
    with pytest.raises(ValueError, match=named) as error:
        model.fit(X, y)
    assert "split='binary'" in str(error.value)


def test_times_are_not_judged_by_drawn_tests() -> None:
    X, y = np.arange(8.0).reshape(4, 2), [[1.0, 1], [2.0, 0], [3.0, 1], [4.0, 1]]
    with pytest.raises(ValueError, match=r"criterion=.* knows no times, such as 'gini'.*split='binary'"):
        hb.TreeSurvival("log-rank", split="random").fit(X, y)


def test_an_infinite_value_is_named_even_in_a_column_that_is_not_drawn() -> None:
    X = np.ones((6, 4)) * np.arange(6.0)[:, None]
    X[3, 2] = np.inf
    for model in (hb.TreeClassifier(split="random", max_features=1), hb.ForestClassifier(2, split="random")):
        with pytest.raises(ValueError, match="row 3"):
            model.fit(X, [0, 1, 0, 1, 0, 1])


@pytest.mark.parametrize("params", [{}, {"split": "random"}, {"criterion": "absolute"}, {"split": "oblique"}])
def test_the_nodes_of_a_path_draw_columns_anew(params: dict[str, Any]) -> None:
    """A node must not draw what its parent drew, on the way of first branches either."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 1000, (400, 12)).astype(float)
    make = hb.TreeRegressor if "criterion" in params else hb.TreeClassifier
    y = rng.integers(0, 2, 400)
    for seed in range(3):
        tree = make(max_features=1, random_state=seed, max_depth=8, **params).fit(X, y).tree_
        node, drawn = 0, []
        while tree.first_child[node] >= 0:
            drawn.append(tree.tested_columns(node)[0])
            node = int(tree.first_child[node])
        assert len(set(drawn)) > len(drawn) / 2


def test_a_test_that_a_constraint_refuses_does_not_hide_the_others() -> None:
    """Where the best of the drawn tests orders answers the wrong way, the next best is taken."""
    rng = np.random.default_rng(0)
    X = np.column_stack([np.arange(60.0), rng.permutation(60)])
    y = -X[:, 0] + 0.1 * X[:, 1]
    for seed in range(10):
        told: dict[str, Any] = {"max_depth": 1, "random_state": seed, "min_samples_leaf": 5}
        tree = hb.TreeRegressor(split="random", monotonic_cst={0: 1}, **told).fit(X, y).tree_
        alone = hb.TreeRegressor(split="random", monotonic_cst={0: 1}, **told).fit(X * [0, 1], y).tree_
        np.testing.assert_equal(tree.threshold[0], alone.threshold[0])
        assert tree.n_leaves == alone.n_leaves
