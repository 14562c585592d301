"""Oblique splits: the same tree every time, and prediction follows training."""

import numpy as np
import pytest
from tests.oracles.thresholds import round_threshold
from tests.support.tilted_tables import noisy_line, rotated

from hornbeam import TreeClassifier
from hornbeam.parts import Oblique
from hornbeam.tree.arrays import HYPERPLANE

# ---- the same tree every time ------------------------------------------------------------------------------


def test_the_order_of_rows_the_threads_and_the_day_do_not_matter():
    for seed in range(3):
        X, y = noisy_line(200, seed)
        first = TreeClassifier(split="oblique").fit(X, y).tree_
        order = np.random.default_rng(seed).permutation(len(y))
        for other in (
            TreeClassifier(split="oblique").fit(X, y),
            TreeClassifier(split="oblique").fit(X[order], y[order]),
            TreeClassifier(split="oblique", n_jobs=1).fit(X, y),
            TreeClassifier(split="oblique", n_jobs=3).fit(np.asfortranarray(X), y),
            TreeClassifier(split="oblique", random_state=0).fit(X, y),
        ):
            assert other.tree_.text() == first.text()


def test_nor_do_they_where_few_leaves_are_the_aim():
    X, u = rotated(300, 2)
    y = (u[:, 0] > 0) ^ (u[:, 1] > 0.1)
    order = np.random.default_rng(0).permutation(len(y))
    first, *others = (
        TreeClassifier(split=Oblique(aim="leaves"), n_jobs=jobs).fit(X[rows], y[rows]).tree_.text()
        for rows, jobs in ((slice(None), 1), (order, 1), (order[::-1], 3))
    )
    assert others == [first, first]


def test_nor_do_they_at_a_node_of_many_rows():
    X, y = noisy_line(6000, 0)
    order = np.random.default_rng(0).permutation(len(y))
    trees = [
        TreeClassifier(split="oblique", max_depth=2, n_jobs=jobs).fit(X[rows], y[rows]).tree_
        for rows, jobs in ((slice(None), 1), (order, 2))
    ]
    assert trees[0].text() == trees[1].text()


def test_a_random_state_may_lead_elsewhere_but_always_to_the_same_place():
    X, y = noisy_line(200, 1, d=6)
    texts = [
        [TreeClassifier(split="oblique", random_state=seed).fit(X, y).tree_.text() for seed in range(4)]
        for _ in range(2)
    ]
    assert texts[0] == texts[1]
    assert len(set(texts[0])) > 1


def test_counts_are_repetitions():
    for seed in range(3):
        X, y = noisy_line(60, seed, d=3)
        counts = np.random.default_rng(seed).integers(0, 4, len(y))
        model = TreeClassifier(split="oblique").fit(X, y, counts=counts)
        again = TreeClassifier(split="oblique").fit(np.repeat(X, counts, axis=0), np.repeat(y, counts))
        assert model.tree_.text() == again.tree_.text()


def test_units_do_not_matter():
    for seed in range(3):
        X, y = noisy_line(150, seed, d=3)
        here = TreeClassifier(split="oblique").fit(X, y)
        there = TreeClassifier(split="oblique").fit(X * [8.0, 0.25, 1024.0], y)
        np.testing.assert_array_equal(here.apply(X), there.apply(X * [8.0, 0.25, 1024.0]))


def test_nor_does_a_common_place_far_away():
    X, u = rotated(400, 1)
    y = u[:, 0] > 0.2
    assert TreeClassifier(split="oblique").fit(X * 1e-3 + 1e6, y).tree_.n_leaves == 2


# ---- prediction follows training ---------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_every_training_row_goes_where_training_sent_it(dtype):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = (rng.normal(size=(200, 4)) * [1, 1e-3, 1e5, 7] + [0, 5, 1e7, 0]).round(seed + 1).astype(dtype)
        y = rng.integers(0, 3, 200)
        model = TreeClassifier(split="oblique").fit(X, y)
        tree, passed = model.tree_, model.decision_path(X)
        np.testing.assert_array_equal(np.asarray(passed.sum(axis=0))[0], tree.n_rows)
        assert (tree.kind == HYPERPLANE).any()


def test_sums_that_differ_by_rounding_alone_stay_together():
    # 0.1 + 0.2 > 0.3 + 0 in doubles
    X = [[0.1, 0.2], [0.3, 0.0], [0.2, 0.1], [0.0, 0.3], [0.2, 0.2], [0.4, 0.0], [0.1, 0.3], [0.3, 0.1]]
    tree = TreeClassifier(split="oblique").fit(X, [0, 0, 0, 0, 1, 1, 1, 1]).tree_
    assert tree.n_leaves == 2
    assert tree.threshold[0] == pytest.approx(0.35)


def test_the_threshold_is_the_round_number_between_the_sums_beside_it():
    X, y = noisy_line(100, 2)
    tree = TreeClassifier(split="oblique", max_depth=1).fit(X, y).tree_
    sums = sum(w * X[:, c] for c, w in zip(tree.plane_column, tree.plane_weight, strict=True))
    low, high = sums[sums <= tree.threshold[0]].max(), sums[sums > tree.threshold[0]].min()
    assert tree.gap[0].tolist() == [low, high]
    assert tree.threshold[0] == round_threshold(low, high)
