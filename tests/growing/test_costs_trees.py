"""A tree with costs or priors: copies, refitting, the order of classes, monotonic constraints."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from tests.support.ill_or_well import X, Y, close, stump

import hornbeam as hb
from hornbeam.data.target import Target
from hornbeam.growing.finish import answer_rule_for, class_factors, class_totals
from hornbeam.parts import Constant
from hornbeam.tree.tree import Tree

# ---- the tree answers as the estimator -------------------------------------------------------------------


def trees():
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 4, (60, 2)).astype(float), rng.integers(0, 3, 60)
    costs = np.array([[0, 1, 6], [2, 0, 1], [1, 4, 0]])
    smooth = Constant("shrinkage", strength=3)
    yield hb.TreeClassifier(priors=[0.2, 0.3, 0.5]).fit(X, y), X
    yield hb.TreeClassifier(costs=costs, leaf=smooth).fit(X, y), X
    yield hb.TreeClassifier(priors="equal", leaf=smooth).fit(X, y, row_costs=rng.integers(0, 9, (60, 3))), X


@pytest.mark.parametrize(("model", "X"), list(trees()), ids=["priors", "costs", "row_costs"])
def test_a_tree_saved_pickled_or_pruned_answers_as_before(model, X):
    tree = model.tree_
    for same in (Tree.from_dict(json.loads(json.dumps(tree.to_dict()))), pickle.loads(pickle.dumps(tree))):
        assert same == tree
        assert (same.predict(X) == model.predict(X)).all()
        assert same.predict_proba(X) == pytest.approx(model.predict_proba(X))
    mask = np.zeros(len(tree), dtype=bool)
    mask[np.flatnonzero(tree.depths == 2)] = True
    pruned = tree.collapse(mask)
    above = np.flatnonzero(tree.depths <= 2)
    assert sorted(pruned.label.tolist()) == sorted(tree.label[above].tolist())
    assert sorted(pruned.answers()[:, 0]) == pytest.approx(sorted(tree.answers()[above, 0]))


def test_refitting_applies_the_same_priors_to_other_rows():
    tree = stump(priors="equal", costs={"ill": {"well": 2}}).tree_
    other = tree.refit({"x": [1, 2, 2, 3]}, ["ill", "ill", "well", "well"])
    assert other.stats.tolist() == [[2, 2], [2, 1], [0, 1]]
    assert other.answers()[1] == close([2 / 3, 1 / 3])
    assert other.impurity[0] == close(1 - (2 / 3) ** 2 - (1 / 3) ** 2)
    back = other.refit(X, Y)
    assert back.answers() == close(tree.answers())
    assert back.gain == close(tree.gain)


def test_refitting_on_rows_that_weigh_classes_keeps_the_priors():
    tree = stump(priors="equal").tree_
    weighed = Target.classes_of(Y, class_weight={"ill": 3})
    assert tree.refit(X, weighed).answers()[0] == close([0.75, 0.25])


def test_refitting_a_tree_of_row_costs_needs_those_of_the_new_rows():
    costs = np.array([[0, 9.0] if label == "ill" else [1, 0] for label in Y])
    tree = hb.TreeClassifier(max_depth=1).fit(X, Y, row_costs=costs).tree_
    assert tree.refit(X, Target.classes_of(Y, row_costs=costs)).label.tolist() == tree.label.tolist()
    with pytest.raises(
        ValueError, match=r"refit it with those of the new rows, as Target.classes_of\(y, row_costs="
    ):
        tree.refit(X, Y)
    with pytest.raises(ValueError, match="row_costs say nothing about the class 'ill' of the tree"):
        tree.refit({"x": [1]}, Target.classes_of(["well"], row_costs=[[0.0]]))


def test_an_interrupted_tree_answers_with_its_costs():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200_000, 4))
    y = (X[:, 0] + rng.normal(size=200_000) > 2).astype(int)
    with pytest.raises(hb.GrowthInterrupted) as stopped:
        hb.TreeClassifier(costs={1: {0: 1000}}).fit(X, y, progress=lambda share: True)
    assert stopped.value.tree.stats[0].tolist() == np.bincount(y).tolist()
    assert stopped.value.tree.label[0] == 1


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_the_rows_does_not_matter(seed):
    rng = np.random.default_rng(seed)
    X, y, w = rng.integers(0, 5, (50, 3)).astype(float), rng.integers(0, 3, 50), rng.random(50)
    costs = rng.random((50, 3))
    order = rng.permutation(50)
    for model in (hb.TreeClassifier(priors=[0.1, 0.2, 0.7]), hb.TreeClassifier(costs={0: {1: 0.3}})):
        assert model.fit(X, y, w).tree_ == clone(model).fit(X[order], y[order], w[order]).tree_
    by_row = hb.TreeClassifier().fit(X, y, w, row_costs=costs)
    assert by_row.tree_ == clone(by_row).fit(X[order], y[order], w[order], row_costs=costs[order]).tree_


def test_costs_are_parameters_as_any_other():
    X, y = load_iris(return_X_y=True)
    search = GridSearchCV(
        hb.TreeClassifier(max_depth=2), {"costs": [None, {1: {2: 9}}], "priors": [None, "equal"]}, cv=3
    )
    assert search.fit(X, y).best_score_ > 0.8
    assert "costs={1: {2: 9}}" in repr(hb.TreeClassifier(costs={1: {2: 9}}))


# ---- class order -----------------------------------------------------------------------------------------


def test_arrays_are_in_class_order_which_y_may_declare():
    y = pd.Categorical(["low", "high", "high", "low"], categories=["low", "high"], ordered=True)
    X = {"x": [1, 1, 1, 1]}
    model = hb.TreeClassifier(priors=[0.9, 0.1]).fit(X, y)
    assert model.classes_.tolist() == ["high", "low"]
    assert model.predict(X).tolist() == ["low"] * 4
    assert model.predict_proba(X)[0] == close([0.1, 0.9])
    dear = hb.TreeClassifier(costs=[[0, 1], [3, 0]]).fit(X, y)
    assert dear.predict(X).tolist() == ["high"] * 4


# ---- arithmetic of factors -------------------------------------------------------------------------------


def test_totals_are_of_weights_without_class_weights():
    target = Target.classes_of(Y, sample_weight=[0.1] * 10, counts=[2] * 10, class_weight={"ill": 5})
    assert class_totals(target) == close([0.4, 1.6])


def test_factors_leave_the_total_weight_alone():
    target = Target.classes_of(Y)
    rule = answer_rule_for(target, {}, priors=[0.3, 0.7], costs=[[0, 5], [2, 0]])
    factors = class_factors(target, rule)
    assert factors @ [2, 8] == close(10)
    assert factors[0] / factors[1] == close((0.3 * 5 / 2) / (0.7 * 2 / 8))


# ---- monotonic constraints -------------------------------------------------------------------------------


def test_priors_and_two_class_costs_keep_monotonic_constraints():
    rng = np.random.default_rng(0)
    X = rng.random((200, 2))
    y = (X[:, 0] + rng.normal(size=200) > 0.5).astype(int)
    grid = np.stack([np.linspace(0, 1, 50), np.full(50, 0.5)], axis=1)
    for params in ({"priors": [0.2, 0.8]}, {"costs": [[0, 7], [1, 0]]}):
        model = hb.TreeClassifier(monotonic_cst={0: 1}, min_samples_leaf=5, **params).fit(X, y)
        assert (np.diff(model.predict_proba(grid)[:, 1]) >= -1e-12).all()


def test_what_could_break_a_monotonic_constraint_is_refused():
    X, y = load_iris(return_X_y=True)
    model = hb.TreeClassifier(monotonic_cst={0: 1})
    with pytest.raises(ValueError, match="monotonic_cst cannot be kept: costs of more than two classes"):
        clone(model).set_params(costs={0: {1: 5}}).fit(X, y)
    with pytest.raises(ValueError, match="monotonic_cst cannot be kept: row_costs"):
        model.fit(X, y, row_costs=1 - np.eye(3)[y])
    with pytest.raises(ValueError, match="monotonic_cst cannot be kept: smoothing='laplace'"):
        clone(model).set_params(leaf=Constant("laplace")).fit(X, y)
    clone(model).set_params(costs=[[0, 1, 2], [2, 0, 1], [1, 2, 0]]).fit(X, y)  # all rows sum to 3
