"""Optimal trees and looking ahead: what is proven is what trying everything gives, and what the tree does."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris
from tests.oracles.optimal_twin import least_cost

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
    model = hb.TreeClassifier(
        search=Optimal(price=price), max_depth=depth, min_samples_leaf=min_rows, costs=matrix
    ).fit(table, y, sample_weight=weight)
    costs = 1 - np.eye(n_classes) if matrix is None else matrix
    codes = np.searchsorted(model.classes_, y)
    per_row = costs[codes] * (np.ones(len(y)) if weight is None else weight)[:, None]
    least = least_cost(rows_of(table), per_row.tolist(), [False, True, False], depth, min_rows, price)
    proven = model.certificate_
    assert proven.status == "optimal"
    assert proven.objective == proven.bound == pytest.approx(least, abs=1e-9)
    assert objective(model, table, y, matrix, weight, price) == pytest.approx(least, abs=1e-9)
    assert proven.greedy >= proven.objective


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


def test_a_gap_that_is_allowed_ends_the_search():
    X, y = load_breast_cancer(return_X_y=True)
    model = hb.TreeClassifier(search=Optimal(max_gap=0.9), max_depth=3).fit(X, y)
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
        ({"max_depth": 2, "max_leaf_nodes": 3}, "max_leaf_nodes"),
        ({"max_depth": 2, "min_samples_split": 20}, "min_samples_split"),
        ({"max_depth": 2, "min_gain": 0.0}, "min_gain"),
        ({"max_depth": 2, "min_impurity_decrease": 0.1}, "min_impurity_decrease"),
        ({"max_depth": 2, "min_weight_fraction_leaf": 0.1}, "min_weight_fraction_leaf"),
        ({"max_depth": 2, "max_features": 1}, "max_features"),
        ({"max_depth": 2, "monotonic_cst": {0: 1}}, "monotonic_cst"),
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
    with pytest.raises(ValueError, match="classes only"):
        hb.TreeRegressor(search="optimal", max_depth=2).fit(table[["y"]], np.arange(40.0))


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
