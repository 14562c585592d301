"""Pruning trees whose nodes answer with equations, quantiles or rates: on other rows, by the definitions."""

import numpy as np
import pandas as pd
import pytest
from tests.oracles.prunings import all_prunings

import hornbeam as hb
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.parts import CostComplexity, Linear, Polynomial, ReducedError
from hornbeam.pruning import held_out_losses
from hornbeam.pruning.levels import sum_by_step
from hornbeam.pruning.sample_risks import sample_costs
from hornbeam.tree.equations import evaluate

LEAVES = [Linear(), Linear(smoothing=15), Linear(drop="quinlan", nominal="synthetic"), Polynomial(2)]


def table(n, seed, gaps=False):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"x": rng.normal(size=n).round(3), "z": rng.normal(size=n).round(3)})
    X["city"] = rng.choice(["Aš", "Brno", "Cheb"], n)
    y = np.where(X["x"] > 0, 2 * X["z"], -X["z"]) + (X["city"] == "Brno") + rng.normal(0, 0.7, n)
    if gaps:
        X.loc[rng.random(n) < 0.15, "x"] = np.nan
        X.loc[rng.random(n) < 0.15, "city"] = None
    return X, y.round(3).to_numpy()


def grown(leaf, *, gaps=False, n=80, **params):
    model = hb.TreeRegressor(leaf=leaf, **{"max_leaf_nodes": 8, "min_samples_leaf": 4} | params)
    return model.fit(*table(n, 0, gaps))


def squares(tree, X, y):
    return float(((tree.predict(X) - y) ** 2).sum())


# ---- a second sample -----------------------------------------------------------------------------------


@pytest.mark.parametrize("leaf", LEAVES, ids=repr)
def test_what_a_node_costs_is_what_its_own_equation_makes_of_the_rows(leaf):
    model, (X, y) = grown(leaf), table(60, 1)
    tree = model.tree_
    rows = Table.match(X, tree.columns), Target.real_of(y)
    found = sample_costs(tree, *rows)
    passed = model.decision_path(X).toarray().astype(bool)
    for node in range(len(tree)):
        mask = np.zeros(len(tree), dtype=bool)
        mask[node] = tree.first_child[node] >= 0
        cut, here = tree.collapse(mask), passed[:, node]
        assert found.cost[node] == pytest.approx(squares(cut, X[here], y[here]) if here.any() else 0)
        assert found.weight[node] == here.sum()


@pytest.mark.parametrize("leaf", LEAVES, ids=repr)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_reduced_error_finds_the_smallest_of_the_best_prunings(leaf, seed):
    model, held = grown(leaf), table(50, seed)
    found = hb.prune(model, "reduced-error", *held).tree_
    costs = {tree.n_nodes: np.inf for tree in all_prunings(model.tree_)}
    for tree in all_prunings(model.tree_):
        costs[tree.n_nodes] = min(costs[tree.n_nodes], squares(tree, *held))
    least = min(costs.values())
    assert squares(found, *held) == pytest.approx(least)
    assert found.n_nodes == min(n for n, cost in costs.items() if cost <= least + 1e-9)
    record = hb.teaching.pruning_record(model, "reduced-error", *held)
    assert record.facts["errors after"] == pytest.approx(least)
    assert record.facts["errors before"] == pytest.approx(squares(model.tree_, *held))


def test_weights_and_counts_multiply_squares():
    model, (X, y) = grown(Linear()), table(50, 4)
    weight, counts = np.linspace(0.5, 2, 50), np.arange(50) % 3
    rows = Table.match(X, model.tree_.columns)
    once = sample_costs(model.tree_, rows, Target.real_of(y, weight, counts))
    again = np.repeat(np.arange(50), counts)
    repeated = Table.match(X.iloc[again], model.tree_.columns)
    twice = sample_costs(model.tree_, repeated, Target.real_of(y[again], weight[again]))
    assert once.cost == pytest.approx(twice.cost)
    assert once.weight == pytest.approx(twice.weight)


def test_the_order_of_rows_makes_no_difference():
    model, (X, y) = grown(Linear()), table(70, 5)
    order = np.random.default_rng(0).permutation(70)
    found = [
        sample_costs(model.tree_, Table.match(X.iloc[rows], model.tree_.columns), Target.real_of(y[rows]))
        for rows in (np.arange(70), order)
    ]
    assert found[0].cost.tolist() == found[1].cost.tolist()


@pytest.mark.parametrize("missing", ["fractional", "all-paths"])
def test_a_row_with_gaps_counts_at_each_leaf_with_its_share(missing):
    model, (X, y) = grown(Linear(), gaps=True, missing=missing), table(60, 1, gaps=True)
    tree = model.tree_
    found = sample_costs(tree, Table.match(X, tree.columns), Target.real_of(y))
    shares = model.apply_weights(X).toarray()
    for leaf in np.flatnonzero(tree.first_child < 0):
        said = evaluate(tree, Table.match(X, tree.columns).arrays, np.full(60, leaf))
        assert found.cost[leaf] == pytest.approx(float((shares[:, leaf] * (y - said) ** 2).sum()))


@pytest.mark.parametrize(
    "part", [ReducedError(), "validation", "hypothesis-validation", "replace-by-child"], ids=str
)
def test_the_slot_prunes_model_trees(part):
    X, y = table(300, 7)
    full = hb.TreeRegressor(leaf=Linear(), min_samples_leaf=4).fit(X, y)
    small = hb.TreeRegressor(leaf=Linear(), min_samples_leaf=4, pruning=part).fit(X, y)
    assert small.tree_.n_leaves < full.tree_.n_leaves / 2
    assert small.tree_.has_models
    assert small.pruning_.facts["grown on"] + small.pruning_.facts["held out"] == 300


def test_m5_prunes_after_the_fit_on_other_rows():
    X, y = table(300, 9)
    model = hb.m5().fit(X, y)
    held = table(200, 10)
    small = hb.prune(model, "reduced-error", *held)
    assert squares(small.tree_, *held) <= squares(model.tree_, *held) + 1e-9
    assert small.tree_.n_leaves <= model.tree_.n_leaves


# ---- paths ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", ["learn", "fractional", "all-paths"])
@pytest.mark.parametrize("leaf", [*LEAVES, "constant"], ids=repr)
def test_the_errors_of_a_path_are_those_of_its_trees(leaf, missing):
    model, (X, y) = grown(leaf, gaps=True, missing=missing), table(60, 3, gaps=True)
    weight = np.linspace(0.5, 2, 60)
    path = hb.pruning_path(model, validation=(X, y, weight))
    assert len(path) > 2
    for k in range(len(path)):
        away = (path.choose(alpha=float(path.alpha[k])).predict(X) - y) ** 2
        assert path.validation[k] == pytest.approx(np.average(away, weights=weight))
        spread = np.average(away**2, weights=weight) - path.validation[k] ** 2
        assert path.validation_error[k] == pytest.approx(np.sqrt(spread / 60))


def test_folds_of_model_trees_are_judged_by_their_equations():
    X, y = table(120, 11)
    model = hb.TreeRegressor(leaf=Linear(), max_leaf_nodes=6).fit(X, y)
    fold = np.arange(120) % 4
    path = hb.pruning_path(model, X, y, cv=fold)
    away = np.empty(120)
    for k in range(4):  # at penalty 0 the trees of the folds lose what lowers no risk
        part = hb.TreeRegressor(leaf=Linear(), max_leaf_nodes=6, pruning=CostComplexity(alpha=0.0))
        part.fit(X[fold != k], y[fold != k])
        away[fold == k] = (part.predict(X[fold == k]) - y[fold == k]) ** 2
    assert path.alpha[0] == 0
    assert path.cv[0] == pytest.approx(away.mean())


def test_sums_by_step_leave_no_trace_of_what_was_taken_off():
    tree = hb.TreeRegressor().fit(*table(100, 0)).tree_
    until = np.where(tree.first_child >= 0, 1 + tree.depths.max() - tree.depths, 0)
    values = np.random.default_rng(1).exponential(size=len(tree)) * 10.0 ** -(tree.depths * 3)
    n = int(until.max()) + 1
    found = sum_by_step(tree, until, values, n)
    for k in range(n):
        mask = (until <= k) & (tree.first_child >= 0)
        ends = [v for v in range(len(tree)) if until[v] <= k and (v == 0 or until[tree.parent[v]] > k)]
        assert found[k] == pytest.approx(values[ends].sum(), rel=1e-15)
        assert len(ends) == tree.collapse(mask).n_leaves
    assert sum_by_step(tree, until, np.zeros(len(tree)), n).tolist() == [0.0] * n


# ---- rows by name --------------------------------------------------------------------------------------


def test_exposure_is_as_good_as_rates_that_weigh_it():
    X, y = table(200, 12)
    events, years = np.round(np.abs(y)), np.linspace(0.5, 3, 200)
    model = hb.TreeRegressor("poisson", min_samples_leaf=3).fit(X[:120], events[:120], exposure=years[:120])
    held = slice(120, 200)
    by_name = hb.prune(model, "reduced-error", X[held], events[held], exposure=years[held])
    by_rate = hb.prune(model, "reduced-error", X[held], events[held] / years[held], years[held])
    assert by_name.tree_ == by_rate.tree_
    asked = {"X": X[held], "y": events[held], "exposure": years[held]}
    path = hb.pruning_path(model, X[:120], events[:120], exposure=years[:120], cv=3, validation=asked)
    same = hb.pruning_path(model, validation=(X[held], events[held] / years[held], years[held]))
    assert path.validation.tolist() == same.validation.tolist()
    curves = hb.teaching.learning_curves(model, X, events, exposure=years)
    assert curves.validation is not None


def test_costs_of_rows_reach_every_function_that_takes_rows():
    X, y = table(200, 13)
    labels = np.where(y > 0.5, "high", "low")
    costs = np.column_stack([np.where(labels == "high", 0, 3), np.where(labels == "low", 0, 1 + np.abs(y))])
    some, held = slice(0, 120), slice(120, 200)
    model = hb.TreeClassifier(min_samples_leaf=3).fit(X[some], labels[some], row_costs=costs[some])
    named = [{"X": X[part], "y": labels[part], "row_costs": costs[part]} for part in (some, held)]
    path = hb.pruning_path(model, validation=named[1])
    for k in range(len(path)):
        said = path.choose(alpha=float(path.alpha[k])).predict(X[held])
        paid = costs[held][np.arange(80), (said == "low").astype(int)]
        assert path.validation[k] == pytest.approx(paid.mean())
    moved = hb.prune(
        model, "replace-by-child", X[held], labels[held], row_costs=costs[held], training=named[0]
    )
    assert moved.tree_.n_leaves <= model.tree_.n_leaves
    assert hb.teaching.learning_curves(model, X, labels, row_costs=costs).test is not None


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda m, X, y: hb.prune(m, "validation", X, y, row_costs=[[1]]), "a tree of numbers takes none"),
        (
            lambda m, X, y: hb.pruning_path(m, validation={"X": X}),
            "validation has no y: its entries are X and y",
        ),
        (
            lambda m, X, y: hb.pruning_path(m, validation={"X": X, "y": y, "w": y}),
            "validation has an entry 'w'",
        ),
        (lambda m, X, y: hb.pruning_path(m, validation=X), r"validation must be a tuple \(X, y\)"),
    ],
)
def test_a_mistake_gets_one_sentence(call, sentence):
    X, y = table(30, 0)
    with pytest.raises(ValueError, match=sentence):
        call(hb.TreeRegressor().fit(X, y), X, y)


def test_classes_take_no_exposure():
    X, y = table(30, 0)
    model = hb.TreeClassifier().fit(X, y > 0)
    with pytest.raises(ValueError, match="exposure is for events that were counted"):
        hb.prune(model, "validation", X, y > 0, exposure=np.ones(30))


def test_rows_climb_alike_a_level_at_a_time_and_one_step_after_the_other(monkeypatch):
    model, held = grown(Linear(), gaps=True, missing="fractional"), table(80, 6, gaps=True)
    path = hb.pruning_path(model, validation=held)
    monkeypatch.setattr(held_out_losses, "_reach_one_leaf", lambda leaves: np.zeros(len(leaves), dtype=bool))
    stepwise = hb.pruning_path(model, validation=held)
    assert path.validation == pytest.approx(stepwise.validation, rel=1e-12)
    assert path.validation_error == pytest.approx(stepwise.validation_error, rel=1e-12)


def test_cross_validation_is_the_same_with_one_thread_and_with_more():
    X, y = table(400, 14)
    found = []
    for n_jobs in (1, 2):
        for leaf in ("constant", Linear()):
            model = hb.TreeRegressor(leaf=leaf, min_samples_leaf=5, n_jobs=n_jobs).fit(X, y)
            found.append(hb.pruning_path(model, X, y, cv=5).cv.tolist())
        model = hb.TreeRegressor(min_samples_leaf=5, n_jobs=n_jobs, pruning=CostComplexity(cv=5)).fit(X, y)
        assert model.pruning_.facts["path"].cv.tolist() == found[-2]
    assert found[:2] == found[2:]
