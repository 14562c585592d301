"""What nodes of a regression tree say about their rows, against arithmetic in fractions."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

import hornbeam as hb
from hornbeam.data.target import Target
from hornbeam.tree.node_stats import stats_of_groups
from hornbeam.tree.routing import as_in_training, visit_nodes
from hornbeam.tree.tree import Tree

LARGEST = Fraction(float(np.finfo(np.float64).max))
DENORMAL = Fraction(5e-324)
Made = tuple[np.ndarray, np.ndarray | None]  # y and weights
Maker = Callable[[np.random.Generator, int], Made]


def _beside(outlier: float) -> Maker:
    def make(rng: np.random.Generator, n: int) -> Made:
        y = rng.choice([0.1, 0.2, 0.3, 0.7], n) + rng.choice([0.0, 1e-9], n)
        y[rng.integers(n)] = outlier
        return y, None

    return make


def _plain(rng: np.random.Generator, n: int) -> Made:
    return rng.normal(size=n), None


def _weights(rng: np.random.Generator, n: int) -> Made:
    return rng.normal(size=n), rng.uniform(0, 3, n) * (rng.random(n) < 0.9) + 1e-3


def _fill_values(rng: np.random.Generator, n: int) -> Made:
    return np.where(rng.random(n) < 0.2, 1e20, rng.normal(size=n)), None


def _zeros(rng: np.random.Generator, n: int) -> Made:
    return rng.choice([-0.0, 0.0, 0.1, -0.1, 0.3], n), rng.integers(1, 4, n) / 10


def _denormals(rng: np.random.Generator, n: int) -> Made:
    return rng.integers(-9, 9, n) * 5e-324, None


def _large_integers(rng: np.random.Generator, n: int) -> Made:
    return 2.0**53 + 2.0 * rng.integers(0, 9, n), None


def _widely_spread(rng: np.random.Generator, n: int) -> Made:
    y = rng.choice([-1.0, 1.0], n) * 10 ** rng.uniform(-300, 150, n)
    return y, 10 ** rng.uniform(-300, 300, n)


def _largest(rng: np.random.Generator, n: int) -> Made:
    return rng.choice([-1.0, 1.0], n) * rng.uniform(0.9e150, 1e150, n), None


def _never_negative(rng: np.random.Generator, n: int) -> Made:
    return rng.choice([0.0, 0.1, 0.2, 0.3, 0.7], n), rng.integers(1, 4, n) / 10


MAKERS: dict[str, Maker] = {
    "plain": _plain,
    "weights": _weights,
    **{f"beside {far:g}": _beside(far) for far in (1e6, 1e12, 1e16, -1e20, 1e100, 1e150)},
    "fill values": _fill_values,
    "zeros": _zeros,
    "denormals": _denormals,
    "large integers": _large_integers,
    "widely spread": _widely_spread,
    "largest": _largest,
    "never negative": _never_negative,
}


def _columns(rng: np.random.Generator, n: int) -> np.ndarray:
    return np.round(rng.normal(size=(n, 2)), 1)


def _check_stats(stats: np.ndarray, y: np.ndarray, weight: np.ndarray) -> None:
    """(weight, mean, squares) against what the rows add up to."""
    rows = [(Fraction(w), Fraction(v)) for w, v in zip(weight.tolist(), y.tolist(), strict=True) if w > 0]
    total = sum((w for w, _ in rows), Fraction(0))
    mean = sum((w * v for w, v in rows), Fraction(0)) / total
    squares = sum((w * (v - mean) ** 2 for w, v in rows), Fraction(0))
    own_weight, own_mean, own_squares = stats.tolist()
    assert abs(Fraction(own_weight) - min(total, LARGEST)) <= Fraction(math.ulp(own_weight))
    assert abs(Fraction(own_mean) - mean) <= 2 * Fraction(math.ulp(float(mean)))
    assert math.copysign(1, own_mean) > 0 or own_mean < 0  # no -0.0
    if len({v for _, v in rows}) == 1:
        assert (Fraction(own_mean), own_squares) == (rows[0][1], 0.0)
    if squares >= LARGEST:
        assert Fraction(own_squares) == LARGEST
    else:
        assert abs(Fraction(own_squares) - squares) <= Fraction(1e-12) * squares + 4 * DENORMAL


def _check_nodes(tree: Tree, X: np.ndarray, y: np.ndarray, weight: np.ndarray) -> None:
    arrays = tuple(np.ascontiguousarray(X[:, k]) for k in range(X.shape[1]))
    for visit in visit_nodes(tree, arrays, weight):
        _check_stats(tree.stats[visit.node], y[visit.rows], visit.weight)
        assert tree.answers()[visit.node] == tree.stats[visit.node, 1]


def _grow(
    X: np.ndarray, y: np.ndarray, weight: np.ndarray | None, n_jobs: int = 1, **choices: object
) -> Tree:
    return hb.TreeRegressor(n_jobs=n_jobs, **choices).fit(X, y, sample_weight=weight).tree_


def _check_table(name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 40))
    X, (y, weight) = _columns(rng, n), MAKERS[name](rng, n)
    choices = {"min_samples_leaf": int(rng.integers(1, 5))}
    tree = _grow(X, y, weight, **choices)
    _check_nodes(tree, X, y, np.ones(n) if weight is None else weight)
    if (y >= 0).all():
        assert (tree.answers() >= 0).all()
    order = rng.permutation(n)
    again = _grow(X[order], y[order], None if weight is None else weight[order], n_jobs=2, **choices)
    assert again.to_dict() == tree.to_dict()


@pytest.mark.parametrize("name", list(MAKERS))
def test_every_node_says_the_mean_of_its_rows(name):
    for seed in range(20):
        _check_table(name, seed)


@pytest.mark.slow
@pytest.mark.parametrize("name", list(MAKERS))
def test_every_node_of_many_tables_says_the_mean_of_its_rows(name):
    for seed in range(100, 1450):
        _check_table(name, seed)


@pytest.mark.parametrize("lowest", [-320, -300, 280])
def test_groups_of_any_doubles_have_exact_stats(lowest):
    """Beyond what a fit accepts: the whole range of doubles."""
    rng = np.random.default_rng(8)
    for _ in range(100):
        n = int(rng.integers(3, 12))
        y = rng.choice([-1.0, 1.0], n) * 10 ** rng.uniform(lowest, 308, n)
        weight = 10 ** rng.uniform(lowest, 308, n)
        group = np.append(rng.integers(0, 2, n - 2), [0, 1])
        stats = stats_of_groups(group, 2, weight, y)
        order = rng.permutation(n)
        assert stats.tobytes() == stats_of_groups(group[order], 2, weight[order], y[order]).tobytes()
        for k in range(2):
            _check_stats(stats[k], y[group == k], weight[group == k])


@pytest.mark.parametrize("name", ["weights", "beside 1e+150", "fill values", "zeros"])
def test_so_it_does_after_refitting(name):
    rng = np.random.default_rng(5)
    X, (y, weight) = _columns(rng, 60), MAKERS[name](rng, 60)
    tree = hb.TreeRegressor(max_leaf_nodes=6).fit(X, rng.normal(size=60)).tree_
    own = np.ones(60) if weight is None else weight
    table = {column.name: X[:, k] for k, column in enumerate(tree.columns)}
    target = Target.real_of(y, sample_weight=own)
    _check_nodes(tree.refit(table, target), X, y, own)


def test_repetitions_count_as_rows():
    rng = np.random.default_rng(6)
    X, counts = _columns(rng, 50), rng.integers(1, 5, 50)
    y = np.where(rng.random(50) < 0.1, 1e20, rng.normal(size=50))
    tree = hb.TreeRegressor(min_samples_leaf=3).fit(X, y, counts=counts).tree_
    _check_nodes(tree, X, y, counts.astype(np.float64))


@pytest.mark.parametrize("choices", [{"missing": "surrogates"}, {"criterion": "sd"}, {"missing": "majority"}])
def test_so_it_does_with_gaps_and_other_ways_to_grow(choices):
    rng = np.random.default_rng(7)
    X = _columns(rng, 80)
    X[rng.random(80) < 0.2, 0] = np.nan
    y = np.append(rng.normal(size=79), 1e15)
    tree = hb.TreeRegressor(min_samples_leaf=4, **choices).fit(X, y).tree_
    assert len(tree) > 3
    _check_nodes(tree, X, y, np.ones(80))


def test_parts_of_rows_count_with_their_weights():
    rng = np.random.default_rng(9)
    X = _columns(rng, 80)
    X[rng.random(80) < 0.2, 0] = np.nan
    y = np.append(rng.normal(size=79), 1e9)
    tree = hb.TreeRegressor(min_samples_leaf=4, missing="fractional").fit(X, y).tree_
    assert (tree.weight != np.rint(tree.weight)).any()
    arrays = tuple(np.ascontiguousarray(X[:, k]) for k in range(2))
    for visit in visit_nodes(as_in_training(tree), arrays, np.ones(80)):
        mean = np.average(y[visit.rows], weights=visit.weight)
        assert abs(tree.stats[visit.node, 1] - mean) <= 1e-12 * np.abs(y[visit.rows]).max()
        assert tree.weight[visit.node] == pytest.approx(visit.weight.sum(), rel=1e-9)
