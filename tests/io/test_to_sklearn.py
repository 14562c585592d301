"""Trees and forests as models of scikit-learn: the same answers, or a reason why there are none."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, export_text
from tests.support.selection import examples

import hornbeam as hb
from hornbeam.parts import Constant, OwnBranch, Quantile


@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"criterion": "entropy", "max_depth": 3},
        {"criterion": "root", "min_samples_leaf": 7},
        {"leaf": Constant(smoothing="laplace"), "max_leaf_nodes": 9},
    ],
    ids=repr,
)
def test_classes_and_probabilities_are_the_same(load, options):
    X, y = load(return_X_y=True, as_frame=True)
    names = np.array(["zebra", "ant", "cat"])[y]  # sorted otherwise than they come
    ours = hb.TreeClassifier(**options).fit(X, names)
    theirs = hb.to_sklearn(ours)
    assert type(theirs) is DecisionTreeClassifier
    assert (theirs.predict(X) == ours.predict(X)).all()
    np.testing.assert_allclose(theirs.predict_proba(X), ours.predict_proba(X), atol=1e-15)
    assert theirs.get_n_leaves() == ours.get_n_leaves()
    assert theirs.get_depth() == ours.get_depth()
    assert (theirs.classes_ == ours.classes_).all()
    assert theirs.n_classes_ == ours.n_classes_
    assert theirs.n_outputs_ == ours.n_outputs_ == 1
    assert theirs.max_features_ == ours.max_features_ == X.shape[1]
    assert list(theirs.feature_names_in_) == list(X.columns)
    again = pickle.loads(pickle.dumps(theirs))
    assert (again.predict(X) == ours.predict(X)).all()


@pytest.mark.parametrize("criterion", ["variance", "absolute", Quantile(0.9), "sd"])
def test_numbers_are_the_same(criterion):
    X, y = load_diabetes(return_X_y=True)
    ours = hb.TreeRegressor(criterion, max_depth=4).fit(X, y)
    theirs = hb.to_sklearn(ours)
    assert type(theirs) is DecisionTreeRegressor
    np.testing.assert_array_equal(theirs.predict(X), ours.predict(X))


def test_the_measures_of_the_nodes_are_those_of_scikit_learn():
    X, y = load_iris(return_X_y=True)
    for criterion in ("gini", "entropy"):
        ours = hb.to_sklearn(hb.TreeClassifier(criterion, max_depth=2).fit(X, y)).tree_
        theirs = DecisionTreeClassifier(criterion=criterion, max_depth=2).fit(X, y).tree_
        for name in ("impurity", "n_node_samples", "weighted_n_node_samples", "children_left", "value"):
            np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), atol=1e-12, err_msg=name)
    # a measure that scikit-learn does not have is given in its own: the picture would name it wrongly
    other = hb.to_sklearn(hb.TreeClassifier("root", max_depth=1).fit(X, y))
    assert other.criterion == "gini"
    assert other.tree_.impurity[0] == pytest.approx(2 / 3)


@settings(max_examples=examples(25), deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_gaps_go_where_growing_has_learned(seed):
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(60, 3)).round(1)
    X[draw.random(X.shape) < 0.2] = np.nan
    y = (np.nan_to_num(X[:, 0], nan=1.0) + draw.normal(size=60) > 0).astype(int)
    for missing in ("learn", OwnBranch()):
        ours = hb.TreeClassifier(missing=missing, max_depth=4).fit(X, y)
        learned = np.isin(ours.tree_.kind, 0) | (ours.tree_.missing >= 0) | ours.tree_.own_missing
        theirs = hb.to_sklearn(ours)
        passed = ours.decision_path(X)[:, ~learned].sum(axis=1) == 0  # not where no gap was seen
        rows = np.asarray(passed).ravel() | ~np.isnan(X).any(axis=1)
        np.testing.assert_allclose(theirs.predict_proba(X)[rows], ours.predict_proba(X)[rows], atol=1e-15)


def test_values_that_single_precision_still_tells_apart_are_parted():
    low, high = 1.0, 1.0 + 2**-23  # neighbours in single precision; midpoints round up
    ours = hb.TreeClassifier().fit([[low], [high]], [0, 1])
    assert (hb.to_sklearn(ours).predict([[low], [high]]) == [0, 1]).all()
    ours = hb.TreeClassifier().fit([[1.0], [1.0 + 2**-40]], [0, 1])
    with pytest.raises(ValueError, match=r"node 0 tells 'x0' = .* the same number in single precision"):
        hb.to_sklearn(ours)


def test_what_reads_trees_of_scikit_learn_reads_them(tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    from sklearn.tree import export_graphviz, plot_tree

    X, y = load_iris(return_X_y=True)
    ours = hb.TreeClassifier(max_depth=2).fit(X, y)
    theirs = hb.to_sklearn(ours)
    assert export_text(theirs).count("class:") == 3
    assert "gini = 0.667" in export_graphviz(theirs)
    assert len(plot_tree(theirs)) >= 5
    np.testing.assert_allclose(theirs.feature_importances_, ours.feature_importances_, atol=1e-12)
    assert (theirs.apply(X) >= 0).all()


def test_the_package_shap_explains_them():
    shap = pytest.importorskip("shap", reason="the package shap is not installed")
    X, y = load_diabetes(return_X_y=True)
    ours = hb.TreeRegressor(max_depth=3).fit(X, y)
    values = shap.TreeExplainer(hb.to_sklearn(ours)).shap_values(X[:20])
    np.testing.assert_allclose(values, hb.shap_values(ours, X[:20]).values, atol=1e-8)


def test_a_forest_is_a_random_forest():
    X, y = load_iris(return_X_y=True, as_frame=True)
    ours = hb.ForestClassifier(n_estimators=7, random_state=0).fit(X, y)
    theirs = hb.to_sklearn(ours)
    assert type(theirs) is RandomForestClassifier
    assert (theirs.predict(X) == ours.predict(X)).all()
    np.testing.assert_allclose(theirs.predict_proba(X), ours.predict_proba(X), atol=1e-14)
    X, y = load_diabetes(return_X_y=True)
    ours = hb.ForestRegressor(n_estimators=5, max_depth=5, random_state=0).fit(X, y)
    theirs = hb.to_sklearn(ours)
    assert type(theirs) is RandomForestRegressor
    np.testing.assert_allclose(theirs.predict(X), ours.predict(X), rtol=1e-13)


TABLE = pd.DataFrame({"age": [1.0, 2.0, 3.0, 4.0, 5.0], "city": ["a", "b", "a", "c", "c"]})


@pytest.mark.parametrize(
    ("model", "y", "sentence"),
    [
        (
            hb.TreeClassifier(exclude=["age"]),
            list("xyxyy"),
            r"node 0 \(subset\) asks for 'city', while scikit-learn",
        ),
        (
            hb.TreeRegressor(leaf="linear", max_depth=1),
            [1.0, 2, 3, 7, 9],
            "leaves of this tree answer with equations",
        ),
        (
            hb.TreeClassifier(max_depth=0, costs={"x": {"y": 9}}),
            list("xyyyy"),
            "leaf 0 answers a class that is not its likeliest one, as costs",
        ),
    ],
)
def test_what_scikit_learn_cannot_say_is_refused_with_a_reason(model, y, sentence):
    with pytest.raises(ValueError, match=sentence):
        hb.to_sklearn(model.fit(TABLE, y))


def test_gaps_that_follow_surrogates_or_all_branches_are_warned_of():
    X, y = load_iris(return_X_y=True)
    for missing in ("surrogates", "all-paths"):
        ours = hb.TreeClassifier(missing=missing, max_depth=3).fit(X, y)
        with pytest.warns(UserWarning, match="rows with gaps may get other answers"):
            theirs = hb.to_sklearn(ours)
        assert (theirs.predict(X) == ours.predict(X)).all()


# ---- scikit-learn's words ----------------------------------------------------------------------------------


@pytest.mark.parametrize("estimator", [hb.TreeClassifier, hb.TreeRegressor])
def test_ccp_alpha_prunes_as_scikit_learn_does(estimator):
    theirs = DecisionTreeClassifier if estimator is hb.TreeClassifier else DecisionTreeRegressor
    X, y = load_iris(return_X_y=True)
    path = estimator().cost_complexity_pruning_path(X, y)
    wanted = theirs(random_state=0).cost_complexity_pruning_path(X, y)
    assert set(path) == {"ccp_alphas", "impurities"}
    assert (
        np.isin(path.ccp_alphas.round(9), wanted.ccp_alphas.round(9)).mean() > 0.5
    )  # equal splits may differ
    np.testing.assert_allclose(path.impurities[-1], wanted.impurities[-1])
    for alpha in path.ccp_alphas[1:]:
        for near in (0.999, 1.001):
            mine = estimator(ccp_alpha=alpha * near).fit(X, y)
            assert (
                mine.get_n_leaves()
                == hb.pruning_path(estimator().fit(X, y), risk="impurity")
                .choose(alpha=alpha * near)
                .tree_.n_leaves
            )
    with pytest.raises(ValueError, match=r"ccp_alpha=0\.1 and pruning='reduced-error' both say how"):
        estimator(ccp_alpha=0.1, pruning="reduced-error").fit(X, y)


def test_forests_have_no_ccp_alpha_and_say_so():
    with pytest.raises(TypeError, match="ForestClassifier has no parameter 'ccp_alpha': trees of a forest"):
        hb.ForestClassifier(ccp_alpha=0.1)
    with pytest.raises(ValueError, match=r"ccp_alpha=0\.1 has no place in a forest"):
        hb.ForestClassifier.from_tree(hb.TreeClassifier(ccp_alpha=0.1))


def test_max_features_are_counted():
    X, y = load_iris(return_X_y=True)
    for asked, wanted in ((None, 4), ("sqrt", 2), (3, 3), (0.5, 2), (9, 4)):
        assert hb.TreeClassifier(max_features=asked, random_state=0).fit(X, y).max_features_ == wanted
    assert not hasattr(hb.TreeClassifier(), "max_features_")
    assert not hasattr(hb.TreeClassifier(), "n_outputs_")
