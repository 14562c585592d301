"""Priors, costs of mistakes and costs of each row: in growing, in labels and in probabilities."""

import json
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV

import hornbeam as hb
from hornbeam.leaves import Constant
from hornbeam.missing import MISSING, AllPaths
from hornbeam.settling import class_factors, class_totals, voice_for
from hornbeam.target import Target
from hornbeam.tree import Tree

# 2 ill and 8 well; x <= 2.5 holds both ill and 2 well.
X = {"x": [1, 1, 2, 2, 3, 3, 4, 4, 4, 4]}
Y = ["ill", "well", "ill", "well", "well", "well", "well", "well", "well", "well"]


def stump(**params):
    return hb.TreeClassifier(max_depth=1, **params).fit(X, Y)


def close(value):
    return pytest.approx(value, abs=1e-12)


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


@settings(max_examples=60, deadline=None)
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


@settings(max_examples=60, deadline=None)
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


# ---- costs of each row -----------------------------------------------------------------------------------


def test_row_costs_decide_the_label_and_leave_the_probabilities_alone():
    y = ["fraud", "fraud", "fine", "fine", "fine"]
    # missing a fraud costs its amount, blocking an honest customer 10
    costs = {"fine": [500, 3, 0, 0, 0], "fraud": [0, 0, 10, 10, 10]}
    model = hb.TreeClassifier(max_depth=0).fit({"x": [1, 2, 3, 4, 5]}, y, row_costs=costs)
    assert model.predict({"x": [1]}).tolist() == ["fraud"]
    assert model.predict_proba({"x": [1]})[0] == close([0.6, 0.4])
    assert model.tree_.cost_value.tolist() == [503, 30]
    cheap = {"fine": [20, 3, 0, 0, 0], "fraud": [0, 0, 10, 10, 10]}
    assert model.fit({"x": [1, 2, 3, 4, 5]}, y, row_costs=cheap).predict({"x": [1]}).tolist() == ["fine"]


def test_a_split_is_made_where_dear_rows_are():
    # two columns tell two rows each; those of b are a hundred times as dear
    X = {"a": [1, 1, 0, 0, 0, 0, 0, 0], "b": [0, 0, 1, 1, 0, 0, 0, 0]}
    y = ["p"] * 4 + ["q"] * 4
    costs = np.zeros((8, 2))
    costs[:4, 1], costs[4:, 0] = [1, 1, 100, 100], 10
    first = hb.TreeClassifier(max_depth=1).fit(X, y).tree_
    dear = hb.TreeClassifier(max_depth=1).fit(X, y, row_costs=costs).tree_
    assert [t.columns[t.column[0]].name for t in (first, dear)] == ["a", "b"]


def test_a_row_may_be_best_answered_with_another_class():
    # inspecting costs 10 whatever comes out; the second fraud is worth 4
    costs = [[0, 10], [500, 10], [4, 10]]
    model = hb.TreeClassifier().fit({"x": [1, 2, 3]}, ["fine", "fraud", "fraud"], row_costs=costs)
    assert model.predict({"x": [1, 2, 3]}).tolist() == ["fine", "fraud", "fine"]
    assert model.tree_.text() == "x[<=1.5: fine(1:0) | >1.5: x[<=2.5: fraud(0:1) | >2.5: fine(0:1)]]"


def test_rows_whose_answers_cost_the_same_take_no_part():
    X, y = {"x": [1, 2, 3, 4]}, ["a", "b", "a", "b"]
    costs = [[0, 1], [1, 0], [3, 3], [0, 0]]
    with_them = hb.TreeClassifier().fit(X, y, row_costs=costs).tree_
    without = hb.TreeClassifier().fit({"x": [1, 2]}, ["a", "b"], row_costs=costs[:2]).tree_
    assert with_them.text() == without.text() == "x[<=1.5: a(1:0) | >1.5: b(0:1)]"
    assert with_them.n_rows.tolist() == [2, 1, 1]


def test_row_costs_by_name_from_any_table():
    y = ["a", "b", "b"]
    X, plain = {"x": [1, 2, 3]}, np.array([[0.0, 2.0], [3.0, 0.0], [4.0, 0.0]])
    expected = hb.TreeClassifier().fit(X, y, row_costs=plain).tree_
    named = {"b": plain[:, 1], "a": plain[:, 0]}
    for costs in (named, pd.DataFrame(named), pl.DataFrame(named), plain.tolist()):
        assert hb.TreeClassifier().fit(X, y, row_costs=costs).tree_ == expected
    numbers = pd.DataFrame({1: plain[:, 1], 0: plain[:, 0]})
    assert hb.TreeClassifier().fit(X, [0, 1, 1], row_costs=numbers).tree_.cost_value.tolist() == (
        expected.cost_value.tolist()
    )


def test_counts_repeat_the_costs_of_a_row():
    X, y = {"x": [1, 1, 2]}, ["a", "b", "b"]
    costs = np.array([[0, 5.0], [1, 0], [2, 0]])
    counted = hb.TreeClassifier().fit(X, y, counts=[2, 1, 3], row_costs=costs).tree_
    rows = [0, 0, 1, 2, 2, 2]
    written = hb.TreeClassifier().fit(
        {"x": [X["x"][i] for i in rows]}, [y[i] for i in rows], row_costs=costs[rows]
    )
    assert counted == written.tree_


# ---- the tree answers as the estimator -------------------------------------------------------------------


def trees():
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 4, (60, 2)).astype(float), rng.integers(0, 3, 60)
    costs = np.array([[0, 1, 6], [2, 0, 1], [1, 4, 0]])
    smooth = Constant("shrinkage", strength=3)
    yield hb.TreeClassifier(priors=[0.2, 0.3, 0.5]).fit(X, y), X
    yield hb.TreeClassifier(costs=costs, leaf=smooth).fit(X, y), X
    yield hb.TreeClassifier(priors="equal", leaf=smooth).fit(X, y, row_costs=rng.integers(0, 9, (60, 3))), X


@pytest.mark.parametrize(("model", "X"), list(trees()), ids=["priors", "costs", "row_costs"])
def test_a_tree_saved_pickled_or_pruned_answers_as_before(model, X):
    tree = model.tree_
    for same in (Tree.from_dict(json.loads(json.dumps(tree.to_dict()))), pickle.loads(pickle.dumps(tree))):
        assert same == tree
        assert (same.predict(X) == model.predict(X)).all()
        assert same.predict_proba(X) == pytest.approx(model.predict_proba(X))
    mask = np.zeros(len(tree), dtype=bool)
    mask[np.flatnonzero(tree.depths == 2)] = True
    pruned = tree.collapse(mask)
    above = np.flatnonzero(tree.depths <= 2)
    assert sorted(pruned.label.tolist()) == sorted(tree.label[above].tolist())
    assert sorted(pruned.answers()[:, 0]) == pytest.approx(sorted(tree.answers()[above, 0]))


def test_refitting_applies_the_same_priors_to_other_rows():
    tree = stump(priors="equal", costs={"ill": {"well": 2}}).tree_
    other = tree.refit({"x": [1, 2, 2, 3]}, ["ill", "ill", "well", "well"])
    assert other.stats.tolist() == [[2, 2], [2, 1], [0, 1]]
    assert other.answers()[1] == close([2 / 3, 1 / 3])
    assert other.impurity[0] == close(1 - (2 / 3) ** 2 - (1 / 3) ** 2)
    back = other.refit(X, Y)
    assert back.answers() == close(tree.answers())
    assert back.gain == close(tree.gain)


def test_refitting_on_rows_that_weigh_classes_keeps_the_priors():
    tree = stump(priors="equal").tree_
    weighed = Target.classes_of(Y, class_weight={"ill": 3})
    assert tree.refit(X, weighed).answers()[0] == close([0.75, 0.25])


def test_refitting_a_tree_of_row_costs_needs_those_of_the_new_rows():
    costs = np.array([[0, 9.0] if label == "ill" else [1, 0] for label in Y])
    tree = hb.TreeClassifier(max_depth=1).fit(X, Y, row_costs=costs).tree_
    assert tree.refit(X, Target.classes_of(Y, row_costs=costs)).label.tolist() == tree.label.tolist()
    with pytest.raises(
        ValueError, match=r"refit it with those of the new rows, as Target.classes_of\(y, row_costs="
    ):
        tree.refit(X, Y)
    with pytest.raises(ValueError, match="row_costs say nothing about the class 'ill' of the tree"):
        tree.refit({"x": [1]}, Target.classes_of(["well"], row_costs=[[0.0]]))


def test_an_interrupted_tree_answers_with_its_costs():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200_000, 4))
    y = (X[:, 0] + rng.normal(size=200_000) > 2).astype(int)
    with pytest.raises(hb.GrowthInterrupted) as stopped:
        hb.TreeClassifier(costs={1: {0: 1000}}).fit(X, y, progress=lambda share: True)
    assert stopped.value.tree.stats[0].tolist() == np.bincount(y).tolist()
    assert stopped.value.tree.label[0] == 1


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_the_rows_does_not_matter(seed):
    rng = np.random.default_rng(seed)
    X, y, w = rng.integers(0, 5, (50, 3)).astype(float), rng.integers(0, 3, 50), rng.random(50)
    costs = rng.random((50, 3))
    order = rng.permutation(50)
    for model in (hb.TreeClassifier(priors=[0.1, 0.2, 0.7]), hb.TreeClassifier(costs={0: {1: 0.3}})):
        assert model.fit(X, y, w).tree_ == clone(model).fit(X[order], y[order], w[order]).tree_
    by_row = hb.TreeClassifier().fit(X, y, w, row_costs=costs)
    assert by_row.tree_ == clone(by_row).fit(X[order], y[order], w[order], row_costs=costs[order]).tree_


def test_costs_are_parameters_as_any_other():
    X, y = load_iris(return_X_y=True)
    search = GridSearchCV(
        hb.TreeClassifier(max_depth=2), {"costs": [None, {1: {2: 9}}], "priors": [None, "equal"]}, cv=3
    )
    assert search.fit(X, y).best_score_ > 0.8
    assert "costs={1: {2: 9}}" in repr(hb.TreeClassifier(costs={1: {2: 9}}))


# ---- class order -----------------------------------------------------------------------------------------


def test_arrays_are_in_class_order_which_y_may_declare():
    y = pd.Categorical(["low", "high", "high", "low"], categories=["low", "high"], ordered=True)
    X = {"x": [1, 1, 1, 1]}
    model = hb.TreeClassifier(priors=[0.9, 0.1]).fit(X, y)
    assert model.classes_.tolist() == ["high", "low"]
    assert model.predict(X).tolist() == ["low"] * 4
    assert model.predict_proba(X)[0] == close([0.1, 0.9])
    dear = hb.TreeClassifier(costs=[[0, 1], [3, 0]]).fit(X, y)
    assert dear.predict(X).tolist() == ["high"] * 4


# ---- arithmetic of factors -------------------------------------------------------------------------------


def test_totals_are_of_weights_without_class_weights():
    target = Target.classes_of(Y, sample_weight=[0.1] * 10, counts=[2] * 10, class_weight={"ill": 5})
    assert class_totals(target) == close([0.4, 1.6])


def test_factors_leave_the_total_weight_alone():
    target = Target.classes_of(Y)
    voice = voice_for(target, {}, priors=[0.3, 0.7], costs=[[0, 5], [2, 0]])
    factors = class_factors(target, voice)
    assert factors @ [2, 8] == close(10)
    assert factors[0] / factors[1] == close((0.3 * 5 / 2) / (0.7 * 2 / 8))


# ---- monotonic constraints -------------------------------------------------------------------------------


def test_priors_and_two_class_costs_keep_monotonic_constraints():
    rng = np.random.default_rng(0)
    X = rng.random((200, 2))
    y = (X[:, 0] + rng.normal(size=200) > 0.5).astype(int)
    grid = np.stack([np.linspace(0, 1, 50), np.full(50, 0.5)], axis=1)
    for params in ({"priors": [0.2, 0.8]}, {"costs": [[0, 7], [1, 0]]}):
        model = hb.TreeClassifier(monotonic_cst={0: 1}, min_samples_leaf=5, **params).fit(X, y)
        assert (np.diff(model.predict_proba(grid)[:, 1]) >= -1e-12).all()


def test_what_could_break_a_monotonic_constraint_is_refused():
    X, y = load_iris(return_X_y=True)
    model = hb.TreeClassifier(monotonic_cst={0: 1})
    with pytest.raises(ValueError, match="monotonic_cst cannot be kept: costs of more than two classes"):
        clone(model).set_params(costs={0: {1: 5}}).fit(X, y)
    with pytest.raises(ValueError, match="monotonic_cst cannot be kept: row_costs"):
        model.fit(X, y, row_costs=1 - np.eye(3)[y])
    with pytest.raises(ValueError, match="monotonic_cst cannot be kept: smoothing='laplace'"):
        clone(model).set_params(leaf=Constant("laplace")).fit(X, y)
    clone(model).set_params(costs=[[0, 1, 2], [2, 0, 1], [1, 2, 0]]).fit(X, y)  # all rows sum to 3


# ---- sentences -------------------------------------------------------------------------------------------

BAD = [
    (
        {"costs": [[0, 1, 1], [1, 0, 1], [1, 1, 0]]},
        r"costs has shape \(3, 3\), but y has 2 classes .* must be \(2, 2\)",
    ),
    ({"costs": [0, 1]}, r"costs has shape \(2,\)"),
    ({"costs": [[0, -1], [1, 0]]}, r"costs\[0, 1\]=-1 must be a finite number of at least 0"),
    ({"costs": [[0, np.nan], [1, 0]]}, r"costs\[0, 1\]=nan must be a finite number"),
    ({"costs": [[0, np.inf], [1, 0]]}, r"costs\[0, 1\]=inf must be a finite number"),
    (
        {"costs": [[0, 1], [1, 2]]},
        r"costs\[1, 1\]=2 must be 0: answering 'well' where it is true is no mistake",
    ),
    ({"costs": [[0, 0], [1, 0]]}, "costs has a row of zeros: no mistake about class 'ill'"),
    (
        {"costs": {"sick": {"well": 2}}},
        r"costs names 'sick', which is no class of y.*classes are 'ill', 'well'",
    ),
    ({"costs": {"wel": {"ill": 2}}}, r"costs names 'wel', which is no class of y \(did you mean 'well'\?\)"),
    ({"costs": {"ill": {"fine": 2}}}, r"costs\['ill'\] names 'fine', which is no class of y"),
    ({"costs": {"ill": 3}}, r"costs\['ill'\]=3 must be a dict .* as in costs=\{'ill': \{'well': 5\}\}"),
    ({"costs": {"ill": {"well": "dear"}}}, r"costs\['ill'\]\['well'\]='dear' must be a number"),
    ({"costs": "balanced"}, "costs='balanced' must be an array of numbers, or a dict by class"),
    ({"priors": [0.5, 0.6]}, "priors sum to 1.1, but the probabilities of all classes must sum to 1: divide"),
    ({"priors": [0.5, 0.3, 0.2]}, r"priors has shape \(3,\), but y has 2 classes"),
    ({"priors": [1.0, 0.0]}, "priors of class 'well' is 0, but it must be a number above 0"),
    ({"priors": [1.5, -0.5]}, "priors of class 'well' is -0.5"),
    ({"priors": [np.nan, 1]}, "priors of class 'ill' is nan"),
    ({"priors": {"ill": 1.0}}, "priors does not name the class 'well'"),
    ({"priors": {"ill": 0.5, "well": 0.25, "dead": 0.25}}, "priors names 'dead', which is no class of y"),
    ({"priors": {"ill": "half", "well": 0.5}}, r"priors\['ill'\]='half' must be a number"),
    ({"priors": "equals"}, r"priors='equals' is not known \(did you mean 'equal'\?\)"),
    ({"priors": 0.5}, r"priors has shape \(\)"),
    (
        {"costs": [[0, 2], [1, 0]], "leaf": Constant(label="median")},
        "label='median' needs classes that have an order",
    ),
]


@pytest.mark.parametrize(("params", "sentence"), BAD)
def test_bad_costs_and_priors_get_a_sentence(params, sentence):
    with pytest.raises((ValueError, TypeError), match=sentence):
        hb.TreeClassifier(**params).fit(X, Y)


BAD_ROWS = [
    (np.ones((10, 3)), r"row_costs has shape \(10, 3\), but X has 10 rows and y 2 classes"),
    (np.ones((9, 2)), r"row_costs has shape \(9, 2\)"),
    (np.ones(10), r"row_costs has shape \(10,\)"),
    (np.full((10, 2), -1.0), r"row_costs\[0, 0\]=-1 must be a finite number of at least 0"),
    (np.ones((10, 2)), "row_costs are the same for all classes in every row"),
    ({"ill": np.ones(10)}, "row_costs has no column for the class 'well'"),
    ({"ill": np.ones(10), "wel": np.ones(10)}, r"row_costs names 'wel', .*did you mean 'well'"),
    ({"ill": np.ones(10), "well": np.ones(9)}, r"row_costs\['well'\] has shape \(9,\), but X has 10 rows"),
    ([["a", "b"]] * 10, "row_costs=.* must be an array of numbers"),
]


@pytest.mark.parametrize(("costs", "sentence"), BAD_ROWS)
def test_bad_row_costs_get_a_sentence(costs, sentence):
    with pytest.raises(ValueError, match=sentence):
        hb.TreeClassifier().fit(X, Y, row_costs=costs)


def test_only_one_thing_says_what_mistakes_cost():
    costs = np.tile([0.0, 1.0], (10, 1))
    with pytest.raises(ValueError, match="costs and row_costs both say what mistakes cost"):
        hb.TreeClassifier(costs=[[0, 1], [1, 0]]).fit(X, Y, row_costs=costs)
    grades = [1, 2, 3, 1, 2, 3, 1, 2, 3, 1]
    with pytest.raises(ValueError, match="label='median' and costs both decide"):
        hb.TreeClassifier(costs={1: {3: 2}}, leaf=Constant(label="median")).fit(X, grades)


def test_a_regression_has_no_costs():
    with pytest.raises(TypeError, match="TreeRegressor has no parameter 'costs'"):
        hb.TreeRegressor(costs=[[0, 1], [1, 0]])


def test_one_class_needs_no_costs_and_allows_them():
    assert hb.TreeClassifier(costs=[[0]], priors=[1.0]).fit({"x": [1, 2]}, ["a", "a"]).tree_.text() == "a(2)"
    assert hb.TreeClassifier().fit({"x": [1, 2]}, ["a", "a"], row_costs=[[0], [3]]).tree_.text() == "a(2)"
