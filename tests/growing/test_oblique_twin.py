"""Oblique splits: the core's search along directions does what its twin does, on random tables."""

import numpy as np
import pytest
from tests.oracles import directions as twin

from hornbeam import _core

CLASSES = ("gini", "entropy", "gain-ratio", "root", "error")
REAL = ("variance", "sd", "poisson", "quantile")


def table(rng, n, d, gaps=0.0, digits=1):
    """Columns with ties and gaps; now and then a constant one."""
    z = rng.normal(size=(d, n)).round(digits).astype(np.float32)
    if rng.random() < 0.2:
        z[0] = 1.0
    z[rng.random((d, n)) < gaps] = np.nan
    return z


def goal_of(rng, criterion, n, n_classes=3):
    real = criterion in REAL
    y = rng.integers(0, 4, n) if real else rng.integers(0, n_classes, n)
    counts = rng.integers(1, 4, n) if rng.random() < 0.5 else np.ones(n, dtype=np.int64)
    weight = counts * (rng.integers(1, 9, n) / 4 if rng.random() < 0.5 else 1.0)
    level = 0.3 if criterion == "quantile" else 0.0
    kind = "sd" if criterion == "quantile" else criterion
    return twin.Goal(kind, y, 0 if real else n_classes, weight, counts, level, int(rng.integers(1, 4)))


@pytest.mark.parametrize("criterion", CLASSES + REAL)
def test_a_direction_scores_what_its_best_cut_gains(criterion):
    for seed in range(8):
        rng = np.random.default_rng(seed)
        n, d = int(rng.integers(2, 24)), int(rng.integers(2, 5))
        z = table(rng, n, d, gaps=0.1 * (seed % 2))
        goal = goal_of(rng, criterion, n, n_classes=2 + seed % 2)
        directions = rng.integers(-2, 3, (6, d)) / 2
        expected = [twin.best(goal, twin.project(z, one)) for one in directions]
        found = _core.score_directions(z.ravel(), d, goal.told(), directions.ravel(), 1)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


def test_so_do_many_rows_whatever_their_spread():
    for seed, digits in ((0, 0), (1, 1), (2, 6)):
        rng = np.random.default_rng(seed)
        z = rng.normal(size=(2, 1500)).round(digits).astype(np.float32)
        z[1, 0] = 1e6  # one far away leaves the others little room on an even grid
        goal = twin.Goal("gini", rng.integers(0, 2, 1500), 2, np.ones(1500), np.ones(1500, dtype=np.int64))
        directions = np.array([[1.0, 0.0], [0.5, 1.0], [1.0, -1.0]])
        found = _core.score_directions(z.ravel(), 2, goal.told(), directions.ravel(), 2)
        for score, direction in zip(found, directions, strict=True):
            sums = twin.project(z, direction)
            order = np.argsort(sums, kind="stable")
            left = np.cumsum(goal.y[order])[:-1]
            n = np.arange(1, 1500)
            inner = sums[order][:-1] < sums[order][1:]
            e = left * 1500 - left.dtype.type(goal.y.sum()) * n
            gains = 2.0 * e.astype(float) ** 2 / (1500.0 * n * (1500 - n)) / 1500
            assert score == pytest.approx(gains[inner].max(), rel=1e-9)


def test_one_class_or_one_value_gains_nothing():
    z = np.arange(8, dtype=np.float32)
    told = twin.Goal("gini", np.zeros(4, dtype=int), 2, np.ones(4), np.ones(4, dtype=np.int64)).told()
    assert _core.score_directions(z, 2, told, np.array([1.0, 0.5]), 1).tolist() == [0.0]
    flat = np.ones(8, dtype=np.float32)
    assert _core.score_directions(flat, 2, told, np.array([1.0, 0.5]), 1).tolist() == [-np.inf]
    assert _core.score_directions(z * np.float32(np.nan), 2, told, np.array([1.0, 0.5]), 1).tolist() == [
        -np.inf
    ]


@pytest.mark.parametrize("criterion", ["gini", "entropy", "variance", "sd"])
def test_a_climb_takes_the_same_steps(criterion):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        n, d = int(rng.integers(6, 20)), int(rng.integers(2, 4))
        z = table(rng, n, d, gaps=0.05 * (seed % 2))
        goal = goal_of(rng, criterion, n, n_classes=2)
        starts = np.concatenate([np.eye(d), rng.integers(-4, 5, (2, d)) / 4 + 0.125])
        free = np.ones(starts.shape, dtype=np.uint8)
        free[-1, 0] = 0
        how = (0.5, 0.125, 2 + seed % 2, 1e-9, 0.9 * twin.total(goal, np.arange(n)) / goal.weight.sum())
        given = z.ravel(), d, goal.told(), starts.ravel(), free.ravel(), how
        scores, found, _ = _core.climb(*given, 1)
        for k, direction in enumerate(found.reshape(-1, d)):
            expected, score = twin.climb(goal, z, starts[k], free[k], how)
            assert scores[k] == pytest.approx(score, rel=1e-9)
            if np.isfinite(score):
                assert direction.tolist() == expected.tolist()


def test_threads_climb_to_the_same_places():
    rng = np.random.default_rng(0)
    z = rng.normal(size=(5, 3000)).astype(np.float32)
    y = (z[0] - 0.5 * z[3] + 0.3 * rng.normal(size=3000) > 0).astype(int)
    goal = twin.Goal("entropy", y, 2, np.ones(3000), np.ones(3000, dtype=np.int64))
    starts, free = np.eye(5).ravel(), np.ones(25, dtype=np.uint8)
    ways = [
        _core.climb(z.ravel(), 5, goal.told(), starts, free, (0.5, 0.1, 5, 1e-12, 1.0), n) for n in (1, 2, 5)
    ]
    for scores, found, _ in ways[1:]:
        assert scores.tolist() == ways[0][0].tolist()
        assert found.tolist() == ways[0][1].tolist()


def test_looking_ahead_finds_the_cheapest_cut():
    for seed in range(4):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(8, 13))
        z = rng.normal(size=(2, n)).astype(np.float32)
        y = (z[0] > 0).astype(int) ^ (z[1] > 0).astype(int) if seed % 2 else rng.integers(0, 3, n)
        goal = twin.Goal("gini", y, 3, np.ones(n), np.ones(n, dtype=np.int64))
        directions = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, -0.5]]
        for least, depth in ((-np.inf, 9), (0.05, 9), (-np.inf, 2)):
            expected = twin.cheapest(goal, z, directions, least, depth)
            place, below, score, cost = _core.look_ahead(
                z.ravel(), 2, goal.told(), np.array(directions).ravel(), least, depth, 10**6, 10**12
            )
            assert cost == pytest.approx(expected)
            assert (place >= 0) == np.isfinite(expected)
            if place >= 0:
                found = twin.cuts(goal, twin.project(z, np.array(directions[place])), np.arange(n))
                assert next(s for s, count, _ in found if count == below) == pytest.approx(score)
                assert score > least


def test_the_cheapest_cut_is_moved_while_that_costs_less():
    moved = 0
    for seed in range(2):
        rng = np.random.default_rng(seed)
        z = rng.uniform(-1, 1, size=(2, 40)).astype(np.float32)
        y = (z[0] > 0).astype(int) ^ (z[1] > 0.1).astype(int)
        goal = twin.Goal("gini", y, 2, np.ones(40), np.ones(40, dtype=np.int64))
        expected = twin.cheapest(goal, z, np.eye(2), -np.inf, 9)
        _, below, _, cost = _core.look_ahead(
            z.ravel(), 2, goal.told(), np.eye(2).ravel(), -np.inf, 9, 10**6, 10**12
        )
        assert cost == expected
        moved += below not in [40 * i // 13 for i in range(14)]
    assert moved > 0


def test_exclusive_or_is_worth_a_cut_that_gains_nothing():
    z = np.array([[-1, -1, 1, 1] * 8, [-1, 1, -1, 1] * 8], dtype=np.float32)
    goal = twin.Goal("gini", np.array([0, 1, 1, 0] * 8), 2, np.ones(32), np.ones(32, dtype=np.int64))
    axes = np.eye(2).ravel()
    assert _core.look_ahead(z.ravel(), 2, goal.told(), axes, -np.inf, 9, 24, 10**6) == (0, 16, 0.0, 4.0)


def test_what_does_not_fit_is_refused():
    told = twin.Goal("gini", np.zeros(4, dtype=int), 2, np.ones(4), np.ones(4, dtype=np.int64)).told()
    z = np.zeros(8, dtype=np.float32)
    for width, change, directions, words in (
        (3, {}, [1.0, 1.0, 1.0], "columns differ in length"),
        (4, {}, [1.0, 1.0, 1.0, 1.0], "columns and target differ in length"),
        (2, {}, [1.0], "a weight for each column"),
        (2, {"codes": np.array([0, 1, 2, 0], dtype=np.int32)}, [1.0, 1.0], "no such class"),
        (2, {"criterion": "loudness"}, [1.0, 1.0], "no such criterion"),
    ):
        with pytest.raises(ValueError, match=words):
            _core.score_directions(z, width, told | change, np.array(directions), 1)
