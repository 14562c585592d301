"""Lines and polynomials in the leaves: the specification's cases, the twin on random tables, odd columns."""

import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge
from tests.oracles import equations
from tests.support.linear_tables import STEP, coefficients, noisy_table

import hornbeam as hb
from hornbeam.growing.leaves.design import cuts
from hornbeam.parts import Linear, Polynomial


def test_linear_leaves_of_a_standard_deviation_split():
    X, y = STEP
    model = hb.TreeRegressor("sd", leaf=Linear(), max_depth=1).fit(X, y)
    assert model.tree_.threshold[0] == 3.5
    assert coefficients(model, 1) == pytest.approx([8.0, 2.0], abs=1e-6)
    assert coefficients(model, 2) == pytest.approx([19.833333, 2.5], abs=1e-6)
    assert model.tree_.answers()[1:] == pytest.approx([12.0, 32.333333], abs=1e-6)
    constant = hb.TreeRegressor("sd", max_depth=1).fit(X, y)
    assert constant.predict({"x": [1, 6]}) == pytest.approx([12.0, 32.333333], abs=1e-6)


def test_polynomial_leaf():
    X, y = {"x": [0, 1, 2, 3]}, [1, 3, 7, 13]
    two = hb.TreeRegressor(leaf=Polynomial(degree=2), max_depth=0).fit(X, y)
    assert coefficients(two) == pytest.approx([1.0, 1.0, 1.0], abs=1e-6)
    assert two.tree_.leaf_models[0]["error"] * 4 == pytest.approx(0.0, abs=1e-6)
    one = hb.TreeRegressor(leaf=Polynomial(degree=1), max_depth=0).fit(X, y)
    assert coefficients(one) == pytest.approx([0.0, 4.0], abs=1e-6)


@pytest.mark.parametrize(("rows", "degree"), [(5, 3), (4, 3), (3, 2), (2, 1), (1, 0)])
def test_a_leaf_of_few_rows_lowers_the_degree(rows, degree):
    x = np.arange(rows, dtype=float)
    model = hb.TreeRegressor(leaf=Polynomial(degree=3), max_depth=0).fit({"x": x}, x**3 - 2 * x)
    terms = model.tree_.leaf_models[0]["terms"] if degree else []
    assert [term["power"] for term in terms] == list(range(1, degree + 1))
    assert len(model.tree_.leaf_models) == (degree > 0)


def test_powers_of_years_are_taken_around_a_round_year():
    year = np.arange(1953.0, 2015.0)
    y = 3 + (year - 1990) ** 2 / 100
    model = hb.TreeRegressor(leaf=Polynomial(2, clip=False), max_depth=0).fit({"year": year}, y)
    assert "(year - 1980)^2" in hb.show(model)
    assert model.predict({"year": [1990.0, 2100.0]}) == pytest.approx([3.0, 124.0], rel=1e-9)


# --- against the twin ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("ridge", [0.0, 3.0])
def test_every_node_has_the_line_of_its_own_rows(seed, ridge):
    X, y, rng = noisy_table(seed)
    weights = rng.uniform(0.5, 2, len(y)) if seed % 2 else None
    model = hb.TreeRegressor(leaf=Linear(ridge=ridge), min_samples_leaf=12).fit(X, y, weights)
    tree = model.tree_
    assert tree.n_leaves > 5
    for node, rows in equations.rows_of_nodes(tree, X).items():
        found = tree.leaf_models[node]
        inside = None if weights is None else weights[rows]
        intercept, slopes = equations.line(X[rows], y[rows], inside, ridge)
        assert found["intercept"] == pytest.approx(intercept, rel=1e-8, abs=1e-8)
        assert [t["coefficient"] for t in found["terms"]] == pytest.approx(slopes.tolist(), rel=1e-8)
        left = y[rows] - intercept - X[rows] @ slopes
        assert found["error"] == pytest.approx(np.average(left**2, weights=inside), rel=1e-8)
        assert (found["low"], found["high"]) == (y[rows].min(), y[rows].max())


def test_the_ridge_is_that_of_scikit_learn():
    X, y, _ = noisy_table(3, n=60)
    model = hb.TreeRegressor(leaf=Linear(ridge=7.0, clip=False), max_depth=0).fit(X, y)
    other = Ridge(alpha=7.0, tol=1e-12).fit(X, y)
    assert model.predict(X) == pytest.approx(other.predict(X), rel=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_predictions_are_those_of_the_equations_row_by_row(seed):
    X, y, rng = noisy_table(seed, gaps=0.1)
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["city"] = rng.choice(["Aš", "Brno", "Cheb"], len(frame))
    leaf = Linear(nominal="synthetic", smoothing=seed)
    model = hb.TreeRegressor(leaf=leaf, missing="majority", min_samples_leaf=15).fit(frame, y)
    tree, leaves = model.tree_, model.apply(frame)
    expected = [
        equations.answer(tree.leaf_models[leaf], row)
        for leaf, row in zip(leaves.tolist(), frame.to_dict("records"), strict=True)
    ]
    assert model.predict(frame) == pytest.approx(expected, rel=1e-10)
    assert tree.predict(frame) == pytest.approx(expected, rel=1e-10)  # by the plain twin of the core


def test_a_gap_counts_as_the_mean_of_the_known_values_of_the_leaf():
    X, y, _ = noisy_table(9, n=200, gaps=0.15)
    model = hb.TreeRegressor(leaf=Linear(), missing="majority", max_depth=2, min_samples_leaf=25).fit(X, y)
    nodes = equations.rows_of_nodes(model.tree_, X)
    whole = equations.filled(X, [nodes[leaf] for leaf in model.tree_.leaves().tolist()])
    for node, rows in nodes.items():
        intercept, _slopes = equations.line(whole[rows], y[rows])
        found = model.tree_.leaf_models[node]
        assert found["intercept"] == pytest.approx(intercept, rel=1e-8)
        gaps = [term["gap"] / term["coefficient"] for term in found["terms"]]
        assert gaps == pytest.approx(whole[rows].mean(axis=0).tolist(), rel=1e-8)


def test_repetitions_are_rows():
    X, y, rng = noisy_table(5, n=40, d=2)
    counts = rng.integers(1, 4, len(y))
    model = hb.TreeRegressor(leaf=Linear(), min_samples_leaf=9).fit(X, y, counts=counts)
    copied = hb.TreeRegressor(leaf=Linear(), min_samples_leaf=9).fit(X.repeat(counts, 0), y.repeat(counts))
    assert model.predict(X) == pytest.approx(copied.predict(X), rel=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_order_of_rows_and_threads_change_nothing(seed):
    X, y, rng = noisy_table(seed, n=20_000, gaps=0.02)
    X = X.astype(np.float32)
    weights = rng.uniform(size=len(y)) if seed == 2 else None
    order = rng.permutation(len(y))
    leaf = Linear(drop="quinlan", smoothing=15.0 * seed)
    one = hb.TreeRegressor(leaf=leaf, min_samples_leaf=30, n_jobs=1).fit(X, y, weights)
    two = hb.TreeRegressor(leaf=leaf, min_samples_leaf=30, n_jobs=3).fit(
        X[order], y[order], None if weights is None else weights[order]
    )
    assert one.tree_ == two.tree_
    assert (one.predict(X) == two.predict(X)).all()


# --- odd columns --------------------------------------------------------------------------------------------


def test_constant_columns_and_copies_are_left_out():
    x = np.arange(10.0)
    X = np.column_stack([np.full(10, 7.0), x, x, -3 * x + 1, x**2])
    model = hb.TreeRegressor(leaf=Linear(clip=False), max_depth=0).fit(X, 1 + 2 * x)
    assert [t["column"] for t in model.tree_.leaf_models[0]["terms"]] == ["x1", "x4"]
    assert model.predict(X) == pytest.approx(1 + 2 * x)


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_fewer_rows_than_coefficients_answer_with_the_mean_unless_there_is_a_ridge(rows):
    X, y = np.arange(30.0).reshape(10, 3)[:rows], np.arange(10.0)[:rows]
    model = hb.TreeRegressor(leaf=Linear(), max_depth=0).fit(X, y)
    assert not model.tree_.has_models
    assert model.predict(X) == pytest.approx([y.mean()] * rows)
    ridge = hb.TreeRegressor(leaf=Linear(ridge=1.0), max_depth=0).fit(X, y)
    assert ridge.tree_.has_models == (rows > 1)


def test_only_named_columns_enter_and_text_never_does():
    X = {"a": [1.0, 2, 3, 4], "b": [2.0, 1, 4, 3], "c": list("uvuv")}
    y = [1.0, 2, 3, 5]
    model = hb.TreeRegressor(leaf=Linear(columns=["b"]), max_depth=0).fit(X, y)
    assert [t["column"] for t in model.tree_.leaf_models[0]["terms"]] == ["b"]
    by_place = hb.TreeRegressor(leaf=Linear(columns=[1]), max_depth=0).fit(X, y)
    assert by_place.tree_ == model.tree_
    only_text = hb.TreeRegressor(leaf=Linear(), max_depth=0).fit({"c": X["c"]}, y)
    assert not only_text.tree_.has_models


def test_nominal_columns_enter_as_steps_in_order_of_their_means():
    X = {"c": list("aabbcc")}
    model = hb.TreeRegressor(leaf=Linear(nominal="synthetic"), max_depth=0).fit(X, [5, 7, 1, 1, 9, 11])
    terms = model.tree_.leaf_models[0]["terms"]
    assert [term["values"] for term in terms] == [["a", "c"], ["c"]]
    assert coefficients(model) == pytest.approx([1.0, 5.0, 4.0])
    assert model.predict({"c": ["a", "b", "c", None, "new"]}) == pytest.approx([6, 1, 10, 17 / 3, 17 / 3])


def test_of_very_many_values_the_cuts_that_part_the_rows_evenly_are_taken():
    assert cuts(np.ones(65)) == list(range(1, 65))
    even = cuts(np.ones(650))
    assert len(even) == 64
    assert np.ptp(np.diff([0, *even, 650])) <= 1
    heavy = cuts(np.concatenate((np.ones(300), [10_000.0])))  # the last value has nearly all rows
    assert 1 <= len(heavy) <= 64
    assert heavy[-1] == 300
    first = cuts(np.concatenate(([10_000.0], np.ones(300))))
    assert first[0] == 1
    assert first[-1] <= 300


def test_a_column_of_a_thousand_values_costs_no_more_than_one_of_65():
    rng = np.random.default_rng(0)
    city = rng.permutation(np.repeat(np.arange(1000), 2))
    X = pd.DataFrame({"city": city.astype(str), "x": rng.normal(size=2000)})
    y = rng.normal(size=1000)[city] + 0.1 * X["x"]
    model = hb.TreeRegressor(leaf=Linear(nominal="synthetic"), max_depth=0).fit(X, y)
    assert len(model.tree_.leaf_models[0]["terms"]) == 65
    plain = hb.TreeRegressor(leaf=Linear(), max_depth=0).fit(X, y)
    assert plain.score(X, y) < 0.1
    assert model.score(X, y) > 0.99


def test_huge_and_tiny_numbers_leave_finite_answers():
    X = np.array([[1e300, 1e-300], [-1e300, 2e-300], [1e299, 3e-300], [0.0, 4e-300]])
    model = hb.TreeRegressor(leaf=Linear(), max_depth=0).fit(X, [1.0, 2, 3, 4])
    assert np.isfinite(model.predict(X)).all()


def test_predictions_stay_within_the_range_of_the_leaf_unless_asked_otherwise():
    X, y = STEP
    inside = hb.TreeRegressor("sd", leaf="linear", max_depth=1).fit(X, y)
    assert inside.predict({"x": [-100, 100]}).tolist() == [10.0, 35.0]
    free = hb.TreeRegressor("sd", leaf=Linear(clip=False), max_depth=1).fit(X, y)
    assert free.predict({"x": [-100, 100]}) == pytest.approx([-192.0, 269.8333333])


def test_a_branch_no_row_took_answers_with_the_line_above_it():
    color = pd.Categorical(["r"] * 4 + ["g"] * 4, categories=["r", "g", "b"])
    X = pd.DataFrame({"color": color, "x": [0.0, 1, 2, 3] * 2})
    y = [0.0, 1, 2, 3, 10, 12, 14, 16]
    model = hb.TreeRegressor(leaf=Linear(clip=False), split="multiway", max_depth=1).fit(X, y)
    new = pd.DataFrame({"color": pd.Categorical(["b"], categories=["r", "g", "b"]), "x": [2.0]})
    root = model.tree_.leaf_models[0]
    assert model.predict(new) == pytest.approx([root["intercept"] + 2 * root["terms"][0]["coefficient"]])


# --- dropping terms -----------------------------------------------------------------------------------------


def test_dropping_terms_never_raises_the_adjusted_error():
    """The twin tries every subset that one path of dropping can reach: always the least harmful term."""
    X, y, _ = noisy_table(11, n=40, d=5)
    y = 3 * X[:, 0] + np.random.default_rng(0).normal(size=40) * 30
    model = hb.TreeRegressor(leaf=Linear(drop="quinlan"), max_depth=0).fit(X, y)

    def adjusted(columns):
        n, v = len(y), len(columns) + 1
        a, b = equations.line(X[:, columns], y) if columns else (y.mean(), np.zeros(0))
        return np.sqrt(np.mean((y - a - X[:, columns] @ b) ** 2)) * (n + v) / (n - v)

    columns = list(range(5))
    while columns:
        best = min(itertools.combinations(columns, len(columns) - 1), key=lambda kept: adjusted(list(kept)))
        if adjusted(list(best)) > adjusted(columns):
            break
        columns = list(best)
    found = model.tree_.leaf_models[0]
    assert [t["column"] for t in found["terms"]] == [f"x{j}" for j in columns]
    assert 0 < len(columns) < 5
    assert coefficients(model)[1:] == pytest.approx(equations.line(X[:, columns], y)[1].tolist(), rel=1e-9)
