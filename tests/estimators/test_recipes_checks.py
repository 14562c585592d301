"""scikit-learn's own checks hold for the recipes that prune, and for pruning by expected errors."""

import numpy as np
import pytest
from sklearn.base import clone
from tests.support.estimator_checks import sklearn_checks

import hornbeam as hb
from hornbeam.parts import Collapse, CostComplexity, ErrorBased

RECIPES = [hb.c45(), hb.j48(), hb.cart(), hb.cart("real", cv=3), hb.rpart(), hb.rpart("real")]
REPEATED = tuple(f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse"))
PRUNED = [
    hb.TreeClassifier(pruning=part)
    for part in (
        ErrorBased(),
        ErrorBased(0.1, "exact", collapse=False),
        ErrorBased(raising=False),
        Collapse(),
        CostComplexity(alpha=0.02, unit="root"),
    )
]


@sklearn_checks(in_full=RECIPES[:1], in_part=RECIPES[1:])
def test_scikit_learns_own_checks_of_recipes(estimator, check):
    """A weight is no repetition where rows are counted (folds, least numbers of rows), but a count is."""
    if check.func.__name__ not in REPEATED:
        check(estimator)


@sklearn_checks(in_full=[], in_part=PRUNED)
def test_scikit_learns_own_checks_of_pruning(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", RECIPES, ids=["c45", "j48", "cart", "cart real", "rpart", "rpart real"])
def test_counts_are_repetitions(estimator):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 30, (80, 3)).astype(float)
    y = np.where(rng.random(80) < 0.2, rng.integers(0, 2, 80), (X[:, 0] > 12) ^ (X[:, 1] > 20)).astype(int)
    counts = rng.integers(0, 4, 80)
    rows = np.repeat(np.arange(80), counts)
    counted, repeated = clone(estimator).fit(X, y, counts=counts), clone(estimator).fit(X[rows], y[rows])
    assert counted.tree_.text() == repeated.tree_.text()
