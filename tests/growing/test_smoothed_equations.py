"""Smoothed equations: lines and polynomials mixed along the path, and the bounds of what they say."""

import itertools

import numpy as np
import pandas as pd
import pytest

import hornbeam as hb
from hornbeam.parts import Linear, Polynomial
from hornbeam.teaching.measures import m5_smooth

STEPS = {"x": [1, 2, 3, 4, 5, 6]}, [10.0, 12, 14, 30, 32, 35]


def bent(seed=0, n=200):
    rng = np.random.default_rng(seed)
    X = rng.uniform(0, 10, (n, 3))
    return X, np.where(X[:, 0] < 4, X[:, 1] ** 2, 20 - X[:, 1]) + rng.normal(0, 0.5, n)


def test_the_ends_of_the_range_are_smoothed_as_the_equations_are():
    tree = hb.TreeRegressor("sd", leaf=Linear(smoothing=15), max_depth=1).fit(*STEPS).tree_
    left, right = tree.leaf_models[1], tree.leaf_models[2]
    assert (left["low"], left["high"]) == pytest.approx((10, (3 * 14 + 15 * 35) / 18))
    assert (right["low"], right["high"]) == pytest.approx(((3 * 30 + 15 * 10) / 18, 35))
    assert (tree.leaf_models[0]["low"], tree.leaf_models[0]["high"]) == (10, 35)


def test_without_smoothing_the_range_is_that_of_the_leaf():
    tree = hb.TreeRegressor("sd", leaf=Linear(), max_depth=1).fit(*STEPS).tree_
    assert [(tree.leaf_models[n]["low"], tree.leaf_models[n]["high"]) for n in (1, 2)] == [(10, 14), (30, 35)]


@pytest.mark.parametrize("leaf", [Linear(smoothing=15), Polynomial(2, smoothing=15)])
def test_bounds_lie_between_those_of_the_leaf_and_those_of_all_rows(leaf):
    X, y = bent()
    tree = hb.TreeRegressor("sd", leaf=leaf, min_samples_leaf=5).fit(X, y).tree_
    where = tree.route(X).leaf
    far = np.random.default_rng(1).uniform(-100, 100, (200, 3))
    assert tree.predict(far).min() >= y.min() - 1e-9
    assert tree.predict(far).max() <= y.max() + 1e-9
    for node in np.unique(where).tolist():
        own, model = y[where == node], tree.leaf_models[node]
        assert y.min() - 1e-9 <= model["low"] <= own.min() + 1e-9
        assert own.max() - 1e-9 <= model["high"] <= y.max() + 1e-9


@pytest.mark.parametrize("smoothing", [4.0, 15.0])
def test_smoothed_polynomials_are_the_prediction_passed_up_the_path(smoothing):
    X, y = bent(2)
    plain, smooth = (
        hb.TreeRegressor(leaf=Polynomial(2, clip=False, smoothing=k), min_samples_leaf=25).fit(X, y).tree_
        for k in (0.0, smoothing)
    )
    new = np.random.default_rng(5).uniform(0, 10, (30, 3))

    def own(node, row):
        found = plain.leaf_models[node]
        return found["intercept"] + sum(
            t["coefficient"] * row[int(t["column"][1:])] ** t["power"] for t in found["terms"]
        )

    for row, leaf, said in zip(new, plain.route(new).leaf.tolist(), smooth.predict(new), strict=True):
        p = own(leaf, row)
        for below, above in itertools.pairwise(plain.path(leaf)[::-1]):
            p = m5_smooth(p, own(above, row), n=plain.n_rows[below], k=smoothing)
        assert said == pytest.approx(p, rel=1e-8)


def test_a_polynomial_takes_nominal_columns_and_drops_terms_that_do_not_pay():
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"x": rng.uniform(-1, 1, 120), "idle": rng.normal(size=120), "c": list("abc") * 40})
    y = 2 * X["x"] ** 2 + X["c"].map({"a": 0.0, "b": 5.0, "c": 1.0}) + rng.normal(0, 0.01, 120)
    exact = hb.TreeRegressor(leaf=Polynomial(2, nominal="synthetic"), max_depth=0).fit(X, y)
    assert np.abs(exact.predict(X) - y).max() < 0.05
    few = hb.TreeRegressor(leaf=Polynomial(2, nominal="synthetic", drop="quinlan"), max_depth=0).fit(X, y)
    terms = {(t["column"], t.get("power")) for t in few.tree_.leaf_models[0]["terms"]}
    assert {("x", 2), ("c", None)} <= terms
    assert few.tree_.leaf_models[0]["size"] < exact.tree_.leaf_models[0]["size"]


@pytest.mark.parametrize(
    ("leaf", "sentence"),
    [
        (Polynomial(smoothing=-1), "smoothing=-1 must be a finite number"),
        (Polynomial(drop="some"), "drop='some' must be one of"),
        (Polynomial(nominal="dummies"), "nominal='dummies' must be one of 'none', 'synthetic'"),
    ],
)
def test_what_polynomials_do_not_know_is_refused(leaf, sentence):
    with pytest.raises(ValueError, match=sentence):
        hb.TreeRegressor(leaf=leaf).fit([[1.0], [2.0]], [1.0, 2.0])
