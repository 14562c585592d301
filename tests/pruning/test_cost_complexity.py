"""Cost-complexity pruning: strengths, paths, the 1-SE rule, cross-validation, and the part in the slot."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from tests.oracles.every_pruning import every_pruning, leaves_of
from tests.support.small_trees import S2, chain, grown, pt, rows_of

import hornbeam as hb
from hornbeam import _core
from hornbeam.data.table import Table
from hornbeam.parts import Constant, CostComplexity, Surrogates
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


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["binary", "multiway", "one-vs-rest"]))
def test_no_pruning_is_better_than_the_subtree_of_any_penalty(seed, split):
    model, _, _ = grown(seed, max_leaf_nodes=7 if split != "multiway" else 5, split=split)
    if hb.teaching.count_prunings(model) < 200:
        check_against_every_pruning(model.tree_)
        check_against_every_pruning(model.tree_, "impurity")


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6))
def test_no_pruning_of_a_regression_is_better(seed):
    model, _, _ = grown(seed, task="real", max_leaf_nodes=7, split="multiway")
    if hb.teaching.count_prunings(model) < 200:
        check_against_every_pruning(model.tree_)


@settings(max_examples=20, deadline=None)
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


# ---- choosing a step -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    model = hb.TreeClassifier(min_samples_leaf=3).fit(X, y)
    return model, X, y, hb.pruning_path(model, X, y, cv=5)


def test_a_chosen_model_is_fitted_and_the_model_given_stays(cancer):
    model, X, y, path = cancer
    before = model.tree_.n_leaves
    small = path.choose("1-se")
    assert small.tree_.n_leaves < before == model.tree_.n_leaves
    assert small.score(X, y) == pytest.approx(1 - path.training[path.step("1-se")])
    assert small.pruning_.facts["alpha"] == path.alpha[path.step("1-se")]
    assert small.pruning_.decisions[0].numbers.keys() == {"strength"}
    assert path.cv[path.step("min")] == path.cv.min()


def test_leaves_and_alpha_choose_a_step(cancer):
    path = cancer[3]
    for step in range(len(path)):
        assert path.step(leaves=int(path.leaves[step])) == step
        assert path.step(alpha=path.alpha[step]) == step
        assert path.choose(leaves=int(path.leaves[step])).tree_.n_leaves == path.leaves[step]
    assert path.step(leaves=10**6) == 0
    assert path.step(alpha=1e9) == len(path) - 1
    assert path.leaves[path.step(leaves=int(path.leaves[1]) + 1)] <= path.leaves[1] + 1


def test_a_path_says_what_it_cannot_choose_by(cancer):
    model, X, y, path = cancer
    with pytest.raises(ValueError, match="leaves=0 must be a whole number of at least 1"):
        path.choose(leaves=0)
    with pytest.raises(ValueError, match="alpha=-1 must be a number of at least 0"):
        path.choose(alpha=-1)
    with pytest.raises(ValueError, match="give one of them"):
        path.choose("min", alpha=0.1)
    with pytest.raises(ValueError, match="rule='best' must be one of '1-se', 'min', 'thrifty'"):
        path.choose("best")
    with pytest.raises(ValueError, match="needs errors on rows that did not grow the tree"):
        hb.pruning_path(model).choose()
    with pytest.raises(ValueError, match="the model was fitted on 569"):
        hb.pruning_path(model, X[:100], y[:100])
    with pytest.raises(ValueError, match="a Tree cannot say how to"):
        hb.pruning_path(model.tree_, X, y)
    with pytest.raises(ValueError, match="cv=5 needs the rows the model was fitted on"):
        hb.pruning_path(model, cv=5)
    with pytest.raises(ValueError, match=r"cv=.* must be a number of folds"):
        hb.pruning_path(model, X, y, cv=[[1], [2, 3]])
    with pytest.raises(ValueError, match="X and y belong together, but y is None"):
        hb.pruning_path(model, X)
    with pytest.raises(ValueError, match="validation must be a tuple"):
        hb.pruning_path(model, validation=X)
    with pytest.raises(ValueError, match="risk='gini' must be one of 'error', 'impurity'"):
        hb.pruning_path(model, risk="gini")
    with pytest.raises(ValueError, match=r"no counts.*refit"):
        hb.pruning_path(hb.Tree.from_nested({"column": "x", "<=": 1, "yes": "a", "no": "b"}))


def test_a_path_of_a_tree_gives_trees_and_is_chosen_by_validation_rows():
    X, y, counts = rows_of(S2)
    path = hb.pruning_path(pt(), validation=(X, y, None, counts))
    errors = [int(sum(c for a, b, c in zip(tree.predict(X), y, counts, strict=True) if a != b))
              for tree in (path.subtree(k) for k in range(len(path)))]  # fmt: skip
    assert (path.validation * sum(counts)).round(9).tolist() == errors == [15, 10, 12, 20]
    assert path.choose("min").text() == "x1[<=0.5: x2[<=0.5: 0(20:2) | >0.5: 1(8:10)] | >0.5: 1(6:18)]"
    n, p = sum(counts), errors[1] / sum(counts)
    assert path.validation_error[1] == pytest.approx(math.sqrt(p * (1 - p) / n))


def test_the_path_prints_and_becomes_dicts(cancer):
    path = cancer[3]
    text = str(path)
    assert text.splitlines()[0].split() == ["step", "alpha", "leaves", "risk", "cv", "cv", "+-"]
    assert len(text.splitlines()) == len(path) + 1
    first = path.as_dicts()[0]
    assert first["leaves"] == path.leaves[0]
    assert set(path.curves()) == {"alpha", "leaves", "nodes", "risk", "training", "cv", "cv_error"}
    long = hb.pruning_path(hb.TreeRegressor().fit(*load_diabetes(return_X_y=True)))
    assert "..." in str(long)
    assert len(str(long).splitlines()) == 42


def test_surrogates_that_nobody_asks_are_left_out_of_the_folds(monkeypatch):
    X, y = load_breast_cancer(return_X_y=True)
    table = Table.learn(X)
    assert Surrogates(3).in_trials(table).max_surrogates == 0
    gap = X.copy()
    gap[0, 0] = np.nan
    assert Surrogates(3).in_trials(Table.learn(gap)).max_surrogates == 3
    found = hb.cart().fit(X, y)
    monkeypatch.setattr(Surrogates, "in_trials", lambda self, _: self)
    anew = hb.cart().fit(X, y)
    np.testing.assert_array_equal(found.pruning_.facts["path"].cv, anew.pruning_.facts["path"].cv)
    assert found.tree_.text() == anew.tree_.text()
    assert len(found.tree_.surrogate_column) > 0
