"""PMML in an engine of others, JPMML: every row it answers, it answers as the tree does.

It does not know `aggregateNodes`, PMML's word for gaps that follow all paths: such rows it refuses.
"""

import numpy as np
import pytest
from tests.io.export.cases import CASES, _learned
from tests.io.export.jpmml import evaluate
from tests.io.export.runners import expected
from tests.io.export.table import says

from hornbeam.parts import ColumnSets, Constant, Oblique

MORE = {
    "smoothing, majority": lambda: _learned(leaf=Constant("laplace"), missing="majority"),
    "costs, majority": lambda: _learned(
        costs={"class 0": {"class 2": 5.0}}, priors="equal", missing="majority"
    ),
    "multiway, majority": lambda: _learned(split="multiway", missing="majority"),
    "sums with indicators, majority": lambda: _learned(
        split=Oblique(indicators=True, restarts=1), missing="majority"
    ),
    "column sets, majority": lambda: _learned(split=ColumnSets(columns=None), missing="majority"),
    "equals, majority": lambda: _learned(split="one-vs-rest", missing="majority"),
    "rates, majority": lambda: _learned(0, criterion="absolute", missing="majority"),
}


@pytest.mark.parametrize("name", [*CASES, *MORE])
def test_jpmml_says_what_the_tree_says(name):
    case = {**CASES, **MORE}[name]()
    if not says(case.tree, "pmml"):
        pytest.skip("pmml refuses this feature by name")
    answers, exported_shares, refused = evaluate(case)
    said, shares = expected(case)
    several = np.diff(case.tree.route(case.frame).start) > 1
    assert not (refused & ~several).any()
    asked = np.flatnonzero(~refused)
    assert len(asked) >= 2
    if shares is None:
        np.testing.assert_allclose(np.array(answers, dtype=float)[asked], np.array(said)[asked], rtol=1e-12)
        return
    assert [answers[i] for i in asked] == [said[i] for i in asked]
    np.testing.assert_allclose(exported_shares[asked], np.array(shares)[asked], rtol=1e-9, atol=1e-12)
