"""The trees are scikit-learn's, split for split, where it has one best split; one row is answered sooner."""

import timeit

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from tests.support.mixed_tables import float32_table

from hornbeam import TreeClassifier, TreeRegressor
from hornbeam.parts import Binary


class Comparison:
    """Walks a tree of ours and one of scikit-learn's together; a subtree below a tie is left out."""

    def __init__(self, model, peer, X, y, weight):
        self.tree, self.peer = model.tree_, peer.tree_
        self.classes = getattr(model, "classes_", None)
        self.X, self.y = X, y
        self.weight = np.ones(len(y)) if weight is None else weight
        self.compared = self.ties = 0
        self.settled = []

    def impurity(self, rows):
        w = self.weight[rows]
        if self.classes is None:
            mean = np.average(self.y[rows], weights=w)
            return float(w @ (self.y[rows] - mean) ** 2)
        mass = np.bincount(self.y[rows], weights=w)
        return float(w.sum() - (mass**2).sum() / w.sum())

    def gain(self, rows, column, threshold):
        left = self.X[rows, column] <= threshold
        return self.impurity(rows) - self.impurity(rows[left]) - self.impurity(rows[~left])

    def walk(self, node=0, other=0, rows=None):
        rows = np.arange(len(self.y)) if rows is None else rows
        assert len(rows) == self.peer.n_node_samples[other] == self.tree.n_rows[node]
        assert self.tree.impurity[node] == pytest.approx(self.peer.impurity[other], rel=1e-7, abs=1e-9)
        if self.tree.kind[node] == 0:  # rounding may leave scikit-learn a pure node to split
            assert self.peer.children_left[other] < 0 or self.impurity(rows) < 1e-12 * self.weight[rows].sum()
            self.settled.extend(rows.tolist())
            return
        assert self.peer.children_left[other] >= 0
        column, peer_column = self.tree.column[node], self.peer.feature[other]
        threshold, peer_threshold = self.tree.threshold[node], self.peer.threshold[other]
        low, high = self.tree.gap[node]
        self.compared += 1
        if column != peer_column or not low <= peer_threshold < high:
            mine, theirs = self.gain(rows, column, threshold), self.gain(rows, peer_column, peer_threshold)
            assert abs(mine - theirs) <= 1e-9 * max(mine, self.impurity(rows) * 1e-3), (node, mine, theirs)
            self.ties += 1
            return
        left = self.X[rows, column] <= threshold
        self.walk(self.tree.first_child[node], self.peer.children_left[other], rows[left])
        self.walk(self.tree.first_child[node] + 1, self.peer.children_right[other], rows[~left])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("n", "seed"), [(120, 0), (120, 1), (120, 2), (900, 3), (900, 4), (12_000, 5)])
@pytest.mark.parametrize("n_classes", [0, 2, 5])
def test_the_tree_is_scikit_learns_split_for_split(n_classes, n, seed, weighted):
    rng, X = float32_table(seed, n)
    signal = X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(size=n)
    y = (
        signal
        if not n_classes
        else np.digitize(signal, np.quantile(signal, np.arange(1, n_classes) / n_classes))
    )
    weight = rng.uniform(0.1, 3, n) if weighted else None
    limits = {"min_samples_leaf": 1 + seed, "max_depth": None if n < 1000 else 9}
    peer = (DecisionTreeClassifier if n_classes else DecisionTreeRegressor)(random_state=0, **limits)
    split = Binary(threshold_at="midpoint")  # as scikit-learn cuts
    model = (TreeClassifier if n_classes else TreeRegressor)(split=split, **limits)
    comparison = Comparison(model.fit(X, y, weight), peer.fit(X, y, weight), X, y, weight)
    comparison.walk()
    assert comparison.compared > 10
    rows = comparison.settled
    assert_allclose(model.predict(X)[rows], peer.predict(X)[rows], rtol=1e-9)
    if comparison.ties == 0:
        assert len(rows) == n
        fresh = float32_table(seed + 100, n)[1]
        assert_allclose(model.predict(fresh), peer.predict(fresh), rtol=1e-9)


@pytest.mark.parametrize(
    "limits", [{"max_leaf_nodes": 12}, {"min_impurity_decrease": 0.01}, {"min_samples_split": 0.2}]
)
@pytest.mark.parametrize("criterion", ["gini", "entropy", "log_loss"])
def test_the_limits_mean_what_they_mean_in_scikit_learn(criterion, limits):
    rng, X = float32_table(9, 600)
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=600) > 0).astype(int)
    peer = DecisionTreeClassifier(criterion=criterion, random_state=0, **limits).fit(X, y)
    model = TreeClassifier(criterion, **limits).fit(X, y)
    assert model.tree_.n_leaves == peer.get_n_leaves()
    assert_array_equal(model.predict(X), peer.predict(X))
    assert_allclose(model.predict_proba(X), peer.predict_proba(X), rtol=1e-12)
    assert_allclose(model.feature_importances_, peer.feature_importances_, rtol=1e-9)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("estimator", "peer"), [(TreeClassifier, DecisionTreeClassifier), (TreeRegressor, DecisionTreeRegressor)]
)
def test_one_row_takes_at_most_a_third_of_scikit_learns_time(estimator, peer, dtype):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2_000, 20)).astype(dtype)
    y = (X[:, 0] > X[:, 1]).astype(int)
    mine, theirs = estimator().fit(X, y).predict, peer().fit(X, y).predict
    row = X[:1].copy()
    best = [min(timeit.repeat(lambda: predict(row), number=50, repeat=20)) for predict in (mine, theirs)]  # noqa: B023
    assert best[0] <= best[1] / 3
