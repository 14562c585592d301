"""Formulas, boxes, keys, rule sets and tables of rules: the other ways to read a tree."""
# ruff: noqa: N802 (a test is called by the number of its case)

import datetime as dt
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.mixed import outcome, random_columns, strange_rows

import hornbeam as hb
from hornbeam.missing import AllPaths
from hornbeam.reading.ruleset import pessimistic_error
from hornbeam.splitting import ColumnSets, Oblique, Predicates

GAME = {
    "column": "neck",
    "equals": "tie",
    "yes": {"column": "smile", "equals": "yes", "yes": "ally", "no": "enemy"},
    "no": {"column": "body", "equals": "triangle", "yes": "ally", "no": "enemy"},
}


def tennis():
    data = hb.datasets.load("tennis")
    return hb.id3().fit(data.X, data.y), data


def random_models(seed, n_classes=3):
    """Models of every kind of test on one random table, with rows to ask them about."""
    rng = np.random.default_rng(seed)
    X = random_columns(rng, 150, gaps=0.1)
    y = outcome(rng, X, n_classes)
    said = Predicates(["age > 40 and city == 'Brno'", "age / rooms > 9"])
    numbers = X[["age", "pay", "rooms"]]
    for split in ("binary", "multiway", "one-vs-rest", ColumnSets(columns=None), said):
        yield hb.TreeClassifier(split=split, max_depth=4).fit(X, y), strange_rows(rng, 80), X
    oblique = hb.TreeClassifier(split=Oblique(restarts=1), max_depth=2, random_state=0)
    yield oblique.fit(numbers, y), strange_rows(rng, 80), X
    yield hb.chaid().fit(X, y), strange_rows(rng, 80), X
    for missing in ("branch", "all-paths", "majority", "surrogates"):
        yield hb.TreeClassifier(missing=missing, max_depth=4).fit(X, y), strange_rows(rng, 80), X


# --- explain ------------------------------------------------------------------------------------------------


def test_P31_the_decision_path_and_the_unused_columns():
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


def test_P92_the_dnf_of_the_game_tree():
    tree = hb.Tree.from_nested(GAME)
    assert str(hb.dnf(tree, "ally")) == "(neck=tie AND smile=yes) OR (neck!=tie AND body=triangle)"
    robots = hb.datasets.load("robots")
    drawn = hb.datasets.load_tree("game")
    assert str(hb.dnf(drawn, "ally")) == str(hb.dnf(tree, "ally"))
    assert bool(hb.consistent(drawn, robots.X, robots.y))
    assert (hb.dnf(drawn, "ally").holds(robots.X) == (np.asarray(robots.y) == "ally")).all()
    assert drawn.statistics() == {"depth": 2, "leaves": 4, "tests": 3, "nodes": 7}


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
    assert list(frame.columns) == ["rule", "label", "support", "confidence", "length", "leaf"]
    assert frame["support"].tolist() == [4, 3, 3, 2, 2]
    assert frame["rule"][0] == "Outlook = Overcast"
    assert str(found).splitlines()[0] == "IF Outlook = Overcast THEN Yes (4 rows, 100 %)"
    with pytest.raises(ValueError, match="key='length' must be one of 'support', 'confidence', 'value'"):
        found.sorted_by("length")
    numbers = hb.rules(hb.TreeRegressor().fit([[1], [2], [3]], [1.0, 5.0, 3.0]))
    assert numbers.sorted_by("value").columns()["value"] == [5.0, 3.0, 1.0]


# --- boxes --------------------------------------------------------------------------------------------------


def test_P95_the_regions_of_the_temperature_tree():
    data = hb.datasets.load("temperature")
    model = hb.buildtree(max_depth=2).fit(data.X, data.y)
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
    assert last["x"] == hb.reading.Interval(1.5, math.inf)
    assert last["city"] == ("Aš", "Brno", "Cheb")
    assert last.missing == ("z", "city", "w")


@given(st.integers(0, 30))
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


# --- key ----------------------------------------------------------------------------------------------------


def test_B3_the_key_of_the_tennis_tree_asks_exactly_two_questions():
    model, _ = tennis()
    asked = hb.key(model)
    assert asked.question == "Outlook?"
    assert asked.options == ("Overcast", "Rain", "Sunny")
    asked.answer("Sunny")
    assert asked.question == "Humidity?"
    asked.answer("High")
    assert asked.question is None
    assert asked.done
    assert asked.result.answer == "No"
    assert asked.result.probability == 1.0
    assert asked.asked == (("Outlook", "Sunny"), ("Humidity", "High"))


def test_B3_unknown_to_the_first_question_gives_the_result_of_all_paths():
    model, data = tennis()
    asked = hb.key(model).answer("unknown")
    row = dict.fromkeys(data.X, None)
    assert asked.result.answer == model.predict([row])[0] == "Yes"
    assert asked.result.probability == pytest.approx(9 / 14)
    assert asked.result.probabilities == {"No": pytest.approx(5 / 14), "Yes": pytest.approx(9 / 14)}
    asked.answer("Strong")  # the questions of all paths can still be answered
    assert asked.column == "Humidity"
    asked.answer("High")
    assert asked.done
    row |= {"Wind": "Strong", "Humidity": "High"}
    assert asked.result.probability == pytest.approx(model.predict_proba([row]).max())


def test_P50_the_key_of_the_robots_follows_all_paths():
    robots = hb.datasets.load("robots")
    model = hb.builddt(missing=AllPaths(vote="leaf")).fit(robots.X, robots.y)
    asked = hb.key(model)
    while not asked.done:
        asked.answer("yes" if asked.column == "smile" else "unknown")
    assert asked.result.answer == "ally"
    assert asked.result.probability == pytest.approx(0.571429, abs=1e-6)


def test_a_key_takes_back_answers_and_refuses_what_is_none():
    model, _ = tennis()
    asked = hb.key(model)
    with pytest.raises(ValueError, match="no answer has been given yet"):
        asked.back()
    with pytest.raises(
        ValueError, match="'Foggy' is no value of 'Outlook': answer one of Overcast, Rain, Sunny"
    ):
        asked.answer("Foggy")
    assert asked.answer("Rain").back().question == "Outlook?"
    asked.answer("Overcast")
    with pytest.raises(ValueError, match="no question is left"):
        asked.answer("High")


def test_a_key_asks_for_numbers_dates_and_each_column_once():
    X = {"age": [1.0, 2.0, 3.0, 4.0], "day": pd.to_datetime(["2024-01-01", "2024-02-01"] * 2)}
    model = hb.TreeClassifier().fit(X, ["a", "b", "c", "d"])
    asked = hb.key(model)
    answers = {"age": "1.2", "day": "2024-01-05"}
    while not asked.done:
        asked.answer(answers.pop(asked.column))
    assert asked.result.answer == "a"
    with pytest.raises(
        ValueError, match="'much' is no answer for 'age': answer a finite number, or 'unknown'"
    ):
        hb.key(hb.TreeClassifier().fit({"age": [1, 2]}, ["a", "b"])).answer("much")
    assert hb.key(model).answer(2).asked[0][1] in (2, dt.datetime(2024, 1, 5))


def test_a_key_asks_the_surrogates_of_an_unknown_column():
    X = {"x1": [1, 2, 3, 4, 5, 6, 7, 8], "x2": [1, 2, 3, 4, 6, 7, 8, 5], "x3": [0, 1] * 4}
    model = hb.TreeClassifier(missing="surrogates", max_depth=1).fit(X, list("aaaabbbb"))
    asked = hb.key(model)
    assert asked.column == "x1"
    assert asked.answer("unknown").column == "x2"
    assert asked.answer(7).done
    assert asked.result.answer == "b"


def test_a_key_runs_with_any_function_that_asks():
    model, _ = tennis()
    prompts, answers = [], ["Sunni", "Sunny", "High"]

    def ask(prompt):
        prompts.append(prompt)
        return answers.pop(0)

    assert hb.key(model).run(ask).answer == "No"
    assert prompts[0] == "Outlook? (Overcast, Rain, Sunny; or unknown) "
    assert prompts[1].startswith("'Sunni' is no value of 'Outlook'")


@given(st.integers(0, 30))
@settings(max_examples=3, deadline=None)
def test_a_key_answered_from_a_row_says_what_predict_says(seed):
    for model, rows, _ in random_models(seed):
        for row in rows.head(8).to_dict("records"):
            known = {k: None if v is None or v != v else v for k, v in row.items()}
            known["city"] = None if known["city"] == "Zlín" else known["city"]
            asked = hb.key(model)
            while not asked.done:
                asked.answer(known[asked.column])
            frame = pd.DataFrame([known]).astype(rows.dtypes)
            assert asked.result.answer == model.predict(frame)[0]
            assert asked.result.probability == pytest.approx(
                model.predict_proba(frame)[0, list(model.classes_).index(asked.result.answer)]
            )
            assert set(dict(asked.asked)) <= set(known)


# --- rule sets ----------------------------------------------------------------------------------------------


def test_a_rule_set_drops_conditions_that_are_not_needed():
    # the tree asks x first and then z on both sides, but z alone decides
    X = {"x": [1, 1, 2, 2] * 5, "z": [1, 2, 1, 2] * 5}
    y = ["a", "b", "a", "b"] * 5
    z = {"column": "z", "<=": 1.5, "yes": "a", "no": "b"}
    tree = hb.Tree.from_nested({"column": "x", "<=": 1.5, "yes": z, "no": z}).refit(X, y)
    found = hb.ruleset(tree, X, y)
    assert str(found) == "IF z > 1.5 THEN b (10 rows, 100 %)\nOTHERWISE a" or str(found).startswith(
        "IF z <= 1.5"
    )
    assert found.errors == 0
    assert len(found.rules) == 1
    assert found.predict({"x": [9, 9], "z": [1, 2]}).tolist() == ["a", "b"]


def test_a_rule_set_is_never_longer_than_the_tree_and_predicts_in_order():
    rng = np.random.default_rng(3)
    X = random_columns(rng, 400)
    y = outcome(rng, X, 3)
    model = hb.TreeClassifier(max_depth=5, min_samples_leaf=5).fit(X, y)
    found = hb.ruleset(model, X, y)
    leaf_rules = hb.rules(model)
    assert len(found.rules) < len(leaf_rules)
    assert sum(len(r.conditions) for r in found.rules) < sum(len(r.conditions) for r in leaf_rules)
    assert found.errors == (found.predict(X) != y).sum()
    assert found.errors <= (model.predict(X) != y).sum() * 1.3
    assert sum(rule.support for rule in found.rules) <= 400
    errors = [rule.pessimistic for rule in found.rules]
    assert errors == sorted(errors)


def test_the_pessimistic_error_is_quinlans():
    for n, expected in ((6, 0.206), (9, 0.143), (1, 0.75)):  # the table on the votes in his book
        assert pessimistic_error(n, 0, 0.25) == pytest.approx(expected, abs=5e-4)
    for n, errors in ((16, 1), (168, 7), (5, 4)):
        p = pessimistic_error(n, errors, 0.25)
        few = sum(math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(errors + 1))
        assert few == pytest.approx(0.25)
    assert pessimistic_error(0, 0, 0.25) == 1.0
    assert pessimistic_error(2, 2, 0.25) == 1.0


def test_a_rule_set_refuses_what_it_cannot_do():
    model, data = tennis()
    with pytest.raises(ValueError, match=r"cf=1\.5 must be a number between 0 and 1"):
        hb.ruleset(model, data.X, data.y, cf=1.5)
    with pytest.raises(ValueError, match="task='real'"):
        hb.ruleset(hb.TreeRegressor().fit([[1], [2]], [1.0, 2.0]), [[1]], ["a"])


def test_a_rule_set_of_a_leaf_is_its_default():
    data = hb.datasets.load("tennis")
    model = hb.TreeClassifier(max_depth=0).fit(data.X, data.y)
    assert str(hb.ruleset(model, data.X, data.y)) == "OTHERWISE Yes"
