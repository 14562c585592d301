"""scikit-learn's own checks of regressors with equations in their leaves."""

from tests.support.estimator_checks import sklearn_checks

import hornbeam as hb
from hornbeam.parts import Linear, Polynomial

CHOICES = [
    hb.TreeRegressor(leaf=Linear(ridge=0.1), max_depth=3),
    hb.TreeRegressor(leaf=Linear(drop="akaike", smoothing=15), missing="majority", min_samples_leaf=4),
    hb.TreeRegressor(leaf=Polynomial(degree=3, clip=False), max_depth=2),
    hb.m5(),
]
# A weight never counts as rows (conventions, weights); limits, dropping and smoothing count rows.
BY_ROWS = tuple(f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse"))


@sklearn_checks(in_full=CHOICES[:1], in_part=CHOICES[1:])
def test_scikit_learn_finds_nothing_wrong(estimator, check):
    if check.func.__name__ in BY_ROWS and estimator.min_samples_leaf > 1:
        return
    check(estimator)
