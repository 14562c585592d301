"""Tests of several columns together."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.support.mixed_tables import outcome, random_columns, strange_rows

import hornbeam as hb
from hornbeam.data.table import Table
from hornbeam.parts import ColumnSets, PerColumn
from hornbeam.tree.tree import Tree

XOR = pd.DataFrame({"x1": [0, 0, 1, 1], "x2": [0, 1, 0, 1]})
Y = [0, 1, 1, 0]


def grown(X: Any, y: Any, split: ColumnSets, **params: Any) -> Tree:
    return hb.TreeClassifier("entropy", split=split, **params).fit(X, y).tree_


def test_a_set_has_a_branch_for_every_tuple_that_some_row_has() -> None:
    text = grown(XOR.iloc[:3], Y[:3], ColumnSets([("x1", "x2")], columns=None)).text()
    assert text == "(x1,x2)[{(0,0)}: 0(1:0) | {(0,1)}: 1(0:1) | {(1,0)}: 1(0:1)]"


def test_a_set_may_be_named_by_positions_and_in_any_order() -> None:
    one = grown(XOR, Y, ColumnSets([(1, 0)], columns=None)).text()
    assert one == "(x2,x1)[{(0,0)}: 0(1:0) | {(0,1)}: 1(0:1) | {(1,0)}: 1(0:1) | {(1,1)}: 0(1:0)]"
    assert grown(XOR, Y, ColumnSets([("x2", "x1")], columns=None)).text() == one


def test_of_tied_tests_columns_come_first_then_smaller_sets() -> None:
    rows = [[a, b, c] for a, b, c in product((0, 1), repeat=3)]
    X, y = pd.DataFrame(rows, columns=list("abc")), [a for a, _, _ in rows]
    assert grown(X, y, ColumnSets(size=3)).text() == "a[<=0.5: 0(4:0) | >0.5: 1(0:4)]"
    parity = [(a + b) % 2 for a, b, _ in rows]
    assert grown(X, parity, ColumnSets(size=3)).tested_columns(0) == (0, 1)
    three = [(a + b + c) % 2 for a, b, c in rows]
    assert grown(X, three, ColumnSets(size=3)).tested_columns(0) == (0, 1, 2)
    assert grown(X, three, ColumnSets(size=2)).tested_columns(0) == (0,), "nothing gains: the first column"


def test_the_columns_of_a_set_are_used_up_below_it() -> None:
    X = pd.DataFrame({"a": list("uuvv") * 2, "b": list("ppqq") * 2, "c": [1, 2, 1, 2, 3, 4, 3, 4]})
    tree = grown(X, [0, 1, 1, 0, 1, 0, 0, 1], ColumnSets([("a", "b")], columns="multiway"))
    for node in np.flatnonzero(tree.kind != 0).tolist():
        above = {column for n in tree.path(node)[:-1] if len(tree.tested_columns(n)) > 1 for column in (0, 1)}
        assert not above & set(tree.tested_columns(node))


def test_a_set_with_too_many_tuples_is_not_tried() -> None:
    X = pd.DataFrame({"a": list("uvwx") * 2, "b": list("ppppqqqq")})
    y = [0, 1, 0, 1, 1, 0, 1, 0]
    assert grown(X, y, ColumnSets(max_branches=8)).kind_of(0) == "columns"
    assert grown(X, y, ColumnSets(max_branches=7)).kind_of(0) != "columns"


def test_numbers_take_part_if_they_are_few_and_whole() -> None:
    n = 40
    X = pd.DataFrame(
        {"few": [k % 3 for k in range(n)], "half": [k % 2 / 2 for k in range(n)], "many": range(n)}
    )
    X["c"] = ["ab"[k % 2] for k in range(n)]
    assert ColumnSets().sets_in(*_table(X)) == [(0, 3)]
    assert ColumnSets([("few", "c")]).sets_in(*_table(X)) == [(0, 3)]
    for name in ("half", "many"):
        with pytest.raises(ValueError, match=rf"sets\[0\] names the numeric column '{name}'"):
            grown(X, [k % 2 for k in range(n)], ColumnSets([(name, "c")]))


def _table(X: Any) -> tuple[Any, Any]:
    table = Table.learn(X)
    return table.columns, table.arrays


# ---- gaps --------------------------------------------------------------------------------------------------

GAPS = pd.DataFrame({"a": ["u", "u", "v", "v", None, "u"], "b": ["p", "q", "p", "q", "p", None]})
ANSWERS = [0, 1, 1, 0, 1, 1]


@pytest.mark.parametrize(
    ("missing", "text"),
    [
        ("learn", "(a,b)[{(u,p)}: 0(1:0) | {(u,q)}: 1(0:3) | {(v,p)}: 1(0:1) | {(v,q)}: 0(1:0)]"),
        (
            "branch",
            "(a,b)[{(u,p)}: 0(1:0) | {(u,q)}: 1(0:1) | {(v,p)}: 1(0:1) | {(v,q)}: 0(1:0) | Missing: 1(0:2)]",
        ),
        ("majority", "(a,b)[{(u,p)}: 1(1:2) | {(u,q)}: 1(0:1) | {(v,p)}: 1(0:1) | {(v,q)}: 0(1:0)]"),
        (
            "fractional",
            "(a,b)[{(u,p)}: 0(1:0.5) | {(u,q)}: 1(0:1.5) | {(v,p)}: 1(0:1.5) | {(v,q)}: 0(1:0.5)]",
        ),
    ],
)
def test_a_row_with_a_gap_in_one_of_the_columns_has_no_tuple(missing: str, text: str) -> None:
    assert grown(GAPS, ANSWERS, ColumnSets([("a", "b")], columns=None), missing=missing).text() == text


def test_a_tuple_that_no_row_had_goes_the_way_of_gaps() -> None:
    X, y = GAPS.iloc[[0, 1, 2, 4, 5]], [0, 1, 1, 1, 1]
    new = {"a": ["v"], "b": ["q"]}
    split = ColumnSets([("a", "b")], columns=None)
    shares = {
        missing: hb.TreeClassifier("entropy", split=split, missing=missing).fit(X, y).predict_proba(new)[0, 1]
        for missing in ("learn", "branch", "all-paths", "majority", "fractional")
    }
    expected = {"learn": 1.0, "branch": 1.0, "all-paths": 4 / 5, "majority": 2 / 3, "fractional": 0.8}
    assert shares == pytest.approx(expected)


def test_where_no_gap_was_seen_such_a_tuple_follows_all_paths() -> None:
    model = hb.TreeClassifier("entropy", split=ColumnSets(columns=None)).fit(XOR.iloc[:3], Y[:3])
    assert model.predict_proba({"x1": [1], "x2": [1]})[0] == pytest.approx([1 / 3, 2 / 3])


# ---- the twin: a set as a column of the table --------------------------------------------------------------


def joined(X: pd.DataFrame, names: tuple[str, ...]) -> list[str | None]:
    rows = X[list(names)].itertuples(index=False)
    return [None if any(map(pd.isna, row)) else "/".join(map(str, row)) for row in rows]


@pytest.mark.parametrize(("branches", "plain"), [("tuples", "multiway"), ("two", "binary")])
@pytest.mark.parametrize("missing", ["learn", "branch", "majority", "fractional"])
def test_a_set_is_worth_as_much_as_a_column_of_its_tuples(missing: str, branches: str, plain: str) -> None:
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X = random_columns(rng, 90, gaps=0.05)[["city", "owner", "rooms"]].astype({"rooms": "category"})
        y = outcome(rng, random_columns(rng, 90), 3)
        sets = [("city", "owner"), ("owner", "rooms")]
        model = hb.TreeClassifier(
            "gini",
            split=ColumnSets(sets, columns=None, branches=branches, max_branches=200),
            missing=missing,
            max_depth=1,
        ).fit(X, y)
        wide = pd.DataFrame({"+".join(names): joined(X, names) for names in sets})
        twin = hb.TreeClassifier("gini", split=PerColumn({}, plain), missing=missing, max_depth=1).fit(
            wide, y
        )
        assert sorted(model.tree_.n_rows.tolist()) == sorted(twin.tree_.n_rows.tolist())
        np.testing.assert_allclose(model.tree_.gain, twin.tree_.gain, atol=1e-12)


def test_training_rows_go_the_same_way_in_prediction_and_strange_ones_find_a_leaf() -> None:
    rng = np.random.default_rng(1)
    X = random_columns(rng, 150)
    y = outcome(rng, X, 3)
    for missing, branches in product(("learn", "branch", "majority", "fractional"), ("tuples", "two")):
        split = ColumnSets(size=3, branches=branches)
        model = hb.TreeClassifier(split=split, missing=missing, max_depth=4).fit(X, y)
        assert (model.tree_.kind == 6).any()
        np.testing.assert_allclose(model.tree_.refit(X, y).stats, model.tree_.stats, atol=1e-9)
        assert np.allclose(model.predict_proba(strange_rows(rng, 60)).sum(axis=1), 1)


@pytest.mark.parametrize("branches", ["tuples", "two"])
def test_a_tree_of_sets_is_saved(branches: str) -> None:
    tree = grown(XOR, Y, ColumnSets(branches=branches))
    assert Tree.from_dict(tree.to_dict()) == tree


def test_two_sets_of_tuples_say_exclusive_or_in_two_leaves() -> None:
    model = hb.TreeClassifier("entropy", split=ColumnSets(branches="two")).fit(XOR, Y)
    assert model.tree_.text() == "(x1,x2)[{(0,0),(1,1)}: 0(2:0) | {(0,1),(1,0)}: 1(0:2)]"
    first = hb.candidates(model, XOR, Y)[0]
    assert (first.rank, first.gain) == (1, 1.0)
    assert first.answers == ("{(0,0),(1,1)}", "{(0,1),(1,0)}")
    space: dict[str, Any] = {}
    exec(hb.export(model, "python"), space)
    assert [space["predict"](row) for row in XOR.to_dict("records")] == Y


def test_columns_of_two_sets_of_tuples_may_be_tested_again_below() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.choice(list("uvw"), 400), "b": rng.choice(list("xyz"), 400)})
    y = (X["a"] + X["b"]).isin(["ux", "vy", "wz"]).astype(int) + (X["a"] == "w")
    tree = grown(X, y, ColumnSets(branches="two", columns=None))
    assert tree.n_leaves == 3
    assert [tree.tested_columns(node) for node in np.flatnonzero(tree.kind).tolist()] == [(0, 1), (0, 1)]


def test_a_regression_takes_sets() -> None:
    model = hb.TreeRegressor(split=ColumnSets()).fit(XOR, [0.0, 5.0, 5.0, 0.0])
    assert model.tree_.kind_of(0) == "columns"
    assert model.predict(XOR).tolist() == [0.0, 5.0, 5.0, 0.0]


def test_best_first_growth_counts_every_branch() -> None:
    assert grown(XOR, Y, ColumnSets(), max_leaf_nodes=3).n_leaves < 4
    assert grown(XOR, Y, ColumnSets(), max_leaf_nodes=4).n_leaves == 4


@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        ({"sets": [("x1", "x3")]}, r"sets\[0\] names the column 'x3', which X does not have"),
        ({"sets": [("x1", 7)]}, r"sets\[0\] names the column 7, which X does not have"),
        ({"sets": [("x1",)]}, r"sets\[0\]=\('x1',\) must name at least two different columns"),
        ({"sets": [("x1", "x1")]}, "at least two different columns"),
        ({"sets": "x1"}, "sets='x1' must be a list of sets of columns"),
        ({"sets": []}, "must be a list of sets"),
        ({"size": 1}, "size=1 must be a whole number of at least 2"),
        ({"max_branches": 1.5}, "max_branches=1.5 must be a whole number of at least 2"),
        ({"columns": "all"}, "columns='all' is not known"),
        ({"branches": "three"}, "branches='three' must be one of 'tuples', 'two'"),
    ],
)
def test_what_is_not_allowed_is_named_in_one_sentence(params: dict[str, Any], sentence: str) -> None:
    with pytest.raises((TypeError, ValueError), match=sentence):
        grown(XOR, Y, ColumnSets(**params))
