"""scikit-learn's own checks hold for pruning by cross-validation and by the smallest prunings."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV
from tests.support.estimator_checks import sklearn_checks

from hornbeam import TreeClassifier, TreeRegressor
from hornbeam.parts import CostComplexity, HypothesisValidation, SmallestForErrors

PRUNERS = (
    CostComplexity(),
    CostComplexity("impurity", alpha=0.01),
    CostComplexity(cv=2, rule="min", random_state=1),
    SmallestForErrors(k=2),
    HypothesisValidation(holdout=0.2),
)
# Folds deal rows, not weights: a row of weight 2 is in one fold, two rows of weight 1 may be in two.
NOT_FOR_FOLDS = tuple(f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse"))


@sklearn_checks(
    in_full=[TreeClassifier(pruning=PRUNERS[0])],
    in_part=[
        *(TreeClassifier(pruning=part) for part in PRUNERS[1:]),
        *(TreeRegressor(pruning=part) for part in PRUNERS),
    ],
)
def test_scikit_learns_own_checks(estimator, check):
    part = estimator.pruning
    by_folds = isinstance(part, CostComplexity) and part.alpha is None
    if by_folds and check.func.__name__ in NOT_FOR_FOLDS:
        pytest.skip("folds deal rows, whatever their weight")
    check(estimator)


def test_a_grid_search_sets_the_penalty():
    X, y = load_breast_cancer(return_X_y=True)
    grid = {"pruning": [CostComplexity()], "pruning__alpha": [0, 0.01, 0.3]}
    search = GridSearchCV(TreeClassifier(), grid, cv=3, error_score="raise").fit(X, y)
    assert search.best_params_["pruning__alpha"] < 0.3
    assert search.best_estimator_.pruning_.facts["alpha"] <= 0.01


def test_rows_of_weight_0_change_nothing_in_any_fold():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 3)), rng.integers(0, 2, 90)
    weight = (np.arange(90) % 3 > 0).astype(float)
    some = weight > 0
    one = TreeClassifier(pruning="cost-complexity").fit(X, y, weight)
    two = TreeClassifier(pruning="cost-complexity").fit(X[some], y[some])
    assert one.tree_.text() == two.tree_.text()
    assert one.pruning_.facts["path"].cv.tolist() == two.pruning_.facts["path"].cv.tolist()
