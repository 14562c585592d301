"""The recipes that prune: what they are, on the tables of the lectures, and what they refuse."""
# ruff: noqa: N802 (a test is called by the number of its case)

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.model_selection import GridSearchCV

import hornbeam as hb
from hornbeam.parts import CostComplexity, ErrorBased


def root(model):
    tree = model.tree_
    return tree.columns[tree.column[0]].name if tree.n_tests else None


def test_B6_the_roots_on_tennis():
    tennis = hb.datasets.load("tennis")
    for name in ("id3", "c45", "j48", "cart"):
        assert root(hb.recipe(name).fit(tennis.X, tennis.y)) == "Outlook"
    assert (
        hb.cart()
        .fit(tennis.X, tennis.y)
        .tree_.text()
        .startswith("Outlook[{Overcast}: Yes(0:4) | {Rain,Sunny}")
    )


def test_the_examples_of_c45s_guards_hold():
    """The mean gain refuses B, the charge leaves the temperature's threshold worth a little."""
    X = {"A": ["a1", "a1", "a1", "a2", "a2"], "B": ["b1", "b2", "b2", "b2", "b2"]}
    y, counts = ["p", "p", "n", "p", "n"], [2, 5, 3, 3, 7]
    assert root(hb.c45(pruning=None).fit(X, y, counts=counts)) == "A"
    heat = hb.datasets.load("temperature")
    assert root(hb.c45(pruning=None).fit(heat.X, heat.y)) == "Temperature"
    assert root(hb.c45(pruning=None, correction="paper").fit(heat.X, heat.y)) is None


def test_a_recipe_can_be_searched_over():
    X, y = load_breast_cancer(return_X_y=True)
    search = GridSearchCV(
        hb.c45(), {"pruning__confidence": [0.01, 0.25], "pruning__raising": [True, False]}, cv=3
    )
    assert search.fit(X, y).best_score_ > 0.9
    search = GridSearchCV(hb.cart(), {"pruning__alpha": [0.0, 0.01]}, cv=3)
    assert search.fit(X, y).best_score_ > 0.88


def test_cart_is_pruned_by_the_one_se_rule():
    X, y = load_diabetes(return_X_y=True)
    model = hb.cart("real").fit(X, y)
    path = model.pruning_.facts["path"]
    best = int(np.argmin(path.cv))
    within = np.flatnonzero(path.cv <= path.cv[best] + path.cv_error[best])
    assert model.tree_.n_leaves == path.leaves[within].min()
    assert 1 < model.tree_.n_leaves < hb.cart("real", pruning=None).fit(X, y).tree_.n_leaves
    smaller = hb.cart("real", rule="min").fit(X, y)
    assert smaller.tree_.n_leaves == path.leaves[best]


def test_few_rows_are_not_cross_validated():
    X, y = [[float(i)] for i in range(12)], list("aaaaaabbbbbb")
    assert hb.cart().fit(X, y).tree_.n_leaves == 2
    assert hb.cart().pruning.min_rows == 30
    assert hb.cart(cv=3).pruning.min_rows == 0


def test_a_penalty_can_be_measured_in_the_roots_risk():
    X, y = load_breast_cancer(return_X_y=True)
    full = hb.TreeClassifier().fit(X, y)
    risk = float(np.minimum(y.mean(), 1 - y.mean()))
    relative = hb.prune(full, CostComplexity(alpha=0.02, unit="root"))
    assert relative.tree_ == hb.prune(full, CostComplexity(alpha=0.02 * risk)).tree_
    with pytest.raises(ValueError, match="unit='leaf'"):
        hb.prune(full, CostComplexity(alpha=0.02, unit="leaf"))


def test_a_recipe_says_what_is_wrong():
    with pytest.raises(ValueError, match="task='class'"):
        hb.cart("class")
    with pytest.raises(ValueError, match="confidence=2"):
        hb.c45(confidence=2).fit([[1.0], [2.0]], ["a", "b"])
    with pytest.raises(ValueError, match="min_branch=0"):
        hb.c45(min_cases=0).fit([[1.0], [2.0]], ["a", "b"])
    assert hb.c45(pruning=ErrorBased(0.1)).pruning.confidence == 0.1
