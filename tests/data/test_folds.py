"""Folds: every class dealt evenly, by the seed and what rows hold, not by where they stand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from hornbeam.data.folds import folds_of
from hornbeam.data.table import Table
from hornbeam.data.target import Target


def folds(X, y, cv, seed=0, **weighing):
    table, target = Table.learn(X), Target.classes_of(y, **weighing)
    found = folds_of(table, target, cv, seed)
    held = np.zeros((table.n_rows, found.n_folds), dtype=int)
    held[found.row, found.fold] = found.held
    return held


def test_every_class_is_dealt_evenly_to_the_folds():
    X, y = load_iris(return_X_y=True)
    held = folds(X, y, 7)
    assert (held.sum(axis=1) == 1).all()
    for k in range(3):
        sizes = held[y == k].sum(axis=0)
        assert sizes.max() - sizes.min() <= 1
    assert held.sum(axis=0).max() - held.sum(axis=0).min() <= 1


def test_folds_follow_the_seed_and_not_the_order_of_the_rows():
    X, y = load_iris(return_X_y=True)
    X, y = X + np.arange(150)[:, None] * 1e-6, y
    order = np.random.default_rng(1).permutation(150)
    assert (folds(X, y, 5)[order] == folds(X[order], y[order], 5)).all()
    assert (folds(X, y, 5) != folds(X, y, 5, seed=1)).any()


def test_a_count_is_dealt_as_so_many_rows():
    X, y = {"x": [1, 2, 3, 4]}, list("aabb")
    held = folds(X, y, 3, counts=[5, 0, 2, 1])
    assert held.sum(axis=1).tolist() == [5, 0, 2, 1]
    assert sorted(held[0].tolist()) == [1, 2, 2]
    assert held.sum(axis=0).max() - held.sum(axis=0).min() <= 1


def test_rows_of_weight_0_are_in_no_fold():
    held = folds({"x": [1, 2, 3, 4]}, list("aabb"), 2, sample_weight=[1, 0, 2, 1])
    assert held.sum(axis=1).tolist() == [1, 0, 1, 1]


@pytest.mark.parametrize(
    ("cv", "message"),
    [
        (1, "cv=1 must be a number of folds from 2 to the number of rows, 4"),
        (5, "cv=5 must be a number of folds from 2 to the number of rows, 4"),
        (2.5, "cv=2.5 must be a number of folds, or an array with the fold of each of 4 rows"),
        ([1, 1, 1, 1], "cv puts all rows into fold .*: there must be at least two"),
        ([1, 2], "array with the fold of each of 4 rows"),
    ],
)
def test_folds_that_cannot_be_are_refused(cv, message):
    with pytest.raises(ValueError, match=message):
        folds({"x": [1, 2, 3, 4]}, list("aabb"), cv)


@given(
    data=st.data(),
    n_classes=st.integers(2, 5),
    n_rows=st.integers(10, 60),
    seed=st.integers(0, 2**32),
)
def test_neither_names_nor_order_of_the_classes_change_the_folds(data, n_classes, n_rows, seed):
    rng = np.random.default_rng(seed)
    X = {"x": rng.permutation(n_rows), "z": rng.integers(0, 3, n_rows)}
    codes = rng.integers(0, n_classes, n_rows)
    counts = {"counts": rng.integers(0, 3, n_rows) + (np.arange(n_rows) < 5)} if seed % 2 else {}
    names = data.draw(st.permutations(["yes", "no", "b", "10", "2"]))
    order = rng.permutation(n_rows)
    plain = folds(X, codes, 3, seed % 7, **counts)
    renamed = folds(
        {name: values[order] for name, values in X.items()},
        np.array(names)[codes][order],
        3,
        seed % 7,
        **{name: values[order] for name, values in counts.items()},
    )
    assert (plain[order] == renamed).all()
