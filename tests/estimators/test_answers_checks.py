"""scikit-learn's own checks with priors and with every smoothing, where the checks leave the classes free."""

from sklearn.utils.estimator_checks import parametrize_with_checks

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


@parametrize_with_checks(list(choices()))
def test_scikit_learn_checks_pass_with_every_way_of_answering(estimator, check):
    check(estimator)
