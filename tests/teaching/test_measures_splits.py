"""Measures of splits and trees: against obvious twins, scikit-learn and the tests of candidates."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics
from tests.support.every_test import every_test
from tests.support.measured_groups import NAMES, random_columns, twin
from tests.support.selection import examples

import hornbeam as hb
from hornbeam.teaching import measures as m

# ---- splits ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("criterion", ["entropy", "gini", "root", "error"])
def test_gains_are_those_of_candidates(seed, criterion):
    x, y, weight, counts = random_columns(seed, gaps=0.2 * (seed % 2))
    options = {"sample_weight": weight, "counts": counts}
    found = every_test({"x": x}, y, criterion=criterion, split="multiway", **options)
    if not found:
        assert len(set(x)) == 1
        return
    assert m.gain(x, y, potential=criterion, **options) == pytest.approx(found[0].decrease, abs=1e-12)
    assert m.split_information(x, y, **options) == pytest.approx(found[0].split_information, abs=1e-12)
    if criterion == "entropy":
        assert m.information_gain(x, y, **options) == pytest.approx(found[0].gain, abs=1e-12)
        assert m.gain_ratio(x, y, **options) == pytest.approx(found[0].gain_ratio, abs=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_a_gain_is_the_mutual_information_of_scikit_learn(seed):
    x, y, _, _ = random_columns(seed)
    codes = [sorted(set(y)).index(label) for label in y]
    expected = metrics.mutual_info_score([ord(v) for v in x], codes)
    assert m.information_gain(x, y, base=math.e) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_columns_and_their_table_give_the_same(seed):
    x, y, weight, _ = random_columns(seed, gaps=0.2)
    table = m.tabulate(x, y, sample_weight=weight)
    by_branch = dict(zip(table.branches, table.counts.tolist(), strict=True))
    named = {b: dict(zip(table.classes, row, strict=True)) for b, row in by_branch.items()}
    for measure in (
        m.information_gain,
        m.conditional_entropy,
        m.split_information,
        m.gain_ratio,
        m.val_branches,
    ):
        expected = measure(x, y, sample_weight=weight)
        for same in (table, table.counts, by_branch, named, pd.DataFrame(table.counts)):
            assert measure(same) == pytest.approx(expected, abs=1e-12)


@settings(max_examples=examples(50))
@given(
    st.lists(st.lists(st.integers(0, 5), min_size=3, max_size=3), min_size=1, max_size=5),
    st.sampled_from(NAMES),
)
def test_a_split_never_raises_a_potential(table, name):
    if not np.sum(table):
        return
    before = m.val(np.sum(table, axis=0), name)
    assert m.val_branches(table, potential=name) <= before + 1e-12
    assert m.gain(table, potential=name) == pytest.approx(
        before - m.val_branches(table, potential=name), abs=1e-12
    )


@pytest.mark.parametrize("name", ["gini", "half-entropy", "root", "entropy"])
def test_a_concave_potential_falls_unless_both_sides_are_alike(name):
    assert m.gain([[1, 3], [2, 3]], potential=name) > 1e-4
    assert m.gain([[1, 3], [2, 6]], potential=name) == pytest.approx(0.0, abs=1e-15)


def test_counts_are_repetitions_and_weights_scale():
    x, y = list("aab"), [0, 1, 1]
    repeated = m.information_gain(list("aaaab"), [0, 1, 1, 1, 1])
    assert m.information_gain(x, y, counts=[1, 3, 1]) == pytest.approx(repeated)
    assert m.information_gain(x, y, sample_weight=[0.5, 1.5, 0.5]) == pytest.approx(repeated)
    assert m.information_gain(x, y, counts=[1, 3, 1], sample_weight=[2, 2, 2]) == pytest.approx(repeated)


def test_gaps_are_a_value_or_dropped():
    x, y = ["a", None, "b", float("nan")], [0, 1, 1, 0]
    assert m.tabulate(x, y).branches == ("a", "b", "Missing")
    assert m.tabulate(x, y, missing="drop").counts.tolist() == [[1, 0], [0, 1]]
    assert m.information_gain(x, y) == 0.5
    assert m.information_gain(x, y, missing="drop") == 1.0
    assert m.tabulate([1.5, float("nan"), 0.5, 1.5], y).branches == (0.5, 1.5, "Missing")
    only = [None, None, None, None]
    assert m.information_gain(only, y) == 0.0
    with pytest.raises(ValueError, match="x is missing in every row"):
        m.information_gain(only, y, missing="drop")


def test_columns_come_from_any_library():
    x, y = ["u", "v", "u"], ["p", "q", "p"]
    kinds = (list, np.array, pd.Series, pl.Series, lambda v: pd.Series(v, dtype="category"))
    assert [m.information_gain(kind(x), kind(y)) for kind in kinds] == pytest.approx([0.918296] * 5, abs=1e-6)


def test_branches_stand_in_the_order_of_their_domain():
    size = pd.Categorical(list("LSM"), categories=list("SML"), ordered=True)
    assert m.tabulate(size, [0, 1, 1]).branches == ("S", "M", "L")
    assert m.tabulate([10, 9, 10], [0, 1, 1]).branches == (9, 10)
    assert m.tabulate([(1, "a"), (0, "b")], [0, 1]).branches == ((1, "a"), (0, "b"))
    assert m.tabulate([False, True], ["b", "a"]).classes == ("a", "b")


def test_a_cut_is_a_column_of_truth_values():
    cold = hb.datasets.load("temperature")
    x = np.array(cold.X["Temperature"])
    expected = {found.threshold: found.gain for found in every_test(cold.X, cold.y)}
    assert {cut: m.information_gain(x <= cut, cold.y) for cut in expected} == pytest.approx(expected)


def test_split_information_takes_sizes():
    expected = m.entropy([3, 4, 1])
    sizes = ([3, 4, 1], np.array([3, 4, 1]), {"a": 3, "b": 4, "c": 1}, pd.Series([3, 4, 1]), [[3], [4], [1]])
    assert [m.split_information(given) for given in sizes] == [expected] * 5


def test_a_trivial_split_has_no_ratio():
    assert m.gain_ratio(["a", "a"], [0, 1]) == 0.0
    assert m.split_information(["a", "a"], [0, 1]) == 0.0
    assert m.is_useless(["a", "a"], [0, 1])
    assert m.gain_ratio([[1, 2], [0, 0]]) == 0.0


def test_perfect_and_useless_within_a_tolerance():
    nearly = [[999, 1], [0, 1000]]
    assert not m.is_perfect(nearly)
    assert m.is_perfect(nearly, tolerance=0.002)
    even = [[501, 499], [500, 500]]
    assert not m.is_useless(even)
    assert m.is_useless(even, tolerance=0.001)
    assert m.is_useless([[1, 2], [0, 0], [2, 4]])
    assert m.is_perfect([[0.1, 0.0], [0.0, 0.3]])
    assert m.is_perfect([1, 2], ["a", "a"])
    assert m.is_useless([1, 2], ["a", "a"])
    thirds = [[1 / 3, 2 / 3], [0.1 + 0.2, 0.6]]
    assert m.is_useless(thirds)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: m.information_gain([[1, -2], [3, 4]]),
            r"table\[0, 1\]=-2 must be a finite number of at least 0",
        ),
        (lambda: m.information_gain([[0, 0], [0, 0]]), "table holds no positive number"),
        (lambda: m.information_gain([1, 2, 3]), "table must have two dimensions.*give y as well"),
        (lambda: m.gain([[1, 2]], counts=[1]), "counts belongs to the rows of columns"),
        (lambda: m.gain([[1, 2]], sample_weight=np.ones(2)), "sample_weight belongs to the rows of columns"),
        (lambda: m.gain([[1, 2]], missing="drop"), "missing belongs to the rows of columns"),
        (lambda: m.gain([1, 2], [0, 1], missing="guess"), "missing='guess' must be 'value'.*or 'drop'"),
        (lambda: m.gain([1, 2, 3], [0, 1]), "inconsistent numbers of samples"),
        (lambda: m.gain([], []), "x has no rows"),
        (lambda: m.gain([1, 2], [0, None]), "the target of row 1 is missing"),
        (
            lambda: m.gain([1, 2], [0, 1], sample_weight=[1, -1]),
            r"sample_weight\[1\]=-1 must be a finite number",
        ),
        (lambda: m.gain([1, 2], [0, 1], counts=[0, 0]), "counts is zero in every row"),
        (lambda: m.gain([1, 2], [0, 1], counts=[1, 1.5]), r"counts\[1\]=1.5 must be a whole number"),
        (lambda: m.gain([[1, 2], [2, 1]], potential="best"), "potential='best' must be one of"),
        (lambda: m.is_perfect([[1, 2]], tolerance=-1), "tolerance=-1 must be a number from 0 to 1"),
        (lambda: m.gain([[1, 2], [3]]), "table must hold numbers"),
        (lambda: m.split_information([[1, 2], [3]]), "table must hold numbers"),
        (lambda: m.split_information([["1", "2"]]), "table must hold numbers"),
        (lambda: m.gain(["a", "b"], [0.5, 1.5]), r"y holds numbers with fractions.*sdr"),
        (lambda: m.gain(np.ones((2, 2)), [0, 1]), "column 'x' has 2 dimensions"),
    ],
)
def test_a_split_that_is_none_gets_a_sentence(call, sentence):
    with pytest.raises((ValueError, TypeError), match=sentence):
        call()


@pytest.mark.parametrize("x", ["text", {"a": 1}, 3])
def test_what_is_no_column_gets_a_sentence(x):
    with pytest.raises(TypeError, match="x must be a column, one value for each row"):
        m.information_gain(x, [0, 1])


def test_text_without_a_target_gets_a_sentence():
    with pytest.raises(TypeError, match="for a column give y as well"):
        m.split_information(["a", "b"])


# ---- trees -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["robots", "tennis", "tax", "xcount"])
def test_val_of_a_tree_is_that_of_its_leaves(name):
    data = hb.datasets.load(name)
    model = hb.TreeClassifier(max_depth=1).fit(data.X, data.y, counts=data.counts)
    leaves = model.tree_.stats[1:]
    for potential in NAMES:
        expected = sum(sum(leaf) * twin(leaf, potential) for leaf in leaves.tolist()) / leaves.sum()
        assert m.val_tree(model, potential) == pytest.approx(expected)
        assert m.val_tree(model.tree_, potential) == pytest.approx(expected)
    wrong = m.error_rate(data.y, model.predict(data.X), counts=data.counts)
    assert m.val_tree(model, "error") == pytest.approx(wrong)


def test_a_tree_without_rows_or_classes_is_refused():
    with pytest.raises(ValueError, match=r"written without counts.*refit"):
        m.val_tree(hb.Tree.from_nested({"column": "a", "<=": 1, "yes": "p", "no": "q"}))
    hours = hb.datasets.load("hours")
    with pytest.raises(ValueError, match="hold no classes"):
        m.val_tree(hb.TreeRegressor().fit(hours.X, hours.y))
    with pytest.raises(ValueError, match="call fit first"):
        m.val_tree(hb.TreeClassifier())
    with pytest.raises(ValueError, match="model='tree' is no file"):
        m.val_tree("tree")
    with pytest.raises(TypeError, match="a model is a Tree"):
        m.val_tree(3)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.sampled_from(NAMES))
def test_the_potential_of_a_split_in_two_is_that_of_two_leaves(u, p, r, name):
    assert m.val_split(u, p, r, name) == pytest.approx(m.val_leaves([u, 1 - u], [p, r], name), abs=1e-9)
    q = u * p + (1 - u) * r
    assert m.val_split(u, p, r, name) <= m.potential(q, name) + 1e-9


def test_val_of_arrays_of_splits():
    found = m.val_split([0.5, 0.5], [0.6, 0.5], [1.0, 0.5], "gini")
    assert found == pytest.approx([0.24, 0.5])
    with pytest.raises(ValueError, match=r"u=1\.5 must be a fraction"):
        m.val_split(1.5, 0.1, 0.2)
    with pytest.raises(ValueError, match=r"p and q must have one number for each leaf"):
        m.val_leaves([1, 2], [0.5])
