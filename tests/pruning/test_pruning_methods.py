"""Every pruning method against exhaustive search or its definition, on small random trees."""

import numpy as np
import pandas as pd
import pytest
from tests.oracles.prunings import Replacing, all_prunings, chi_square_pruned, srm_pruned

import hornbeam as hb
from hornbeam.data.table import Table
from hornbeam.data.target import Rows, Target
from hornbeam.parts import SRM, ChiSquare, Penalised, ReducedError, ReplaceByChild
from hornbeam.pruning.replace_by_child import core_can_replace, replace_by_core, replace_refitted
from hornbeam.pruning.risks import node_risks

FEW = "ignore:.*expected counts below 5:UserWarning"
SEEDS = range(12)


def random_table(rng, n):
    return pd.DataFrame(
        {
            "a": rng.integers(0, 6, n).astype(float),
            "b": rng.choice(list("uvwx"), n),
            "c": rng.choice(list("pqr"), n),
        }
    )


def samples(seed, task="classes", n_grown=60, n_held=40):
    """A tree of a few leaves, the rows it was grown on, and other rows, each of which reaches one leaf."""
    rng = np.random.default_rng(seed)
    X = random_table(rng, n_grown + n_held)
    signal = X["a"] + 2 * (X["b"] == "u") + rng.normal(0, 2, len(X))
    signal = signal.to_numpy()
    y = np.round(signal, 1) if task == "real" else np.digitize(signal, [1.5, 3.5][: 1 + seed % 2])
    split = ["binary", "multiway", "one-vs-rest"][seed % 3]
    if split == "binary":  # a value that a node never saw would follow all paths, and errors not add up
        X = X.assign(b=X["b"].map(ord), c=X["c"].map(ord))
    estimator = hb.TreeRegressor if task == "real" else hb.TreeClassifier
    model = estimator(split=split, max_leaf_nodes=9, min_samples_leaf=2)
    model.fit(X[:n_grown], y[:n_grown])
    return model, (X[:n_grown], y[:n_grown]), (X[n_grown:], y[n_grown:])


def loss(tree, X, y):
    found = tree.predict(X)
    return float(((found - y) ** 2).sum() if tree.task == "real" else (found != y).sum())


@pytest.mark.parametrize("task", ["classes", "real"])
@pytest.mark.parametrize("seed", SEEDS)
def test_reduced_error_finds_the_smallest_of_the_best_prunings(seed, task):
    model, _, held = samples(seed, task)
    found = hb.prune(model, "reduced-error", *held).tree_
    all_of_them = list(all_prunings(model.tree_))
    costs = [loss(tree, *held) for tree in all_of_them]
    best = [tree for tree, cost in zip(all_of_them, costs, strict=True) if cost <= min(costs) + 1e-9]
    assert loss(found, *held) == pytest.approx(min(costs), abs=1e-9)
    assert found.n_nodes == min(tree.n_nodes for tree in best)
    assert any(found == tree for tree in best)


@pytest.mark.parametrize("seed", SEEDS)
def test_validation_prunes_no_more_than_reduced_error_and_errs_as_little(seed):
    model, _, held = samples(seed)
    validation, reduced = (hb.prune(model, name, *held).tree_ for name in ("validation", "reduced-error"))
    assert loss(validation, *held) == loss(reduced, *held)
    assert validation.n_nodes >= reduced.n_nodes


@pytest.mark.parametrize("task", ["classes", "real"])
@pytest.mark.parametrize("strength", [0.0, 0.7, 3.0])
@pytest.mark.parametrize("seed", SEEDS)
def test_penalised_finds_the_least_cost_of_all_prunings(seed, strength, task):
    model, _, _ = samples(seed, task)
    record = hb.teaching.pruning_record(model, Penalised(strength))
    costs = {}
    for tree in all_prunings(model.tree_):
        leaves = tree.first_child < 0
        risk = float(node_risks(tree, "log-likelihood")[leaves].sum())
        costs.setdefault(round(risk + strength * tree.n_leaves, 9), []).append(tree.n_leaves)
    assert record.facts["penalised cost"] == pytest.approx(min(costs), abs=1e-8)
    near = [n for cost, sizes in costs.items() for n in sizes if cost <= min(costs) + 1e-8]
    assert record.tree.n_leaves == min(near)


def test_a_larger_strength_gives_a_pruning_of_the_smaller_tree():
    model, _, _ = samples(3, n_grown=300)
    model.set_params(max_leaf_nodes=None, min_samples_leaf=1).fit(*samples(3, n_grown=300)[1])
    smaller = model.tree_
    sizes = [smaller.n_leaves]
    for strength in (0.1, 0.5, 1.0, 2.0, 4.0, 8.0, 100.0):
        found = hb.prune(model.tree_, Penalised(strength))
        assert hb.prune(smaller, Penalised(strength)) == found, "not nested in the tree of a smaller strength"
        smaller = found
        sizes.append(found.n_leaves)
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == 1


@pytest.mark.filterwarnings(FEW)
@pytest.mark.parametrize("alpha", [0.3, 0.01])
@pytest.mark.parametrize("seed", SEEDS)
def test_chi_square_prunes_as_the_definition_says(seed, alpha):
    model, _, _ = samples(seed)
    found = hb.prune(model, ChiSquare(alpha)).tree_
    assert found == chi_square_pruned(model.tree_, alpha)


@pytest.mark.filterwarnings(FEW)
def test_a_smaller_level_prunes_more():
    model, _, _ = samples(1)
    sizes = [hb.prune(model, ChiSquare(alpha)).tree_.n_nodes for alpha in (0.9, 0.2, 0.01, 1e-9)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[-1] == 1


@pytest.mark.parametrize("seed", SEEDS)
def test_srm_prunes_as_the_definition_says(seed):
    model, _, _ = samples(seed, n_grown=600)
    found = hb.prune(model, SRM(delta=0.2, n_attributes=2)).tree_
    assert found == srm_pruned(model.tree_, 2, 0.2)


def test_srm_prunes_more_with_a_larger_factor_and_less_by_leaves():
    model, _, _ = samples(2, n_grown=2000)
    sizes = [hb.prune(model, SRM(factor=factor)).tree_.n_nodes for factor in (0, 0.3, 1, 100)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[-1] == 1
    options = [{"size": "leaves"}, {}, {"confidence": "m/delta"}, {"log_base": 2}]
    penalties = [hb.teaching.pruning_record(model, SRM(**o)).decisions[0].numbers["penalty"] for o in options]
    assert min(penalties) == penalties[0] > 0
    assert len(set(penalties)) == 4


@pytest.mark.parametrize("task", ["classes", "real"])
@pytest.mark.parametrize("seed", SEEDS)
def test_replacing_by_a_child_chooses_as_the_definition_says(seed, task):
    model, grown, held = samples(seed, task)
    found = hb.prune(model, ReplaceByChild(), *held, training=grown).tree_
    twin = Replacing(model.tree_, grown, held)
    struct, cost = twin.errors()
    assert loss(found, *held) == pytest.approx(cost, abs=1e-9)
    assert kept_tests(found) == chosen_tests(model.tree_, struct)
    assert found.answers()[0] == pytest.approx(model.tree_.answers()[0])
    assert found.weight[0] == model.tree_.weight[0]


def kept_tests(tree):
    """The shape and the tests of a tree."""
    if tree.kind[0] == 0:
        return ()
    return _shape(tree, 0)


def _shape(tree, node):
    if tree.kind[node] == 0:
        return ()
    test = (int(tree.kind[node]), int(tree.column[node]), float(np.nan_to_num(tree.threshold[node])))
    return (test, tuple(_shape(tree, child) for child in tree.children(node)))


def chosen_tests(tree, struct):
    if struct[0] == "leaf":
        return ()
    node = struct[1]
    test = (int(tree.kind[node]), int(tree.column[node]), float(np.nan_to_num(tree.threshold[node])))
    return (test, tuple(chosen_tests(tree, kid) for kid in struct[2]))


def test_some_of_the_random_trees_do_raise_subtrees():
    raised = 0
    for seed in SEEDS:
        model, grown, held = samples(seed)
        raised += hb.teaching.pruning_record(model, "replace-by-child", *held, training=grown).facts["raised"]
    assert raised > 3


def test_replacing_by_a_child_errs_no_more_than_reduced_error_here():
    """Not a theorem, since leaves are relabelled, but true of most samples; of these it is true of all."""
    for seed in SEEDS:
        model, grown, held = samples(seed)
        moved = hb.prune(model, ReplaceByChild(), *held, training=grown).tree_
        assert loss(moved, *held) <= loss(hb.prune(model, ReducedError(), *held).tree_, *held)


# ---- merging leaves ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("task", ["classes", "real"])
@pytest.mark.parametrize("seed", SEEDS)
def test_simplifying_changes_no_prediction_and_leaves_no_family_alike(seed, task):
    model, _, held = samples(seed, task)
    small = hb.teaching.simplify(model)
    assert np.array_equal(small.predict(held[0]), model.predict(held[0]))
    tree = small.tree_
    said = tree.label if task == "classes" else tree.answers()
    for node in range(len(tree)):
        kids = list(tree.children(node))
        if kids and (tree.kind[kids] == 0).all():
            assert len({round(float(said[kid]), 9) for kid in kids}) > 1
    assert tree.n_leaves <= model.tree_.n_leaves


def test_simplifying_goes_on_upwards():
    inner = {"column": "b", "<=": 0.5, "yes": {"counts": [3, 1]}, "no": {"counts": [2, 0]}}
    outer = {"column": "a", "<=": 0.5, "yes": inner, "no": {"counts": [5, 4]}}
    tree = hb.Tree.from_nested(outer, classes=["p", "q"])
    assert hb.teaching.simplify(tree).text() == "p(10:5)"
    assert hb.teaching.simplify(tree, same="distribution") == tree
    even = hb.Tree.from_nested(
        {"column": "a", "<=": 0.5, "yes": {"counts": [2, 1]}, "no": {"counts": [4, 2]}}, classes=["p", "q"]
    )
    assert hb.teaching.simplify(even, same="distribution").text() == "p(6:3)"


def test_leaves_with_models_are_not_merged():
    tree = hb.Tree.from_nested(
        {
            "column": "a",
            "<=": 0.5,
            "yes": {"value": 1.0, "n": 2, "model": {"intercept": 1.0, "error": 0.0}},
            "no": {"value": 1.0, "n": 3},
        }
    )
    assert hb.teaching.simplify(tree).n_leaves == 2


# ---- the core's search and the one that refits ------------------------------------------------------------


def both_searches(estimator, seed, n_grown=400, n_held=200, **fit):
    """The tree by the core and by the search that refits, for rows that each reach one leaf."""
    rng = np.random.default_rng(seed)
    X = random_table(rng, n_grown + n_held)
    X["z"] = rng.normal(size=len(X)).round(1)
    if estimator.split == "binary":
        X = X.assign(b=X["b"].map(ord), c=X["c"].map(ord))
    signal = X["a"].to_numpy() + rng.normal(0, 2, len(X)) + (X["z"].to_numpy() > 0)
    real = isinstance(estimator, hb.TreeRegressor)
    y = signal.round(1) if real else np.digitize(signal, [1.5, 3.5])
    more = {name: values(rng, n_grown) for name, values in fit.items()}
    tree = estimator.fit(X[:n_grown], y[:n_grown], **more).tree_
    make = Target.real_of if real else Target.classes_of
    training = Rows(Table.match(X[:n_grown], tree.columns), make(y[:n_grown], **more))
    held = Rows(Table.match(X[n_grown:], tree.columns), make(y[n_grown:]))
    assert core_can_replace(tree)
    return replace_by_core(tree, training, held), replace_refitted(tree, training, held)


CHOICES = [
    hb.TreeClassifier(split="one-vs-rest"),
    hb.TreeClassifier("entropy", split="multiway"),
    hb.TreeClassifier(priors="equal"),
    hb.TreeClassifier(costs=[[0, 1, 2], [1, 0, 1], [3, 1, 0]], split="multiway"),
    hb.TreeRegressor(min_samples_leaf=4),
    hb.TreeRegressor("sd", split="multiway"),
]
WEIGHTS = [
    {},
    {"sample_weight": lambda rng, n: rng.random(n)},
    {"counts": lambda rng, n: rng.integers(1, 4, n)},
]


@pytest.mark.parametrize("fit", WEIGHTS, ids=["plain", "weighted", "counted"])
@pytest.mark.parametrize("estimator", CHOICES, ids=str)
def test_the_core_replaces_as_the_search_that_refits_does(estimator, fit):
    core, steps = both_searches(estimator, 0, **fit)
    assert core.raised == steps.raised > 0
    assert core.tree.text() == steps.tree.text()
    for a, b in zip(core.decisions, steps.decisions, strict=True):
        assert (a.node, a.action, a.child) == (b.node, b.action, b.child)
        assert list(a.numbers.values()) == pytest.approx(list(b.numbers.values()), abs=1e-8, nan_ok=True)
    for name in ("n_rows", "label"):
        assert np.array_equal(getattr(core.tree, name), getattr(steps.tree, name))
    for name in ("impurity", "gain", "weight"):
        assert getattr(core.tree, name) == pytest.approx(getattr(steps.tree, name), abs=1e-9)


def test_of_a_large_sample_the_core_skips_only_what_cannot_win():
    core, steps = both_searches(hb.TreeClassifier(max_leaf_nodes=80), 1, 600, 12_000)
    actions = [[(d.node, d.action, d.child) for d in found.decisions] for found in (core, steps)]
    assert actions[0] == actions[1]
    assert core.raised == steps.raised
    skipped = [np.isnan(d.numbers["errors raised"]) for d in core.decisions]
    assert sum(skipped) > sum(np.isnan(d.numbers["errors raised"]) for d in steps.decisions)


def test_the_core_moves_costs_of_rows_with_the_rows():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 6, (500, 3)).astype(float)
    y = (X[:, 0] + X[:, 1] + rng.normal(0, 3, 500) > 5).astype(int)
    row_costs = np.where(np.eye(2)[y] > 0, 0.0, rng.integers(1, 4, 500)[:, None])
    model = hb.TreeClassifier().fit(X[:300], y[:300], row_costs=row_costs[:300])
    found = [Target.classes_of(y[part], row_costs=row_costs[part]) for part in (slice(300), slice(300, None))]
    rows = [
        Rows(Table.match(X[:300], model.tree_.columns), found[0]),
        Rows(Table.match(X[300:], model.tree_.columns), found[1]),
    ]
    core, steps = (search(model.tree_, *rows) for search in (replace_by_core, replace_refitted))
    assert core.raised == steps.raised > 0
    assert core.tree.cost_value == pytest.approx(steps.tree.cost_value)
    assert core.tree.text() == steps.tree.text()
