"""Every result shows itself: plain text that is `str`, HTML with the same facts, and a data frame."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris

import hornbeam as hb
from hornbeam.data.shown_result import table_html, text_html

IRIS = load_iris(as_frame=True)
X, Y = IRIS.data, IRIS.target.map(dict(enumerate(IRIS.target_names)))
MODEL = hb.TreeClassifier(max_depth=2).fit(X, Y)
NUMBERS = hb.TreeRegressor(max_depth=2).fit(*load_diabetes(return_X_y=True, as_frame=True))
TABULAR = {
    "rules": lambda: hb.rules(MODEL),
    "rules of numbers": lambda: hb.rules(NUMBERS),
    "evaluate": lambda: hb.evaluate(MODEL, X, Y),
    "evaluate numbers": lambda: hb.evaluate(NUMBERS, *load_diabetes(return_X_y=True, as_frame=True)),
    "compare": lambda: hb.compare(MODEL, hb.TreeClassifier(max_depth=1).fit(X, Y), X, Y),
    "pruning_path": lambda: hb.pruning_path(MODEL),
    "reproduce": lambda: hb.teaching.reproduce("voting"),
    "importance": lambda: hb.importance(MODEL),
    "candidates": lambda: hb.candidates(MODEL, X, Y, work=True),
    "stability": lambda: hb.stability(MODEL, X, Y, n=3),
}
OTHERS = {
    "explain": lambda: hb.explain(MODEL, X.iloc[60]),
    "ruleset": lambda: hb.ruleset(MODEL, X, Y),
    "dnf": lambda: hb.dnf(MODEL, "setosa"),
    "record": lambda: hb.prune(hb.TreeClassifier().fit(X, Y), "error-based", X, Y).pruning_,
    "draft": lambda: hb.edit(MODEL, X, Y),
}


@pytest.mark.parametrize("name", [*TABULAR, *OTHERS])
def test_a_result_shows_its_text_and_the_same_as_html(name):
    result = (TABULAR | OTHERS)[name]()
    shown = result._repr_mimebundle_()
    assert shown["text/plain"] == str(result)
    assert "<script src" not in shown["text/html"]
    assert "http" not in shown["text/html"].replace("http://www.w3.org", "").replace("http-equiv", "")


@pytest.mark.parametrize("name", TABULAR)
def test_a_table_has_a_row_of_html_and_of_a_frame_for_each_fact(name):
    pytest.importorskip("pandas", reason="pandas is not installed")
    result = TABULAR[name]()
    columns = result.columns()
    assert result.to_frame().shape == (len(next(iter(columns.values()))), len(columns))
    table = result._repr_html_().split("<tbody>")[1].split("</tbody>")[0]
    assert table.count("<tr>") == len(next(iter(columns.values())))


def test_rules_have_the_counts_of_each_class_and_an_interval():
    columns = hb.rules(MODEL).columns()
    assert columns["n_versicolor"] == [0.0, 49.0, 1.0]
    assert columns["support"] == [50, 54, 46]
    for share, low, high in zip(columns["confidence"], columns["low"], columns["high"], strict=True):
        assert low <= share <= high
    assert round(columns["low"][0], 4) == 0.9287  # Wilson's for 50 of 50


def test_a_fitted_model_shows_its_tree_after_the_box_of_its_parameters():
    unfitted = hb.TreeClassifier(max_depth=2)
    assert "iframe" not in unfitted._repr_mimebundle_()["text/html"]
    for model in (MODEL, NUMBERS, hb.auto(budget=3).fit(X, Y), hb.TreeDensity().fit(X)):
        shown = model._repr_mimebundle_()
        assert shown["text/plain"].startswith(type(model).__name__)
        assert str(model.tree_)[:20] in shown["text/plain"]
        assert shown["text/html"].index("sk-") < shown["text/html"].index("iframe")


def test_a_fitted_forest_shows_what_it_is_made_of():
    forest = hb.ForestClassifier(5, random_state=0, oob_score=True).fit(X, Y)
    text = forest._repr_mimebundle_()["text/plain"]
    assert "5 trees of" in text
    assert "out-of-bag error" in text
    assert "petal" in text.split("matter most: ")[1]


def test_text_of_a_table_is_escaped():
    tree = hb.Tree.from_nested(
        {"column": "<b>x</b>", "<=": 1, "yes": {"counts": {"<i>": 2}}, "no": {"counts": {"b": 1}}}
    )
    html = hb.rules(tree)._repr_html_()
    assert "<b>x" not in html
    assert "<i>" not in html


def test_what_can_be_asked_for_by_a_key_can_be_gone_through():
    """Python asks such an object for 0, 1, ... otherwise, until one is not there."""
    X, y = {"x": np.arange(40.0), "z": np.arange(40.0) % 7}, np.arange(40) % 7 > 3
    model = hb.TreeClassifier(max_depth=2).fit(X, y)
    sure, judged = hb.stability(model, X, y, n=3), hb.evaluate(model, X, y, cv=3)
    assert [test.node for test in sure] == [test.node for test in sure.tests]
    assert list(judged) == list(judged.metrics)
    assert "accuracy" in judged
    both = hb.compare(model, hb.TreeClassifier(max_depth=1), X, y, cv=3)
    assert list(both) == list(both.metrics)
    (box, *_) = hb.boxes(model)
    assert [box[column] for column in box] == list(box.regions.values())


def test_long_lines_and_wide_tables_are_whole_on_a_printed_page():
    assert "white-space:pre-wrap" in text_html("a long sentence")
    wide = table_html({f"column {k}": ["a text of some length"] for k in range(5)})
    assert "font-size:clamp(" in wide
    assert "min-width:min(" in wide
    assert "font-size" not in table_html({"x": [1.0]})


def test_what_a_lecture_prints_is_shown_without_empty_columns():
    shown = hb.teaching.reproduce("cs178").shown_tables()[0]
    assert list(shown) == ["what", "where", "printed", "recomputed", "verdict"]
    assert "erratum" in hb.teaching.reproduce("voting").shown_tables()[0]
