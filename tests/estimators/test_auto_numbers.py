"""Automatic trees of numbers: which leaves are tried, and that more terms must be worth their price."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes

import hornbeam as hb
from hornbeam.estimators.auto.configurations import NUMBERS, TableShape


def test_lines_grown_on_residuals_win_where_a_step_hides_behind_a_slope():
    rng = np.random.default_rng(3)
    X = rng.uniform(-1, 1, (600, 4))
    y = 10 * X @ [3, -2, 1, 0] + np.where(X[:, 3] > 0.2, 2.0, 0.0) + rng.normal(0, 0.3, 600)
    model = hb.AutoTreeRegressor(consider=("lines", "residuals", "m5", "means")).fit(X, y)
    assert model.account_.chosen == "residuals"
    assert model.tree_.columns[int(model.tree_.column[0])].name == "x3"


def test_means_are_kept_where_lines_cannot_be_drawn():
    X = pd.DataFrame({"day": pd.date_range("2024-01-01", periods=60)})
    y = np.repeat([1.0, 2.0, 7.0], 20) + np.linspace(0, 0.1, 60)
    model = hb.AutoTreeRegressor().fit(X, y)
    assert [line["name"] for line in model.account_.offers] == ["means"]
    assert model.tree_.n_leaves >= 3


CURVES = {"curves", "curves-20"}
LINES = CURVES | {"lines", "residuals", "smoother", "unsmoothed"}
SHORT = {"short-lines", "short-residuals", "short-curves", "long-lines", "long-residuals"}


@pytest.mark.parametrize(
    ("rows", "columns", "slow", "never"),
    [
        (60, 20, set(), set()),
        (50, 550, CURVES | {"short-curves"}, CURVES | {"short-curves"}),
        (50_000, 60, CURVES, set()),
        (100_000, 100, LINES | {"short-curves"}, set()),
        (100_000, 101, LINES | SHORT, set()),
        (60, 1001, LINES | SHORT | {"m5"}, LINES | SHORT | {"m5"}),
    ],
)
def test_equations_of_very_many_columns_are_left_out(
    rows: int, columns: int, slow: set[str], never: set[str]
) -> None:
    shape = TableShape(rows, columns, columns, columns, 0, 0, gaps=False, ordered=False)
    assert {offer.name for offer in NUMBERS if not offer.suits(shape)} == slow
    assert {offer.name for offer in NUMBERS if not offer.suits(shape.small)} == never  # named by the user


def test_a_table_of_more_columns_than_equations_take_is_learned():
    X = np.random.default_rng(0).normal(size=(40, 1001))
    model = hb.AutoTreeRegressor(budget=10).fit(X, np.where(X[:, 3] > 0, 5.0, 1.0) + 0.01 * X[:, 4])
    assert [line["name"] for line in model.account_.offers] == ["means"]
    assert model.tree_.n_leaves >= 2


def test_lines_are_made_of_nominal_columns_too():
    rng = np.random.default_rng(6)
    X = pd.DataFrame({name: rng.choice(list("abc"), 200) for name in ("one", "two", "three")})
    y = (X == "a").to_numpy() @ [1.0, 2.0, 4.0] + rng.normal(0, 0.1, 200)
    model = hb.AutoTreeRegressor(consider=("lines", "curves")).fit(X, y)
    assert [line["name"] for line in model.account_.offers] == ["lines"]
    assert model.account_.loss < 0.02


def test_parabolas_win_where_a_bend_meets_nominal_columns():
    rng = np.random.default_rng(7)
    X = pd.DataFrame({"x": rng.uniform(-1, 1, 200), "c": rng.choice(list("abc"), 200)})
    y = 4 * X["x"] ** 2 + X["c"].map({"a": 0.0, "b": 3.0, "c": 1.0}) + rng.normal(0, 0.1, 200)
    model = hb.AutoTreeRegressor(consider=("lines", "curves", "means")).fit(X, y)
    assert model.account_.chosen == "curves"
    assert model.account_.loss < 0.02


def test_equations_are_short_and_round_and_more_terms_are_paid_for():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(500, 8))
    y = np.where(X[:, 0] > 0.5, 20 * X[:, 1], -10 * X[:, 2]) + rng.normal(0, 1, 500)
    model = hb.AutoTreeRegressor().fit(X, y)
    assert max(len(equation["terms"]) for equation in model.tree_.leaf_models.values()) <= 4
    assert len(hb.show(model)) < 400
    plain = hb.AutoTreeRegressor(rule="min", consider=("lines", "residuals", "m5")).fit(X, y)
    assert model.tree_.reading_size < plain.tree_.reading_size
    others = rng.uniform(size=(5000, 8))
    truth = np.where(others[:, 0] > 0.5, 20 * others[:, 1], -10 * others[:, 2])
    losses = [np.mean((each.predict(others) - truth) ** 2) for each in (model, plain)]
    assert losses[0] < losses[1] * 1.05
    many = X @ rng.choice([-5.0, 5.0], 8) + rng.normal(0, 0.5, 500)
    assert len(hb.AutoTreeRegressor().fit(X, many).tree_.leaf_models[0]["terms"]) == 8


def test_the_price_is_paid_by_the_reading_size_and_the_least_error_is_there_on_request():
    X, y = load_diabetes(return_X_y=True)
    names = ("short-lines", "long-lines", "means", "residuals")
    account = hb.AutoTreeRegressor(consider=names).fit(X, y).account_
    least = min(account.offers, key=lambda line: line["loss"])
    paid = {
        line["name"]: line["taken_loss"] + 0.2 * least["error"] * np.log2((line["taken_size"] + 1) / 2)
        for line in account.offers
    }
    assert account.chosen == min(paid, key=paid.get)
    free = hb.AutoTreeRegressor(consider=names, rule="min").fit(X, y).account_
    assert free.chosen == min(free.offers, key=lambda line: line["loss"])["name"]


def test_flat_leaves_have_no_equation_and_nothing_is_seen_in_noise():
    rng = np.random.default_rng(1)
    X = rng.uniform(size=(400, 3))
    steps = np.where(X[:, 0] > 0.5, 5.0, np.where(X[:, 1] > 0.3, 1.0, 9.0)) + rng.normal(0, 0.5, 400)
    model = hb.AutoTreeRegressor().fit(X, steps)
    assert model.tree_.reading_size <= 2 * 4 - 1
    assert hb.AutoTreeRegressor().fit(X, rng.normal(size=400)).tree_.reading_size <= 3


@pytest.mark.parametrize(("n_rows", "least"), [(50, 5), (150, 7), (399, 19), (400, 20), (2000, 20)])
def test_lines_may_have_smaller_leaves_where_rows_are_few(n_rows, least):
    rng = np.random.default_rng(0)
    X = rng.random((n_rows, 2))
    model = hb.AutoTreeRegressor(consider="short-lines").fit(X, X[:, 0] + rng.normal(0, 0.1, n_rows))
    assert model.model_.min_samples_leaf == least
