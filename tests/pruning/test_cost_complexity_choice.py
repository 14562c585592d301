"""Choosing a step of the cost-complexity path: by rule, leaves, alpha or validation rows."""

import math

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from tests.support.small_trees import S2, pt, rows_of

import hornbeam as hb
from hornbeam.data.table import Table
from hornbeam.parts import Surrogates


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    model = hb.TreeClassifier(min_samples_leaf=3).fit(X, y)
    return model, X, y, hb.pruning_path(model, X, y, cv=5)


def test_a_chosen_model_is_fitted_and_the_model_given_stays(cancer):
    model, X, y, path = cancer
    before = model.tree_.n_leaves
    small = path.choose("1-se")
    assert small.tree_.n_leaves < before == model.tree_.n_leaves
    assert small.score(X, y) == pytest.approx(1 - path.training[path.step("1-se")])
    assert small.pruning_.facts["alpha"] == path.alpha[path.step("1-se")]
    assert small.pruning_.decisions[0].numbers.keys() == {"strength"}
    assert path.cv[path.step("min")] == path.cv.min()


def test_leaves_and_alpha_choose_a_step(cancer):
    path = cancer[3]
    for step in range(len(path)):
        assert path.step(leaves=int(path.leaves[step])) == step
        assert path.step(alpha=path.alpha[step]) == step
        assert path.choose(leaves=int(path.leaves[step])).tree_.n_leaves == path.leaves[step]
    assert path.step(leaves=10**6) == 0
    assert path.step(alpha=1e9) == len(path) - 1
    assert path.leaves[path.step(leaves=int(path.leaves[1]) + 1)] <= path.leaves[1] + 1


def test_a_path_says_what_it_cannot_choose_by(cancer):
    model, X, y, path = cancer
    with pytest.raises(ValueError, match="leaves=0 must be a whole number of at least 1"):
        path.choose(leaves=0)
    with pytest.raises(ValueError, match="alpha=-1 must be a number of at least 0"):
        path.choose(alpha=-1)
    with pytest.raises(ValueError, match="give one of them"):
        path.choose("min", alpha=0.1)
    with pytest.raises(ValueError, match="rule='best' must be one of '1-se', 'min', 'thrifty'"):
        path.choose("best")
    with pytest.raises(ValueError, match="needs errors on rows that did not grow the tree"):
        hb.pruning_path(model).choose()
    with pytest.raises(ValueError, match="the model was fitted on 569"):
        hb.pruning_path(model, X[:100], y[:100])
    with pytest.raises(ValueError, match="a Tree cannot say how to"):
        hb.pruning_path(model.tree_, X, y)
    with pytest.raises(ValueError, match="cv=5 needs the rows the model was fitted on"):
        hb.pruning_path(model, cv=5)
    with pytest.raises(ValueError, match=r"cv=.* must be a number of folds"):
        hb.pruning_path(model, X, y, cv=[[1], [2, 3]])
    with pytest.raises(ValueError, match="X and y belong together, but y is None"):
        hb.pruning_path(model, X)
    with pytest.raises(ValueError, match="validation must be a tuple"):
        hb.pruning_path(model, validation=X)
    with pytest.raises(ValueError, match="risk='gini' must be one of 'error', 'impurity'"):
        hb.pruning_path(model, risk="gini")
    with pytest.raises(ValueError, match=r"no counts.*refit"):
        hb.pruning_path(hb.Tree.from_nested({"column": "x", "<=": 1, "yes": "a", "no": "b"}))


def test_a_path_of_a_tree_gives_trees_and_is_chosen_by_validation_rows():
    X, y, counts = rows_of(S2)
    path = hb.pruning_path(pt(), validation=(X, y, None, counts))
    errors = [int(sum(c for a, b, c in zip(tree.predict(X), y, counts, strict=True) if a != b))
              for tree in (path.subtree(k) for k in range(len(path)))]  # fmt: skip
    assert (path.validation * sum(counts)).round(9).tolist() == errors == [15, 10, 12, 20]
    assert path.choose("min").text() == "x1[<=0.5: x2[<=0.5: 0(20:2) | >0.5: 1(8:10)] | >0.5: 1(6:18)]"
    n, p = sum(counts), errors[1] / sum(counts)
    assert path.validation_error[1] == pytest.approx(math.sqrt(p * (1 - p) / n))


def test_the_path_prints_and_becomes_dicts(cancer):
    path = cancer[3]
    text = str(path)
    assert text.splitlines()[0].split() == ["step", "alpha", "leaves", "risk", "cv", "cv", "+-"]
    assert len(text.splitlines()) == len(path) + 1
    first = path.as_dicts()[0]
    assert first["leaves"] == path.leaves[0]
    assert set(path.curves()) == {"alpha", "leaves", "nodes", "risk", "training", "cv", "cv_error"}
    long = hb.pruning_path(hb.TreeRegressor().fit(*load_diabetes(return_X_y=True)))
    assert "..." in str(long)
    assert len(str(long).splitlines()) == 42


def test_surrogates_that_nobody_asks_are_left_out_of_the_folds(monkeypatch):
    X, y = load_breast_cancer(return_X_y=True)
    table = Table.learn(X)
    assert Surrogates(3).in_trials(table).max_surrogates == 0
    gap = X.copy()
    gap[0, 0] = np.nan
    assert Surrogates(3).in_trials(Table.learn(gap)).max_surrogates == 3
    found = hb.cart().fit(X, y)
    monkeypatch.setattr(Surrogates, "in_trials", lambda self, _: self)
    anew = hb.cart().fit(X, y)
    np.testing.assert_array_equal(found.pruning_.facts["path"].cv, anew.pruning_.facts["path"].cv)
    assert found.tree_.text() == anew.tree_.text()
    assert len(found.tree_.surrogate_column) > 0
