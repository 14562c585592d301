"""The smallest prunings for every number of errors: every pruning there is, choosing, and the cost."""

import json
import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris
from tests.oracles.every_pruning import every_pruning
from tests.support.selection import examples
from tests.support.small_trees import chain, grown, pt

import hornbeam as hb
from hornbeam.parts import HypothesisValidation, SmallestForErrors
from hornbeam.pruning.smallest_by_errors import ProgrammeTooLargeError

# ---- against every pruning -------------------------------------------------------------------------------


def check_against_every_pruning(tree, whole):
    prunings = every_pruning(tree)
    found = hb.teaching.smallest_prunings(tree)
    most = max(p.risk for p in prunings)
    for k in {p.risk for p in prunings} | {0.0, most / 3}:
        allowed = [p for p in prunings if p.risk <= k + 1e-9]
        if not allowed:
            assert found.size(k) == math.inf
            continue
        least = min(p.n_nodes for p in allowed)
        assert found.size(k) == least
        tree_k = found.pruning(k)
        assert tree_k.n_nodes == least
        fewest = min(p.risk for p in allowed if p.n_nodes == least)
        place = found.place(k)
        assert found.errors[place] == pytest.approx(fewest, rel=1e-9, abs=1e-9)
        leaves = np.flatnonzero(found.leaves(place))
        assert any(p.leaves == frozenset(leaves.tolist()) for p in prunings)
    assert hb.teaching.count_prunings(tree) == len(prunings)
    if whole:
        assert (found.errors == np.rint(found.errors)).all()


@settings(max_examples=examples(25), deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["binary", "multiway", "one-vs-rest"]))
def test_no_pruning_with_so_few_errors_is_smaller(seed, split):
    model, _, _ = grown(seed, max_leaf_nodes=7 if split != "multiway" else 5, split=split)
    if hb.teaching.count_prunings(model) < 200:
        check_against_every_pruning(model.tree_, whole=True)


@settings(max_examples=examples(15), deadline=None)
@given(st.integers(0, 10**6))
def test_errors_may_be_weights_costs_or_squares(seed):
    _, X, y = grown(seed, max_leaf_nodes=6, split="multiway")
    weight = np.random.default_rng(seed).random(len(y))
    for params in ({}, {"costs": 1.5 * (1 - np.eye(len(set(y))))}):
        weighted = hb.TreeClassifier(max_leaf_nodes=6, split="multiway", **params).fit(X, y, weight)
        if hb.teaching.count_prunings(weighted) < 200:
            check_against_every_pruning(weighted.tree_, whole=False)
    real, _, _ = grown(seed, task="real", max_leaf_nodes=6)
    if hb.teaching.count_prunings(real) < 200:
        check_against_every_pruning(real.tree_, whole=False)


def test_of_equally_good_prunings_earlier_branches_keep_more():
    x3_or_x4 = hb.teaching.smallest_prunings(pt()).pruning(15)
    assert x3_or_x4.text() == (
        "x1[<=0.5: x2[<=0.5: 0(20:2) | >0.5: x3[<=0.5: 1(3:6) | >0.5: 0(5:4)]] | >0.5: 1(6:18)]"
    )


def test_a_limit_on_nodes_gives_the_same_small_prunings():
    X, y = load_breast_cancer(return_X_y=True)
    model = hb.TreeClassifier().fit(X, y)
    full = hb.teaching.smallest_prunings(model)
    some = hb.teaching.smallest_prunings(model, max_nodes=11)
    kept = full.nodes <= 11
    assert some.nodes.tolist() == full.nodes[kept].tolist()
    assert some.errors.tolist() == full.errors[kept].tolist()
    assert some.steps < full.steps
    for place in range(len(some)):
        assert some.pruned(place).tree.n_nodes == some.nodes[place]


# ---- choosing --------------------------------------------------------------------------------------------


def test_a_model_stays_a_model_and_is_not_changed():
    X, y = load_iris(return_X_y=True)
    model = hb.TreeClassifier().fit(X[::2], y[::2])
    before = model.tree_.n_leaves
    found = hb.teaching.smallest_prunings(model)
    small = found.pruning(5)
    assert (small.predict(X[::2]) != y[::2]).sum() <= 5
    assert small.pruning_.facts["nodes"] == small.tree_.n_nodes
    choice = found.select(X[1::2], y[1::2])
    assert (choice.model.predict(X[1::2]) != y[1::2]).sum() == choice.score
    assert choice.score == min(row["score"] for row in choice.table)
    assert model.tree_.n_leaves == before
    assert len(choice.record.decisions) == model.tree_.n_tests


def test_a_choice_is_the_least_of_its_table_and_ties_go_to_the_smaller_tree():
    X, y = load_iris(return_X_y=True)
    found = hb.teaching.smallest_prunings(hb.TreeClassifier().fit(X, y))
    for m in (None, 10, 150, 10**6):
        choice = found.select_srm(m)
        rows = choice.table
        scores = [row["errors"] / 150 + math.sqrt(row["nodes"] / (m or 150)) for row in rows]
        assert [row["score"] for row in rows] == pytest.approx(scores)
        assert choice.nodes == rows[int(np.argmin(scores))]["nodes"]
    tied = found.select(X[:50], y[:50])  # all of the first class: every pruning but the root is right
    assert tied.nodes == min(row["nodes"] for row in tied.table if row["score"] == tied.score)


def test_wrong_numbers_are_refused_with_a_sentence():
    found = hb.teaching.smallest_prunings(pt())
    with pytest.raises(ValueError, match="k=-1 must be a number of at least 0"):
        found.size(-1)
    with pytest.raises(ValueError, match=r"k=3 is less than any pruning errs.* of 9 nodes, makes 14 errors"):
        found.pruning(3)
    with pytest.raises(ValueError, match="m=0 must be a number above 0"):
        found.select_srm(0)
    with pytest.raises(ValueError, match="max_nodes=0 must be a whole number of at least 1"):
        hb.teaching.smallest_prunings(pt(), max_nodes=0)
    with pytest.raises(ValueError, match="max_cost=0 must be a number above 0"):
        hb.teaching.smallest_prunings(pt(), max_cost=0)


# ---- the parts -------------------------------------------------------------------------------------------


def test_the_parts_choose_in_the_slot_and_by_prune():
    X, y = load_iris(return_X_y=True)
    full = hb.TreeClassifier().fit(X, y)
    found = hb.teaching.smallest_prunings(full)
    by_errors = hb.TreeClassifier(pruning=SmallestForErrors(k=4)).fit(X, y)
    assert by_errors.tree_ == found.pruning(4).tree_ == hb.prune(full, SmallestForErrors(k=4)).tree_
    by_srm = hb.TreeClassifier(pruning="srm-selection").fit(X, y)
    assert by_srm.tree_ == found.select_srm().tree
    half = hb.TreeClassifier().fit(X[::2], y[::2])
    by_rows = hb.prune(half, "hypothesis-validation", X[1::2], y[1::2])
    assert by_rows.tree_ == hb.teaching.smallest_prunings(half).select(X[1::2], y[1::2]).tree
    held = hb.TreeClassifier(pruning=HypothesisValidation(holdout=0.4, random_state=1)).fit(X, y)
    assert held.pruning_.facts["held out"] == pytest.approx(60, abs=8)
    assert held.tree_.n_leaves < full.tree_.n_leaves


def test_too_few_errors_allowed_leave_what_helps():
    X, y = [[1], [1], [2], [2]], list("abab")
    model = hb.TreeClassifier(pruning=SmallestForErrors(k=0)).fit(X, y)
    assert model.tree_.n_leaves == 1  # no pruning errs less than the root


def test_the_parts_refuse_what_has_no_meaning():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="k=-1 must be a number of at least 0"):
        hb.TreeClassifier(pruning=SmallestForErrors(k=-1)).fit(X, y)
    with pytest.raises(ValueError, match="holdout=1 must be a number above 0 and below 1"):
        hb.TreeClassifier(pruning=HypothesisValidation(holdout=1)).fit(X, y)
    with pytest.raises(ValueError, match="cannot prune a regression tree: its error must be a share of rows"):
        hb.TreeRegressor(pruning="srm-selection").fit(X, y.astype(float))
    with pytest.raises(ValueError, match="give them as X and y"):
        hb.prune(hb.TreeClassifier().fit(X, y), "hypothesis-validation")


# ---- how much work it is ---------------------------------------------------------------------------------


def test_the_programme_takes_at_most_a_step_for_each_pair_of_leaves():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 4)), rng.integers(0, 2, 3000)
    tree = hb.TreeClassifier(max_leaf_nodes=700).fit(X, y).tree_
    found = hb.teaching.smallest_prunings(tree)
    assert found.steps <= tree.n_leaves**2
    assert found.errors[0] == tree.predict(X).__ne__(y).sum()


def test_a_programme_that_is_too_large_says_what_it_costs():
    with pytest.raises(
        ProgrammeTooLargeError, match=r"of 101 nodes take 1.3e\+03 additions .* MB"
    ) as refused:
        hb.teaching.smallest_prunings(chain(50), max_cost=1000)
    assert refused.value.steps == 1275
    again = pickle.loads(pickle.dumps(refused.value))
    assert (str(again), again.steps) == (str(refused.value), 1275)


def test_prunings_are_pickled_and_their_tables_are_plain():
    found = pickle.loads(pickle.dumps(hb.teaching.smallest_prunings(pt())))
    assert found.size(15) == 7
    json.dumps(found.select_srm().table)
