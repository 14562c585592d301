"""CHAID: merging and multipliers, by hand and against the twin in tests.oracles.chaid."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from tests.oracles.chaid import Twin, log_p_classes, ways
from tests.support.selection import examples

from hornbeam._base.significance.chaid_groups import chaid_merge, chaid_multiplier

# --- multipliers --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["nominal", "ordinal", "floating"])
def test_multipliers_count_what_the_recursion_counts(kind):
    for c in range(1 if kind != "floating" else 2, 9):
        assert [chaid_multiplier(c, r, kind) for r in range(1, c + 1)] == [
            ways(c, r, kind) for r in range(1, c + 1)
        ]


def test_multipliers_are_exact_beyond_what_doubles_hold():
    assert chaid_multiplier(100, 2) == 2**99 - 1
    assert chaid_multiplier(30, 10) == 173373343599189364594756  # Stirling's number of the second kind


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((3, 4), "r=4 must be at most c=3"),
        ((0, 1), "c=0 must be a whole number of at least 1"),
        ((3, 1.5), "r=1.5 must be a whole number"),
        ((3, 2, "free"), "kind='free' must be one of 'nominal', 'ordinal', 'floating'"),
    ],
)
def test_a_bad_multiplier_is_refused_by_name(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        chaid_multiplier(*arguments)


# --- merging ------------------------------------------------------------------------------------------------


def test_ordinal_categories_join_neighbours_only():
    table = [[10, 30], [30, 10], [10, 30], [30, 10]]  # every other one is alike
    assert chaid_merge(table, kind="nominal").groups == ("0+2", "1+3")
    assert chaid_merge(table, kind="ordinal").groups == ("0", "1", "2", "3")


def test_a_floating_category_joins_any_group_and_keeps_the_order_of_the_others():
    found = chaid_merge({"low": [30, 10], "mid": [20, 20], "high": [5, 35], "gap": [29, 11]}, kind="floating")
    assert found.groups == ("low+gap", "mid", "high")
    assert found.multiplier == 5  # C(2, 1) + 3 C(2, 2)
    alone = chaid_merge({"low": [30, 10], "mid": [28, 12], "high": [29, 11], "gap": [2, 38]}, kind="floating")
    assert alone.groups == ("low+mid+high", "gap")


def test_categories_that_do_not_differ_become_one_group_and_nothing_is_left_to_test():
    found = chaid_merge([[10, 10], [11, 9], [9, 11]])
    assert found.groups == ("0+1+2",)
    assert (found.chi2, found.df, found.p, found.multiplier, found.adjusted_p) == (0.0, 0, 1.0, 1, 1.0)


def test_merges_are_listed_in_order_with_the_p_value_of_each():
    table = {"a": [50, 50], "b": [52, 48], "c": [60, 40], "d": [10, 90]}
    found = chaid_merge(table)
    assert [(m.left, m.right) for m in found.merges] == [("a", "b"), ("a+b", "c")]
    assert found.merges[1].p == pytest.approx(
        stats.chi2_contingency([[102, 98], [60, 40]], correction=False).pvalue
    )


def test_categories_without_counts_take_no_part():
    found = chaid_merge({"a": [20, 30], "none": [0, 0], "b": [40, 10]})
    assert found.groups == ("a", "b")
    assert found.members == ((0,), (2,))
    assert found.multiplier == 1


def test_equal_shares_are_joined_first_whatever_their_sizes():
    found = chaid_merge({"a": [1, 3], "b": [7, 1], "c": [10, 30], "d": [70, 10]}, alpha_merge=0.2)
    assert [(m.left, m.right, m.p) for m in found.merges] == [("a", "c", 1.0), ("b", "d", 1.0)]


def test_resplitting_undoes_a_merge_that_hid_a_difference():
    table = {"a": [50, 50], "b": [57, 43], "c": [64, 36], "d": [71, 29]}
    merged = chaid_merge(table, kind="ordinal", alpha_merge=0.02)
    parted = chaid_merge(table, kind="ordinal", alpha_merge=0.02, alpha_resplit=0.02)
    assert merged.groups == ("a+b", "c+d") or merged.groups == ("a+b+c", "d") or len(merged.groups) == 1
    assert len(parted.groups) >= len(merged.groups)
    for group in parted.members:
        assert len(group) < 3 or parted.resplits == ()


def test_a_tiny_p_value_keeps_its_logarithm():
    found = chaid_merge([[5000, 0], [0, 5000]])
    assert found.p == 0.0
    assert found.log_adjusted_p == found.log_p == pytest.approx(-5005.1, abs=0.5)
    assert "p = 1e-" in str(found)


def test_the_likelihood_ratio_can_take_the_place_of_pearsons_statistic():
    table = [[20, 30, 7], [40, 10, 9], [5, 45, 30]]
    found = chaid_merge(table, statistic="likelihood-ratio")
    expected = stats.chi2_contingency(found.table, correction=False, lambda_="log-likelihood")
    assert found.chi2 == pytest.approx(expected.statistic)
    assert found.p == pytest.approx(expected.pvalue)


@pytest.mark.parametrize(
    ("arguments", "options", "sentence"),
    [
        (([[1, 2], [3]],), {}, "table must be a table of numbers"),
        (([1, 2],), {}, "table has shape"),
        (([[1, -2], [3, 4]],), {}, "table holds -2.0"),
        (([[0, 0], [0, 0]],), {}, "table has no counts"),
        (([[1, 2], [3, 4]], 1.5), {}, "alpha_merge=1.5 must be a number from 0 to 1"),
        (([[1, 2], [3, 4]], 0.05, "cyclic"), {}, "kind='cyclic' must be one of"),
        (([[1, 2], [3, 4]],), {"alpha_resplit": 0.1}, "alpha_resplit=0.1 must be at most alpha_merge=0.05"),
        (([[1, 2], [3, 4]],), {"categories": ["a"]}, "categories has 1 names for the 2 rows"),
        (({"a": [1, 2]},), {"categories": ["a"]}, "table is a dict, which names them"),
        (([[1, 2], [3, 4]],), {"statistic": "g"}, "statistic='g' must be one of"),
    ],
)
def test_bad_input_is_refused_by_name(arguments, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        chaid_merge(*arguments, **options)


counts = st.lists(st.integers(0, 30), min_size=3, max_size=3)


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(counts, min_size=2, max_size=6), st.sampled_from(["nominal", "ordinal", "floating"]))
def test_merging_gives_the_groups_of_the_twin(table, kind):
    table = [row for row in table if sum(row)] or [[1, 0, 0]]
    found = chaid_merge(table, 0.1, kind, alpha_resplit=0.05)
    rows = [(k, c) for k, row in enumerate(table) for c, n in enumerate(row) for _ in range(n)]
    last = len(table) - 1
    values = [None if kind == "floating" and k == last else str(k) for k, _ in rows]
    named = "nominal" if kind == "nominal" else "ordinal"
    twin = Twin({"x": (named, values)}, [c for _, c in rows], merge=0.1, resplit=0.05)
    groups, n, _ = twin.merged("x", list(range(len(rows))))
    assert list(found.groups) == ["+".join(str(last) if v is None else v for v in group) for group in groups]
    assert found.multiplier == chaid_multiplier(n, len(groups), kind)
    labels = [[c for (_, c), v in zip(rows, values, strict=True) if v in group] for group in groups]
    assert found.log_p == pytest.approx(log_p_classes(labels, [0, 1, 2]), abs=1e-9)


def test_many_categories_are_merged_until_every_pair_of_groups_differs():
    rng = np.random.default_rng(5)
    share = rng.integers(1, 4, size=400) / 4
    table = np.column_stack([rng.binomial(40, share), np.full(400, 40)])
    table[:, 1] -= table[:, 0]
    found = chaid_merge(table)
    assert sorted(k for group in found.members for k in group) == list(range(400))
    pairs = [found.table[[i, j]].tolist() for i in range(len(found.table)) for j in range(i)]
    assert all(stats.chi2_contingency(pair, correction=False).pvalue <= 0.05 for pair in pairs)
