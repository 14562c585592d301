"""Oblique splits: their formulas are short and have few digits."""

import itertools
import pickle

import numpy as np
import pandas as pd
from tests.support.tilted_tables import noisy_line

import hornbeam as hb
from hornbeam import TreeClassifier
from hornbeam.parts import Oblique
from hornbeam.tree.tree import Tree


def test_noise_has_no_place_in_a_formula():
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = pd.DataFrame(rng.normal(size=(300, 6)), columns=["a", "b", "c", "d", "e", "f"])
        model = TreeClassifier(split="oblique").fit(X, X["b"] - 0.5 * X["e"] > 0.3)
        assert model.tree_.tested_columns(0) == (1, 4)
        assert model.tree_.n_leaves == 2


def test_little_of_the_noise_does_when_labels_are_wrong():
    used = []
    for seed in range(6):
        X, y = noisy_line(400, seed, d=8)
        used.append(TreeClassifier(split="oblique", max_depth=1).fit(X, y).tree_.tested_columns(0))
    assert all(set(columns) >= {0, 1} for columns in used)
    assert sum(len(columns) - 2 for columns in used) <= 2


def test_sparsity_0_keeps_what_gains_anything():
    gains = {}
    for sparsity in (0.0, 0.3):
        trees = []
        for seed in range(5):
            X, y = noisy_line(150, seed, d=8)
            trees.append(TreeClassifier(split=Oblique(sparsity=sparsity), max_depth=1).fit(X, y).tree_)
        gains[sparsity] = np.mean([tree.gain[0] for tree in trees])
        gains[sparsity, "columns"] = np.mean([len(tree.plane_column) for tree in trees])
    assert gains[0.0] > gains[0.3]
    assert gains[0.0, "columns"] > gains[0.3, "columns"]


def loans():
    """Loans given to those whose income exceeds 500 a year of age."""
    income, age = np.meshgrid([10_000, 16_000, 22_000, 28_000], [24, 33, 47, 62])
    X = pd.DataFrame({"income": income.ravel(), "age": age.ravel()})
    return X, np.where(X["income"] > 500 * X["age"], "given", "refused")


def test_a_formula_is_short_and_in_the_units_of_the_columns():
    X, y = loans()
    model = TreeClassifier(split="oblique").fit(X, y)
    assert model.score(X, y) == 1.0
    assert model.tree_.text() == "0.002*income-age[<=3.5: refused(0:10) | >3.5: given(6:0)]"
    assert hb.show(model).splitlines()[:2] == [
        "0.002*income - age?  Gini decrease 0.469  62 % refused  n=16 (6:10)",
        "├── ≤ 3.5  → refused  100 %  n=10 (0:10)",
    ]
    assert str(hb.rules(model)[0]) == "IF 0.002*income - age <= 3.5 THEN refused (10 rows, 100 %)"
    told = hb.explain(model, X.iloc[0])
    assert "because  0.002*income - age <= 3.5 (it is income 10000, age 24)" in told.text("ascii")


def test_weights_have_few_digits_the_largest_is_1_and_the_first_is_positive():
    for seed in range(5):
        X, y = noisy_line(150, seed)
        tree = TreeClassifier(split="oblique").fit(X, y).tree_
        for start, end in itertools.pairwise(tree.plane_offset):
            if end > start:
                weights = tree.plane_weight[start:end]
                assert np.abs(weights).max() == 1
                assert weights[0] > 0
                assert all(w == float(f"{w:.6g}") for w in weights)


def test_a_tree_survives_saving():
    X, y = noisy_line(200, 3)
    model = TreeClassifier(split="oblique", max_depth=4).fit(X, y)
    for again in (Tree.from_dict(model.tree_.to_dict()), pickle.loads(pickle.dumps(model)).tree_):
        assert again == model.tree_
        assert again.text() == model.tree_.text()
        np.testing.assert_array_equal(again.predict(X), model.predict(X))
