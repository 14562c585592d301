"""What nodes answer: shares at any node, smoothing, and the median of classes that have an order."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import GridSearchCV
from tests.support.lectures import fitted
from tests.support.selection import examples

import hornbeam as hb
from hornbeam.growing.leaves import LEAVES
from hornbeam.parts import Constant, LeafModel
from hornbeam.reading.node_details import probabilities
from hornbeam.tree.answer_rule import SMOOTHING, AnswerRule, answer_rule_of, heaviest_class, median_class
from hornbeam.tree.tree import Tree

X = {"x": [1, 2, 3, 4]}
Y = ["a", "a", "a", "b"]


def close(value):
    return pytest.approx(value, abs=1e-12)


def answers(leaf, X=X, y=Y, model=hb.TreeClassifier, **params):
    return model(leaf=leaf, **params).fit(X, y).tree_.answers()


# ---- probabilities at any node ---------------------------------------------------------------------------


def test_probabilities_of_a_class_vector():
    leaf = Tree.from_nested({"label": "a", "counts": [6, 4, 2, 0]}, classes=["a", "b", "c", "d"])
    assert list(probabilities(leaf).values()) == pytest.approx([0.5, 0.333333, 0.166667, 0.0], abs=1e-6)


def test_probabilities_of_the_leaves_and_of_the_root():
    model = fitted("tennis", hb.teaching.builddt(max_depth=1))
    tree = model.tree_
    assert [probabilities(model, leaf)["Yes"] for leaf in tree.children(0)] == close([1.0, 0.6, 0.4])
    assert probabilities(model) == close({"No": 5 / 14, "Yes": 9 / 14})
    assert probabilities(tree, np.int64(2)) == probabilities(model, 2)


def test_probabilities_of_an_inner_node_are_those_of_the_tree_pruned_there():
    model = fitted("tennis", hb.id3())
    tree = model.tree_
    for node in range(len(tree)):
        pruned = tree.collapse(np.arange(len(tree)) == node)
        assert any(np.allclose(list(probabilities(tree, node).values()), row) for row in pruned.answers())


def test_probabilities_need_classes_and_a_node():
    with pytest.raises(ValueError, match="task='real', so its nodes have no class probabilities"):
        probabilities(hb.TreeRegressor().fit(X, [1.0, 2.0, 3.0, 4.0]))
    for node in (-1, 99, 1.0, True, "0"):
        with pytest.raises(ValueError, match=r"must be a number of a node of this tree, from 0 to 2"):
            probabilities(hb.TreeClassifier().fit(X, Y), node)
    with pytest.raises(ValueError, match="call fit first"):
        probabilities(hb.TreeClassifier())


# ---- smoothing, by hand ----------------------------------------------------------------------------------


def test_laplace_adds_one_row_of_each_class():
    assert answers(Constant("laplace")) == close(np.array([[4 / 6, 2 / 6], [4 / 5, 1 / 5], [1 / 3, 2 / 3]]))


def test_an_m_estimate_adds_m_rows_of_the_root():
    assert answers(Constant("m-estimate", m=4)) == close(
        np.array([[6 / 8, 2 / 8], [6 / 7, 1 / 7], [3 / 5, 2 / 5]])
    )
    assert answers(Constant("m-estimate")) == close(answers(Constant("m-estimate", m=2)))


def test_shrinkage_goes_down_from_the_root():
    X, y = {"x": [1, 2, 3, 4]}, ["a", "b", "a", "a"]
    tree = hb.TreeClassifier(leaf=Constant("shrinkage", strength=2)).fit(X, y).tree_
    assert tree.text() == "x[<=2.5: x[<=1.5: a(1:0) | >1.5: b(0:1)] | >2.5: a(2:0)]"
    left = (2 * 0.5 + 2 * 0.75) / 4
    expected = [0.75, left, (2 * 1 + 2 * 0.75) / 4, (1 + 2 * left) / 3, (0 + 2 * left) / 3]
    assert tree.answers()[:, 0] == close(expected)
    assert answers(Constant("shrinkage")) == close(answers(Constant("shrinkage", strength=1)))


def test_means_are_shrunk_as_well():
    X, y = {"x": [1, 2, 3, 4]}, [10.0, 12.0, 30.0, 48.0]
    shrunk = answers(Constant("shrinkage", strength=2), X, y, hb.TreeRegressor, max_depth=1)
    assert shrunk == close([25.0, (2 * 11 + 2 * 25) / 4, (2 * 39 + 2 * 25) / 4])
    drawn = answers(Constant("m-estimate", m=6), X, y, hb.TreeRegressor)
    assert drawn[1] == close((2 * 11 + 6 * 25) / 8)
    model = hb.TreeRegressor(leaf=Constant("shrinkage", strength=2), max_depth=1).fit(X, y)
    assert model.predict({"x": [1, 4]}) == close([18.0, 32.0])
    assert model.tree_.text() == "x[<=2.5: 18.0000(n=2) | >2.5: 32.0000(n=2)]"


def test_a_branch_without_rows_answers_as_the_smoothed_node_above():
    colour = pd.Categorical(["red", "red", "blue"], categories=["blue", "green", "red"])
    for smoothing in SMOOTHING:
        model = hb.TreeClassifier(split="multiway", leaf=Constant(smoothing)).fit(
            {"c": colour}, ["a", "a", "b"]
        )
        assert model.predict_proba({"c": ["green"]})[0] == close(model.tree_.answers()[0])
    assert model.tree_.n_leaves == 3


def test_smoothing_uses_the_priors():
    # prior-adjusted weights at the root: 2 and 2; in the leaf of a: 3 rows of factor 2/3
    found = answers(Constant("m-estimate", m=2), priors="equal")
    assert found == close(np.array([[0.5, 0.5], [0.75, 0.25], [0.25, 0.75]]))
    assert answers(Constant("laplace"), priors="equal")[1] == close([3 / 4, 1 / 4])


def test_smoothing_does_not_change_the_class_answered():
    # three rows of the rare class make a leaf that an m-estimate gives to the common class
    X, y = {"x": [1] * 3 + [2] * 40}, ["rare"] * 3 + ["usual"] * 40
    model = hb.TreeClassifier(leaf=Constant("m-estimate", m=50)).fit(X, y)
    assert model.predict_proba({"x": [1]})[0, 1] > 0.5
    assert model.predict({"x": [1]}).tolist() == ["rare"]


def test_with_costs_the_class_is_the_cheapest_by_the_smoothed_probabilities():
    X, y = {"x": [1] * 3 + [2] * 40}, ["rare"] * 3 + ["usual"] * 40
    for costs in ([[0, 1], [1, 0]], [[0, 30], [1, 0]]):
        model = hb.TreeClassifier(leaf=Constant("m-estimate", m=50), costs=costs).fit(X, y)
        expected = model.predict_proba({"x": [1, 2]}) @ costs
        assert model.predict({"x": [1, 2]}).tolist() == [
            ["rare", "usual"][k] for k in expected.argmin(axis=1)
        ]


# ---- smoothing, on random trees --------------------------------------------------------------------------


def slow_answers(tree, smoothing, amount):
    """The formulas of the docstring, node by node."""
    found = []
    for node in range(len(tree)):
        n, parent = tree.weight[node], int(tree.parent[node])
        f = tree.stats[node] / n
        root = tree.stats[0] / tree.weight[0]
        above = found[parent] if node else None
        found.append(
            {
                "none": lambda f=f: f,
                "laplace": lambda n=n, node=node: (tree.stats[node] + 1) / (n + len(tree.classes)),
                "m-estimate": lambda n=n, f=f, root=root: (n * f + amount * root) / (n + amount),
                "shrinkage": lambda n=n, f=f, above=above: (
                    f if above is None else (n * f + amount * above) / (n + amount)
                ),
            }[smoothing]()
        )
    return np.array(found)


@settings(max_examples=examples(40), deadline=None)
@given(st.integers(0, 2**31), st.sampled_from(sorted(SMOOTHING)), st.floats(0, 20))
def test_smoothing_is_its_formula_on_random_trees(seed, smoothing, amount):
    rng = np.random.default_rng(seed)
    X, y = rng.random((40, 2)), rng.integers(0, 3, 40)
    number = {"m-estimate": {"m": amount}, "shrinkage": {"strength": amount}}.get(smoothing, {})
    model = hb.TreeClassifier(leaf=Constant(smoothing, **number)).fit(
        X, y, sample_weight=rng.integers(1, 4, 40)
    )
    tree = model.tree_
    assert tree.answers() == pytest.approx(slow_answers(tree, smoothing, amount), abs=1e-9)
    assert tree.answers().sum(axis=1) == pytest.approx(np.ones(len(tree)))
    assert model.predict_proba(X) == pytest.approx(tree.answers()[model.apply(X)])
    assert (model.predict(X) == tree.stats[model.apply(X)].argmax(axis=1)).all()


@pytest.mark.parametrize("smoothing", sorted(SMOOTHING))
def test_a_tree_saved_pickled_or_pruned_keeps_its_smoothing(smoothing):
    model = fitted("tennis", hb.id3(leaf=Constant(smoothing)))
    tree = model.tree_
    table = hb.datasets.load("tennis")
    for same in (Tree.from_dict(json.loads(json.dumps(tree.to_dict()))), pickle.loads(pickle.dumps(tree))):
        assert same == tree
        assert same.predict_proba(table.X) == close(model.predict_proba(table.X))
    assert tree.collapse(np.arange(len(tree)) > 0).answers() == close(tree.answers()[:4])
    assert tree.refit(table.X, table.y).answers() == close(tree.answers())


def test_plain_leaves_leave_no_trace_in_the_tree():
    assert "answers" not in hb.TreeClassifier().fit(X, Y).tree_.meta
    assert hb.TreeClassifier(leaf=Constant("laplace")).fit(X, Y).tree_.meta["answers"] == {
        "smoothing": "laplace"
    }


def test_a_broken_answer_rule_in_a_saved_tree_gets_a_sentence():
    data = hb.TreeClassifier(leaf=Constant("laplace")).fit(X, Y).tree_.to_dict()
    data["meta"]["answers"]["smoothing"] = "butter"
    with pytest.raises(ValueError, match=r"smoothing='butter'.*smoothing is one of none, laplace"):
        Tree.from_dict(data).answers()


# ---- the median class ------------------------------------------------------------------------------------


def test_an_ordered_target_may_be_answered_by_its_median():
    levels = ["low", "mid", "high"]
    y = pd.Categorical(["low"] * 3 + ["mid"] * 2 + ["high"] * 4, categories=levels, ordered=True)
    X = {"x": [1] * 9}
    assert hb.TreeClassifier().fit(X, y).predict({"x": [1]}).tolist() == ["high"]
    model = hb.TreeClassifier(leaf=Constant(label="median")).fit(X, y)
    assert model.predict({"x": [1]}).tolist() == ["mid"]
    assert model.tree_.text() == "mid(3:2:4)"
    assert model.tree_.refit(X, y).text() == "mid(3:2:4)"


def test_half_of_the_weight_is_enough_for_the_median():
    X = {"x": [1] * 4}
    model = hb.TreeClassifier(leaf=Constant(label="median"))
    assert model.fit(X, [1, 1, 5, 5]).predict({"x": [1]}).tolist() == [1]
    assert model.fit(X, [1, 2, 5, 5], sample_weight=[1, 1, 1, 2]).predict({"x": [1]}).tolist() == [5]
    assert model.fit(X, [1, 2, 5, 5], sample_weight=[0.1, 0.2, 0.1, 0.2]).predict({"x": [1]}).tolist() == [2]


def test_a_row_of_many_leaves_is_answered_by_the_median_of_their_mixture():
    X = {"c": ["u"] * 3 + ["v"] * 3}
    model = hb.TreeClassifier(split="multiway", leaf=Constant(label="median")).fit(X, [1, 1, 1, 3, 3, 2])
    assert model.predict({"c": [None]}).tolist() == [1]
    heavier = hb.TreeClassifier(split="multiway", leaf=Constant(label="median"))
    assert heavier.fit(X, [1, 1, 1, 3, 3, 2], counts=[1, 1, 1, 1, 1, 2]).predict({"c": [None]}).tolist() == [
        2
    ]


def test_the_median_of_random_shares_is_that_of_the_sorted_rows():
    rng = np.random.default_rng(0)
    for _ in range(200):
        counts = rng.integers(0, 4, 5)
        if counts.sum():
            rows = np.repeat(np.arange(5), counts)
            assert median_class(counts[None].astype(float))[0] == rows[(len(rows) - 1) // 2]
            assert heaviest_class(counts[None].astype(float))[0] == counts.argmax()


# ---- parameters ------------------------------------------------------------------------------------------

BAD = [
    (
        {"smoothing": "lapalce"},
        "smoothing='lapalce' must be one of 'none', 'laplace', 'm-estimate', 'shrinkage'",
    ),
    ({"smoothing": None}, "smoothing=None must be one of"),
    ({"label": "mean"}, "label='mean' must be one of 'majority', 'median'"),
    (
        {"m": 3},
        r"m=3 belongs to smoothing='m-estimate', but smoothing is 'none': use Constant\(smoothing=",
    ),
    ({"smoothing": "laplace", "strength": 3}, "strength=3 belongs to smoothing='shrinkage'"),
    ({"smoothing": "m-estimate", "m": -1}, "m=-1 must be a finite number of at least 0"),
    ({"smoothing": "m-estimate", "m": "two"}, "m='two' must be a finite number"),
    ({"smoothing": "shrinkage", "strength": np.nan}, "strength=nan must be a finite number"),
    ({"smoothing": "shrinkage", "strength": True}, "strength=True must be a finite number"),
    (
        {"label": "median"},
        "label='median' needs classes that have an order: give y as an ordered categorical",
    ),
]


@pytest.mark.parametrize(("params", "sentence"), BAD)
def test_a_parameter_that_is_not_allowed_gets_a_sentence(params, sentence):
    with pytest.raises(ValueError, match=sentence):
        hb.TreeClassifier(leaf=Constant(**params)).fit(X, Y)


def test_what_is_for_classes_is_refused_for_numbers():
    with pytest.raises(
        ValueError, match=r"smoothing='laplace' is for classes: .* use 'm-estimate' or 'shrinkage'"
    ):
        hb.TreeRegressor(leaf=Constant("laplace")).fit(X, [1.0, 2.0, 3.0, 4.0])
    with pytest.raises(ValueError, match="label='median' is for classes"):
        hb.TreeRegressor(leaf=Constant(label="median")).fit(X, [1.0, 2.0, 3.0, 4.0])


def test_smoothing_can_be_searched():
    rng = np.random.default_rng(0)
    X, y = rng.random((120, 2)), rng.integers(0, 2, 120)
    grid = {"leaf": [Constant("shrinkage")], "leaf__strength": [0.0, 10.0]}
    search = GridSearchCV(hb.TreeClassifier(), grid, scoring="neg_log_loss", cv=3).fit(X, y)
    assert search.best_params_["leaf__strength"] == 10.0


def test_the_table_of_leaf_models_holds_leaf_models():
    assert all(issubclass(part, LeafModel) and part().name == name for name, part in LEAVES.items())
    assert answer_rule_of({}).plain() == AnswerRule().plain() == {}
