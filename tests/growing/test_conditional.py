"""Conditional inference trees: the tests against partykit's numbers, the trees against partykit's trees."""

import json
import math
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from tests.golden.ctree import tables

import hornbeam as hb
from hornbeam._base.significance.contingency import chi_square
from hornbeam.estimators.recipes.regression_recipes import ctree
from hornbeam.parts import Binary, Conditional
from hornbeam.teaching.permutation_test import permutation_test

GOLDEN = Path(__file__).parents[1] / "golden" / "ctree"
REAL = ("diabetes", "prices")
# name of the file: table, part, rows in a leaf
GROWN = {name: (name, Conditional(min_rows=20), 7) for name in tables.NAMES} | {
    "breast_cancer_maximum": ("breast_cancer", Conditional(test="maximum", cut="maximum", min_rows=20), 7),
    "wine_univariate": ("wine", Conditional(0.2, bonferroni=False, cut="maximum", min_rows=10), 3),
}


def frame_of(name):
    columns, target, counts = tables.table(name)
    frame = pd.DataFrame(columns)
    for column, values in tables.ORDERED.items():
        if column in frame:
            frame[column] = pd.Categorical(frame[column], categories=values, ordered=True)
    return frame, np.array(target), counts


def grown(name):
    table, part, leaf = GROWN[name]
    frame, target, counts = frame_of(table)
    make = hb.TreeRegressor if table in REAL else hb.TreeClassifier
    split = Binary(threshold_at="lower")  # as partykit cuts
    model = make(selection=part, split=split, missing="majority", min_samples_leaf=leaf)
    return model.fit(frame, target, counts=counts), frame, target, counts


def pairs(golden, tree, node=0):
    """Every node of partykit's tree with ours."""
    yield golden, node
    kids, ours = golden.get("kids", []), list(tree.children(node))
    assert len(kids) == len(ours), f"node {node}: partykit has {len(kids)} kids, we have {len(ours)}"
    for kid, child in zip(kids, ours, strict=True):
        yield from pairs(kid, tree, child)


def same_sides(golden, tree, node):
    column = tree.columns[int(tree.column[node])]
    assert column.name == golden["column"]
    if "left" in golden:
        codes, branches = tree.value_map(node)
        sides = [{column.categories[c] for c in codes[branches == k]} for k in (0, 1)]
        return sides == [set(golden["left"]), set(golden["right"])]
    if column.kind == "ordinal":
        return column.categories[math.floor(tree.threshold[node])] == golden["break"]
    return tree.gap[node, 0] == golden["break"] == tree.threshold[node]


@pytest.mark.parametrize("name", GROWN)
def test_the_tree_is_partykits(name):
    golden = json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))
    model, _, _, _ = grown(name)
    # a set of values is the same whichever side is called the first: put partykit's kids in our order
    for theirs, node in pairs(_in_our_order(golden), model.tree_):
        assert model.tree_.n_rows[node] == theirs["n"]
        assert (model.tree_.kind_of(node) == "leaf") == ("column" not in theirs)
        if "column" in theirs:
            assert same_sides(theirs, model.tree_, node)


def _in_our_order(golden):
    kids = [_in_our_order(kid) for kid in golden.get("kids", [])]
    if "left" in golden and min(golden["right"]) < min(golden["left"]):
        return golden | {"left": golden["right"], "right": golden["left"], "kids": kids[::-1]}
    return golden | ({"kids": kids} if kids else {})


@pytest.mark.parametrize("name", GROWN)
def test_every_column_of_every_node_has_partykits_statistic_and_p_value(name):
    golden = _in_our_order(json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8")))
    model, frame, target, counts = grown(name)
    part = GROWN[name][1]
    passed = model.decision_path(frame).toarray().astype(bool)
    digits = 1e-3 if part.test == "maximum" else 1e-7  # partykit integrates numerically
    for theirs, node in pairs(golden, model.tree_):
        rows = np.flatnonzero(passed[:, node])
        tested = theirs.get("statistic", {})
        for column, statistic in tested.items():
            found = permutation_test(
                frame[column].iloc[rows],
                target[rows],
                task="real" if GROWN[name][0] in REAL else "classes",
                test=part.test,
                counts=None if counts is None else np.array(counts)[rows],
            )
            assert found.statistic == pytest.approx(statistic, rel=1e-8, abs=1e-10)
            # partykit keeps tests x log(1 - p), which is -tests x p for a tiny p
            kept = theirs["log_kept"][column] / (len(tested) if part.bonferroni else 1)
            assert math.log1p(-found.p) == pytest.approx(kept, rel=digits)


@pytest.mark.parametrize("name", ["iris", "mixed", "prices"])
def test_the_tree_keeps_the_test_of_each_split(name):
    golden = _in_our_order(json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8")))
    model, _, _, _ = grown(name)
    root = model.tree_.meta["facts"][""]
    assert root["statistic"] == pytest.approx(golden["statistic"][golden["column"]], rel=1e-8)
    assert root["n_tested"] == len(golden["statistic"])
    assert root["log_corrected_p"] == pytest.approx(math.log(-golden["log_kept"][golden["column"]]), rel=1e-8)


# --- by hand ------------------------------------------------------------------------------------------------


def test_the_test_of_a_numeric_column_and_target_is_the_squared_correlation():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 50))
    found = permutation_test(x, y, task="real")
    assert found.statistic == pytest.approx(49 * np.corrcoef(x, y)[0, 1] ** 2)
    assert found.p == pytest.approx(stats.chi2.sf(found.statistic, 1))


def test_the_test_of_a_nominal_column_and_classes_is_pearsons_up_to_a_factor():
    rng = np.random.default_rng(1)
    x, y = rng.choice(list("abcd"), 120), rng.choice(list("uvw"), 120)
    table = [[int(np.sum((x == a) & (y == b))) for b in "uvw"] for a in "abcd"]
    expected = chi_square(table)
    found = permutation_test(x, y)
    assert found.statistic == pytest.approx(119 / 120 * expected.chi2)
    assert found.p == pytest.approx(stats.chi2.sf(found.statistic, 6))


def moments_by_permuting(g, h):
    """Mean and covariance of the linear statistic over every permutation of the target, one by one."""
    all_t = np.array([(g.T @ h[list(order)]).ravel(order="F") for order in permutations(range(len(h)))])
    return all_t.mean(axis=0), np.atleast_2d(np.cov(all_t.T, bias=True))


@pytest.mark.parametrize("form", ["quadratic", "maximum"])
@pytest.mark.parametrize("nominal", [False, True])
@pytest.mark.parametrize("real", [False, True])
def test_statistics_are_standardised_by_the_moments_over_all_permutations(form, nominal, real):
    x = np.array(list("aabbcb")) if nominal else np.array([1.0, 2.0, 4.0, 4.0, 7.0, 9.0])
    y = np.array([0.5, 1.0, 3.0, 2.0, 7.0, 5.0]) if real else np.array(list("pqqrpr"))
    g = np.array([[v == a for a in "abc"] for v in x], dtype=float) if nominal else x[:, None]
    h = y[:, None] if real else np.array([[v == c for c in "pqr"] for v in y], dtype=float)
    mean, covariance = moments_by_permuting(g, h)
    gap = (g.T @ h).ravel(order="F") - mean
    if form == "quadratic":
        expected = gap @ np.linalg.pinv(covariance, rcond=1e-8, hermitian=True) @ gap
    else:
        expected = np.max(np.abs(gap) / np.sqrt(np.diag(covariance)))
    found = permutation_test(x, y, task="real" if real else "classes", test=form)
    assert found.statistic == pytest.approx(expected)


def test_a_constant_column_or_target_cannot_be_tested_and_is_not_counted():
    assert math.isnan(permutation_test([1, 1, 1], ["a", "b", "a"]).statistic)
    assert math.isnan(permutation_test([1, 2, 3], ["a", "a", "a"]).p)
    assert math.isnan(permutation_test([None, None], [1.0, 2.0], task="real").p)
    x = np.arange(60.0)
    X = pd.DataFrame({"constant": 1.0, "x": x, "empty": np.nan})
    model = hb.TreeClassifier(selection="conditional").fit(X, x > 30)
    assert model.tree_.meta["facts"][""]["n_tested"] == 1


def test_gaps_take_no_part_in_the_test_of_their_column():
    x, y = [1.0, None, 2.0, 5.0, None, 4.0], ["a", "b", "a", "b", "a", "b"]
    known = [0, 2, 3, 5]
    assert permutation_test(x, y) == permutation_test([x[i] for i in known], [y[i] for i in known])


def test_counts_are_repetitions_and_weights_are_scaled():
    x, y, n = [1.0, 2.0, 3.0, 5.0], ["a", "a", "b", "b"], [1, 3, 2, 2]
    repeated = permutation_test(np.repeat(x, n), np.repeat(y, n))
    counted = permutation_test(x, y, counts=n)
    assert (counted.n, counted.statistic) == (8, pytest.approx(repeated.statistic))
    weighted = permutation_test(x, y, sample_weight=[7.0] * 4)
    assert (weighted.n, weighted.statistic) == (4, pytest.approx(permutation_test(x, y).statistic))


def shifted(n=60):
    """A column that moves the target, one that does not; rows alternate."""
    rng = np.random.default_rng(3)
    x, noise = rng.normal(size=(2, n))
    return pd.DataFrame({"noise": noise, "x": x}), np.where(x > 0.3, "high", "low")


def test_the_column_that_matters_is_cut_where_it_matters():
    X, y = shifted()
    tree = hb.TreeClassifier(selection="conditional").fit(X, y).tree_
    assert tree.columns[tree.column[0]].name == "x"
    assert tree.gap[0, 0] <= 0.3 < tree.gap[0, 1]
    assert tree.n_leaves == 2


def test_the_order_of_rows_never_changes_the_tree():
    X, y = shifted()
    order = np.random.default_rng(0).permutation(len(y))
    model = hb.TreeClassifier(selection="conditional")
    assert (
        model.fit(X, y).tree_ == hb.TreeClassifier(selection="conditional").fit(X.iloc[order], y[order]).tree_
    )


def test_noise_is_not_split_whatever_the_number_of_values():
    rng = np.random.default_rng(7)
    split = 0
    for _ in range(40):
        X = pd.DataFrame({"real": rng.normal(size=100), "city": rng.choice(list("abcdefghij"), 100)})
        split += hb.TreeClassifier(selection="conditional").fit(X, rng.integers(0, 2, 100)).tree_.n_tests
    assert split <= 6  # 5 % of 40 are 2


def test_a_nominal_column_is_parted_into_the_best_of_all_sets():
    rng = np.random.default_rng(2)
    x = rng.choice(list("abcdef"), 300)
    y = np.select([np.isin(x, list("ace")), x == "b"], [rng.integers(0, 2, 300), 2], rng.integers(1, 4, 300))
    tree = hb.TreeClassifier(selection="conditional", max_depth=1).fit({"x": x.tolist()}, y).tree_
    sides = [np.isin(x, list(values)) for k in range(1, 6) for values in combinations("abcdef", k)]
    tables_ = [[np.bincount(y[side], minlength=4), np.bincount(y[~side], minlength=4)] for side in sides]
    best = max(chi_square(table).chi2 for table in tables_)
    assert tree.meta["facts"][""]["cut_statistic"] == pytest.approx(299 / 300 * best)


def test_many_nominal_values_of_two_classes_are_parted_in_the_order_of_their_shares():
    rng = np.random.default_rng(4)
    share = np.linspace(0.1, 0.9, 30)
    code = rng.integers(0, 30, 900)
    y = rng.random(900) < share[code]
    x = np.array([f"v{k:02d}" for k in code])
    tree = hb.TreeClassifier(selection="conditional", max_depth=1).fit({"x": x.tolist()}, y).tree_
    codes, branches = tree.value_map(0)
    means = np.array([y[code == c].mean() for c in codes])
    ordered = np.sort(means[branches == 0]), np.sort(means[branches == 1])
    assert ordered[0][-1] <= ordered[1][0] or ordered[1][-1] <= ordered[0][0]


@pytest.mark.parametrize("missing", ["learn", "branch"])
def test_gaps_go_where_the_missing_rule_sends_them(missing):
    x = [float(k) for k in range(40)] + [None] * 20
    y = ["low"] * 20 + ["high"] * 40
    model = hb.TreeClassifier(selection="conditional", missing=missing).fit({"x": x}, y)
    assert model.predict({"x": [None, 3.0, 30.0]}).tolist() == ["high", "low", "high"]
    assert model.tree_.n_children[0] == (3 if missing == "branch" else 2)


def test_a_branch_holds_the_share_of_rows_asked_for():
    x = np.arange(200.0)
    y = np.where(x < 5, 50.0, 0.0) + x / 1000
    free = hb.TreeRegressor(selection=Conditional(min_share=0.0), max_depth=1).fit(x[:, None], y).tree_
    held = hb.TreeRegressor(selection=Conditional(min_share=0.2), max_depth=1).fit(x[:, None], y).tree_
    assert free.n_rows[1] == 5
    assert held.n_rows[1] == 40


def test_a_column_that_cannot_be_cut_gives_way_to_the_next():
    rng = np.random.default_rng(5)
    rare = np.array([1] * 6 + [0] * 94)
    other = rng.normal(size=100) + np.where(rare, 2.0, 0.0)
    y = np.where(rare, 10.0, 0.0) + rng.normal(size=100)
    X = pd.DataFrame({"rare": rare.astype(str), "other": other})
    two = hb.TreeRegressor(selection=Conditional(tries=2), min_samples_leaf=10, max_depth=1).fit(X, y).tree_
    one = hb.TreeRegressor(selection=Conditional(tries=1), min_samples_leaf=10, max_depth=1).fit(X, y).tree_
    assert two.columns[two.column[0]].name == "other"
    assert one.n_tests == 0


def test_a_level_that_is_stricter_makes_a_smaller_tree():
    frame, target, _ = frame_of("diabetes")
    sizes = [
        hb.TreeRegressor(selection=Conditional(alpha), min_samples_leaf=7).fit(frame, target).tree_.n_leaves
        for alpha in (0.5, 0.05, 1e-6, 0.0)
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[1] > sizes[2] > sizes[3] == 1


def test_with_max_features_only_the_columns_drawn_are_tested():
    frame, target, _ = frame_of("wine")
    model = hb.TreeClassifier(selection="conditional", max_features=4, random_state=0).fit(frame, target)
    assert model.tree_.meta["facts"][""]["n_tested"] == 4


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"alpha": -1}, "alpha=-1 must be a number from 0 to 1"),
        ({"bonferroni": "yes"}, "bonferroni='yes' must be True or False"),
        ({"test": "mean"}, "test='mean' must be one of 'quadratic', 'maximum'"),
        ({"cut": "best"}, "cut='best' must be one of 'quadratic', 'maximum'"),
        ({"min_share": 0.6}, "min_share=0.6 must be a number from 0 to 0.5"),
        ({"tries": 0}, "tries=0 must be a whole number of at least 1"),
        ({"min_rows": 1.5}, "min_rows=1.5 must be a whole number of at least 1"),
    ],
)
def test_a_bad_number_of_the_part_is_refused_by_name(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        hb.TreeClassifier(selection=Conditional(**options)).fit([[1], [2]], [0, 1])


def test_bad_input_of_the_permutation_test_is_refused_by_name():
    with pytest.raises(ValueError, match="task='ranks' must be 'classes' or 'real'"):
        permutation_test([1, 2], [1, 2], task="ranks")
    with pytest.raises(ValueError, match="test='exact' must be one of"):
        permutation_test([1, 2], [1, 2], test="exact")
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        permutation_test([1, 2, 3], [1, 2])


def test_a_kind_of_split_that_would_be_ignored_is_refused():
    X, y = shifted()
    with pytest.raises(ValueError, match=r"split=Multiway\(\) has no meaning with selection=Conditional\(\)"):
        hb.TreeClassifier(selection="conditional", split="multiway").fit(X, y)


# --- the recipe ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", tables.NAMES)
def test_the_recipe_has_partykits_defaults(name):
    frame, target, counts = frame_of(name)
    recipe = ctree("real" if name in REAL else "classes")
    assert recipe.fit(frame, target, counts=counts).tree_ == grown(name)[0].tree_


def test_the_recipe_passes_other_parameters_on():
    assert ctree(max_depth=1).max_depth == 1
    with pytest.raises(ValueError, match="task='both' must be 'classes', 'real' or 'survival'"):
        ctree("both")
