"""Recipes: ordinary estimators set up as published algorithms, and the trees the lectures print."""
# ruff: noqa: N802 (a test is called by the number of its case)

import itertools
import random

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from tests.support.every_test import every_test
from tests.support.lectures import errors, fitted, slow_tree, text

import hornbeam as hb
from hornbeam.estimators.recipes import RECIPES
from hornbeam.parts import YesNo

TENNIS_TREE = (
    "Outlook[Overcast: Yes(0:4) | Rain: Wind[Strong: No(2:0) | Weak: Yes(0:3)]"
    " | Sunny: Humidity[High: No(3:0) | Normal: Yes(0:2)]]"
)
XOR_TREE = "X1[0: X2[0: 0(1:0) | 1: 1(0:1)] | 1: X2[0: 1(0:1) | 1: 0(1:0)]]"


# ---- what they are ---------------------------------------------------------------------------------------


def test_what_a_recipe_prints_is_what_it_is():
    from hornbeam import TreeClassifier  # noqa: F401 (the printed text names them)
    from hornbeam.parts import Multiway, OneVsRest, OwnBranch  # noqa: F401

    for name in ("builddt", "id3", "buildtree"):
        printed = eval(repr(hb.recipe(name)), {**locals()})
        assert printed.get_params(deep=False).keys() == hb.recipe(name).get_params(deep=False).keys()
        assert repr(printed) == repr(hb.recipe(name))
        table = hb.datasets.load("tennis")
        assert printed.fit(table.X, table.y).tree_ == hb.recipe(name).fit(table.X, table.y).tree_
    assert repr(hb.teaching.dt()) == (
        "TreeClassifier(missing=OwnBranch(vote='leaf'),\n               split=YesNo(threshold_at='midpoint'))"
    )
    assert "min_gain=1e-09" in repr(hb.id3())


def test_every_recipe_is_a_function_of_its_name():
    for name, function in RECIPES.items():
        assert getattr(hb if name in dir(hb) else hb.teaching, name) is function
        assert repr(hb.recipe(name)) == repr(function())
        assert repr(clone(function())) == repr(function())


def test_parameters_are_passed_on():
    for name in [name for name in RECIPES if name != "auto"]:
        model = hb.recipe(name, max_depth=2, min_gain=0.1)
        assert (model.max_depth, model.min_gain) == (2, 0.1)
    assert hb.recipe("auto", max_depth=2).max_depth == 2
    assert hb.id3(missing="learn").missing == "learn"
    assert hb.teaching.buildtree(3, 7).min_samples_split == 7


@pytest.mark.parametrize("name", [name for name in RECIPES if name != "auto"])
def test_every_slot_of_a_recipe_can_be_set(name):
    model = hb.recipe(name, pruning=None, missing="learn")
    assert (model.pruning, model.missing) == (None, "learn")


def test_an_unknown_recipe_or_parameter_gets_a_sentence():
    with pytest.raises(
        ValueError, match=r"recipe 'bulddt' is not known \(did you mean 'builddt'\?\): use one of"
    ):
        hb.recipe("bulddt")
    for name in (None, 3, ["id3"]):
        with pytest.raises(ValueError, match="is not known: use one of 'builddt', 'id3', 'dt'"):
            hb.recipe(name)
    with pytest.raises(
        TypeError, match=r"TreeClassifier has no parameter 'max_dept' \(did you mean 'max_depth'\?\)"
    ):
        hb.id3(max_dept=2)
    with pytest.raises(ValueError, match="min_samples_split=4 is called n_min here"):
        hb.teaching.buildtree(min_samples_split=4)
    with pytest.raises(ValueError, match="predicates and split='binary' both say what is tested"):
        hb.teaching.dt(["X1 > 0"], split="binary")
    with pytest.raises(ValueError, match="predicates"):
        hb.teaching.dt([]).fit({"X1": [0, 1]}, [0, 1])


# ---- the lectures' trees ---------------------------------------------------------------------------------


def test_B6_id3_on_tennis_is_the_tree_of_the_lecture():
    assert fitted("tennis", hb.recipe("id3")).tree_.text() == TENNIS_TREE
    assert fitted("tennis", hb.recipe("builddt")).tree_.text() == TENNIS_TREE


def test_builddt_on_robots():
    assert fitted("robots", hb.teaching.builddt()).tree_.text() == (
        "body[circle: smile[no: enemy(0:1) | yes: ally(2:0)] | square: enemy(0:3) | triangle: ally(2:0)]"
    )


def test_an_empty_branch():
    neck = pd.Categorical(["tie", "tie", "bow"], categories=["bow", "nothing", "tie"])
    model = hb.teaching.builddt().fit({"neck": neck}, ["ally", "ally", "enemy"])
    assert model.tree_.text() == "neck[bow: enemy(0:1) | nothing: ally(0:0) | tie: ally(2:0)]"


def test_conflicting_examples():
    X, y = {"a": list("uuuvvv")}, list("ppqqqp")
    for recipe in (hb.teaching.builddt(), hb.id3(), hb.teaching.dt()):
        assert recipe.fit(X, y).tree_.text() == "a[u: p(2:1) | v: q(1:2)]"
        assert errors(recipe, X, y) == 2


def test_xor_is_solved_by_builddt_and_dt_and_given_up_by_id3():
    assert fitted("xor2", hb.teaching.builddt()).tree_.text() == XOR_TREE
    assert fitted("xor2", hb.teaching.dt()).tree_.text() == XOR_TREE
    assert fitted("xor2", hb.id3()).tree_.text() == "0(2:2)"


def test_xor_with_a_column_that_tells_all():
    for recipe in (hb.teaching.builddt(), hb.id3(), hb.teaching.dt()):
        assert fitted("xor5", recipe).tree_.text() == "X4[0: 1(0:2) | 1: 0(2:0)]"


def test_dt_on_the_count_example():
    model = fitted("xcount", hb.teaching.dt())
    assert model.tree_.text() == "X1[F: X2[F: T(0:1) | T: F(5:0)] | T: T(0:4)]"
    table = hb.datasets.load("xcount")
    found = every_test(table.X, table.y, split=YesNo(), criterion="gini", counts=table.counts)
    val = {c.column: 2 * 0.5 * 0.5 - c.decrease for c in found}
    assert val == pytest.approx({"X1": 0.166667, "X2": 0.285714}, abs=1e-6)


def test_buildtree_on_temperature():
    stump = "Temperature[<=-5.5: No(2:0) | >-5.5: Yes(2:4)]"
    full = "Temperature[<=-5.5: No(2:0) | >-5.5: Temperature[<=29: Yes(0:4) | >29: No(2:0)]]"
    assert fitted("temperature", hb.teaching.buildtree(max_depth=1)).tree_.text() == stump
    assert fitted("temperature", hb.teaching.buildtree(max_depth=2)).tree_.text() == full
    assert fitted("temperature", hb.teaching.buildtree(n_min=7)).tree_.text() == stump
    assert fitted("temperature", hb.teaching.buildtree(n_min=6)).tree_.text() == full
    assert fitted("temperature", hb.teaching.buildtree()).tree_.text() == full


# ---- other data ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_builddt_and_id3_grow_what_the_slide_says(seed):
    rng = random.Random(seed)
    X = {name: [rng.choice("uvwx"[: rng.randint(2, 4)]) for _ in range(12)] for name in "abc"}
    y = [rng.choice("pq") for _ in range(12)]
    assert hb.teaching.builddt().fit(X, y).tree_.text() == text(slow_tree(X, y))
    assert hb.id3().fit(X, y).tree_.text() == text(slow_tree(X, y, min_gain=1e-9))


def slow_dt(rows, names, least=2):
    """DT(S) on 0/1 rows ((values, label)), with its two repairs."""
    counts = [sum(label == k for _, label in rows) for k in (0, 1)]
    majority = 0 if counts[0] >= counts[1] else 1
    leaf = f"{majority}({counts[0]}:{counts[1]})"
    if 0 in counts or len(rows) < least:
        return leaf

    def potential(part):
        q = sum(label for _, label in part) / len(part)
        return 2 * q * (1 - q)

    best = None
    for k in range(len(names)):
        zero, one = ([row for row in rows if row[0][k] == value] for value in (0, 1))
        if not zero or not one:
            continue
        val = len(one) / len(rows) * potential(one) + len(zero) / len(rows) * potential(zero)
        if best is None or val < best[0] - 1e-12:
            best = val, k, zero, one
    if best is None:
        return leaf
    _, k, zero, one = best
    return f"{names[k]}[0: {slow_dt(zero, names, least)} | 1: {slow_dt(one, names, least)}]"


@pytest.mark.parametrize("seed", range(20))
def test_dt_grows_what_the_listing_says(seed):
    rng = random.Random(seed)
    rows = [tuple(rng.randint(0, 1) for _ in range(4)) for _ in range(14)]
    y = [rng.randint(0, 1) for _ in rows]
    if len(set(y)) < 2:
        y[0] = 1 - y[0]
    X = {name: [row[k] for row in rows] for k, name in enumerate("abcd")}
    model = hb.teaching.dt(categorical_features=list("abcd"))
    used = [k for k in range(4) if len(set(X["abcd"[k]])) == 2]
    assert used
    X = {"abcd"[k]: X["abcd"[k]] for k in used}
    rows = [tuple(row[k] for k in used) for row in rows]
    model.set_params(categorical_features=list(X))
    assert model.fit(X, y).tree_.text() == slow_dt(list(zip(rows, y, strict=True)), list(X))


def test_dt_asks_one_value_at_a_time_of_a_column_with_more_than_two():
    X = {"colour": ["red", "green", "blue", "blue"], "big": ["no", "yes", "no", "yes"]}
    model = hb.teaching.dt().fit(X, ["p", "q", "r", "r"])
    assert model.tree_.text() == (
        "colour=blue[yes: r(0:0:2) | no: colour=green[yes: q(0:1:0) | no: p(1:0:0)]]"
    )
    assert [YesNo().kind(c) for c in model.tree_.columns] == ["equals", "multiway"]


def test_dt_over_a_class_of_predicates_tests_nothing_else():
    points = list(itertools.product([0, 1], repeat=2))
    X = {"X1": [a for a, _ in points], "X2": [b for _, b in points]}
    y = [a ^ b for a, b in points]
    model = hb.teaching.dt(["X1 + X2 > 0.5", "X1 + X2 > 1.5"]).fit(X, y)
    assert model.tree_.n_leaves == 3
    assert errors(model, X, y) == 0
    alone = hb.teaching.dt(predicates=["X1 > 0.5"]).fit(X, y)
    assert alone.tree_.text() == "(X1 > 0.5)[yes: 0(1:1) | no: 0(1:1)]"


def test_buildtree_cuts_numbers_and_asks_for_single_values():
    X = {"x": [1, 2, 3, 4, 5, 6], "colour": ["r", "g", "b", "r", "g", "b"]}
    tree = hb.teaching.buildtree().fit(X, ["p", "p", "q", "p", "p", "q"]).tree_
    assert tree.text() == "colour=b[yes: q(0:2) | no: p(4:0)]"
    assert hb.teaching.buildtree(max_depth=0).fit(X, ["p"] * 3 + ["q"] * 3).tree_.text() == "p(3:3)"


def test_buildtree_stops_at_a_share_of_the_rows():
    X = np.arange(20.0)[:, None]
    tree = hb.teaching.buildtree(n_min=0.5).fit(X, [0, 1] * 10).tree_
    assert tree.n_rows[tree.first_child >= 0].min() >= 10
    assert hb.teaching.buildtree(n_min=10).fit(X, [0, 1] * 10).tree_ == tree


@pytest.mark.parametrize("name", ["builddt", "id3", "dt", "buildtree"])
def test_a_gap_in_prediction_follows_all_paths_with_one_vote_a_leaf(name):
    model = hb.recipe(name).fit({"a": ["u", "u", "u", "v", "v"]}, ["p", "p", "q", "q", "q"])
    assert model.predict_proba([{"a": None}])[0] == pytest.approx([0.6, 0.4])
    assert model.predict([{"a": None}]).tolist() == ["p"]
