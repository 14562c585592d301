"""The lectures' cases about paths, the 1-SE rule and the smallest prunings."""

import math

import numpy as np
from tests.support.small_trees import S2, chain, pt, rows_of

import hornbeam as hb
from hornbeam.pruning.nested_subtrees import choose_step


def test_the_least_size_for_k_errors():
    found = hb.teaching.smallest_prunings(pt())
    assert found.sizes(30) == [math.inf] * 14 + [9, 7, 5, 5] + [3] * 12 + [1]


def test_srm_selection():
    choice = hb.teaching.smallest_prunings(pt()).select_srm()
    scores = [[row["errors"], row["nodes"], round(row["score"], 6)] for row in choice.table]
    assert scores == [
        [14, 9, 0.59375],
        [15, 7, 0.565094],
        [16, 5, 0.529508],
        [18, 3, 0.497756],
        [30, 1, 0.59375],
    ]
    assert (choice.errors, choice.nodes) == (18, 3)
    assert choice.tree.n_nodes == 3


def test_hypothesis_validation():
    X, y, counts = rows_of(S2)
    choice = hb.teaching.smallest_prunings(pt()).select(X, y, counts=counts)
    held = {row["errors"]: [row["nodes"], row["score"]] for row in choice.table}
    assert {k: held[k] for k in (14, 16, 18, 30)} == {14: [9, 15], 16: [5, 10], 18: [3, 12], 30: [1, 20]}
    assert choice.errors == 16
    assert choice.score == 10
    assert choice.model.text() == choice.tree.text()


def sequence(path):
    return np.column_stack([path.alpha, path.leaves, path.risk]).round(6).tolist()


def test_cost_complexity_sequences():
    assert sequence(hb.pruning_path(pt())) == [
        [0.0, 5, 0.21875],
        [0.015625, 3, 0.25],
        [0.03125, 2, 0.28125],
        [0.1875, 1, 0.46875],
    ]
    robots, tennis = hb.datasets.load("robots"), hb.datasets.load("tennis")
    path = hb.pruning_path(hb.teaching.builddt().fit(robots.X, robots.y))
    assert sequence(path) == [[0, 4, 0], [0.125, 3, 0.125], [0.1875, 1, 0.5]]
    path = hb.pruning_path(hb.id3().fit(tennis.X, tennis.y))
    assert sequence(path) == [[0, 5, 0], [0.089286, 1, 0.357143]]


def test_the_1_se_rule():
    leaves, error = [1, 2, 3, 5, 8], [0.50, 0.36, 0.31, 0.30, 0.33]
    spread = [0.05, 0.048, 0.046, 0.046, 0.047]
    assert leaves[choose_step(leaves, error, spread, "min")] == 5
    assert leaves[choose_step(leaves, error, spread)] == 3


def test_the_number_of_prunings():
    tennis, robots = hb.datasets.load("tennis"), hb.datasets.load("robots")
    assert hb.teaching.count_prunings(pt()) == 7
    assert hb.teaching.count_prunings(hb.id3().fit(tennis.X, tennis.y)) == 5
    assert hb.teaching.count_prunings(hb.teaching.builddt().fit(robots.X, robots.y)) == 3


def test_a_chain_takes_few_steps():
    tree = chain(50)
    assert len(tree) == 101
    found = hb.teaching.smallest_prunings(tree)
    assert found.sizes(50) == [101 - 2 * e for e in range(51)]
    assert found.steps <= 50 * 51 / 2
