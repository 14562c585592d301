"""Pictures of trees: well-formed, nothing overlaps, every word inside its card, whatever the tree or its
names.
"""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris
from tests.io.export.cases import CASES
from tests.support import small_trees as trees
from tests.support.mixed_tables import outcome, random_columns
from tests.support.pictures import cards_of, check_picture, parsed, words_of

import hornbeam as hb
from hornbeam.display.drawing.drawing_context import DrawingContext
from hornbeam.display.rows_at_nodes import rows_of_drawing


@pytest.mark.parametrize("name", CASES)
def test_every_feature_a_tree_can_have_is_drawn(name):
    case = CASES[name]()
    for picture in (
        hb.draw(case.tree, max_nodes=None),
        hb.draw(case.tree, case.frame),
        hb.draw(case.tree, orientation="right"),
        hb.draw(case.tree, orientation="down", node_ids=False),
    ):
        check_picture(picture)
    parsed(hb.draw(case.tree, kind="icicle"))


@pytest.mark.parametrize("task", ["classes", "real"])
@pytest.mark.parametrize("seed", range(6))
def test_random_trees_with_their_rows_are_drawn_without_overlap(seed, task):
    model, X, y = trees.grown(seed, task=task)
    check_picture(hb.draw(model, X, y))
    check_picture(hb.draw(model, X, y, orientation="right", max_nodes=9))


@pytest.mark.parametrize(
    "options", [{}, {"missing": "branch"}, {"split": "multiway"}, {"missing": "fractional"}]
)
def test_tables_with_gaps_are_drawn(options):
    rng = np.random.default_rng(3)
    X = random_columns(rng, 200)
    for n_classes, kind in ((2, hb.TreeClassifier), (8, hb.TreeClassifier), (0, hb.TreeRegressor)):
        model = kind(max_depth=4, **options).fit(X, outcome(rng, X, n_classes))
        check_picture(hb.draw(model, X, outcome(rng, X, n_classes)))


def test_the_numbers_on_the_cards_of_tennis_are_those_of_the_lecture():
    tennis = hb.datasets.load("tennis")
    words = words_of(hb.draw(hb.id3().fit(tennis.X, tennis.y), tennis.X, tennis.y, title="Play tennis?"))
    assert words[0] == "Play tennis? — 14 rows · 5 leaves, depth 2"
    for said in (
        "◧ Outlook",
        "gain 0.247 bits",
        "Yes 64 %",
        "n=14 · #0",
        "= Sunny",
        "n=4 · none wrong",
        "Rain",
    ):
        assert said in words


def test_a_histogram_has_the_rows_of_its_node_on_the_axis_of_the_whole_column():
    X = pd.DataFrame({"x": [1.0] * 3 + [2.0] * 2 + [4.0] * 5})
    y = ["a"] * 3 + ["b"] * 2 + ["a"] * 5
    model = hb.TreeClassifier().fit(X, y)
    tree = model.tree_
    context = DrawingContext(tree, rows_of_drawing(tree, X, y), node_ids=True)
    from hornbeam.display.drawing.split_boxes import bin_counts

    axis = context.column_axis(0)
    assert axis.whole
    assert axis.edges.tolist() == [0.5, 1.5, 2.5, 3.5, 4.5]
    assert bin_counts(context, 0, axis).tolist() == [[3, 0], [0, 2], [0, 0], [5, 0]]
    inner = next(child for child in tree.children(0) if tree.kind[child])
    assert bin_counts(context, inner, axis).tolist()[3] in ([5, 0], [0, 0])


def test_missing_values_are_counted_on_the_edge_they_take():
    X = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0, np.nan, np.nan, np.nan]})
    y = ["a", "a", "b", "b", "b", "b", "b"]
    words = words_of(hb.draw(hb.TreeClassifier().fit(X, y), X, y))
    assert "∅ 3" in words
    words = words_of(hb.draw(hb.TreeClassifier(missing="branch", split="multiway").fit(X, y), X, y))
    assert "missing · 3" in words
    words = words_of(hb.draw(hb.TreeClassifier(missing="fractional").fit(X, y), X, y))
    assert {"∅ ×0.5"} <= set(words)


def test_a_row_that_is_divided_further_down_is_counted_as_one():
    inner = {"column": "z", "<=": 1, "yes": {"counts": {"a": 2, "b": 0}}, "no": {"counts": {"a": 0, "b": 2}}}
    nested = {"column": "x", "<=": 1, "yes": inner, "no": {"counts": {"a": 0, "b": 4}}, "missing_to": "yes"}
    tree = hb.Tree.from_nested(nested)
    words = words_of(hb.draw(tree, {"x": [0.0, None, 2.0], "z": [0.0, None, 2.0]}))
    assert "∅ 1" in words
    assert words.count("∅ ×0.5") == 2


def test_a_gap_that_does_not_matter_is_not_counted():
    tree = hb.Tree.from_nested({"expression": "x > 1 or z > 1", "yes": "a", "no": "b"})
    X = {"x": [2.0, 0.0, None, None], "z": [None, 0.0, 2.0, None]}
    words = words_of(hb.draw(tree.refit(X, ["a", "b", "a", "a"]), X))
    assert not {"∅ 2", "∅ 3"} & set(words)


def test_a_column_without_gaps_says_nothing_about_them():
    X, y = load_iris(return_X_y=True)
    assert not any("∅" in text for text in words_of(hb.draw(hb.TreeClassifier().fit(X, y), X, y)))


def test_a_leaf_with_an_equation_names_its_strongest_term():
    X = pd.DataFrame({"a": np.arange(40.0), "b": np.tile([0.0, 1.0], 20)})
    y = 3 + 2 * X["a"] + 0.5 * X["b"]
    model = hb.TreeRegressor("sd", leaf="linear", max_depth=0).fit(X, y)
    picture = hb.draw(model, X, y)
    assert any(text.startswith("y ≈ 3 + 2·a + 0.5·b") for text in words_of(picture)), words_of(picture)
    check_picture(picture)


def test_quantile_leaves_say_between_what_most_rows_are():
    X, y = load_diabetes(return_X_y=True)
    words = words_of(hb.draw(hb.TreeRegressor(leaf="quantiles", max_depth=1).fit(X, y)))
    assert any(re.fullmatch(r"[\d.]+–[\d.]+ % of rows", text) for text in words)
    words = words_of(hb.draw(hb.TreeRegressor("absolute", max_depth=1).fit(X, y)))
    assert any(text.startswith("median ") for text in words)


def test_a_deep_tree_is_drawn_whole():
    picture = hb.draw(trees.chain(400), max_nodes=None)
    assert len(cards_of(picture)) == 801
    parsed(picture)


def test_rows_of_a_drawing_count_as_often_as_they_stand_for_themselves():
    rng = np.random.default_rng(3)
    X = random_columns(rng, 80)
    counts = rng.integers(0, 3, 80)
    rows = np.repeat(np.arange(80), counts)
    for n_classes in (0, 2):
        y = outcome(rng, X, n_classes)
        model = (hb.TreeClassifier if n_classes else hb.TreeRegressor)(max_depth=2).fit(X, y, counts=counts)
        again = hb.draw(model, X.iloc[rows], y[rows])
        if n_classes:
            assert hb.draw(model, X, y, counts=counts).svg == again.svg
        assert hb.draw(model, X, y, sample_weight=counts * 2.0).width == again.width
    with pytest.raises(ValueError, match="counts was given without X"):
        hb.draw(model, counts=counts)
