"""scikit-learn's own checks with every choice of the slot `pruning`, and its tools around them."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.model_selection import GridSearchCV
from tests.support.estimator_checks import sklearn_checks

import hornbeam as hb
from hornbeam.parts import SRM, ChiSquare, Penalised, ReducedError, ReplaceByChild, Validation
from hornbeam.pruning import PRUNING

REAL = ("reduced-error", "validation", "replace-by-child", "penalised")
MINE = ("chi-square", "srm", *REAL)
PARTS = [
    ChiSquare(alpha=0.3),
    ReducedError(holdout=0.5, ties="keep", random_state=3),
    Validation(holdout=0.2),
    ReplaceByChild(holdout=0.4),
    SRM(factor=0.1, size="leaves", log_base=2, confidence="m/delta"),
    Penalised(strength=0.5),
]


def estimators():
    for name in MINE:
        # At its full strength SRM prunes trees of a few hundred rows to a leaf, but the checks want accuracy.
        part = SRM(factor=0.05) if name == "srm" else name
        yield hb.TreeClassifier(pruning=part)
    yield from (hb.TreeRegressor(pruning=name) for name in REAL)
    yield from (hb.TreeClassifier(pruning=part) for part in PARTS)


@pytest.mark.filterwarnings("ignore:.*expected counts below 5:UserWarning")
@sklearn_checks(in_full=[], in_part=estimators())
def test_scikit_learn_checks_pass(estimator, check):
    check(estimator)


def test_the_methods_are_those_of_the_table():
    assert set(MINE) <= set(PRUNING)


def test_nested_parameters_are_searched():
    X, y = load_breast_cancer(return_X_y=True)
    grid = [
        {"pruning": [ReducedError()], "pruning__holdout": [0.2, 0.4]},
        {"pruning": [Penalised()], "pruning__strength": [1.0, 5.0]},
        {"pruning": [None, ChiSquare(0.01), "validation"]},
    ]
    search = GridSearchCV(hb.TreeClassifier(min_samples_leaf=20), grid, cv=3).fit(X, y)
    assert len(search.cv_results_["mean_test_score"]) == 7
    assert search.best_score_ > 0.88


def test_a_nested_parameter_needs_the_part_first():
    with pytest.raises(ValueError, match=r"put the part in first, pruning=ReducedError\(\)"):
        hb.TreeClassifier(pruning="reduced-error").set_params(pruning__holdout=0.2)


def test_models_are_cloned_pickled_and_fitted_again_without_their_record():
    X, y = load_diabetes(return_X_y=True)
    model = hb.TreeRegressor(pruning=Penalised(30_000)).fit(X, y)
    assert not hasattr(clone(model), "pruning_")
    again = pickle.loads(pickle.dumps(model))
    assert again.tree_ == model.tree_
    assert str(again.pruning_) == str(model.pruning_)
    assert again.pruning_.decisions == model.pruning_.decisions
    assert model.set_params(pruning=None).fit(X, y).pruning_ is None
    assert model.tree_ == again.pruning_.before


def test_a_pruned_tree_answers_new_rows_better_than_the_full_one():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 5))
    y = (X[:, 0] + rng.normal(0, 1, 3000) > 0).astype(int)
    full = hb.TreeClassifier().fit(X[:1500], y[:1500]).score(X[1500:], y[1500:])
    for part in (ReducedError(), ReplaceByChild(), Penalised(5.0), SRM(factor=0.5)):
        model = hb.TreeClassifier(pruning=part).fit(X[:1500], y[:1500])
        assert model.score(X[1500:], y[1500:]) > full + 0.03, part
