"""Importance with surrogates against rpart's `variable.importance`, on tables with and without gaps."""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from tests.golden.rpart.tables import REAL, table

import hornbeam as hb

CASES = json.loads(
    (Path(__file__).parents[1] / "golden" / "rpart_importance" / "importance.json").read_text()
)
QUICK = (
    "breast_cancer",
    "diabetes",
    "gaps0",
    "gaps1",
    "iris",
    "made3",
    "prices0",
    "prices3",
    "prices4",
    "wide3",
)


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=case["table"], marks=() if case["table"] in QUICK else pytest.mark.slow)
        for case in CASES
    ],
)
def test_columns_are_as_important_as_in_rpart(case):
    X, y = table(case["table"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of columns that tell the target alone
        model = hb.rpart("real" if case["table"] in REAL else "classes").fit(X, y)
    assert model.tree_.n_leaves == case["leaves"]
    importance = hb.importance(model, method="surrogates")
    total = sum(case["importance"].values())
    for one in importance:
        assert one.value == pytest.approx(case["importance"].get(one.column, 0.0) / total, abs=1e-12)
    assert importance.method == "surrogates"


def test_a_tree_without_surrogates_is_refused():
    model = hb.TreeClassifier().fit([[1], [2]], ["a", "b"])
    with pytest.raises(ValueError, match="counts surrogates, of which this tree has none"):
        hb.importance(model, method="surrogates")
    with pytest.raises(ValueError, match="X goes with method='permutation'"):
        hb.importance(model, np.array([[1]]), method="surrogates")
