"""Paths, formulas, tables of rules and boxes: the other ways to read a tree."""

import math
import time

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.support.mixed_tables import outcome, random_columns
from tests.support.read_models import random_models, tennis

import hornbeam as hb
from hornbeam.reading.boxes import Interval

GAME = {
    "column": "neck",
    "equals": "tie",
    "yes": {"column": "smile", "equals": "yes", "yes": "ally", "no": "enemy"},
    "no": {"column": "body", "equals": "triangle", "yes": "ally", "no": "enemy"},
}


# --- explain ------------------------------------------------------------------------------------------------


def test_the_decision_path_and_the_unused_columns():
    model, _ = tennis()
    row = {"Outlook": "Sunny", "Temperature": "Hot", "Humidity": "High", "Wind": "Strong"}
    for given_row in (row, list(row.values()), pd.Series(row), pd.DataFrame([row])):
        said = hb.explain(model, given_row)
        assert said.answer == "No"
        assert list(said.tests) == ["Outlook=Sunny", "Humidity=High"]
        assert list(said.unused) == ["Temperature", "Wind"]


def test_the_tests_of_a_path_stop_where_several_branches_are_followed():
    model, _ = tennis()
    row = {"Outlook": "Rain", "Temperature": "Hot", "Humidity": "High", "Wind": None}
    said = hb.explain(model, row)
    assert said.tests == ("Outlook=Rain",)
    assert len(said.path) == 2


# --- dnf ----------------------------------------------------------------------------------------------------


def test_the_dnf_of_the_game_tree():
    tree = hb.Tree.from_nested(GAME)
    assert str(hb.dnf(tree, "ally")) == "(neck=tie AND smile=yes) OR (neck!=tie AND body=triangle)"
    robots = hb.datasets.load("robots")
    drawn = hb.datasets.load_tree("game")
    assert str(hb.dnf(drawn, "ally")) == str(hb.dnf(tree, "ally"))
    assert bool(hb.teaching.consistent(drawn, robots.X, robots.y))
    assert (hb.dnf(drawn, "ally").holds(robots.X) == (np.asarray(robots.y) == "ally")).all()
    assert drawn.statistics() == {"depth": 2, "leaves": 4, "tests": 3, "nodes": 7, "reading_size": 7}


def test_a_dnf_of_every_class_and_of_a_multiway_tree():
    model, _ = tennis()
    forms = hb.dnf(model)
    assert list(forms) == ["No", "Yes"]
    assert str(forms["No"]) == "(Outlook=Rain AND Wind=Strong) OR (Outlook=Sunny AND Humidity=High)"
    expected = "Outlook=Overcast OR (Outlook=Rain AND Wind=Weak) OR (Outlook=Sunny AND Humidity=Normal)"
    assert str(forms["Yes"]) == expected
    assert [term.support for term in forms["No"].terms] == [2, 3]


def test_a_dnf_of_numbers_sets_intervals_and_expressions():
    high = {"column": "city", "branches": {("Aš", "Brno"): "a", "Cheb": "b"}}
    cut = {"column": "age", "cuts": [18, 65], "branches": ["a", "b", "a"]}
    nested = {"expression": "age > 2 * rooms", "yes": high, "no": cut}
    tree = hb.Tree.from_nested({"column": "rooms", "<=": 2.5, "yes": nested, "no": "c"})
    assert str(hb.dnf(tree, "a")) == (
        "(rooms<=2.5 AND (age > 2 * rooms) AND city in {Aš,Brno})"
        " OR (rooms<=2.5 AND NOT (age > 2 * rooms) AND age<=18)"
        " OR (rooms<=2.5 AND NOT (age > 2 * rooms) AND age>65)"
    )
    assert str(hb.dnf(tree, "c")) == "rooms>2.5"
    assert "18<age<=65" in str(hb.dnf(tree, "b"))


def test_a_leaf_alone_is_true_and_a_class_without_leaf_false():
    tree = hb.Tree.from_nested("yes", classes=["no", "yes"], columns=[hb.Tree.from_nested(GAME).columns[0]])
    assert str(hb.dnf(tree, "yes")) == "TRUE"
    assert str(hb.dnf(tree, "no")) == "FALSE"
    assert hb.dnf(tree, "yes").holds({"neck": ["tie"]}).tolist() == [True]
    assert hb.dnf(tree, "no").holds({"neck": ["tie"]}).tolist() == [False]


def test_a_dnf_needs_a_class_of_the_tree():
    with pytest.raises(ValueError, match="label='friend' is no class of this tree: its classes are 'ally'"):
        hb.dnf(hb.Tree.from_nested(GAME), "friend")
    with pytest.raises(ValueError, match="task='real'"):
        hb.dnf(hb.TreeRegressor().fit([[1], [2]], [1.0, 2.0]), 1.0)


@given(st.integers(0, 30))
@settings(max_examples=4, deadline=None)
def test_a_dnf_is_true_exactly_where_the_tree_answers_its_class(seed):
    for model, rows, _ in random_models(seed):
        single = np.diff(model.tree_.route(rows).start) == 1
        said = model.predict(rows)
        held = np.stack([form.holds(rows) for form in hb.dnf(model).values()])
        for label, true in zip(hb.dnf(model), held, strict=True):
            assert (true[single] == (said[single] == label)).all()
        assert not held[:, ~single].any()


# --- rules --------------------------------------------------------------------------------------------------


def test_rules_are_a_data_frame_and_can_be_sorted():
    model, _ = tennis()
    found = hb.rules(model).sorted_by("support")
    frame = found.to_frame()
    assert list(frame.columns) == [
        *("rule", "label", "support", "confidence", "length", "leaf"),
        *("low", "high", "n_No", "n_Yes"),
    ]
    assert frame["support"].tolist() == [4, 3, 3, 2, 2]
    assert frame["rule"][0] == "Outlook = Overcast"
    assert str(found).splitlines()[0] == "IF Outlook = Overcast THEN Yes (4 rows, 100 %)"
    with pytest.raises(ValueError, match="key='length' must be one of 'support', 'confidence', 'value'"):
        found.sorted_by("length")
    numbers = hb.rules(hb.TreeRegressor().fit([[1], [2], [3]], [1.0, 5.0, 3.0]))
    assert numbers.sorted_by("value").columns()["value"] == [5.0, 3.0, 1.0]


# --- boxes --------------------------------------------------------------------------------------------------


def test_the_regions_of_the_temperature_tree():
    data = hb.datasets.load("temperature")
    model = hb.teaching.buildtree(max_depth=2).fit(data.X, data.y)
    found = [(str(box["Temperature"]), box.label) for box in hb.boxes(model)]
    assert found == [("(-inf,-5.5]", "No"), ("(-5.5,29]", "Yes"), ("(29,inf)", "No")]


def test_boxes_have_every_column_sets_and_what_no_box_can_say():
    young = {
        "column": "city",
        "equals": "Brno",
        "yes": "a",
        "no": {"expression": "x > z", "yes": "a", "no": "b"},
    }
    columns = hb.TreeClassifier().fit(
        {"x": [1.0, 2.0, 3.0], "z": [1.0, 2.0, 0.0], "city": ["Aš", "Brno", "Cheb"], "w": [1, 2, 3]},
        [0, 1, 0],
    )
    tree = hb.Tree.from_nested({"column": "x", "<=": 1.5, "yes": young, "no": "c"}, columns.tree_.columns)
    first, second, third, last = hb.boxes(tree)
    assert str(first) == "x in (-inf,1.5] and z in (-inf,inf) and city in {Brno} and w in (-inf,inf): a"
    assert second["city"] == ("Aš", "Cheb")
    assert second.further == ("(x > z)",)
    assert third.further == ("not (x > z)",)
    assert last["x"] == Interval(1.5, math.inf)
    assert last["city"] == ("Aš", "Brno", "Cheb")
    assert last.missing == ("z", "city", "w")


@given(st.integers(0, 30))
@example(seed=7)  # has values that no row had at a test: they go where gaps go
@settings(max_examples=3, deadline=None)
def test_a_row_without_gaps_lies_in_the_box_of_its_leaf_only(seed):
    rng = np.random.default_rng(seed)
    X = random_columns(rng, 120)
    rows = random_columns(rng, 50, gaps=0)
    for split in ("binary", "multiway", "one-vs-rest"):
        model = hb.TreeClassifier(split=split, max_depth=5).fit(X, outcome(rng, X, 3))
        leaves, found = model.apply(rows), hb.boxes(model)
        inside = np.array([[_contains(box, row) for box in found] for row in rows.to_dict("records")])
        assert (inside.sum(axis=1) == 1).all()
        assert ([found[k].leaf for k in inside.argmax(axis=1)] == leaves).all()


def _contains(box, row):
    return all(row[name] in region for name, region in box.regions.items())


def test_a_chain_of_thousands_of_tests_has_its_formula_in_a_moment():
    node = "a"
    for k in range(2500):
        node = {"column": "x", "<=": k + 1, "yes": node, "no": "ab"[k % 2]}
    tree = hb.Tree.from_nested(node)
    begin = time.process_time()
    forms = hb.dnf(tree)
    x = np.arange(2600.0)
    held = {label: form.holds({"x": x}) for label, form in forms.items()}
    assert time.process_time() - begin < 30, "it took minutes once"
    assert sum(len(form.terms) for form in forms.values()) == 2501
    said = np.asarray(tree.predict({"x": x}))
    for label, true in held.items():
        assert (true == (said == label)).all()
    assert str(forms["a"]).startswith("(x<=2500 AND x<=2499 AND")
