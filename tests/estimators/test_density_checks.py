"""Density trees: what is refused, and the checks of scikit-learn."""

import numpy as np
import pytest
import sklearn
from sklearn.model_selection import GridSearchCV
from tests.support.density_tables import FIVE
from tests.support.estimator_checks import sklearn_checks

import hornbeam as hb
from hornbeam.parts import CrossValidated, DensityCostComplexity

# ---- what is refused -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("support", "words"),
    [
        ({"z": (0, 1)}, "support names the column 'z', which X does not have"),
        ({"x": (0, 8)}, "leaves out the value 9 of row 4"),
        ({"x": (5, 5)}, "must be a pair"),
        ({"x": (10, 0)}, "must be a pair"),
        ({"x": 3}, "must be a pair"),
        ({"x": (0, float("inf"))}, "must be a pair"),
        ({"x": ("a", "b")}, "must be a pair"),
        ({"w": (0, 1)}, "its support are its categories"),
        ([(0, 1)], "one pair"),
        ("wide", "must be None for the range of the data"),
    ],
)
def test_a_support_that_cannot_be_is_refused_in_a_sentence(support, words):
    with pytest.raises(ValueError, match=words):
        hb.TreeDensity(support=support).fit(FIVE | {"w": list("aabbb")})


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"pruning": "cross-valid"}, "did you mean 'cross-validated'"),
        ({"pruning": CrossValidated}, "is a class: put an object in"),
        ({"pruning": CrossValidated(cv=1)}, "cv=1 must be a whole number of at least 2"),
        ({"pruning": CrossValidated(rule="min")}, "rule='min' must be one of 'best', '1-se'"),
        ({"pruning": CrossValidated(score="mse")}, "score='mse' must be one of"),
        ({"pruning": DensityCostComplexity(-1)}, "alpha=-1 must be a number, 0 or more"),
        ({"max_depth": -1}, "max_depth=-1"),
        ({"min_samples_leaf": 0}, "min_samples_leaf=0"),
        ({"min_gain": "a"}, "min_gain='a'"),
        ({"n_jobs": 0}, "n_jobs=0"),
    ],
)
def test_a_parameter_that_is_not_allowed_is_refused_in_a_sentence(params, words):
    with pytest.raises((ValueError, TypeError), match=words):
        hb.TreeDensity(**params).fit(FIVE)


def test_gaps_and_infinities_are_refused_in_a_sentence():
    with pytest.raises(ValueError, match="contains NaN: column 'x' has no value in row 1"):
        hb.TreeDensity().fit({"x": [1.0, None]})
    with pytest.raises(ValueError, match="contains NaN: column 'w' has no value in row 0"):
        hb.TreeDensity().fit({"w": [None, "a", "b"]})
    with pytest.raises(ValueError, match="holds infinity"):
        hb.TreeDensity().fit([[1.0], [np.inf]])
    model = hb.TreeDensity().fit(FIVE)
    with pytest.raises(ValueError, match="contains NaN"):
        model.score_samples({"x": [np.nan]})
    with pytest.raises(ValueError, match="wider than float64 can measure"):
        hb.TreeDensity().fit([[-1.7e308], [1.7e308]])
    with pytest.raises(ValueError, match="n_samples=0 must be"):
        model.sample(0)


# ---- scikit-learn --------------------------------------------------------------------------------------


ESTIMATORS = [
    hb.TreeDensity(),
    hb.TreeDensity("cross-validated", min_samples_leaf=2, random_state=0),
    hb.TreeDensity(DensityCostComplexity(alpha=0.01), max_leaf_nodes=20),
    hb.TreeDensity(CrossValidated(cv=3, rule="1-se", score="squared-error"), max_depth=4, random_state=1),
]


@sklearn_checks(in_full=ESTIMATORS[:1], in_part=ESTIMATORS[1:])
def test_scikit_learn_checks_pass(estimator, check):
    if check.func.__name__ == "check_positive_only_tag_during_fit" and sklearn.__version__.startswith("1.6."):
        pytest.skip("scikit-learn 1.6 makes whole numbers for this check, then subtracts their mean in place")
    check(estimator)


def test_a_grid_search_chooses_the_size_by_likelihood():
    X = np.random.default_rng(0).normal(size=(400, 1))
    grid = {"min_samples_leaf": [1, 20, 400]}
    search = GridSearchCV(hb.TreeDensity(support=[(-8, 8)]), grid, cv=4).fit(X)
    assert search.best_params_ == {"min_samples_leaf": 20}
    nested = hb.TreeDensity(CrossValidated()).set_params(pruning__cv=3)
    assert nested.pruning.cv == 3
    with pytest.raises(ValueError, match="put the part in first"):
        hb.TreeDensity("cross-validated").set_params(pruning__cv=3)
