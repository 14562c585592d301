"""M5: factor, smoothing, replacement of subtrees, the recipe; and what Weka's M5P answers."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from tests.golden.m5p.tables import TABLES

import hornbeam as hb
from hornbeam.parts import Linear, ModelError
from hornbeam.teaching.measures import m5_factor, m5_smooth

GOLDEN = Path(__file__).parents[1] / "golden" / "m5p"


def test_pruning_factor_and_smoothing():
    found = [m5_factor(20, 2), m5_factor(6, 3), m5_smooth(10, 16, n=5, k=15)]
    assert found == pytest.approx([1.222222, 3.0, 14.5], abs=1e-6)


def test_the_factor_of_weka_counts_parameters_twice():
    assert m5_factor(20, 2, "weka") == pytest.approx(24 / 18)
    assert m5_factor(np.array([3, 2]), 2).tolist() == [5.0, np.inf]
    assert m5_factor(2, 2, "weka") == 10.0
    assert m5_smooth([10.0, 2.0], 16, n=5).tolist() == [14.5, 12.5]
    with pytest.raises(ValueError, match="must be numbers of at least 0"):
        m5_smooth(1, 2, n=-1)
    with pytest.raises(ValueError, match="factor='mine' must be one of 'quinlan', 'weka'"):
        m5_factor(2, 2, "mine")


def steps(seed=0, n=200):
    rng = np.random.default_rng(seed)
    X = rng.uniform(0, 10, (n, 3))
    y = np.where(X[:, 0] < 4, 3 * X[:, 1], 20 - X[:, 1]) + rng.normal(0, 0.5, n)
    return X, y


# --- replacement --------------------------------------------------------------------------------------------


def adjusted_by_hand(tree, model_of, factor):
    """M5's decisions recursively: (squares, parameters, nodes that stay tests)."""
    m = {"quinlan": 1, "weka": 2}[factor]

    def error(squares, v, n):
        return np.inf if n <= v else np.sqrt(squares / n) * (n + m * v) / (n - v)

    def visit(node):
        n = tree.n_rows[node]
        squares, v = model_of(node)
        if tree.first_child[node] < 0:
            return squares, v, set()
        below = [visit(child) for child in tree.children(node)]
        total, all_v = sum(b[0] for b in below), sum(b[1] for b in below) + 1
        if error(squares, v, n) <= error(total, all_v, n) * (1 + 1e-12):
            return squares, v, set()
        return total, all_v, {node}.union(*(b[2] for b in below))

    return visit(0)[2]


@pytest.mark.parametrize("seed", range(4))
def test_subtrees_are_replaced_where_a_recursion_by_hand_replaces_them(seed):
    X, y = steps(seed)
    leaf = Linear("tested-below", drop="quinlan")
    full = hb.TreeRegressor("sd", leaf=leaf, min_samples_leaf=4, min_sd_share=0.05).fit(X, y)
    tree = full.tree_

    def model_of(node):
        found = tree.leaf_models.get(node)
        if found is None:
            return float(tree.impurity[node] ** 2 * tree.n_rows[node]), 1
        return found["error"] * tree.n_rows[node], found["size"]

    pruned = ModelError("quinlan").prune(tree)
    kept = adjusted_by_hand(tree, model_of, "quinlan")
    stay = {d.node for d in pruned.decisions if d.action == "keep"}
    assert kept <= stay  # what is below a replaced node was examined, too
    assert pruned.tree.n_tests == len(kept)
    assert len(pruned.decisions) == tree.n_tests
    assert pruned.tree.n_leaves < tree.n_leaves
    assert full.tree_ is tree


def test_pruning_by_m5_needs_numbers():
    with pytest.raises(ValueError, match="use it in a TreeRegressor"):
        hb.TreeClassifier(pruning="m5").fit([[1], [2]], ["a", "b"])
    tree = hb.TreeClassifier().fit([[1], [2]], ["a", "b"]).tree_
    with pytest.raises(ValueError, match="cannot prune a tree of classes"):
        ModelError().prune(tree)
    with pytest.raises(ValueError, match="factor='mine'"):
        hb.TreeRegressor(pruning=ModelError("mine")).fit([[1], [2]], [1, 2])


def test_a_tree_of_means_is_pruned_by_its_means():
    X, y = steps(1)
    full = hb.TreeRegressor(min_samples_leaf=5).fit(X, y)
    small = hb.prune(full, "m5")
    assert 1 < small.tree_.n_leaves < full.tree_.n_leaves


# --- smoothing ----------------------------------------------------------------------------------------------


def test_smoothed_equations_are_the_prediction_passed_up_the_path():
    X, y = steps(2)
    plain = hb.TreeRegressor(leaf=Linear(clip=False), min_samples_leaf=15).fit(X, y).tree_
    smooth = hb.TreeRegressor(leaf=Linear(clip=False, smoothing=15), min_samples_leaf=15).fit(X, y).tree_
    new = np.random.default_rng(5).uniform(0, 10, (50, 3))

    def own(node, row):
        found = plain.leaf_models[node]
        return found["intercept"] + sum(t["coefficient"] * row[int(t["column"][1:])] for t in found["terms"])

    for row, leaf, said in zip(new, plain.route(new).leaf.tolist(), smooth.predict(new), strict=True):
        path = plain.path(leaf)[::-1]
        p = own(leaf, row)
        for below, above in itertools.pairwise(path):
            p = m5_smooth(p, own(above, row), n=plain.n_rows[below], k=15)
        assert said == pytest.approx(p, rel=1e-9)


# --- the recipe ---------------------------------------------------------------------------------------------


def test_the_recipe_is_made_of_parts():
    model = hb.m5(max_depth=4)
    assert model.criterion == "sd"
    assert (model.leaf.columns, model.leaf.drop, model.leaf.smoothing) == ("tested-below", "akaike", 15.0)
    assert model.pruning.factor == "quinlan"
    assert (model.min_samples_split, model.min_sd_share, model.max_depth) == (4, 0.05, 4)
    assert repr(hb.recipe("m5")) == repr(hb.m5())
    weka = hb.m5(factor="weka")
    assert (weka.pruning.factor, weka.leaf.drop) == ("weka", "akaike")
    assert hb.m5(drop="quinlan").leaf.drop == "quinlan"


def test_growing_stops_below_four_rows_and_five_percent():
    X, y = steps(3)
    full = hb.m5().set_params(pruning=None).fit(X, y).tree_
    split = full.first_child >= 0
    assert full.n_rows[split].min() >= 4
    assert (full.impurity[split] >= 0.05 * full.impurity[0]).all()


def test_an_equation_uses_only_columns_tested_below_its_node():
    X, y = steps(4)
    tree = hb.m5(smoothing=0).set_params(pruning=None).fit(X, y).tree_
    for node, model in tree.leaf_models.items():
        below = {tree.columns[int(tree.column[n])].name for n, _ in tree.walk(node) if tree.column[n] >= 0}
        assert {term["column"] for term in model["terms"]} <= below
    assert not set(tree.leaves().tolist()) & set(tree.leaf_models)


def test_two_planes_make_two_leaves():
    X, y = steps(5, n=600)
    model = hb.m5().fit(X, y)
    assert model.tree_.n_leaves == 2
    assert "x1" in hb.show(model)


# --- Weka's M5P ---------------------------------------------------------------------------------------------


def golden(name, variant):
    told = json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))[variant]
    X, y = TABLES[name]()
    return X, y, np.array(told["predictions"]), told


def rmse(a, b):
    return float(np.sqrt(np.mean((np.asarray(a) - np.asarray(b)) ** 2)))


@pytest.mark.parametrize("variant", ["smoothed", "unsmoothed"])
@pytest.mark.parametrize("name", ["line", "two_planes", "noisy_planes"])
def test_planes_are_those_of_weka(name, variant):
    """Where the tree is beyond doubt, predictions agree to what Weka prints, or a fiftieth of y's spread.

    Weka drops terms by Akaike's criterion and searches cuts between the first and last fifth of the rows
    only, so noise may leave a term more or less.
    """
    X, y, said, told = golden(name, variant)
    smoothing = 15.0 if variant == "smoothed" else 0.0
    model = hb.m5(smoothing=smoothing, factor="weka", clip=False).fit(X, y)
    assert model.tree_.n_leaves == told["rules"]
    assert rmse(model.predict(X), said) < (0.001 if name != "noisy_planes" else 0.02 * np.std(y))


@pytest.mark.parametrize("variant", ["smoothed", "unsmoothed"])
@pytest.mark.parametrize("name", list(TABLES))
def test_the_training_error_is_of_the_size_of_wekas(name, variant):
    X, y, said, told = golden(name, variant)
    smoothing = 15.0 if variant == "smoothed" else 0.0
    model = hb.m5(smoothing=smoothing, factor="weka", clip=False).fit(X, y)
    assert rmse(said, y) == pytest.approx(told["rmse"], abs=6e-4)  # the file is whole
    mine = rmse(model.predict(X), y)
    assert mine <= 1.15 * told["rmse"] + 1e-3
    assert model.tree_.n_leaves <= 3 * told["rules"] + 2
