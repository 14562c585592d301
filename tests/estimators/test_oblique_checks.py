"""scikit-learn's own checks hold for trees with oblique splits."""

from tests.support.estimator_checks import sklearn_checks

from hornbeam import TreeClassifier, TreeRegressor
from hornbeam.parts import Oblique

ESTIMATORS = [  # the defaults are among the slot choices of test_sklearn
    TreeClassifier(split=Oblique(restarts=0, others="multiway"), max_features=0.7, random_state=0),
    TreeRegressor(split=Oblique(max_columns=2, sparsity=0.0, restarts=1), missing="fractional"),
    TreeClassifier(split=Oblique(restarts=0, indicators=True), random_state=0),
]


@sklearn_checks(in_full=ESTIMATORS[:1], in_part=ESTIMATORS[1:])
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)
