"""Priors and costs of mistakes: in growing, in labels and in probabilities."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from tests.support.ill_or_well import X, Y, close, stump
from tests.support.selection import examples

import hornbeam as hb
from hornbeam.growing.missing import MISSING
from hornbeam.parts import AllPaths

# ---- priors ----------------------------------------------------------------------------------------------


def test_priors_replace_the_shares_of_the_training_rows():
    tree = stump(priors={"ill": 0.5, "well": 0.5}).tree_
    assert tree.text() == "x[<=2.5: ill(2:2) | >2.5: well(0:6)]"
    # P(ill | x <= 2.5) = (0.5 * 2/2) / (0.5 * 2/2 + 0.5 * 2/8)
    assert tree.answers() == close(np.array([[0.5, 0.5], [0.8, 0.2], [0.0, 1.0]]))
    # Gini: 1/2 before; 0.8 * 0.2 * 2 = 0.32 on the share 0.625 of the prior mass after
    assert tree.gain[0] == close(0.5 - 0.625 * 0.32)
    assert tree.impurity == close([0.5, 0.32, 0.0])


def test_counts_stay_those_of_the_rows_whatever_the_priors():
    for priors in ("equal", "data", None, [0.07, 0.93]):
        assert stump(priors=priors).tree_.stats.tolist() == [[2, 8], [2, 2], [0, 6]]


def test_priors_of_the_data_are_no_priors():
    plain = stump().tree_
    assert stump(priors="data").tree_ == plain
    assert stump(priors=[0.2, 0.8]).tree_.answers() == close(plain.answers())


def test_equal_priors_grow_as_balanced_classes_do():
    X, y = load_iris(return_X_y=True)
    X, y = X[:120], y[:120]
    mine = hb.TreeClassifier(priors="equal").fit(X, y).tree_
    balanced = hb.TreeClassifier(class_weight="balanced").fit(X, y).tree_
    assert mine.threshold.tolist() == pytest.approx(balanced.threshold.tolist(), nan_ok=True)
    assert mine.answers() == close(balanced.answers())
    assert mine.label.tolist() == balanced.label.tolist()
    assert mine.stats[0].tolist() == [50, 50, 20]
    assert balanced.stats[0] == close([40, 40, 40])


def test_class_weights_multiply_what_priors_say():
    model = hb.TreeClassifier(max_depth=0, priors="equal", class_weight={"ill": 3})
    assert model.fit(X, Y).predict_proba({"x": [1]})[0] == close([0.75, 0.25])


def test_a_series_of_priors_is_read_by_its_labels():
    backwards = pd.Series({"well": 0.9, "ill": 0.1})
    assert stump(priors=backwards).tree_.answers()[0] == close([0.1, 0.9])


# ---- costs -----------------------------------------------------------------------------------------------


def test_a_node_answers_the_class_of_least_expected_cost():
    # at the root: answering well costs 2 * 5, answering ill 8 * 1
    tree = stump(costs={"ill": {"well": 5}}).tree_
    assert tree.text() == "x[<=2.5: ill(2:2) | >2.5: well(0:6)]"
    assert tree.label[0] == 0
    assert tree.answers()[0] == close([0.2, 0.8])
    assert stump(costs={"ill": {"well": 3}}).tree_.label[0] == 1


def test_equally_cheap_answers_go_to_the_first_class():
    assert stump(costs={"ill": {"well": 4}}).tree_.label[0] == 0
    assert stump(costs={"ill": {"well": 0.1}, "well": {"ill": 0.1 / 4}}).tree_.label[0] == 0


def test_growing_weighs_a_class_by_what_its_mistakes_cost():
    # altered priors: 0.2 * 4 and 0.8 * 1 are both one half
    assert stump(costs=[[0, 4], [1, 0]]).tree_.impurity[0] == close(0.5)
    assert stump(costs=[[0, 4], [1, 0]]).tree_.gain[0] == close(stump(priors="equal").tree_.gain[0])


def test_costs_change_the_test_a_node_chooses():
    # a tells 3 ill from 30 well; b tells all ill, at the price of 10 well
    a = [1] * 3 + [0] * 2 + [0] * 30
    b = [1] * 5 + [1] * 10 + [0] * 20
    y = ["ill"] * 5 + ["well"] * 30
    chosen = {}
    for dear in (1, 50):
        model = hb.TreeClassifier(max_depth=1, costs={"ill": {"well": dear}}).fit({"a": a, "b": b}, y)
        chosen[dear] = model.tree_.columns[model.tree_.column[0]].name
        assert model.predict({"a": [0], "b": [1]}).tolist() == [("well", "ill")[dear > 1]]
    assert chosen == {1: "a", 50: "b"}


def test_mistakes_of_one_price_are_no_costs():
    assert stump(costs=[[0, 7], [7, 0]]).tree_.text() == stump().tree_.text()
    assert stump(costs=[[0, 7], [7, 0]]).tree_.gain == close(stump().tree_.gain)


def test_costs_may_be_a_table_with_labels():
    table = pd.DataFrame([[0, 1], [5, 0]], index=["well", "ill"], columns=["well", "ill"])
    assert stump(costs=table).tree_ == stump(costs={"ill": {"well": 5}}).tree_


def test_importances_follow_the_weights_of_growing():
    X = {"a": [0, 0, 1, 1, 1, 1], "b": [0, 1, 0, 1, 0, 1]}
    y = ["p", "q", "r", "r", "r", "r"]
    model = hb.TreeClassifier(costs={"p": {"q": 9}, "q": {"p": 9}}).fit(X, y)
    # altered weights: p and q 10 each, r 2 each (4 rows)
    p, r = 10 / 28, 8 / 28
    root = 1 - 2 * p**2 - r**2
    assert model.feature_importances_ == close(np.array([root - 2 * p * 0.5, 2 * p * 0.5]) / root)


# ---- by the definition, on random tables -----------------------------------------------------------------


def brute_gain(x, y, weight):
    """The largest Gini decrease of a cut, weighed by the rows."""

    def mass(rows):
        total = weight[rows].sum()
        shares = np.bincount(y[rows], weight[rows]) / total if total else np.zeros(1)
        return total * (1 - (shares**2).sum())

    everything = np.arange(len(x))
    cuts = [np.flatnonzero(x <= t) for t in np.unique(x)[:-1]]
    rest = [mass(low) + mass(np.setdiff1d(everything, low)) for low in cuts]
    return (mass(everything) - min(rest)) / weight.sum()


@st.composite
def problems(draw):
    k = draw(st.integers(2, 4))
    n = draw(st.integers(k, 25))
    y = np.array(list(range(k)) + draw(st.lists(st.integers(0, k - 1), min_size=n - k, max_size=n - k)))
    x = np.array(draw(st.lists(st.integers(0, 6), min_size=n, max_size=n)), dtype=float)
    costs = np.array(draw(st.lists(st.integers(1, 9), min_size=k * k, max_size=k * k)), dtype=float).reshape(
        k, k
    )
    np.fill_diagonal(costs, 0)
    priors = np.array(draw(st.lists(st.integers(1, 9), min_size=k, max_size=k)), dtype=float)
    return x, y, costs, priors / priors.sum()


@settings(max_examples=examples(60), deadline=None)
@given(problems())
def test_gains_labels_and_probabilities_are_those_of_the_definition(problem):
    x, y, costs, priors = problem
    model = hb.TreeClassifier(priors=priors, costs=costs, max_depth=1).fit(x[:, None], y)
    tree, n_k = model.tree_, np.bincount(y)
    if len(tree) > 1:
        weight = (priors * costs.sum(axis=1) / n_k)[y]
        assert tree.gain[0] == pytest.approx(brute_gain(x, y, weight), abs=1e-9)
    for node in range(len(tree)):
        p = priors * tree.stats[node] / n_k
        p = p / p.sum()
        assert tree.answers()[node] == pytest.approx(p, abs=1e-12)
        expected = [sum(p[i] * costs[i, j] for i in range(len(p))) for j in range(len(p))]
        assert tree.label[node] == next(j for j, c in enumerate(expected) if c <= min(expected) + 1e-12)


@settings(max_examples=examples(60), deadline=None)
@given(problems(), st.sampled_from(sorted(MISSING)), st.integers(0, 2**31))
def test_costs_by_row_that_follow_a_matrix_are_the_matrix(problem, missing, seed):
    x, y, costs, priors = problem
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {"x": np.where(rng.random(len(y)) < 0.2, np.nan, x), "c": rng.choice(list("uvw"), len(y))}
    )
    params = {"missing": missing, "priors": priors, "max_depth": 3}
    by_class = hb.TreeClassifier(costs=costs, **params).fit(X, y)
    by_row = hb.TreeClassifier(**params).fit(X, y, row_costs=costs[y])
    assert by_row.tree_.column.tolist() == by_class.tree_.column.tolist()
    assert by_row.tree_.stats == pytest.approx(by_class.tree_.stats, abs=1e-9)
    assert by_row.tree_.label.tolist() == by_class.tree_.label.tolist()
    asked = pd.DataFrame({"x": [None, 3.0], "c": ["u", None]})
    assert by_row.predict(asked).tolist() == by_class.predict(asked).tolist()
    assert by_row.predict_proba(asked) == pytest.approx(by_class.predict_proba(asked))


@pytest.mark.parametrize("missing", sorted(MISSING))
def test_a_row_of_many_leaves_gets_the_cheapest_class_of_their_mixture(missing):
    rng = np.random.default_rng(1)
    X, y = rng.integers(0, 5, (80, 3)).astype(float), rng.integers(0, 3, 80)
    costs = np.array([[0, 1, 8], [2, 0, 1], [1, 5, 0]])
    model = hb.TreeClassifier(costs=costs, missing=missing, max_depth=4).fit(X, y)
    X[rng.random(X.shape) < 0.5] = np.nan
    expected = model.predict_proba(X) @ costs
    assert expected[np.arange(80), model.predict(X)] == pytest.approx(expected.min(axis=1))


def test_a_vote_is_a_decision_in_which_costs_have_had_their_say():
    X = {"a": ["u"] * 4 + ["v"] * 6}
    y = ["ill"] + ["well"] * 3 + ["well"] * 6
    model = hb.TreeClassifier(split="multiway", missing=AllPaths(vote="leaf"), costs={"ill": {"well": 20}})
    model.fit(X, y)
    assert model.tree_.text() == "a[u: ill(1:3) | v: well(0:6)]"
    assert model.predict({"a": [None]}).tolist() == ["well"]  # 4 votes against 6
    assert model.set_params(missing="all-paths").fit(X, y).predict({"a": [None]}).tolist() == ["ill"]
