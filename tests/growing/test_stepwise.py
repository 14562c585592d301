"""The stepwise grower, left with plain tests, grows the core's tree."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.support.mixed_tables import outcome, random_columns

from hornbeam import GrowthInterrupted, TreeClassifier, TreeRegressor
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.growing import grower, stepwise
from hornbeam.growing.candidates import axis_search
from hornbeam.growing.interruption import GrowthKeyboardInterrupt
from hornbeam.parts import Predicates
from hornbeam.tree.tree import Tree

EXACT = (
    "kind",
    "first_child",
    "n_children",
    "column",
    "threshold",
    "gap",
    "missing",
    "absent",
    "n_rows",
    "label",
)
CLOSE = ("stats", "gain", "impurity")


def both(estimator: Any, X: Any, y: Any, weights: Any = None, counts: Any = None) -> tuple[Tree, Tree]:
    """The core's tree and the stepwise grower's of the same plan."""
    table = Table.learn(X)
    if estimator.task == "classes":
        target = Target.classes_of(y, weights, counts, n_rows=table.n_rows)
    else:
        target = Target.real_of(y, weights, counts, n_rows=table.n_rows)
    plan = estimator.make_plan(table, target)
    tree, interrupted = grower.METHODS["stepwise"].grow(plan, grower.MemoryEngine(table, target), None)
    assert not interrupted
    return grower.grow(plan, table, target), tree


def assert_same(core: Tree, tree: Tree) -> None:
    assert core.text() == tree.text()
    for name in EXACT:
        np.testing.assert_array_equal(getattr(tree, name), getattr(core, name), err_msg=name)
    for name in CLOSE:
        np.testing.assert_allclose(
            getattr(tree, name), getattr(core, name), rtol=1e-7, atol=1e-9, err_msg=name
        )
    for name in ("map_offset", "map_code", "map_branch"):
        np.testing.assert_array_equal(getattr(tree, name), getattr(core, name), err_msg=name)
    assert (tree.policy, tree.meta) == (core.policy, core.meta)


MISSING = ("learn", "branch", "fractional", "majority")
CLASSES = ["gini", "entropy", "gain-ratio", "root"]
LIMITS: list[dict[str, Any]] = [
    {},
    {"max_depth": 3},
    {"min_samples_leaf": 4, "min_samples_split": 12},
    {"min_weight_fraction_leaf": 0.05},
    {"max_leaf_nodes": 9},
    {"max_nodes": 16, "min_samples_leaf": 2},
    {"min_gain": 0.05},
    {"min_impurity_decrease": 0.01},
    {"max_features": 2, "random_state": 3},
]


def rows_of(seed: int, n: int, n_classes: int) -> tuple[Any, Any, Any, Any]:
    rng = np.random.default_rng(seed)
    X = random_columns(rng, n, gaps=0.15 if seed % 3 else 0.0)
    weights = rng.random(n).round(2) + 0.0 if seed % 4 == 1 else None
    counts = rng.integers(0, 4, n) if seed % 4 == 2 else None
    return X, outcome(rng, X, n_classes), weights, counts


@pytest.mark.parametrize("limits", LIMITS, ids=str)
@pytest.mark.parametrize("missing", MISSING)
def test_left_with_plain_tests_it_grows_the_tree_of_the_core(missing: str, limits: dict[str, Any]) -> None:
    for seed in range(4):
        split = ("binary", "multiway", "one-vs-rest")[seed % 3]
        X, y, weights, counts = rows_of(seed, 40 + 10 * seed, 2 + seed % 2)
        model = TreeClassifier(CLASSES[seed % 4], split=split, missing=missing, **limits)
        assert_same(*both(model, X, y, weights, counts))


@pytest.mark.parametrize("limits", [*LIMITS, {"min_variation": 0.2}, {"min_sd_share": 0.3}], ids=str)
def test_so_it_does_for_a_real_target(limits: dict[str, Any]) -> None:
    for seed in range(8):
        split = ("binary", "multiway", "one-vs-rest")[seed % 3]
        X, y, weights, counts = rows_of(seed, 40 + 10 * seed, 0)
        model = TreeRegressor(("variance", "sd")[seed % 2], split=split, missing=MISSING[seed // 2], **limits)
        assert_same(*both(model, X, y, weights, counts))


# ---- what a growth tells and keeps -------------------------------------------------------------------------


def noisy_tree(progress: Any = None, **params: Any) -> Any:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = (X[:, 0] + rng.normal(size=400) > 0).astype(int)
    split = Predicates(["x0 + x1 > 0", "x0 > x2"])
    return TreeClassifier(split=split, **params).fit(X, y, progress=progress).tree_


def test_progress_rises_from_nothing_to_all() -> None:
    told: list[float] = []
    noisy_tree(told.append)
    assert told[0] == 0.0
    assert told[-1] == 1.0
    assert told == sorted(told)
    assert len(told) > 5


@pytest.mark.parametrize("params", [{}, {"max_leaf_nodes": 100}], ids=str)
def test_a_growth_that_is_stopped_hands_over_the_tree_so_far(params: dict[str, Any]) -> None:
    with pytest.raises(GrowthInterrupted, match="the exception's `tree` is the tree so far") as stopped:
        noisy_tree(lambda share: share > 0.3, **params)
    tree = stopped.value.tree
    assert 1 < tree.n_leaves < noisy_tree(**params).n_leaves
    assert tree.stats[tree.leaves()].sum() == 400


def test_a_key_pressed_during_a_search_hands_over_the_tree_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    search = axis_search.best

    def best(*given: Any) -> Any:
        asked.append(given)
        if len(asked) == 10:
            raise KeyboardInterrupt
        return search(*given)

    monkeypatch.setattr(axis_search, "best", best)
    with pytest.raises(GrowthKeyboardInterrupt) as stopped:
        noisy_tree()
    assert 1 < stopped.value.tree.n_leaves <= 10


def test_best_first_takes_the_split_that_is_worth_most_and_of_equal_ones_the_leftmost() -> None:
    X = {"a": [1, 1, 1, 1, 2, 2, 2, 2], "b": [1, 1, 2, 2, 1, 1, 2, 2]}
    y = list("ppqqrrss")
    split = Predicates(["a > 1.5", "b > 1.5"], columns=None)
    tree = TreeClassifier("entropy", split=split, max_leaf_nodes=3).fit(X, y).tree_
    assert tree.text() == ("(a > 1.5)[yes: (b > 1.5)[yes: s(0:0:0:2) | no: r(0:0:2:0)] | no: p(2:2:0:0)]")


def test_facts_about_a_split_are_kept_by_its_path(monkeypatch: pytest.MonkeyPatch) -> None:
    class Telling(stepwise.AxisSearch):
        def propose(self, node: Any) -> Any:
            found = super().propose(node)
            return None if found is None else replace(found, facts={"depth": node.depth})

    monkeypatch.setitem(stepwise.SEARCHES, Predicates, Telling)
    tree = noisy_tree(max_depth=2)
    assert tree.meta["facts"] == {"": {"depth": 0}, "0": {"depth": 1}, "1": {"depth": 1}}
    assert Tree.from_dict(tree.to_dict()) == tree
