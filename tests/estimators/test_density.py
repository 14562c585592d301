"""Density trees: the definition, what integrates to one, and limits."""
# ruff: noqa: N802 (a test is called by the number of its case)

import numpy as np
import pandas as pd
import pytest
from tests.support.density_tables import FIVE, FIVE_BOX, integral, mixed

import hornbeam as hb
from hornbeam.estimators.density import cuts

# ---- the worked case -----------------------------------------------------------------------------------


def test_scores_best_cut_and_densities_of_one_split():
    root = hb.TreeDensity(max_depth=0, support=FIVE_BOX).fit(FIVE).tree_
    assert -root.impurity[0] == pytest.approx(0.1)  # -R of a node of all rows is its density
    found = {cut.threshold: cut.score for cut in cuts(FIVE, support=FIVE_BOX)}
    assert found == pytest.approx({1.5: 0.101961, 2.25: 0.117563, 2.75: 0.152978, 6.0: 0.116667}, abs=1e-6)
    best = max(cuts(FIVE, support=FIVE_BOX), key=lambda cut: cut.score)
    assert best.threshold == 2.75
    assert best.density == pytest.approx((0.218182, 0.055172), abs=1e-6)
    tree = hb.TreeDensity(max_depth=1, support=FIVE_BOX).fit(FIVE).tree_
    assert tree.threshold[0] == 2.75
    assert 0.1 + tree.gain[0] == pytest.approx(0.152978, abs=1e-6)
    assert tree.answers()[1:].tolist() == pytest.approx([0.218182, 0.055172], abs=1e-6)
    assert tree.text() == "x[<=2.75: 0.2182(n=3) | >2.75: 0.0552(n=2)]"


def test_without_limits_has_the_same_cut_at_its_root():
    tree = hb.TreeDensity(support=FIVE_BOX).fit(FIVE).tree_
    assert tree.threshold[0] == 2.75
    assert tree.n_leaves == 5


def test_B4_classes_numbers_and_densities_are_learned_through_one_interface():
    tennis, hours = hb.datasets.load("tennis"), hb.datasets.load("hours")
    models = [
        hb.TreeClassifier("entropy", split="multiway").fit(tennis.X, tennis.y),
        hb.TreeRegressor("sd", split="multiway", min_variation=0.1, min_samples_split=4).fit(
            hours.X, hours.y
        ),
        hb.TreeDensity(max_depth=1, support=FIVE_BOX).fit(FIVE),
    ]
    assert [model.tree_.text() for model in models] == [
        "Outlook[Overcast: Yes(0:4) | Rain: Wind[Strong: No(2:0) | Weak: Yes(0:3)]"
        " | Sunny: Humidity[High: No(3:0) | Normal: Yes(0:2)]]",
        "Outlook[Overcast: 46.2500(n=4)"
        " | Rainy: Temp[Cool: 38.0000(n=1) | Hot: 27.5000(n=2) | Mild: 41.5000(n=2)]"
        " | Sunny: Windy[False: 47.6667(n=3) | True: 26.5000(n=2)]]",
        "x[<=2.75: 0.2182(n=3) | >2.75: 0.0552(n=2)]",
    ]


def test_the_box_is_the_range_of_the_data_unless_a_support_is_given():
    model = hb.TreeDensity(max_depth=0).fit(FIVE)
    assert model.tree_.answers().tolist() == [1 / 8]
    for support in ({"x": (0, 10)}, {0: (0, 10)}, [(0, 10)], (0, 10), np.array([[0, 10]])):
        assert hb.TreeDensity(max_depth=0, support=support).fit(FIVE).tree_.answers().tolist() == [0.1]


# ---- a density -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("limits", [{}, {"max_leaf_nodes": 12}, {"min_samples_leaf": 0.05}])
def test_the_leaves_of_a_mixed_table_integrate_to_one(limits):
    model = hb.TreeDensity(support={"age": (-50, 150)}, **limits).fit(mixed(400))
    assert integral(model.tree_) == pytest.approx(1, rel=1e-12)


def test_a_density_of_one_column_integrates_to_one_on_a_grid():
    X = np.random.default_rng(0).normal(size=(300, 1))
    model = hb.TreeDensity(min_samples_leaf=10, support=[(-8, 8)]).fit(X)
    grid = (np.arange(200_000)[:, None] + 0.5) / 200_000 * 16 - 8
    assert np.exp(model.score_samples(grid)).mean() * 16 == pytest.approx(1, abs=1e-3)


def test_a_density_of_two_columns_and_a_word_integrates_to_one_on_a_grid():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.random((200, 2)), columns=["u", "v"])
    frame["w"] = rng.choice(["a", "b", "c"], 200, p=[0.7, 0.2, 0.1])
    box = {"u": (0, 1), "v": (0, 1)}
    model = hb.TreeDensity(min_samples_leaf=5, support=box).fit(frame)
    u, v = np.meshgrid((np.arange(400) + 0.5) / 400, (np.arange(400) + 0.5) / 400)
    total = 0.0
    for word in ("a", "b", "c"):
        grid = pd.DataFrame({"u": u.ravel(), "v": v.ravel(), "w": word})
        total += np.exp(model.score_samples(grid)).mean()
    assert total == pytest.approx(1, abs=0.01)


def test_outside_its_support_a_density_is_zero():
    frame = pd.DataFrame({"x": [1.0, 2.0, 4.0], "w": ["a", "b", "a"]})
    model = hb.TreeDensity().fit(frame)
    rows = pd.DataFrame({"x": [0.99, 4.01, 2.0, 1.0, 4.0], "w": ["a", "a", "never", "a", "a"]})
    found = model.score_samples(rows)
    assert np.isneginf(found[:3]).all()
    assert np.isfinite(found[3:]).all()
    assert model.score(rows) == -np.inf
    assert model.score(rows, sample_weight=[0, 0, 0, 1, 2]) == pytest.approx(found[3] + 2 * found[4])


def test_a_declared_category_without_rows_is_within_the_support():
    words = pd.DataFrame({"w": pd.Categorical(["a", "a", "b"], ["a", "b", "c"])})
    model = hb.TreeDensity().fit(words)
    assert np.exp(model.score_samples({"w": ["a", "b", "c"]})).tolist() == pytest.approx(
        [2 / 3, 1 / 6, 1 / 6]
    )


def test_a_column_of_one_value_is_a_point():
    wider = FIVE | {"one": [7.0] * 5, "word": ["only"] * 5}
    model = hb.TreeDensity(max_depth=1, support=FIVE_BOX).fit(wider)
    assert (
        model.tree_.answers().tolist()
        == hb.TreeDensity(max_depth=1, support=FIVE_BOX).fit(FIVE).tree_.answers().tolist()
    )
    rows = {"x": [2.0, 2.0], "one": [7.0, 7.5], "word": ["only", "only"]}
    assert np.isneginf(model.score_samples(rows)).tolist() == [False, True]


def test_one_row_and_equal_rows_are_a_point_of_density_one():
    for rows in ([[3.0, 4.0]], [[3.0, 4.0]] * 6):
        model = hb.TreeDensity().fit(rows)
        assert model.tree_.answers().tolist() == [1.0]
        assert model.score_samples([[3.0, 4.0], [3.0, 4.1]]).tolist() == [0.0, -np.inf]
        assert model.sample(2).tolist() == [[3.0, 4.0]] * 2


def test_a_cut_leaves_no_box_without_length():
    near = np.nextafter(1.0, 2.0)
    tree = hb.TreeDensity().fit([[1.0], [near], [near]]).tree_
    assert tree.n_leaves == 1  # the midpoint of the two is 1.0, the lower end of the box
    assert integral(tree) == pytest.approx(1)


def test_extreme_units_keep_the_logarithm_finite():
    X = np.random.default_rng(0).normal(size=(60, 12))
    plain = hb.TreeDensity(min_samples_leaf=5).fit(X)
    for scale in (2.0**-300, 2.0**300):
        model = hb.TreeDensity(min_samples_leaf=5).fit(X * scale)
        assert model.tree_.column.tolist() == plain.tree_.column.tolist()
        wanted = plain.score_samples(X) - 12 * np.log(scale)
        assert model.score_samples(X * scale) == pytest.approx(wanted)
        pruned = hb.TreeDensity("cross-validated", min_samples_leaf=5, random_state=0).fit(X * scale)
        assert np.isfinite(pruned.path_.score).all()
        assert (
            pruned.tree_.n_leaves
            == hb.TreeDensity("cross-validated", min_samples_leaf=5, random_state=0).fit(X).tree_.n_leaves
        )


def test_single_precision_is_read_as_it_is():
    X = np.random.default_rng(2).normal(size=(200, 2)).astype(np.float32)
    one, other = (
        hb.TreeDensity(min_samples_leaf=5).fit(X),
        hb.TreeDensity(min_samples_leaf=5).fit(X.astype(float)),
    )
    assert one.tree_.threshold.tolist() == pytest.approx(other.tree_.threshold.tolist(), nan_ok=True)
    assert one.score_samples(X).tolist() == other.score_samples(X.astype(float)).tolist()
    assert np.isfinite(one.score_samples(X)).all()


# ---- limits --------------------------------------------------------------------------------------------


def test_limits_bind():
    frame = mixed(300)
    assert hb.TreeDensity(max_depth=2).fit(frame).tree_.depth == 2
    assert hb.TreeDensity(max_leaf_nodes=9).fit(frame).tree_.n_leaves == 9
    tree = hb.TreeDensity(min_samples_leaf=20).fit(frame).tree_
    assert tree.n_rows[tree.first_child < 0].min() >= 20
    tree = hb.TreeDensity(min_samples_split=0.5).fit(frame).tree_
    assert tree.n_rows[tree.first_child >= 0].min() >= 150


def test_best_first_takes_the_largest_decreases():
    frame = mixed(300)
    full, some = (
        hb.TreeDensity(max_depth=3).fit(frame).tree_,
        hb.TreeDensity(max_leaf_nodes=2).fit(frame).tree_,
    )
    assert some.gain[0] == full.gain[0]
    three = hb.TreeDensity(max_leaf_nodes=3).fit(frame).tree_
    assert sorted(three.gain)[-2] == pytest.approx(max(full.gain[1:3]))


def test_a_cut_that_lowers_nothing_is_made_unless_a_gain_is_asked_for():
    even = {"x": [2.5, 7.5]}
    assert hb.TreeDensity(support={"x": (0, 10)}).fit(even).tree_.n_leaves == 2
    assert hb.TreeDensity(support={"x": (0, 10)}, min_gain=0.0).fit(even).tree_.n_leaves == 1
    five = hb.TreeDensity(support=FIVE_BOX, min_gain=0.0529).fit(FIVE).tree_
    assert five.n_leaves == 2
    assert hb.TreeDensity(support=FIVE_BOX, min_gain=0.053).fit(FIVE).tree_.n_leaves == 1
