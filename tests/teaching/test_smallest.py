"""The smallest consistent trees: the twin's on random tables, the lectures' cases, what the tree is."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from tests.oracles.smallest import Smallest

import hornbeam as hb
from hornbeam.evaluation.consistency import consistent
from hornbeam.parts import PerColumn
from hornbeam.teaching.smallest import count_smallest_trees, smallest_size, smallest_tree, smallest_trees

NAMES = {"equals": "one-vs-rest", "subset": "binary", "multiway": "multiway"}
GRID = {"x": [0, 1, 2] * 3, "y": [0] * 3 + [1] * 3 + [2] * 3}


def random_table(rng, kinds=("numeric", "ordinal", *NAMES), rows=9, columns=4, values=4):
    """A frame, its classes, the twin's description of the columns, and the split to ask for."""
    n = int(rng.integers(1, rows + 1))
    X, described, per_column = {}, {}, {}
    for j in range(int(rng.integers(1, columns + 1))):
        name, kind = f"c{j}", str(rng.choice(kinds))
        domain = list("abcdef"[: int(rng.integers(1, values + 1))])
        codes = rng.integers(0, len(domain), n)
        if kind == "numeric":
            X[name], described[name] = codes * 2, ("threshold", None)
            continue
        domain += ["z"] * int(rng.integers(0, 2))  # a value that no row has
        X[name] = pd.Categorical([domain[c] for c in codes], categories=domain, ordered=kind == "ordinal")
        described[name] = ("threshold" if kind == "ordinal" else kind, domain)
        if kind != "ordinal":
            per_column[name] = NAMES[kind]
    frame = pd.DataFrame(X)
    labels = ["pqrs"[k] for k in rng.integers(0, int(rng.integers(1, 5)), n)]
    first: dict[tuple, str] = {}  # rows alike have one class
    y = [
        first.setdefault(row, label) for row, label in zip(frame.itertuples(index=False), labels, strict=True)
    ]
    return frame, y, described, PerColumn(per_column)


def twin_of(frame, y, described, size="leaves"):
    return Smallest({name: list(frame[name]) for name in frame}, y, described, size)


# ---- the twin --------------------------------------------------------------------------------------------


def check_with_twin(seeds, size, **shape):
    for seed in seeds:
        frame, y, described, split = random_table(np.random.default_rng(seed), **shape)
        wanted = twin_of(frame, y, described, size).text()
        tree = smallest_tree(frame, y, split=split, size=size)
        assert tree.text() == wanted, f"seed {seed}"
        assert tree.statistics()[size] == tree.meta["smallest"]["least"], f"seed {seed}"
        assert smallest_size(frame, y, split=split, size=size) == tree.statistics()[size], f"seed {seed}"


@pytest.mark.parametrize("size", ["leaves", "nodes", "tests", "depth"])
def test_the_tree_is_the_twins_on_random_tables_of_all_kinds_of_columns(size):
    check_with_twin(range(50), size)


@pytest.mark.slow
@pytest.mark.parametrize("size", ["leaves", "nodes", "tests", "depth"])
def test_the_tree_is_the_twins_on_many_random_tables(size):
    check_with_twin(range(1000, 2000), size, rows=10)


@pytest.mark.parametrize("kind", ["numeric", *NAMES])
def test_the_tree_is_the_twins_where_the_search_goes_deep(kind):
    for seed in range(8):
        rng = np.random.default_rng(seed)
        frame, y, described, split = random_table(rng, kinds=(kind,), rows=14, columns=3, values=3)
        assert smallest_tree(frame, y, split=split).text() == twin_of(frame, y, described).text(), (
            f"seed {seed}"
        )


@pytest.mark.parametrize("size", ["leaves", "nodes", "tests"])
def test_all_smallest_trees_are_the_twins_in_the_same_order(size):
    for seed in range(30):
        frame, y, described, split = random_table(np.random.default_rng(seed), rows=7, columns=3)
        wanted = twin_of(frame, y, described, size).texts()
        found = smallest_trees(frame, y, split=split, size=size, max_trees=40)
        assert [tree.text() for tree in found] == wanted[:40], f"seed {seed}"
        assert count_smallest_trees(frame, y, split=split, size=size) == len(wanted), f"seed {seed}"


# ---- the lectures ----------------------------------------------------------------------------------------


def test_the_tree_of_slide_10_written_by_hand_is_consistent_with_the_robots():
    robots = hb.datasets.load("robots")
    nested = {
        "column": "body",
        "equals": "square",
        "yes": "enemy",
        "no": {"column": "neck", "equals": "bow", "yes": "enemy", "no": "ally"},
    }
    tree = hb.Tree.from_nested(nested)
    assert consistent(tree, robots.X, robots.y).errors == 0
    assert tree.statistics() == {"depth": 2, "leaves": 3, "tests": 2, "nodes": 5, "reading_size": 5}


def test_no_tree_of_such_tests_is_smaller():
    robots = hb.datasets.load("robots")
    tree = smallest_tree(robots.X, robots.y, split="one-vs-rest")
    assert tree.text() == "body=square[yes: enemy(0:3) | no: neck=bow[yes: enemy(0:1) | no: ally(4:0)]]"
    assert tree.meta["smallest"]["proof"] == "no consistent tree of this kind has fewer than 3 leaves"
    assert smallest_size(robots.X, robots.y, split="multiway") == 4
    assert smallest_size(robots.X, robots.y, split="binary") == 3


def test_the_pinwheel_of_five_rectangles_takes_six_leaves():
    y = list("AAB" + "DEB" + "DCC")
    assert smallest_size(GRID, y) == 6
    tree = smallest_tree(GRID, y)
    assert tree.n_leaves == 6
    assert consistent(tree, GRID, y)


@pytest.mark.parametrize(
    ("rows", "leaves"),
    [
        ("AAA/AAA/AAA", 1),
        ("AAB/AAB/AAB", 2),
        ("AAA/BBB/CCC", 3),
        ("AAB/AAB/CCB", 3),
        ("ABC/ABC/DDD", 4),
        ("ABA/BAB/ABA", 9),
        ("AAA/ABA/AAA", 5),
        ("BAA/BEC/DDC", 6),
        ("ABC/DEF/GHI", 9),
    ],
)
def test_rectangles_on_a_grid_take_as_many_leaves_as_full_cuts_need(rows, leaves):
    assert smallest_size(GRID, list(rows.replace("/", ""))) == leaves


def test_the_number_of_leaves_of_tennis_depends_on_the_kind_of_split():
    tennis = hb.datasets.load("tennis")
    found = {s: smallest_size(tennis.X, tennis.y, split=s) for s in ("multiway", "one-vs-rest", "binary")}
    assert found == {"multiway": 5, "one-vs-rest": 5, "binary": 5}
    tree = smallest_tree(tennis.X, tennis.y, split="multiway")
    assert tree.text().startswith("Outlook[Overcast: Yes(0:4) | Rain: Wind[")


def test_xor_has_a_smallest_tree_for_each_variable_that_may_come_first():
    xor = hb.datasets.load("xor2")
    trees = smallest_trees(xor.X, xor.y, split="multiway", categorical_features=xor.categorical)
    assert [tree.text()[:2] for tree in trees] == ["X1", "X2"]
    assert all(tree.n_leaves == 4 and consistent(tree, xor.X, xor.y) for tree in trees)


def test_a_column_that_tells_all_makes_a_stump_of_xor():
    xor = hb.datasets.load("xor5")
    tree = smallest_tree(xor.X, xor.y, split="multiway", categorical_features=xor.categorical)
    assert tree.text() == "X4[0: 1(0:2) | 1: 0(2:0)]"


# ---- what the tree is ------------------------------------------------------------------------------------


def test_counts_repeat_rows_and_a_row_of_count_0_is_not_there():
    X, y = {"a": ["u", "v", "v", "u"], "b": [1, 2, 3, 1]}, ["p", "q", "q", "q"]
    tree = smallest_tree(X, y, split="multiway", counts=[4, 2, 1, 0])
    assert tree.text() == "a[u: p(4:0) | v: q(0:3)]"
    assert tree.n_rows[0] == 7


def test_rows_alike_are_counted_but_searched_once():
    X, y = {"a": ["u", "v"] * 500}, ["p", "q"] * 500
    tree = smallest_tree(X, y)
    assert tree.text() == "a[{u}: p(500:0) | {v}: q(0:500)]"
    assert tree.meta["smallest"]["row_sets"] <= 2


def test_a_table_of_one_class_is_a_leaf_however_large():
    tree = smallest_tree(np.arange(5000.0).reshape(-1, 1), ["p"] * 5000)
    assert tree.text() == "p(5000)"


def test_cuts_lie_halfway_between_the_values_of_the_node():
    X = {"x": [0.0, 1.0, 10.0, 11.0], "z": [0, 1, 0, 1]}
    tree = smallest_tree(X, ["a", "b", "c", "d"])
    left = "x[<=0.5: a(1:0:0:0) | >0.5: b(0:1:0:0)]"
    right = "x[<=10.5: c(0:0:1:0) | >10.5: d(0:0:0:1)]"
    assert tree.text() == f"x[<=5.5: {left} | >5.5: {right}]"
    assert tree.gap[0].tolist() == [1.0, 10.0]


def test_an_ordinal_column_is_cut_in_its_order():
    sizes = pd.Categorical(["S", "M", "L", "M"], categories=["S", "M", "L"], ordered=True)
    tree = smallest_tree(pd.DataFrame({"size": sizes}), ["n", "y", "n", "y"])
    assert tree.text() == "size[<=S: n(1:0) | >S: size[<=M: y(0:2) | >M: n(1:0)]]"


def test_of_equally_many_leaves_the_shallower_tree_is_taken():
    # By x alone it takes a chain of three cuts; by z first, two cuts under one.
    X = {"x": [1, 2, 3, 4], "z": [0, 0, 1, 1]}
    tree = smallest_tree(X, ["a", "b", "c", "d"], categorical_features=None)
    assert (tree.n_leaves, tree.depth) == (4, 2)


def test_the_order_of_the_rows_does_not_matter():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        frame, y, _, split = random_table(rng, rows=12)
        shuffled = rng.permutation(len(y))
        other = smallest_tree(frame.iloc[shuffled], [y[i] for i in shuffled], split=split)
        assert other == smallest_tree(frame, y, split=split)


def test_a_smallest_tree_is_an_ordinary_tree():
    robots = hb.datasets.load("robots")
    tree = smallest_tree(robots.X, robots.y)
    assert hb.Tree.from_dict(tree.to_dict()) == tree
    assert tree.predict(robots.X).tolist() == robots.y
    assert len(hb.rules(tree)) == tree.n_leaves
    assert hb.show(tree)


def test_a_smallest_tree_is_never_larger_than_a_grown_one():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = np.unique(rng.integers(0, 4, (30, 5)), axis=0)
        y = rng.integers(0, 3, len(X))
        for split in ("multiway", "one-vs-rest", "binary"):
            nominal = list(range(5))
            grown = hb.TreeClassifier(split=split, categorical_features=nominal).fit(X, y).tree_
            found = smallest_tree(X, y, split=split, categorical_features=nominal)
            assert found.n_leaves <= grown.n_leaves
            assert consistent(found, X, y)
