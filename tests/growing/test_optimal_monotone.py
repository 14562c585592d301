"""Optimal trees whose answers may only rise or fall with a column: proven beside trying all ordered trees."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from tests.oracles.certificate_checker import leaf_rows
from tests.oracles.optimal_twin import cheapest_answer, least_ordered_cost, squared_error

import hornbeam as hb
from hornbeam.parts import Optimal

SEEDS = [*range(8), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(8, 200))]


def drawn(rng: np.random.Generator, n: int) -> pd.DataFrame:
    """A small table with ties, gaps, ordered and other categories."""
    table = pd.DataFrame(
        {
            "x": rng.integers(0, 4, n).astype(float),
            "size": pd.Categorical(rng.choice(["s", "m", "l"], n), categories=["s", "m", "l"], ordered=True),
            "colour": pd.Categorical(rng.choice(["red", "green", "blue"], n)),
        }
    )
    if rng.random() < 0.5:
        table.loc[rng.random(n) < 0.25, "x"] = np.nan
    return table[list(rng.choice(table.columns, 2, replace=False))]


def coded(table: pd.DataFrame) -> list[list[Any]]:
    """Rows of values, ordered categories as their places; None is missing."""
    plain = table.assign(size=table["size"].cat.codes) if "size" in table else table
    return [[None if pd.isna(v) else v for v in row] for row in plain.itertuples(index=False)]


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_proven_is_what_trying_every_ordered_tree_gives(seed):
    rng = np.random.default_rng(seed)
    n, depth = (6, 3) if seed % 4 == 0 else (8, 1 + seed % 2)
    table, is_real = drawn(rng, n), seed % 3 == 0
    weight = rng.integers(1, 4, n).astype(float) if seed % 5 == 0 else np.ones(n)
    signs = {name: int(rng.choice([-1, 1])) for name in table if name != "colour"}
    terms = [(list(table).index(name), sign) for name, sign in signs.items()]
    min_rows, price = 1 + seed % 2, (0.0, 0.4)[seed % 7 == 0]
    params = {
        "search": Optimal(price=price),
        "max_depth": depth,
        "min_samples_leaf": min_rows,
        "monotonic_cst": signs,
    }
    if is_real:
        y = np.round(rng.normal(size=n), 1)
        model: Any = hb.TreeRegressor(**params).fit(table, y, sample_weight=weight)
        costs: Any = list(zip(weight.tolist(), y.tolist(), strict=True))
        means = [(w, w * value) for w, value in costs]
        orders, leaf_cost = [(column, 0, sign) for column, sign in terms], squared_error
    else:
        y = rng.permutation(np.resize(["a", "b", "c"][: 2 + seed % 2], n))
        model = hb.TreeClassifier(**params).fit(table, y, sample_weight=weight)
        k, codes = len(model.classes_), np.searchsorted(model.classes_, y)
        costs = ((1 - np.eye(k))[codes] * weight[:, None]).tolist()
        means = [(w, *(w * float(c >= j) for j in range(1, k))) for w, c in zip(weight, codes, strict=True)]
        orders = [(column, j, sign) for column, sign in terms for j in range(k - 1)]
        leaf_cost = cheapest_answer
    rows, nominal = coded(table), [name == "colour" for name in table]
    least = least_ordered_cost(rows, costs, nominal, depth, min_rows, price, means, orders, leaf_cost)
    proven, groups = model.certificate_, leaf_rows(model.tree_, rows)
    objective = sum(leaf_cost([costs[i] for i in group]) + price for group in groups.values())
    assert proven.status == "optimal"
    assert proven.objective == pytest.approx(objective, rel=1e-6, abs=1e-6)
    assert objective == pytest.approx(least, rel=1e-6, abs=1e-6)


def test_answers_keep_the_order_and_threads_change_nothing():
    X, y = load_diabetes(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    falling = {2: -1, 8: -1}  # against what the rows say
    models = [
        hb.optimal(2, "real", monotonic_cst=falling, n_jobs=jobs).fit(X[rows], y[rows])
        for jobs, rows in ((1, np.arange(len(y))), (2, order))
    ]
    assert models[0].tree_ == models[1].tree_
    assert models[0].certificate_ == models[1].certificate_
    free = hb.optimal(2, "real").fit(X, y)
    greedy = hb.TreeRegressor(max_depth=2, monotonic_cst=falling).fit(X, y)
    squares = [float(((model.predict(X) - y) ** 2).sum()) for model in (free, models[0], greedy)]
    assert squares[0] < squares[1] < squares[2]
    for column in falling:
        moved = X.copy()
        moved[:, column] += 0.05
        assert (models[0].predict(moved) <= models[0].predict(X)).all()


def test_an_order_that_the_best_tree_keeps_costs_nothing():
    X, y = load_breast_cancer(return_X_y=True)
    free, ordered = (hb.optimal(max_depth=2, monotonic_cst=signs).fit(X, y) for signs in (None, {27: -1}))
    assert free.certificate_.objective == ordered.certificate_.objective == 22
    path = hb.optimal_path(hb.optimal(max_depth=2, monotonic_cst={27: -1}), X, y)
    assert [int(model.certificate_.objective) for model in path] == [212, 44, 27, 22]


def test_a_search_that_is_stopped_is_no_worse_than_greedy_growth():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 10))
    y = (X[:, 0] - X[:, 1] + rng.normal(size=2000) > 0).astype(int)
    model = hb.optimal(max_depth=4, monotonic_cst={0: 1, 1: -1}, time_limit=0.05).fit(X, y)
    proven = model.certificate_
    assert proven.status == "time"
    assert 0 <= proven.bound <= proven.objective <= proven.greedy
    assert proven.objective == int((model.predict(X) != y).sum())
    moved = X.copy()
    moved[:, 0] += 1
    assert (model.predict_proba(moved)[:, 1] >= model.predict_proba(X)[:, 1]).all()
