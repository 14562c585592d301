"""What each answer costs for each row."""

import numpy as np
import pandas as pd
import polars as pl
from tests.support.ill_or_well import close

import hornbeam as hb


def test_row_costs_decide_the_label_and_leave_the_probabilities_alone():
    y = ["fraud", "fraud", "fine", "fine", "fine"]
    # missing a fraud costs its amount, blocking an honest customer 10
    costs = {"fine": [500, 3, 0, 0, 0], "fraud": [0, 0, 10, 10, 10]}
    model = hb.TreeClassifier(max_depth=0).fit({"x": [1, 2, 3, 4, 5]}, y, row_costs=costs)
    assert model.predict({"x": [1]}).tolist() == ["fraud"]
    assert model.predict_proba({"x": [1]})[0] == close([0.6, 0.4])
    assert model.tree_.cost_value.tolist() == [503, 30]
    cheap = {"fine": [20, 3, 0, 0, 0], "fraud": [0, 0, 10, 10, 10]}
    assert model.fit({"x": [1, 2, 3, 4, 5]}, y, row_costs=cheap).predict({"x": [1]}).tolist() == ["fine"]


def test_a_split_is_made_where_dear_rows_are():
    # two columns tell two rows each; those of b are a hundred times as dear
    X = {"a": [1, 1, 0, 0, 0, 0, 0, 0], "b": [0, 0, 1, 1, 0, 0, 0, 0]}
    y = ["p"] * 4 + ["q"] * 4
    costs = np.zeros((8, 2))
    costs[:4, 1], costs[4:, 0] = [1, 1, 100, 100], 10
    first = hb.TreeClassifier(max_depth=1).fit(X, y).tree_
    dear = hb.TreeClassifier(max_depth=1).fit(X, y, row_costs=costs).tree_
    assert [t.columns[t.column[0]].name for t in (first, dear)] == ["a", "b"]


def test_a_row_may_be_best_answered_with_another_class():
    # inspecting costs 10 whatever comes out; the second fraud is worth 4
    costs = [[0, 10], [500, 10], [4, 10]]
    model = hb.TreeClassifier().fit({"x": [1, 2, 3]}, ["fine", "fraud", "fraud"], row_costs=costs)
    assert model.predict({"x": [1, 2, 3]}).tolist() == ["fine", "fraud", "fine"]
    assert model.tree_.text() == "x[<=1.5: fine(1:0) | >1.5: x[<=2.5: fraud(0:1) | >2.5: fine(0:1)]]"


def test_rows_whose_answers_cost_the_same_take_no_part():
    X, y = {"x": [1, 2, 3, 4]}, ["a", "b", "a", "b"]
    costs = [[0, 1], [1, 0], [3, 3], [0, 0]]
    with_them = hb.TreeClassifier().fit(X, y, row_costs=costs).tree_
    without = hb.TreeClassifier().fit({"x": [1, 2]}, ["a", "b"], row_costs=costs[:2]).tree_
    assert with_them.text() == without.text() == "x[<=1.5: a(1:0) | >1.5: b(0:1)]"
    assert with_them.n_rows.tolist() == [2, 1, 1]


def test_row_costs_by_name_from_any_table():
    y = ["a", "b", "b"]
    X, plain = {"x": [1, 2, 3]}, np.array([[0.0, 2.0], [3.0, 0.0], [4.0, 0.0]])
    expected = hb.TreeClassifier().fit(X, y, row_costs=plain).tree_
    named = {"b": plain[:, 1], "a": plain[:, 0]}
    for costs in (named, pd.DataFrame(named), pl.DataFrame(named), plain.tolist()):
        assert hb.TreeClassifier().fit(X, y, row_costs=costs).tree_ == expected
    numbers = pd.DataFrame({1: plain[:, 1], 0: plain[:, 0]})
    assert hb.TreeClassifier().fit(X, [0, 1, 1], row_costs=numbers).tree_.cost_value.tolist() == (
        expected.cost_value.tolist()
    )


def test_counts_repeat_the_costs_of_a_row():
    X, y = {"x": [1, 1, 2]}, ["a", "b", "b"]
    costs = np.array([[0, 5.0], [1, 0], [2, 0]])
    counted = hb.TreeClassifier().fit(X, y, counts=[2, 1, 3], row_costs=costs).tree_
    rows = [0, 0, 1, 2, 2, 2]
    written = hb.TreeClassifier().fit(
        {"x": [X["x"][i] for i in rows]}, [y[i] for i in rows], row_costs=costs[rows]
    )
    assert counted == written.tree_
