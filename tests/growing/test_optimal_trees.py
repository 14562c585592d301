"""Optimal trees and looking ahead: what is proven is what trying everything gives, and what the tree does."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from tests.oracles.certificate_checker import check_certificate
from tests.oracles.optimal_twin import squared_error

import hornbeam as hb
from hornbeam.parts import Lookahead, Optimal


def drawn(seed: int, n: int) -> tuple[pd.DataFrame, np.ndarray]:
    """A small table with numbers, categories and gaps."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "x": rng.integers(0, 4, n).astype(float),
            "colour": pd.Categorical(rng.choice(["red", "green", "blue"], n)),
            "y": np.round(rng.normal(size=n), 1),
        }
    )
    if seed % 2:
        table.loc[rng.random(n) < 0.2, "x"] = np.nan
        table.loc[rng.random(n) < 0.2, "colour"] = None
    return table, rng.choice(["a", "b", "c"][: 2 + seed % 2], n)


def rows_of(table: pd.DataFrame) -> list[list[object]]:
    return [[None if pd.isna(value) else value for value in row] for row in table.itertuples(index=False)]


def objective(model: hb.TreeClassifier, table, y, costs=None, weight=None, price=0.0) -> float:
    """What the model's answers cost, and its leaves."""
    classes = list(model.classes_)
    answers = model.predict(table)
    costs = 1 - np.eye(len(classes)) if costs is None else costs
    each = np.array([costs[classes.index(t)][classes.index(a)] for t, a in zip(y, answers, strict=True)])
    weight = np.ones(len(y)) if weight is None else weight
    return float((each * weight).sum()) + price * model.tree_.statistics()["leaves"]


SEEDS = [*range(6), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(6, 120))]


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_proven_is_what_trying_everything_gives(seed):
    table, y = drawn(seed, 9)
    rng = np.random.default_rng(seed + 1000)
    n_classes, depth = len(np.unique(y)), 1 + seed % 2
    min_rows, price = 1 + seed % 3, (0.0, 0.5, 1.0)[seed % 3]
    weight = rng.integers(1, 4, len(y)).astype(float) if seed % 4 == 0 else None
    matrix = rng.integers(1, 5, (n_classes, n_classes)) * (1 - np.eye(n_classes)) if seed % 5 == 0 else None
    leaves = 3 if seed % 6 == 1 else None
    model = hb.TreeClassifier(
        search=Optimal(price=price),
        max_depth=depth,
        min_samples_leaf=min_rows,
        costs=matrix,
        max_leaf_nodes=leaves,
    ).fit(table, y, sample_weight=weight)
    costs = 1 - np.eye(n_classes) if matrix is None else matrix
    codes = np.searchsorted(model.classes_, y)
    per_row = costs[codes] * (np.ones(len(y)) if weight is None else weight)[:, None]
    assert model.certificate_.status == "optimal"
    assert model.certificate_.objective == model.certificate_.bound
    check_certificate(model.certificate_, model.tree_, rows_of(table), per_row.tolist(), min_rows)
    total = objective(model, table, y, matrix, weight, price)
    assert total == pytest.approx(model.certificate_.objective, abs=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_of_numbers_too_it_is_what_trying_everything_gives(seed):
    table, _ = drawn(seed, 9)
    rng = np.random.default_rng(seed + 2000)
    y = np.round(rng.normal(size=9), 1) if seed % 2 else rng.integers(0, 5, 9) * 10.0
    weight = rng.integers(1, 4, 9).astype(float) if seed % 4 == 0 else np.ones(9)
    depth, min_rows, leaves = 1 + seed % 2, 1 + seed % 3, 3 if seed % 6 == 1 else None
    model = hb.TreeRegressor(
        search=Optimal(price=(0.0, 0.3)[seed % 2]),
        max_depth=depth,
        min_samples_leaf=min_rows,
        max_leaf_nodes=leaves,
    ).fit(table, y, sample_weight=weight)
    assert model.certificate_.status == "optimal"
    both = list(zip(weight.tolist(), y.tolist(), strict=True))
    check_certificate(
        model.certificate_, model.tree_, rows_of(table), both, min_rows, leaf_cost=squared_error
    )


def test_one_number_far_from_all_others_changes_no_proof():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (3000, 2)).astype(float)
    y = X[:, 0] + rng.normal(size=3000)
    y[0] = 1e7
    model = hb.TreeRegressor(search="optimal", max_depth=2, min_samples_leaf=100).fit(X, y)
    squares = float(((model.predict(X) - y) ** 2).sum())
    greedy = hb.TreeRegressor(max_depth=2, min_samples_leaf=100).fit(X, y)
    assert model.certificate_.objective == pytest.approx(squares, rel=1e-8)
    assert squares <= float(((greedy.predict(X) - y) ** 2).sum()) * (1 + 1e-9)


def test_a_price_far_above_all_squares_is_counted():
    X = np.arange(8.0)[:, None]
    proven = hb.optimal(2, "real", price=2.5).fit(X, X[:, 0] * 1e-6).certificate_
    assert proven.objective == pytest.approx(2.5, rel=1e-6)
    assert proven.bound == pytest.approx(2.5, rel=1e-6)


def test_neighbouring_numbers_are_told_apart():
    below, above = 1 + 2.0**-52, 1 + 2.0**-51
    X, y = np.array([[below], [above]] * 3), np.array([0, 1] * 3)
    assert hb.optimal(max_depth=1).fit(X, y).score(X, y) == 1


def test_trees_of_numbers_are_proven_and_the_order_of_rows_changes_nothing():
    X, y = load_diabetes(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    models = [
        hb.TreeRegressor(search="optimal", max_depth=2, n_jobs=jobs).fit(X[rows], y[rows])
        for jobs, rows in ((1, np.arange(len(y))), (2, order))
    ]
    assert models[0].tree_ == models[1].tree_
    squares = float(((models[0].predict(X) - y) ** 2).sum())
    assert models[0].certificate_.objective == pytest.approx(squares, rel=1e-8)
    assert str(models[0].certificate_) == (
        "No tree of depth 2 has a squared error below 1,477,077 on these 442 rows;"
        " greedy growth has 1,485,142."
    )
    ahead = hb.TreeRegressor(search="lookahead", max_depth=3).fit(X, y)
    greedy = hb.TreeRegressor(max_depth=3).fit(X, y)
    assert ((ahead.predict(X) - y) ** 2).sum() < ((greedy.predict(X) - y) ** 2).sum()
    path = hb.optimal_path(hb.TreeRegressor(search="optimal", max_depth=2), X, y)
    assert [model.tree_.n_leaves for model in path] == [1, 2, 3, 4]
    assert path[-1].tree_.text() == models[0].tree_.text()


@given(st.integers(0, 10**6))
def test_the_order_of_rows_and_the_threads_change_nothing(seed):
    table, y = drawn(seed, 40)
    order = np.random.default_rng(seed).permutation(len(y))
    models = [
        hb.optimal(max_depth=3, n_jobs=jobs).fit(table.iloc[rows], y[rows])
        for jobs, rows in ((1, np.arange(len(y))), (2, order))
    ]
    assert models[0].tree_ == models[1].tree_
    assert models[0].certificate_ == models[1].certificate_


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_no_tree_is_worse_than_the_greedy_one(depth):
    X, y = load_breast_cancer(return_X_y=True)
    optimal = hb.optimal(max_depth=depth).fit(X, y)
    ahead = hb.lookahead(max_depth=depth).fit(X, y)
    greedy = hb.TreeClassifier(max_depth=depth).fit(X, y)
    errors = [int((model.predict(X) != y).sum()) for model in (optimal, ahead, greedy)]
    assert (
        errors[0] == [44, 22, 9][depth - 1] == optimal.certificate_.objective
    )  # as ConTree and STreeD prove
    assert errors[0] <= errors[1]
    assert optimal.certificate_.greedy == errors[2]
    if depth > 1:
        assert errors[1] < errors[2]


def test_of_the_best_trees_it_is_one_of_the_smallest():
    X, y = load_iris(return_X_y=True)
    model = hb.optimal(max_depth=3).fit(X, y)
    assert model.certificate_.objective == 1
    assert model.tree_.statistics()["leaves"] == 7  # some trees of one error have eight


@pytest.mark.parametrize("seed", SEEDS)
def test_without_errors_it_is_as_small_as_the_smallest_tree(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2 + seed % 2, (24, 4)).astype(float)
    y = ((X[:, 0] > 0) & (X[:, 1] > 0)) | (X[:, 2] > X[:, 3])
    smallest = hb.teaching.smallest_tree(X, y).statistics()
    model = hb.optimal(max_depth=4).fit(X, y)
    assert smallest["depth"] > 4 or model.certificate_.objective == 0
    assert smallest["depth"] > 4 or model.tree_.n_leaves == smallest["leaves"]


def test_the_path_has_the_best_tree_of_every_size():
    X, y = load_iris(return_X_y=True)
    path = hb.optimal_path(hb.optimal(max_depth=3), X, y)
    errors = [int((model.predict(X) != y).sum()) for model in path]
    assert [model.tree_.n_leaves for model in path] == [1, 2, 3, 4, 5, 7]  # six are no better than five
    assert errors == [100, 50, 6, 3, 2, 1]
    for model, wrong in zip(path, errors, strict=True):
        alone = hb.optimal(max_depth=3, max_leaf_nodes=model.max_leaf_nodes).fit(X, y)
        assert alone.tree_ == model.tree_
        assert alone.certificate_ == model.certificate_
        assert model.certificate_.objective == wrong
    assert "and at most 3 leaves makes fewer than 6 errors" in str(path[2].certificate_)
    some = hb.optimal_path(hb.optimal(max_depth=3, max_leaf_nodes=4), X, y)
    assert [model.tree_ for model in some] == [model.tree_ for model in path[:4]]
    with pytest.raises(ValueError, match="finds no best trees"):
        hb.optimal_path(hb.TreeClassifier(max_depth=3), X, y)


def test_exclusive_or_needs_a_look_ahead():
    X = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)] * 3 + [[0, 0, 1], [1, 1, 1]] * 2)
    y = X[:, 0] ^ X[:, 1]
    assert hb.lookahead(max_depth=2).fit(X, y).score(X, y) == 1
    assert hb.optimal(max_depth=2).fit(X, y).score(X, y) == 1


def test_a_search_that_is_stopped_keeps_a_valid_bound():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(600, 12)), rng.integers(0, 2, 600)
    model = hb.optimal(max_depth=4, time_limit=0.2).fit(X, y)
    proven = model.certificate_
    assert proven.status == "time"
    assert 0 <= proven.bound < proven.objective <= proven.greedy
    assert objective(model, X, y) == proven.objective
    assert "a gap of" in str(proven)


def test_without_errors_a_stopped_search_has_proven_all_that_it_says():
    X = np.arange(200.0)[:, None]
    proven = hb.optimal(max_depth=3, time_limit=1e-6).fit(X, X[:, 0] > 70).certificate_
    assert (proven.status, proven.objective, proven.bound) == ("optimal", 0, 0)


def test_a_stopped_search_of_numbers_is_no_worse_than_greedy_growth():
    X, y = load_diabetes(return_X_y=True)
    proven = hb.optimal(3, "real", time_limit=1e-6).fit(X, y).certificate_
    assert proven.status == "time"
    assert proven.bound <= proven.objective <= proven.greedy


def test_a_gap_that_is_allowed_ends_the_search():
    X, y = load_breast_cancer(return_X_y=True)
    model = hb.optimal(max_depth=3, max_gap=0.9).fit(X, y)
    assert model.certificate_.gap <= 0.9
    assert objective(model, X, y) == model.certificate_.objective


def test_progress_stops_it_with_the_best_tree_so_far():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(600, 12)), rng.integers(0, 2, 600)
    model = hb.optimal(max_depth=4)
    with pytest.raises(hb.GrowthInterrupted):
        model.fit(X, y, progress=lambda share: True)
    assert model.partial_
    assert objective(model, X, y) <= model.certificate_.greedy


def test_the_certificate_is_saved_and_shown(tmp_path):
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = hb.optimal(max_depth=2).fit(X, y)
    sentence = "No tree of depth 2 makes fewer than 6 errors on these 150 rows; greedy growth makes 6."
    assert str(model.certificate_) == sentence
    assert sentence in hb.show(model)
    assert sentence in hb.report(model, X, y).to_html()
    hb.save(model, tmp_path / "model.json")
    assert hb.load(tmp_path / "model.json").certificate_ == model.certificate_
    pruned = model.tree_.refit(X, y)
    assert "certificate" not in pruned.meta  # what was proven is proven of other rows


def test_a_tree_without_a_proof_has_no_certificate():
    X, y = load_iris(return_X_y=True)
    assert not hasattr(hb.TreeClassifier().fit(X, y), "certificate_")
    assert not hasattr(hb.lookahead(max_depth=2).fit(X, y), "certificate_")
    assert not hasattr(hb.TreeClassifier(search="optimal", max_depth=2), "certificate_")


def test_columns_of_many_values_try_some_sets_only_and_say_so():
    rng = np.random.default_rng(0)
    letters = rng.choice(list("abcdefghijkl"), 300)
    y = np.isin(letters, list("aceg")).astype(int)
    model = hb.optimal(max_depth=2).fit(pd.DataFrame({"letter": pd.Categorical(letters)}), y)
    assert not model.certificate_.all_sets
    assert model.certificate_.objective == 0  # the last level tries all sets


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({}, "needs max_depth"),
        ({"max_depth": 2, "max_nodes": 3}, "max_nodes"),
        ({"max_depth": 2, "min_samples_split": 20}, "min_samples_split"),
        ({"max_depth": 2, "min_gain": 0.0}, "min_gain"),
        ({"max_depth": 2, "min_impurity_decrease": 0.1}, "min_impurity_decrease"),
        ({"max_depth": 2, "min_weight_fraction_leaf": 0.1}, "min_weight_fraction_leaf"),
        ({"max_depth": 2, "max_features": 1}, "max_features"),
        ({"max_depth": 2, "selection": "conditional"}, "both search"),
    ],
)
def test_what_it_does_not_keep_is_refused_by_name(params, words):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=words):
        hb.TreeClassifier(search="optimal", **params).fit(X, y)


def test_gaps_and_splits_that_it_does_not_know_are_refused():
    table, y = drawn(1, 40)
    for params in ({"missing": "branch"}, {"split": "multiway"}):
        with pytest.raises(ValueError, match="search=Optimal"):
            hb.TreeClassifier(search="optimal", max_depth=2, **params).fit(table, y)
    for params, words in (({"criterion": "poisson"}, "criterion"), ({"leaf": "linear"}, "leaf")):
        with pytest.raises(ValueError, match=words):
            hb.TreeRegressor(search="optimal", max_depth=2, **params).fit(table[["y"]], np.arange(40.0))


@pytest.mark.parametrize(
    "part",
    [
        Optimal(time_limit=0),
        Optimal(max_gap=-1),
        Optimal(price=float("nan")),
        Optimal(memory="much"),
        Optimal(memory=10),
        Lookahead(depth=0),
    ],
)
def test_numbers_that_make_no_sense_are_refused(part):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="must be"):
        hb.TreeClassifier(search=part, max_depth=2).fit(X, y)
