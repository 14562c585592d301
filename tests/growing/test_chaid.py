"""CHAID: whole trees, by hand and against the twin in tests.oracles.chaid."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from tests.oracles.chaid import Twin, x2

import hornbeam as hb
from hornbeam._base.significance.contingency import MeanTest
from hornbeam.estimators.recipes.regression_recipes import chaid
from hornbeam.growing.selections import ChiSquareSelection
from hornbeam.parts import Binary

# --- cases --------------------------------------------------------------------------------------------------


def test_merge_and_bonferroni():
    found = hb.teaching.chaid_merge(
        {"a": [20, 30], "b": [22, 28], "c": [40, 10], "d": [5, 45]}, alpha_merge=0.05
    )
    assert [(m.left, m.right) for m in found.merges] == [("a", "b")]
    assert found.merges[0].p == pytest.approx(0.685315, abs=1e-6)
    assert found.groups == ("a+b", "c", "d")
    assert found.chi2 == pytest.approx(50.02543, abs=1e-5)
    assert found.df == 2
    assert found.p == pytest.approx(1.37125e-11, rel=1e-5)
    assert found.multiplier == 6
    assert found.adjusted_p == pytest.approx(8.22749e-11, rel=1e-5)


def test_multipliers():
    kinds = ("nominal", "ordinal", "floating")
    assert [hb.teaching.chaid_multiplier(4, 2, kind) for kind in kinds] == [7, 3, 5]
    assert [hb.teaching.chaid_multiplier(5, 3, kind) for kind in kinds] == [25, 6, 12]


def test_the_tree_of_the_merged_table_has_its_groups_and_p_value():
    counts = {"a": (20, 30), "b": (22, 28), "c": (40, 10), "d": (5, 45)}
    cells = [(name, label, n) for name, pair in counts.items() for label, n in zip("xz", pair, strict=True)]
    part, y, n = (list(values) for values in zip(*cells, strict=True))
    model = hb.TreeClassifier(selection=ChiSquareSelection()).fit({"part": part}, y, counts=n)
    assert model.tree_.text() == "part[{a,b}: z(42:58) | {c}: x(40:10) | {d}: z(5:45)]"
    facts = model.tree_.meta["facts"][""]
    assert (facts["df"], facts["multiplier"]) == (2, 6)
    assert math.exp(facts["log_adjusted_p"]) == pytest.approx(8.22749e-11, rel=1e-5)


# --- trees against the twin ---------------------------------------------------------------------------------


def random_table(rng, *, gaps):
    n = int(rng.integers(40, 160))
    nominal = np.array(list("abcdef"))[rng.integers(0, rng.integers(2, 7), n)]
    ordinal = np.array(list("12345"))[rng.integers(0, 5, n)]
    few, many = rng.integers(0, 6, n) / 2, rng.integers(0, 60, n) / 4
    score = 2 * np.isin(nominal, list("ad")) + (ordinal > "3") + (many > 8) + rng.integers(0, 3, n)
    columns = {
        "nominal": ("nominal", nominal.tolist()),
        "ordinal": ("ordinal", ordinal.tolist()),
        "few": ("numeric", few.tolist()),
        "many": ("numeric", many.tolist()),
    }
    if gaps:
        for name, (kind, values) in columns.items():
            lost = rng.random(n) < rng.choice([0.0, 0.1, 0.3])
            columns[name] = (kind, [None if gone else v for gone, v in zip(lost, values, strict=True)])
    return columns, score


def frame_of(columns):
    made = {}
    for name, (kind, values) in columns.items():
        if kind == "ordinal":
            made[name] = pd.Categorical(values, categories=sorted({v for v in values if v}), ordered=True)
        else:
            made[name] = pd.Series(values, dtype=float if kind == "numeric" else object)
    return pd.DataFrame(made)


def texts(tree):
    """The canonical text and the branch of missing values of each test, in pre-order."""
    return tree.text(), [int(tree.missing[node]) for node, _ in tree.walk() if tree.n_children[node]]


MIDPOINTS = Binary(threshold_at="midpoint")  # where the twin cuts


@pytest.mark.parametrize("seed", range(24))
def test_a_tree_of_classes_is_the_twins(seed):
    rng = np.random.default_rng(seed)
    columns, score = random_table(rng, gaps=seed % 2 == 1)
    y = np.array(["p", "q", "r"])[np.minimum(score // 2, 2)].tolist()
    options = {"alpha": 0.1, "merge": 0.1, "resplit": 0.05 if seed % 3 == 0 else None, "min_rows": 10}
    least = 1 + 4 * (seed % 4 == 2)
    twin = Twin(columns, y, min_leaf=least, **options)
    selection = ChiSquareSelection(**options)
    model = hb.TreeClassifier(selection=selection, split=MIDPOINTS, min_samples_leaf=least)
    model.fit(frame_of(columns), y)
    assert texts(model.tree_) == (twin.text(), twin.missing)


@pytest.mark.parametrize("seed", range(10))
def test_a_tree_of_numbers_is_the_twins(seed):
    rng = np.random.default_rng(100 + seed)
    columns, score = random_table(rng, gaps=seed % 2 == 1)
    y = (score + rng.integers(0, 8, len(score)) / 4).tolist()
    options = {"alpha": 0.05, "merge": 0.1, "resplit": None, "min_rows": 20, "n_bins": 5}
    twin = Twin(columns, y, real=True, min_leaf=5, **options)
    selection = ChiSquareSelection(**options)
    model = hb.TreeRegressor(selection=selection, split=MIDPOINTS, min_samples_leaf=5)
    model.fit(frame_of(columns), y)
    assert texts(model.tree_) == (twin.text(), twin.missing)


# --- trees by hand ------------------------------------------------------------------------------------------


def bought(n=30):
    """Sixty rows of the values a to d: a and b buy, c and d do not; nearly always."""
    value = np.repeat(list("abcd"), n)
    y = np.where(np.isin(value, ["a", "b"]), "buy", "leave")
    y[::10] = "buy"
    return {"value": value.tolist()}, y.tolist()


def test_the_order_of_rows_never_changes_the_tree():
    X, y = bought()
    order = np.random.default_rng(0).permutation(len(y))
    shuffled = {"value": [X["value"][i] for i in order]}, [y[i] for i in order]
    model = hb.TreeClassifier(selection="chi-square")
    assert model.fit(X, y).tree_ == hb.TreeClassifier(selection="chi-square").fit(*shuffled).tree_


def test_counts_are_repetitions_and_weights_never_raise_the_number_of_rows():
    rows = {"x": ["a"] * 20 + ["b"] * 20}
    y = ["p"] * 12 + ["q"] * 8 + ["p"] * 8 + ["q"] * 12
    model = hb.TreeClassifier(selection=ChiSquareSelection(min_rows=1))
    assert model.fit(rows, y).tree_.n_tests == 0  # X2 = 1.6
    assert model.fit(rows, y, sample_weight=[5.0] * 40).tree_.n_tests == 0
    assert model.fit(rows, y, counts=[5] * 40).tree_.n_tests == 1  # X2 = 8
    assert model.tree_.meta["facts"][""]["statistic"] == pytest.approx(8.0)


def test_unequal_weights_are_scaled_to_the_number_of_rows():
    rows = {"x": ["a"] * 40 + ["b"] * 40}
    y = ["p"] * 30 + ["q"] * 10 + ["p"] * 10 + ["q"] * 30
    weights = np.where(np.arange(80) < 40, 1.0, 3.0)
    model = hb.TreeClassifier(selection=ChiSquareSelection()).fit(rows, y, sample_weight=weights)
    table = np.array([[30.0, 10.0], [30.0, 90.0]]) * 80 / 160
    assert model.tree_.meta["facts"][""]["statistic"] == pytest.approx(
        float(x2(table.astype(int).tolist())[0])
    )


def test_a_gap_joins_the_group_it_is_most_like_and_is_predicted_there():
    X, y = bought()
    X = {"value": X["value"] + [None] * 20}
    model = hb.TreeClassifier(selection="chi-square").fit(X, y + ["buy"] * 20)
    assert model.predict({"value": [None, "a", "c"]}).tolist() == ["buy", "buy", "leave"]
    assert model.tree_.missing[0] == 0


def test_gaps_unlike_all_values_get_a_branch_of_their_own():
    X, y = bought()
    X = {"value": X["value"] + [None] * 20}
    model = hb.TreeClassifier(selection="chi-square").fit(X, y + ["ask"] * 20)
    assert "Missing: ask(20:0:0)" in model.tree_.text()
    assert model.predict({"value": [None]}).tolist() == ["ask"]


def test_a_numeric_column_whose_gaps_alone_matter_is_split_into_known_and_missing():
    x = [1.0, 2.0, 3.0, 4.0] * 10 + [None] * 20
    model = hb.TreeClassifier(selection="chi-square").fit({"x": x}, ["p"] * 40 + ["q"] * 20)
    assert model.predict({"x": [None, 2.0, 99.0]}).tolist() == ["q", "p", "p"]
    assert model.tree_.statistics()["leaves"] == 2


def test_numeric_columns_become_at_most_so_many_intervals():
    x = np.arange(400.0)
    y = (x // 40).astype(int)
    model = hb.TreeClassifier(selection=ChiSquareSelection(n_bins=10)).fit(x[:, None], y)
    assert model.tree_.kind_of(0) == "intervals"
    assert model.tree_.n_children[0] == 10
    assert model.score(x[:, None], y) == 1.0
    assert model.tree_.cuts(0).tolist() == [39.5 + 40 * k for k in range(9)]


def test_an_ordinal_split_covers_the_whole_domain():
    size = pd.Categorical(list("135") * 20, categories=list("12345"), ordered=True)
    y = ["p", "p", "q"] * 20
    model = hb.TreeClassifier(selection="chi-square").fit(pd.DataFrame({"size": size}), y)
    assert model.tree_.text() == "size[{1,2,3}: p(40:0) | {4,5}: q(0:20)]"
    assert str(hb.rules(model)[0]).startswith("IF size in {1, 2, 3} THEN p")


def test_small_groups_join_the_group_they_differ_from_least():
    X = {"x": ["a"] * 40 + ["b"] * 40 + ["c"] * 3}
    y = ["p"] * 40 + ["q"] * 40 + ["r"] * 3
    assert hb.TreeClassifier(selection="chi-square").fit(X, y).tree_.n_children[0] == 3
    model = hb.TreeClassifier(selection="chi-square", min_samples_leaf=10).fit(X, y)
    assert model.tree_.n_children[0] == 2
    assert model.tree_.n_rows[1:].min() >= 10


def test_the_smallest_adjusted_p_value_wins_not_the_smallest_p_value():
    rng = np.random.default_rng(1)
    n = 200
    two = rng.integers(0, 2, n)
    y = np.where(rng.random(n) < 0.65, two, 1 - two)
    many = np.array([f"v{k:02d}" for k in rng.integers(0, 40, n)])
    X = pd.DataFrame({"many": many, "two": two.astype(str)})
    fit = hb.TreeClassifier(selection=ChiSquareSelection(bonferroni=False), max_depth=1).fit(X, y)
    adjusted = hb.TreeClassifier(selection=ChiSquareSelection(), max_depth=1).fit(X, y)
    assert fit.tree_.columns[fit.tree_.column[0]].name == "many"
    assert adjusted.tree_.columns[adjusted.tree_.column[0]].name == "two"


def test_a_test_that_is_not_significant_leaves_a_leaf():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 3)), rng.integers(0, 2, 200)
    assert hb.TreeClassifier(selection=ChiSquareSelection(alpha=0.001)).fit(X, y).tree_.n_tests == 0


def test_a_node_of_few_rows_is_not_tested():
    X, y = bought(5)
    assert hb.TreeClassifier(selection="chi-square").fit(X, y).tree_.n_tests == 0
    assert hb.TreeClassifier(selection=ChiSquareSelection(min_rows=20)).fit(X, y).tree_.n_tests == 1


def test_the_test_of_means_is_the_f_test():
    groups = [[1.0, 2.0, 3.0, 2.5], [2.0, 4.0, 6.0], [7.0, 8.0, 9.0, 7.5, 8.0]]
    lanes = np.array([[len(g), sum(g), sum(y * y for y in g), len(g)] for g in groups])
    expected = stats.f_oneway(*groups)
    found = MeanTest()(lanes)
    assert float(found.statistic) == pytest.approx(expected.statistic)
    assert math.exp(float(found.log_p)) == pytest.approx(expected.pvalue)


def test_groups_without_spread_are_told_apart_with_certainty():
    model = hb.TreeRegressor(selection="chi-square").fit(
        {"x": ["a"] * 20 + ["b"] * 20}, [1.0] * 20 + [2.0] * 20
    )
    assert model.tree_.text() == "x[{a}: 1.0000(n=20) | {b}: 2.0000(n=20)]"
    assert model.tree_.meta["facts"][""]["log_adjusted_p"] == -math.inf
    assert json.dumps(model.tree_.to_dict())
    assert hb.Tree.from_dict(model.tree_.to_dict()) == model.tree_


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"alpha": 2}, "alpha=2 must be a number from 0 to 1"),
        ({"merge": -0.1}, "merge=-0.1 must be a number from 0 to 1"),
        ({"resplit": 0.06}, "resplit=0.06 must be at most merge=0.05"),
        ({"bonferroni": 1}, "bonferroni=1 must be True or False"),
        ({"statistic": "fisher"}, "statistic='fisher' must be one of"),
        ({"n_bins": 1}, "n_bins=1 must be a whole number of at least 2"),
        ({"min_rows": 0}, "min_rows=0 must be a whole number of at least 1"),
    ],
)
def test_a_bad_number_of_the_part_is_refused_by_name(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        hb.TreeClassifier(selection=ChiSquareSelection(**options)).fit([[1], [2]], [0, 1])


def test_a_kind_of_split_that_would_be_ignored_is_refused():
    X, y = bought()
    with pytest.raises(
        ValueError, match=r"split=Multiway\(\) has no meaning with selection=ChiSquareSelection\(\)"
    ):
        hb.TreeClassifier(selection="chi-square", split="multiway").fit(X, y)
    with pytest.raises(ValueError, match="a real target is tested by F"):
        hb.TreeRegressor(selection=ChiSquareSelection(statistic="likelihood-ratio")).fit(
            [[1], [2]], [0.0, 1.0]
        )


def test_best_first_growth_makes_the_most_valuable_split_first():
    X, y = bought()
    X["sex"] = ["f", "m"] * 60
    y = [f"{a}{b}" if a == "leave" else a for a, b in zip(y, X["sex"], strict=True)]
    whole = hb.TreeClassifier(selection="chi-square").fit(X, y).tree_
    assert whole.n_leaves == 3
    small = hb.TreeClassifier(selection="chi-square", max_leaf_nodes=2).fit(X, y).tree_
    assert small.n_leaves == 2
    assert small.text().startswith("value[{a,b}: buy")


# --- the recipe ---------------------------------------------------------------------------------------------


def test_the_recipe_tests_every_node_as_kass_does():
    X, y = bought(5)
    assert chaid().fit(X, y).tree_.text() == "value[{a,b}: buy(10:0) | {c,d}: leave(1:9)]"
    assert isinstance(chaid("real"), hb.TreeRegressor)


@pytest.mark.parametrize("seed", range(6))
def test_the_recipe_grows_the_twins_tree(seed):
    rng = np.random.default_rng(500 + seed)
    columns, score = random_table(rng, gaps=True)
    y = (score > 3).tolist()
    twin = Twin(columns, y, min_rows=2)
    assert texts(chaid(split=MIDPOINTS).fit(frame_of(columns), y).tree_) == (twin.text(), twin.missing)


def test_the_recipe_passes_other_parameters_on():
    model = chaid(alpha=0.01, merge=0.1, resplit=0.02, n_bins=5, max_depth=2, min_samples_leaf=4)
    assert (model.max_depth, model.min_samples_leaf) == (2, 4)
    assert (model.selection.alpha, model.selection.merge, model.selection.n_bins) == (0.01, 0.1, 5)
    with pytest.raises(ValueError, match="task='both' must be 'classes' or 'real'"):
        chaid("both")
    with pytest.raises(TypeError, match="max_deph"):
        chaid(max_deph=2)
