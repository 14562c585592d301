"""Splits of regression trees against arithmetic in fractions: each is the best of its own rows."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

import hornbeam as hb
from hornbeam.tree.tree import Tree

MARGIN = Fraction(1, 10**12)  # of the node's impurity: candidates this near to the best are tied with it
Made = tuple[np.ndarray, np.ndarray | None]  # y and weights
Maker = Callable[[np.random.Generator, np.ndarray], Made]


def _outlier(rng: np.random.Generator, y: np.ndarray) -> Made:
    y[rng.integers(len(y))] = rng.choice([1, -1]) * 10.0 ** rng.integers(6, 301)
    return y, None


def _fill_values(rng: np.random.Generator, y: np.ndarray) -> Made:
    y[rng.random(len(y)) < 0.2] = rng.choice([1e20, -9999.0, 1e36, 9.96921e36])
    return y, None


def _beyond_whole_numbers(rng: np.random.Generator, y: np.ndarray) -> Made:
    n = len(y)
    return (2.0**53 + rng.integers(0, 50, n) * 2.0) * rng.choice([1, -1, 1, 1], n), None


def _zeros(rng: np.random.Generator, y: np.ndarray) -> Made:
    return np.where(rng.random(len(y)) < 0.5, rng.choice([0.0, -0.0], len(y)), y), None


def _outlier_and_weights(rng: np.random.Generator, y: np.ndarray) -> Made:
    y[rng.integers(len(y))] = 10.0 ** rng.integers(6, 19)
    return y, rng.integers(1, 4, len(y)) / 10


MAKERS: dict[str, Maker] = {
    "plain": lambda rng, y: (y, None),
    "one outlier": _outlier,
    "fill values": _fill_values,
    "from 1e-300 to 1e300": lambda rng, y: (y * 10.0 ** rng.integers(-300, 301, len(y)), None),
    "from 1e-10 to 1e10": lambda rng, y: (y * 10.0 ** rng.integers(-10, 11, len(y)), None),
    "integers beyond 2^53": _beyond_whole_numbers,
    "denormal": lambda rng, y: (rng.integers(0, 9, len(y)) * 5e-324, None),
    "both zeros": _zeros,
    "far from zero": lambda rng, y: (1e9 + y, None),
    "decimal weights": lambda rng, y: (y, rng.integers(1, 10, len(y)) / 10),
    "weights from 1e-4 to 1e4": lambda rng, y: (y, 10.0 ** rng.uniform(-4, 4, len(y))),
    "weights from 1e-12 to 1e12": lambda rng, y: (y, 10.0 ** rng.uniform(-12, 12, len(y))),
    "all from 1e-300 to 1e300": lambda rng, y: (
        y * 10.0 ** rng.integers(-300, 301, len(y)),
        10.0 ** rng.uniform(-300, 300, len(y)),
    ),
    "tiny weights": lambda rng, y: (y, 1e-300 * rng.integers(1, 10, len(y))),
    "an outlier and weights": _outlier_and_weights,
}


def made_table(name: str, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    rng = np.random.default_rng([seed, len(name)])
    n, n_columns = int(rng.integers(5, 40)), int(rng.integers(1, 4))
    X = rng.integers(0, int(rng.choice([3, 6, 50])), (n, n_columns)).astype(float)
    decimals = rng.random() < 0.5
    y = rng.choice([0.0, 0.1, 0.2, 0.3, 0.7, 1.0, 2.5], n) if decimals else rng.normal(size=n)
    return X, *MAKERS[name](rng, y)


def faults_of(tree: Tree, X: np.ndarray, y: np.ndarray, weights: np.ndarray | None) -> list[str]:
    """What is wrong with a fully grown tree of numeric columns, in exact arithmetic."""
    Y = [Fraction(float(v)) for v in y]
    W = [Fraction(1)] * len(Y) if weights is None else [Fraction(float(v)) for v in weights]
    faults = []
    waiting = [(0, list(range(len(Y))))]
    while waiting:
        node, rows = waiting.pop()
        weight = sum(W[i] for i in rows)
        events = sum(W[i] * Y[i] for i in rows)
        mean = events / weight
        impurity = sum(W[i] * (Y[i] - mean) ** 2 for i in rows) / weight
        candidates = []  # (decrease, column, last value below the cut), in the order that decides ties
        for column in range(X.shape[1]):
            order = sorted(rows, key=lambda i, column=column: X[i, column])
            w = wy = Fraction(0)
            for here, after in pairwise(order):
                w += W[here]
                wy += W[here] * Y[here]
                if X[here, column] < X[after, column]:
                    away = wy - mean * w
                    decrease = away**2 * (1 / w + 1 / (weight - w)) / weight
                    candidates.append((decrease, column, X[here, column]))
        is_leaf = tree.column[node] < 0
        if impurity == 0 or not candidates:
            if not is_leaf:
                faults.append(f"node {node} has nothing to split")
            continue
        if is_leaf:
            faults.append(f"leaf {node} should be split")
            continue
        best = max(decrease for decrease, _, _ in candidates)
        first = next(one for one in candidates if best - one[0] <= MARGIN * impurity)
        column, threshold = int(tree.column[node]), tree.threshold[node]
        own = max(
            (one for one in candidates if one[1] == column and one[2] <= threshold), key=lambda one: one[2]
        )
        if own != first:
            faults.append(
                f"node {node}: {own[1:]} loses {float((best - own[0]) / impurity):.3g}, not {first[1:]}"
            )
        child = int(tree.first_child[node])
        waiting.append((child, [i for i in rows if X[i, column] <= threshold]))
        waiting.append((child + 1, [i for i in rows if X[i, column] > threshold]))
    return faults


def check_tables(name: str, seeds: range) -> None:
    for seed in seeds:
        X, y, weights = made_table(name, seed)
        tree = hb.TreeRegressor().fit(X, y, sample_weight=weights).tree_
        assert faults_of(tree, X, y, weights) == [], seed


@pytest.mark.parametrize("name", MAKERS)
def test_every_split_is_the_best_of_its_own_rows(name: str) -> None:
    check_tables(name, range(12))


@pytest.mark.slow
@pytest.mark.parametrize("name", MAKERS)
def test_every_split_of_twenty_thousand_tables_is_the_best(name: str) -> None:
    check_tables(name, range(12, 1600))


@pytest.mark.parametrize(
    "name", ["one outlier", "fill values", "from 1e-10 to 1e10", "an outlier and weights"]
)
def test_neither_the_order_of_rows_nor_threads_matter(name: str) -> None:
    for seed in range(6):
        X, y, weights = made_table(name, seed)
        order = np.random.default_rng(seed).permutation(len(y))
        tree = hb.TreeRegressor(n_jobs=1).fit(X, y, sample_weight=weights).tree_
        shuffled = hb.TreeRegressor(n_jobs=2).fit(
            X[order], y[order], sample_weight=None if weights is None else weights[order]
        )
        assert shuffled.tree_ == tree


def test_large_nodes_get_a_grid_of_their_own_too() -> None:
    """Beside one fill value: the rows of nodes that are searched by histograms, and those below them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 3))
    y = (X[:, 0] > 0) + 2.0 * (X[:, 1] > 0)
    y[17] = 1e20
    others = np.arange(len(y)) != 17
    for weights in (None, np.where(np.arange(len(y)) % 2, 1.0, 1.5)):
        for limits in ({"max_depth": 8}, {"max_leaf_nodes": 12}):
            model = hb.TreeRegressor(**limits).fit(X, y, sample_weight=weights)
            assert (model.predict(X)[others] == y[others]).all()


# Weights of several targets lie on one grid of all rows, so those far apart lose digits there.
OF_OUTPUTS = [
    name for name in MAKERS if name not in ("weights from 1e-12 to 1e12", "all from 1e-300 to 1e300")
]


@pytest.mark.parametrize("name", OF_OUTPUTS)
def test_trees_of_several_targets_split_by_the_one_that_varies(name: str) -> None:
    """A constant beside a target changes no test, however small the numbers of a node are beside others."""
    for seed in range(12):
        X, y, weights = made_table(name, seed)
        Y = np.column_stack([np.full(len(y), 1e150), y])
        tree = hb.TreeRegressor().fit(X, Y, sample_weight=weights).tree_
        assert faults_of(tree.output("y1"), X, y, weights) == [], seed


def test_a_number_far_above_all_others_hides_no_test_of_several_targets() -> None:
    x = np.arange(8.0)[:, None]
    for power in (10, 100, 149, 300):
        Y = np.column_stack([np.arange(8.0) % 2, [1, 2, 3, 4, 5, 6, 7, 10.0**power]])
        tree = hb.TreeRegressor().fit(x, Y).tree_
        assert tree.n_leaves == 8, power
        assert np.isfinite(tree.gain).all()
        assert (tree.gain[tree.column >= 0] > 0).all()
        assert hb.TreeRegressor(max_leaf_nodes=8).fit(x, Y).tree_.n_leaves == 8


@pytest.mark.parametrize("weights", [None, np.r_[np.ones(7), 1e300]])
def test_importances_and_gains_of_the_largest_numbers_are_finite(weights) -> None:
    x, y = np.arange(8.0)[:, None], np.r_[np.arange(7.0), 1e300]
    assert hb.TreeRegressor().fit(x, y, sample_weight=weights).feature_importances_.tolist() == [1]
    model = hb.TreeRegressor().fit(x, np.column_stack([y, y]), sample_weight=weights)
    assert model.feature_importances_.tolist() == [1]
    assert np.isfinite(model.tree_.output(0).gain).all()
