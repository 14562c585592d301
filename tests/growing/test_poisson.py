"""Poisson trees: rates, exposure, what is refused, and scikit-learn's splits."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.tree import DecisionTreeRegressor
from tests.estimators.test_same_as_sklearn import Comparison
from tests.oracles.ways import tuned
from tests.support.every_test import every_test
from tests.support.mixed_tables import float32_table

import hornbeam as hb
from hornbeam import TreeRegressor
from hornbeam.parts import Poisson
from hornbeam.tree.tree import Tree


def deviance(y, w=None):
    """Half the mean Poisson deviance around the mean."""
    w = np.ones(len(y)) if w is None else np.asarray(w, dtype=float)
    y = np.asarray(y, dtype=float)
    m = np.average(y, weights=w)
    each = [a * math.log(a / m) - a + m if a > 0 else m for a in y]
    return float(np.average(each, weights=w))


class RateComparison(Comparison):
    """The walk of `Comparison`, with deviances."""

    def impurity(self, rows):
        return deviance(self.y[rows], self.weight[rows]) * self.weight[rows].sum()


def test_the_impurity_is_half_the_mean_deviance_and_the_gain_its_decrease():
    y = [0, 1, 3, 8]
    tree = TreeRegressor("poisson", max_depth=1).fit({"x": [1, 2, 3, 4]}, y).tree_
    assert tree.impurity[0] == pytest.approx(deviance(y))
    cuts = [deviance(y) - (k * deviance(y[:k]) + (4 - k) * deviance(y[k:])) / 4 for k in (2, 3)]
    assert tree.gain[0] == pytest.approx(max(cuts))
    assert tree.text() == "x[<=2.5: 0.5000(n=2) | >2.5: 5.5000(n=2)]"


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("n", "seed"), [(150, 0), (900, 1), (6_000, 2)])
def test_the_tree_is_scikit_learns_split_for_split(n, seed, weighted):
    rng, X = float32_table(seed, n)
    y = rng.gamma(2.0, np.exp(X[:, 0] * X[:, 1] / 2)) * (rng.random(n) < 0.7)
    weight = rng.uniform(0.1, 3, n) if weighted else None
    limits = {"min_samples_leaf": 3 + seed, "max_depth": 8}
    model = TreeRegressor("poisson", **limits).fit(X, y, weight)
    peer = DecisionTreeRegressor(criterion="poisson", random_state=0, **limits).fit(X, y, weight)
    comparison = RateComparison(model, peer, X, y, weight)
    comparison.walk()
    assert comparison.compared > 10
    rows = comparison.settled
    assert_allclose(model.predict(X)[rows], peer.predict(X)[rows], rtol=1e-9)


def test_a_row_of_exposure_e_is_e_rows_that_share_its_events():
    X = {"x": [1.0, 2.0, 3.0, 4.0]}
    model = TreeRegressor("poisson", max_depth=1).fit(X, [2, 6, 1, 3], exposure=[1, 3, 2, 6])
    tree = model.tree_
    assert tree.text() == "x[<=2.5: 2.0000(n=2) | >2.5: 0.5000(n=2)]"
    spread = {"x": np.repeat(X["x"], [1, 3, 2, 6])}
    many = TreeRegressor("poisson", max_depth=1).fit(spread, np.repeat([2, 2, 0.5, 0.5], [1, 3, 2, 6]))
    assert_allclose(many.tree_.answers(), tree.answers())
    assert_allclose(many.tree_.impurity, tree.impurity)
    assert tree.n_rows.tolist() == [4, 2, 2]  # exposure never counts rows (K3)
    assert tree.weight[0] == 12


def test_exposure_and_weights_multiply_and_leave_the_limits_alone():
    X, y, e = {"x": [1.0, 2.0, 3.0]}, np.array([4.0, 2.0, 9.0]), np.array([2.0, 1.0, 100.0])
    assert TreeRegressor("poisson", min_samples_leaf=2).fit(X, y, exposure=e).tree_.n_leaves == 1
    both = TreeRegressor("poisson").fit(X, y, [1, 3, 1], exposure=e).tree_
    assert both.answers()[0] == pytest.approx((4 + 3 * 2 + 9) / (2 + 3 + 100))


def test_no_branch_is_left_without_an_event():
    tree = TreeRegressor("poisson").fit({"x": [1, 2, 3, 4]}, [0, 0, 0, 4]).tree_
    assert tree.n_leaves == 1
    X = {"x": [1, 2, 3, 4, 5, 6]}
    tree = TreeRegressor("poisson").fit(X, [0, 0, 1, 0, 5, 5]).tree_
    assert tree.answers().min() > 0
    assert DecisionTreeRegressor(criterion="poisson").fit(
        np.c_[X["x"]], [0, 0, 1, 0, 5, 5]
    ).get_n_leaves() == (tree.n_leaves)


def test_sets_of_many_values_are_parted_in_the_order_of_their_rates():
    rng = np.random.default_rng(0)
    code = rng.integers(0, 30, 600)
    y = rng.poisson(np.where(code % 3 == 0, 4.0, 1.0))
    X = {"c": np.array([f"v{k:02}" for k in code])}
    tree = TreeRegressor("poisson", max_depth=1).fit(X, y).tree_
    rates = np.array([y[code == k].mean() for k in range(30)])
    order = np.argsort(rates, kind="stable")
    left = [np.isin(code, order[: k + 1]) for k in range(29)]
    n = len(y)
    losses = [(m.sum() * deviance(y[m]) + (~m).sum() * deviance(y[~m])) / n for m in left]
    assert tree.gain[0] == pytest.approx(deviance(y) - min(losses), rel=1e-9)


def test_any_order_of_rows_and_any_number_of_threads_give_the_same_tree():
    rng, X = float32_table(5, 8_000)
    y = rng.poisson(np.exp(X[:, 0])).astype(float)
    e = rng.uniform(0.5, 2, len(y))
    one = TreeRegressor("poisson", n_jobs=1).fit(X, y, exposure=e).tree_
    order = rng.permutation(len(y))
    with tuned(serial_cells=0, shared_rows=2_000, block_rows=500):
        other = TreeRegressor("poisson", n_jobs=3).fit(X[order], y[order], exposure=e[order])
    assert other.tree_ == one


@pytest.mark.parametrize("missing", ["learn", "branch", "all-paths", "fractional", "majority", "surrogates"])
def test_every_missing_rule_works(missing):
    rng, X = float32_table(7, 300)
    y = rng.poisson(np.exp(X[:, 0])).astype(float)
    X = np.where(rng.random(X.shape) < 0.2, np.nan, X)
    model = TreeRegressor("poisson", missing=missing, min_samples_leaf=10).fit(X, y)
    assert np.isfinite(model.predict(X)).all()
    assert model.score(X, y) > 0.1


def test_selections_and_special_splits_measure_by_the_deviance():
    rng, X = float32_table(8, 300)
    y = rng.poisson(np.exp(X[:, 0])).astype(float)
    for choice in ({"selection": "chi-square"}, {"selection": "conditional"}, {"split": "oblique"}):
        tree = TreeRegressor("poisson", max_depth=2, random_state=0, **choice).fit(X, y).tree_
        assert tree.impurity[0] == pytest.approx(deviance(y))
        assert tree.feature_importances().sum() == pytest.approx(1.0)


def test_monotonic_rates_never_fall():
    rng, X = float32_table(9, 400)
    y = rng.poisson(np.exp(X[:, 0])).astype(float)
    model = TreeRegressor("poisson", monotonic_cst={0: 1}, min_samples_leaf=5).fit(X, y)
    line = np.tile(np.median(X, axis=0), (50, 1))
    line[:, 0] = np.linspace(X[:, 0].min(), X[:, 0].max(), 50)
    assert (np.diff(model.predict(line)) >= 0).all()


def test_the_tree_is_saved_refitted_and_collapsed_with_its_rates():
    X, y = {"x": [1, 2, 3, 4, 5, 6]}, [1, 2, 1, 8, 9, 30]
    tree = TreeRegressor("poisson", max_depth=2).fit(X, y).tree_
    assert Tree.from_dict(tree.to_dict()) == tree
    again = tree.refit(X, y)
    assert_allclose(again.impurity, tree.impurity)
    assert_allclose(again.gain, tree.gain)
    assert_allclose(again.answers(), tree.answers())
    root = np.arange(len(tree)) == 0
    assert tree.collapse(root).text() == "8.5000(n=6)"
    with pytest.raises(ValueError, match="negative"):
        tree.refit(X, [-1, 0, 0, 0, 0, 1])
    assert "8.5" in hb.show(tree)


@pytest.mark.parametrize(
    ("y", "given", "sentence"),
    [
        ([1, -2, 3], {}, r"y\[1\]=-2; use criterion='variance'"),
        ([0, 0, 0], {}, "no row that counts has a positive y"),
        ([0, 0, 3], {"sample_weight": [1, 1, 0]}, "no row that counts has a positive y"),
        ([1, 1, 1], {"exposure": [1, 0, 1]}, r"exposure\[1\]=0 must be above 0"),
        ([1, 1, 1], {"exposure": [1, -1, 1]}, r"exposure\[1\]=-1 must be a finite number"),
        ([1, 1, 1], {"exposure": [1, 1]}, "exposure must hold one number for each row"),
        ([1e149, 1, 1], {"exposure": [1e-9, 1, 1]}, "use a larger unit of exposure"),
    ],
)
def test_what_has_no_rate_gets_one_sentence(y, given, sentence):
    with pytest.raises(ValueError, match=sentence):
        TreeRegressor(Poisson()).fit({"x": [1, 2, 3]}, y, **given)


def test_exposure_makes_rates_for_every_criterion():
    X = {"x": [1, 2]}
    assert TreeRegressor(max_depth=0).fit(X, [2, 9], exposure=[1, 3]).predict({"x": [1]}) == 11 / 4
    assert TreeRegressor("absolute", max_depth=0).fit(X, [2, 9], exposure=[1, 3]).predict({"x": [1]}) == 3


def test_candidates_are_not_judged_by_deviance():
    with pytest.raises(ValueError, match="judged by the search alone"):
        every_test({"x": [1, 2]}, [1, 2], criterion="poisson")


def _rates(n=400, seed=3):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 3)).astype(np.float32)
    return X, rng.poisson(np.exp(1 + 2 * (X[:, 0] > 0.5) + (X[:, 1] > 0.3) * X[:, 2])).astype(float)


def test_cost_complexity_weighs_the_deviance_of_rates_as_scikit_learn_does():
    X, y = _rates()
    peer = DecisionTreeRegressor(criterion="poisson", min_samples_leaf=20, random_state=0)
    peer = peer.cost_complexity_pruning_path(X, y)
    path = hb.pruning_path(TreeRegressor("poisson", min_samples_leaf=20).fit(X, y))
    assert_allclose(
        path.alpha, peer.ccp_alphas[np.searchsorted(peer.ccp_alphas, path.alpha - 1e-9)], atol=1e-12
    )
    assert_allclose(path.risk[[0, -1]], [peer.impurities[0], deviance(y)], rtol=1e-12)
    assert (path.training == path.risk).all()


def test_rpart_keeps_the_tests_that_lower_the_deviance_by_more_than_cp_of_the_roots():
    X = {"x": np.repeat(np.arange(4.0), 10)}
    y = np.concatenate([np.tile([0.0, 1.0], 5), np.full(10, 4.0), np.full(10, 40.0), np.full(10, 60.0)])
    root, halves = deviance(y), (y[:20], y[20:])
    first, second = (deviance(h) / 2 - (deviance(h[:10]) + deviance(h[10:])) / 4 for h in halves)
    assert 0.01 * root < first < second
    assert hb.rpart("real", criterion="poisson").fit(X, y).tree_.n_leaves == 4
    assert hb.rpart("real").fit(X, y).tree_.n_leaves == 3  # in squares, 0.5 and 4 are hardly apart
    for cp, leaves in ((first * 0.99, 4), (first * 1.01, 3), (second * 1.01, 2)):
        model = hb.rpart("real", criterion="poisson", cp=cp / root).fit(X, y)
        assert model.tree_.n_leaves == leaves


@pytest.mark.parametrize("missing", ["learn", "all-paths"])
def test_rows_held_out_lose_their_deviance(missing):
    X, y = _rates()
    X[::9, 0] = np.nan
    model = TreeRegressor("poisson", min_samples_leaf=20, missing=missing).fit(X[::2], y[::2])
    path = hb.pruning_path(model, validation=(X[1::2], y[1::2]))
    for step in (0, len(path.alpha) // 2, len(path.alpha) - 1):
        rate, truth = path.choose(alpha=path.alpha[step]).predict(X[1::2]), y[1::2]
        each = [a * math.log(a / m) - a + m if a > 0 else m for a, m in zip(truth, rate, strict=True)]
        assert path.validation[step] == pytest.approx(np.mean(each), rel=1e-12)
        assert path.validation_error[step] == pytest.approx(np.std(each) / math.sqrt(200), rel=1e-9)
    pruned = TreeRegressor("poisson", min_samples_leaf=20, missing=missing, pruning="cost-complexity").fit(
        X, y
    )
    assert 1 < pruned.tree_.n_leaves < 10
