"""scikit-learn's own checks with priors and with every smoothing, where the checks leave the classes free."""

from tests.support.estimator_checks import sklearn_checks

from hornbeam import TreeClassifier, TreeRegressor
from hornbeam.parts import Constant


def choices():
    """The estimators with each way of answering."""
    yield TreeClassifier(priors="equal")
    yield TreeClassifier(priors="data", costs=None)
    yield TreeClassifier(leaf=Constant("laplace"))
    yield TreeClassifier(leaf=Constant("m-estimate", m=0.5), priors="equal")
    yield TreeClassifier(leaf=Constant("shrinkage", strength=0.1))
    yield TreeRegressor(leaf=Constant("m-estimate", m=0.5))
    yield TreeRegressor(leaf=Constant("shrinkage"))


@sklearn_checks(in_full=[], in_part=choices())
def test_scikit_learn_checks_pass_with_every_way_of_answering(estimator, check):
    check(estimator)
