"""Costs and priors that cannot be are refused with a sentence."""

import numpy as np
import pytest
from tests.support.ill_or_well import X, Y

import hornbeam as hb
from hornbeam.parts import Constant

BAD = [
    (
        {"costs": [[0, 1, 1], [1, 0, 1], [1, 1, 0]]},
        r"costs has shape \(3, 3\), but y has 2 classes .* must be \(2, 2\)",
    ),
    ({"costs": [0, 1]}, r"costs has shape \(2,\)"),
    ({"costs": [[0, -1], [1, 0]]}, r"costs\[0, 1\]=-1 must be a finite number of at least 0"),
    ({"costs": [[0, np.nan], [1, 0]]}, r"costs\[0, 1\]=nan must be a finite number"),
    ({"costs": [[0, np.inf], [1, 0]]}, r"costs\[0, 1\]=inf must be a finite number"),
    (
        {"costs": [[0, 1], [1, 2]]},
        r"costs\[1, 1\]=2 must be 0: answering 'well' where it is true is no mistake",
    ),
    ({"costs": [[0, 0], [1, 0]]}, "costs has a row of zeros: no mistake about class 'ill'"),
    (
        {"costs": {"sick": {"well": 2}}},
        r"costs names 'sick', which is no class of y.*classes are 'ill', 'well'",
    ),
    ({"costs": {"wel": {"ill": 2}}}, r"costs names 'wel', which is no class of y \(did you mean 'well'\?\)"),
    ({"costs": {"ill": {"fine": 2}}}, r"costs\['ill'\] names 'fine', which is no class of y"),
    ({"costs": {"ill": 3}}, r"costs\['ill'\]=3 must be a dict .* as in costs=\{'ill': \{'well': 5\}\}"),
    ({"costs": {"ill": {"well": "dear"}}}, r"costs\['ill'\]\['well'\]='dear' must be a number"),
    ({"costs": "balanced"}, "costs='balanced' must be an array of numbers, or a dict by class"),
    ({"priors": [0.5, 0.6]}, "priors sum to 1.1, but the probabilities of all classes must sum to 1: divide"),
    ({"priors": [0.5, 0.3, 0.2]}, r"priors has shape \(3,\), but y has 2 classes"),
    ({"priors": [1.0, 0.0]}, "priors of class 'well' is 0, but it must be a number above 0"),
    ({"priors": [1.5, -0.5]}, "priors of class 'well' is -0.5"),
    ({"priors": [np.nan, 1]}, "priors of class 'ill' is nan"),
    ({"priors": {"ill": 1.0}}, "priors does not name the class 'well'"),
    ({"priors": {"ill": 0.5, "well": 0.25, "dead": 0.25}}, "priors names 'dead', which is no class of y"),
    ({"priors": {"ill": "half", "well": 0.5}}, r"priors\['ill'\]='half' must be a number"),
    ({"priors": "equals"}, r"priors='equals' is not known \(did you mean 'equal'\?\)"),
    ({"priors": 0.5}, r"priors has shape \(\)"),
    (
        {"costs": [[0, 2], [1, 0]], "leaf": Constant(label="median")},
        "label='median' needs classes that have an order",
    ),
]


@pytest.mark.parametrize(("params", "sentence"), BAD)
def test_bad_costs_and_priors_get_a_sentence(params, sentence):
    with pytest.raises((ValueError, TypeError), match=sentence):
        hb.TreeClassifier(**params).fit(X, Y)


BAD_ROWS = [
    (np.ones((10, 3)), r"row_costs has shape \(10, 3\), but X has 10 rows and y 2 classes"),
    (np.ones((9, 2)), r"row_costs has shape \(9, 2\)"),
    (np.ones(10), r"row_costs has shape \(10,\)"),
    (np.full((10, 2), -1.0), r"row_costs\[0, 0\]=-1 must be a finite number of at least 0"),
    (np.ones((10, 2)), "row_costs are the same for all classes in every row"),
    ({"ill": np.ones(10)}, "row_costs has no column for the class 'well'"),
    ({"ill": np.ones(10), "wel": np.ones(10)}, r"row_costs names 'wel', .*did you mean 'well'"),
    ({"ill": np.ones(10), "well": np.ones(9)}, r"row_costs\['well'\] has shape \(9,\), but X has 10 rows"),
    ([["a", "b"]] * 10, "row_costs=.* must be an array of numbers"),
]


@pytest.mark.parametrize(("costs", "sentence"), BAD_ROWS)
def test_bad_row_costs_get_a_sentence(costs, sentence):
    with pytest.raises(ValueError, match=sentence):
        hb.TreeClassifier().fit(X, Y, row_costs=costs)


def test_only_one_thing_says_what_mistakes_cost():
    costs = np.tile([0.0, 1.0], (10, 1))
    with pytest.raises(ValueError, match="costs and row_costs both say what mistakes cost"):
        hb.TreeClassifier(costs=[[0, 1], [1, 0]]).fit(X, Y, row_costs=costs)
    grades = [1, 2, 3, 1, 2, 3, 1, 2, 3, 1]
    with pytest.raises(ValueError, match="label='median' and costs both decide"):
        hb.TreeClassifier(costs={1: {3: 2}}, leaf=Constant(label="median")).fit(X, grades)


def test_a_regression_has_no_costs():
    with pytest.raises(TypeError, match="TreeRegressor has no parameter 'costs'"):
        hb.TreeRegressor(costs=[[0, 1], [1, 0]])


def test_one_class_needs_no_costs_and_allows_them():
    assert hb.TreeClassifier(costs=[[0]], priors=[1.0]).fit({"x": [1, 2]}, ["a", "a"]).tree_.text() == "a(2)"
    assert hb.TreeClassifier().fit({"x": [1, 2]}, ["a", "a"], row_costs=[[0], [3]]).tree_.text() == "a(2)"
