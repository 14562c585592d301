"""Limits on worked tables, repeated rows, and rows in any order."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from tests.support.lectures import fitted
from tests.teaching.test_cases_varied import close

import hornbeam as hb
from hornbeam.teaching import builddt

# ---- limits ----------------------------------------------------------------------------------------------


def lopsided():
    """A is worth more than B, but takes four leaves where B takes two."""
    X = {
        "r": ["A"] * 8 + ["B"] * 6,
        "c": ["k1", "k1", "k2", "k2", "k3", "k3", "k4", "k4", "k1", "k2", "k3", "k1", "k2", "k4"],
        "d": ["u"] * 8 + ["u", "u", "u", "v", "v", "v"],
    }
    return X, list("ppqqppqq") + list("ssstt" + "t")


def test_a_leaf_that_would_exceed_the_limit_leaves_its_place_to_the_next():
    X, y = lopsided()
    big = "A: c[k1: p(2:0:0:0) | k2: q(0:2:0:0) | k3: p(2:0:0:0) | k4: q(0:2:0:0)]"
    small = "B: d[u: s(0:0:3:0) | v: t(0:0:0:3)]"
    open_a, open_b = "A: p(4:4:0:0)", "B: s(0:0:3:3)"
    expected = {
        1: "p(4:4:3:3)",
        2: f"r[{open_a} | {open_b}]",
        3: f"r[{open_a} | {small}]",
        4: f"r[{open_a} | {small}]",
        5: f"r[{big} | {open_b}]",
        6: f"r[{big} | {small}]",
    }
    for limit, tree in expected.items():
        assert builddt(max_leaf_nodes=limit).fit(X, y).tree_.text() == tree
    for nodes, leaves in [(2, 1), (3, 2), (5, 3), (6, 3), (7, 5), (8, 5), (9, 6)]:
        assert builddt(max_nodes=nodes).fit(X, y).tree_.text() == expected[leaves]


def test_a_limit_on_nodes_counts_tests_and_leaves():
    sizes = {n: fitted("tennis", builddt(max_nodes=n)).tree_.statistics()["nodes"] for n in range(1, 10)}
    assert sizes == {1: 1, 2: 1, 3: 1, 4: 4, 5: 4, 6: 6, 7: 6, 8: 8, 9: 8}


def test_empty_branches_count_as_leaves():
    colour = pd.Categorical(["red", "red", "blue"], categories=["blue", "green", "red", "white"])
    X, y = {"colour": colour}, ["p", "p", "q"]
    assert builddt(max_leaf_nodes=3).fit(X, y).tree_.text() == "p(2:1)"
    assert builddt(max_leaf_nodes=4).fit(X, y).tree_.n_leaves == 4


def test_numbers_too_grow_best_first():
    X = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0], [7.0], [8.0]]
    y = [0.0, 1.0, 10.0, 13.0, 100.0, 101.0, 120.0, 130.0]
    texts = [hb.TreeRegressor(max_leaf_nodes=n).fit(X, y).tree_.text() for n in (2, 3, 4)]
    assert texts == [
        "x0[<=4.5: 6.0000(n=4) | >4.5: 112.7500(n=4)]",
        "x0[<=4.5: 6.0000(n=4) | >4.5: x0[<=6.5: 100.5000(n=2) | >6.5: 125.0000(n=2)]]",
        "x0[<=4.5: x0[<=2.5: 0.5000(n=2) | >2.5: 11.5000(n=2)]"
        " | >4.5: x0[<=6.5: 100.5000(n=2) | >6.5: 125.0000(n=2)]]",
    ]


def test_a_split_must_gain_more_than_the_minimum_at_its_own_node():
    table = hb.datasets.load("robots")
    neck = {"neck": table.X["neck"]}  # its gain is exactly one half
    assert builddt(min_gain=0.5).fit(neck, table.y).tree_.text() == "ally(4:4)"
    assert builddt(min_gain=0.4999).fit(neck, table.y).tree_.n_leaves == 3
    assert (
        fitted("robots", builddt(min_gain=0.65)).tree_.n_leaves == 4
    )  # 0.655639 at the root, 0.918296 below
    assert fitted("robots", builddt(min_gain=0.66)).tree_.n_leaves == 1
    assert fitted("gladiator", builddt(min_gain=0.32)).tree_.text() == (
        "Major[CS: Yes(0:2) | History: No(2:0) | Math: No(2:2)]"  # below Math, Gender gains 0.311278
    )


def test_the_observed_error_misses_a_split_that_gini_sees():
    assert fitted("fig84", hb.TreeClassifier("error", split="multiway", min_gain=0.0)).tree_.n_leaves == 1
    model = fitted("fig84", hb.TreeClassifier("gini", split="multiway", min_gain=0.0))
    assert model.tree_.text() == "h[0: 1(2:3) | 1: 1(0:5)]"
    assert model.tree_.gain[0] == close(0.08)


# ---- counts and orders of rows ---------------------------------------------------------------------------


def test_counts_raise_the_limits_and_weights_do_not():
    table = hb.datasets.load("xcount")
    full, small = "X1[F: X2[F: T(0:1) | T: F(5:0)] | T: T(0:4)]", "X1[F: F(5:1) | T: T(0:4)]"

    def counted(**limits):
        return builddt(**limits).fit(table.X, table.y, counts=table.counts).tree_

    def weighted(**limits):
        return builddt(**limits).fit(table.X, table.y, sample_weight=table.counts).tree_

    assert counted().text() == weighted().text() == full
    assert counted(min_samples_split=6).text() == full
    assert counted(min_samples_split=7).text() == small
    assert weighted(min_samples_split=3).text() == small
    assert (counted().n_rows[0], weighted().n_rows[0]) == (10, 4)


@pytest.mark.parametrize("name", ["eighty", "voting", "fig84", "xcount"])
@pytest.mark.parametrize("criterion", ["entropy", "gini", "gain-ratio", "root", "error"])
def test_counts_are_repeated_rows_for_every_criterion(name, criterion):
    table = hb.datasets.load(name)
    again = [i for i, n in enumerate(table.counts) for _ in range(n)]
    X = {column: [values[i] for i in again] for column, values in table.X.items()}
    model = hb.TreeClassifier(criterion, split="multiway", categorical_features=table.categorical)
    counted = model.fit(table.X, table.y, counts=table.counts).tree_
    assert model.fit(X, [table.y[i] for i in again]).tree_ == counted


@pytest.mark.parametrize("name", ["robots", "tennis", "tax", "temperature", "gladiator"])
def test_no_order_of_the_rows_matters(name):
    table = hb.datasets.load(name)
    for seed in range(10):
        order = np.random.default_rng(seed).permutation(table.n_rows)
        X = {column: [values[i] for i in order] for column, values in table.X.items()}
        for split in ("multiway", "binary", "one-vs-rest"):
            model = hb.TreeClassifier("entropy", split=split)
            assert model.fit(X, [table.y[i] for i in order]).tree_ == model.fit(table.X, table.y).tree_
