"""The bundled tables are those of the lectures, to the last number."""

import json

import numpy as np
import pytest

from hornbeam import datasets
from hornbeam.data.table import Table

NAMES = [
    "robots", "temperature", "two_robots", "gladiator", "hours", "hours_A", "hours_B", "huffman", "fig84",
    "pt_S1", "pt_S2", "tennis", "tax", "eighty", "voting", "xcount", "xor2", "xor5", "cs178", "pinwheel",
]  # fmt: skip


def entropy(counts) -> float:
    p = np.array([c for c in counts if c]) / sum(counts)
    return float(-(p * np.log2(p)).sum())


def gain(data, column: str) -> float:
    """Information gain of a nominal column, the long way."""
    counts = data.counts or [1] * data.n_rows
    total = sum(counts)

    def classes(rows):
        return [sum(counts[r] for r in rows if data.y[r] == c) for c in sorted(set(data.y), key=str)]

    every = range(data.n_rows)
    groups = [[r for r in every if data.X[column][r] == v] for v in set(data.X[column])]
    inside = sum(sum(counts[r] for r in rows) / total * entropy(classes(rows)) for rows in groups)
    return entropy(classes(every)) - inside


def test_the_tables_of_the_lectures_are_there():
    assert datasets.names() == NAMES


@pytest.mark.parametrize("name", datasets.names())
def test_every_table_says_where_it_comes_from_and_makes_a_table(name):
    data = datasets.load(name)
    assert data.source
    assert data.description.endswith(".") or data.description.endswith("?")
    assert {len(values) for values in data.X.values()} == {data.n_rows}
    assert data.y is None or len(data.y) == data.n_rows
    assert data.counts is None or len(data.counts) == data.n_rows
    table = Table.learn(data.X, data.categorical)
    assert {c.name: c.kind for c in table.columns} == data.kinds
    json.dumps([data.X, data.y, data.counts])


@pytest.mark.parametrize(
    ("name", "gains"),
    [
        ("robots", {"head": 0.155639, "body": 0.655639, "smile": 0.188722, "neck": 0.5, "holds": 0.405639}),
        ("tennis", {"Outlook": 0.24675, "Temperature": 0.029223, "Humidity": 0.151836, "Wind": 0.048127}),
        ("gladiator", {"Gender": 0.188722, "Major": 0.5}),
        ("eighty", {"Refund": 0.548795, "MarSt": 0.048795}),
        ("xcount", {"X1": 0.609987, "X2": 0.395816}),
        ("xor5", {"X1": 0.0, "X2": 0.0, "X3": 0.311278, "X4": 1.0, "X5": 0.311278}),
        ("tax", {"Refund": 0.170951, "MarSt": 0.721928}),
    ],
)
def test_the_gains_are_those_of_the_lectures(name, gains):
    data = datasets.load(name)
    assert {column: gain(data, column) for column in gains} == pytest.approx(gains, abs=1e-6)


@pytest.mark.parametrize(
    ("name", "mean", "sd"),
    [("hours", 39.785714, 9.321086), ("hours_A", 41.714286, 11.603131), ("hours_B", 41.642857, 11.579583)],
)
def test_the_hours_have_the_means_of_their_versions(name, mean, sd):
    data = datasets.load(name)
    assert (np.mean(data.y), np.std(data.y)) == pytest.approx((mean, sd), abs=1e-6)
    assert data.task == "real"


def test_figures_and_codes_have_their_probabilities():
    figure = datasets.load("fig84")
    positive = [c for c, y in zip(figure.counts, figure.y, strict=True) if y == 1]
    assert (sum(positive) / sum(figure.counts), positive[0] / 5, positive[1] / 5) == (0.8, 0.6, 1.0)
    huffman = datasets.load("huffman")
    assert (huffman.y, huffman.task, entropy(huffman.counts)) == (None, None, 1.75)
    assert sum(datasets.load("voting").counts) == 1000


def test_the_two_robots_have_no_heads():
    data = datasets.load("two_robots")
    assert data.X["head"] == [None, None]
    assert data.X["body"] == ["circle", "square"]
    assert data.y == ["ally", "enemy"]


def test_the_class_vectors_are_those_of_the_slides():
    data = datasets.load("cs178")
    counts = {(n, y): c for n, y, c in zip(data.X["node"], data.y, data.counts, strict=True) if n == "vector"}
    assert list(counts.values()) == [6, 4, 2, 0]
    assert data.counts[4:] == [9, 1, 6, 4]


def test_the_pinwheel_is_five_rectangles_in_a_grid():
    data = datasets.load("pinwheel")
    region = {(x, y): r for x, y, r in zip(data.X["x"], data.X["y"], data.y, strict=True)}
    rows = ["".join(region[x, y] for x in range(3)) for y in (2, 1, 0)]
    assert rows == ["AAB", "DEB", "DCC"]


@pytest.mark.parametrize(
    ("name", "leaves"), [("pt_S1", "20:2 3:6 5:4 2:15 4:3"), ("pt_S2", "8:1 4:3 2:5 1:7 2:4")]
)
def test_the_pruning_samples_have_the_leaf_counts_of_the_tree(name, leaves):
    data, tree = datasets.load(name), datasets.load_tree("pt")
    reached = tree.route(Table.match(data.X, tree.columns)).leaf
    found = {}
    for leaf, y, count in zip(reached.tolist(), data.y, data.counts, strict=True):
        found.setdefault(leaf, [0, 0])[y] += count
    in_order = [found[leaf] for leaf in tree.leaves().tolist()]
    assert " ".join(f"{a}:{b}" for a, b in in_order) == leaves


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "game",
            "neck=tie[yes: smile=yes[yes: ally(2:0) | no: enemy(0:2)]"
            " | no: body=triangle[yes: ally(2:0) | no: enemy(0:2)]]",
        ),
        ("smallest", "body=square[yes: enemy(0:3) | no: neck=bow[yes: enemy(0:1) | no: ally(4:0)]]"),
        ("pt", "x1[0: x2[0: 0(20:2) | 1: x3[0: 1(3:6) | 1: 0(5:4)]] | 1: x4[0: 1(2:15) | 1: 0(4:3)]]"),
    ],
)
def test_the_trees_drawn_have_the_counts_of_their_tables(name, text):
    assert datasets.load_tree(name).text() == text


def test_the_tax_tree_makes_no_error_and_answers_the_question():
    data, tree = datasets.load("tax"), datasets.load_tree("tax")
    assert tree.predict(data.X).tolist() == data.y
    assert tree.predict([{"Refund": "no", "MarSt": "Married", "TaxInc": 80}]).tolist() == ["no"]


def test_an_unknown_tree_gets_a_hint():
    assert datasets.tree_names() == ["game", "smallest", "tax", "pt"]
    with pytest.raises(ValueError, match="no bundled tree 'gam' \\(did you mean 'game'\\?\\)"):
        datasets.load_tree("gam")


def test_a_loaded_table_may_be_changed_without_harm():
    datasets.load("tennis").X["Outlook"][0] = "Fog"
    assert datasets.load("tennis").X["Outlook"][0] == "Sunny"


def test_a_frame_has_categories_target_and_counts():
    pytest.importorskip("pandas")
    frame = datasets.load("xor2").frame()
    assert list(frame.columns) == ["X1", "X2", "y"]
    assert str(frame["X1"].dtype) == "category"
    assert list(datasets.load("xcount").frame().columns) == ["X1", "X2", "Y", "count"]
    assert datasets.load("two_robots").frame()["head"].isna().all()


def test_an_unknown_name_gets_a_hint():
    with pytest.raises(ValueError, match="no bundled table 'tenis' \\(did you mean 'tennis'\\?\\)"):
        datasets.load("tenis")
    with pytest.raises(ValueError, match="no bundled table"):
        datasets.load(["tennis"])
