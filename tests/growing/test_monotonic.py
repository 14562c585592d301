"""Monotonic constraints, tested by moving one value of a row while the others stay."""

import copy

import numpy as np
import pandas as pd
import pytest

from hornbeam import TreeClassifier, TreeRegressor
from hornbeam.parts import AllPaths

GRADES = ["bad", "fair", "good", "best"]
SIZES = ["S", "M", "L", "XL"]
ROUNDING = 1e-12


def waves(seed, n=400, gaps=0.12):
    """A table whose target rises with `x` and falls with `size` on the whole, but in waves and with noise."""
    rng = np.random.default_rng(seed)
    x, z, size = rng.uniform(0, 10, n), rng.normal(size=n), rng.integers(0, 4, n)
    city = rng.choice(["Aš", "Brno", "Cheb"], n)
    signal = 0.3 * x + 2 * np.sin(2 * x) - 0.3 * size + np.cos(3 * size) + z * (city == "Brno")
    signal += rng.normal(0, 0.8, n)
    table = pd.DataFrame(
        {
            "x": x,
            "z": z,
            "city": city.astype(object),
            "size": pd.Categorical.from_codes(size, SIZES, ordered=True),
        }
    )
    for name in table.columns if gaps else ():
        table.loc[rng.random(n) < gaps, name] = None
    grade = pd.Categorical.from_codes(
        np.digitize(signal, np.quantile(signal, [0.3, 0.55, 0.8])), GRADES, ordered=True
    )
    return table, signal, grade, rng


def strange(table, rng):
    """Rows with more gaps and an unseen city."""
    table = table.sample(60, random_state=int(rng.integers(1000))).reset_index(drop=True)
    table.loc[rng.random(60) < 0.3, "city"] = "Zlín"
    for name in table.columns:
        table.loc[rng.random(60) < 0.25, name] = None
    return table


def moved(table, column):
    """Every row as often as there are steps, with the column moved up from step to step."""
    if column == "size":
        steps = pd.Categorical(SIZES, SIZES, ordered=True)
    else:
        steps = np.concatenate(([-1e9], np.linspace(-1, 11, 49), [1e9]))
    out = table.loc[table.index.repeat(len(steps))].reset_index(drop=True)
    out[column] = steps.take(np.tile(np.arange(len(steps)), len(table)))
    return out, len(steps)


def steepest_fall(model, table, column, watched):
    """How far `watched(model, rows)` falls at most when the column of one row moves one step up."""
    rows, n_steps = moved(table, column)
    found = watched(model, rows).reshape(len(table), n_steps, -1)
    return float(-np.diff(found, axis=1).min())


def mean(model, rows):
    return model.predict(rows)


def at_least(model, rows):
    """P(class >= k) for every k in class order."""
    shares = model.predict_proba(rows)[:, [model.classes_.tolist().index(c) for c in model.tree_.classes]]
    return shares[:, ::-1].cumsum(axis=1)[:, ::-1]


def share_of(label):
    return lambda model, rows: model.predict_proba(rows)[:, model.classes_.tolist().index(label)]


def pruned(model, rng):
    """The model with random tests collapsed."""
    tree = model.tree_
    small = copy.copy(model)
    small.tree_ = tree.collapse((tree.kind != 0) & (rng.random(len(tree)) < 0.15))
    return small


def check(model, table, rng, signs, watched):
    """No constraint is broken, by training rows, strange rows, or after pruning at random.

    Returns the constrained columns that the tree tests at all.
    """
    for column, sign in signs.items():
        for rows in (table.iloc[:60].reset_index(drop=True), strange(table, rng)):
            for one in (model, pruned(model, rng), pruned(model, rng)):
                fall = steepest_fall(one, rows, column, lambda m, r: sign * watched(m, r))  # noqa: B023
                assert fall <= ROUNDING, (column, fall)
    tests = model.tree_.column[model.tree_.kind != 0]
    return signs.keys() & {model.tree_.columns[k].name for k in tests}


MISSING = ["learn", "branch", "all-paths"]


def test_without_constraints_the_waves_are_followed():
    table, signal, grade, _ = waves(0)
    rows = table.iloc[:60].reset_index(drop=True)
    free = TreeRegressor(min_samples_leaf=5).fit(table, signal)
    assert steepest_fall(free, rows, "x", mean) > 0.5
    assert steepest_fall(free, rows, "size", lambda m, r: -mean(m, r)) > 0.2
    free = TreeClassifier(min_samples_leaf=5).fit(table, grade)
    assert steepest_fall(free, rows, "x", at_least) > 0.2


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("missing", MISSING)
def test_means_follow_the_constraints(missing, weighted):
    signs, tested = {"x": 1, "size": -1}, set()
    for seed in range(4):
        table, signal, _, rng = waves(seed)
        weight = rng.uniform(0.1, 3, len(table)) if weighted else None
        model = TreeRegressor(missing=missing, min_samples_leaf=3, monotonic_cst=signs).fit(
            table, signal, weight
        )
        tested |= check(model, table, rng, signs, mean)
    assert tested == signs.keys()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("missing", MISSING)
@pytest.mark.parametrize("criterion", ["gini", "entropy", "gain-ratio"])
def test_the_shares_of_all_higher_classes_follow_the_constraints(criterion, missing, weighted):
    signs, tested = {"x": 1, "size": -1}, set()
    for seed in range(3):
        table, _, grade, rng = waves(seed)
        weight = rng.uniform(0.1, 3, len(table)) if weighted else None
        model = TreeClassifier(criterion, missing=missing, min_samples_leaf=3, monotonic_cst=signs)
        tested |= check(model.fit(table, grade, weight), table, rng, signs, at_least)
        assert model.tree_.classes == tuple(GRADES)
    assert tested == signs.keys()


@pytest.mark.parametrize("missing", MISSING)
@pytest.mark.parametrize("split", ["binary", "multiway", "one-vs-rest"])
def test_two_classes_follow_the_constraints(split, missing):
    signs, tested = {"x": 1, "size": -1}, set()
    for seed in range(3):
        table, signal, _, rng = waves(seed)
        model = TreeClassifier(missing=missing, split=split, min_samples_leaf=3, monotonic_cst=signs)
        tested |= check(model.fit(table, signal > np.median(signal)), table, rng, signs, share_of(True))
    assert tested == signs.keys()


@pytest.mark.parametrize("missing", MISSING)
@pytest.mark.parametrize("sign", [1, -1])
def test_the_share_of_one_class_follows_its_constraint(sign, missing):
    signs, tested = {"x": sign, "size": -sign}, set()
    for seed in range(6):
        table, _, grade, rng = waves(seed)
        cst = {column: {"fair": one} for column, one in signs.items()}
        model = TreeClassifier(missing=missing, min_samples_leaf=3, monotonic_cst=cst).fit(table, grade)
        tested |= check(model, table, rng, signs, share_of("fair"))
    assert tested == signs.keys()


def test_several_classes_are_constrained_at_once():
    table, _, grade, rng = waves(5)
    cst = {"x": {"bad": -1, "best": 1}}
    model = TreeClassifier(min_samples_leaf=3, monotonic_cst=cst).fit(table, grade)
    assert check(model, table, rng, {"x": 1}, share_of("best")) == {"x"}
    check(model, table, rng, {"x": -1}, share_of("bad"))


@pytest.mark.parametrize(
    "limits",
    [{"max_leaf_nodes": 15}, {"max_depth": 5}, {"max_features": 2, "random_state": 1}, {"criterion": "sd"}],
    ids=str,
)
def test_constraints_hold_under_every_way_to_stop(limits):
    table, signal, _, rng = waves(3)
    model = TreeRegressor(monotonic_cst={"x": 1}, **limits).fit(table, signal)
    assert check(model, table, rng, {"x": 1}, mean) == {"x"}


def test_constraints_hold_on_a_table_too_large_for_one_block():
    table, signal, grade, rng = waves(1, n=12_000)
    signs = {"x": 1, "size": -1}
    check(TreeRegressor(min_samples_leaf=5, monotonic_cst=signs).fit(table, signal), table, rng, signs, mean)
    model = TreeClassifier(min_samples_leaf=5, monotonic_cst=signs).fit(table, grade)
    check(model, table, rng, signs, at_least)


def test_arrays_are_constrained_by_position_or_by_a_list():
    table, signal, _, _ = waves(2, gaps=0)
    X = table[["x", "z"]].to_numpy()
    model = TreeRegressor(min_samples_leaf=5, monotonic_cst={0: 1}).fit(X, signal)
    assert model.tree_ == TreeRegressor(min_samples_leaf=5, monotonic_cst=[1, 0]).fit(X, signal).tree_
    assert model.tree_ == TreeRegressor(min_samples_leaf=5, monotonic_cst={"x0": 1.0}).fit(X, signal).tree_
    steps = np.linspace(-1, 11, 200)
    for z in X[:40, 1]:
        found = model.predict(np.column_stack([steps, np.full(200, z)]))
        assert (np.diff(found) >= 0).all()


def test_a_constraint_the_data_obeys_changes_nothing():
    x = np.arange(64.0)
    free = TreeRegressor().fit(x[:, None], x)
    bound = TreeRegressor(monotonic_cst={0: 1}).fit(x[:, None], x)
    assert free.tree_.text() == bound.tree_.text()
    assert TreeRegressor(monotonic_cst={0: -1}).fit(x[:, None], x).tree_.n_leaves == 1


def test_a_constraint_of_zero_is_none():
    table, signal, _, _ = waves(0)
    assert (
        TreeRegressor(monotonic_cst={"x": 0, "city": 0}).fit(table, signal).tree_
        == TreeRegressor().fit(table, signal).tree_
    )


def test_votes_of_leaves_cannot_keep_the_order_of_shares():
    table, _, grade, _ = waves(0)
    with pytest.raises(ValueError, match=r"monotonic_cst orders the shares of classes.*vote='distribution'"):
        TreeClassifier(missing=AllPaths(vote="leaf"), monotonic_cst={"x": 1}).fit(table, grade)
