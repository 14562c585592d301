"""Reading a tree: show, rules, explain."""

import numpy as np
import pytest

from hornbeam import datasets
from hornbeam.data.columns import Column
from hornbeam.data.table import Table
from hornbeam.reading.explain import explain
from hornbeam.reading.rules import rules
from hornbeam.reading.show import show
from hornbeam.tree.tree import Tree

TENNIS = {
    "column": "Outlook",
    "branches": {
        "Overcast": "Yes",
        "Rain": {"column": "Wind", "branches": {"Strong": "No", "Weak": "Yes"}},
        "Sunny": {"column": "Humidity", "branches": {"High": "No", "Normal": "Yes"}},
    },
}


def tennis(**options) -> Tree:
    data = datasets.load("tennis")
    return Tree.from_nested(TENNIS, Table.learn(data.X), meta={"criterion": "entropy"}, **options).refit(
        data.X, data.y
    )


class Fitted:
    def __init__(self, tree):
        self.tree_ = tree


# --- show ---------------------------------------------------------------------------------------------------


def test_show_prints_branches_questions_answers_and_counts():
    assert (
        show(tennis())
        == """\
Outlook?  gain 0.247 bits  64 % Yes  n=14 (5:9)
├── = Overcast  → Yes  100 %  n=4 (0:4)
├── = Rain  Wind?  gain 0.971 bits  60 % Yes  n=5 (2:3)
│   ├── = Strong  → No  100 %  n=2 (2:0)
│   └── = Weak  → Yes  100 %  n=3 (0:3)
└── = Sunny  Humidity?  gain 0.971 bits  60 % No  n=5 (3:2)
    ├── = High  → No  100 %  n=3 (3:0)
    └── = Normal  → Yes  100 %  n=2 (0:2)
counts are No:Yes"""
    )


def test_show_in_ascii_with_node_numbers_down_to_a_depth():
    text = show(Fitted(tennis()), node_ids=True, charset="ascii", max_depth=1)
    assert text.isascii()
    assert (
        text.splitlines()[2]
        == "|-- = Rain  Wind?  gain 0.971 bits  60 % Yes  n=5 (2:3)  #2  ... 2 nodes below"
    )
    assert len(text.splitlines()) == 5


def test_show_marks_where_missing_values_go():
    nested = {"column": "age", "<=": 13, "yes": "child", "no": "adult", "missing_to": "no"}
    assert (
        show(Tree.from_nested(nested))
        == "age?\n├── ≤ 13  → child\n└── > 13 ∅  → adult\n∅ missing values go here"
    )
    own = {"column": "age", "<=": 13, "yes": "child", "no": "adult", "missing": "unknown"}
    assert show(Tree.from_nested(own)).splitlines()[-1] == "└── is missing  → unknown"


def test_a_cut_at_infinity_asks_whether_the_value_is_missing():
    tree = Tree.from_nested({"column": "x", "<=": 1, "yes": "p", "no": "q", "missing_to": "no"})
    tree = tree.replace(threshold=[np.inf, np.nan, np.nan])
    assert show(tree) == "x?\n├── is not missing  → p\n└── is missing  → q"
    assert [str(rule) for rule in rules(tree)] == ["IF x is not missing THEN p", "IF x is missing THEN q"]
    assert str(explain(tree, {"x": None}).path[0]) == "x is missing, which has a branch of its own"
    assert str(explain(tree, {"x": 3}).path[0]) == "x is not missing (it is 3)"
    assert tree.text() == "x[<=inf: p | >inf: q]"


def test_show_of_every_kind_of_test():
    columns = [
        Column("x", "numeric"),
        Column("c", "nominal", tuple("abcdefghij")),
        Column("s", "ordinal", tuple("SML")),
    ]
    nested = {
        "column": "c",
        "branches": {
            "a": {"weights": {"x": -2}, "<=": 1, "yes": 0, "no": 1},
            "b": {"expression": "x > 1 and s == 'M'", "yes": 0, "no": 1},
            "d": {"column": "c", "branches": {("a", "b"): 0, tuple("cdefghij"): 1}},
            "e": {"column": "s", "<=": "M", "yes": 0, "no": 1},
            "f": {"column": "c", "equals": "a", "yes": 0, "no": 1},
            "g": {"columns": ["c", "s"], "branches": {("a", "S"): 0, (("a", "M"), ("b", "M")): 1}},
        },
    }
    assert (
        show(Tree.from_nested(nested, columns))
        == """\
c?
├── = a  -2*x?
│   ├── ≤ 1  → class 0
│   └── > 1  → class 1
├── = b  x > 1 and s == 'M'?
│   ├── yes  → class 0
│   └── no  → class 1
├── = d  c?
│   ├── in {a, b}  → class 0
│   └── in {c, d, e, f, g, h, i, j}  → class 1
├── = e  s?
│   ├── ≤ M  → class 0
│   └── > M  → class 1
├── = f  c?
│   ├── = a  → class 0
│   └── ≠ a  → class 1
├── = g  (c,s)?
│   ├── = (a,S)  → class 0
│   └── in {(a,M), (b,M)}  → class 1
└── = other: c, h, i, j  → class 0"""
    )


def test_thresholds_are_printed_in_full():
    def line(threshold, low, high):
        tree = Tree.from_nested({"column": "x", "<=": threshold, "yes": 0, "no": 1})
        arrays = tree.arrays() | {"gap": [[low, high], [np.nan, np.nan], [np.nan, np.nan]]}
        return show(Tree(**tree.attributes() | arrays)).splitlines()[1]

    assert line(28.85625, 28.7125, 29.0) == "├── ≤ 28.85625  → class 0"
    assert line(0.800000011920929, 0.6000000238418579, 1.0) == "├── ≤ 0.800000011920929  → class 0"
    assert line(-5.5, -9.0, -2.0) == "├── ≤ -5.5  → class 0"
    assert line(123456789.5, 123456789.0, 123456790.0) == "├── ≤ 123456789.5  → class 0"
    assert line(1 / 3, np.nan, np.nan) == "├── ≤ 0.3333333333333333  → class 0"


def test_dates_are_printed_as_dates():
    column = Column("day", "numeric", display="datetime64[us]")
    tree = Tree.from_nested({"column": "day", "<=": 86_400e6 * 365, "yes": "old", "no": "new"}, [column])
    assert show(tree).splitlines()[1] == "├── ≤ 1971-01-01  → old"
    assert tree.text() == "day[<=1971-01-01: old | >1971-01-01: new]"


def test_show_of_a_regression_tree_gives_means_and_spreads():
    tree = Tree.from_nested(
        {"column": "x", "<=": 1, "yes": {"value": 46.25, "n": 4, "sd": 3.491}, "no": {"value": 35.2, "n": 5}}
    )
    assert show(tree).splitlines() == [
        "x?  variance decrease 30.1  40.11 ± 5.964  n=9",
        "├── ≤ 1  → 46.25 ± 3.491  n=4",
        "└── > 1  → 35.2 ± 0  n=5",
    ]


def test_show_leaves_out_the_counts_of_many_classes():
    tree = Tree.from_nested({"counts": dict.fromkeys("abcdefgh", 1)})
    assert show(tree) == "→ a  12 %  n=8"


def test_readers_refuse_what_is_no_model():
    with pytest.raises(TypeError, match="a Tree or a fitted estimator of Hornbeam, not a dict"):
        show({})
    with pytest.raises(ValueError, match="charset='latin' must be one of 'unicode', 'ascii'"):
        show(tennis(), charset="latin")
    with pytest.raises(ValueError, match="max_depth=-1"):
        show(tennis(), max_depth=-1)

    class Unfitted:
        def fit(self):
            return self

    with pytest.raises(ValueError, match="this Unfitted has no tree yet: call fit first"):
        rules(Unfitted())


# --- rules --------------------------------------------------------------------------------------------------


def test_rules_have_one_sentence_per_leaf():
    assert [str(rule) for rule in rules(tennis())] == [
        "IF Outlook = Overcast THEN Yes (4 rows, 100 %)",
        "IF Outlook = Rain AND Wind = Strong THEN No (2 rows, 100 %)",
        "IF Outlook = Rain AND Wind = Weak THEN Yes (3 rows, 100 %)",
        "IF Outlook = Sunny AND Humidity = High THEN No (3 rows, 100 %)",
        "IF Outlook = Sunny AND Humidity = Normal THEN Yes (2 rows, 100 %)",
    ]


def test_a_rule_carries_its_facts():
    rule = rules(
        Tree.from_nested(
            {"column": "x", "<=": 1, "yes": {"counts": [3, 1]}, "no": {"counts": [0, 2]}}, classes="pq"
        )
    )[0]
    assert (rule.label, rule.value, rule.support, rule.confidence, rule.leaf) == ("p", None, 4, 0.75, 1)
    assert (rule.conditions[0].columns, rule.conditions[0].high) == (("x",), 1.0)
    assert str(rule) == "IF x <= 1 THEN p (4 rows, 75 %)"


def test_conditions_on_one_column_are_merged():
    nested = {"column": "x", "<=": 60, "no": "a", "yes": {"column": "c", "equals": "u", "yes": "b", "no": {
        "column": "x", "<=": 10, "yes": "c", "no": {"column": "c", "equals": "v", "yes": "d", "no": {
            "column": "x", "<=": 29, "yes": "e", "no": "f"}}}}}  # fmt: skip
    columns = [Column("x", "numeric"), Column("c", "nominal", tuple("uvwz"))]
    assert [str(rule) for rule in rules(Tree.from_nested(nested, columns))] == [
        "IF x <= 60 AND c = u THEN b",
        "IF x <= 10 AND c != u THEN c",
        "IF 10 < x <= 60 AND c = v THEN d",
        "IF 10 < x <= 29 AND c not in {u, v} THEN e",
        "IF 29 < x <= 60 AND c not in {u, v} THEN f",
        "IF x > 60 THEN a",
    ]


def test_rules_say_where_missing_values_belong():
    learned = {"column": "x", "<=": 1, "yes": "p", "no": "q", "missing_to": "no"}
    assert [str(r) for r in rules(Tree.from_nested(learned))] == [
        "IF x <= 1 THEN p",
        "IF x > 1 or missing THEN q",
    ]
    below = {"column": "c", "equals": "u", "yes": learned, "no": "r"}
    assert str(rules(Tree.from_nested(below))[1]) == "IF c = u AND (x > 1 or missing) THEN q"
    own = {"column": "x", "<=": 1, "yes": "p", "no": "q", "missing": "r"}
    assert str(rules(Tree.from_nested(own))[2]) == "IF x is missing THEN r"
    everywhere = Tree.from_nested(learned, policy={"missing": "all-paths"})
    assert str(rules(everywhere)[1]) == "IF x > 1 THEN q"


def test_rules_of_other_kinds_of_tests_and_of_a_single_leaf():
    nested = {
        "expression": "x > y",
        "yes": "p",
        "no": {"weights": {"x": 1, "y": 1}, "<=": 2, "yes": "q", "no": "r"},
    }
    assert [str(r) for r in rules(Tree.from_nested(nested))] == [
        "IF (x > y) THEN p",
        "IF not (x > y) AND x + y <= 2 THEN q",
        "IF not (x > y) AND x + y > 2 THEN r",
    ]
    assert str(rules(Tree.from_nested({"counts": {"p": 9, "q": 5}}))[0]) == "ALWAYS p (14 rows, 64 %)"


def test_rules_of_a_regression_tree_give_value_and_spread():
    tree = Tree.from_nested(
        {"column": "x", "<=": 1, "yes": {"value": 46.25, "n": 4, "sd": 3.5}, "no": {"value": 3, "n": 1}}
    )
    assert [str(r) for r in rules(tree)] == [
        "IF x <= 1 THEN 46.25 (4 rows, sd 3.5)",
        "IF x > 1 THEN 3 (1 row, sd 0)",
    ]


def test_the_rules_of_ordinal_columns_respect_their_order():
    size = Column("size", "ordinal", ("S", "M", "L", "XL"))
    nested = {
        "column": "size",
        "<=": "L",
        "no": "c",
        "yes": {"column": "size", "<=": "S", "yes": "a", "no": "b"},
    }
    assert [str(r) for r in rules(Tree.from_nested(nested, [size]))] == [
        "IF size <= S THEN a",
        "IF S < size <= L THEN b",
        "IF size > L THEN c",
    ]
