"""Trees grown on what a line leaves over."""

import numpy as np
import pytest
from sklearn.base import clone

import hornbeam as hb
from hornbeam.data.target import Target
from hornbeam.parts import Linear, Polynomial


def test_a_tree_grown_on_residuals_spends_no_test_on_what_a_line_says():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(400, 3))
    y = 20 * X[:, 0] + np.where(X[:, 1] > 0.5, 1.0, 0.0)
    on_target = hb.TreeRegressor("sd", leaf=Linear(), max_depth=1).fit(X, y)
    on_rest = hb.TreeRegressor("sd", leaf=Linear(grown_on="residuals"), max_depth=1).fit(X, y)
    assert on_target.tree_.columns[on_target.tree_.column[0]].name == "x0"
    assert on_rest.tree_.columns[on_rest.tree_.column[0]].name == "x1"
    assert np.abs(on_rest.predict(X) - y).max() < 1e-9


def test_nodes_of_a_tree_grown_on_residuals_hold_the_sums_of_the_target():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(120, 4)), rng.normal(size=120)
    counts, weight = rng.integers(1, 4, 120), rng.uniform(0.5, 2, 120)
    model = hb.TreeRegressor("variance", leaf=Linear(grown_on="residuals"), min_samples_leaf=10)
    tree = model.fit(X, y, weight, counts=counts).tree_
    again = tree.refit(X, Target.real_of(y, weight, counts))
    assert np.allclose(tree.answers(), again.answers(), rtol=1e-12)
    assert np.allclose(tree.impurity, again.impurity, rtol=1e-9)
    assert np.allclose(tree.gain, again.gain, rtol=1e-7, atol=1e-12)
    assert (tree.n_rows == again.n_rows).all()


def test_the_order_of_the_rows_does_not_matter_for_a_tree_grown_on_residuals():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(200, 3)), rng.normal(size=200)
    order = rng.permutation(200)
    model = hb.TreeRegressor("sd", leaf=Linear(grown_on="residuals"), min_samples_leaf=15)
    one, two = model.fit(X, y).tree_, clone(model).fit(X[order], y[order]).tree_
    assert one == two


def test_parabolas_can_be_grown_on_residuals_too():
    x = np.linspace(-1, 1, 201)
    y = x**2 + np.where(x > 0.3, 1.0, 0.0)
    model = hb.TreeRegressor(leaf=Polynomial(2, grown_on="residuals"), max_depth=1).fit(x[:, None], y)
    assert np.abs(model.predict(x[:, None]) - y).max() < 1e-6


def test_without_a_column_for_a_line_residuals_are_the_target():
    X, y = {"colour": ["red", "blue", "red", "blue"]}, [1.0, 2.0, 1.0, 2.0]
    model = hb.TreeRegressor(leaf=Linear(grown_on="residuals")).fit(X, y)
    assert model.predict(X).tolist() == y


@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        ({"criterion": "absolute"}, "criterion='absolute' judges targets"),
        ({"monotonic_cst": {"x0": 1}}, "monotonic_cst orders targets"),
    ],
)
def test_what_residuals_cannot_keep_is_refused(params, sentence):
    X, y = np.arange(20.0)[:, None], np.arange(20.0) ** 2
    with pytest.raises(ValueError, match=f"grown_on='residuals' cannot be kept: {sentence}"):
        hb.TreeRegressor(leaf=Linear(grown_on="residuals"), **params).fit(X, y)
    with pytest.raises(ValueError, match="grown_on='rest' must be one of 'target', 'residuals'"):
        hb.TreeRegressor(leaf=Linear(grown_on="rest")).fit(X, y)
