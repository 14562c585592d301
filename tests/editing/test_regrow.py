"""Editing trees by hand: growing, by the whole or by steps, is fitting."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from tests.support.edited_trees import ESTIMATORS, REGRESSORS, N, document, fresh, mixed

import hornbeam as hb


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_growing_from_a_bare_root_is_fitting(name, weighted):
    X, y = mixed()
    weight = np.random.default_rng(1).random(N) if weighted else None
    model = fresh(ESTIMATORS[name]).fit(X, y, weight)
    draft = hb.edit(fresh(ESTIMATORS[name]), X, y, weight)
    assert draft.tree.n_leaves == 1
    assert document(draft.grow().tree) == document(model.tree_)
    assert np.array_equal(draft.grow().model.predict(X), model.predict(X))


@pytest.mark.parametrize("name", REGRESSORS)
def test_growing_a_regression_from_a_bare_root_is_fitting(name):
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    model = fresh(REGRESSORS[name]).fit(X, y)
    draft = hb.edit(fresh(REGRESSORS[name]), X, y)
    assert document(draft.grow().tree) == document(model.tree_)


@pytest.mark.parametrize("name", ["gini", "multiway", "fractional", "surrogates", "all-paths", "priors"])
def test_what_is_collapsed_grows_again(name):
    X, y = mixed()
    model = fresh(ESTIMATORS[name]).fit(X, y)
    draft = hb.edit(model, X, y)
    assert draft.tree is model.tree_
    for node in np.flatnonzero(model.tree_.first_child >= 0).tolist():
        assert document(draft.collapse(node).grow(node).tree) == document(model.tree_)
        assert document(draft.regrow(node).tree) == document(model.tree_)


@pytest.mark.parametrize("name", ["variance", "linear", "absolute"])
def test_what_is_collapsed_grows_again_in_regressions(name):
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    model = fresh(REGRESSORS[name]).fit(X, y)
    draft = hb.edit(model, X, y)
    for node in np.flatnonzero(model.tree_.first_child >= 0).tolist()[:5]:
        assert document(draft.collapse(node).grow(node).tree) == document(model.tree_)


def test_steps_to_the_end_are_fitting():
    X, y = load_iris(return_X_y=True)
    draft = hb.edit(hb.TreeClassifier(), X, y)
    worth = []
    for _ in range(8):
        draft = draft.step()
        worth.append(draft.say)
    assert document(draft.tree) == document(hb.TreeClassifier().fit(X, y).tree_)
    assert worth[0].startswith("split node 0 by ")
    with pytest.raises(ValueError, match="nothing to split"):
        draft.step()


def test_steps_are_those_of_growing_best_first():
    X, y = mixed()
    draft = hb.edit(hb.TreeClassifier(), X, y)
    for leaves in range(2, 9):
        draft = draft.step()
        grown = hb.TreeClassifier(max_leaf_nodes=leaves).fit(X, y).tree_
        assert document(draft.tree) == document(grown)


def test_a_step_grows_upper_levels_only_and_takes_the_tests_of_fitting():
    X, y = mixed()
    whole = hb.TreeClassifier().fit(X, y).tree_
    draft = hb.edit(hb.TreeClassifier(), X, y).step(order="depth")
    (levels,) = [tree.depth for tree in draft.context._grown.values() if tree.depth]
    assert levels == 4 < whole.depth, "the whole tree is not grown for its first test"
    while draft.tree.n_leaves < whole.n_leaves:
        draft = draft.step(order="depth")
    assert document(draft.tree) == document(whole)


def test_limits_given_to_grow_count_for_the_whole_tree():
    X, y = mixed()
    draft = hb.edit(hb.TreeClassifier(), X, y).split(0, on="c", groups=[["u"]])
    assert draft.grow(max_depth=2).tree.depth == 2
    assert draft.grow(max_leaf_nodes=5).tree.n_leaves == 5
    assert draft.grow(1, max_depth=3).tree.depth == 3
    with pytest.raises(ValueError, match="grow has no argument 'max_dept' \\(did you mean 'max_depth'"):
        hb.edit(hb.TreeClassifier(), X, y).grow(max_dept=3)
