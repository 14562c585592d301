"""A grown tree is held compactly; whoever reads it sees the arrays of any other tree."""

from __future__ import annotations

import pickle
import threading
from typing import Any

import numpy as np
import pytest

import hornbeam as hb
from hornbeam.estimators.forest.forest_answers import compacted, restored
from hornbeam.tree.arrays import BY_TEST, NODE_ARRAYS, whole
from hornbeam.tree.tree import Tree

CHOICES: list[dict[str, Any]] = [
    {},
    {"max_depth": 2},
    {"max_leaf_nodes": 7},
    {"split": "multiway"},
    {"missing": "branch"},
    {"missing": "fractional"},
    {"missing": "surrogates"},
]


def drawn(seed: int, n: int = 60, *, gaps: bool = True) -> tuple[dict[str, Any], Any]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    known = rng.random(n) > 0.1 if gaps else np.ones(n, dtype=bool)
    colour = np.array(["red", "green", "blue", "grey"], dtype=object)[rng.integers(0, 4, n)]
    table = {"x": np.where(known, x, np.nan), "colour": colour, "z": rng.integers(0, 5, n)}
    return table, x + rng.normal(size=n)


def fitted(choice: dict[str, Any], weights: str, seed: int, *, real: bool) -> Tree:
    X, y = drawn(seed)
    rng = np.random.default_rng(seed + 100)
    given: dict[str, Any] = {}
    if weights == "weights":
        given["sample_weight"] = np.where(rng.random(len(y)) < 0.2, 0.0, rng.random(len(y)) + 0.1)
    elif weights == "counts":
        given["counts"] = rng.integers(0, 3, len(y))
    model = hb.TreeRegressor(**choice) if real else hb.TreeClassifier(**choice)
    return model.fit(X, y if real else np.digitize(y, [-0.5, 0.5]), **given).tree_


@pytest.mark.parametrize("weights", ["plain", "weights", "counts"])
@pytest.mark.parametrize("choice", CHOICES, ids=str)
def test_what_the_core_grew_is_a_tree_like_one_built_and_checked(
    choice: dict[str, Any], weights: str
) -> None:
    for real in (False, True):
        tree = fitted(choice, weights, 3, real=real)
        built = tree.replace()  # obeys every rule of a tree
        assert built == tree
        assert tree == built
        for name, node_array in NODE_ARRAYS.items():
            array = getattr(tree, name)
            assert array.dtype == node_array.dtype
            assert len(array) == len(tree)
            assert not array.flags.writeable


@pytest.mark.parametrize("weights", ["plain", "weights", "counts"])
def test_rows_are_counted_whether_the_core_hands_them_over_or_not(weights: str) -> None:
    X, y = drawn(5, gaps=False)
    rng = np.random.default_rng(1)
    given: dict[str, Any] = {}
    each = np.ones(len(y), dtype=np.int64)
    if weights == "weights":
        given["sample_weight"] = np.where(rng.random(len(y)) < 0.3, 0.0, 0.7)
        each = (given["sample_weight"] > 0).astype(np.int64)
    elif weights == "counts":
        given["counts"] = each = rng.integers(0, 4, len(y))
    for model in (hb.TreeRegressor(), hb.TreeRegressor("absolute"), hb.TreeClassifier()):
        label = y if isinstance(model, hb.TreeRegressor) else y > 0
        tree = model.fit(X, label, **given).tree_
        passed = model.decision_path(X)
        assert tree.n_rows.tolist() == (passed.T @ each).tolist()


def test_an_array_takes_its_full_length_when_it_is_read() -> None:
    tree = fitted({}, "plain", 4, real=True)
    assert not tree.__dict__.keys() & {"threshold", "gap", "gain", "impurity", "n_rows", "first_child"}
    assert np.isnan(tree.threshold[tree.kind == 0]).all()
    assert not np.isnan(tree.threshold[tree.kind == 1]).any()
    assert tree.threshold is tree.threshold
    assert "gap" not in tree.__dict__


def test_leaves_of_a_regression_cost_a_third_of_what_tests_cost() -> None:
    rng = np.random.default_rng(0)
    X = rng.random((3000, 4), dtype=np.float32)
    tree = hb.TreeRegressor().fit(X, X[:, 0] + rng.normal(size=3000)).tree_
    held = tree.__dict__["_compact"]
    assert sum(array.nbytes for array in held.values()) == 25 * tree.n_leaves + 73 * tree.n_tests


def test_threads_that_read_at_the_same_time_see_the_same() -> None:
    tree = fitted({}, "plain", 6, real=False)
    expected = tree.replace()
    fresh = [fitted({}, "plain", 6, real=False) for _ in range(4)]
    found: list[bool] = []

    def read(one: Tree) -> None:
        found.append(one == expected)

    threads = [threading.Thread(target=read, args=(one,)) for one in fresh for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 12


@pytest.mark.parametrize("choice", CHOICES, ids=str)
def test_compacted_and_restored_is_the_same_to_the_bit(choice: dict[str, Any]) -> None:
    for real in (False, True):
        for weights in ("plain", "weights"):
            tree = fitted(choice, weights, 8, real=real)
            arrays = tree.arrays()
            back = restored(compacted(arrays, tree.task), tree.task)
            again = Tree(**(tree.attributes() | back)).arrays()
            assert {k: v.tobytes() for k, v in again.items()} == {k: v.tobytes() for k, v in arrays.items()}


def test_compact_arrays_leave_out_what_follows() -> None:
    tree = hb.TreeRegressor(max_depth=1).fit([[1.0], [2.0], [9.0]], [1.0, 1.0, 5.0]).tree_
    small = compacted(tree.arrays(), tree.task)
    assert not small.keys() & {"n_rows", "n_children", "leaf_impurity", "missing", "absent"}
    assert [len(small[name]) for name in BY_TEST.keys() & small.keys()] == [1] * 6
    assert whole(small, "n_children", "real").tolist() == [2, 0, 0]
    assert whole(small, "n_rows", "real").tolist() == [3, 2, 1]


def test_counts_that_do_not_follow_from_the_stats_are_kept() -> None:
    tree = Tree.from_nested({"column": "x", "<=": 1.5, "yes": "a", "no": "b"})
    small = compacted(tree.arrays(), tree.task)
    assert restored(small, tree.task)["n_rows"].tolist() == tree.n_rows.tolist() == [0, 0, 0]


@pytest.mark.parametrize("missing", ["learn", "branch", "all-paths"])
def test_predictions_do_not_depend_on_how_the_tree_is_held(missing: str) -> None:
    X, y = drawn(10, 300)
    rows = np.column_stack([X["x"], X["z"]])
    for dtype in (np.float32, np.float64):
        model = hb.TreeRegressor(missing=missing).fit(rows.astype(dtype), y)
        held = model.apply_weights(rows.astype(dtype)).toarray()
        model.tree_ = model.tree_.replace()
        assert (held == model.apply_weights(rows.astype(dtype)).toarray()).all()


def test_a_pickle_holds_the_arrays_at_full_length() -> None:
    tree = fitted({}, "plain", 9, real=True)
    assert not any(name.startswith("_") for name in tree.__getstate__())
    assert pickle.loads(pickle.dumps(tree)) == tree


def test_a_class_has_no_array_and_says_so() -> None:
    with pytest.raises(AttributeError, match="array 'threshold'"):
        _ = Tree.threshold
