"""Rows in pruning: what is held out, and what it weighs."""

import numpy as np
import pandas as pd
import pytest
from tests.support.pruning_tables import table_of

import hornbeam as hb
from hornbeam.data.folds import row_units, split_rows
from hornbeam.data.table import Table
from hornbeam.data.target import Target
from hornbeam.parts import SRM, ChiSquare, Penalised, ReducedError, ReplaceByChild
from hornbeam.pruning.sample_risks import sample_costs
from hornbeam.tree import apply

HELD = [ReducedError(), ReducedError(ties="keep"), ReplaceByChild()]


# ---- what is held out ----------------------------------------------------------------------------------


@pytest.mark.parametrize("part", HELD, ids=repr)
def test_the_order_of_rows_makes_no_difference(part):
    X, y = table_of()
    order = np.random.default_rng(1).permutation(len(X))
    model = hb.TreeClassifier(pruning=part)
    assert model.fit(X, y).tree_ == model.fit(X.iloc[order], y[order]).tree_


@pytest.mark.parametrize("part", HELD, ids=repr)
def test_rows_of_no_weight_make_no_difference(part):
    X, y = table_of()
    weight = np.arange(len(X)) % 3.0
    some = weight > 0
    model = hb.TreeClassifier(pruning=part)
    assert model.fit(X, y, weight).tree_ == model.fit(X[some], y[some], weight[some]).tree_


@pytest.mark.parametrize("part", HELD, ids=repr)
def test_counts_and_whole_weights_are_as_good_as_repetitions(part):
    X, y = table_of(60)
    copies = np.random.default_rng(2).integers(1, 4, len(X))
    again = np.repeat(np.arange(len(X)), copies)
    model = hb.TreeClassifier(pruning=part)
    repeated = model.fit(X.iloc[again], y[again]).tree_
    assert model.fit(X, y, counts=copies).tree_ == repeated
    weighted = model.fit(X, y, copies).tree_
    assert weighted.text() == repeated.text()


def test_a_class_weight_changes_no_split():
    X, y = table_of(60)
    table, plain = Table.learn(X), Target.classes_of(y)
    weighed = Target.classes_of(y, class_weight={"yes": 3, "no": 0.7})
    for a, b in zip(split_rows(table, plain, 0.3, 0), split_rows(table, weighed, 0.3, 0), strict=True):
        assert np.array_equal(a.table.arrays[0], b.table.arrays[0])


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.9])
def test_of_each_class_the_share_is_held_out_up_to_rounding(share):
    X, _ = table_of(100)
    y = np.repeat(["a", "b", "c"], [70, 27, 3])
    grown, held = split_rows(Table.learn(X), Target.classes_of(y), share, 0)
    for code, n in enumerate([70, 27, 3]):
        taken = int((held.target.codes == code).sum())
        assert taken == min(np.floor(share * n + 0.5), n - 1)
        assert taken + (grown.target.codes == code).sum() == n


def test_another_number_is_another_split_and_none_is_another_each_time():
    X, y = table_of(200)
    rows = Table.learn(X), Target.classes_of(y)
    splits = [split_rows(*rows, 0.3, seed)[1].table.arrays[1].tolist() for seed in range(4)]
    assert len({tuple(split) for split in splits}) == 4
    model = hb.TreeClassifier(pruning=ReducedError(random_state=None))
    assert len({model.fit(X, y).tree_.text() for _ in range(5)}) > 1


def test_numbers_of_other_types_are_held_out_alike():
    X = np.random.default_rng(0).integers(0, 50, (200, 3))
    y = X[:, 0] > 25
    texts = {hb.TreeClassifier(pruning="reduced-error").fit(X.astype(t), y).tree_.text() for t in "fdi"}
    assert len(texts) == 1


@pytest.mark.parametrize("part", HELD, ids=repr)
def test_where_nothing_can_be_held_out_the_tree_of_all_rows_stays(part):
    for X, y in (([[1.0]], ["a"]), ([[1.0], [2.0]], ["a", "b"])):
        model = hb.TreeClassifier(pruning=part).fit(X, y)
        assert model.tree_ == hb.TreeClassifier().fit(X, y).tree_
        assert model.pruning_.facts["held out"] == 0
        assert "one row only" in str(model.pruning_)
    assert hb.TreeRegressor(pruning=part).fit([[1.0]], [3.0]).predict([[7.0]]) == [3.0]


def test_weights_that_are_not_whole_leave_rows_as_they_are():
    assert row_units(Target.real_of([1, 2, 3], sample_weight=[0.5, 0.0, 2.0])).tolist() == [1, 0, 1]
    assert row_units(Target.real_of([1, 2], sample_weight=[0.5, 2.0], counts=[3, 1])).tolist() == [3, 1]


# ---- what rows weigh -----------------------------------------------------------------------------------


TREE = hb.Tree.from_nested(
    {"column": "x", "<=": 1.5, "yes": {"counts": {"a": 6, "b": 2}}, "no": {"counts": {"a": 1, "b": 3}}}
)


def costs(tree, X, *target, **more):
    return sample_costs(tree, Table.match(X, tree.columns), Target.classes_of(*target, **more)).cost.tolist()


def test_weights_and_counts_multiply_errors():
    X, y = {"x": [1, 1, 2, 2]}, ["a", "b", "a", "b"]
    assert costs(TREE, X, y) == [2, 1, 1]
    assert costs(TREE, X, y, [1, 2, 0.5, 0]) == [2, 2, 0.5]
    assert costs(TREE, X, y, None, [1, 2, 3, 4]) == [6, 2, 3]
    assert costs(TREE, X, y, [1, 2, 0.5, 0], [1, 2, 3, 4]) == [4, 4, 1.5]


def test_a_class_the_tree_does_not_know_plays_no_part():
    assert costs(TREE, {"x": [1, 2, 2]}, ["a", "c", "b"]) == [1, 0, 0]
    found = hb.prune(TREE, "reduced-error", {"x": [1, 2, 2]}, ["a", "c", "b"])
    assert found == TREE


def test_a_row_that_follows_all_paths_counts_in_parts():
    assert costs(TREE, {"x": [None]}, ["b"]) == pytest.approx([1, 8 / 12, 0])


def grown_with(**params):
    X = {"x": [1.0] * 8 + [2.0] * 4}
    y = ["a"] * 6 + ["b"] * 2 + ["a"] + ["b"] * 3
    return hb.TreeClassifier(**params).fit(X, y)


def test_costs_of_mistakes_are_what_is_compared():
    model = grown_with(costs={"b": {"a": 3}})
    assert model.tree_.label.tolist() == [1, 0, 1]
    assert costs(model.tree_, {"x": [1, 1, 2, 2]}, ["a", "b", "a", "b"]) == [2, 3, 1]
    # Errors alone tie and would prune; by costs the leaf is dearer.
    assert hb.prune(grown_with(), "reduced-error", {"x": [1, 1]}, ["a", "b"]).tree_.n_leaves == 1
    assert hb.prune(model, ReducedError(), {"x": [1, 2, 2, 2]}, ["a", "a", "b", "b"]).tree_.n_leaves == 2


def test_priors_weigh_the_classes_of_the_sample():
    model = grown_with(priors={"a": 0.2, "b": 0.8})
    a, b = 0.2 / (7 / 12), 0.8 / (5 / 12)
    found = costs(model.tree_, {"x": [1, 1, 2, 2]}, ["a", "b", "a", "b"])
    labels = model.tree_.label
    expected = [[2 * a, 2 * b][1 - labels[0]], [a, b][1 - labels[1]], [a, b][1 - labels[2]]]
    assert found == pytest.approx(expected)


def test_costs_of_rows_are_what_is_compared():
    X, y = {"x": [1.0, 1.0, 2.0, 2.0]}, ["a", "b", "a", "b"]
    row_costs = [[0, 5], [1, 0], [0, 1], [5, 0]]
    model = hb.TreeClassifier().fit(X, y, row_costs=row_costs)
    assert model.tree_.label.tolist() == [0, 0, 1]
    assert costs(model.tree_, X, y, row_costs=row_costs) == [6, 1, 1]
    with pytest.raises(ValueError, match="give those of X's rows, too, as row_costs"):
        hb.prune(model, "reduced-error", X, y)
    kept = hb.prune(model, "reduced-error", X, y, row_costs=row_costs)
    assert kept.tree_ == model.tree_
    dear = hb.prune(model, "reduced-error", X, y, row_costs=[[0, 1], [1, 0], [0, 1], [9, 0]])
    assert dear.tree_.n_leaves == 2
    same = hb.prune(model, "reduced-error", X, y, row_costs=[[0, 1], [1, 0], [0, 3], [1, 0]])
    assert same.tree_.n_leaves == 1
    assert len(same.tree_.cost_value) == 2, "the leaf lost its costs"


@pytest.mark.parametrize("part", HELD, ids=repr)
def test_row_costs_are_kept_in_the_slot(part):
    X, y = table_of(200)
    row_costs = np.where(pd.get_dummies(y).to_numpy(), 0, 1.0 + np.arange(200)[:, None] % 3)
    model = hb.TreeClassifier(pruning=part).fit(X, y, row_costs=row_costs)
    assert len(model.tree_.cost_value) == 2 * len(model.tree_)
    assert model.tree_.n_leaves < model.pruning_.before.n_leaves


def test_squared_errors_of_means_that_are_exact_tie():
    X = {"x": [1.0, 1.0, 2.0, 2.0], "z": [1.0, 2.0, 1.0, 2.0]}
    tree = hb.TreeRegressor().fit(X, [0.1, 0.1, 0.7, 0.7000001]).tree_
    small = hb.prune(tree, "reduced-error", {"x": [1, 2], "z": [1, 9]}, [0.1, 0.7000001])
    assert small.n_leaves == 3
    same = hb.prune(tree, "reduced-error", {"x": [1, 1, 1], "z": [1, 1, 1]}, [0.1, 0.1, 0.1])
    assert same.n_leaves == 2


def test_the_squared_error_of_a_sample_is_the_sum_over_its_rows():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(300, 3)), 1e6 + rng.normal(size=300)
    tree = hb.TreeRegressor(max_depth=4).fit(X[:200], y[:200]).tree_
    found = sample_costs(tree, Table.match(X[200:], tree.columns), Target.real_of(y[200:]))
    path = apply.ancestors(tree).toarray()[apply.leaves(tree, Table.match(X[200:], tree.columns))] > 0
    expected = [((y[200:][path[:, v]] - tree.answers()[v]) ** 2).sum() for v in range(len(tree))]
    assert found.cost == pytest.approx(expected, rel=1e-6)


# ---- K3 in tests and bounds ----------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:.*expected counts below 5:UserWarning")
def test_weights_do_not_raise_the_number_of_rows_and_counts_do():
    X, y = {"x": [1.0] * 6 + [2.0] * 6}, list("aaaabb") + list("aabbbb")
    model = hb.TreeClassifier()
    for part, key in ((ChiSquare(0.05), "statistic"), (SRM(n_attributes=2), "m")):

        def number(fitted, part=part, key=key):
            return hb.teaching.pruning_record(fitted, part).decisions[0].numbers[key]

        plain = number(model.fit(X, y))
        assert number(model.fit(X, y, [100.0] * 12)) == pytest.approx(plain)
        assert number(model.fit(X, y, counts=[100] * 12)) == pytest.approx(100 * plain)


@pytest.mark.filterwarnings("ignore:.*expected counts below 5:UserWarning")
def test_parts_of_rows_count_as_parts():
    X, y = {"x": [1.0, 1.0, 1.0, 2.0, None]}, ["a", "a", "a", "b", "b"]
    model = hb.TreeClassifier(missing="fractional").fit(X, y)
    found = hb.teaching.pruning_record(model, ChiSquare()).decisions[0].numbers
    assert found["statistic"] == pytest.approx(hb.teaching.chi_square([[3, 0.75], [0, 1.25]]).chi2)
    assert hb.teaching.pruning_record(model, SRM()).decisions[0].numbers["m"] == 5


def test_a_test_of_one_class_or_one_branch_has_nothing_to_show_and_goes():
    one_class = {"column": "x", "<=": 1.5, "yes": {"counts": [3, 0]}, "no": {"counts": [9, 0]}}
    one_branch = {"column": "x", "<=": 1.5, "yes": {"counts": [3, 9]}, "no": {"label": 0, "counts": [0, 0]}}
    for nested in (one_class, one_branch):
        record = hb.teaching.pruning_record(hb.Tree.from_nested(nested, classes=[0, 1]), "chi-square")
        assert record.tree.n_leaves == 1
        assert record.decisions[0].numbers["df"] == 0
        assert record.decisions[0].note == ""


def test_absent_values_count_as_leaves_of_their_own():
    X = {"city": pd.Categorical(["a", "b", "a", "b"], categories=list("abcde"))}
    tree = hb.TreeClassifier(split="multiway").fit(X, [0, 1, 0, 1]).tree_
    assert tree.n_leaves == 5
    record = hb.teaching.pruning_record(tree, Penalised(0.1))
    assert record.decisions[0].numbers["as a tree"] == pytest.approx(0.5)
    assert hb.teaching.pruning_record(tree, SRM()).decisions[0].numbers["size"] == 6
