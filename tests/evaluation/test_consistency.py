"""Consistency: a tree agrees with a table, or it is said with which rows it does not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import hornbeam as hb
from hornbeam.data.table import Table
from hornbeam.evaluation.consistency import consistent

GAME = {
    "column": "neck",
    "equals": "tie",
    "yes": {"column": "smile", "equals": "yes", "yes": "ally", "no": "enemy"},
    "no": {"column": "body", "equals": "triangle", "yes": "ally", "no": "enemy"},
}
TAX = {
    "column": "Refund",
    "equals": "yes",
    "yes": "no",
    "no": {
        "column": "MarSt",
        "branches": {
            "Married": "no",
            ("Single", "Divorced"): {"column": "TaxInc", "<=": 80, "yes": "no", "no": "yes"},
        },
    },
}


def test_the_game_tree_of_the_lecture_is_consistent_with_the_robots():
    robots = hb.datasets.load("robots")
    for columns in (None, Table.learn(robots.X)):
        found = consistent(hb.Tree.from_nested(GAME, columns), robots.X, robots.y)
        assert found
        assert (found.errors, found.n_rows, found.rows) == (0, 8, ())
        assert str(found) == "consistent with all 8 rows"


def test_the_tax_tree_makes_no_error():
    tax = hb.datasets.load("tax")
    names = list(tax.X)
    nested = _renamed(TAX, dict(zip(["Refund", "MarSt", "TaxInc"], names, strict=True)))
    assert consistent(hb.Tree.from_nested(nested), tax.X, tax.y).errors == 0


def _renamed(nested, names):
    if not isinstance(nested, dict):
        return nested
    return {
        key: names[value] if key == "column" else
        {k: _renamed(v, names) for k, v in value.items()} if key == "branches" else _renamed(value, names)
        for key, value in nested.items()
    }  # fmt: skip


def test_the_rows_that_disagree_are_named_with_both_answers():
    tree = hb.Tree.from_nested({"column": "x", "<=": 2.5, "yes": "low", "no": "high"})
    found = consistent(tree, {"x": [1, 2, 3, 4]}, ["low", "high", "high", "low"])
    assert not found
    assert (found.errors, found.rows) == (2, (1, 3))
    assert (found.predicted, found.actual) == (("low", "high"), ("high", "low"))
    assert str(found) == (
        "inconsistent: 2 of 4 rows disagree (row 1: 'low', not 'high'; row 3: 'high', not 'low')"
    )


def test_contradictory_rows_leave_errors_in_any_tree():
    X, y = {"a": list("uuuvvv")}, list("ppqqqp")
    model = hb.TreeClassifier(split="multiway").fit(X, y)
    assert consistent(model, X, y).errors == 2
    assert consistent(model, X, y).rows == (2, 5)


def test_a_full_tree_is_consistent_and_a_stump_is_not():
    tennis = hb.datasets.load("tennis")
    full = hb.TreeClassifier().fit(tennis.X, tennis.y)
    stump = hb.TreeClassifier(max_depth=1).fit(tennis.X, tennis.y)
    assert consistent(full, tennis.X, tennis.y)
    wrong = consistent(stump, tennis.X, tennis.y)
    assert wrong.errors == round((1 - stump.score(tennis.X, tennis.y)) * 14) > 0


def test_models_and_their_trees_are_judged_alike():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X, y = rng.integers(0, 3, (30, 3)).astype(float), rng.integers(0, 3, 30)
        X[rng.random(X.shape) < 0.1] = np.nan
        model = hb.TreeClassifier(max_depth=3).fit(X, y)
        of_model, of_tree = consistent(model, X, y), consistent(model.tree_, X, y)
        assert of_model == of_tree
        assert of_model.rows == tuple(np.flatnonzero(model.predict(X) != y).tolist())


def test_a_row_with_a_gap_is_judged_by_what_the_tree_predicts():
    X, y = {"x": [1.0, 2.0, None]}, ["a", "b", "b"]
    model = hb.TreeClassifier().fit(X, y)
    assert consistent(model, X, y)
    assert consistent(model, {"x": [None]}, ["a"]).rows == (0,)


def test_counts_make_a_row_count_more_than_once_or_not_at_all():
    tree = hb.Tree.from_nested({"column": "x", "<=": 2.5, "yes": "low", "no": "high"})
    found = consistent(tree, {"x": [1, 2, 3]}, ["low", "high", "low"], counts=[2, 3, 0])
    assert (found.errors, found.n_rows, found.rows) == (3, 5, (1,))


def test_a_class_the_tree_does_not_know_disagrees():
    tree = hb.Tree.from_nested({"column": "x", "<=": 2.5, "yes": 0, "no": 1})
    assert consistent(tree, {"x": [1, 3]}, [0, 2]).rows == (1,)
    assert consistent(tree, {"x": [1, 3]}, ["0", "1"]).errors == 2


def test_truth_values_and_0_and_1_are_the_same_labels():
    tree = hb.Tree.from_nested({"column": "x", "<=": 2.5, "yes": True, "no": False})
    assert consistent(tree, {"x": [1, 3]}, [1, 0])


def test_real_targets_agree_up_to_rounding():
    X, y = {"x": [1, 1, 1, 2]}, [0.1, 0.1, 0.1, 1e9]
    model = hb.TreeRegressor().fit(X, y)
    assert consistent(model, X, y)
    assert consistent(model, X, [0.1, 0.1, 9.1, 1e9]).rows == (2,)
    assert consistent(model, X, [0.1, 0.1, 9.1, 1e9], tolerance=1e-8)


def test_any_table_and_any_fitted_model_will_do():
    from sklearn.tree import DecisionTreeClassifier

    X, y = pd.DataFrame({"x": [1, 2, 3]}), pd.Series(["a", "b", "a"])
    assert consistent(DecisionTreeClassifier().fit(X, y), X, y)
    tree = hb.Tree.from_nested({"column": "x", "<=": 1.5, "yes": "a", "no": "b"})
    assert consistent(tree, X, y).rows == (2,)
    assert consistent(tree, X.to_numpy(), y.to_numpy()).rows == (2,)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"model": 3}, "model must be a Tree or a fitted model.* not a int"),
        ({"model": "tree"}, "model='tree' is no file"),
        ({"y": ["a"]}, "inconsistent numbers of samples"),
        ({"tolerance": -1}, "tolerance=-1 must be a number of at least 0"),
        ({"X": {"z": [1, 2]}}, "x"),
        ({"y": ["a", None]}, "row 1 is missing"),
    ],
)
def test_what_cannot_be_compared_gets_a_sentence(given, sentence):
    tree = hb.Tree.from_nested({"column": "x", "<=": 1.5, "yes": "a", "no": "b"})
    arguments = {"model": tree, "X": {"x": [1, 2]}, "y": ["a", "b"]} | given
    with pytest.raises((ValueError, TypeError), match=sentence):
        consistent(**arguments)


def test_many_disagreements_are_cut_short():
    tree = hb.Tree.from_nested("a", task="classes", classes=["a"], columns=Table.learn({"x": [1]}))
    assert str(consistent(tree, {"x": list(range(30))}, ["b"] * 30)).endswith(
        "row 9: 'a', not 'b'; and 20 more)"
    )
