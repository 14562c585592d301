"""Pictures through matplotlib: the items of the SVG, files with content, regions that agree with answers."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from tests.support import small_trees as trees
from tests.support.mixed_tables import outcome, random_columns

import hornbeam as hb
from hornbeam import display as displays
from hornbeam.data.table import Table
from hornbeam.display.drawing.canvas import Rect, Text
from hornbeam.display.drawing.mpl import draw_on, shape_of
from hornbeam.display.drawing.region_polygons import clipped, regions, slice_of
from hornbeam.display.drawing.text_width import text_width

matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
matplotlib.use("Agg")
from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402


@pytest.fixture
def ax():
    return Figure(figsize=(8, 6)).subplots()


def iris():
    X, y = load_iris(return_X_y=True, as_frame=True)
    return X, y.map(dict(enumerate(load_iris().target_names)))


def test_the_artists_are_the_shapes_of_the_picture(ax):
    X, y = iris()
    model = hb.TreeClassifier(max_depth=3).fit(X, y)
    canvas = hb.draw(model, X, y).arranged(shape_of(ax))
    artists = hb.plot_tree(model, ax, X, y)
    shapes = [shape for shape in canvas.shapes() if not isinstance(shape, Text)]
    texts = [shape for shape in canvas.shapes() if isinstance(shape, Text)]
    assert len(artists[0].get_paths()) == len(shapes)
    said = [(artist.get_text(), artist.get_position()) for artist in artists[1:]]
    assert said == [(text.text, (text.x, text.y)) for text in texts]


@pytest.mark.parametrize("size", [(16, 5), (5, 9), (8, 8)])
@pytest.mark.parametrize("style", ["screen", "paper"])
def test_a_tree_fills_its_axes(size, style):
    model = hb.TreeClassifier(max_depth=3).fit(*iris())
    ax = Figure(figsize=size).add_axes((0, 0, 1, 1))
    canvas = hb.draw(model, style=style).arranged(size[0] / size[1])
    hb.plot_tree(model, ax, style=style)
    assert ax.get_xlim() == (0, canvas.width)
    if style == "screen" or size[0] <= size[1]:  # a page is as wide as it is; only its height follows
        assert canvas.width / canvas.height == pytest.approx(size[0] / size[1], rel=0.02)
    boxes = [shape for shape in canvas.shapes() if isinstance(shape, Rect)]
    right, below = max(r.x + r.width for r in boxes[1:]), max(r.y + r.height for r in boxes[1:])
    assert canvas.width * 0.9 <= right <= canvas.width
    assert canvas.height * 0.85 <= below <= canvas.height


def test_texts_stay_inside_their_cards_in_axes_of_any_size():
    X, y = iris()
    canvas = hb.draw(hb.TreeClassifier(max_depth=3).fit(X, y), X, y).canvas
    for inches in (6, 14):
        figure = Figure(
            figsize=(inches, inches), dpi=300
        )  # glyphs of few pixels are wider than they should be
        ax = figure.subplots()
        artists = draw_on(canvas, ax)
        FigureCanvasAgg(figure).draw()
        place = ax.transData.inverted()
        texts = [shape for shape in canvas.shapes() if isinstance(shape, Text)]
        for artist, shape in zip(artists[1:], texts, strict=True):
            if shape.text:
                (left, _), (right, _) = place.transform(artist.get_window_extent().get_points())
                assert right - left <= text_width(shape.text, shape.size, bold=shape.bold) * 1.01, shape.text


@pytest.mark.parametrize("suffix", [".svg", ".png", ".pdf"])
def test_files_have_content(tmp_path, suffix):
    X, y = load_diabetes(return_X_y=True)
    file = hb.draw(hb.TreeRegressor(max_depth=2).fit(X, y), X, y).save(tmp_path / f"tree{suffix}")
    start = {".svg": b"<svg", ".png": b"\x89PNG", ".pdf": b"%PDF"}[suffix]
    content = file.read_bytes()
    assert content.startswith(start)
    assert len(content) > 5000


def test_dots_of_a_scatter_are_in_the_png(tmp_path):
    X, y = load_diabetes(return_X_y=True)
    model = hb.TreeRegressor(max_depth=1).fit(X, y)
    from matplotlib.image import imread

    image = imread(hb.draw(model, X, y).save(tmp_path / "tree.png"))
    card = image[:340]  # of the root, in which nothing else is blue
    assert int((card[..., 2] - card[..., 0] > 0.15).sum()) > 1500


def test_another_suffix_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"must end with one of \.svg, \.png, \.pdf"):
        hb.draw(trees.pt()).save(tmp_path / "tree.gif")


def test_without_matplotlib_a_sentence_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    picture = hb.draw(trees.pt())
    picture.save(tmp_path / "tree.svg")
    with pytest.raises(ImportError, match=r'pip install "hornbeam\[plot\]", or save the tree as \.svg'):
        picture.save(tmp_path / "tree.png")
    with pytest.raises(ImportError, match="matplotlib is needed"):
        hb.plot_tree(trees.pt())


def test_dollar_signs_are_no_formulas(ax):
    tree = hb.Tree.from_nested({"column": "$x^{", "<=": 1, "yes": "a$", "no": "b"})
    hb.plot_tree(tree, ax)
    FigureCanvasAgg(ax.figure).draw()


# --- regions ------------------------------------------------------------------------------------------------


def test_a_square_is_cut_along_a_line():
    square = [(0, 0), (2, 0), (2, 2), (0, 2)]
    assert sorted(clipped(square, 1, 1, 2)) == [(0, 0), (0, 2), (2, 0)]
    assert clipped(square, 1, 0, -1) == []
    assert clipped(square, 1, 0, 5) == square


def inside(polygon, x, y):
    """Whether a point is in a convex polygon that is given counterclockwise."""
    return all(
        (x2 - x1) * (y - y1) - (y2 - y1) * (x - x1) >= 0
        for (x1, y1), (x2, y2) in zip(polygon, polygon[1:] + polygon[:1], strict=True)
    )


@pytest.mark.parametrize("split", ["binary", "oblique"])
def test_the_polygons_are_where_the_tree_answers_and_fill_the_window(split):
    X, y = load_iris(return_X_y=True)
    X = X[:, 2:]
    tree = hb.TreeClassifier(split=split, max_depth=4).fit(X, y).tree_
    window = [(0.0, 0.0), (8.0, 0.0), (8.0, 3.0), (0.0, 3.0)]
    found = regions(tree, window, (0, 1), [np.array([np.nan])] * 2)
    areas = [
        sum(a * d - b * c for (a, b), (c, d) in zip(p, p[1:] + p[:1], strict=True)) / 2 for _, p in found
    ]
    assert sum(areas) == pytest.approx(24.0)
    points = np.random.default_rng(0).uniform((0, 0), (8, 3), (300, 2))
    leaves = tree.route(points).leaf
    for (a, b), leaf in zip(points.tolist(), leaves.tolist(), strict=True):
        assert leaf in [one for one, polygon in found if inside(polygon, a, b)]


def test_a_slice_stands_at_medians_and_modes_and_says_so(ax):
    rng = np.random.default_rng(0)
    X = random_columns(rng, 300)
    y = outcome(rng, X, 3)
    model = hb.TreeClassifier(max_depth=4).fit(X, y)
    hb.plot_regions(model, X, y, columns=("age", "city"), ax=ax)
    title = ax.get_title()
    assert "size = " in title
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["Aš", "Brno", "Cheb", "Děčín"]
    hb.plot_regions(model, X, y, columns=("age", "city"), at={"size": "XL"}, ax=ax)
    assert "size = XL" in ax.get_title()


def test_every_point_of_a_slice_is_answered_as_the_tree_answers_it():
    rng = np.random.default_rng(4)
    X = random_columns(rng, 300)
    model = hb.TreeClassifier(max_depth=5).fit(X, outcome(rng, X, 3))
    tree = model.tree_
    table = Table.match(X, tree.columns)
    part = slice_of(tree, table, ("age", "size"), {"city": "Brno"})
    spans = [(0.0, 80.0), (-0.5, 3.5)]
    found = part.regions(spans)
    fixed = {
        c.name: c.categories[int(v[0])] if c.categories else float(v[0])
        for c, v in zip(tree.columns, part.fixed, strict=True)
    }
    for age in rng.uniform(0, 80, 40):
        for code, size in enumerate(("S", "M", "L", "XL")):
            row = {**fixed, "age": age, "size": size}
            leaf = int(tree.route(pd.DataFrame([row])).leaf[0])
            assert leaf in [one for one, polygon in found if inside(polygon, age, code)]


def test_one_column_of_a_regression_is_a_step_function(ax):
    X, y = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0]}), [1.0, 1.0, 5.0, 5.0]
    hb.plot_regions(hb.TreeRegressor().fit(X, y), X, y, columns="x", ax=ax)
    lines = [line.get_xydata().tolist() for line in ax.lines]
    assert [line[0][1] for line in lines] == [1.0, 5.0]
    assert lines[0][-1][0] == lines[1][0][0] == 2.5


def test_equations_are_lines_and_slopes(ax):
    X = pd.DataFrame({"x": np.arange(20.0), "z": np.tile([0.0, 1.0], 10)})
    y = 2 * X["x"] + X["z"]
    model = hb.TreeRegressor("sd", leaf="linear", max_depth=1).fit(X, y)
    hb.plot_regions(model, X, y, columns="x", ax=ax)
    for line in ax.lines:
        ends = line.get_xydata()
        assert (ends[-1, 1] - ends[0, 1]) / (ends[-1, 0] - ends[0, 0]) > 1
    other = Figure().subplots()
    hb.plot_regions(model, X, y, columns=["x", "z"], ax=other)
    assert other.collections


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"columns": ["age", "sity"]}, r"columns=.* names 'sity'.*did you mean 'city'"),
        ({"columns": ["age", "age"]}, "must be one column, or two different ones"),
        ({"columns": ["age", "city", "pay"]}, "must be one column, or two different ones"),
        ({"columns": ["age", "pay"], "at": {"cyty": 1}}, "at names 'cyty'"),
        ({"columns": ["age", "pay"], "at": {"age": 1}}, "at fixes 'age', which the picture shows"),
        ({"columns": ["age", "pay"], "at": {"city": "Zlín"}}, "is no value of that column"),
    ],
)
def test_a_wrong_slice_gets_one_sentence(options, sentence, ax):
    rng = np.random.default_rng(0)
    X = random_columns(rng, 100)
    model = hb.TreeClassifier(max_depth=4).fit(X, outcome(rng, X, 2))
    with pytest.raises(ValueError, match=sentence):
        hb.plot_regions(model, X, **options, ax=ax)


def test_a_test_without_straight_borders_is_refused_in_a_sentence(ax):
    tree = hb.Tree.from_nested({"expression": "x * z > 1", "yes": "a", "no": "b"})
    with pytest.raises(ValueError, match="node 0 tests x, z in a way that has no straight borders"):
        hb.plot_regions(tree, {"x": [0.0, 2.0], "z": [0.0, 2.0]}, columns=("x", "z"), ax=ax)


# --- paths and displays -------------------------------------------------------------------------------------


def test_a_path_has_its_curves_its_band_and_its_two_choices(ax):
    X, y = load_breast_cancer(return_X_y=True)
    path = hb.pruning_path(hb.TreeClassifier().fit(X, y), X, y, cv=5)
    hb.plot_path(path, ax)
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels[:3] == ["training", "cross-validation", "± 1 SE"]
    for rule, words in (("min", "least error"), ("1-se", "1-SE choice")):
        assert f"{words}: {path.leaves[path.step(rule)]} leaves" in labels
    assert ax.get_xscale() == "log"
    assert ax.lines[0].get_ydata().tolist() == path.training.tolist()


def test_learning_curves_and_a_path_without_other_rows_are_drawn(ax):
    X, y = load_breast_cancer(return_X_y=True)
    hb.plot_path(hb.teaching.learning_curves(hb.TreeClassifier(), X, y), ax)
    assert {"training", "validation", "test"} <= {text.get_text() for text in ax.get_legend().get_texts()}
    other = Figure().subplots()
    hb.plot_path(hb.pruning_path(hb.TreeClassifier().fit(X, y)), other)
    assert [text.get_text() for text in other.get_legend().get_texts()] == ["training"]
    with pytest.raises(
        TypeError, match=r"path must be what hb\.pruning_path or hb\.teaching\.learning_curves returns"
    ):
        hb.plot_path([1, 2], other)


def test_displays_remember_where_they_were_plotted():
    X, y = iris()
    model = hb.TreeClassifier(max_depth=2).fit(X, y)
    made = [
        displays.TreeDisplay.from_estimator(model, X, y, ax=Figure().subplots()),
        displays.PruningPathDisplay.from_estimator(model, X, y, cv=3, ax=Figure().subplots()),
        displays.BoundaryDisplay.from_estimator(model, X, y, columns=[2, 3], ax=Figure().subplots()),
    ]
    for display in made:
        assert display.figure_ is display.ax_.figure
        other = Figure().subplots()
        assert display.plot(other) is display
        assert display.ax_ is other
        FigureCanvasAgg(display.figure_).draw()


def test_an_axis_of_dates_is_written_in_dates():
    pytest.importorskip("matplotlib")
    days = pd.date_range("2023-01-01", periods=60)
    X = pd.DataFrame({"when": days, "wait": pd.to_timedelta(np.arange(60) % 7, unit="h")})
    model = hb.TreeRegressor(max_depth=2).fit(X, np.arange(60) * 1.0)
    axes = hb.plot_regions(model, X, columns=["when", "wait"])
    across, up = (
        [tick.get_text() for tick in ticks] for ticks in (axes.get_xticklabels(), axes.get_yticklabels())
    )
    assert all(text.startswith("2023-0") for text in across)
    assert 3 <= len(across) <= 7
    assert "03:00:00" in up
