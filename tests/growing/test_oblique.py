"""Oblique splits, weighted sums of numeric columns: what they are for, gaps, limits, arithmetic."""

import doctest
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles.lines import best_line
from tests.support.mixed_tables import outcome, random_columns
from tests.support.selection import examples
from tests.support.tilted_tables import noisy_line, rotated

import hornbeam as hb
from hornbeam import TreeClassifier, TreeRegressor
from hornbeam.growing.oblique import direction_scores
from hornbeam.growing.oblique.direction_search import _solve
from hornbeam.parts import Oblique
from hornbeam.tree.arrays import HYPERPLANE

SHAPES = {
    "half": lambda u: u[:, 0] > 0.2,
    "box": lambda u: (np.abs(u[:, 0]) < 0.5) & (np.abs(u[:, 1]) < 0.6),
    "stripes": lambda u: np.floor((u[:, 0] + 1) * 2) % 2 == 0,
    "three": lambda u: np.where(u[:, 0] > 0.2, "c", np.where(u[:, 1] > 0, "b", "a")),
}


# ---- what it is for ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("degrees", [45, 30])
@pytest.mark.parametrize("shape", SHAPES)
def test_rotated_data_take_a_third_of_the_leaves_and_are_told_apart_as_well(shape, degrees):
    for seed in range(4):
        (X, u), (X_new, u_new) = rotated(1000, seed, degrees), rotated(2000, 100 + seed, degrees)
        y, y_new = SHAPES[shape](u), SHAPES[shape](u_new)
        plain = TreeClassifier().fit(X, y)
        oblique = TreeClassifier(split="oblique").fit(X, y)
        assert 3 * oblique.tree_.n_leaves <= plain.tree_.n_leaves
        assert oblique.score(X_new, y_new) >= plain.score(X_new, y_new)


def test_a_rotated_step_of_a_real_target_takes_two_leaves():
    X, u = rotated(300, 0)
    y = np.where(u[:, 0] > 0.2, 5.0, 1.0)
    model = TreeRegressor(split="oblique").fit(X, y)
    assert model.tree_.n_leaves == 2
    assert sorted(set(model.predict(X))) == [1.0, 5.0]


def test_xor_takes_three_leaves():
    xor = hb.datasets.load("xor2")
    tree = TreeClassifier(split="oblique").fit(xor.X, xor.y).tree_
    assert tree.text() == "X1+X2[<=0.5: 0(1:0) | >0.5: X1+X2[<=1.5: 1(0:2) | >1.5: 0(1:0)]]"


def test_classes_parted_by_many_columns_are_found():
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(300, 5))
        y = X @ np.array([1.0, -2.0, 0.5, 1.5, -0.7]) > 0.3
        assert TreeClassifier(split="oblique").fit(X, y).tree_.n_leaves <= 3


# ---- never worse than an axis-parallel split ---------------------------------------------------------------


def rows_at(model, X):
    """For each test of a fitted tree the training rows that pass it."""
    passed = model.decision_path(X).toarray().astype(bool)
    return {node: passed[:, node] for node in np.flatnonzero(model.tree_.first_child >= 0)}


def assert_never_worse(model, X, y):
    """At every node the split gains at least what the best plain test gains on the node's rows."""
    plain = type(model)(**(model.get_params(deep=False) | {"split": "binary", "max_depth": 1}))
    for node, here in rows_at(model, X).items():
        best = plain.fit(X[here], y[here]).tree_
        slack = 1e-9 * model.tree_.impurity[node]
        assert model.tree_.gain[node] >= best.gain[0] - slack


@settings(max_examples=examples(25), deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(6, 60), d=st.integers(2, 5), data=st.data())
def test_no_split_gains_less_than_the_best_column(seed, n, d, data):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).round(data.draw(st.sampled_from([0, 1, 8])))
    y = rng.integers(0, data.draw(st.sampled_from([2, 3])), n)
    criterion = data.draw(st.sampled_from(["gini", "entropy", "gain-ratio", "root"]))
    assert_never_worse(TreeClassifier(criterion, split="oblique").fit(X, y), X, y)
    criterion = data.draw(st.sampled_from(["variance", "sd"]))
    y = X[:, 0] - X[:, 1] + rng.normal(size=n)
    assert_never_worse(TreeRegressor(criterion, split="oblique").fit(X, y), X, y)


@pytest.mark.parametrize("missing", ["learn", "branch"])
def test_with_gaps_and_categories_too(missing):
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X = random_columns(rng, 60)
        y = outcome(rng, X, 2)
        assert_never_worse(TreeClassifier(split="oblique", missing=missing, max_depth=3).fit(X, y), X, y)


def test_a_tie_goes_to_the_column():
    X = {"a": [1, 2, 3, 4], "b": [1, 2, 3, 5]}
    assert TreeClassifier(split="oblique").fit(X, [0, 0, 1, 1]).tree_.text().startswith("a[<=2.5: ")


def gini(y):
    p = np.bincount(y) / len(y)
    return 1 - (p**2).sum()


def test_the_best_line_of_all_is_nearly_reached():
    shares = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        x, y = rng.normal(size=(24, 2)), rng.integers(0, 2, 24)
        best = best_line(x, y, gini)
        found = TreeClassifier(split="oblique", max_depth=1).fit(x, y).tree_.gain[0]
        assert found <= best + 1e-12
        shares.append(found / best)
    assert np.mean(shares) > 0.97
    assert min(shares) > 0.8


def test_so_is_that_of_a_real_target():
    shares = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        x, y = rng.normal(size=(16, 2)), rng.normal(size=16)
        best = best_line(x, y, np.var)
        found = TreeRegressor(split="oblique", max_depth=1).fit(x, y).tree_.gain[0]
        assert found <= best + 1e-9
        shares.append(found / best)
    assert np.mean(shares) > 0.95


# ---- few leaves --------------------------------------------------------------------------------------------

CORNERED = {  # whose first line gains less than a plain test, or nothing at all
    "quarter": lambda u: (u[:, 0] > 0) & (u[:, 1] > 0),
    "xor": lambda u: (u[:, 0] > 0) ^ (u[:, 1] > 0),
    "aside": lambda u: (u[:, 0] > 0.2) ^ (u[:, 1] > -0.3),
}


@pytest.mark.parametrize("shape", CORNERED)
def test_where_few_leaves_are_the_aim_corners_take_a_third_of_them_too(shape):
    for seed in range(2):
        (X, u), (X_new, u_new) = rotated(600, seed), rotated(2000, 100 + seed)
        y, y_new = CORNERED[shape](u), CORNERED[shape](u_new)
        plain = TreeClassifier().fit(X, y)
        oblique = TreeClassifier(split=Oblique(aim="leaves")).fit(X, y)
        assert 3 * oblique.tree_.n_leaves <= plain.tree_.n_leaves
        assert oblique.score(X_new, y_new) >= plain.score(X_new, y_new)
        assert oblique.score(X, y) == 1.0


def test_a_board_in_line_with_the_columns_takes_one_leaf_for_each_field():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (300, 3))
    y = (X[:, 0] > 0) ^ (X[:, 1] > 0)
    tree = TreeClassifier(split=Oblique(aim="leaves")).fit(X, y).tree_
    assert tree.n_leaves <= 6 < TreeClassifier().fit(X, y).tree_.n_leaves


def test_of_cuts_that_gain_enough_the_one_with_the_smaller_tree_is_taken():
    leaves = {"gain": 0, "leaves": 0}
    for aim in leaves:
        for seed in range(4):
            X, u = rotated(300, seed)
            tree = TreeClassifier(split=Oblique(aim=aim)).fit(X, CORNERED["aside"](u)).tree_
            leaves[aim] += tree.n_leaves
    assert leaves["leaves"] < leaves["gain"]


@pytest.mark.parametrize("aim", ["gain", "leaves"])
def test_looking_ahead_keeps_to_the_limits(aim):
    X, y = noisy_line(200, 1)
    for limits in (
        {"max_depth": 3},
        {"min_samples_leaf": 7},
        {"min_weight_fraction_leaf": 0.1},
        {"max_leaf_nodes": 6},
    ):
        model = TreeClassifier(split=Oblique(aim=aim, max_columns=2), **limits).fit(X, y)
        assert model.tree_.depth <= limits.get("max_depth", 99)
        assert model.tree_.n_leaves <= limits.get("max_leaf_nodes", 999)
        assert model.tree_.n_rows.min() >= limits.get("min_samples_leaf", 1)
        assert model.tree_.n_rows.min() >= 200 * limits.get("min_weight_fraction_leaf", 0)
        assert np.diff(model.tree_.plane_offset).max() <= 2


def test_aims_fall_back_on_gain_for_gaps_and_numbers():
    X, u = rotated(200, 3)
    y = u[:, 0] > 0.1
    X[::9, 0] = np.nan
    part = Oblique(aim="leaves")
    assert TreeClassifier(split=part).fit(X, y).tree_ == TreeClassifier(split="oblique").fit(X, y).tree_
    values = np.where(y, 2.0, 0.0) + u[:, 1]
    by_gain = TreeRegressor(split="oblique", max_depth=3).fit(X, values)
    assert TreeRegressor(split=part, max_depth=3).fit(X, values).tree_ == by_gain.tree_


# ---- gaps --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", ["learn", "branch", "all-paths", "fractional", "majority"])
def test_a_row_with_a_gap_in_a_sum_follows_the_missing_rule(missing):
    X, u = rotated(400, 5)
    y = u[:, 0] > 0.1
    X[::7, 0] = np.nan
    X[3::11, 1] = np.nan
    model = TreeClassifier(split="oblique", missing=missing, max_depth=2).fit(X, y)
    assert model.tree_.kind[0] == HYPERPLANE
    known = ~np.isnan(X).any(axis=1)
    assert model.score(X[known], y[known]) > 0.97
    shares = model.predict_proba([[np.nan, np.nan], [0.3, np.nan]])
    assert shares.sum(axis=1) == pytest.approx([1, 1])


def test_gaps_that_tell_are_learned_beside_the_sum():
    X, u = rotated(300, 2)
    y = u[:, 0] > 0.0
    y[:60] = True
    X[:60, 1] = np.nan
    tree = TreeClassifier(split="oblique").fit(X, y).tree_
    high = 1 if tree.label[2] == 1 else 0
    assert tree.missing[0] == high
    assert tree.n_leaves == 2


def test_a_column_of_gaps_harms_nobody():
    X, u = rotated(100, 0)
    X = np.column_stack([X, np.full(100, np.nan)])
    assert TreeClassifier(split="oblique").fit(X, u[:, 0] > 0).tree_.n_leaves == 2


# ---- weights and limits ------------------------------------------------------------------------------------


def test_a_row_of_no_weight_takes_no_part():
    X, u = rotated(200, 0)
    y = u[:, 0] > 0
    wrong = np.arange(200) % 10 == 0
    y[wrong] = ~y[wrong]
    model = TreeClassifier(split="oblique").fit(X, y, sample_weight=np.where(wrong, 0.0, 2.0))
    assert model.tree_.n_leaves == 2


def test_limits_hold_for_sums():
    X, y = noisy_line(300, 4)
    model = TreeClassifier(split="oblique", min_samples_leaf=20).fit(X, y)
    leaves = model.tree_.kind == 0
    assert model.tree_.n_rows[leaves].min() >= 20
    assert TreeClassifier(split="oblique", max_leaf_nodes=5).fit(X, y).tree_.n_leaves == 5
    assert TreeClassifier(split="oblique", max_depth=2).fit(X, y).tree_.depth == 2
    assert TreeClassifier(split="oblique", min_weight_fraction_leaf=0.2).fit(X, y).tree_.n_leaves <= 5


def test_with_max_features_a_sum_takes_the_columns_drawn():
    X, y = noisy_line(200, 0, d=6)
    tree = TreeClassifier(split="oblique", max_features=2, random_state=0).fit(X, y).tree_
    widths = np.diff(tree.plane_offset)
    assert set(widths[tree.kind == HYPERPLANE]) == {2}
    alone = TreeClassifier(split="oblique", max_features=1, random_state=0).fit(X, y).tree_
    assert not (alone.kind == HYPERPLANE).any()


# ---- arithmetic --------------------------------------------------------------------------------------------


def test_the_equations_are_solved_as_a_library_solves_them():
    rng = np.random.default_rng(0)
    for n in (1, 2, 5, 12):
        half = rng.normal(size=(n, n))
        matrix, right = half @ half.T + 0.1 * np.eye(n), rng.normal(size=(n, 3))
        np.testing.assert_allclose(_solve(matrix, right), np.linalg.solve(matrix, right), rtol=1e-8)


@pytest.mark.parametrize("scale", [1e300, 1e-300, 1e308, 1e-310])
def test_columns_of_extreme_size_do_not_overflow(scale):
    X, u = rotated(200, 0)
    model = TreeClassifier(split="oblique").fit(X / 4 * [scale, 1.0], u[:, 0] > 0.2)
    assert model.score(X / 4 * [scale, 1.0], u[:, 0] > 0.2) == 1.0


# ---- the page ----------------------------------------------------------------------------------------------


def test_the_examples_of_the_page_hold():
    page = Path(__file__).parents[2] / "docs" / "algorithms" / "oblique.md"
    found = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    examples = doctest.DocTestParser().get_doctest("\n".join(found), {}, page.name, None, 0)
    assert len(examples.examples) > 10
    assert doctest.DocTestRunner().run(examples).failed == 0


def test_a_direction_that_rounding_leaves_without_a_cut_gives_way_to_a_plain_test(monkeypatch):
    climb = direction_scores.DirectionScorer.climb

    def without_cut(self, starts, free, most, steps):
        return (
            []
            if steps in (direction_scores.POLISH, direction_scores.FINISH)
            else climb(self, starts, free, most, steps)
        )

    monkeypatch.setattr(direction_scores.DirectionScorer, "climb", without_cut)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = X[:, 0] + X[:, 1] > 0
    tree = hb.TreeClassifier(split="oblique").fit(X, y).tree_
    assert (tree.predict(X) == y).all()
    assert tree.column[0] >= 0
