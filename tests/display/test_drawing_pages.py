"""Pictures for papers and slides: exact widths, large enough letters, nothing over anything, safe in grey."""

import itertools
import re

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine

import hornbeam as hb
from hornbeam.display.drawing.canvas import Text
from hornbeam.display.drawing.palette import N_COLOURS, PRINT
from hornbeam.display.drawing.text_width import text_width

CANCER = load_breast_cancer(as_frame=True)
WINE = load_wine(as_frame=True)
TENNIS = hb.datasets.load("tennis")
TREES = {
    "16 leaves": hb.TreeClassifier(max_leaf_nodes=16).fit(
        CANCER.data, CANCER.target.map({0: "malignant", 1: "benign"})
    ),
    "8 leaves": hb.TreeRegressor(max_leaf_nodes=8).fit(*load_diabetes(return_X_y=True, as_frame=True)),
    "words": hb.id3().fit(TENNIS.X, TENNIS.y),
    "12 leaves": hb.TreeClassifier().fit(WINE.data, WINE.target),
    "long names": hb.TreeClassifier(max_depth=4).fit(
        WINE.data.rename(columns=lambda name: f"a very long name of the column {name}"), WINE.target
    ),
    "a leaf": hb.Tree.from_nested({"counts": {"a": 3, "b": 1}}),
    "uncounted": hb.Tree.from_nested({"column": "x", "<=": 1, "yes": "a", "no": "b"}),
}


def texts(canvas):
    return [shape for shape in canvas.shapes() if isinstance(shape, Text)]


def extent(text):
    width = text_width(text.text, text.size, bold=text.bold)
    left = text.x - {"start": 0, "middle": width / 2, "end": width}[text.anchor]
    return left, text.y - 0.72 * text.size, left + width, text.y + 0.2 * text.size


@pytest.mark.parametrize("orientation", [None, "right"])
@pytest.mark.parametrize("style", ["paper", "slide"])
@pytest.mark.parametrize("name", TREES)
def test_no_text_is_small_or_outside_or_over_another(name, style, orientation):
    picture = hb.draw(TREES[name], style=style, title="A title", orientation=orientation)
    least = {"paper": 7, "slide": 14}[style] * 96 / 72
    written = texts(picture.canvas)
    assert min(text.size for text in written) >= least - 1e-9
    boxes = [extent(text) for text in written]
    for left, top, right, below in boxes:
        assert -1 <= left <= right <= picture.width + 1
        assert 0 <= top <= below <= picture.height + 1
    for (a, first), (b, second) in itertools.combinations(zip(written, boxes, strict=True), 2):
        apart = (
            first[2] <= second[0] or second[2] <= first[0] or first[3] <= second[1] or second[3] <= first[1]
        )
        assert apart, (a.text, b.text)


@pytest.mark.parametrize(
    ("style", "width", "inches"), [("paper", None, 6.5), ("slide", None, 12), ("paper", 3.25, 3.25)]
)
def test_a_picture_is_exactly_as_wide_as_asked(style, width, inches, tmp_path):
    picture = hb.draw(TREES["12 leaves"], style=style, width=width)
    assert picture.width == inches * 96
    assert f'width="{inches * 96:g}"' in picture.svg
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    page = picture.save(tmp_path / "tree.pdf").read_bytes()
    assert f"/MediaBox [ 0 0 {inches * 72:g} ".encode() in page


def test_sixteen_leaves_fit_on_a_paper_whole():
    picture = hb.draw(TREES["16 leaves"], style="paper")
    said = " ".join(text.text for text in texts(picture.canvas))
    assert "folded" not in said
    assert said.count("n=") == 16
    assert picture.height < 3.5 * 96
    right = max(extent(text)[2] for text in texts(picture.canvas))
    assert right > 0.9 * picture.width


def test_the_colours_of_print_differ_in_grey():
    def grey(colour):
        red, green, blue = (int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5))
        return 0.299 * red + 0.587 * green + 0.114 * blue

    tones = sorted(grey(PRINT[f"class {k}"]) for k in range(N_COLOURS))
    assert np.diff(tones).min() > 0.08


def test_what_a_style_cannot_do_is_refused_with_a_sentence():
    tree = TREES["words"]
    with pytest.raises(ValueError, match="style='paper' has no room for rows: leave X and y out"):
        hb.draw(tree, TENNIS.X, style="paper")
    with pytest.raises(
        ValueError, match=r"style='poster' is not known.*: use one of 'screen', 'paper', 'slide'"
    ):
        hb.draw(tree, style="poster")
    with pytest.raises(
        ValueError, match="width=600 must be a number of inches from 2 to 100 for style='paper'"
    ):
        hb.draw(tree, style="paper", width=600)
    with pytest.raises(ValueError, match="style='slide' has no icicles"):
        hb.draw(tree, style="slide", kind="icicle")
    assert hb.draw(tree, style="paper", kind="icicle").width == 624


def test_latex_gets_escaped_text_and_only_colours_it_knows(tmp_path):
    nested = {
        "column": "50 % of {a_b} & #1",
        "<=": 1,
        "yes": {"counts": {"x^2": 2}},
        "no": {"counts": {"~": 1}},
    }
    picture = hb.draw(hb.Tree.from_nested(nested), style="paper")
    text = picture.save(tmp_path / "tree.tex").read_text(encoding="utf-8")
    assert text == picture.tikz
    assert r"50 \% of \{a\_b\} \& \#1" in text
    assert text.count(r"\begin{tikzpicture}") == text.count(r"\end{tikzpicture}") == 1
    body = text.split(r"\begin{tikzpicture}")[1]
    for line in body.splitlines():
        for name in [part.split("}")[0].split("]")[0].split(",")[0] for part in line.split("=hb-")[1:]]:
            assert rf"\definecolor{{hb-{name}}}" in text
    assert body.count("{") - body.count(r"\{") == body.count("}") - body.count(r"\}")


def test_numbers_of_nodes_are_there_if_wanted():
    plain, numbered = (hb.draw(TREES["words"], style="paper", node_ids=ids) for ids in (None, True))
    assert "#4" not in plain.svg.split("</style>")[1]
    assert "#4" in numbered.svg.split("</style>")[1]


def test_branches_of_a_tree_of_sixteen_leaves_are_not_shortened():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    svg = hb.draw(hb.TreeRegressor("absolute", max_leaf_nodes=16).fit(X, y), style="paper").svg
    words = re.findall(">([^<]+)</text>", svg)
    assert sum(text.startswith(("≤", "&gt;")) for text in words) == 30
    assert not any("…" in text for text in words)


def test_a_score_in_a_column_is_whole_or_left_out():
    picture = hb.draw(TREES["8 leaves"], style="paper", orientation="down")
    facts = [text.text for text in texts(picture.canvas) if text.text.startswith("variance")]
    assert len(facts) == 7
    assert all(re.fullmatch(r"variance decrease [\d.,]+( · n=\d+)?", one) for one in facts), facts
    assert any("n=" not in one for one in facts)  # where both do not fit, the score alone is said
