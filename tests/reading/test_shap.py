"""Shapley values: the definition, its twin on every kind of tree, and the package shap."""

import numpy as np
import pandas as pd
import pytest
from tests.oracles.shap import against_twin, shap_twin
from tests.support.mixed_tables import outcome, random_columns, strange_rows

import hornbeam as hb
from hornbeam.parts import AllPaths, ColumnSets, Constant, Linear, Oblique, Polynomial, Predicates, Surrogates
from hornbeam.reading.shap.tree_values import is_plain

CLASSIFIERS = {
    "binary": {},
    "multiway": {"split": "multiway"},
    "one against the rest": {"split": "one-vs-rest"},
    "fractions": {"split": "multiway", "missing": "fractional"},
    "all paths": {"split": "multiway", "missing": "all-paths"},
    "votes": {"split": "multiway", "missing": AllPaths(vote="leaf")},
    "a branch for gaps": {"missing": "branch"},
    "the majority's way": {"missing": "majority"},
    "surrogates": {"missing": Surrogates()},
    "smoothed": {"leaf": Constant(smoothing="laplace")},
    "oblique": {"split": Oblique()},
    "oblique with gaps in fractions": {"split": Oblique(), "missing": "fractional"},
    "sets of columns": {"split": ColumnSets([["city", "owner"], ["size", "owner"]])},
    "predicates": {"split": Predicates(["age > 30 and city == 'Brno'", "rooms * pay > 1", "owner == True"])},
}  # fmt: skip


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("seed", range(2))
def test_the_values_of_a_classifier_equal_those_over_all_sets_of_columns(name, seed):
    rng = np.random.default_rng(seed)
    X = random_columns(rng, 60)
    model = hb.TreeClassifier(max_depth=4, min_samples_leaf=3, **CLASSIFIERS[name]).fit(X, outcome(rng, X, 3))
    rows = pd.concat([strange_rows(rng, 4), random_columns(rng, 2, gaps=0)])
    found = hb.shap_values(model, rows)
    values, base = shap_twin(model.tree_, rows)
    np.testing.assert_allclose(found.values, values, atol=1e-9)
    np.testing.assert_allclose(found.base, base, atol=1e-9)
    np.testing.assert_allclose(found.answers(), model.predict_proba(rows), atol=1e-9)
    assert found.classes == tuple(model.classes_)


REGRESSORS = {
    "binary": {},
    "medians": {"criterion": "absolute"},
    "multiway": {"split": "multiway", "missing": "fractional"},
    "lines": {"leaf": Linear(ridge=1.0)},
    "lines with a branch for gaps": {"leaf": Linear(), "missing": "branch"},
    "polynomials": {"leaf": Polynomial(degree=2)},
    "hyperplanes with lines": {"leaf": Linear(ridge=1.0), "split": Oblique()},
    "surrogates": {"missing": Surrogates()},
}  # fmt: skip


@pytest.mark.parametrize("name", REGRESSORS)
@pytest.mark.parametrize("seed", range(2))
def test_the_values_of_a_regression_equal_those_over_all_sets_of_columns(name, seed):
    rng = np.random.default_rng(seed + 10)
    X = random_columns(rng, 60)
    model = hb.TreeRegressor(max_depth=3, min_samples_leaf=5, **{"criterion": "variance"} | REGRESSORS[name])
    model.fit(X, outcome(rng, X, 0))
    rows = pd.concat([strange_rows(rng, 4), random_columns(rng, 2, gaps=0)])
    rows["age"] *= 3  # beyond what training saw, so that bounds of equations are met
    found = hb.shap_values(model, rows)
    values, base = shap_twin(model.tree_, rows)
    np.testing.assert_allclose(found.values, values[:, :, 0], atol=1e-9)
    assert found.base == pytest.approx(base[0], abs=1e-9)
    np.testing.assert_allclose(found.answers(), model.predict(rows), atol=1e-9)
    assert found.classes is None


def test_intervals_and_published_recipes_have_the_values_of_the_definition():
    rng = np.random.default_rng(5)
    X = random_columns(rng, 80)
    rows = strange_rows(rng, 4)
    for model in (hb.chaid(), hb.c45(), hb.id3(), hb.rpart(), hb.j48()):
        table = X[["city", "owner", "size"]].astype(object) if repr(model) == repr(hb.id3()) else X
        model.fit(table, outcome(rng, X, 2))
        found = hb.shap_values(model, rows)
        np.testing.assert_allclose(found.values, shap_twin(model.tree_, rows)[0], atol=1e-9)
        np.testing.assert_allclose(found.answers(), model.predict_proba(rows), atol=1e-9)
    m5 = hb.m5().fit(X, outcome(rng, X, 0))
    found = hb.shap_values(m5, rows)
    np.testing.assert_allclose(found.values, shap_twin(m5.tree_, rows)[0][:, :, 0], atol=1e-9)


def test_two_columns_share_what_only_both_together_bring():
    X, y = {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1], "c": [0, 0, 0, 0]}, [0.0, 0.0, 0.0, 1.0]
    found = hb.shap_values(hb.TreeRegressor().fit(X, y), X)
    assert found.base == 0.25
    assert found.columns == ("a", "b", "c")
    np.testing.assert_allclose(found.values[3], [0.375, 0.375, 0])  # 1 - 1/4, shared
    np.testing.assert_allclose(found.values[0], [-0.125, -0.125, 0])


def test_a_test_on_several_columns_is_followed_when_all_are_known():
    plane = {"weights": {"a": 1, "b": 1}, "<=": 1.5, "yes": {"value": 0, "n": 3}, "no": {"value": 4, "n": 1}}
    found = hb.shap_values(hb.Tree.from_nested(plane), {"a": [1], "b": [1]})
    assert found.base == 1
    np.testing.assert_allclose(found.values, [[1.5, 1.5]])  # neither alone says anything: (4 - 1) / 2 each


def test_an_equation_is_told_below_a_hyperplane_and_in_a_tree_of_one_leaf():
    line = {"intercept": 1.0, "terms": {"a": 2.0, "b": -1.0}, "low": -3.0, "high": 4.0}
    low, high = {"value": 0, "n": 3, "model": line}, {"value": 4, "n": 1, "model": line}
    plane = {"weights": {"a": 1, "b": 1}, "<=": 1.5, "yes": low, "no": high}
    rows = {"a": [0.5, 3.0, -4.0], "b": [1.0, 0.25, 2.0]}
    for nested in (plane, low):
        tree = hb.Tree.from_nested(nested, columns=rows)
        found = hb.shap_values(tree, rows)
        np.testing.assert_allclose(found.values, shap_twin(tree, rows)[0][:, :, 0], atol=1e-12)
        np.testing.assert_allclose(found.answers(), tree.predict(rows), atol=1e-12)
    assert (
        hb.shap_values(hb.Tree.from_nested({"counts": {"p": 3, "q": 1}}, columns=rows), rows).values.any()
        == 0
    )


def test_a_forest_has_the_mean_of_its_trees():
    rng = np.random.default_rng(0)
    X = random_columns(rng, 80)
    rows = strange_rows(rng, 5)
    forest = hb.ForestClassifier(n_estimators=4, max_depth=3, random_state=0).fit(X, outcome(rng, X, 2))
    found = hb.shap_values(forest, rows)
    each = [shap_twin(tree, rows)[0] for tree in forest.trees_]
    np.testing.assert_allclose(found.values, np.mean(each, axis=0), atol=1e-9)
    np.testing.assert_allclose(found.answers(), forest.predict_proba(rows), atol=1e-9)
    whole = random_columns(rng, 80, gaps=0)
    votes = hb.ForestClassifier(n_estimators=4, max_depth=3, random_state=0, combine="vote")
    votes.fit(whole, outcome(rng, whole, 2))
    found = hb.shap_values(votes, whole[:9])
    np.testing.assert_allclose(found.answers(), votes.predict_proba(whole[:9]), atol=1e-9)
    with pytest.raises(ValueError, match="counts votes"):
        hb.shap_values(votes, rows)


def test_many_rows_in_blocks_are_the_same_as_one_by_one(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    model = hb.TreeClassifier(max_depth=6).fit(X, (X[:, 0] * X[:, 1] > 0).astype(int))
    whole = hb.shap_values(model, X)
    np.testing.assert_allclose(whole.answers(), model.predict_proba(X), atol=1e-9)
    for name in ("_BLOCK", "_PLAIN_BLOCK"):
        monkeypatch.setattr(f"hornbeam.reading.shap.exact_values.{name}", 7 * len(model.tree_))
    np.testing.assert_array_equal(hb.shap_values(model, X).values, whole.values)
    order = rng.permutation(len(X))
    np.testing.assert_array_equal(hb.shap_values(model, X[order]).values, whole.values[order])
    np.testing.assert_array_equal(hb.shap_values(model, X[5:6]).values, whole.values[5:6])


def _leaf_by_leaf(model, rows):
    """The values without the core."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hornbeam.reading.shap.exact_values.is_plain", lambda tree: False)
        return hb.shap_values(model, rows)


PLAIN = {
    name: CLASSIFIERS[name]
    for name in ("binary", "multiway", "one against the rest", "fractions", "all paths", "a branch for gaps",
                 "the majority's way", "smoothed")
}  # fmt: skip


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize("n_classes", [0, 2, 4])
def test_one_walk_of_the_core_has_the_values_of_the_leaves_one_by_one(name, n_classes):
    rng = np.random.default_rng(n_classes)
    X = random_columns(rng, 400)
    params = {key: part for key, part in PLAIN[name].items() if n_classes or key != "leaf"}
    make = hb.TreeClassifier if n_classes else hb.TreeRegressor
    model = make(**params).fit(X, outcome(rng, X, n_classes))  # fully grown
    assert is_plain(model.tree_)
    rows = pd.concat([strange_rows(rng, 12), random_columns(rng, 5)])
    whole, apart = hb.shap_values(model, rows), _leaf_by_leaf(model, rows)
    np.testing.assert_allclose(whole.values, apart.values, rtol=1e-10, atol=1e-13)
    answers = model.predict_proba(rows) if n_classes else model.predict(rows)
    np.testing.assert_allclose(whole.answers(), answers, rtol=1e-12, atol=1e-13)


def test_many_columns_on_a_way_and_huge_answers_lose_no_digits():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 30))
    chain = {"value": 1.0, "n": 1}  # one test of each column on the way down
    for k in range(30):
        chain = {"column": f"x{k}", "<=": float(X[0, k]), "yes": {"value": float(k), "n": k % 4}, "no": chain}
    tree = hb.Tree.from_nested(chain)  # every fourth branch has no training weight
    rows = {f"x{k}": X[:, k] for k in range(30)}
    whole, apart = hb.shap_values(tree, rows), _leaf_by_leaf(tree, rows)
    np.testing.assert_allclose(whole.values, apart.values, rtol=1e-10, atol=1e-14)
    np.testing.assert_allclose(whole.answers(), tree.predict(rows), rtol=1e-12)
    y = X[:, 0] * X[:, 1]
    near, far = (hb.shap_values(hb.TreeRegressor().fit(X, y + shift), X).values for shift in (0.0, 2.0**40))
    np.testing.assert_allclose(near, far, atol=4 * np.spacing(2.0**40))


def test_next_to_no_weight_is_no_obstacle():
    inner = {"column": "b", "<=": 0, "yes": {"value": 3.0, "n": 1e-290}, "no": {"value": 5.0, "n": 1e-300}}
    outer = {"column": "a", "<=": 0, "yes": inner, "no": {"value": 1.0, "n": 1e10}}
    rows = {"a": [-1.0, -1.0, 1.0, np.nan], "b": [-1.0, 1.0, 0.0, 1.0]}
    tree = hb.Tree.from_nested(outer)
    np.testing.assert_allclose(
        hb.shap_values(tree, rows).values, shap_twin(tree, rows)[0][:, :, 0], atol=1e-12
    )


def test_values_are_the_same_with_any_number_of_threads(monkeypatch):
    rng = np.random.default_rng(4)
    X = random_columns(rng, 500)
    monkeypatch.setattr("hornbeam.reading.shap.tree_values._FEW", 0)
    one, two = (hb.TreeClassifier(n_jobs=n).fit(X, outcome(rng, X, 3)) for n in (1, 2))
    two.tree_ = one.tree_
    np.testing.assert_array_equal(hb.shap_values(one, X).values, hb.shap_values(two, X).values)
    monkeypatch.setattr("hornbeam.reading.shap.exact_values._PLAIN_BLOCK", 3 * len(one.tree_))
    np.testing.assert_array_equal(hb.shap_values(one, X).values, hb.shap_values(two, X[::-1]).values[::-1])


@pytest.mark.parametrize(
    "params", [{}, {"missing": "branch"}, {"split": "multiway"}, {"missing": Surrogates()}]
)
def test_values_against_a_background_equal_those_of_mixed_rows(params):
    rng = np.random.default_rng(3)
    X = random_columns(rng, 60, gaps=0)
    model = hb.TreeClassifier(max_depth=4, min_samples_leaf=2, **params).fit(X, outcome(rng, X, 3))
    rows, background = X[:4], X[20:27]
    found = hb.shap_values(model, rows, background=background)
    np.testing.assert_allclose(found.values, against_twin(model.tree_, rows, background), atol=1e-9)
    np.testing.assert_allclose(found.base, model.predict_proba(background).mean(axis=0), atol=1e-9)
    np.testing.assert_allclose(found.answers(), model.predict_proba(rows), atol=1e-9)


def test_what_a_background_cannot_be_mixed_with_is_refused():
    rng = np.random.default_rng(3)
    X = random_columns(rng, 60, gaps=0)
    y = outcome(rng, X, 2)
    tree = hb.TreeClassifier(max_depth=3).fit(X, y)
    with pytest.raises(ValueError, match=r"row 1 of X .* follows all paths"):
        hb.shap_values(tree, X[:3].assign(age=[1.0, None, 2.0]), background=X)
    oblique = hb.TreeClassifier(split=Oblique(), max_depth=3).fit(X, y)
    with pytest.raises(ValueError, match="decides by several columns"):
        hb.shap_values(oblique, X[:2], background=X)
    lines = hb.TreeRegressor(leaf="linear", max_depth=2).fit(X, outcome(rng, X, 0))
    with pytest.raises(ValueError, match="equations"):
        hb.shap_values(lines, X[:2], background=X)


def test_a_density_tree_and_an_unfitted_model_are_refused():
    with pytest.raises(ValueError, match="density tree"):
        hb.shap_values(hb.TreeDensity().fit([[1.0], [2.0], [4.0]]), [[1.0]])
    with pytest.raises(ValueError, match="call fit first"):
        hb.shap_values(hb.TreeClassifier(), [[1.0]])


def test_values_as_a_frame_and_as_importances():
    X, y = {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]}, list("nnny")
    found = hb.shap_values(hb.TreeClassifier().fit(X, y), X)
    frame = found.to_frame()
    assert list(frame.columns) == ["a", "b"]
    assert frame.loc[(3, "y"), "a"] == pytest.approx(0.375)
    assert found.importance() == pytest.approx({"a": 0.1875 + 0.0625, "b": 0.25}, abs=0.2)
    assert repr(found) == "<Shap: 4 rows, 2 columns, 2 classes>"
    assert hb.shap_values(hb.TreeRegressor().fit(X, [0, 0, 0, 1]), X).to_frame().shape == (4, 2)


# --- the package shap ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("params", [{}, {"missing": "majority"}])
def test_the_package_shap_has_the_same_values_and_answers(params):
    shap = pytest.importorskip("shap", reason="the package shap is not installed")
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 5)).round(2)
    X[rng.random(X.shape) < 0.1] = np.nan
    model = hb.TreeClassifier(max_depth=5, **params).fit(X, rng.integers(0, 3, 200))
    explainer = shap.TreeExplainer(hb.to_shap(model))
    rows = X[:50]
    if not params:
        rows = rows[~np.isnan(rows).any(axis=1)]
    np.testing.assert_allclose(explainer.model.predict(rows), model.predict_proba(rows), atol=1e-12)
    np.testing.assert_allclose(explainer.shap_values(rows), hb.shap_values(model, rows).values, atol=1e-9)
    against = shap.TreeExplainer(hb.to_shap(model), rows[:8], feature_perturbation="interventional")
    whole = rows[~np.isnan(rows).any(axis=1)]
    if not params:
        ours = hb.shap_values(model, whole, background=whole[:8]).values
        np.testing.assert_allclose(against.shap_values(whole), ours, atol=1e-6)  # in single precision there


def test_the_package_shap_takes_forests_intervals_and_regressions():
    shap = pytest.importorskip("shap", reason="the package shap is not installed")
    rng = np.random.default_rng(2)
    X = rng.normal(size=(150, 4))
    y = X[:, 0] * X[:, 1] + X[:, 2]
    for model in (
        hb.TreeRegressor(max_depth=6).fit(X, y),
        hb.ForestRegressor(n_estimators=5, max_depth=4, random_state=0).fit(X, y),
    ):
        explainer = shap.TreeExplainer(hb.to_shap(model))
        ours = hb.shap_values(model, X)
        np.testing.assert_allclose(
            explainer.shap_values(X).reshape(ours.values.shape), ours.values, atol=1e-9
        )
        np.testing.assert_allclose(np.ravel(explainer.expected_value), ours.base, atol=1e-9)
    inner = {
        "column": "x", "<=": 1, "missing": {"value": 9, "n": 1}, "yes": {"value": 1, "n": 2},
        "no": {"value": 5, "n": 1},
    }  # fmt: skip
    branches = [{"value": 0, "n": 2}, {"value": 3, "n": 2}, inner]
    tree = hb.Tree.from_nested({"column": "z", "cuts": [0, 1], "branches": branches})
    rows = np.array([[2.0, 0.5], [1.5, np.nan], [-1.0, 3.0], [1.0, 3.0]])
    np.testing.assert_allclose(
        hb.shap_values(tree, rows).values, shap_twin(tree, rows)[0][:, :, 0], atol=1e-9
    )
    explainer = shap.TreeExplainer(hb.to_shap(tree))
    np.testing.assert_allclose(
        explainer.shap_values(rows).reshape(4, 2), hb.shap_values(tree, rows).values, atol=1e-9
    )


def test_what_the_format_of_shap_cannot_say_is_refused():
    rng = np.random.default_rng(0)
    X = random_columns(rng, 60)
    model = hb.TreeClassifier(max_depth=4).fit(X[["city"]], X["city"] == "Brno")
    with pytest.raises(ValueError, match=r"the test of node 0 \(subset\) asks for 'city'"):
        hb.to_shap(model)
    model = hb.TreeClassifier(max_depth=4).fit(X[["size"]], X["size"] > "M")
    with pytest.raises(ValueError, match="'size', a column of categories"):
        hb.to_shap(model)
    lines = hb.TreeRegressor(leaf="linear", max_depth=1).fit([[1.0], [2.0], [3.0], [9.0]], [1, 2, 3, 4])
    with pytest.raises(ValueError, match="equations"):
        hb.to_shap(lines)
    with pytest.raises(ValueError, match="has no training rows"):
        hb.to_shap(hb.Tree.from_nested({"column": "x", "<=": 1, "yes": {"counts": {"a": 0, "b": 0}},
                                        "no": {"counts": {"a": 1, "b": 1}}}))  # fmt: skip
