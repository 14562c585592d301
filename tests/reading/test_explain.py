"""Explanations of single predictions: counts, intervals, gaps, oddities, contributions, nearest changes."""

import json
import math
from importlib import import_module

import numpy as np
import pandas as pd
import pytest
from tests.support.mixed_tables import outcome, random_columns, strange_rows

import hornbeam as hb
from hornbeam.data.table import one_row
from hornbeam.parts import Linear
from hornbeam.reading.explanation_steps import wilson
from hornbeam.tree import routing

TITANIC = {
    "column": "Sex", "branches": {
        "female": {
            "column": "Pclass", "<=": 2.5, "yes": {"counts": {"died": 9, "survived": 119}},
            "no": {"column": "Fare", "<=": 24.81, "yes": {"counts": {"died": 34, "survived": 40}},
                   "no": {"counts": {"died": 14, "survived": 1}}}},
        "male": {"column": "Age", "<=": 13, "yes": {"counts": {"died": 10, "survived": 17}},
                 "no": {"counts": {"died": 319, "survived": 61}}},
    },
}  # fmt: skip


def test_the_text_says_answer_grounds_path_oddities_and_the_nearest_change():
    row = {"Sex": "female", "Pclass": 3, "Age": None, "Fare": 8.05}
    told = hb.explain(hb.Tree.from_nested(TITANIC), row)
    assert str(told).splitlines()[:4] == [
        "survived  54 %  (40 of 74 training records at leaf #7; 95 % 43–65)  died 46 %",
        "  because  Sex = female  and  Pclass > 2.5 (it is 3)  and  Fare ≤ 24.81 (it is 8.05)",
        "  Age is missing but was not needed",
        "  closest change: Sex = male → died 81 %  ·  Fare > 24.81 → died 93 %",
    ]
    assert told.reached[0].count == 40
    assert told.reached[0].interval == pytest.approx((0.428, 0.649), abs=5e-4)
    assert told.unused == ("Age",)
    assert [(r.column, r.kind, r.needed) for r in told.remarks] == [("Age", "missing", False)]
    plain = told.text("ascii")
    assert plain.isascii()
    assert "Fare <= 24.81 (it is 8.05)" in plain


def test_wilson_s_interval_at_the_ends_and_in_the_middle():
    assert wilson(0.5, 10) == pytest.approx((0.2366, 0.7634), abs=1e-4)
    assert wilson(0.0, 3) == pytest.approx((0.0, 0.5615), abs=1e-4)
    assert wilson(1.0, 3) == pytest.approx((0.4385, 1.0), abs=1e-4)


def test_a_change_may_keep_columns_fixed_or_be_left_out():
    tree = hb.Tree.from_nested(TITANIC)
    row = {"Sex": "female", "Pclass": 3, "Age": 30, "Fare": 8.05}
    held = hb.explain(tree, row, fixed=["Sex"], changes=1)
    assert [c.columns for c in held.changes] == [("Fare",)]
    assert "closest change" not in str(hb.explain(tree, row, changes=0))
    with pytest.raises(ValueError, match="changes=-1 must be"):
        hb.explain(tree, row, changes=-1)
    with pytest.raises(ValueError, match="fixed names the column 'Deck'"):
        hb.explain(tree, row, fixed=["Deck"])


def test_numbers_outside_the_training_range_and_values_never_seen_are_flagged():
    X = pd.DataFrame({"age": [20.0, 30, 40, 50], "city": list("uvuv"), "x": [1.0, 1, 1, 2]})
    model = hb.TreeClassifier().fit(X, list("aabb"))
    told = hb.explain(model, {"age": 70, "city": "w", "x": 1})
    assert [(r.column, r.kind, r.needed) for r in told.remarks] == [
        ("age", "outside", True),
        ("city", "unseen", False),
    ]
    assert "age is 70, outside the training range 20 to 50" in str(told)
    assert "city is 'w', which training never saw but was not needed" in str(told)


def test_what_a_gap_did_is_said_for_every_rule():
    x1, imitator, y = [1, 2, 3, 4, 5, 6, None], [9, 8, 3, 7, 2, 1, 3], list("aaabbba")
    said = {}
    for rule in ("learn", "branch", "fractional", "majority", "surrogates", "all-paths"):
        X = {"x1": x1} | ({"x2": imitator} if rule == "surrogates" else {})
        model = hb.TreeClassifier(missing=rule, max_depth=1).fit(X, y)
        said[rule] = str(hb.explain(model, {"x1": None, "x2": 8}).path[0])
    assert said["learn"] == "x1 <= 3.5 (x1 is missing; such values go this way)"
    assert said["branch"] == "x1 is missing, which has a branch of its own"
    assert said["fractional"].startswith("x1 is missing: both branches were followed, by their shares")
    assert said["majority"] == "x1 <= 3.5 (x1 is missing; most training rows go this way)"
    assert said["surrogates"] == (
        "x1 <= 3.5 (x1 is missing; x2 stands in for it: it is 8, and x2>2.5 imitates the test)"
    )
    assert said["all-paths"].startswith("x1 is missing: all 3 branches were followed")


def test_a_surrogate_that_stood_in_counts_as_used():
    X = {"x1": [1, 2, 3, 4, 5, 6, None], "x2": [9, 8, 7, 6, 2, 1, 9], "x3": [0, 0, 0, 1, 1, 1, 0]}
    model = hb.TreeClassifier(missing="surrogates", max_depth=1).fit(X, list("aaabbba"))
    first = hb.teaching.surrogates(model)[0].column
    own = model.tree_.columns[int(model.tree_.column[0])].name
    row = {"x1": 1, "x2": 9, "x3": 0} | {own: None}
    told = hb.explain(model, row)
    assert first not in told.unused
    assert own not in told.unused
    assert told.contributions.columns[first] != 0


@pytest.mark.parametrize("seed", range(3))
def test_contributions_add_up_to_the_answer_both_ways(seed):
    rng = np.random.default_rng(seed)
    X = random_columns(rng, 100)
    rows = strange_rows(rng, 6).to_dict("records")
    for params in (
        {},
        {"missing": "fractional"},
        {"split": "multiway"},
        {"split": "oblique"},
        {"missing": "surrogates"},
    ):
        model = hb.TreeClassifier(max_depth=4, **params).fit(X, outcome(rng, X, 3))
        for row in rows[:3]:
            told = hb.explain(model, row)
            answer = told.probabilities[told.answer]
            assert told.contributions.total == pytest.approx(answer, abs=1e-9)
            assert told.path_contributions.total == pytest.approx(answer, abs=1e-9)
            assert told.path_contributions.rest == pytest.approx(0, abs=1e-9)
            assert told.path_contributions.columns.keys() == told.contributions.columns.keys()
    model = hb.TreeRegressor(leaf=Linear(ridge=1.0), max_depth=2).fit(X, outcome(rng, X, 0))
    for row in rows:
        told = hb.explain(model, row)
        assert told.contributions.total == pytest.approx(told.answer, abs=1e-9)
        assert told.path_contributions.total == pytest.approx(told.answer, abs=1e-9)


def test_path_contributions_are_the_steps_between_the_nodes():
    told = hb.explain(hb.Tree.from_nested(TITANIC), {"Sex": "female", "Pclass": 3, "Age": 30, "Fare": 8.05})
    root, women, third, leaf = 238 / 624, 160 / 217, 41 / 89, 40 / 74
    steps = told.path_contributions
    assert steps.base == pytest.approx(root)
    assert steps.columns == pytest.approx(
        {"Sex": women - root, "Pclass": third - women, "Fare": leaf - third, "Age": 0}
    )
    assert told.contributions.base == pytest.approx(root)


def test_the_dict_is_json_with_a_schema_for_every_kind_of_model():
    rng = np.random.default_rng(0)
    X = random_columns(rng, 80)
    models = [
        hb.TreeClassifier(max_depth=3).fit(X, outcome(rng, X, 3)),
        hb.TreeClassifier(missing="fractional", max_depth=3).fit(X, outcome(rng, X, 2)),
        hb.TreeRegressor(max_depth=3).fit(X, outcome(rng, X, 0)),
        hb.TreeRegressor(leaf=Linear(ridge=1.0), max_depth=2).fit(X, outcome(rng, X, 0)),
        hb.TreeDensity().fit(X[["age", "city"]].dropna()),
    ]
    for model in models:
        for row in [*strange_rows(rng, 4).to_dict("records"), X.iloc[0]]:
            told = json.loads(json.dumps(hb.explain(model, row).to_dict(), allow_nan=False))
            assert told["schema"] == "hornbeam/explain/1"
            assert set(told) == {
                "schema", "answer", "probabilities", "path", "reached", "remarks", "unused", "contributions",
                "path_contributions", "changes",
            }  # fmt: skip


def test_a_leaf_written_by_hand_and_a_regression_say_what_they_rest_on():
    tree = hb.Tree.from_nested({"column": "x", "<=": 1, "yes": "p", "no": "q"})
    assert (
        str(hb.explain(tree, {"x": 0})).splitlines()[0]
        == "p  100 %  (leaf #1, which has no training records)"
    )
    model = hb.TreeRegressor().fit({"x": [1, 2, 3, 4]}, [1.0, 1.0, 5.0, 5.0])
    told = hb.explain(model, {"x": 1})
    assert str(told) == (
        "1  (2 training records at leaf #1; ± 0)\n"
        "  because  x ≤ 2.5 (it is 1)\n"
        "  closest change: x > 2.5 → 5\n"
        "  contributions: 3 without knowing the row, x -2"
    )


def test_trees_whose_regions_are_no_boxes_are_explained_without_a_change():
    tree = hb.Tree.from_nested({"expression": "a > b", "yes": "p", "no": "q"})
    told = hb.explain(tree, {"a": 1, "b": 2})
    assert told.changes == ()
    assert told.contributions.columns == pytest.approx({"a": 0.25, "b": 0.25})
    assert math.isclose(told.contributions.total, 1.0)


def test_gaps_that_no_test_asked_for_are_one_line():
    X = {"a": [1.0, 2.0, 3.0, 4.0], "b": [1.0, 1.0, 2.0, 2.0], "c": [5.0, 6.0, 5.0, 6.0]}
    model = hb.TreeClassifier().fit(X, ["n", "n", "y", "y"])
    two = str(hb.explain(model, {"a": 1.0, "b": None, "c": None}))
    assert "  b and c are missing but were not needed\n" in two
    one = str(hb.explain(model, {"a": 1.0, "b": 1.0, "c": None}))
    assert "  c is missing but was not needed\n" in one


def test_a_value_that_no_row_had_at_a_test_is_said_to_be_so():
    X = {
        "a": [0, 0, 0, 0, 1, 1, 1, 0],
        "city": ["Brno", "Brno", "Cheb", "Cheb", "Děčín", "Děčín", "Brno", None],
    }
    y = ["p", "p", "q", "q", "r", "r", "r", "q"]
    row = {"a": 0, "city": "Děčín"}
    said = str(hb.explain(hb.TreeClassifier().fit(X, y), row))
    why = "city is Děčín, which no training row had at this test"
    assert f"city = Cheb ({why}; such values go this way)" in said
    said = str(hb.explain(hb.TreeClassifier(missing="branch").fit(X, y), row))
    assert f"{why}: it goes where missing values go" in said
    every = hb.TreeClassifier(missing="all-paths").fit(X, y)
    said = str(hb.explain(every, row))
    assert f"{why}: all 3 branches were followed" in said
    assert "city is missing\n" in said
    known = str(hb.explain(every, {"a": 0, "city": "Cheb"}))
    assert "no training row" not in known


def test_a_row_is_read_once_and_routed_once(monkeypatch):
    """Every fact and every line of an explanation comes from one reading and one walk of the row."""
    readings, walks, walk = [], [], routing.visit_nodes

    def counted_read(*arguments):
        readings.append(arguments)
        return one_row(*arguments)

    def counted_walk(tree, arrays, *arguments):
        walks.append([float(array[0]) for array in arrays])
        return walk(tree, arrays, *arguments)

    nested = {
        "column": "x", "<=": 1.5, "no": {"counts": {"a": 1, "b": 4}},
        "yes": {"column": "z", "<=": 2, "yes": {"counts": {"a": 5}}, "no": {"counts": {"a": 1, "b": 2}}},
    }  # fmt: skip
    tree = hb.Tree.from_nested(nested)
    for reader in ("reading.explain", "reading.counterfactuals.nearest_rows"):
        monkeypatch.setattr(import_module(f"hornbeam.{reader}"), "one_row", counted_read)
    monkeypatch.setattr(routing, "visit_nodes", counted_walk)
    for row in ({"x": 1.0, "z": 3.0}, {"x": None, "z": 1.0}):
        readings.clear()
        walks.clear()
        told = hb.explain(tree, row)
        assert str(told)
        assert told.to_dict()["changes"]
        assert len(readings) == 1
        own = [np.nan if value is None else value for value in row.values()]
        assert sum(np.array_equal(numbers, own, equal_nan=True) for numbers in walks) == 1


def test_changes_are_the_nearest_of_different_columns():
    rng = np.random.default_rng(0)
    X = random_columns(rng, 300)
    model = hb.TreeClassifier().fit(X, outcome(rng, X, 3))
    most = 0
    for row in X[:8].to_dict("records"):
        different = []
        for near in hb.counterfactuals(model, row, n=18):
            if not any(set(known.columns) <= set(near.columns) for known in different):
                different.append(near)
        assert hb.explain(model, row, changes=3).changes == tuple(different[:3])
        most = max(most, len(different))
    assert most > 3
