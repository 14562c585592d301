"""Every estimator survives pickle and skops, before and after it was asked."""

import pickle

import numpy as np
import pytest
from tests.support.file_breaker import models

import hornbeam as hb

MODELS = models()


def same(a, b):
    if isinstance(a, hb.Tree):
        return a == b
    return a.trees_ == b.trees_ if hasattr(a, "trees_") else a.tree_ == b.tree_


def asked(model, X):
    ask = model.score_samples if isinstance(model, hb.TreeDensity) else model.predict
    return ask(X)


ROWS = {
    "age": [40.5, 20.0],
    "pay": [0.5, -0.5],
    "rooms": [1.0, 4.0],
    "city": ["Brno", "Cheb"],
    "size": ["M", "L"],
    "owner": [True, False],
}


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("first_asked", [False, True])
def test_pickle_brings_every_model_back(model, first_asked):
    if first_asked:
        asked(model, ROWS)
    again = pickle.loads(pickle.dumps(model))
    assert same(again, model)
    np.testing.assert_array_equal(asked(again, ROWS), asked(model, ROWS))


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
def test_skops_brings_every_model_back_and_asks_for_trust_in_hornbeam_only(model):
    skops = pytest.importorskip("skops.io", reason="skops is not installed")
    asked(model, ROWS)
    data = skops.dumps(model)
    wanted = skops.get_untrusted_types(data=data)
    assert all(name.startswith("hornbeam.") for name in wanted)
    assert "hornbeam.tree.apply.Compiled" not in wanted  # what is made for the core stays here
    again = skops.loads(data, trusted=wanted)
    assert same(again, model)
    np.testing.assert_array_equal(asked(again, ROWS), asked(model, ROWS))


def test_a_plain_model_asks_skops_to_trust_three_names():
    skops = pytest.importorskip("skops.io", reason="skops is not installed")
    model = hb.TreeClassifier(max_depth=1).fit(ROWS, ["a", "b"])
    assert skops.get_untrusted_types(data=skops.dumps(model)) == [
        "hornbeam.data.columns.Column",
        "hornbeam.estimators.tree_estimators.TreeClassifier",
        "hornbeam.tree.tree.Tree",
    ]


def test_a_state_that_is_no_tree_is_refused():
    tree = hb.Tree.from_nested({"column": "x", "<=": 1.5, "yes": "a", "no": "b"})
    state = tree.__getstate__() | {"first_child": np.array([99, -1, -1])}
    with pytest.raises(ValueError, match="children beyond the last node"):
        hb.Tree.__new__(hb.Tree).__setstate__(state)
