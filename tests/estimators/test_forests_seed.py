"""Forests: nothing but the seed decides."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from tests.support.small_forests import mixed, same_nodes

from hornbeam import ForestClassifier, ForestRegressor, TreeClassifier, TreeRegressor
from hornbeam.data.target import Target
from hornbeam.estimators.forest.grow_forest import draw_weights, tree_seed
from hornbeam.growing import core


@pytest.mark.parametrize("n_jobs", [2, 3, 8])
def test_any_number_of_threads_grows_the_same_forest(n_jobs):
    X, y = mixed(500)
    one = ForestClassifier(5, random_state=2, n_jobs=1, oob_score=True).fit(X, y)
    many = ForestClassifier(5, random_state=2, n_jobs=n_jobs, oob_score=True).fit(X, y)
    assert one.trees_ == many.trees_
    assert one.oob_error_ == many.oob_error_
    assert (one.predict_proba(X) == many.predict_proba(X)).all()


@pytest.mark.parametrize("rows", [1, 64, 1000, 32768])
def test_the_way_of_growing_does_not_matter(rows, monkeypatch):
    rng = np.random.default_rng(6)
    X = rng.integers(0, 300, size=(1500, 7)).astype(np.float32)
    v = X[:, 0] + X[:, 1] + rng.normal(size=1500)
    classes = [v > 300, np.digitize(v, [200, 300, 400])]
    forests = [ForestRegressor(2, random_state=0), *(ForestClassifier(2, random_state=0) for _ in classes)]
    usual = [model.fit(X, y).trees_ for model, y in zip(forests, [v, *classes], strict=True)]
    monkeypatch.setitem(core.TUNING, "block_rows", rows)
    other = [model.fit(X, y).trees_ for model, y in zip(forests, [v, *classes], strict=True)]
    assert usual == other


@pytest.mark.parametrize("missing", ["learn", "branch", "fractional", "majority", "surrogates"])
@pytest.mark.parametrize("max_features", [None, 2])
def test_pairs_of_rows_are_parted_as_by_a_search(missing, max_features, monkeypatch):
    rng = np.random.default_rng(9)
    X, y = rng.integers(0, 9, size=(90, 4)).astype(float), rng.normal(size=90)
    models = [TreeRegressor(missing=missing, max_features=max_features, random_state=1)]
    models.append(TreeClassifier(missing=missing, max_features=max_features, random_state=1))
    usual = [model.fit(X, y.astype(int)).tree_ for model in models]
    monkeypatch.setitem(core.TUNING, "block_rows", 1)  # no blocks, in which pairs are not searched
    assert [model.fit(X, y.astype(int)).tree_ for model in models] == usual


def test_the_order_of_the_rows_does_not_matter():
    X, y = mixed(300)
    order = np.random.default_rng(1).permutation(300)
    forest = ForestClassifier(4, random_state=0).fit(X, y)
    shuffled = ForestClassifier(4, random_state=0).fit(X.iloc[order], y[order])
    assert forest.trees_ == shuffled.trees_
    assert (forest.bootstrap_counts(1)[order] == shuffled.bootstrap_counts(1)).all()
    weights = np.random.default_rng(2).random(300)  # whose sums by class need more digits than a double has
    forest = ForestClassifier(2, class_weight="balanced", random_state=0).fit(X, y, weights)
    shuffled = ForestClassifier(2, class_weight="balanced", random_state=0)
    assert forest.trees_ == shuffled.fit(X.iloc[order], y[order], weights[order]).trees_


def test_a_whole_weight_is_so_many_rows():
    X, y = load_iris(return_X_y=True)
    weight = np.random.default_rng(4).integers(0, 4, len(y))
    again = np.repeat(np.arange(len(y)), weight)
    weighted = ForestClassifier(4, random_state=0).fit(X, y, sample_weight=3 * weight)
    counted = ForestClassifier(4, random_state=0).fit(X, y, counts=weight)
    repeated = ForestClassifier(4, random_state=0).fit(X[again], y[again])
    assert weighted.trees_ == counted.trees_
    assert all(map(same_nodes, weighted.trees_, repeated.trees_))


def test_other_weights_say_how_likely_a_row_is_drawn():
    X, y = np.arange(1000.0)[:, None], np.arange(1000) % 2
    weight = np.where(np.arange(1000) < 500, 0.3, 0.1)
    forest = ForestClassifier(20, random_state=0).fit(X, y, sample_weight=weight)
    drawn = np.sum([forest.bootstrap_counts(i) for i in range(20)], axis=0)
    assert forest.bootstrap_counts(0).sum() == 1000
    assert drawn[:500].sum() / drawn[500:].sum() == pytest.approx(3, rel=0.1)
    none = ForestClassifier(3, random_state=0).fit(X, y, sample_weight=np.where(y == 1, 0.5, 0))
    assert set(none.predict(X)) == {1}


def test_masses_are_whole_numbers_in_lowest_terms():
    assert draw_weights(Target.real_of([1, 2, 3], sample_weight=[4, 0, 6])).tolist() == [2, 0, 3]
    mass = draw_weights(Target.real_of([1, 2, 3], sample_weight=[0.25, 0.5, 1e-300], counts=[1, 2, 1]))
    assert mass[1] == 4 * mass[0]
    assert mass[2] == 1


def test_draws_are_a_bootstrap():
    X, y = np.arange(4000.0)[:, None], np.arange(4000.0)
    forest = ForestRegressor(10, random_state=3, max_depth=1).fit(X, y)
    counts = np.stack([forest.bootstrap_counts(i) for i in range(10)])
    assert (counts.sum(axis=1) == 4000).all()
    seen = (counts > 0).mean(axis=1)
    assert seen == pytest.approx(np.full(10, 1 - np.exp(-1)), abs=0.03)
    assert counts.var() == pytest.approx(1, abs=0.05)
    assert np.corrcoef(counts).max(where=~np.eye(10, dtype=bool), initial=-1) < 0.08
    half = ForestRegressor(2, random_state=3, max_samples=0.5, max_depth=1).fit(X, y)
    assert half.bootstrap_counts(0).sum() == 2000
    assert ForestRegressor(1, max_samples=7).fit(X, y).trees_[0].n_rows[0] == 7


def test_seeds_differ_and_another_seed_is_another_forest():
    seeds = {tree_seed(s, i) for s in range(20) for i in range(50)}
    assert len(seeds) == 1000
    X, y = mixed(200)
    a, b = (ForestClassifier(2, random_state=s).fit(X, y) for s in (0, 1))
    assert a.trees_ != b.trees_
    assert a.trees_[0] != a.trees_[1]
    assert ForestClassifier(2, random_state=0).fit(X, y).trees_ == a.trees_
    more = ForestClassifier(3, random_state=0).fit(X, y)
    assert more.trees_[:2] == a.trees_[:]
