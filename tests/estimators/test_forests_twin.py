"""Forests: tree i is a single tree with counts and a seed."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from tests.support.small_forests import mixed, same_nodes

import hornbeam as hb
from hornbeam import ForestClassifier, ForestRegressor, TreeClassifier, TreeRegressor
from hornbeam.parts import AllPaths, Constant, Oblique

SETTINGS = [
    {},
    {"criterion": "entropy", "max_features": 2, "max_depth": 5},
    {"criterion": "gain-ratio", "split": "multiway", "missing": AllPaths(vote="leaf")},
    {"min_samples_leaf": 0.02, "max_samples": 0.5, "leaf": Constant(smoothing="laplace")},
    {"max_leaf_nodes": 9, "missing": "surrogates", "max_features": None},
    {"missing": "fractional", "min_weight_fraction_leaf": 0.01},
    {"split": Oblique(), "max_samples": 60},
    {"selection": "average-gain", "criterion": "gain-ratio"},
]


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_every_tree_is_a_single_tree_with_its_counts_and_seed(setting):
    X, y = mixed(300)
    forest = ForestClassifier(3, random_state=5, **setting).fit(X, y)
    for i in range(3):
        tree = forest.estimators_[i]
        counts = forest.bootstrap_counts(i)
        alone = TreeClassifier(**tree.get_params(deep=False)).fit(X, y, counts=counts)
        assert alone.tree_ == forest.trees_[i]
        assert (alone.predict(X) == tree.predict(X)).all()
        assert alone.predict_proba(X) == pytest.approx(tree.predict_proba(X))


@pytest.mark.parametrize("criterion", ["variance", "sd"])
def test_every_tree_of_a_regression_is_a_single_tree(criterion):
    X, y = load_diabetes(return_X_y=True)
    forest = ForestRegressor(3, criterion=criterion, random_state=1).fit(X, y)
    for i in range(3):
        tree = forest.estimators_[i]
        alone = TreeRegressor(**tree.get_params(deep=False)).fit(X, y, counts=forest.bootstrap_counts(i))
        assert alone.tree_ == forest.trees_[i]


@pytest.mark.parametrize("n_classes", [2, 5])
def test_large_tables_grow_the_same_trees_as_single_ones(n_classes):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(9000, 6)).astype(np.float32)
    y = np.digitize(X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=9000), np.linspace(-1, 1, n_classes - 1))
    forest = ForestClassifier(3, random_state=0, max_features=2, n_jobs=2).fit(X, y)
    for i in range(3):
        tree = forest.estimators_[i]
        alone = TreeClassifier(**tree.get_params(deep=False)).fit(X, y, counts=forest.bootstrap_counts(i))
        assert alone.tree_ == forest.trees_[i]
    v = X[:, 0] + rng.normal(size=9000)
    forest = ForestRegressor(2, random_state=0, n_jobs=1, min_samples_leaf=3).fit(X, v)
    again = TreeRegressor(**forest.estimators_[1].get_params(deep=False))
    assert again.fit(X, v, counts=forest.bootstrap_counts(1)).tree_ == forest.trees_[1]


def test_counts_are_the_same_as_repeated_rows():
    X, y = load_diabetes(return_X_y=True)
    counts = np.random.default_rng(0).integers(0, 4, len(y))
    again = np.repeat(np.arange(len(y)), counts)
    classes = (y // 60).astype(int)
    for model, target in (
        (TreeRegressor(min_samples_leaf=4), y),
        (TreeClassifier(max_depth=6), classes),
        (TreeClassifier("entropy"), classes > 1),
    ):
        one = model.fit(X, target, counts=counts).tree_
        assert same_nodes(one, clone(model).fit(X[again], target[again]).tree_)


def test_the_answer_is_the_mean_over_the_trees():
    X, y = mixed(200)
    forest = ForestClassifier(7, random_state=0).fit(X, y)
    each = np.stack([tree.predict_proba(X) for tree in forest.estimators_])
    assert forest.predict_proba(X) == pytest.approx(each.mean(axis=0))
    assert (forest.predict(X) == forest.classes_[hb.teaching.combine(each)[1]]).all()
    vote = clone(forest).set_params(combine="vote").fit(X, y)
    assert vote.predict_proba(X) == pytest.approx(hb.teaching.combine(each, "vote")[0])
    v = np.arange(200.0)
    regression = ForestRegressor(5, random_state=0).fit(X, v)
    assert regression.predict(X) == pytest.approx(
        np.mean([t.predict(X) for t in regression.estimators_], axis=0)
    )
