"""Oblique splits: weighted sums of numeric columns (R36)."""

import doctest
import itertools
import pickle
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.mixed import outcome, random_columns
from tests.oracles.lines import best_line

import hornbeam as hb
from hornbeam import TreeClassifier, TreeRegressor
from hornbeam.arrays import HYPERPLANE
from hornbeam.splitting import Oblique
from hornbeam.stepwise.directions import _solve
from hornbeam.tree import Tree


def rotated(n, seed, degrees=45.0):
    """Points of a square, turned; and the square's coordinates before."""
    rng = np.random.default_rng(seed)
    u = rng.uniform(-1, 1, (n, 2))
    t = np.deg2rad(degrees)
    return u @ np.array([[np.cos(t), np.sin(t)], [-np.sin(t), np.cos(t)]]), u


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


@settings(max_examples=25, deadline=None)
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


# ---- the same tree every time ------------------------------------------------------------------------------


def noisy_line(n, seed, d=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, ((X[:, 0] + 0.6 * X[:, 1] > 0.1) ^ (rng.random(n) < 0.1)).astype(int)


def test_the_order_of_rows_the_threads_and_the_day_do_not_matter():
    for seed in range(3):
        X, y = noisy_line(200, seed)
        first = TreeClassifier(split="oblique").fit(X, y).tree_
        order = np.random.default_rng(seed).permutation(len(y))
        for other in (
            TreeClassifier(split="oblique").fit(X, y),
            TreeClassifier(split="oblique").fit(X[order], y[order]),
            TreeClassifier(split="oblique", n_jobs=1).fit(X, y),
            TreeClassifier(split="oblique", n_jobs=3).fit(np.asfortranarray(X), y),
            TreeClassifier(split="oblique", random_state=0).fit(X, y),
        ):
            assert other.tree_.text() == first.text()


def test_nor_do_they_at_a_node_of_many_rows():
    X, y = noisy_line(6000, 0)
    order = np.random.default_rng(0).permutation(len(y))
    trees = [
        TreeClassifier(split="oblique", max_depth=2, n_jobs=jobs).fit(X[rows], y[rows]).tree_
        for rows, jobs in ((slice(None), 1), (order, 2))
    ]
    assert trees[0].text() == trees[1].text()


def test_a_random_state_may_lead_elsewhere_but_always_to_the_same_place():
    X, y = noisy_line(200, 1, d=6)
    texts = [
        [TreeClassifier(split="oblique", random_state=seed).fit(X, y).tree_.text() for seed in range(4)]
        for _ in range(2)
    ]
    assert texts[0] == texts[1]
    assert len(set(texts[0])) > 1


def test_counts_are_repetitions():
    for seed in range(3):
        X, y = noisy_line(60, seed, d=3)
        counts = np.random.default_rng(seed).integers(0, 4, len(y))
        model = TreeClassifier(split="oblique").fit(X, y, counts=counts)
        again = TreeClassifier(split="oblique").fit(np.repeat(X, counts, axis=0), np.repeat(y, counts))
        assert model.tree_.text() == again.tree_.text()


def test_units_do_not_matter():
    for seed in range(3):
        X, y = noisy_line(150, seed, d=3)
        here = TreeClassifier(split="oblique").fit(X, y)
        there = TreeClassifier(split="oblique").fit(X * [8.0, 0.25, 1024.0], y)
        np.testing.assert_array_equal(here.apply(X), there.apply(X * [8.0, 0.25, 1024.0]))


def test_nor_does_a_common_place_far_away():
    X, u = rotated(400, 1)
    y = u[:, 0] > 0.2
    assert TreeClassifier(split="oblique").fit(X * 1e-3 + 1e6, y).tree_.n_leaves == 2


# ---- prediction follows training ---------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_every_training_row_goes_where_training_sent_it(dtype):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = (rng.normal(size=(200, 4)) * [1, 1e-3, 1e5, 7] + [0, 5, 1e7, 0]).round(seed + 1).astype(dtype)
        y = rng.integers(0, 3, 200)
        model = TreeClassifier(split="oblique").fit(X, y)
        tree, passed = model.tree_, model.decision_path(X)
        np.testing.assert_array_equal(np.asarray(passed.sum(axis=0))[0], tree.n_rows)
        assert (tree.kind == HYPERPLANE).any()


def test_sums_that_differ_by_rounding_alone_stay_together():
    # 0.1 + 0.2 > 0.3 + 0 in doubles
    X = [[0.1, 0.2], [0.3, 0.0], [0.2, 0.1], [0.0, 0.3], [0.2, 0.2], [0.4, 0.0], [0.1, 0.3], [0.3, 0.1]]
    tree = TreeClassifier(split="oblique").fit(X, [0, 0, 0, 0, 1, 1, 1, 1]).tree_
    assert tree.n_leaves == 2
    assert tree.threshold[0] == pytest.approx(0.35)


def test_the_threshold_is_the_midpoint_of_the_sums_beside_it():
    X, y = noisy_line(100, 2)
    tree = TreeClassifier(split="oblique", max_depth=1).fit(X, y).tree_
    sums = sum(w * X[:, c] for c, w in zip(tree.plane_column, tree.plane_weight, strict=True))
    low, high = sums[sums <= tree.threshold[0]].max(), sums[sums > tree.threshold[0]].min()
    assert tree.gap[0].tolist() == [low, high]
    assert tree.threshold[0] == pytest.approx((low + high) / 2, abs=1e-15)


# ---- formulas ----------------------------------------------------------------------------------------------


def test_noise_has_no_place_in_a_formula():
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = pd.DataFrame(rng.normal(size=(300, 6)), columns=["a", "b", "c", "d", "e", "f"])
        model = TreeClassifier(split="oblique").fit(X, X["b"] - 0.5 * X["e"] > 0.3)
        assert model.tree_.tested_columns(0) == (1, 4)
        assert model.tree_.n_leaves == 2


def test_little_of_the_noise_does_when_labels_are_wrong():
    used = []
    for seed in range(6):
        X, y = noisy_line(400, seed, d=8)
        used.append(TreeClassifier(split="oblique", max_depth=1).fit(X, y).tree_.tested_columns(0))
    assert all(set(columns) >= {0, 1} for columns in used)
    assert sum(len(columns) - 2 for columns in used) <= 2


def test_sparsity_0_keeps_what_gains_anything():
    gains = {}
    for sparsity in (0.0, 0.3):
        trees = []
        for seed in range(5):
            X, y = noisy_line(150, seed, d=8)
            trees.append(TreeClassifier(split=Oblique(sparsity=sparsity), max_depth=1).fit(X, y).tree_)
        gains[sparsity] = np.mean([tree.gain[0] for tree in trees])
        gains[sparsity, "columns"] = np.mean([len(tree.plane_column) for tree in trees])
    assert gains[0.0] > gains[0.3]
    assert gains[0.0, "columns"] > gains[0.3, "columns"]


def loans():
    """Loans given to those whose income exceeds 500 a year of age."""
    income, age = np.meshgrid([10_000, 16_000, 22_000, 28_000], [24, 33, 47, 62])
    X = pd.DataFrame({"income": income.ravel(), "age": age.ravel()})
    return X, np.where(X["income"] > 500 * X["age"], "given", "refused")


def test_a_formula_is_short_and_in_the_units_of_the_columns():
    X, y = loans()
    model = TreeClassifier(split="oblique").fit(X, y)
    assert model.score(X, y) == 1.0
    assert model.tree_.text() == "0.002*income-age[<=3.5: refused(0:10) | >3.5: given(6:0)]"
    assert hb.show(model).splitlines()[:2] == [
        "0.002*income - age?  gain 0.4688  62 % refused  n=16 (6:10)",
        "├── ≤ 3.5  → refused  100 %  n=10 (0:10)",
    ]
    assert str(hb.rules(model)[0]) == "IF 0.002*income - age <= 3.5 THEN refused (10 rows, 100 %)"
    told = hb.explain(model, X.iloc[0])
    assert "because  0.002*income - age <= 3.5 (it is income 10000, age 24)" in told.text("ascii")


def test_weights_have_few_digits_the_largest_is_1_and_the_first_is_positive():
    for seed in range(5):
        X, y = noisy_line(150, seed)
        tree = TreeClassifier(split="oblique").fit(X, y).tree_
        for start, end in itertools.pairwise(tree.plane_offset):
            if end > start:
                weights = tree.plane_weight[start:end]
                assert np.abs(weights).max() == 1
                assert weights[0] > 0
                assert all(w == float(f"{w:.6g}") for w in weights)


def test_a_tree_survives_saving():
    X, y = noisy_line(200, 3)
    model = TreeClassifier(split="oblique", max_depth=4).fit(X, y)
    for again in (Tree.from_dict(model.tree_.to_dict()), pickle.loads(pickle.dumps(model)).tree_):
        assert again == model.tree_
        assert again.text() == model.tree_.text()
        np.testing.assert_array_equal(again.predict(X), model.predict(X))


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


# ---- parameters --------------------------------------------------------------------------------------------


def test_only_the_columns_named_are_summed():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, 4)), columns=list("abcd"))
    y = X["a"] + X["b"] > 0
    for columns, fits in ((["a", "b"], True), ([1, 0], True), (["c", "d"], False)):
        tree = TreeClassifier(split=Oblique(columns=columns)).fit(X, y).tree_
        assert (tree.n_leaves == 2) == fits
        allowed = {"abcd".index(c) if isinstance(c, str) else c for c in columns}
        assert set(tree.plane_column.tolist()) <= allowed


def test_max_columns_limits_a_sum():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 6))
    y = X.sum(axis=1) > 0
    for most in (2, 3):
        tree = TreeClassifier(split=Oblique(max_columns=most, sparsity=0.0)).fit(X, y).tree_
        assert np.diff(tree.plane_offset).max() == most


@pytest.mark.parametrize("others", ["binary", "multiway", "one-vs-rest"])
def test_nominal_columns_are_tested_as_told(others):
    X, u = rotated(300, 0)
    table = pd.DataFrame({"x": X[:, 0], "y": X[:, 1], "z": np.arange(300) % 3}).astype({"z": str})
    y = np.where(table["z"] == "0", u[:, 0] > 0, table["z"] == "1")
    plain = TreeClassifier(split=others).fit(table, y).tree_
    tree = TreeClassifier(split=Oblique(others=others)).fit(table, y).tree_
    assert tree.kind[0] == plain.kind[0]
    assert tree.n_leaves < plain.n_leaves
    assert (tree.kind == HYPERPLANE).any()


TABLE = pd.DataFrame(
    {"age": [1.0, 2.0, 3.0], "pay": [3.0, 1.0, 2.0], "city": ["Aš", "Brno", "Aš"], "born": pd.to_datetime(
        ["2001-01-01", "2002-01-01", "2003-01-01"])}
)  # fmt: skip


@pytest.mark.parametrize(
    ("part", "kind", "words"),
    [
        ({"columns": "age"}, TypeError, "columns='age' must be a list"),
        ({"columns": [["age", "pay"]]}, TypeError, "must be a list of columns"),
        ({"columns": ["age", "age"]}, ValueError, "at least two different columns"),
        ({"columns": ["age", "pey"]}, ValueError, "'pey', which X does not have (did you mean 'pay'?)"),
        ({"columns": [0, 7]}, ValueError, "the column 7, which X does not have"),
        ({"columns": ["age", "city"]}, ValueError, "the nominal column 'city', which has no place in a sum"),
        ({"columns": ["age", "born"]}, ValueError, "the time column 'born', which has no place in a sum"),
        ({"max_columns": 1}, ValueError, "max_columns=1 must be a whole number of at least 2"),
        ({"sparsity": 1.0}, ValueError, "sparsity=1.0 must be a number from 0 to below 1"),
        ({"restarts": -1}, ValueError, "restarts=-1 must be a whole number of at least 0"),
        ({"restarts": True}, ValueError, "restarts=True must be a whole number"),
        ({"ridge": 0}, ValueError, "ridge=0 must be a number above 0"),
        ({"others": "oblique"}, ValueError, "others='oblique' is not known"),
    ],
)
def test_a_bad_parameter_gets_a_sentence(part, kind, words):
    with pytest.raises(kind) as error:
        TreeClassifier(split=Oblique(**part)).fit(TABLE, [0, 1, 0])
    assert words in str(error.value)


def test_monotonic_constraints_are_refused():
    with pytest.raises(ValueError, match="monotonic_cst cannot be kept with Oblique"):
        TreeClassifier(split="oblique", monotonic_cst={"age": 1}).fit(TABLE, [0, 1, 0])


def test_parameters_nest_as_in_scikit_learn():
    model = TreeClassifier(split=Oblique()).set_params(split__max_columns=2)
    assert model.split.max_columns == 2


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
    page = Path(__file__).parents[1] / "docs" / "algorithms" / "oblique.md"
    found = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    examples = doctest.DocTestParser().get_doctest("\n".join(found), {}, page.name, None, 0)
    assert len(examples.examples) > 10
    assert doctest.DocTestRunner().run(examples).failed == 0
