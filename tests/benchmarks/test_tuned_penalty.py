"""scikit-learn's penalty is chosen as its own grid search chooses it."""

import numpy as np
import pytest
from benchmarks.accuracy.tuned_penalty import levels, scores_of, spread, standing, tuned
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor


@pytest.mark.parametrize(
    ("load", "tree", "kind", "columns"),
    [
        (load_breast_cancer, DecisionTreeClassifier, StratifiedKFold, 10),
        (load_digits, DecisionTreeClassifier, StratifiedKFold, 20),
        (load_diabetes, DecisionTreeRegressor, KFold, 10),
    ],
)
def test_the_scores_and_the_choice_are_those_of_a_grid_search(load, tree, kind, columns):
    X, y = load(return_X_y=True)
    X, tree, folds = X[:, :columns], tree(random_state=0), kind(5, shuffle=True, random_state=0)
    alphas = spread(np.unique(np.maximum(tree.cost_complexity_pruning_path(X, y).ccp_alphas, 0)), 25)
    search = GridSearchCV(tree, {"ccp_alpha": alphas}, cv=folds).fit(X, y)
    grown = [(clone(tree).fit(X[train], y[train]), X[test], y[test]) for train, test in folds.split(X, y)]
    scores = np.mean([scores_of(full, alphas, *held) for full, *held in grown], axis=0)
    assert scores == pytest.approx(search.cv_results_["mean_test_score"], abs=1e-12)
    assert np.argmax(scores) == search.best_index_


def test_the_tree_of_the_best_penalty_is_fitted():
    X, y = load_diabetes(return_X_y=True)
    best = tuned(DecisionTreeRegressor(random_state=0), X, y, classes=False)
    assert 2 < best.get_n_leaves() < 30
    again = DecisionTreeRegressor(random_state=0, ccp_alpha=best.ccp_alpha).fit(X, y)
    assert (again.predict(X) == best.predict(X)).all()


def test_a_collapsed_node_answers_for_all_below_it():
    X, y = load_diabetes(return_X_y=True)
    full = DecisionTreeRegressor(random_state=0).fit(X, y)
    for alpha in (50.0, 100.0, 300.0):
        pruned = DecisionTreeRegressor(random_state=0, ccp_alpha=alpha).fit(X, y)
        stand = standing(full.tree_, levels(full.tree_), alpha)[full.apply(X)]
        assert len(np.unique(stand)) == pruned.get_n_leaves()
        assert (full.tree_.value[stand, 0, 0] == pruned.predict(X)).all()
    assert (standing(full.tree_, levels(full.tree_), 0.0) == np.arange(full.tree_.node_count)).all()


def test_sizes_are_spread_on_a_logarithmic_scale():
    assert (spread(np.arange(50.0), 100) == np.arange(50)).all()
    chosen = spread(np.arange(10_000.0), 20)
    assert len(chosen) == 20
    assert chosen[0] == 0
    assert chosen[-3:].tolist() == [9997, 9998, 9999]
