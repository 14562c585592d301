"""TreeOutputs, and forests of several targets."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import hornbeam as hb

ROWS = {
    "size": [1, 2, 3, 4, 5, 6],
    "price": [10.0, 12.0, 30.0, 32.0, 31.0, 13.0],
    "sold": ["yes", "yes", "no", "no", "no", "no"],
    "rooms": [1, 2, 3, 1, 2, 3],
}


def drawn(n=200):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 4))
    numbers = np.column_stack([X[:, 0] + 0.3 * rng.normal(size=n), X[:, 1] * 3, X[:, 2]])
    return X, numbers, (numbers > 0).astype(int)


def test_text_and_truth_are_classes_and_numbers_are_numbers():
    y = {"a": [1.5, 2, 3], "b": [True, False, True], "c": ["u", "v", "u"], "d": [1, 2, 1]}
    model = hb.TreeOutputs().fit({"x": [1, 2, 3]}, y | {"e": pd.Series([1, 2, 1], dtype="category")})
    assert [str(output.task) for output in model.tree_.outputs] == [
        "real",
        "classes",
        "classes",
        "real",
        "classes",
    ]
    assert model.n_classes_ == [0, 2, 2, 0, 2]
    assert model.predict({"x": [2]}).tolist() == [[2.0, False, "v", 2.0, 2]]


def test_the_unit_of_a_number_and_the_order_of_targets_change_no_test():
    X, numbers, classes = drawn()
    y = {"n": numbers[:, 0], "c": classes[:, 1].astype(str)}
    one = hb.TreeOutputs(max_depth=4).fit(X, y).tree_
    other = hb.TreeOutputs(max_depth=4).fit(X, {"c": y["c"], "n": y["n"] * 1024}).tree_
    assert np.array_equal(one.column, other.column)
    assert np.array_equal(one.threshold, other.threshold, equal_nan=True)
    assert one.impurity[0] == pytest.approx(1)
    assert one.impurity == pytest.approx(other.impurity)
    assert one.gain == pytest.approx(other.gain)


def test_a_mixed_model_is_the_same_from_a_file_a_pickle_and_a_clone(tmp_path):
    model = hb.TreeOutputs(max_depth=2, tasks={"rooms": "classes"}).fit(ROWS, y=["price", "sold", "rooms"])
    hb.save(model, tmp_path / "model.tree.json")
    copies = (hb.load(tmp_path / "model.tree.json"), pickle.loads(pickle.dumps(model)))
    for again in (*copies, clone(model).fit(ROWS, y=["price", "sold", "rooms"])):
        assert again.tree_ == model.tree_
        assert again.predict(ROWS).tolist() == model.predict(ROWS).tolist()
        assert again.score(ROWS, ["price", "sold", "rooms"]) == model.score(ROWS, ["price", "sold", "rooms"])
    price, sold, rooms = model.predict_proba(ROWS)
    assert price is None
    assert sold.shape == (6, 2)
    assert rooms.shape == (6, 3)


def test_mixed_trees_are_pruned_by_relative_risks():
    X, numbers, classes = drawn()
    y = {"n": numbers[:, 0], "c": classes[:, 1].astype(str)}
    path = hb.pruning_path(hb.TreeOutputs().fit(X, y), risk="impurity")
    assert path.risk[-1] == pytest.approx(1)
    small = hb.TreeOutputs(ccp_alpha=0.05).fit(X, y)
    assert 1 < small.get_n_leaves() < len(path.tree.leaves())
    error = hb.pruning_path(hb.TreeOutputs().fit(X, y))
    assert error.risk[-1] == pytest.approx(1)


REFUSED = {
    "one target": ({}, ROWS["price"], "y has one: use TreeClassifier or TreeRegressor"),
    "a task of nothing": (
        {"tasks": {"a": "classes"}},
        ["price", "sold"],
        "tasks names 'a', which is no target",
    ),
    "an unknown task": ({"tasks": {"sold": "words"}}, ["price", "sold"], "must be 'classes' or 'numbers'"),
    "text as numbers": ({"tasks": {"sold": "numbers"}}, ["price", "sold"], "target 'sold': y holds text"),
    "a criterion of numbers": ({"criterion": "variance"}, ["price", "sold"], "does not judge classes"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_learned_is_refused_by_a_sentence(what):
    options, y, sentence = REFUSED[what]
    with pytest.raises(ValueError, match=sentence):
        hb.TreeOutputs(**options).fit(ROWS, y)


def test_a_forest_answers_with_the_means_of_its_trees():
    X, numbers, classes = drawn()
    forest = hb.ForestRegressor(10, oob_score=True, random_state=0).fit(X, numbers)
    assert forest.predict(X) == pytest.approx(np.mean([tree.predict(X) for tree in forest.trees_], axis=0))
    assert forest.oob_prediction_.shape == numbers.shape
    assert 0.3 < forest.oob_score_ < forest.score(X, numbers)
    assert forest.n_outputs_ == 3
    voted = hb.ForestClassifier(10, oob_score=True, random_state=0).fit(X, classes)
    shares = [np.mean([tree.predict_proba(X)[k] for tree in voted.trees_], axis=0) for k in range(3)]
    for said, wanted in zip(voted.predict_proba(X), shares, strict=True):
        assert said == pytest.approx(wanted)
    assert voted.predict(X).tolist() == np.column_stack([own.argmax(axis=1) for own in shares]).tolist()
    assert voted.oob_decision_function_.shape == (200, 2, 3)
    assert 0.3 < voted.oob_score_ < voted.score(X, classes) <= 1


def test_neither_the_order_of_rows_nor_a_file_changes_a_forest(tmp_path):
    X, numbers, classes = drawn()
    order = np.random.default_rng(1).permutation(len(X))
    for kind, y in ((hb.ForestRegressor, numbers), (hb.ForestClassifier, classes)):
        forest = kind(4, random_state=0).fit(X, y)
        turned = kind(4, random_state=0).fit(X[order], y[order])
        assert [tree.text() for tree in turned.trees_] == [tree.text() for tree in forest.trees_]
        hb.save(forest, tmp_path / "forest.json")
        for again in (hb.load(tmp_path / "forest.json"), pickle.loads(pickle.dumps(forest))):
            assert again.trees_ == forest.trees_
            assert again.predict(X).tolist() == forest.predict(X).tolist()
        assert forest.estimators_[1].predict(X).shape == y.shape
        with pytest.raises(ValueError, match="exports of forests know one target"):
            hb.export(forest, "python")


def test_rows_alike_in_all_but_a_later_target_are_drawn_in_any_order():
    X = np.zeros((40, 1))
    y = np.column_stack([np.zeros(40), np.arange(40.0)])
    forest = hb.ForestRegressor(3, random_state=0).fit(X, y)
    turned = hb.ForestRegressor(3, random_state=0).fit(X, y[::-1])
    assert turned.predict(X)[0].tolist() == forest.predict(X)[0].tolist()
