"""Sums of columns with indicators: whether a nominal column has a value, as a term of an oblique test."""

import numpy as np
import pandas as pd
import pytest

import hornbeam as hb
from hornbeam.data.target import Target
from hornbeam.growing.oblique import oblique_search
from hornbeam.parts import Oblique
from hornbeam.tree.arrays import EQUALS, EXPRESSION


def grown(X, y, **params):
    """The full tree with indicators."""
    return hb.TreeClassifier("entropy", split=Oblique(indicators=True), **params).fit(X, y)


def scored(n=300, seed=0, gaps=0.0):
    """Classes by a sum of one number and the values of two nominal columns."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "x": rng.normal(size=n),
            "colour": rng.choice(["red", "green", "blue", "it's"], n),
            "the shape": rng.choice(["round", "square"], n),
        }
    )
    score = X.x + 1.5 * X.colour.isin(["red", "it's"]) - (X["the shape"] == "round")
    y = np.where(score > 0.4, "yes", "no")
    return X.mask(rng.random(X.shape) < gaps), y


def test_three_of_four_needs_one_test():
    bits = [[(k >> j) & 1 for j in range(4)] for k in range(16)]
    X = pd.DataFrame([["on" if bit else "off" for bit in row] for row in bits], columns=list("abcd"))
    y = ["many" if sum(row) >= 3 else "few" for row in bits]
    model = grown(X, y)
    assert model.tree_.n_leaves == 2
    assert model.tree_.kind[0] == EXPRESSION
    assert model.tree_.expressions[0] == "(a == 'on') + (b == 'on') + (c == 'on') + (d == 'on') <= 2.5"
    assert model.score(X, y) == 1.0
    assert hb.TreeClassifier("entropy", split="oblique").fit(X, y).tree_.n_leaves > 5


def test_a_sum_of_numbers_and_values_is_found_and_needs_fewer_leaves():
    X, y = scored()
    model, plain = grown(X, y), hb.TreeClassifier("entropy").fit(X, y)
    assert model.score(X, y) == 1.0
    assert model.tree_.n_leaves <= 3 < plain.tree_.n_leaves / 3
    other, truth = scored(2000, seed=1)
    assert model.score(other, truth) > plain.score(other, truth)


def test_values_that_weigh_the_same_stand_together():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=200), "c": rng.choice(list("abcd"), 200)})
    y = X.x + 2 * X.c.isin(["b", "d"]) > 1
    text = grown(X, y, max_depth=1).tree_.expressions[0]
    assert "(c in ('b', 'd'))" in text or "(c in ('a', 'c'))" in text, text


@pytest.mark.parametrize("missing", ["learn", "fractional", "majority", "branch"])
def test_rows_go_in_prediction_where_they_went_in_training(missing):
    X, y = scored(gaps=0.1)
    weight = np.random.default_rng(3).integers(1, 4, len(y))
    model = hb.TreeClassifier("entropy", split=Oblique(indicators=True), missing=missing, min_samples_leaf=3)
    tree = model.fit(X, y, counts=weight).tree_
    again = tree.refit(X, Target.classes_of(y, counts=weight))
    assert (tree.kind == EXPRESSION).any()
    np.testing.assert_allclose(again.stats, tree.stats)


def test_the_tree_is_the_same_for_any_order_of_rows_and_any_number_of_threads():
    X, y = scored(gaps=0.05)
    tree = grown(X, y).tree_
    order = np.random.default_rng(1).permutation(len(y))
    assert grown(X.iloc[order].reset_index(drop=True), y[order]).tree_ == tree
    assert grown(X, y, n_jobs=2).tree_ == tree


def test_without_nominal_columns_nothing_changes():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    y = (X[:, 0] + X[:, 1] > X[:, 2]).astype(int)
    plain = hb.TreeClassifier("entropy", split=Oblique()).fit(X, y).tree_
    assert grown(X, y).tree_ == plain


def test_of_many_values_the_best_are_searched(monkeypatch):
    X, y = scored()
    X["many"] = [f"v{k % 60}" for k in range(len(y))]
    assert grown(X, y).score(X, y) == 1.0
    monkeypatch.setattr(oblique_search, "MOST_TERMS", 2)
    few = grown(X, y, max_depth=1).tree_
    assert few.kind[0] in (EQUALS, EXPRESSION) or len(few.tested_columns(0)) <= 2


def test_columns_that_the_language_cannot_name_are_left_out():
    X, y = scored()
    odd = X.rename(columns={"colour": "a `b`"})
    tree = grown(odd, y).tree_
    assert not any("`b`" in text for text in tree.expressions.values())


def test_a_model_with_indicators_can_be_saved_and_read(tmp_path):
    X, y = scored(gaps=0.1)
    model = grown(X, y)
    hb.save(model, tmp_path / "model.json")
    again = hb.load(tmp_path / "model.json")
    assert again.tree_ == model.tree_
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_indicators_must_be_true_or_false():
    with pytest.raises(TypeError, match="indicators=1 must be True or False"):
        hb.TreeClassifier(split=Oblique(indicators=1)).fit([[0], [1]], [0, 1])
