"""Automatic trees for readers: no leaf of one row, no label against its share, no branch for each value."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

import hornbeam as hb
from hornbeam.data.columns import Column
from hornbeam.data.table import Table
from hornbeam.data.target import Rows, Target
from hornbeam.estimators.auto.probability_losses import contradicted_share
from hornbeam.growing.leaves import Constant
from hornbeam.tree.tree import Tree


def test_a_smoothing_that_contradicts_labels_is_noticed():
    nested = {"column": "x", "<=": 0.5, "yes": {"counts": [90, 8]}, "no": {"counts": [1, 2]}}
    tree = Tree.from_nested(nested, [Column("x", "numeric")], ["no", "yes"])
    held = Rows(Table.learn({"x": [0.0]}), Target.classes_of(["no"]))
    assert contradicted_share(tree, held, Constant("m-estimate", m=10.0)) == pytest.approx(3 / 101)
    assert contradicted_share(tree, held, Constant("laplace")) == 0
    assert contradicted_share(tree, held, Constant("shrinkage", strength=1.0)) == 0  # 2.1 of 4
    assert contradicted_share(tree, held, Constant("shrinkage", strength=4.0)) == pytest.approx(3 / 101)
    assert contradicted_share(tree, held, Constant("none")) == 0


@pytest.mark.parametrize("seed", range(5))
def test_hardly_any_leaf_gives_another_class_a_larger_share_than_its_answer(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (200, 4)).astype(float)
    y = rng.random(200) < 0.1 + 0.25 * (X[:, 0] > 1) + 0.15 * (X[:, 1] > 1)
    model = hb.AutoTreeClassifier(rule="min").fit(X, y)
    shares = model.predict_proba(X)
    assert np.mean(model.predict(X) != model.classes_[shares.argmax(axis=1)]) <= 0.03


def test_branches_for_each_value_are_tried_only_on_request():
    rng = np.random.default_rng(0)
    X = {"c": rng.choice(list("abcdef"), 200), "x": rng.normal(size=200)}
    y = (X["x"] > 0) ^ (X["c"] == "a")
    for model, names in (
        (hb.AutoTreeClassifier(), {"entropy", "c45", "gini"}),
        (hb.AutoTreeClassifier(sums=True), {"entropy", "oblique", "c45", "gini"}),
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
