"""The worked cases of the lectures, through the public interface."""

from __future__ import annotations

import pandas as pd
import pytest
from tests.support.every_test import every_test
from tests.support.lectures import errors, fitted

import hornbeam as hb
from hornbeam import id3
from hornbeam.teaching import builddt

TENNIS_TREE = (
    "Outlook[Overcast: Yes(0:4) | Rain: Wind[Strong: No(2:0) | Weak: Yes(0:3)]"
    " | Sunny: Humidity[High: No(3:0) | Normal: Yes(0:2)]]"
)
XCOUNT_TREE = "X1[F: X2[F: T(0:1) | T: F(5:0)] | T: T(0:4)]"


def close(value):
    """Equal to six decimals."""
    return pytest.approx(value, abs=1e-6)


def table_of(text, numeric=()):
    """A table written as a header and rows of words; the last column is the class."""
    names, *rows = [line.split() for line in text.strip().splitlines()]
    *columns, y = map(list, zip(*rows, strict=True))
    X = {n: [float(v) for v in c] if n in numeric else c for n, c in zip(names[:-1], columns, strict=True)}
    return X, y


# ---- tests and their gains -------------------------------------------------------------------------------


def test_every_midpoint_of_temperature_has_its_gain():
    table = hb.datasets.load("temperature")
    found = every_test(table.X, table.y, criterion="entropy")
    assert {c.threshold: c.gain for c in found} == close(
        {
            -14.5: 0.137925,
            -5.5: 0.311278,
            1.5: 0.048795,
            10.5: 0.0,
            21.0: 0.048795,
            29.0: 0.311278,
            33.5: 0.137925,
        }
    )
    assert [c.threshold for c in found if c.boundary] == [-5.5, 29.0]


def test_the_smaller_of_two_equal_cuts_is_best():
    tree = fitted("temperature", hb.TreeClassifier("entropy", max_depth=1)).tree_
    assert tree.threshold[0] == -5.5
    assert tree.gain[0] == close(0.311278)
    assert hb.rules(tree)[0].conditions[0].text == "Temperature <= -5.5"


def test_boundary_points_with_tied_values():
    X, y = {"x": [1, 1, 2, 2, 3, 4, 4, 5]}, ["n", "y", "n", "n", "n", "y", "y", "y"]
    found = every_test(X, y)
    assert [c.threshold for c in found] == [1.5, 2.5, 3.5, 4.5]
    assert [c.threshold for c in found if c.boundary] == [1.5, 3.5]


def test_one_value_against_the_rest_on_robots():
    table = hb.datasets.load("robots")
    found = {c.test: c.gain for c in every_test(table.X, table.y, split="one-vs-rest")}
    expected = {
        "body=square": 0.548795,
        "body=triangle": 0.311278,
        "body=circle": 0.048795,
        "neck=tie": 0.0,
        "neck=bow": 0.311278,
    }
    assert {test: found[test] for test in expected} == close(expected)


def test_value_sets_of_outlook():
    table = hb.datasets.load("tennis")
    found = every_test(table.X, table.y, split="binary", columns="Outlook")
    assert [c.values for c in found] == [("Overcast",), ("Overcast", "Rain"), ("Overcast", "Sunny")]
    assert [c.gain for c in found] == close([0.226, 0.102244, 0.003185])


def test_an_ordinal_column_is_cut_in_its_order_only():
    size = pd.Categorical(list("SSMMMLL"), categories=list("SML"), ordered=True)
    found = every_test({"size": size}, list("nnyynyn"))
    assert [c.test for c in found] == ["size<=S", "size<=M"]
    assert [c.values for c in found] == [("S",), ("S", "M")]
    assert [c.gain for c in found] == close([0.291692, 0.005978])


# ---- BuildDT and ID3 -------------------------------------------------------------------------------------


def test_builddt_on_robots():
    table = hb.datasets.load("robots")
    model = fitted("robots", builddt())
    assert model.tree_.text() == (
        "body[circle: smile[no: enemy(0:1) | yes: ally(2:0)] | square: enemy(0:3) | triangle: ally(2:0)]"
    )
    assert model.tree_.statistics() == {"depth": 2, "leaves": 4, "tests": 2, "nodes": 6, "reading_size": 7}
    assert errors(model, table.X, table.y) == 0


def test_an_empty_branch_answers_with_the_majority_above_it():
    robots = hb.datasets.load("robots").frame()
    circles = robots[robots["body"] == "circle"]
    neck = pd.Categorical(circles["neck"], categories=["bow", "nothing", "tie"])
    model = builddt().fit({"neck": neck}, circles["class"])
    assert model.tree_.text() == "neck[bow: enemy(0:1) | nothing: ally(0:0) | tie: ally(2:0)]"
    assert model.predict([{"neck": "nothing"}]).tolist() == ["ally"]
    assert model.predict_proba([{"neck": "nothing"}])[0] == close([2 / 3, 1 / 3])


def test_conflicting_examples_with_the_columns_used_up():
    X, y = table_of("a c\nu p\nu p\nu q\nv q\nv q\nv p")
    model = builddt().fit(X, y)
    assert model.tree_.text() == "a[u: p(2:1) | v: q(1:2)]"
    assert errors(model, X, y) == 2


def test_id3_on_tennis():
    model = fitted("tennis", id3())
    assert model.tree_.text() == TENNIS_TREE
    assert model.tree_.statistics() == {"depth": 2, "leaves": 5, "tests": 3, "nodes": 8, "reading_size": 9}
    assert fitted("tennis", builddt()).tree_.text() == TENNIS_TREE


def test_id3_on_gladiator_and_three_questions():
    model = fitted("gladiator", id3())
    assert model.tree_.text() == (
        "Major[CS: Yes(0:2) | History: No(2:0) | Math: Gender[Female: No(2:1) | Male: Yes(0:1)]]"
    )
    questions = {"Gender": ["Female", "Male", "Female"], "Major": ["CS", "Math", "Math"]}
    assert model.predict(questions).tolist() == ["Yes", "Yes", "No"]
    assert model.predict_proba(questions)[2] == close([0.666667, 0.333333])
    assert hb.explain(model, {"Gender": "Female", "Major": "Math"}).probabilities["Yes"] == close(0.333333)


def test_xor_is_solved_without_a_gain_rule_and_given_up_with_one():
    assert fitted("xor2", builddt()).tree_.text() == (
        "X1[0: X2[0: 0(1:0) | 1: 1(0:1)] | 1: X2[0: 1(0:1) | 1: 0(1:0)]]"
    )
    assert fitted("xor2", id3()).tree_.text() == "0(2:2)"
    assert fitted("xor2", builddt(min_gain=0.0)).tree_.text() == "0(2:2)"


def test_xor_with_a_column_that_tells_all():
    assert fitted("xor5", builddt()).tree_.text() == "X4[0: 1(0:2) | 1: 0(2:0)]"


def test_buildtree_on_temperature():
    stump = "Temperature[<=-5.5: No(2:0) | >-5.5: Yes(2:4)]"
    full = "Temperature[<=-5.5: No(2:0) | >-5.5: Temperature[<=29: Yes(0:4) | >29: No(2:0)]]"
    assert fitted("temperature", hb.TreeClassifier("gini", max_depth=1)).tree_.text() == stump
    assert fitted("temperature", hb.TreeClassifier("gini", max_depth=2)).tree_.text() == full
    assert fitted("temperature", hb.TreeClassifier("gini", min_samples_split=7)).tree_.text() == stump
    assert fitted("temperature", hb.TreeClassifier("gini", min_samples_split=6)).tree_.text() == full


def test_tax_fraud_learned():
    table = hb.datasets.load("tax")
    found = {c.test: c for c in every_test(table.X, table.y, split="multiway")}
    assert found["Refund"].gain == close(0.170951)
    assert found["MarSt"].gain == close(0.721928)
    best = max((c for c in found.values() if c.column == "TaxInc"), key=lambda c: c.gain)
    assert (best.threshold, best.gain) == close((95.0, 0.321928))
    assert (
        fitted("tax", builddt()).tree_.text()
        == "MarSt[Divorced: yes(0:1) | Married: no(3:0) | Single: no(1:0)]"
    )


def test_tax_fraud_as_on_the_slide():
    income = {"column": "TaxInc", "<=": 80, "yes": "NO", "no": "YES"}
    married = {"column": "MarSt", "branches": {"Married": "NO", ("Single", "Divorced"): income}}
    tree = hb.Tree.from_nested({"column": "Refund", "branches": {"yes": "NO", "no": married}})
    table = hb.datasets.load("tax")
    assert errors(tree, table.X, [label.upper() for label in table.y]) == 0
    query = {"Refund": "no", "MarSt": "Married", "TaxInc": 80}
    assert tree.predict([query]).tolist() == ["NO"]
    told = hb.explain(tree, query)
    assert (told.answer, len(told.path), told.unused) == ("NO", 2, ("TaxInc",))


# ---- limits ----------------------------------------------------------------------------------------------


def test_a_fixed_number_of_leaves_grows_best_first():
    three, four, five = (fitted("tennis", builddt(max_leaf_nodes=n)).tree_.text() for n in (3, 4, 5))
    assert three == "Outlook[Overcast: Yes(0:4) | Rain: Yes(2:3) | Sunny: No(3:2)]"
    assert four == (
        "Outlook[Overcast: Yes(0:4) | Rain: Wind[Strong: No(2:0) | Weak: Yes(0:3)] | Sunny: No(3:2)]"
    )
    assert five == TENNIS_TREE


def test_probabilities_of_the_leaves():
    model = fitted("tennis", builddt(max_depth=1))
    rows = [
        {"Outlook": o, "Temperature": "Hot", "Humidity": "High", "Wind": "Weak"}
        for o in ("Overcast", "Rain", "Sunny")
    ]
    assert model.classes_.tolist() == ["No", "Yes"]
    assert model.predict_proba(rows)[:, 1] == close([1.0, 0.6, 0.4])
    assert [r.confidence for r in hb.rules(model)] == close([1.0, 0.6, 0.6])


def test_one_class_is_one_leaf():
    assert builddt().fit({"a": ["u", "v", "u", "w"], "x": [1, 2, 3, 4]}, ["p"] * 4).tree_.text() == "p(4)"


def test_a_column_of_one_value_splits_nothing():
    assert builddt().fit({"a": ["k", "k", "k"]}, ["p", "p", "q"]).tree_.text() == "p(2:1)"
    assert not every_test({"a": ["k", "k", "k"]}, ["p", "p", "q"], split="multiway")


def test_counts_are_repeated_rows():
    table = hb.datasets.load("xcount")
    frame = pd.DataFrame(table.X).loc[[i for i, n in enumerate(table.counts) for _ in range(n)]]
    y = [label for label, n in zip(table.y, table.counts, strict=True) for _ in range(n)]
    counted, written_out = builddt().fit(table.X, table.y, counts=table.counts), builddt().fit(frame, y)
    assert len(frame) == 10
    assert counted.tree_.text() == written_out.tree_.text() == XCOUNT_TREE
    assert counted.tree_ == written_out.tree_


def test_the_order_of_the_rows_does_not_matter():
    table = hb.datasets.load("tennis")
    backwards = {name: column[::-1] for name, column in table.X.items()}
    assert builddt().fit(backwards, table.y[::-1]).tree_ == builddt().fit(table.X, table.y).tree_


def test_a_minimum_gain():
    assert fitted("tennis", builddt(min_gain=0.25)).tree_.text() == "Yes(5:9)"
    assert fitted("tennis", builddt(min_gain=0.2)).tree_.text() == TENNIS_TREE


# ---- values that are missing or new in prediction --------------------------------------------------------


def test_a_missing_value_follows_all_paths():
    model = fitted("robots", builddt())
    robot = {"head": "circle", "body": None, "smile": "yes", "neck": "tie", "holds": "nothing"}
    assert dict(zip(model.classes_, model.predict_proba([robot])[0], strict=True)) == close(
        {"ally": 0.571429, "enemy": 0.428571}
    )
    assert model.predict([robot]).tolist() == ["ally"]
    told = hb.explain(model, robot)
    assert told.answer == "ally"
    assert told.probabilities == close({"ally": 0.571429, "enemy": 0.428571})
    assert [(leaf.answer, leaf.n_rows) for leaf in told.reached] == [("enemy", 3), ("ally", 2), ("ally", 2)]


def test_an_unseen_value_follows_all_paths():
    model = fitted("tennis", id3())
    day = {"Outlook": "Fog", "Temperature": "Hot", "Humidity": "High", "Wind": "Weak"}
    assert dict(zip(model.classes_, model.predict_proba([day])[0], strict=True)) == close(
        {"No": 0.3, "Yes": 0.7}
    )
    assert model.predict([day]).tolist() == ["Yes"]
    assert hb.explain(model, day).probabilities == close({"No": 0.3, "Yes": 0.7})
