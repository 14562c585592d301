"""Tests of several cuts: a kind of node like any other, written by hand, saved, shown, routed and grown."""

import json
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.selection import examples

import hornbeam as hb
from hornbeam._base.significance.bins_and_halves import quantile_cuts
from hornbeam._base.types import midpoint
from hornbeam.data.columns import Column
from hornbeam.growing.selections import ChiSquareSelection
from hornbeam.tree.tree import Tree


def ages(**more):
    return Tree.from_nested(
        {
            "column": "age",
            "cuts": [18, 65],
            "branches": [{"counts": [3, 0]}, {"counts": [2, 4]}, {"counts": [0, 5]}],
            **more,
        },
        classes=["no", "yes"],
    )


def test_a_value_takes_the_branch_of_the_number_of_cuts_below_it():
    tree = ages()
    assert tree.route({"age": [-5.0, 18.0, 18.01, 65.0, 65.5]}).leaf.tolist() == [1, 1, 2, 2, 3]
    assert tree.predict({"age": [18.0, 40.0, 99.0]}).tolist() == ["no", "yes", "yes"]


def test_the_text_names_every_interval():
    assert ages().text() == "age[<=18: no(3:0) | (18,65]: yes(2:4) | >65: yes(0:5)]"


def test_show_rules_and_explain_say_the_interval():
    tree = ages()
    lines = hb.show(tree, charset="ascii").splitlines()
    assert [line.split("  ")[0] for line in lines[1:4]] == ["|-- <= 18", "|-- in (18, 65]", "`-- > 65"]
    assert [str(rule).split(" THEN")[0] for rule in hb.rules(tree)] == [
        "IF age <= 18",
        "IF 18 < age <= 65",
        "IF age > 65",
    ]
    assert "because  age in (18, 65] (it is 30)" in hb.explain(tree, {"age": 30}).text("ascii")


def test_conditions_of_nested_tests_are_merged():
    inner = {"column": "age", "cuts": [10, 30], "branches": ["child", "young", "grown"]}
    tree = Tree.from_nested({"column": "age", "cuts": [5, 60], "branches": ["baby", inner, "old"]})
    texts = [rule.conditions[0].text for rule in hb.rules(tree)]
    assert texts == ["age <= 5", "5 < age <= 10", "10 < age <= 30", "30 < age <= 60", "age > 60"]


def test_gaps_follow_all_branches_or_the_one_named():
    assert len(ages().route({"age": [None]}).leaf) == 3
    assert ages(missing_to=30).predict({"age": [None]}).tolist() == ["yes"]
    own = ages(missing={"counts": [9, 0]})
    assert own.predict({"age": [None]}).tolist() == ["no"]
    assert own.text().endswith("| Missing: no(9:0)]")


def test_an_ordinal_column_is_cut_after_its_values():
    size = Column("size", "ordinal", ("XS", "S", "M", "L", "XL"))
    tree = Tree.from_nested(
        {"column": "size", "cuts": ["S", "L"], "branches": ["a", "b", "c"]}, columns=[size]
    )
    assert tree.predict({"size": ["XS", "S", "M", "L", "XL"]}).tolist() == ["a", "a", "b", "b", "c"]
    assert tree.text() == "size[<=S: a | (S,L]: b | >L: c]"


def test_saving_copying_and_collapsing_keep_the_cuts():
    tree = ages(missing_to=99)
    assert Tree.from_dict(json.loads(json.dumps(tree.to_dict()))) == tree
    assert pickle.loads(pickle.dumps(tree)) == tree
    assert tree.to_dict()["nodes"]["kind"][0] == "intervals"
    assert tree.collapse([True, False, False, False]).text() == "yes(5:9)"
    inner = {"column": "x", "cuts": [1, 2], "branches": ["a", "b", "c"]}
    deep = Tree.from_nested({"column": "x", "<=": 0, "yes": "n", "no": inner})
    assert deep.collapse([False, False, False, True, False, False]).cuts(2).tolist() == [1.0, 2.0]


def test_refitting_counts_the_rows_of_every_interval():
    refitted = ages().refit({"age": [1, 20, 30, 70]}, ["no", "no", "yes", "yes"])
    assert refitted.text() == "age[<=18: no(1:0) | (18,65]: no(1:1) | >65: yes(0:1)]"


@pytest.mark.parametrize(
    ("test", "sentence"),
    [
        ({"cuts": [2, 1], "branches": ["a", "b", "c"]}, "cuts in ascending order"),
        ({"cuts": [1, 1], "branches": ["a", "b", "c"]}, "cuts in ascending order"),
        ({"cuts": [1, 2], "branches": ["a", "b"]}, "make 3 intervals, but there are 2 branches"),
        ({"cuts": [], "branches": ["a"]}, "fewer than two branches"),
        ({"cuts": [float("inf")], "branches": ["a", "b"]}, "must be a finite number"),
        ({"cuts": 3, "branches": ["a", "b"]}, "lists its cuts"),
    ],
)
def test_wrong_cuts_are_refused_with_a_sentence(test, sentence):
    with pytest.raises(ValueError, match=sentence):
        Tree.from_nested({"column": "x"} | test)


def test_a_nominal_column_has_no_cuts():
    colour = Column("colour", "nominal", ("blue", "red"))
    with pytest.raises(ValueError, match="is nominal, so it has no threshold"):
        Tree.from_nested({"column": "colour", "cuts": ["blue"], "branches": ["a", "b"]}, columns=[colour])


def test_arrays_that_do_not_fit_are_refused():
    tree = ages()
    arrays = tree.attributes() | tree.arrays()
    with pytest.raises(ValueError, match="must have cuts if, and only if, its kind is 'intervals'"):
        Tree(**{name: value for name, value in arrays.items() if not name.startswith("cut_")})
    with pytest.raises(ValueError, match="a cut that is not a finite number"):
        tree.replace(cut_threshold=np.array([1.0, np.nan]))


# --- grown --------------------------------------------------------------------------------------------------


def test_a_grown_tree_predicts_as_its_leaves_say_and_prints_short_cuts():
    rng = np.random.default_rng(0)
    x = rng.normal(size=500)
    y = np.digitize(x, [-0.5, 0.7])
    model = hb.TreeClassifier(selection=ChiSquareSelection(n_bins=20), max_depth=1).fit(x[:, None], y)
    tree = model.tree_
    assert tree.kind_of(0) == "intervals"
    leaf = model.apply(x[:, None])
    assert (leaf == tree.first_child[0] + np.searchsorted(tree.cuts(0), x)).all()
    assert np.bincount(leaf, minlength=len(tree))[1:].tolist() == tree.n_rows[1:].tolist()
    assert len(hb.show(model).splitlines()[1]) < 60
    assert model.fit(x[:, None].astype(np.float32), y).score(x[:, None].astype(np.float32), y) > 0.9


# --- bins ---------------------------------------------------------------------------------------------------


def test_few_values_have_a_bin_each():
    cuts = quantile_cuts(np.array([3.0, 1.0, 2.0, 1.0]), np.ones(4, dtype=np.int64), 10)
    assert [cut.threshold for cut in cuts] == [1.5, 2.5]


def test_counts_are_repetitions():
    values, counts = np.array([1.0, 2.0, 3.0, 4.0]), np.array([1, 1, 1, 5])
    repeated = np.repeat(values, counts)
    assert quantile_cuts(values, counts, 3) == quantile_cuts(repeated, np.ones(8, dtype=np.int64), 3)


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.integers(-20, 20), min_size=1, max_size=80), st.integers(2, 12))
def test_bins_are_at_most_so_many_and_none_is_empty(values, n_bins):
    x = np.array(values, dtype=float)
    cuts = [cut.threshold for cut in quantile_cuts(x, np.ones(len(x), dtype=np.int64), n_bins)]
    sizes = np.bincount(np.searchsorted(cuts, x), minlength=len(cuts) + 1)
    assert len(sizes) <= n_bins
    assert (sizes > 0).all()
    assert cuts == sorted(set(cuts))


def test_a_midpoint_is_always_below_the_upper_value():
    low = 1.0
    high = np.nextafter(low, 2.0)
    assert midpoint(low, float(high)) == low
    assert np.isfinite(midpoint(-1.7e308, 1.7e308))
