"""Subtrees that move up are searched by several threads; their number changes no decision."""

import numpy as np
import pytest

import hornbeam as hb
from hornbeam.pruning import replace_by_child
from hornbeam.tree import apply


def noisy(n, seed, gaps=False):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5)).round(2)
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(0, 1.5, n) > 0).astype(int)
    if gaps:
        X[rng.random(X.shape) < 0.05] = np.nan
    return X, y


def same_record(one, other):
    assert one.tree == other.tree
    assert one.decisions.node.tolist() == other.decisions.node.tolist()
    assert one.decisions.action.tolist() == other.decisions.action.tolist()
    assert one.decisions.child.tolist() == other.decisions.child.tolist()
    for name, numbers in one.decisions.numbers.items():
        assert np.array_equal(numbers, other.decisions.numbers[name], equal_nan=True)
    assert one.facts == other.facts


@pytest.mark.parametrize("missing", ["learn", "fractional"])
@pytest.mark.parametrize("method", ["replace-by-child", "error-based"])
def test_threads_change_no_decision(method, missing, monkeypatch):
    n = 30_000 if missing == "learn" else 10_000  # rows in fractions take much longer
    grown, held = noisy(n, 0, gaps=True), noisy(n // 2, 1, gaps=True)
    model = hb.TreeClassifier(missing=missing, min_samples_leaf=5).fit(*grown)
    rows = {"X": held[0], "y": held[1], "training": grown}
    if method == "error-based":
        rows = {"X": grown[0], "y": grown[1]}
    found = []
    for n_threads in (1, 2, 5):
        for place in (apply, replace_by_child):
            monkeypatch.setattr(place, "threads_for", lambda _rows, _jobs, n=n_threads: n)
        found.append(hb.teaching.pruning_record(model, method, **rows))
    assert found[0].n_pruned > 100
    assert (found[0].decisions.action == 2).sum() > 10
    for other in found[1:]:
        same_record(found[0], other)


def test_numbers_are_replaced_alike_by_any_number_of_threads(monkeypatch):
    X, _ = noisy(30_000, 2)
    y = np.round(X[:, 0] + np.random.default_rng(3).normal(0, 1, len(X)), 1)
    model = hb.TreeRegressor(min_samples_leaf=5).fit(X[:20_000], y[:20_000])
    found = []
    for n_threads in (1, 4):
        monkeypatch.setattr(replace_by_child, "threads_for", lambda _rows, _jobs, n=n_threads: n)
        part = X[20_000:], y[20_000:]
        found.append(
            hb.teaching.pruning_record(model, "replace-by-child", *part, training=(X[:20_000], y[:20_000]))
        )
    same_record(*found)


def test_no_lock_written_in_python_is_shared_by_threads(monkeypatch):
    """An interrupt inside a Condition, as those of Python's pools and events, can leave its lock taken."""
    X, y = noisy(200, 4)
    model = hb.TreeClassifier(n_jobs=2).fit(X, y)
    expected = hb.pruning_path(model, X, y, cv=3).cv_error.tolist()

    def refuse(*_):
        raise AssertionError("a lock that an interrupt leaves taken")

    monkeypatch.setattr("hornbeam._base.parameters.most_threads", lambda: 2)
    monkeypatch.setattr("threading.Condition.__init__", refuse)
    assert hb.pruning_path(model, X, y, cv=3).cv_error.tolist() == expected
