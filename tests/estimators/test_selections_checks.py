"""scikit-learn's own checks hold for every selection that chooses splits by tests of significance."""

import pytest
from tests.support.estimator_checks import sklearn_checks

from hornbeam import TreeClassifier, TreeRegressor
from hornbeam.growing.selections import ChiSquareSelection
from hornbeam.parts import Conditional

PARTS = (  # the defaults are among the slot choices of test_sklearn
    ChiSquareSelection(resplit=0.01, bonferroni=False),
    Conditional(test="maximum", cut="maximum"),
)


@sklearn_checks(
    in_full=[TreeClassifier(selection=PARTS[0])],
    in_part=[
        TreeRegressor(selection=PARTS[0]),
        TreeClassifier(selection=PARTS[1]),
        TreeRegressor(selection=PARTS[1]),
    ],
)
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("missing", ["learn", "branch", "all-paths", "fractional", "majority"])
@pytest.mark.parametrize("name", ["chi-square", "conditional"])
def test_every_missing_rule_goes_with_every_selection(name, missing):
    x = [1.0, 2.0, 3.0, 4.0, 5.0, None] * 10
    colour = ["red", None, "blue", "blue", "red", "red"] * 10
    y = ["a", "a", "a", "b", "b", "b"] * 10
    model = TreeClassifier(selection=name, missing=missing).fit({"x": x, "colour": colour}, y)
    assert model.tree_.n_tests > 0
    assert model.score({"x": x, "colour": colour}, y) > 0.8
    shares = model.predict_proba({"x": [None, 9.0], "colour": [None, "green"]})
    assert shares.sum(axis=1) == pytest.approx([1.0, 1.0])
