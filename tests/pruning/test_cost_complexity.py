"""Cost-complexity pruning: strengths, paths, the 1-SE rule, cross-validation, and the part in the slot."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from tests.oracles.every_pruning import every_pruning, leaves_of
from tests.support.selection import examples
from tests.support.small_trees import chain, grown

import hornbeam as hb
from hornbeam import _core
from hornbeam.parts import Constant, CostComplexity
from hornbeam.pruning.nested_subtrees import choose_step, prune_at, strengths, total_weight
from hornbeam.pruning.risks import node_risks
from hornbeam.tree.sizes import leaf_counts

# ---- the rules -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("leaves", "error", "spread", "least", "chosen"),
    [
        ([9, 4, 1], [0.2, 0.2, 0.5], [0.1, 0.1, 0.1], 4, 4),  # equal errors: the smaller tree
        ([1, 4, 9], [0.30, 0.25, 0.2], [0.1, 0.0, 0.1], 9, 1),  # exactly one standard error away
        ([1, 4, 9], [0.31, 0.25, 0.2], [0.1, 0.0, 0.1], 9, 4),
        ([6], [0.4], [0.0], 6, 6),
    ],
)
def test_the_rules_choose_sizes_in_any_order(leaves, error, spread, least, chosen):
    assert leaves[choose_step(leaves, error, spread, "min")] == least
    assert leaves[choose_step(leaves, error, spread)] == chosen


@pytest.mark.parametrize(
    ("leaves", "error", "spread", "chosen"),
    [
        ([1, 2, 5, 10], [0.50, 0.30, 0.28, 0.22], [0.1] * 4, 2),  # 0.50, 0.35, 0.38 and 0.37
        ([10, 5, 2, 1], [0.22, 0.28, 0.30, 0.50], [0.1] * 4, 2),  # in any order
        ([1, 2, 5, 10], [0.50, 0.30, 0.28, 0.19], [0.1] * 4, 10),  # 0.34
        ([1, 2, 5, 10], [0.50, 0.30, 0.28, 0.22], [9.0, 9.0, 9.0, 0.0], 10),  # the least risk's error counts
        ([1, 2, 5], [0.25, 0.2, 0.3], [0.1] * 3, 1),  # equal prices: the smaller tree
        ([101, 401], [0.30, 0.24], [0.01, 0.01], 401),  # 0.05 and 0.1
        ([101, 401], [0.30, 0.26], [0.01, 0.01], 101),
        ([3, 3], [0.4, 0.4], [0.0, 0.0], 3),
    ],
)
def test_thrift_pays_half_a_standard_error_times_the_root_of_the_leaves_but_one(
    leaves, error, spread, chosen
):
    assert leaves[choose_step(leaves, error, spread, "thrifty")] == chosen


def test_the_rules_refuse_what_they_cannot_choose_by():
    with pytest.raises(ValueError, match="rule='2-se' must be one of '1-se', 'min', 'thrifty'"):
        choose_step([1, 2], [0.1, 0.2], [0.1, 0.1], "2-se")
    with pytest.raises(ValueError, match=r"leaves and risk .* shapes are \(2,\) and \(1,\)"):
        choose_step([1, 2], [0.1])
    with pytest.raises(ValueError, match=r"risk\[1\]=nan must be a finite number"):
        choose_step([1, 2], [0.1, math.nan], [0.1, 0.1])
    with pytest.raises(ValueError, match="error must hold the standard error of each risk"):
        choose_step([1, 2], [0.1, 0.2])
    with pytest.raises(ValueError, match="each risk for rule='thrifty'; or use rule='min'"):
        choose_step([1, 2], [0.1, 0.2], rule="thrifty")
    with pytest.raises(ValueError, match="leaves holds 0: a tree has a leaf at least"):
        choose_step([0, 2], [0.1, 0.2], [0.1, 0.1], "thrifty")


# ---- strengths against every pruning there is ------------------------------------------------------------


def check_against_every_pruning(tree, risk="error"):
    """At every penalty that matters the subtree is the smallest of the best, and subtrees are nested."""
    total, prunings = total_weight(tree, risk), every_pruning(tree, risk)
    strength = strengths(tree, risk)
    path = hb.pruning_path(tree, risk=risk)
    points = [*path.alpha, *((path.alpha[:-1] + path.alpha[1:]) / 2), path.alpha[-1] + 1]
    for alpha in points:
        cost = {p: p.risk / total + alpha * p.n_leaves for p in prunings}
        best = min(cost.values())
        smallest = min((p for p in prunings if cost[p] <= best + 1e-9), key=lambda p: p.n_leaves)
        assert leaves_of(tree, strength <= alpha) == smallest.leaves
    kept = [frozenset(np.flatnonzero(strength > alpha)) for alpha in path.alpha]
    assert all(smaller < larger for larger, smaller in itertools.pairwise(kept))
    for step, alpha in enumerate(path.alpha):
        subtree = path.subtree(step)
        assert subtree == prune_at(tree, alpha, risk)
        assert (subtree.n_leaves, subtree.n_nodes) == (path.leaves[step], path.nodes[step])
        own = next(p for p in prunings if p.leaves == leaves_of(tree, strength <= alpha))
        assert path.risk[step] == pytest.approx(own.risk / total, abs=1e-12)


@settings(max_examples=examples(25), deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["binary", "multiway", "one-vs-rest"]))
def test_no_pruning_is_better_than_the_subtree_of_any_penalty(seed, split):
    model, _, _ = grown(seed, max_leaf_nodes=7 if split != "multiway" else 5, split=split)
    if hb.teaching.count_prunings(model) < 200:
        check_against_every_pruning(model.tree_)
        check_against_every_pruning(model.tree_, "impurity")


@settings(max_examples=examples(20), deadline=None)
@given(st.integers(0, 10**6))
def test_no_pruning_of_a_regression_is_better(seed):
    model, _, _ = grown(seed, task="real", max_leaf_nodes=7, split="multiway")
    if hb.teaching.count_prunings(model) < 200:
        check_against_every_pruning(model.tree_)


@settings(max_examples=examples(20), deadline=None)
@given(st.integers(0, 10**6))
def test_costs_priors_and_labels_that_are_not_the_majority_are_pruned_exactly(seed):
    costs = [[0, 1, 5], [2, 0, 1], [7, 1, 0]]
    median = Constant(label="median")
    for params in ({"costs": costs}, {"priors": "equal"}, {"leaf": median}, {"class_weight": "balanced"}):
        rng = np.random.default_rng(seed)
        X = {"a": rng.integers(0, 5, 40).astype(float), "c": rng.choice(["u", "v", "w"], 40)}
        y = pd.Categorical(np.arange(40) % 3, ordered=True)
        tree = hb.TreeClassifier(max_leaf_nodes=6, **params).fit(X, y).tree_
        check_against_every_pruning(tree)


def test_all_weakest_links_go_together_whatever_the_rounding():
    rng = np.random.default_rng(0)
    X = {"a": np.repeat(np.arange(8.0), 10)}
    y = np.tile([0, 0, 0, 0, 0, 0, 0, 1, 1, 1], 8)
    y[40:] = 1 - y[40:]
    y[:10] = 1
    for weight in (0.1, 1 / 3, 0.7, 1e-7, 1e9):
        w = np.full(80, weight)
        plain = hb.pruning_path(hb.TreeClassifier().fit(X, y))
        scaled = hb.pruning_path(hb.TreeClassifier().fit(X, y, sample_weight=w))
        assert plain.leaves.tolist() == scaled.leaves.tolist()
        assert scaled.alpha == pytest.approx(plain.alpha, rel=1e-12, abs=0)
    same = rng.permutation(80)
    shuffled = hb.TreeClassifier().fit({"a": X["a"][same]}, y[same], sample_weight=w)
    assert hb.pruning_path(shuffled).alpha.tolist() == scaled.alpha.tolist()


def test_a_split_that_gains_nothing_goes_at_once():
    tree = hb.Tree.from_nested(
        {"column": "x", "<=": 1.5, "yes": {"counts": {"a": 3, "b": 1}}, "no": {"counts": {"a": 2, "b": 1}}}
    )
    path = hb.pruning_path(tree)
    assert path.alpha.tolist() == [0.0]
    assert path.leaves.tolist() == [1]
    assert strengths(tree)[0] == 0.0


def test_a_single_leaf_has_a_path_of_one_step():
    tree = hb.TreeClassifier(max_depth=0).fit([[1], [2]], ["a", "b"]).tree_
    path = hb.pruning_path(tree)
    assert (len(path), path.leaves.tolist(), path.risk.tolist()) == (1, [1], [0.5])
    assert np.isnan(strengths(tree)).all()


def test_a_shared_leaf_of_absent_values_counts_once_for_each():
    words = pd.Categorical(["Sunny", "Rain", "Sunny", "Rain"], ["Sunny", "Rain", "Fog", "Snow"])
    model = hb.TreeClassifier(split="multiway").fit(pd.DataFrame({"Outlook": words}), [0, 1, 0, 1])
    assert model.tree_.n_leaves == 4
    path = hb.pruning_path(model)
    assert path.leaves.tolist() == [4, 1]
    assert path.alpha[1] == pytest.approx(0.5 / 3)


# ---- how much work it is ---------------------------------------------------------------------------------


def full_binary(depth, seed=0):
    """A complete tree with random errors, as arrays."""
    rng = np.random.default_rng(seed)
    n = 2 ** (depth + 1) - 1
    first = np.where(np.arange(n) < n // 2, 2 * np.arange(n) + 1, -1).astype(np.int32)
    stats = np.zeros((n, 2))
    stats[n // 2 :] = rng.integers(0, 50, (n - n // 2, 2)) + np.array([1, 0])
    for node in range(n // 2 - 1, -1, -1):
        stats[node] = stats[2 * node + 1] + stats[2 * node + 2]
    inner = first >= 0
    return hb.Tree(
        columns=[hb.Tree.from_nested({"column": "x", "<=": 1, "yes": "a", "no": "b"}).columns[0]],
        classes=["a", "b"],
        kind=np.where(inner, 1, 0),
        first_child=first,
        n_children=np.where(inner, 2, 0),
        column=np.where(inner, 0, -1),
        threshold=np.where(inner, 0.5, np.nan),
        stats=stats,
        label=stats.argmax(axis=1),
        n_rows=stats.sum(axis=1).astype(int),
    )


def count_steps(tree):
    """How many nodes and links the core looks at."""
    return _core.weakest_links(tree.first_child, tree.n_children, node_risks(tree), leaf_counts(tree))[1]


def test_strengths_take_n_log_n_steps_in_bushy_and_in_deep_trees():
    for tree in (full_binary(13), chain(3000)):
        assert count_steps(tree) <= 4 * len(tree) * math.log2(len(tree))
    small, large = (count_steps(full_binary(d)) for d in (11, 13))
    assert large / small < 5.5  # four times the nodes


# ---- against scikit-learn --------------------------------------------------------------------------------


def same_as_sklearn(mine, theirs, X, y, weight=None):
    found = theirs.cost_complexity_pruning_path(X, y, sample_weight=weight)
    path = hb.pruning_path(mine, risk="impurity")
    assert mine.tree_.n_leaves == theirs.get_n_leaves()
    alphas = found.ccp_alphas[1:]
    apart = np.append(np.diff(alphas) > 1e-12, True)  # it lists links of one strength one by one
    assert path.alpha[1:] == pytest.approx(alphas[apart], rel=1e-12, abs=1e-14)
    assert path.risk[1:] == pytest.approx(found.impurities[1:][apart], rel=1e-12, abs=1e-12)
    for alpha in path.alpha[1:-1:7]:
        pruned = type(theirs)(**(theirs.get_params() | {"ccp_alpha": alpha * (1 + 1e-9)}))
        pruned.fit(X, y, sample_weight=weight)
        chosen = hb.prune(mine, CostComplexity("impurity", alpha=alpha))
        assert chosen.tree_.n_leaves == pruned.get_n_leaves()


@pytest.mark.parametrize("weighted", [False, True])
def test_the_path_of_impurity_is_scikit_learns(weighted):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(150, 4)).astype(np.float32)
    weight = rng.integers(1, 5, 150) / 4 if weighted else None
    y = X[:, 0] + X[:, 1] ** 2 + rng.normal(size=150)
    same_as_sklearn(
        hb.TreeRegressor().fit(X, y, weight),
        DecisionTreeRegressor(random_state=0).fit(X, y, weight),
        X,
        y,
        weight,
    )
    classes = (y > 1).astype(int) + (y > 2)
    limits = {"min_samples_leaf": 3, "criterion": "entropy"}
    same_as_sklearn(
        hb.TreeClassifier(**limits).fit(X, classes, weight),
        DecisionTreeClassifier(random_state=0, **limits).fit(X, classes, weight),
        X,
        classes,
        weight,
    )
