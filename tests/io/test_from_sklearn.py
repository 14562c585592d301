"""Trees of scikit-learn as Trees: the same predictions on every double, beside thresholds and with gaps."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
)
from tests.support.selection import examples

import hornbeam as hb
from hornbeam.io.from_sklearn import doubles_below


def beside(model, X):
    """Rows with one value on, or one double or single beside, a threshold."""
    inner, rows = model.tree_, []
    for feature, cut in zip(inner.feature, inner.threshold, strict=True):
        if feature >= 0 and np.isfinite(cut):
            single = np.float32(cut)
            values = [cut, single, np.nextafter(single, np.float32(np.inf)), (cut + float(single)) / 2]
            middle = (float(single) + float(np.nextafter(single, np.float32(np.inf)))) / 2
            values += [middle, np.nextafter(middle, -np.inf), np.nextafter(middle, np.inf)]
            for value in values:
                row = X[len(rows) % len(X)].astype(np.float64)
                row[feature] = value
                rows.append(row)
    return np.array(rows)


@pytest.mark.parametrize(
    "model",
    [
        DecisionTreeClassifier(random_state=0),
        DecisionTreeClassifier(criterion="entropy", max_depth=3, class_weight="balanced", random_state=0),
        ExtraTreeClassifier(random_state=0),
    ],
    ids=repr,
)
def test_classes_and_probabilities_agree_also_beside_thresholds(model):
    for load in (load_iris, load_breast_cancer):
        X, y = load(return_X_y=True)
        model.fit(X, y)
        tree = hb.from_sklearn(model)
        for rows in (X, X.astype(np.float32), beside(model, X)):
            assert (tree.predict(rows) == model.predict(rows)).all()
            np.testing.assert_allclose(tree.predict_proba(rows), model.predict_proba(rows), atol=1e-12)
        assert tree.n_leaves == model.get_n_leaves()
        assert tree.depth == model.get_depth()


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_means_agree_also_beside_thresholds(criterion):
    X, y = load_diabetes(return_X_y=True)
    model = DecisionTreeRegressor(criterion=criterion, max_depth=5, random_state=0).fit(X, y)
    tree = hb.from_sklearn(model)
    for rows in (X, beside(model, X)):
        np.testing.assert_allclose(tree.predict(rows), model.predict(rows), rtol=1e-12)


def test_gaps_go_where_scikit_learn_sends_them():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    X[rng.random(X.shape) < 0.2] = np.nan
    y = np.where(np.isnan(X[:, 0]), 1, (np.nan_to_num(X[:, 1]) > 0).astype(int))
    model = DecisionTreeClassifier(random_state=0).fit(X, y)
    tree = hb.from_sklearn(model)
    rows = rng.normal(size=(300, 4))
    rows[rng.random(rows.shape) < 0.3] = np.nan
    assert (tree.predict(rows) == model.predict(rows)).all()
    np.testing.assert_array_equal(tree.predict_proba(rows), model.predict_proba(rows))


@given(st.floats(-3e38, 3e38))
@settings(max_examples=examples(300), deadline=None)
def test_the_threshold_is_the_largest_double_that_rounds_to_or_below_it(cut):
    threshold = float(doubles_below(np.array([cut]))[0])
    assert float(np.float32(threshold)) <= cut
    with np.errstate(over="ignore"):
        assert not float(np.float32(np.nextafter(threshold, np.inf))) <= cut


def test_names_labels_counts_and_reading_carry_over(tmp_path):
    X = pd.DataFrame({"width": [1.0, 2.0, 3.0, 4.0], "length": [1.0, 1.0, 2.0, 2.0]})
    model = DecisionTreeClassifier(random_state=0).fit(X, ["a", "a", "b", "b"])
    tree = hb.from_sklearn(model)
    assert {column.name for column in tree.columns} == {"width", "length"}
    assert tree.classes == ("a", "b")
    assert tree.stats[0].tolist() == [2.0, 2.0]
    assert hb.load(hb.save(tree, tmp_path / "t.tree.json")) == tree
    assert len(hb.rules(tree)) == 2


def table(n=250, gaps=0.0):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(n, 4))
    three = np.digitize(X[:, 0] + rng.normal(size=n) * 0.3, [-0.5, 0.5])
    X[rng.random(X.shape) < gaps] = np.nan
    return rng, X, three


CLASSIFIERS = (DecisionTreeClassifier, ExtraTreeClassifier)
REGRESSORS = (DecisionTreeRegressor, ExtraTreeRegressor)


def agrees(model, X, *, gaps=False):
    """Predictions are the same on the rows, beside thresholds, and with gaps."""
    tree, rng = hb.from_sklearn(model), np.random.default_rng(6)
    rows = np.concatenate([X, beside(model, X).reshape(-1, X.shape[1])])
    if gaps:
        more = rows.copy()
        more[rng.random(more.shape) < 0.4] = np.nan
        rows = np.concatenate([rows, more])
    if not hasattr(model, "classes_"):
        np.testing.assert_allclose(tree.predict(rows), model.predict(rows), rtol=1e-12)
        return
    assert (tree.predict(rows) == model.predict(rows)).all()
    np.testing.assert_allclose(tree.predict_proba(rows), model.predict_proba(rows), atol=1e-12)


@pytest.mark.parametrize("estimator", CLASSIFIERS)
def test_three_classes_agree_with_weights_gaps_and_constraints(estimator):
    rng, X, y = table()
    weight = np.where(rng.random(len(y)) < 0.2, 0.0, rng.random(len(y)) * 3)
    agrees(estimator(max_depth=5, random_state=0).fit(X, y, sample_weight=weight), X)
    agrees(estimator(max_leaf_nodes=6, random_state=0).fit(X, np.array(["p", "q", "r"])[y]), X)
    agrees(estimator(monotonic_cst=[1, 0, -1, 0], random_state=0).fit(X, y > 0), X)
    agrees(estimator(random_state=0).fit(X, np.zeros(len(y))), X)
    _, X, y = table(gaps=0.2)
    agrees(estimator(random_state=0).fit(X, y), X, gaps=True)


@pytest.mark.parametrize("estimator", REGRESSORS)
def test_numbers_agree_with_weights_gaps_and_constraints(estimator):
    rng, X, y = table()
    weight = rng.random(len(y)) * 3
    agrees(estimator(max_depth=5, random_state=0).fit(X, y, sample_weight=weight), X)
    agrees(estimator(monotonic_cst=[1, 0, -1, 0], max_depth=4, random_state=0).fit(X, y), X)
    agrees(estimator(max_depth=4, random_state=0).fit(X, y * 1e-3 + 1e9), X)
    _, X, y = table(gaps=0.2)
    agrees(estimator(random_state=0).fit(X, y), X, gaps=True)


def test_the_trees_of_a_forest_are_adopted_one_by_one():
    _, X, y = table()
    forest = RandomForestClassifier(n_estimators=4, max_depth=4, random_state=0).fit(X, y)
    trees = [hb.from_sklearn(tree) for tree in forest.estimators_]
    again = hb.ForestClassifier.from_trees(trees)
    np.testing.assert_allclose(again.predict_proba(X), forest.predict_proba(X), atol=1e-12)
    boosted = GradientBoostingRegressor(n_estimators=2, random_state=0).fit(X, y)
    with pytest.raises(TypeError, match=r"take one, such as hb.from_sklearn\(model.estimators_\[0, 0\]\)"):
        hb.from_sklearn(boosted)
    agrees(boosted.estimators_[0, 0], X)
    with pytest.raises(TypeError, match=r"take the tree in it, such as hb.from_sklearn\(model\[-1\]\)"):
        hb.from_sklearn(make_pipeline(DecisionTreeClassifier()))


def test_what_is_no_tree_of_scikit_learn_is_refused():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="has no tree yet: call fit first"):
        hb.from_sklearn(DecisionTreeClassifier())
    with pytest.raises(TypeError, match="has many trees: take one"):
        hb.from_sklearn(RandomForestClassifier(n_estimators=2).fit(X, y))
    with pytest.raises(TypeError, match=r"a model of Hornbeam already: its tree is model\.tree_"):
        hb.from_sklearn(hb.TreeClassifier(max_depth=1).fit(X, y))
    with pytest.raises(TypeError, match="must be a fitted tree of scikit-learn, not a int"):
        hb.from_sklearn(3)
    two = DecisionTreeRegressor().fit(X, np.stack([y, y], axis=1))
    with pytest.raises(ValueError, match="has 2 targets: fit a tree for each"):
        hb.from_sklearn(two)
