"""Determination keys and rule sets."""
# ruff: noqa: N802 (a test is called by the number of its case)

import datetime as dt
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.mixed_tables import outcome, random_columns
from tests.support.read_models import random_models, tennis

import hornbeam as hb
from hornbeam.parts import AllPaths
from hornbeam.reading.ruleset import pessimistic_error

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


def test_the_key_of_the_robots_follows_all_paths():
    robots = hb.datasets.load("robots")
    model = hb.teaching.builddt(missing=AllPaths(vote="leaf")).fit(robots.X, robots.y)
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
