"""Python functions and trees as tests of a tree."""

from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np
import pytest
from tests.growing.test_predicates import XOR, Y, grown, same
from tests.support.mixed_tables import outcome, random_columns

import hornbeam as hb
from hornbeam.data.table import Table
from hornbeam.parts import Predicates
from hornbeam.tree.expressions.from_tree import expression_of
from hornbeam.tree.expressions.language import Expression
from hornbeam.tree.tree import Tree

# ---- Python functions --------------------------------------------------------------------------------------


def test_a_function_grows_a_tree_that_predicts() -> None:
    model = grown(same)
    assert model.tree_.text() == "(same)[yes: 0(2:0) | no: 1(0:2)]"
    assert model.predict(XOR.iloc[::-1]).tolist() == [0, 1, 1, 0]
    assert model.tree_.tested_columns(0) == (0, 1)
    assert "same" in hb.show(model)
    assert "same" in str(hb.rules(model)[0])


def test_a_function_gets_values_and_says_none_where_it_cannot_tell() -> None:
    X = {"city": ["Brno", None, "Aš", "Aš"], "n": [1.0, 2.0, None, 4.0]}
    seen = {}

    def odd(table: Any) -> list[Any]:
        seen.update({name: table[name].tolist() for name in table})
        return [None if city is None else city == "Brno" for city in table["city"]]

    tree = grown(odd, X=X, y=list("pqqq"), missing="branch").tree_
    assert sorted(map(str, seen["city"])) == ["Aš", "Aš", "Brno", "None"]
    assert sum(np.isnan(seen["n"])) == 1
    assert tree.text() == "(odd)[yes: p(1:0) | no: q(0:2) | Missing: q(0:1)]"


def test_a_tree_with_a_function_is_neither_saved_nor_written() -> None:
    model = grown(same)
    with pytest.raises(ValueError, match="tests the Python function 'same', which cannot be saved"):
        model.tree_.to_dict()


def test_but_it_is_copied_and_pickled() -> None:
    model = grown(same)
    copy = pickle.loads(pickle.dumps(model))
    assert copy.predict(XOR).tolist() == Y
    assert copy.tree_ == model.tree_
    assert model.tree_.collapse([True, False, False]).text() == "0(2:2)"


def test_a_text_is_saved() -> None:
    tree = grown("x1 == x2").tree_
    assert Tree.from_dict(json.loads(json.dumps(tree.to_dict()))) == tree


# ---- trees as predicates -----------------------------------------------------------------------------------


def test_a_tree_that_answers_true_or_false_is_a_predicate() -> None:
    inner = hb.TreeClassifier().fit(XOR, [False, True, True, False])
    model = grown(inner)
    assert model.tree_.n_leaves == 2
    assert model.predict(XOR).tolist() == Y
    assert Tree.from_dict(model.tree_.to_dict()) == model.tree_


def test_of_other_trees_every_class_is_a_predicate() -> None:
    X, y = {"a": [1, 2, 3, 4]}, list("pqrr")
    inner = hb.TreeClassifier().fit(X, y).tree_
    assert len(Predicates([inner]).tests(inner.columns)) == 3
    assert len(Predicates([(inner, "q")]).tests(inner.columns)) == 1
    assert grown(inner, X=X, y=y).score(X, y) == 1.0


@pytest.mark.parametrize("split", ["binary", "multiway", "one-vs-rest"])
def test_a_tree_written_out_says_what_the_tree_says(split: str) -> None:
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = random_columns(rng, 60, gaps=0.0)
        y = outcome(rng, X, 3)
        model = hb.TreeClassifier(split=split).fit(X, y)
        other = random_columns(rng, 40, gaps=0.0)
        for label in model.classes_.tolist():
            test = Expression.parse(expression_of(model.tree_, label))
            truth, missing = test.evaluate(
                model.tree_.columns, Table.match(other, model.tree_.columns).arrays
            )
            assert not missing.any()
            np.testing.assert_array_equal(truth, model.predict(other) == label)


def test_trees_of_planes_tuples_and_expressions_are_written_out() -> None:
    columns = Table.learn({"u": [0.0, 1.0], "v": [0.0, 1.0], "a b": ["x", "y"]}).columns
    nested = {
        "weights": {"u": 2.0, "v": -1.0}, "<=": 0.5,
        "yes": {"columns": ["u", "a b"], "branches": [([(0.0, "x")], "p"), ([(0.0, "y"), (1.0, "x")], "q")]},
        "no": {"expression": "u > v", "yes": "p", "no": "q"},
    }  # fmt: skip
    tree = Tree.from_nested(nested, columns)
    text = expression_of(tree, "p")
    truth, _ = Expression.parse(text).evaluate(
        columns, [np.array([0.0, 0.0, 1.0, 1.0]), np.array([0.0, 1.0, 0.5, 3.0]), np.array([0, 1, 0, 1])]
    )
    assert truth.tolist() == [True, False, True, False]


def test_values_the_table_does_not_have_are_left_out() -> None:
    X = {"c": list("aabbcc")}
    inner = hb.TreeClassifier(split="multiway").fit(X, [0, 0, 1, 1, 1, 1])
    assert grown(inner, X={"c": list("abab")}, y=[0, 1, 0, 1]).tree_.n_leaves == 2
