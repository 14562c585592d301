"""Absolute error, quantiles and intervals: medians, scikit-learn's splits, what leaves keep and refuse."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeRegressor
from tests.estimators.test_same_as_sklearn import Comparison
from tests.oracles.ways import tuned
from tests.support.mixed_tables import float32_table, random_columns

import hornbeam as hb
from hornbeam import TreeClassifier, TreeRegressor
from hornbeam.parts import Absolute, Constant, Oblique, Quantile, Quantiles
from hornbeam.tree.answers import quantile_levels, quantiles_at
from hornbeam.tree.tree import Tree


def quantile(y, q, w=None):
    """The definition: the smallest y with a share q of the weight at or below it; at exactly q the middle."""
    order = np.argsort(y, kind="stable")
    y, w = np.asarray(y, dtype=float)[order], (np.ones(len(y)) if w is None else np.asarray(w))[order]
    share = np.cumsum(w) / w.sum()
    at = int(np.argmax(share >= q - 1e-12))
    return (y[at] + y[at + 1]) / 2 if abs(share[at] - q) <= 1e-12 and at + 1 < len(y) else y[at]


def pinball(y, q, w=None):
    """The mean pinball loss around the quantile."""
    away = np.asarray(y, dtype=float) - quantile(y, q, w)
    return float(np.average(np.maximum(q * away, (q - 1) * away), weights=w))


class MedianComparison(Comparison):
    """The walk of `Comparison`, with absolute deviations."""

    def impurity(self, rows):
        return 2 * pinball(self.y[rows], 0.5, self.weight[rows]) * self.weight[rows].sum()


def test_a_node_answers_its_median_and_its_impurity_is_the_mean_absolute_deviation():
    tree = TreeRegressor("absolute", max_depth=1).fit({"x": [1, 2, 3, 4, 5]}, [1, 2, 9, 10, 14]).tree_
    assert tree.text() == "x[<=2.5: 1.5000(n=2) | >2.5: 10.0000(n=3)]"
    assert_allclose(tree.impurity, [(8 + 7 + 0 + 1 + 5) / 5, 0.5, (1 + 0 + 4) / 3])
    assert tree.gain[0] == pytest.approx((21 - 1 - 5) / 5)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("n", "seed"), [(150, 0), (900, 1), (5_000, 2)])
def test_the_tree_is_scikit_learns_split_for_split(n, seed, weighted):
    rng, X = float32_table(seed, n)
    y = X[:, 0] * X[:, 1] + X[:, 2] + rng.standard_t(3, size=n)
    weight = rng.uniform(0.1, 3, n) if weighted else None
    limits = {"min_samples_leaf": 5 + seed, "max_depth": 7}
    model = TreeRegressor("absolute_error", **limits).fit(X, y, weight)
    peer = DecisionTreeRegressor(criterion="absolute_error", random_state=0, **limits).fit(X, y, weight)
    comparison = MedianComparison(model, peer, X, y, weight)
    comparison.walk()
    assert comparison.compared > 10
    rows = comparison.settled
    assert_allclose(model.predict(X)[rows], peer.predict(X)[rows], rtol=1e-9)


def test_a_quantile_tree_answers_with_quantiles():
    rng = np.random.default_rng(0)
    X, y = {"x": rng.integers(0, 2, 400).astype(float)}, rng.normal(size=400)
    y = np.where(X["x"] > 0, 3 * y, y)  # the same mean and median, other tails
    model = TreeRegressor(Quantile(q=0.9), max_depth=1).fit(X, y)
    for side in (0, 1):
        assert model.predict({"x": [side]})[0] == pytest.approx(quantile(y[X["x"] == side], 0.9))
    assert model.tree_.impurity[0] == pytest.approx(pinball(y, 0.9))


def test_the_median_by_two_names_is_one_tree_with_impurities_of_one_and_a_half():
    X, y = {"x": [3, 1, 2, 5, 4]}, [2.0, 7.0, 1.0, 8.0, 2.0]
    one, half = (TreeRegressor(criterion).fit(X, y).tree_ for criterion in ("absolute", "quantile"))
    assert one.text() == half.text()
    assert_allclose(one.impurity, 2 * half.impurity)


def test_counts_are_repetitions_and_weights_are_not():
    X, y, n = {"x": [1, 2, 3, 4]}, [5.0, 1.0, 8.0, 2.0], [1, 3, 2, 2]
    many = {"x": np.repeat(X["x"], n)}
    repeated = TreeRegressor("absolute").fit(many, np.repeat(y, n)).tree_
    assert TreeRegressor("absolute").fit(X, y, counts=n).tree_.to_dict() == repeated.to_dict()
    weighted = TreeRegressor("absolute").fit(X, y, n).tree_
    assert_allclose(weighted.answers(), repeated.answers())
    assert weighted.n_rows[0] == 4
    assert TreeRegressor("absolute", min_samples_leaf=3).fit(X, y, n).tree_.n_leaves == 1


def test_any_order_of_rows_and_any_number_of_threads_give_the_same_tree():
    rng = np.random.default_rng(3)
    X = random_columns(rng, 3_000)
    y = rng.normal(size=3_000) + X["rooms"].fillna(0).to_numpy()
    w = rng.uniform(0.5, 2, 3_000)
    model = TreeRegressor(Quantile(0.3), leaf=Quantiles(), n_jobs=1)
    one = model.fit(X, y, w).tree_
    order = rng.permutation(3_000)
    with tuned(serial_cells=0):
        other = clone(model).set_params(n_jobs=3).fit(X.iloc[order], y[order], w[order])
    assert other.tree_ == one


def test_a_growth_that_is_stopped_leaves_a_tree_that_answers():
    rng, X = float32_table(5, 20_000)
    with pytest.raises(hb.GrowthInterrupted) as stopped:
        TreeRegressor("absolute").fit(X, rng.normal(size=20_000), progress=lambda share: True)
    assert np.isfinite(stopped.value.tree.predict(X[:5])).all()


def test_more_than_twelve_values_are_cut_in_the_order_of_their_medians():
    rng = np.random.default_rng(1)
    code = rng.integers(0, 40, 800)
    y = np.where(code % 2, 5.0, 0.0) + rng.normal(size=800)
    X = {"c": np.array([f"v{k:02}" for k in code])}
    tree = TreeRegressor("absolute", max_depth=1).fit(X, y).tree_
    medians = np.array([np.median(y[code == k]) for k in range(40)])
    order = np.argsort(medians, kind="stable")
    best = 0.0
    for k in range(39):
        left = np.isin(code, order[: k + 1])
        after = sum(2 * pinball(y[side], 0.5) * side.sum() for side in (left, ~left)) / len(y)
        best = max(best, 2 * pinball(y, 0.5) - after)
    assert tree.gain[0] == pytest.approx(best)


def test_medians_that_must_not_fall_do_not():
    rng, X = float32_table(4, 500)
    y = X[:, 0] + rng.standard_t(2, size=500)
    model = TreeRegressor("absolute", monotonic_cst={0: 1}, min_samples_leaf=5).fit(X, y)
    line = np.tile(np.median(X, axis=0), (60, 1))
    line[:, 0] = np.linspace(X[:, 0].min(), X[:, 0].max(), 60)
    assert (np.diff(model.predict(line)) >= 0).all()


def test_the_limits_of_deviations_apply():
    X, y = {"x": [1, 2, 3, 4]}, [10.0, 11.0, 30.0, 33.0]
    assert TreeRegressor("absolute", min_variation=0.2).fit(X, y).tree_.n_leaves == 2
    assert TreeRegressor("absolute", min_sd_share=0.2).fit(X, y).tree_.n_leaves == 2
    assert TreeRegressor("absolute", min_gain=20.0).fit(X, y).tree_.n_leaves == 1
    assert TreeRegressor("absolute", max_leaf_nodes=3).fit(X, y).tree_.n_leaves == 3
    drawn = TreeRegressor("absolute", max_features=1, random_state=0).fit({**X, "z": [4, 1, 3, 2]}, y)
    assert drawn.tree_.n_leaves == 4


def test_an_infinite_value_is_named():
    with pytest.raises(ValueError, match="infinity"):
        TreeRegressor("absolute").fit([[1.0], [np.inf]], [1, 2])


# ---- quantiles and intervals at leaves -------------------------------------------------------------------


def test_every_node_keeps_the_quantiles_of_its_rows_whatever_the_criterion():
    rng, X = float32_table(6, 300)
    y, w = X[:, 0] + rng.normal(size=300), rng.uniform(0.2, 2, 300)
    levels = (0.1, 0.5, 0.8)
    for criterion in ("variance", "sd", "absolute"):
        model = TreeRegressor(criterion, leaf=Quantiles(levels), max_depth=3).fit(X, y, w)
        found = quantiles_at(model.tree_, levels)
        path = model.decision_path(X).toarray().astype(bool)
        for node in range(len(model.tree_)):
            rows = path[:, node]
            wanted = [quantile(y[rows], q, w[rows]) for q in levels]
            assert_allclose(found[node], wanted)


def test_intervals_cover_about_what_they_say():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(6_000, 2))
    y = np.where(X[:, 0] > 0.5, 1.0, 3.0) * rng.normal(size=6_000)
    model = TreeRegressor("absolute", leaf=Quantiles((0.05, 0.25, 0.75, 0.95)), min_samples_leaf=200)
    model.fit(X[:3_000], y[:3_000])
    for coverage in (0.9, 0.5):
        low, high = model.predict_interval(X[3_000:], coverage).T
        assert np.mean((low <= y[3_000:]) & (y[3_000:] <= high)) == pytest.approx(coverage, abs=0.03)
    wide = model.predict_interval([[0.1, 0.5], [0.9, 0.5]])
    assert np.ptp(wide[0]) > 2 * np.ptp(wide[1])


def test_a_row_that_reaches_several_leaves_gets_the_mean_of_their_quantiles():
    X, y = {"x": [1, 1, 1, 2]}, [1.0, 2.0, 3.0, 11.0]
    model = TreeRegressor(leaf=Quantiles((0.5,)), max_depth=1).fit(X, y)
    assert model.predict_quantiles({"x": [None]}, 0.5) == pytest.approx((3 * 2.0 + 11.0) / 4)
    model = TreeRegressor("absolute").fit(X, y)
    assert model.predict({"x": [None]}) == pytest.approx((3 * 2.0 + 11.0) / 4)


def test_an_empty_branch_answers_with_the_quantiles_above_it():
    X = {"c": hb_categories(["a", "a", "b", "b"], ["a", "b", "z"])}
    model = TreeRegressor("absolute", split="multiway").fit(X, [1.0, 3.0, 7.0, 9.0])
    assert model.predict({"c": hb_categories(["z"], ["a", "b", "z"])}) == 5.0


def hb_categories(values, categories):
    """A column of declared categories."""
    import pandas as pd

    return pd.Categorical(values, categories)


@pytest.mark.parametrize("missing", ["learn", "branch", "all-paths", "fractional", "majority", "surrogates"])
def test_quantiles_are_kept_under_every_missing_rule(missing):
    rng, X = float32_table(7, 200)
    y = X[:, 0] + rng.normal(size=200)
    X = np.where(rng.random(X.shape) < 0.2, np.nan, X)
    model = TreeRegressor(missing=missing, leaf=Quantiles((0.1, 0.9)), min_samples_leaf=10).fit(X, y)
    low, high = model.predict_interval(X, 0.8).T
    assert (low <= high).all()
    assert np.mean((low <= y) & (y <= high)) > 0.7
    if missing == "fractional":  # a row stands in several leaves with parts of its weight
        assert_allclose(quantiles_at(model.tree_, [0.1, 0.9])[0], [quantile(y, 0.1), quantile(y, 0.9)])


def test_the_tree_is_saved_refitted_and_collapsed_with_its_quantiles():
    rng, X = float32_table(8, 120)
    y = X[:, 0] + rng.normal(size=120)
    model = TreeRegressor(Quantile(0.8), leaf=Quantiles((0.2, 0.5)), max_depth=3).fit(X, y)
    tree = model.tree_
    assert quantile_levels(tree) == (0.2, 0.5, 0.8)
    assert Tree.from_dict(tree.to_dict()) == tree
    again = tree.refit(X, y)
    assert_allclose(again.quantile_value, tree.quantile_value)
    assert_allclose(again.impurity, tree.impurity)
    assert_allclose(again.gain, tree.gain, atol=1e-12)
    other = tree.refit(X, y + 1)
    assert_allclose(other.answers(), tree.answers() + 1)
    root = tree.collapse(np.arange(len(tree)) == 0)
    assert root.answers()[0] == pytest.approx(quantile(y, 0.8))
    assert_allclose(tree.predict(X), model.predict(X))
    assert f"{quantile(y, 0.8):.4g}"[:4] in hb.show(tree)


def test_levels_and_q_are_searched_like_other_parameters():
    rng, X = float32_table(9, 80)
    y = X[:, 0] + rng.normal(size=80)
    search = GridSearchCV(TreeRegressor(Quantile(), max_depth=2), {"criterion__q": [0.3, 0.5]}, cv=2)
    assert search.fit(X, y).best_estimator_.criterion.q in (0.3, 0.5)
    assert repr(clone(Quantiles(levels=(0.1, 0.9)))) == "Quantiles(levels=(0.1, 0.9))"


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"criterion": Quantile(q=1.5)}, r"q=1.5 must be a number above 0 and below 1"),
        ({"criterion": Quantile(q="half")}, r"q='half' must be a number"),
        ({"criterion": "absolute", "missing": "fractional"}, r"use 'learn', 'branch', 'all-paths' or"),
        ({"criterion": "absolute", "missing": "surrogates"}, "missing=Surrogates"),
        ({"criterion": Absolute(), "split": Oblique()}, "leave split at its default"),
        ({"criterion": "quantile", "selection": "conditional"}, "leave selection at its default"),
        ({"criterion": "absolute", "leaf": Constant("shrinkage")}, "use smoothing='none'"),
        ({"leaf": Quantiles(())}, r"levels=\(\) must be a list of numbers"),
        ({"leaf": Quantiles("0.5")}, "levels='0.5' must be a list of numbers"),
        ({"leaf": Quantiles((0.5, 1.0))}, r"levels=1.0 must be a number above 0 and below 1"),
    ],
)
def test_what_is_not_possible_gets_one_sentence(parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        TreeRegressor(**parameters).fit({"x": [1, 2, 3]}, [1, 2, 4])


def test_quantiles_that_were_not_kept_are_asked_for_in_one_sentence():
    X, y = {"x": [1, 2, 3]}, [1, 2, 4]
    with pytest.raises(
        ValueError, match=r"keep no quantiles; fit with leaf=Quantiles\(levels=\[0.05, 0.95\]"
    ):
        TreeRegressor().fit(X, y).predict_interval(X)
    with pytest.raises(ValueError, match=r"keep the levels 0\.5"):
        TreeRegressor("absolute").fit(X, y).predict_quantiles(X, [0.25])
    with pytest.raises(ValueError, match="coverage=90 must be"):
        TreeRegressor(leaf="quantiles").fit(X, y).predict_interval(X, coverage=90)
    with pytest.raises(ValueError, match="is for a target of numbers"):
        TreeClassifier(leaf=Quantiles()).fit(X, ["a", "b", "a"])


def test_the_measures_are_what_nodes_say():
    y, w = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0], [1.0, 2.0, 0.5, 1.0, 0.0, 1.5]
    X = {"x": [0] * 6}
    for criterion, loss, answer in (
        ("absolute", hb.teaching.measures.absolute_deviation(y, sample_weight=w), 0.5),
        (Quantile(0.8), hb.teaching.measures.pinball(y, 0.8, sample_weight=w), 0.8),
        ("poisson", hb.teaching.measures.poisson_deviance(y, sample_weight=w), None),
    ):
        tree = TreeRegressor(criterion).fit(X, y, w).tree_
        assert tree.impurity[0] == pytest.approx(loss)
        if answer is not None:
            assert tree.answers()[0] == hb.teaching.measures.quantile(y, answer, sample_weight=w)
    with pytest.raises(ValueError, match="q=0"):
        hb.teaching.measures.quantile(y, 0)
