"""How pictures look and what they refuse: colours, folds, edges, words for those who hear, hostile names."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from tests.support import small_trees as trees
from tests.support.mixed_tables import outcome, random_columns
from tests.support.pictures import SVG, cards_of, check_picture, parsed, words_of

import hornbeam as hb
from hornbeam.display.drawing.canvas import Canvas, Group, Rect
from hornbeam.display.drawing.drawing_context import DrawingContext, headline
from hornbeam.display.drawing.palette import LIGHT
from hornbeam.display.drawing.tree_picture import node_box, shown_nodes
from hornbeam.display.rows_at_nodes import rows_of_drawing


def test_edges_are_as_wide_as_their_records_and_never_too_thin_to_see():
    tree = hb.Tree.from_nested(
        {"column": "x", "<=": 1, "yes": {"counts": {"a": 9999, "b": 0}}, "no": {"counts": {"a": 0, "b": 1}}}
    )
    context = DrawingContext(tree, None, node_ids=True)
    from hornbeam.display.drawing.tree_picture import THINNEST, WIDEST, edge_to

    assert edge_to(context, 0, 1).width == pytest.approx(WIDEST * 0.9999)
    assert edge_to(context, 0, 2).width == THINNEST == 1.4


def test_a_large_tree_is_folded_heaviest_first_and_says_what_it_hides():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 4))
    tree = hb.TreeClassifier().fit(X, rng.integers(0, 2, 800)).tree_
    assert len(tree) > 200
    few = shown_nodes(tree, 30)
    assert len(few.nodes) <= 30
    opened = [n for n in few.nodes if n not in few.folded and tree.first_child[n] >= 0]
    left_out = [n for n in few.folded if len(few.nodes) + tree.n_children[n] <= 30]
    assert not left_out
    assert min(tree.weight[opened]) >= max(tree.weight[list(few.folded)]) - 1e-9
    words = words_of(hb.draw(tree, max_nodes=30))
    folded = [text for text in words if re.fullmatch(r"▸ [\d,]+ nodes, [\d,]+ leaves", text)]
    assert len(folded) == len(few.folded)
    hidden = sum(int(text.split()[1].replace(",", "")) for text in folded)
    assert hidden + len(few.nodes) == len(tree)
    check_picture(hb.draw(tree, max_nodes=30))
    assert len(cards_of(hb.draw(tree, max_nodes=None))) == len(tree)


def test_a_width_folds_more_instead_of_making_text_smaller():
    X, y = load_iris(return_X_y=True)
    model = hb.TreeClassifier().fit(X, y)
    wide, narrow = hb.draw(model), hb.draw(model, width=700)
    assert wide.width > 700 >= narrow.width
    assert len(cards_of(narrow)) < len(cards_of(wide))
    check_picture(narrow)


def test_a_root_of_many_branches_is_opened_all_the_same():
    words = [f"category {k:03d}" for k in range(100)] * 2
    model = hb.TreeClassifier(split="multiway", max_depth=1).fit({"c": words}, [0] * 150 + [1] * 50)
    assert len(cards_of(hb.draw(model))) == 101
    assert len(cards_of(hb.draw(model, max_nodes=1))) == 1
    assert len(cards_of(hb.draw(model, width=300, orientation="down"))) == 1
    assert "+95 more" in words_of(hb.draw(model))


def test_points_of_a_scatter_do_not_depend_on_the_order_of_the_rows():
    X, y = load_diabetes(return_X_y=True)
    model = hb.TreeRegressor(max_depth=2).fit(X, y)
    order = np.random.default_rng(0).permutation(len(y))
    assert hb.draw(model, X, y).svg == hb.draw(model, X[order], y[order]).svg


def test_405_nodes_fit_in_an_icicle_of_1140_by_175_pixels():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(3000, 6))
    model = hb.TreeClassifier(max_leaf_nodes=203).fit(X, X[:, 0] + rng.normal(size=3000) > 0)
    assert len(model.tree_) == 405
    picture = hb.draw(model, kind="icicle")
    bars = [
        next(i for i in g.items if isinstance(i, Rect))
        for g in picture.canvas.root.items
        if isinstance(g, Group)
    ]
    assert len(bars) == 405
    assert picture.width == 1140
    assert max(bar.y + bar.height for bar in bars) - min(bar.y for bar in bars) <= 175
    assert sum(bar.width for bar in bars if bar.y == bars[0].y) == pytest.approx(1140 - 24, abs=1)


def test_hostile_names_are_text_and_nothing_else():
    evil = "</text><script>alert(1)</script>\"'&\x00\n]]>"
    tree = hb.Tree.from_nested(
        {
            "column": evil,
            "equals": evil,
            "yes": {"counts": {evil: 3, "b": 0}},
            "no": {"counts": {evil: 1, "b": 2}},
        }
    )
    for picture in (hb.draw(tree, title=evil), hb.draw(tree, kind="icicle", title=evil)):
        root = parsed(picture)
        assert {element.tag for element in root.iter()} <= {
            f"{SVG}{name}" for name in ("svg", "title", "desc", "style", "g", "rect", "path", "text")
        }
        assert "<script" not in picture.svg
    assert "script" in "".join(text for text in words_of(hb.draw(tree)))


def test_a_picture_has_a_title_a_description_and_words_for_every_card():
    X, y = load_iris(return_X_y=True)
    root = parsed(hb.draw(hb.TreeClassifier(max_depth=2).fit(X, y), title="Iris"))
    assert root.get("role") == "img"
    assert root.find(f"{SVG}title").text.startswith("Iris — 150 rows")
    assert "4 % of the training records are answered wrongly" in root.find(f"{SVG}desc").text
    titles = [group.find(f"{SVG}title").text for group in root.findall(f"{SVG}g")]
    assert titles[0] == "Node 0, split on x2, 150 records, predicts class 0 · 33 %, 2 branches"
    assert len(titles) == 5


def test_themes_have_their_colours_and_auto_has_both():
    tree = trees.pt()
    light, dark, auto = (hb.draw(tree, theme=theme).svg for theme in ("light", "dark", "auto"))
    assert "#ffffff" in light
    assert "#14181f" not in light
    assert "#14181f" in dark
    assert "#ffffff" not in dark
    assert "prefers-color-scheme:dark" in auto
    assert "#ffffff" in auto
    assert "#14181f" in auto


def test_every_colour_used_has_a_rule():
    rng = np.random.default_rng(0)
    X = random_columns(rng, 150)
    picture = hb.draw(hb.TreeClassifier(max_depth=3).fit(X, outcome(rng, X, 8)), X)
    text = picture.svg
    style = text.split("<style>")[1].split("</style>")[0]
    for name in set(re.findall(r"[fs]-[a-z0-9-]+(?=[ \"])", text.split("</style>")[1])):
        assert f".{name}{{" in style
    assert set(re.findall(r"--hb-([a-z0-9-]+):", style)) <= {name.replace(" ", "-") for name in LIGHT}


def test_more_than_six_classes_share_grey():
    rng = np.random.default_rng(0)
    X = random_columns(rng, 300)
    words = words_of(hb.draw(hb.TreeClassifier(max_depth=3).fit(X, outcome(rng, X, 9))))
    assert "3 other classes" in words


def test_marks_of_people_are_on_the_cards():
    nested = {
        "column": "x",
        "<=": 1.5,
        "yes": {"counts": {"a": 3, "b": 1}},
        "no": {"counts": {"a": 0, "b": 2}},
    }
    marks = {"": {"forced": {"rank": 2, "of": 7}}, "1": {"locked": True}}
    picture = hb.draw(hb.Tree.from_nested(nested, meta={"marks": marks}))
    assert {"✎ chosen · rank 2 of 7", "locked · #2"} <= set(words_of(picture))
    check_picture(picture)


def test_density_trees_are_drawn():
    X, _ = load_iris(return_X_y=True, as_frame=True)
    model = hb.TreeDensity(max_depth=3).fit(X)
    check_picture(hb.draw(model, X))
    check_picture(hb.draw(model))


def test_up_to_eight_leaves_grow_down_and_more_to_the_right():
    X, y = load_diabetes(return_X_y=True)
    for depth, down in ((3, True), (4, False)):
        boxes = [box for _, box in cards_of(hb.draw(hb.TreeRegressor(max_depth=depth).fit(X, y)))]
        assert (boxes[1].y > boxes[0].y + boxes[0].height) == down
        assert (boxes[1].x > boxes[0].x + boxes[0].width) == (not down)


def test_drawing_twice_gives_the_same_bytes():
    X, y = load_diabetes(return_X_y=True)
    model = hb.TreeRegressor(max_depth=4).fit(X, y)
    assert hb.draw(model, X, y).svg == hb.draw(model, X, y).svg


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            {"kind": "icycle"},
            r"kind='icycle' is not known \(did you mean 'icicle'\?\): use one of 'tree', 'icicle'",
        ),
        ({"theme": "pink"}, "theme='pink' is not known: use one of 'auto', 'light', 'dark'"),
        ({"orientation": "up"}, "orientation='up' is not known: use one of 'down', 'right'"),
        ({"max_nodes": 0}, "max_nodes=0 must be a whole number of at least 1, or None for all nodes"),
        ({"width": 12}, "width=12 must be a number of pixels of at least 200"),
        ({"y": [1]}, "y was given without X"),
    ],
)
def test_a_wrong_option_gets_one_sentence(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        hb.draw(trees.pt(), **options)


def test_outcomes_the_tree_does_not_know_are_refused():
    X = {name: [0, 1] for name in ("x1", "x2", "x3", "x4")}
    with pytest.raises(ValueError, match="y holds the class 7, which the tree does not know"):
        hb.draw(trees.pt(), X, [0, 7])


def test_cards_measure_themselves_before_they_are_painted():
    X, y = load_iris(return_X_y=True)
    tree = hb.TreeClassifier().fit(X, y).tree_
    context = DrawingContext(tree, rows_of_drawing(tree, X, y), node_ids=True)
    for node in range(len(tree)):
        made = node_box(context, node, is_folded=False)
        canvas = Canvas(1000, 1000)
        canvas.place(made, 100.0, 100.0, "")
        box = next(shape for shape in canvas.shapes() if isinstance(shape, Rect))
        assert (box.x, box.y, box.width, box.height) == (100.0, 100.0, made.width, made.height)


def test_the_headline_counts_what_is_shown():
    X, y = load_iris(return_X_y=True)
    tree = hb.TreeClassifier().fit(X, y).tree_
    shown = len(shown_nodes(tree, 5).nodes)
    assert headline(tree, None, shown) == "150 rows · 9 leaves, depth 5 · 5 of 17 nodes shown"


def test_the_export_is_the_picture():
    tree = trees.pt()
    assert hb.export(tree, "svg", theme="dark") == hb.draw(tree, theme="dark").svg
