"""`hb.show`: bars, widths, colours, charsets, subtrees and marks."""

import io
import re
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_diabetes
from tests.support.selection import examples

import hornbeam as hb
from hornbeam.parts import Constant
from hornbeam.reading.lines import lines
from hornbeam.reading.show import show
from hornbeam.tree.tree import Tree

TREE = hb.Tree.from_nested(
    {
        "column": "age",
        "<=": 29,
        "yes": {"counts": {"died": 6, "survived": 2}},
        "no": {"column": "sex", "equals": "female", "yes": {"counts": {"died": 1, "survived": 15}},
               "no": {"counts": {"died": 24}}},
        "missing_to": "no",
    }
)  # fmt: skip


def cancer(**parameters):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return hb.TreeClassifier(**parameters).fit(X, np.where(y == 0, "malignant", "benign")), X


def test_bars_show_the_shares_of_the_classes():
    assert hb.show(TREE, bars=8).splitlines() == [
        "age?  Gini decrease 0.00434  █████▒▒▒  65 % died  n=48",
        "├── ≤ 29  → died  ██████▒▒  75 %  n=8 (2 wrong)",
        "└── > 29 ∅  sex?  Gini decrease 0.422  █████▒▒▒  62 % died  n=40",
        "    ├── = female  → survived  █▒▒▒▒▒▒▒  94 %  n=16 (1 wrong)",
        "    └── ≠ female  → died  ████████  100 %  n=24",
        "█ died  ▒ survived",
        "∅ missing values go here",
    ]


def test_a_class_that_is_there_is_seen_in_the_bar():
    tree = hb.Tree.from_nested({"counts": {"a": 1, "b": 999}})
    assert "#:::::::" in hb.show(tree, bars=8, charset="ascii")


def test_a_mean_is_as_long_as_its_place_among_the_answers():
    X, y = {"x": [1.0, 2.0, 3.0]}, [10.0, 20.0, 30.0]
    text = hb.show(hb.TreeRegressor().fit(X, y), bars=5)
    bars = [re.findall("[█·]{5}", line) for line in text.splitlines()]
    assert bars == [["███··"], ["█····"], ["████·"], ["███··"], ["█████"], []]
    assert text.splitlines()[-1] == "█ mean of the rows, from 10 to 30"


def test_without_bars_nothing_changed():
    assert hb.show(TREE).splitlines()[:2] == [
        "age?  Gini decrease 0.00434  65 % died  n=48 (31:17)",
        "├── ≤ 29  → died  75 %  n=8 (6:2)",
    ]


@pytest.mark.parametrize(
    ("counts", "rows"),
    [("classes", "n=8 (6:2)"), ("wrong", "n=8 (2 wrong)"), ("none", "n=8"), ("auto", "n=8 (6:2)")],
)
def test_what_stands_after_n_is_chosen(counts, rows):
    assert hb.show(TREE, counts=counts).splitlines()[1].endswith(rows)


@settings(max_examples=examples(40), deadline=None)
@given(
    width=st.integers(20, 130),
    bars=st.sampled_from([False, True, 6, 40]),
    charset=st.sampled_from(["unicode", "ascii"]),
    node_ids=st.booleans(),
)
def test_no_line_is_longer_than_the_width(width, bars, charset, node_ids):
    model, _ = cancer(max_depth=5)
    text = hb.show(model, width=width, bars=bars, charset=charset, node_ids=node_ids)
    assert max(map(len, text.splitlines())) <= width
    assert charset == "unicode" or text.isascii()


def test_bars_go_first_and_names_are_shortened_in_the_middle():
    model, _ = cancer(max_depth=2)
    wide = hb.show(model, bars=True)
    longest = max(map(len, wide.splitlines()))
    assert hb.show(model, bars=True, width=longest) == wide
    narrower = hb.show(model, bars=True, width=longest - 4)
    assert "█" * 6 in narrower
    without = hb.show(model, bars=True, width=longest - 14)
    assert "█" not in without
    assert "worst concave points?" in without
    assert "wor…ts?" in hb.show(model, width=30)


def test_equations_go_on_in_the_next_line_and_lose_nothing():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    model = hb.TreeRegressor(leaf="linear", max_depth=2).fit(X, y)
    for charset in ("unicode", "ascii"):
        text, whole = hb.show(model, width=75, charset=charset), hb.show(model, charset=charset)
        assert max(map(len, text.splitlines())) <= 75 < max(map(len, whole.splitlines()))
        rails = r"(?m)^([│|] {3}| {4})*(├── |└── |\|-- |`-- )?"
        said = [re.sub(rails, "", each).split() for each in (text, whole)]
        assert said[0] == said[1]
        below = text[text.index("n=") :].splitlines()[3]
        assert below.startswith("│   │         " if charset == "unicode" else "|   |         ")


def test_what_explains_the_signs_goes_on_in_the_next_line():
    text = hb.show(TREE, bars=8, details=False, width=40)
    assert max(map(len, text.splitlines())) <= 40
    assert "%: share of the rows here with this answer; n: training rows here" in " ".join(text.splitlines())


def test_the_legend_says_towards_what_shares_are_smoothed():
    X, y = {"x": [1.0, 2.0, 3.0, 4.0]}, ["a", "a", "b", "b"]
    told = {
        "none": "with this answer; n:",
        "laplace": "towards equal shares; n:",
        "m-estimate": "towards its share of all rows; n:",
        "shrinkage": "towards its share one step up; n:",
    }
    for smoothing, words in told.items():
        text = hb.show(
            hb.TreeClassifier(leaf=hb.parts.Constant(smoothing=smoothing)).fit(X, y), bars=8, details=False
        )
        assert words in " ".join(text.split())


def test_colours_are_asked_for():
    text = hb.show(TREE, bars=8, color="always")
    assert "\x1b[38;2;232;116;59m██████\x1b[0m\x1b[38;2;86;180;233m██\x1b[0m" in text
    assert re.sub("\x1b\\[[0-9;]*m", "", text).replace("█", "▒") == hb.show(TREE, bars=8).replace("█", "▒")
    assert "\x1b" not in hb.show(TREE, bars=8)
    assert "\x1b" not in hb.show(TREE, color="auto")


@pytest.mark.parametrize(("encoding", "start"), [("utf-8", "├── "), ("ascii", "|-- "), ("latin-1", "|-- ")])
def test_the_charset_follows_what_can_be_printed(monkeypatch, encoding, start):
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding=encoding))
    assert hb.show(TREE, charset="auto").splitlines()[1].startswith(start)


def test_a_subtree_is_shown_alone():
    assert hb.show(TREE, node=2, node_ids=True).splitlines()[:2] == [
        "> 29 ∅  sex?  Gini decrease 0.422  62 % died  n=40 (25:15)  #2",
        "├── = female  → survived  94 %  n=16 (1:15)  #3",
    ]
    assert len(hb.show(TREE, node=2, max_depth=0).splitlines()) == 3


def test_the_sign_for_missing_values_counts_them():
    rows = {"age": [1.0, None, None, 40.0], "sex": ["female", "male", None, "female"]}
    text = hb.show(TREE, X=rows).splitlines()
    assert text[2].startswith("└── > 29 ∅2  sex?")
    assert text[3].startswith("    ├── = female ∅1  ")
    assert text[4].startswith("    └── ≠ female ∅1  ")
    none = hb.show(TREE, X={"age": [1.0], "sex": ["female"]})
    assert "∅" not in none


def test_what_people_said_is_shown():
    tennis = hb.datasets.load("tennis")
    draft = hb.edit(hb.id3(), tennis.X, tennis.y).split(0, on="Wind").lock(1).note(2, "calm days")
    text = hb.show(draft.model).splitlines()
    assert text[0].endswith("n=14 (5:9)  chosen by hand, rank 3 of 4")
    assert text[1].endswith("  locked")
    assert text[2].endswith("  note: calm days")
    assert str(draft) == hb.show(draft.tree, node_ids=True)
    assert str(draft.tree) == hb.show(draft.tree)
    assert repr(draft.tree).startswith("<Tree classes: ")


def test_lines_say_what_their_parts_are():
    found = lines(TREE, bars=4, node_ids=True)
    roles = [span.role for span in found[1].spans if span.role]
    assert roles == ["rail", "branch", "arrow", "label", "bar", "bar", "share", "rows", "id"]
    assert [line.node for line in found] == [0, 1, 2, 3, 4, -1, -1]
    assert "\n".join(line.text for line in found) == hb.show(TREE, bars=4, node_ids=True)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"width": 5}, "width=5 must be a whole number of at least 20"),
        ({"bars": 2}, "bars=2 must be True, False, or a number of characters"),
        ({"color": "yes"}, "color='yes' must be one of 'never'"),
        ({"charset": "utf8"}, "charset='utf8' must be one of 'unicode', 'ascii', or 'auto'"),
        ({"node": 9}, "node=9 must be the number of a node, from 0 to 4"),
        ({"counts": "all"}, "counts='all' must be one of"),
    ],
)
def test_wrong_options_are_refused_with_a_sentence(wrong, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        hb.show(TREE, **wrong)


def test_parts_of_rows_have_one_decimal_and_whole_numbers_none():
    tree = hb.Tree.from_nested(
        {
            "column": "x", "<=": 1,
            "yes": {"counts": {"a": 59.561576, "b": 0.0412}},
            "no": {"counts": {"a": 1.25, "b": 7}},
        }
    )  # fmt: skip
    text = hb.show(tree)
    assert "(59.6:0.04)" in text
    assert "(1.2:7)" in text
    assert "(1.2 wrong)" in hb.show(tree, bars=8)
    assert "59.6 of 59.6 training records" in str(hb.explain(tree, {"x": 0}))
    assert "7 of 8.2 training records" in str(hb.explain(tree, {"x": 2}))
    assert "1.2 wrong" in hb.draw(tree).svg
    assert tree.text() == "x[<=1: a(59.561576:0.0412) | >1: b(1.25:7)]", "the exact text stays exact"


def test_without_details_tests_have_no_score_and_classes_say_what_they_are_about():
    nested = {
        "column": "deck",
        "branches": {"A": {"counts": [1, 5]}, "B": {"counts": [4, 0]}},
        "missing_to": "B",
    }
    tree = Tree.from_nested(nested, classes=["0", "1"])
    assert show(tree, bars=10, details=False, target="survived").splitlines() == [
        "deck?  █████▒▒▒▒▒  n=10",
        "├── = A  → survived = 1  ██▒▒▒▒▒▒▒▒  83 %  n=6 (1 wrong)",
        "└── = B or missing  → survived = 0  ██████████  100 %  n=4",
        "█ survived = 0  ▒ survived = 1",
        "%: share of the rows here with this answer; n: training rows here",
    ]


def test_the_longer_of_two_sets_is_what_the_other_is_not():
    table = {"c": list("abcdefg") * 10}
    model = hb.TreeClassifier(max_depth=1).fit(table, [v in "bd" for v in table["c"]])
    lines = show(model).splitlines()
    assert [line.split("  ")[0] for line in lines[1:3]] in (
        ["├── in {b, d}", "└── not in {b, d}"],
        ["├── not in {b, d}", "└── in {b, d}"],
    )


@pytest.mark.parametrize(
    ("missing", "ending"), [("learn", "follows all branches"), ("majority", "counts as missing")]
)
def test_where_a_set_is_what_another_is_not_a_sentence_says_where_other_values_go(missing, ending):
    table = {"c": list("abcdefg") * 10}
    model = hb.TreeClassifier(max_depth=1, missing=missing).fit(table, [v in "bd" for v in table["c"]])
    note = f"A value that no training row had {ending}."
    assert show(model).splitlines().count(note) == 1
    assert show(model, details=False).splitlines().count(note) == 1
    assert note not in show(model, max_depth=0) or missing == "majority"
    small = hb.TreeClassifier(max_depth=1).fit({"c": list("abc") * 10}, [v == "b" for v in "abc" * 10])
    assert "no training row" not in show(small)


def test_a_sentence_says_where_a_known_value_goes_that_no_branch_lists():
    """Of the rows with b = u none has a = w, which stands where b = v."""
    table = {"b": list("uuuuvvvv"), "a": list("ssttwwss")}
    y = list("ppqqrrss")
    note = "A known value that no branch of a test lists follows all branches of the test."
    split = hb.parts.PerColumn({"b": "binary", "a": "binary"})
    model = hb.TreeClassifier("entropy", split=split, max_depth=2).fit(table, y)
    assert (
        model.tree_.text()
        == "b[{u}: a[{s}: p(2:0:0:0) | {t}: q(0:2:0:0)] | {v}: a[{s}: s(0:0:0:2) | {w}: r(0:0:2:0)]]"
    )
    assert model.predict_proba([{"b": "u", "a": "w"}])[0].tolist() == [0.5, 0.5, 0, 0]
    for text in (show(model), str(hb.rules(model))):
        assert text.splitlines().count(note) == 1
    above = {"a": list("stuv") * 2, "y": list("pqrs") * 2}  # what a test lists, those above let through
    assert note not in show(hb.TreeClassifier().fit({"a": above["a"]}, above["y"]))
    assert note not in show(hb.TreeClassifier(missing="majority").fit(table, y))


def test_a_class_that_no_row_of_a_node_has_gets_no_part_of_its_bar():
    X, y = {"x": np.arange(60.0)}, np.repeat(list("abcdef"), 10)
    model = hb.TreeClassifier(leaf=Constant("laplace"), max_depth=1).fit(X, y)
    assert show(model, bars=10, charset="ascii").splitlines()[1].count("+") == 0


def test_costs_and_priors_that_decide_are_named():
    X, y = {"x": [1, 1, 1, 2, 2, 2]}, [0, 0, 1, 0, 1, 1]
    model = hb.TreeClassifier(costs={1: {0: 3.0}}).fit(X, y)
    lines = hb.show(model).splitlines()
    assert lines[1] == "├── ≤ 1.5  → class 1  33 % (costs decide)  n=3 (2:1)"
    assert lines[2] == "└── > 1.5  → class 1  67 %  n=3 (1:2)"
    assert lines[-1] == "costs decide: another class is likelier, but this answer costs less on average"
    assert "costs decide" in hb.draw(model).svg
    assert "class 1 · 33 % (costs decide)" in hb.report(model, X, y).to_html()
    plain = hb.TreeClassifier().fit(X, y)
    assert "costs" not in hb.show(plain) + hb.draw(plain).svg
    weighed = hb.show(hb.TreeClassifier(priors={0: 0.2, 1: 0.8}).fit(X, y), details=False)
    assert weighed.endswith("shares are weighed as if of all rows were 20 % class 0, 80 % class 1")
