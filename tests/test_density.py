"""Density trees: the definition, the twin, what integrates, what is drawn, pruning, and what is refused."""
# ruff: noqa: N802 (a test is called by the number of its case)

import doctest
import json
import pickle
import re
import threading
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks
from tests.oracles import density as twin

import hornbeam as hb
from hornbeam import growing
from hornbeam.density import CostComplexity, CrossValidated, cuts
from hornbeam.density.path import Links
from hornbeam.extents import boxes, sides, volumes

FIVE = {"x": [1.0, 2.0, 2.5, 3.0, 9.0]}
FIVE_BOX = {"x": (0, 10)}
MANY = settings(max_examples=40, deadline=None, derandomize=True)


def integral(tree):
    """The density of every leaf times its volume, added up."""
    leaves = tree.first_child < 0
    return float((tree.answers()[leaves] * volumes(tree)[leaves]).sum())


def mixed(n, seed=0):
    """Numbers, whole numbers, words and an ordered column, all depending on each other."""
    rng = np.random.default_rng(seed)
    city = rng.choice(["Brno", "Plzeň", "Zlín", "Aš"], n, p=[0.6, 0.2, 0.15, 0.05])
    return pd.DataFrame(
        {
            "age": rng.normal(40, 12, n) + 20 * (city == "Zlín"),
            "rooms": rng.integers(1, 6, n),
            "city": city,
            "size": pd.Categorical(rng.choice(["S", "M", "L"], n), ["S", "M", "L", "XL"], ordered=True),
        }
    )


# ---- the worked case -----------------------------------------------------------------------------------


def test_P49_scores_best_cut_and_densities_of_one_split():
    root = hb.TreeDensity(max_depth=0, support=FIVE_BOX).fit(FIVE).tree_
    assert -root.impurity[0] == pytest.approx(0.1)  # -R of a node of all rows is its density
    found = {cut.threshold: cut.score for cut in cuts(FIVE, support=FIVE_BOX)}
    assert found == pytest.approx({1.5: 0.101961, 2.25: 0.117563, 2.75: 0.152978, 6.0: 0.116667}, abs=1e-6)
    best = max(cuts(FIVE, support=FIVE_BOX), key=lambda cut: cut.score)
    assert best.threshold == 2.75
    assert best.density == pytest.approx((0.218182, 0.055172), abs=1e-6)
    tree = hb.TreeDensity(max_depth=1, support=FIVE_BOX).fit(FIVE).tree_
    assert tree.threshold[0] == 2.75
    assert 0.1 + tree.gain[0] == pytest.approx(0.152978, abs=1e-6)
    assert tree.answers()[1:].tolist() == pytest.approx([0.218182, 0.055172], abs=1e-6)
    assert tree.text() == "x[<=2.75: 0.2182(n=3) | >2.75: 0.0552(n=2)]"


def test_P49_without_limits_has_the_same_cut_at_its_root():
    tree = hb.TreeDensity(support=FIVE_BOX).fit(FIVE).tree_
    assert tree.threshold[0] == 2.75
    assert tree.n_leaves == 5


def test_B4_classes_numbers_and_densities_are_learned_through_one_interface():
    tennis, hours = hb.datasets.load("tennis"), hb.datasets.load("hours")
    models = [
        hb.TreeClassifier("entropy", split="multiway").fit(tennis.X, tennis.y),
        hb.TreeRegressor("sd", split="multiway", min_variation=0.1, min_samples_split=4).fit(
            hours.X, hours.y
        ),
        hb.TreeDensity(max_depth=1, support=FIVE_BOX).fit(FIVE),
    ]
    assert [model.tree_.text() for model in models] == [
        "Outlook[Overcast: Yes(0:4) | Rain: Wind[Strong: No(2:0) | Weak: Yes(0:3)]"
        " | Sunny: Humidity[High: No(3:0) | Normal: Yes(0:2)]]",
        "Outlook[Overcast: 46.2500(n=4)"
        " | Rainy: Temp[Cool: 38.0000(n=1) | Hot: 27.5000(n=2) | Mild: 41.5000(n=2)]"
        " | Sunny: Windy[False: 47.6667(n=3) | True: 26.5000(n=2)]]",
        "x[<=2.75: 0.2182(n=3) | >2.75: 0.0552(n=2)]",
    ]


def test_the_box_is_the_range_of_the_data_unless_a_support_is_given():
    model = hb.TreeDensity(max_depth=0).fit(FIVE)
    assert model.tree_.answers().tolist() == [1 / 8]
    for support in ({"x": (0, 10)}, {0: (0, 10)}, [(0, 10)], (0, 10), np.array([[0, 10]])):
        assert hb.TreeDensity(max_depth=0, support=support).fit(FIVE).tree_.answers().tolist() == [0.1]


# ---- the twin ------------------------------------------------------------------------------------------


def as_frame(table):
    """The twin's table for the product; codes become words whose order is that of the codes."""
    columns = {}
    for j, (kind, values, side) in enumerate(zip(table.kinds, table.values, table.box, strict=True)):
        if kind == "numeric":
            columns[f"c{j}"] = np.array(values, dtype=float)
        else:
            words = [f"v{k}" for k in range(side)]
            columns[f"c{j}"] = pd.Categorical.from_codes(values, words, ordered=kind == "ordinal")
    return pd.DataFrame(columns)


def given_support(table):
    return {
        j: box
        for j, (kind, box) in enumerate(zip(table.kinds, table.box, strict=True))
        if kind == "numeric" and box == (-1.0, 6.0)
    }


def fitted(table, **more):
    model = hb.TreeDensity(
        support=given_support(table),
        max_depth=table.max_depth,
        min_samples_split=table.min_split,
        min_samples_leaf=table.min_leaf,
        **more,
    )
    weights = [float(w) for w in table.weights]
    return model.fit(as_frame(table), sample_weight=weights, counts=table.counts)


def same(tree, node, wanted):
    """Whether a node of the product is the twin's: tests, gains, rows and densities."""
    if len(wanted) == 2:
        assert tree.first_child[node] < 0
        assert tree.n_rows[node] == wanted[0]
        assert tree.answers()[node] == pytest.approx(float(wanted[1]), rel=1e-12)
        return
    column, (how, what), gain, *children = wanted
    assert tree.column[node] == column
    assert tree.gain[node] == pytest.approx(float(gain), rel=1e-9, abs=1e-15)
    if how == "in":
        codes, branches = tree.value_map(node)
        assert set(codes[branches == 0].tolist()) == what
    else:
        assert Fraction(float(tree.threshold[node])) == what
    for child, one in zip(tree.children(node), children, strict=True):
        same(tree, child, one)


@pytest.mark.parametrize("block", range(8))
def test_random_tables_grow_the_tree_of_the_twin(block):
    for seed in range(60 * block, 60 * block + 60):
        table = twin.random_rows(np.random.default_rng(seed))
        tree = fitted(table).tree_
        same(tree, 0, twin.grow(table))
        assert integral(tree) == pytest.approx(1)


def test_no_set_of_values_is_better_than_the_one_chosen():
    rng = np.random.default_rng(1)
    for _ in range(60):
        k, n = int(rng.integers(2, 7)), int(rng.integers(2, 15))
        codes = rng.integers(0, k, n).tolist()
        if len(set(codes)) < 2:
            continue
        table = twin.Rows(["nominal"], [codes], [k], [Fraction(1)] * n, [1] * n, max_depth=1)
        found = fitted(table).tree_
        assert 1 / k + found.gain[0] == pytest.approx(float(twin.best_of_all_sets(table, 0)))


def test_the_best_of_all_cuts_is_the_one_the_tree_has():
    for seed in range(150):
        table = twin.random_rows(np.random.default_rng(seed))
        table.max_depth, table.min_split, table.min_leaf = 1, 2, 1
        weights = [float(w) for w in table.weights]
        given = {"support": given_support(table), "sample_weight": weights, "counts": table.counts}
        found, tree = cuts(as_frame(table), **given), fitted(table).tree_
        assert bool(found) == (tree.n_leaves == 2)
        if found:
            best = max(cut.gain for cut in found)
            chosen = next(cut for cut in found if cut.gain >= best - 1e-12 * (1 + best))
            assert tree.gain[0] == pytest.approx(best, abs=1e-15)
            assert chosen.score - chosen.gain == pytest.approx(tree.answers()[0])
            if tree.kind_of(0) == "threshold":
                assert (chosen.column, chosen.threshold) == (f"c{tree.column[0]}", tree.threshold[0])
                assert chosen.n_rows == tuple(tree.n_rows[1:])
                assert chosen.density == pytest.approx(tuple(tree.answers()[1:]))


# ---- a density -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("limits", [{}, {"max_leaf_nodes": 12}, {"min_samples_leaf": 0.05}])
def test_the_leaves_of_a_mixed_table_integrate_to_one(limits):
    model = hb.TreeDensity(support={"age": (-50, 150)}, **limits).fit(mixed(400))
    assert integral(model.tree_) == pytest.approx(1, rel=1e-12)


def test_a_density_of_one_column_integrates_to_one_on_a_grid():
    X = np.random.default_rng(0).normal(size=(300, 1))
    model = hb.TreeDensity(min_samples_leaf=10, support=[(-8, 8)]).fit(X)
    grid = (np.arange(200_000)[:, None] + 0.5) / 200_000 * 16 - 8
    assert np.exp(model.score_samples(grid)).mean() * 16 == pytest.approx(1, abs=1e-3)


def test_a_density_of_two_columns_and_a_word_integrates_to_one_on_a_grid():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.random((200, 2)), columns=["u", "v"])
    frame["w"] = rng.choice(["a", "b", "c"], 200, p=[0.7, 0.2, 0.1])
    box = {"u": (0, 1), "v": (0, 1)}
    model = hb.TreeDensity(min_samples_leaf=5, support=box).fit(frame)
    u, v = np.meshgrid((np.arange(400) + 0.5) / 400, (np.arange(400) + 0.5) / 400)
    total = 0.0
    for word in ("a", "b", "c"):
        grid = pd.DataFrame({"u": u.ravel(), "v": v.ravel(), "w": word})
        total += np.exp(model.score_samples(grid)).mean()
    assert total == pytest.approx(1, abs=0.01)


def test_outside_its_support_a_density_is_zero():
    frame = pd.DataFrame({"x": [1.0, 2.0, 4.0], "w": ["a", "b", "a"]})
    model = hb.TreeDensity().fit(frame)
    rows = pd.DataFrame({"x": [0.99, 4.01, 2.0, 1.0, 4.0], "w": ["a", "a", "never", "a", "a"]})
    found = model.score_samples(rows)
    assert np.isneginf(found[:3]).all()
    assert np.isfinite(found[3:]).all()
    assert model.score(rows) == -np.inf
    assert model.score(rows, sample_weight=[0, 0, 0, 1, 2]) == pytest.approx(found[3] + 2 * found[4])


def test_a_declared_category_without_rows_is_within_the_support():
    words = pd.DataFrame({"w": pd.Categorical(["a", "a", "b"], ["a", "b", "c"])})
    model = hb.TreeDensity().fit(words)
    assert np.exp(model.score_samples({"w": ["a", "b", "c"]})).tolist() == pytest.approx(
        [2 / 3, 1 / 6, 1 / 6]
    )


def test_a_column_of_one_value_is_a_point():
    wider = FIVE | {"one": [7.0] * 5, "word": ["only"] * 5}
    model = hb.TreeDensity(max_depth=1, support=FIVE_BOX).fit(wider)
    assert (
        model.tree_.answers().tolist()
        == hb.TreeDensity(max_depth=1, support=FIVE_BOX).fit(FIVE).tree_.answers().tolist()
    )
    rows = {"x": [2.0, 2.0], "one": [7.0, 7.5], "word": ["only", "only"]}
    assert np.isneginf(model.score_samples(rows)).tolist() == [False, True]


def test_one_row_and_equal_rows_are_a_point_of_density_one():
    for rows in ([[3.0, 4.0]], [[3.0, 4.0]] * 6):
        model = hb.TreeDensity().fit(rows)
        assert model.tree_.answers().tolist() == [1.0]
        assert model.score_samples([[3.0, 4.0], [3.0, 4.1]]).tolist() == [0.0, -np.inf]
        assert model.sample(2).tolist() == [[3.0, 4.0]] * 2


def test_a_cut_leaves_no_box_without_length():
    near = np.nextafter(1.0, 2.0)
    tree = hb.TreeDensity().fit([[1.0], [near], [near]]).tree_
    assert tree.n_leaves == 1  # the midpoint of the two is 1.0, the lower end of the box
    assert integral(tree) == pytest.approx(1)


def test_extreme_units_keep_the_logarithm_finite():
    X = np.random.default_rng(0).normal(size=(60, 12))
    plain = hb.TreeDensity(min_samples_leaf=5).fit(X)
    for scale in (2.0**-300, 2.0**300):
        model = hb.TreeDensity(min_samples_leaf=5).fit(X * scale)
        assert model.tree_.column.tolist() == plain.tree_.column.tolist()
        wanted = plain.score_samples(X) - 12 * np.log(scale)
        assert model.score_samples(X * scale) == pytest.approx(wanted)
        pruned = hb.TreeDensity("cross-validated", min_samples_leaf=5, random_state=0).fit(X * scale)
        assert np.isfinite(pruned.path_.score).all()
        assert (
            pruned.tree_.n_leaves
            == hb.TreeDensity("cross-validated", min_samples_leaf=5, random_state=0).fit(X).tree_.n_leaves
        )


def test_single_precision_is_read_as_it_is():
    X = np.random.default_rng(2).normal(size=(200, 2)).astype(np.float32)
    one, other = (
        hb.TreeDensity(min_samples_leaf=5).fit(X),
        hb.TreeDensity(min_samples_leaf=5).fit(X.astype(float)),
    )
    assert one.tree_.threshold.tolist() == pytest.approx(other.tree_.threshold.tolist(), nan_ok=True)
    assert one.score_samples(X).tolist() == other.score_samples(X.astype(float)).tolist()
    assert np.isfinite(one.score_samples(X)).all()


# ---- what does not matter ------------------------------------------------------------------------------


small_values = st.integers(0, 6).map(float)
tables = st.lists(
    st.tuples(small_values, small_values, st.sampled_from("abc"), st.integers(1, 3)), min_size=3
)


def columns_of(rows):
    return {"x": [r[0] for r in rows], "y": [r[1] for r in rows], "w": [r[2] for r in rows]}


@MANY
@given(tables, st.sampled_from([None, CrossValidated(cv=2), CrossValidated(cv=3, score="squared-error")]))
def test_counts_are_repetitions(rows, pruning):
    model = hb.TreeDensity(pruning, min_samples_leaf=2, random_state=0)
    short = clone(model).fit(columns_of(rows), counts=[r[3] for r in rows]).tree_
    long = clone(model).fit(columns_of([r for r in rows for _ in range(r[3])])).tree_
    assert short == long


@MANY
@given(tables, st.randoms(use_true_random=False), st.sampled_from([None, CrossValidated(cv=3)]))
def test_the_order_of_rows_is_irrelevant(rows, random, pruning):
    model = hb.TreeDensity(pruning, random_state=5)
    weights = [r[3] / 7 for r in rows]
    order = list(range(len(rows)))
    random.shuffle(order)
    one = clone(model).fit(columns_of(rows), sample_weight=weights).tree_
    mixed_rows = [rows[i] for i in order]
    other = clone(model).fit(columns_of(mixed_rows), sample_weight=[weights[i] for i in order]).tree_
    assert one == other


@MANY
@given(tables, st.sampled_from([0.25, 2.0, 1024.0]), st.integers(-8, 8))
def test_rescaling_a_column_divides_the_density(rows, scale, shift):
    table = columns_of(rows)
    other = table | {"x": [x * scale + shift for x in table["x"]]}
    one, two = hb.TreeDensity(max_leaf_nodes=5).fit(table), hb.TreeDensity(max_leaf_nodes=5).fit(other)
    constant = len(set(table["x"])) == 1
    wanted = one.score_samples(table) - (0 if constant else np.log(scale))
    assert two.score_samples(other) == pytest.approx(wanted)
    assert one.tree_.column.tolist() == two.tree_.column.tolist()


def test_weights_scale_shares_and_zero_weight_removes_a_row():
    frame = mixed(200)
    weight = np.random.default_rng(3).integers(0, 3, 200).astype(float)
    all_rows = hb.TreeDensity(min_samples_leaf=5).fit(frame, sample_weight=weight * 0.3)
    some = hb.TreeDensity(min_samples_leaf=5).fit(frame[weight > 0], sample_weight=weight[weight > 0])
    inside = frame[weight > 0]
    assert all_rows.score_samples(inside) == pytest.approx(some.score_samples(inside))
    assert all_rows.tree_.n_rows.tolist() == some.tree_.n_rows.tolist()
    assert all_rows.tree_.weight[0] == pytest.approx(weight.sum() * 0.3, rel=1e-15)


@pytest.mark.parametrize("limits", [{}, {"max_leaf_nodes": 60}])
def test_any_number_of_threads_grows_the_same_tree(limits, monkeypatch):
    frame = mixed(1500)
    weight = np.random.default_rng(4).random(1500)
    alone = hb.TreeDensity(n_jobs=1, **limits).fit(frame, sample_weight=weight).tree_
    for name, value in {"shared_rows": 100, "serial_cells": 0}.items():
        monkeypatch.setitem(growing.TUNING, name, value)
    for n_jobs in (1, 2, 4):
        assert hb.TreeDensity(n_jobs=n_jobs, **limits).fit(frame, sample_weight=weight).tree_ == alone


# ---- limits --------------------------------------------------------------------------------------------


def test_limits_bind():
    frame = mixed(300)
    assert hb.TreeDensity(max_depth=2).fit(frame).tree_.depth == 2
    assert hb.TreeDensity(max_leaf_nodes=9).fit(frame).tree_.n_leaves == 9
    tree = hb.TreeDensity(min_samples_leaf=20).fit(frame).tree_
    assert tree.n_rows[tree.first_child < 0].min() >= 20
    tree = hb.TreeDensity(min_samples_split=0.5).fit(frame).tree_
    assert tree.n_rows[tree.first_child >= 0].min() >= 150


def test_best_first_takes_the_largest_decreases():
    frame = mixed(300)
    full, some = (
        hb.TreeDensity(max_depth=3).fit(frame).tree_,
        hb.TreeDensity(max_leaf_nodes=2).fit(frame).tree_,
    )
    assert some.gain[0] == full.gain[0]
    three = hb.TreeDensity(max_leaf_nodes=3).fit(frame).tree_
    assert sorted(three.gain)[-2] == pytest.approx(max(full.gain[1:3]))


def test_a_cut_that_lowers_nothing_is_made_unless_a_gain_is_asked_for():
    even = {"x": [2.5, 7.5]}
    assert hb.TreeDensity(support={"x": (0, 10)}).fit(even).tree_.n_leaves == 2
    assert hb.TreeDensity(support={"x": (0, 10)}, min_gain=0.0).fit(even).tree_.n_leaves == 1
    five = hb.TreeDensity(support=FIVE_BOX, min_gain=0.0529).fit(FIVE).tree_
    assert five.n_leaves == 2
    assert hb.TreeDensity(support=FIVE_BOX, min_gain=0.053).fit(FIVE).tree_.n_leaves == 1


# ---- pruning -------------------------------------------------------------------------------------------


def cost(tree, alpha):
    """R + alpha |leaves|."""
    leaves = tree.first_child < 0
    return (
        -float((tree.answers()[leaves] * tree.weight[leaves]).sum()) / tree.weight[0] + alpha * leaves.sum()
    )


def every_subtree(tree, node=0):
    """All sets of nodes that may be collapsed."""
    if tree.first_child[node] < 0:
        return [[]]
    one, other = (every_subtree(tree, child) for child in tree.children(node))
    return [[node]] + [a + b for a in one for b in other]


@pytest.mark.parametrize("seed", range(8))
def test_pruning_at_a_price_finds_the_cheapest_of_all_subtrees(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(8, 2)).round(1)
    full = hb.TreeDensity().fit(X).tree_
    subtrees = []
    for nodes in every_subtree(full):
        mask = np.zeros(len(full), dtype=bool)
        mask[nodes] = True
        subtrees.append(full.collapse(mask))
    for alpha in (0.0, 0.001, 0.01, 0.05, 0.3, 5.0):
        pruned = hb.TreeDensity(CostComplexity(alpha)).fit(X).tree_
        least = min(cost(tree, alpha) for tree in subtrees)
        assert cost(pruned, alpha) == pytest.approx(least)
        smallest = min(t.n_leaves for t in subtrees if cost(t, alpha) <= least + 1e-12)
        assert pruned.n_leaves == smallest


def test_the_path_of_the_worked_case():
    model = hb.TreeDensity("cost-complexity", support=FIVE_BOX).fit(FIVE)
    path = model.path_
    assert path.leaves.tolist() == [5, 4, 3, 2, 1]
    assert path.loss[-2:].tolist() == pytest.approx([-0.152978, -0.1], abs=1e-6)
    assert path.alpha[-1] == pytest.approx(0.052978, abs=1e-6)
    assert path.chosen == 0
    assert json.dumps(path.as_dict())


def test_a_cross_validated_score_is_that_of_growing_and_scoring_by_hand():
    X = np.random.default_rng(0).normal(size=(60, 2))
    model = hb.TreeDensity(CrossValidated(cv=4), random_state=1, min_samples_leaf=3).fit(X)
    full = hb.TreeDensity(min_samples_leaf=3).fit(X)
    path = model.path_
    order = np.lexsort((X[:, 1], X[:, 0]))
    fold = np.empty(60, dtype=int)
    fold[order] = np.random.default_rng(1).permutation(60) % 4
    box = list(zip(X.min(axis=0), X.max(axis=0), strict=True))
    for k in (0, len(path.alpha) // 2, len(path.alpha) - 2, len(path.alpha) - 1):
        last = k + 1 == len(path.alpha)
        alpha = np.inf if last else np.sqrt(path.alpha[k] * path.alpha[k + 1])
        scores = np.empty(60)
        for part in range(4):
            some = hb.TreeDensity(CostComplexity(alpha), support=box, min_samples_leaf=3).fit(X[fold != part])
            scores[fold == part] = some.score_samples(X[fold == part])
        assert path.score[k] == pytest.approx(scores.mean())
        assert path.error[k] == pytest.approx(scores.std() / np.sqrt(60))
        assert (
            path.leaves[k]
            == hb.TreeDensity(CostComplexity(path.alpha[k]), min_samples_leaf=3).fit(X).tree_.n_leaves
        )
    assert path.score[path.chosen] == path.score.max()
    assert model.tree_ == Links(full.tree_).collapsed(Links(full.tree_).prices()[path.chosen])


def test_the_squared_error_of_a_price_is_that_of_ram_and_gray():
    X = np.random.default_rng(5).normal(size=(40, 1))
    model = hb.TreeDensity(CrossValidated(cv=2, score="squared-error"), random_state=1).fit(X)
    fold = np.empty(40, dtype=int)
    fold[np.argsort(X[:, 0])] = np.random.default_rng(1).permutation(40) % 2
    path, total = model.path_, 0.0
    k = len(path.alpha) - 2
    alpha = np.sqrt(path.alpha[k] * path.alpha[k + 1])
    for part in range(2):
        box = [(X.min(), X.max())]
        some = hb.TreeDensity(CostComplexity(alpha), support=box).fit(X[fold != part])
        squared = -cost(some.tree_, 0.0)
        total += (2 * np.exp(some.score_samples(X[fold == part])) - squared).sum()
    assert path.score[k] == pytest.approx(total / 40)


def test_cross_validation_finds_a_tree_that_new_rows_believe():
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(2000, 1)), rng.normal(size=(2000, 1))
    support = [(-7, 7)]
    grown = hb.TreeDensity(support=support, min_samples_leaf=5).fit(X)
    pruned = hb.TreeDensity("cross-validated", support=support, min_samples_leaf=5, random_state=0).fit(X)
    careful = hb.TreeDensity(
        CrossValidated(rule="1-se"), support=support, min_samples_leaf=5, random_state=0
    ).fit(X)
    assert careful.tree_.n_leaves < pruned.tree_.n_leaves < grown.tree_.n_leaves
    assert pruned.score(new) > grown.score(new)
    assert pruned.score(new) > careful.score(new) > 2000 * -np.log(14)
    assert integral(pruned.tree_) == pytest.approx(1)


def test_pruning_is_seeded():
    X = np.random.default_rng(0).normal(size=(200, 2))
    one, two = (hb.TreeDensity("cross-validated", random_state=7).fit(X) for _ in range(2))
    assert one.tree_ == two.tree_
    assert one.path_.score.tolist() == two.path_.score.tolist()
    other = hb.TreeDensity("cross-validated", random_state=8).fit(X)
    assert one.path_.score.tolist() != other.path_.score.tolist()


def test_of_few_rows_each_is_a_part_of_its_own():
    one, other = (
        hb.TreeDensity(CrossValidated(cv=cv), support=FIVE_BOX, random_state=0).fit(FIVE) for cv in (5, 10)
    )
    assert one.path_.score.tolist() == pytest.approx(other.path_.score.tolist())
    alone = hb.TreeDensity("cross-validated").fit([[1.0]])
    assert alone.path_.leaves.tolist() == [1]


# ---- drawing -------------------------------------------------------------------------------------------


def test_what_is_drawn_follows_the_density():
    frame = mixed(500)
    model = hb.TreeDensity(min_samples_leaf=30).fit(frame)
    drawn = model.sample(20_000, random_state=0)
    assert np.isfinite(model.score_samples(drawn)).all()
    tree = model.tree_
    leaves = np.flatnonzero(tree.first_child < 0)
    shares = np.bincount(model.apply(drawn), minlength=len(tree))[leaves] / 20_000
    assert shares == pytest.approx(tree.weight[leaves] / tree.weight[0], abs=0.015)
    assert drawn["city"].value_counts(normalize=True)["Brno"] == pytest.approx(
        (frame["city"] == "Brno").mean(), abs=0.05
    )
    heavy = leaves[np.argmax(tree.weight[leaves])]
    inside = drawn[model.apply(drawn) == heavy]
    low, high = next(
        (a[nodes == heavy][0], b[nodes == heavy][0]) for nodes, a, b in boxes(tree) if heavy in nodes
    )
    assert inside["age"].mean() == pytest.approx((low[0] + high[0]) / 2, abs=0.05 * (high[0] - low[0]))
    assert inside["size"].nunique() == round(sides(low, high)[3])


def test_a_sample_is_the_kind_of_table_that_was_learned_from():
    frame = mixed(80)
    numbers = frame[["age", "rooms"]]
    assert isinstance(hb.TreeDensity().fit(numbers.to_numpy()).sample(3), np.ndarray)
    assert hb.TreeDensity().fit(numbers.to_numpy()).sample(3).shape == (3, 2)
    assert hb.TreeDensity().fit(frame.to_numpy()).sample(3).dtype == object
    words = hb.TreeDensity(categorical_features=[1]).fit(numbers.to_numpy()).sample(50, 0)
    assert set(words[:, 1]) <= {1.0, 2.0, 3.0, 4.0, 5.0}
    drawn = hb.TreeDensity().fit(frame).sample(3)
    assert isinstance(drawn, pd.DataFrame)
    assert list(drawn.columns) == list(frame.columns)
    assert drawn["size"].cat.ordered
    assert isinstance(hb.TreeDensity().fit(pl.from_pandas(numbers)).sample(3), pl.DataFrame)
    assert type(hb.TreeDensity().fit(pl.from_pandas(numbers).to_arrow()).sample(3)).__name__ == "Table"
    columns = hb.TreeDensity().fit({"x": [1.0, 2.0], "w": ["a", "b"]}).sample(3)
    assert isinstance(columns, dict)
    assert set(columns["w"]) <= {"a", "b"}
    sizes = {"s": pd.Categorical(list("SML"), list("SMLX"), ordered=True), "x": np.arange(3.0)}
    assert set(hb.TreeDensity().fit(sizes).sample(9)["s"]) <= set("SMLX")
    assert hb.TreeDensity().fit(pd.DataFrame(sizes).to_dict("records")).sample(2, 0)[0]["s"] in "SML"
    assert hb.TreeDensity().fit([{"w": True}, {"w": False}]).sample(1, 0)[0]["w"] in (True, False)


def test_a_sample_is_seeded():
    model = hb.TreeDensity().fit(np.random.default_rng(0).normal(size=(50, 2)))
    assert model.sample(5, random_state=3).tolist() == model.sample(5, random_state=3).tolist()
    assert model.sample(5, random_state=3).tolist() != model.sample(5, random_state=4).tolist()
    assert model.sample().shape == (1, 2)


def test_times_are_drawn_as_times():
    days = pd.date_range("2024-01-01", periods=30, tz="Europe/Prague")
    frame = pd.DataFrame({"when": days, "took": pd.to_timedelta(np.arange(30), unit="h")})
    ends = (pd.Timestamp("2023-12-01", tz="Europe/Prague"), pd.Timestamp("2024-03-01", tz="Europe/Prague"))
    model = hb.TreeDensity(support={"when": ends}, max_depth=2).fit(frame)
    drawn = model.sample(20, random_state=0)
    assert np.isfinite(model.score_samples(drawn)).all()
    assert drawn["when"].dt.tz is not None
    assert drawn["took"].dtype.kind == "m"


# ---- readers and copies --------------------------------------------------------------------------------


def test_a_density_tree_is_shown_explained_and_copied():
    model = hb.TreeDensity(max_depth=3).fit(mixed(100))
    tree = model.tree_
    assert hb.Tree.from_dict(json.loads(json.dumps(tree.to_dict(), allow_nan=False))) == tree
    assert pickle.loads(pickle.dumps(model)).tree_ == tree
    assert len(hb.show(model).splitlines()) == len(tree)
    assert sum(rule.support for rule in hb.rules(model)) == 100
    row = mixed(100).iloc[0]
    told = hb.explain(model, row)
    assert told.answer == pytest.approx(float(np.exp(model.score_samples(mixed(100).iloc[[0]]))[0]))
    assert tree.predict({"age": [300.0], "rooms": [2], "city": ["Brno"], "size": ["S"]}).tolist() == [0.0]
    told = hb.explain(model, {"age": 300.0, "rooms": 2, "city": "Kdyně", "size": "S"})
    assert told.answer == 0.0
    assert "because  age is 300: outside the support" in str(told)
    assert "city is 'Kdyně', which training never saw: outside the support" in str(told)
    assert tree.predict(mixed(100)) == pytest.approx(np.exp(model.score_samples(mixed(100))))
    assert model.feature_importances_.sum() == pytest.approx(1)


def test_a_refitted_tree_has_the_densities_of_the_new_rows():
    tree = hb.TreeDensity(max_depth=1, support=FIVE_BOX).fit(FIVE).tree_
    again = tree.refit({"x": [1.0, 9.0, 9.5, 8.0]}, [0, 0, 0, 0])
    assert again.answers()[1:].tolist() == pytest.approx([0.25 / 2.75, 0.75 / 7.25])
    same_rows = tree.refit(FIVE, [0] * 5)
    assert same_rows.gain[0] == pytest.approx(tree.gain[0])
    assert same_rows.impurity.tolist() == pytest.approx(tree.impurity.tolist())


def test_a_box_that_does_not_follow_from_its_test_must_be_given():
    nested = {"column": "w", "equals": "a", "box": {"x": [0, 1]}, "yes": {"n": 1}, "no": {"n": 2}}
    table = {"w": ["a", "b"], "x": [0.0, 1.0]}
    with pytest.raises(ValueError, match="node 1 of this density tree has no box"):
        hb.Tree.from_nested(nested, table, task="density").answers()


def test_progress_is_told_and_stops_the_growth():
    X = np.random.default_rng(0).normal(size=(60_000, 3))
    shares = []
    hb.TreeDensity(min_samples_leaf=50).fit(X, progress=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1
    with pytest.raises(hb.GrowthInterrupted) as caught:
        hb.TreeDensity().fit(X, progress=lambda share: True)
    tree = caught.value.tree
    assert tree.n_rows[tree.first_child < 0].sum() == 60_000
    assert integral(tree) == pytest.approx(1)


def test_pruning_is_told_and_stopped_too():
    X = np.random.default_rng(0).normal(size=(500, 2))
    shares = []
    model = hb.TreeDensity(CrossValidated(cv=4), random_state=0)
    model.fit(X, progress=shares.append)
    assert shares == sorted(shares)
    assert {0.2, 0.4, 0.6, 0.8, 1.0} <= {round(share, 9) for share in shares}
    with pytest.raises(hb.GrowthInterrupted, match="pruning was interrupted") as caught:
        model.fit(X, progress=lambda share: share >= 0.4)
    assert caught.value.tree == hb.TreeDensity().fit(X).tree_


def test_two_threads_fit_at_once():
    X = np.random.default_rng(0).normal(size=(3000, 4))
    alone, found = hb.TreeDensity().fit(X).tree_, [None, None]

    def work(k):
        found[k] = hb.TreeDensity().fit(X).tree_

    threads = [threading.Thread(target=work, args=(k,)) for k in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [alone, alone]


# ---- what is refused -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("support", "words"),
    [
        ({"z": (0, 1)}, "support names the column 'z', which X does not have"),
        ({"x": (0, 8)}, "leaves out the value 9 of row 4"),
        ({"x": (5, 5)}, "must be a pair"),
        ({"x": (10, 0)}, "must be a pair"),
        ({"x": 3}, "must be a pair"),
        ({"x": (0, float("inf"))}, "must be a pair"),
        ({"x": ("a", "b")}, "must be a pair"),
        ({"w": (0, 1)}, "its support are its categories"),
        ([(0, 1)], "one pair"),
        ("wide", "must be None for the range of the data"),
    ],
)
def test_a_support_that_cannot_be_is_refused_in_a_sentence(support, words):
    with pytest.raises(ValueError, match=words):
        hb.TreeDensity(support=support).fit(FIVE | {"w": list("aabbb")})


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"pruning": "cross-valid"}, "did you mean 'cross-validated'"),
        ({"pruning": CrossValidated}, "is a class: put an object in"),
        ({"pruning": CrossValidated(cv=1)}, "cv=1 must be a whole number of at least 2"),
        ({"pruning": CrossValidated(rule="min")}, "rule='min' must be one of 'best', '1-se'"),
        ({"pruning": CrossValidated(score="mse")}, "score='mse' must be one of"),
        ({"pruning": CostComplexity(-1)}, "alpha=-1 must be a number, 0 or more"),
        ({"max_depth": -1}, "max_depth=-1"),
        ({"min_samples_leaf": 0}, "min_samples_leaf=0"),
        ({"min_gain": "a"}, "min_gain='a'"),
        ({"n_jobs": 0}, "n_jobs=0"),
    ],
)
def test_a_parameter_that_is_not_allowed_is_refused_in_a_sentence(params, words):
    with pytest.raises((ValueError, TypeError), match=words):
        hb.TreeDensity(**params).fit(FIVE)


def test_gaps_and_infinities_are_refused_in_a_sentence():
    with pytest.raises(ValueError, match="contains NaN: column 'x' has no value in row 1"):
        hb.TreeDensity().fit({"x": [1.0, None]})
    with pytest.raises(ValueError, match="contains NaN: column 'w' has no value in row 0"):
        hb.TreeDensity().fit({"w": [None, "a", "b"]})
    with pytest.raises(ValueError, match="holds infinity"):
        hb.TreeDensity().fit([[1.0], [np.inf]])
    model = hb.TreeDensity().fit(FIVE)
    with pytest.raises(ValueError, match="contains NaN"):
        model.score_samples({"x": [np.nan]})
    with pytest.raises(ValueError, match="wider than float64 can measure"):
        hb.TreeDensity().fit([[-1.7e308], [1.7e308]])
    with pytest.raises(ValueError, match="n_samples=0 must be"):
        model.sample(0)


# ---- scikit-learn --------------------------------------------------------------------------------------

ESTIMATORS = [
    hb.TreeDensity(),
    hb.TreeDensity("cross-validated", min_samples_leaf=2, random_state=0),
    hb.TreeDensity(CostComplexity(alpha=0.01), max_leaf_nodes=20),
    hb.TreeDensity(CrossValidated(cv=3, rule="1-se", score="squared-error"), max_depth=4, random_state=1),
]


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_checks_pass(estimator, check):
    if check.func.__name__ == "check_positive_only_tag_during_fit" and sklearn.__version__.startswith("1.6."):
        pytest.skip("scikit-learn 1.6 makes whole numbers for this check, then subtracts their mean in place")
    check(estimator)


def test_a_grid_search_chooses_the_size_by_likelihood():
    X = np.random.default_rng(0).normal(size=(400, 1))
    grid = {"min_samples_leaf": [1, 20, 400]}
    search = GridSearchCV(hb.TreeDensity(support=[(-8, 8)]), grid, cv=4).fit(X)
    assert search.best_params_ == {"min_samples_leaf": 20}
    nested = hb.TreeDensity(CrossValidated()).set_params(pruning__cv=3)
    assert nested.pruning.cv == 3
    with pytest.raises(ValueError, match="put the part in first"):
        hb.TreeDensity("cross-validated").set_params(pruning__cv=3)


# ---- the page ------------------------------------------------------------------------------------------


def test_the_numbers_of_the_page_are_those_of_the_code():
    page = Path(__file__).parents[1] / "docs" / "algorithms" / "density.md"
    examples = "\n".join(
        re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    )
    test = doctest.DocTestParser().get_doctest(examples, {}, page.name, page.name, 0)
    assert len(test.examples) > 10
    assert doctest.DocTestRunner().run(test).failed == 0
