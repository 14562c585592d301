"""Automatic trees for readers: no leaf of one row, no label against its share, no branch for each value."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

import hornbeam as hb


@pytest.mark.parametrize("seed", range(5))
def test_only_a_leaf_of_equally_many_rows_gives_another_class_a_larger_share_than_its_answer(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (200, 4)).astype(float)
    y = rng.random(200) < 0.1 + 0.25 * (X[:, 0] > 1) + 0.15 * (X[:, 1] > 1)
    model = hb.AutoTreeClassifier(rule="min").fit(X, y)
    tree, leaf = model.tree_, model.apply(X)
    against = model.predict(X) != model.classes_[model.predict_proba(X).argmax(axis=1)]
    assert (tree.stats[leaf][against].std(axis=1) == 0).all()
    assert np.mean(against) < 0.05


def test_branches_for_each_value_are_tried_only_on_request():
    rng = np.random.default_rng(0)
    X = {"c": rng.choice(list("abcdef"), 200), "x": rng.normal(size=200)}
    y = (X["x"] > 0) ^ (X["c"] == "a")
    for model, names in (
        (hb.AutoTreeClassifier(), {"entropy", "gini", "few-values"}),
        (hb.AutoTreeClassifier(sums=True), {"entropy", "oblique", "gini", "few-values"}),
        (hb.AutoTreeClassifier(consider="c45-multiway"), {"c45-multiway"}),
    ):
        assert {line["name"] for line in model.fit(X, y).account_.offers} == names


def test_no_leaf_holds_a_single_row():
    X, y = load_iris(return_X_y=True)
    for way in ("entropy", "c45", "gini"):
        tree = hb.AutoTreeClassifier(consider=way, rule="min").fit(X, y).tree_
        assert tree.n_rows[tree.first_child < 0].min() >= 2


def test_from_few_rows_single_ones_are_learned():
    X = np.arange(20)[:, None] % 4  # four distinct rows, each of which counts once
    y = np.where(np.arange(20) % 2, "b", "a")
    assert hb.AutoTreeClassifier().fit(X, y).predict([[0], [1], [2], [3]]).tolist() == list("abab")


def test_columns_of_many_values_count_less_in_one_of_the_ways():
    rng = np.random.default_rng(1)
    X = {"many": rng.choice([f"v{k}" for k in range(26)], 300), "two": rng.choice(list("ab"), 300)}
    y = rng.random(300) < 0.45 + 0.1 * (X["two"] == "a")
    ways = ("gini", "few-values")
    plain, less = (hb.AutoTreeClassifier(consider=way, exclude=None).fit(X, y).model_ for way in ways)
    plain, less = (model.set_params(pruning=None, max_depth=1).fit(X, y) for model in (plain, less))
    assert less.selection.score(1.0, "many") == pytest.approx(1 / 5)  # the root of 26 values less one
    assert less.selection.score(1.0, "two") == 1
    assert plain.tree_.columns[plain.tree_.column[0]].name == "many"
    assert less.tree_.columns[less.tree_.column[0]].name == "two"


def test_class_shares_are_those_of_one_row_more():
    X, y = load_iris(return_X_y=True)
    model = hb.AutoTreeClassifier().fit(X, y)
    tree, leaf = model.tree_, model.apply(X)
    expected = (tree.stats[leaf] + 1 / 3) / (tree.weight[leaf][:, None] + 1)
    np.testing.assert_allclose(model.predict_proba(X), expected)
