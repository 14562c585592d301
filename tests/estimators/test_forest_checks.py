"""scikit-learn's own checks on forests."""

from tests.support.estimator_checks import sklearn_checks

from hornbeam import ForestClassifier, ForestRegressor
from hornbeam.parts import AllPaths, Constant


@sklearn_checks(
    in_full=[ForestClassifier(n_estimators=5), ForestRegressor(n_estimators=5)],
    in_part=[
        ForestClassifier(4, combine="vote", class_weight="balanced", missing=AllPaths()),
        ForestClassifier(3, class_weight="balanced_subsample", leaf=Constant(smoothing="laplace")),
        ForestRegressor(3, criterion="sd", max_features=None, bootstrap=False),
    ],
)
def test_scikit_learn_accepts_the_forest(estimator, check):
    check(estimator)
