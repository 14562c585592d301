"""Oblique splits that gain enough are chosen by what is left to do: few leaves, and never less gain."""

import re

import numpy as np
import pytest
from tests.growing.test_oblique import CORNERED, assert_never_worse
from tests.support.tilted_tables import rotated

import hornbeam as hb
from benchmarks import bench_turned
from hornbeam import TreeClassifier
from hornbeam.growing.interruption import GrowthInterrupted
from hornbeam.growing.oblique.oblique_search import ObliqueSearch

TURN = np.array([[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]]) / 2  # of four columns


def fields(n, seed):
    """Four columns, turned; a tree of three levels tells the class before."""
    u = np.random.default_rng(seed).uniform(-1, 1, (n, 4))
    low = np.where(u[:, 1] > 0.2, u[:, 2] > -0.1, u[:, 3] > 0.1)
    return u @ TURN, np.where(u[:, 0] > -0.2, low, u[:, 3] > 0.1)


@pytest.mark.parametrize("shape", CORNERED)
def test_rotated_corners_take_a_third_of_the_leaves_at_equal_accuracy_on_new_rows(shape):
    plain_leaves = even_leaves = 0
    for seed in range(2):
        (X, u), (X_new, u_new) = rotated(2000, seed), rotated(4000, 100 + seed)
        y, y_new = CORNERED[shape](u), CORNERED[shape](u_new)
        plain = TreeClassifier().fit(X, y)
        oblique = TreeClassifier(split="oblique").fit(X, y)
        assert oblique.score(X, y) == 1.0
        assert oblique.score(X_new, y_new) > plain.score(X_new, y_new)
        assert_never_worse(oblique, X, y)
        path = hb.pruning_path(oblique, validation=(X_new, y_new))
        as_good = np.asarray(path.validation) <= 1 - plain.score(X_new, y_new) + 1e-12
        plain_leaves += plain.tree_.n_leaves
        even_leaves += np.asarray(path.leaves)[as_good].min()
    assert 3 * even_leaves <= plain_leaves


def test_a_rotated_tree_of_four_columns_takes_a_fourth_of_the_leaves():
    (X, y), (X_new, y_new) = fields(1500, 0), fields(4000, 1)
    plain, oblique = TreeClassifier().fit(X, y), TreeClassifier(split="oblique").fit(X, y)
    assert 4 * oblique.tree_.n_leaves <= plain.tree_.n_leaves
    assert oblique.score(X_new, y_new) > plain.score(X_new, y_new) + 0.05
    assert_never_worse(oblique, X, y)


def test_the_second_tree_is_taken_only_if_it_has_no_more_leaves(monkeypatch):
    tables = [fields(1000, 2), *((rotated(400, 3)[0], CORNERED[s](rotated(400, 3)[1])) for s in CORNERED)]
    second = [TreeClassifier(split="oblique").fit(X, y).tree_.n_leaves for X, y in tables]
    monkeypatch.setattr(ObliqueSearch, "wiser", lambda *_: None)
    first = [TreeClassifier(split="oblique").fit(X, y).tree_.n_leaves for X, y in tables]
    assert all(few <= many for few, many in zip(second, first, strict=True))
    assert sum(second) < sum(first)


def test_neither_the_order_of_rows_nor_the_threads_matter_to_what_is_recalled():
    X, y = fields(500, 4)
    order = np.random.default_rng(0).permutation(len(y))
    first, *others = (
        TreeClassifier(split="oblique", n_jobs=jobs).fit(X[rows], y[rows]).tree_.text()
        for rows, jobs in ((slice(None), 1), (order, 1), (order[::-1], 3))
    )
    assert others == [first, first]


def test_progress_never_goes_back_though_the_tree_is_grown_twice():
    X, y = fields(400, 5)
    told = []
    TreeClassifier(split="oblique").fit(X, y, progress=told.append)
    assert told == sorted(told)
    assert told[0] < 0.5 < told[-1] <= 1


def test_whoever_stops_the_second_growth_has_the_first_tree(monkeypatch):
    X, y = fields(400, 5)
    with pytest.raises(GrowthInterrupted) as stopped:
        TreeClassifier(split="oblique").fit(X, y, progress=lambda share: share > 0.5)
    monkeypatch.setattr(ObliqueSearch, "wiser", lambda *_: None)
    assert stopped.value.tree.text() == TreeClassifier(split="oblique").fit(X, y).tree_.text()


def test_the_benchmark_of_turned_shapes_prints_a_line_for_each_shape_and_size(capsys):
    bench_turned.main(["--shapes=half,all", "--sizes=100,200", "--draws=1"])
    lines = capsys.readouterr().out.splitlines()
    names = ["half-plane", "the same, all turned"]
    assert [line.split(" | ")[0] for line in lines[2:]] == [
        f"| {name}, {rows} rows" for rows in (100, 200) for name in names
    ]
    shares = [float(share) for share in re.findall(r"\((\d\.\d\d)\)", lines[4])]
    assert len(shares) == 2
    assert max(shares) < 1 / 3
    with pytest.raises(SystemExit):
        bench_turned.main(["--shapes=cube"])


def test_turned_shapes_differ_in_their_labels_only_by_the_share_that_is_wrong():
    (_, right), *_ = bench_turned.draw("box", 2_000, 0, 0.0)
    (_, wrong), *held = bench_turned.draw("box", 2_000, 0, 0.25)
    assert abs(np.mean(right != wrong) - 0.25) < 0.03
    assert [len(X) for X, _ in held] == [4_000, 4_000]
